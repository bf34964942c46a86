//! Vertex programs in plain safe Rust, and the engines that run them.
//!
//! [`program`] is the contract, `no_std`, which also compiles for a GPU;
//! [`prelude`] has the names that most programs need.
#![cfg_attr(
    feature = "std",
    doc = "The feature `std` (default) adds graphs ([`graph`]), file formats ([`io`]), engines ([`engine`]) and checkpoints ([`checkpoint`])."
)]
#![cfg_attr(
    not(feature = "std"),
    doc = "The feature `std`, which is off here, adds graphs, file formats, engines and checkpoints."
)]
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]

/// The crate of [`program::Pod`], so that programs can derive it without naming the crate as a
/// dependency: see [`program::Value`].
pub use bytemuck;

#[cfg(feature = "std")]
pub mod checkpoint;
#[doc(hidden)]
pub mod device;
#[cfg(feature = "std")]
pub mod engine;
#[cfg(feature = "std")]
pub mod graph;
#[cfg(feature = "std")]
pub mod io;
#[cfg(feature = "std")]
mod memory;
#[cfg(feature = "std")]
mod parallel;
pub mod prelude;
pub mod program;
#[cfg(feature = "std")]
mod shared;
