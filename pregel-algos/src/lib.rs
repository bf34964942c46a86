//! Bundled vertex programs: one algorithm, one file.
//!
//! The programs are `no_std`, so that a GPU compiles the same code. With the
//! feature `std` comes [`verify`]: properties that every right result has.
#![cfg_attr(not(feature = "std"), no_std)]
#![forbid(unsafe_code)]

pub mod bfs;
pub mod cdlp;
pub mod hcc;
pub mod pagerank;
pub mod sssp;
#[cfg(feature = "std")]
pub mod verify;
