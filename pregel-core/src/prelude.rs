//! What most programs need, in one line: `use pregel_core::prelude::*;`.
//!
//! The contract of vertex programs, the stock combiners, graphs, and the
//! engines for a CPU. File formats (`pregel_core::io`) and the GPU engine
//! (`pregel_core::engine::gpu`) are imported by name where they are needed.
//! Without the feature `std` only the contract and the combiners are here.
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_core::prelude::*;
//!
//! /// The smallest id that reaches a vertex, its own included.
//! #[derive(Clone, Copy)]
//! struct Smallest;
//!
//! impl Program for Smallest {
//!     type Input = ();
//!     type State = VertexId;
//!     type Signal = VertexId;
//!     type Edge = ();
//!     type Combiner = Min<VertexId>;
//!     type Aggregate = Nothing;
//! }
//!
//! impl EdgeCompute for Smallest {
//!     fn edge_compute(&self, id: &VertexId, _: Edge<()>) -> Option<VertexId> {
//!         Some(*id)
//!     }
//! }
//!
//! impl VertexCompute for Smallest {
//!     fn init(&self, context: &mut Context<Self>) -> (VertexId, Vote) {
//!         (context.vertex(), Vote::Scatter)
//!     }
//!     fn vertex_compute(
//!         &self,
//!         smallest: &mut VertexId,
//!         offer: Option<VertexId>,
//!         _: &mut Context<Self>,
//!     ) -> Vote {
//!         let Some(smaller) = offer.filter(|offer| offer < smallest) else { return Vote::Halt };
//!         *smallest = smaller;
//!         Vote::Scatter
//!     }
//!     fn signal(&self, smallest: &VertexId, _: &Context<Self>) -> VertexId {
//!         *smallest
//!     }
//! }
//!
//! let graph = Graph::from_edges([(2, 0), (0, 1), (1, 2), (3, 4)])?;
//! let outcome = Cpu::new().run(&graph, &Smallest, &RunOptions::default())?;
//! assert_eq!(outcome.states, [0, 0, 0, 3, 3]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(feature = "std")]
pub use crate::engine::{
    Cpu, Engine, Outcome, Reference, Report, RunError, RunOptions, Session, StopReason, Strategy,
};
#[cfg(feature = "std")]
pub use crate::graph::generate::Spec;
#[cfg(feature = "std")]
pub use crate::graph::{Graph, GraphBuilder, Ids};
pub use crate::program::{
    Any, Array, Context, Direction, Edge, EdgeCompute, GraphFacts, Law, List, Mail, Max, Min,
    Monoid, Nothing, Or, Pod, Program, Sorted, Sum, Value, VertexCompute, VertexId, Vote, Zeroable,
};
