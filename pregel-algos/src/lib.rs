//! Bundled vertex programs: one file per algorithm.
//!
//! The programs are `no_std`, so that the same code compiles for a GPU. The
//! feature `std` adds the module `verify`: properties that every correct result
//! has. The feature `cuda` adds `images`, the programs' kernels.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

// The list of images names the crate from outside.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
extern crate self as pregel_algos;

pub mod betweenness;
pub mod bfs;
pub mod cdlp;
pub mod gallery;
pub mod hcc;
pub mod kcore;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
mod kernels;
pub mod many;
pub mod pagerank;
pub mod scc;
pub mod sssp;
#[cfg(feature = "std")]
pub mod verify;

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use kernels::images;
