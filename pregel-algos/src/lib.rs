//! Bundled vertex programs: one algorithm, one file.
#![no_std]
#![forbid(unsafe_code)]

pub mod bfs;
pub mod cdlp;
pub mod hcc;
pub mod pagerank;
pub mod sssp;
