//! Bundled vertex programs: one algorithm, one file.
//!
//! The programs are `no_std`, so that a GPU compiles the same code. With the
//! feature `std` comes [`verify`]: properties that every right result has.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

// The list of images names the crate from outside.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
extern crate self as pregel_algos;

pub mod bfs;
pub mod cdlp;
pub mod hcc;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
mod kernels;
pub mod pagerank;
pub mod sssp;
#[cfg(feature = "std")]
pub mod verify;

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use kernels::images;
