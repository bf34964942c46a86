//! Vertex programs in plain safe Rust, and everything that runs them on a CPU.
//!
//! [`program`] is the contract, `no_std`, the part that a GPU compiles too.
//! [`device`] is what its kernels and the host agree on.
//! With the feature `std` (default) come graphs ([`graph`]), file formats
//! ([`io`]) and engines ([`engine`]).
#![cfg_attr(not(feature = "std"), no_std)]

pub mod device;
#[cfg(feature = "std")]
pub mod engine;
#[cfg(feature = "std")]
pub mod graph;
#[cfg(feature = "std")]
pub mod io;
#[cfg(feature = "std")]
mod memory;
pub mod program;
#[cfg(feature = "std")]
mod shared;
