//! What runs on the device: kernels that are generic over the vertex program,
//! kernels that prepare a graph, and the layers under them.
//!
//! ```text
//! export!   runtime!     entry points of a program, of the rest
//!    │         │
//! kernel/    graph/      supersteps of a program; preparing a graph
//!    └────┬────┘
//!   collective/          reductions and scans of a warp or block
//!         │
//!      simt/             lanes, loads, atomics, shuffles, votes, barriers
//! ```
//!
//! Compiled for `nvptx64-nvidia-cuda` it becomes PTX; with the feature
//! `emulator` the same code runs on the host, lane by lane.
#![cfg_attr(not(feature = "emulator"), no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx)
)]

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod collective;
#[cfg(all(feature = "emulator", not(target_arch = "nvptx64")))]
pub mod emulator;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod export;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod graph;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod kernel;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod simt;

#[doc(hidden)]
pub use pregel_core as core;
