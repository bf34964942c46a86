//! A device that needs no GPU: it runs kernels on the host, one lane at a time, and
//! checks what they do.
//!
//! It runs the code that is compiled to PTX, and is a [`Device`] of the GPU engine
//! like any other. Every access is checked to lie within an allocation, and lanes
//! that should call a function together are checked to do so. It is slow; its use
//! is to test the engine and vertex programs where there is no GPU.
//!
//! ```
//! use pregel_core::engine::gpu::{Gpu, Images};
//! use pregel_emulator::{Emulator, graph};
//!
//! let engine = Gpu::new(Emulator::new(), Images::new().graph(graph::KERNELS));
//! ```
//!
//! Kernels for a program come from [`export!`], which makes `NAME::KERNELS`:
//! `pregel_emulator::export!(bfs: Bfs)`.
//!
//! [`Device`]: pregel_core::engine::gpu::Device

mod device;
mod memory;
mod run;
#[cfg(test)]
mod tests;

pub use device::{Block, Emulator};
pub use pregel_gpu_kernels::host::Kernels;
pub use pregel_gpu_kernels::{export, graph};
