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
//! The kernels of a program come from its type: [`images`] has them and those that every
//! run needs. [`export!`] makes them as a device crate does, under a name of their own.
//!
//! [`Device`]: pregel_core::engine::gpu::Device

mod device;
mod memory;
mod run;
#[cfg(test)]
mod tests;

pub use device::{Block, Emulator, PartEvent};
use pregel_core::engine::gpu::Images;
use pregel_core::program::VertexCompute;
pub use pregel_gpu_kernels::host::Kernels;
use pregel_gpu_kernels::host::{PROGRAM, kernels};
pub use pregel_gpu_kernels::{export, graph};

/// The kernels of one program, and those that belong to none: all that a run of it needs.
/// Those of further programs are added with [`Images::and`].
///
/// ```
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy)]
/// # struct Smallest;
/// # impl Program for Smallest {
/// #     type Input = ();
/// #     type State = u32;
/// #     type Signal = u32;
/// #     type Edge = ();
/// #     type Combiner = Min<u32>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Smallest {
/// #     fn edge_compute(&self, id: &u32, _: Edge<()>) -> Option<u32> {
/// #         Some(*id)
/// #     }
/// # }
/// # impl VertexCompute for Smallest {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         (context.vertex(), Vote::Scatter)
/// #     }
/// #     fn vertex_compute(&self, state: &mut u32, id: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
/// #         let Some(smaller) = id.filter(|id| id < state) else { return Vote::Halt };
/// #         *state = smaller;
/// #         Vote::Scatter
/// #     }
/// #     fn signal(&self, state: &u32, _: &Context<'_, Self>) -> u32 {
/// #         *state
/// #     }
/// # }
/// use pregel_core::engine::gpu::Gpu;
/// use pregel_emulator::{Emulator, images};
///
/// let engine = Gpu::new(Emulator::new(), images::<Smallest>());
/// let graph = Graph::from_edges([(0, 1), (1, 2)])?;
/// assert_eq!(engine.run(&graph, &Smallest, &RunOptions::default())?.states, [0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn images<P: VertexCompute>() -> Images<Kernels> {
    Images::new().graph(graph::KERNELS).program::<P>(PROGRAM, kernels::<P>())
}
