//! Tests vertex programs.
//!
//! A vertex program runs on engines that order its work in very different ways. These
//! functions find out whether it gives the same result everywhere, and whether what it
//! promises is true:
//!
//! * [`all_engines`] runs a program on the sequential reference, on the CPU under every
//!   strategy and on an emulated GPU, and compares; it also tests the combiner with the
//!   messages of the run, and [`MONOTONE`](pregel_core::program::Program::MONOTONE) if the
//!   program promises it. [`AllEngines`] is the same with options.
//! * [`laws`] tests a combiner or an aggregate with samples.
//! * [`small_graphs`] are graphs of many kinds on which to call them.
//! * [`History`] is what one vertex received, and what it made of it.
//!
//! A failure comes with a counter-example that is as small as could be found. Errors print the
//! same by `Display` and `Debug`, so that a test may end in `unwrap` or `?`.
//!
//! What the tests cannot know is whether the result is the right one. Compare it with an
//! oracle: a plain sequential function that knows nothing about vertex programs.
//!
//! ```
//! use pregel_core::prelude::*;
//! # #[derive(Clone, Copy)]
//! # struct Smallest;
//! # impl Program for Smallest {
//! #     type Input = ();
//! #     type State = u32;
//! #     type Signal = u32;
//! #     type Edge = ();
//! #     type Combiner = Min<u32>;
//! #     type Aggregate = Nothing;
//! #     const MONOTONE: bool = true;
//! # }
//! # impl EdgeCompute for Smallest {
//! #     fn edge_compute(&self, id: &u32, _: Edge<()>) -> Option<u32> {
//! #         Some(*id)
//! #     }
//! # }
//! # impl VertexCompute for Smallest {
//! #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
//! #         (context.vertex(), Vote::Scatter)
//! #     }
//! #     fn vertex_compute(&self, state: &mut u32, id: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
//! #         let Some(smaller) = id.filter(|id| id < state) else { return Vote::Halt };
//! #         *state = smaller;
//! #         Vote::Scatter
//! #     }
//! #     fn signal(&self, state: &u32, _: &Context<'_, Self>) -> u32 {
//! #         *state
//! #     }
//! # }
//!
//! // `Smallest` finds the smallest id that reaches a vertex.
//! let graph = Graph::from_edges([(2, 0), (0, 1), (1, 2), (3, 4)])?;
//! let outcome = pregel_testing::all_engines(&graph, &Smallest)?;
//! assert_eq!(outcome.states, [0, 0, 0, 3, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

pub mod compare;
mod contenders;
mod engines;
mod failure;
mod graphs;
mod history;
mod laws;
mod promise;
mod samples;
mod shrink;

pub use engines::{AllEngines, all_engines};
pub use failure::{Difference, Failure};
pub use graphs::small_graphs;
pub use history::{History, Visit};
pub use laws::{BrokenLaw, laws, laws_within};
pub use shrink::described;
