//! Compiles crates of vertex programs to PTX, for the GPU engine of
//! `pregel-core`.
//!
//! A crate lists its programs in its own `Cargo.toml`:
//!
//! ```toml
//! [package.metadata.pregel.programs]
//! bfs = "bfs::Bfs"
//! pagerank = "pagerank::PageRank<f32>"
//! ```
//!
//! The crate is `no_std` and depends on `pregel-core` with
//! `default-features = false`. From this list a crate is generated that exports
//! the kernels of `pregel-gpu-kernels` for each program; it is compiled by a
//! rustc that can write PTX, and the PTX is cut into one image per program:
//!
//! | File | What |
//! |---|---|
//! | `NAME.ptx` | the kernels of one program, and everything they need |
//! | `graph.ptx` | kernels that belong to no program |
//! | `programs.rs` | `pub fn images() -> Images`, to include in a host crate |
//! | `facts.txt` | barriers, registers, spills and memory of each kernel |
//!
//! In a `build.rs` call [`build_script`], or [`build_script_or_warn`] if the crate must
//! also build without a compiler for PTX; this crate is then a build dependency with
//! `default-features = false`. Elsewhere use [`Build`], or the command `pregel-build`. The
//! chapter "From Rust to PTX" of the book explains the compiler's settings.
//!
//! # Environment
//!
//! `PREGEL_RUSTC` names the compiler, `PREGEL_PTXAS` NVIDIA's assembler. Variables
//! that would change what cargo does (`RUSTFLAGS`, `CARGO_BUILD_…`, and those that build
//! scripts inherit) are removed for the compilation. The same sources, lock file and
//! compiler give the same bytes in any folder.

mod assemble;
mod build;
mod check;
mod compiler;
mod device;
mod error;
mod facts;
mod files;
mod hints;
mod kernels;
mod manifest;
mod ptx;
mod script;

pub use assemble::Resources;
pub use build::{Build, Built, Image};
pub use check::Comparison;
pub use compiler::Compiler;
pub use error::{BuildError, Tried};
pub use facts::{Facts, KernelFacts};
pub use kernels::{DEFAULT_BLOCK, Kernel, kernels};
pub use script::{build_script, build_script_or_warn, describe};
