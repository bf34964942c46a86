//! Searches from many sources at once: programs of their own, whose vertices keep a value for
//! each source.
//!
//! Sources are searched from in packs, as many as a program takes: 64 in [`bfs`], 16 in
//! [`sssp`]. `Searches` runs a pack, or its searches one after another where that is faster:
//!
//! * if there are few sources in it;
//! * in deep graphs, such as those of roads. Searches share work only where they are at the same
//!   vertex in the same superstep. The deeper the graph, the less often that happens, so that
//!   after [`DEPTH`] supersteps a pack is given up;
//! * where a pack has sent more messages than its searches are worth ([`Many::WORTH`]): the packs
//!   that follow would, too.
//!
//! # Example
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_algos::many::{Many, Searches, bfs::BfsFromMany};
//! use pregel_core::prelude::*;
//!
//! // A cycle.
//! let graph = Graph::from_edges((0..100).map(|v| (v, (v + 1) % 100)))?;
//! let every_vertex: Vec<VertexId> = (0..graph.vertex_count()).collect();
//! let engine = Cpu::new();
//! let options = RunOptions::default();
//! let mut searches = Searches::<_, BfsFromMany>::prepare(&engine, &graph, &options, 64)?;
//! for pack in every_vertex.chunks(BfsFromMany::MOST) {
//!     let found = searches.run(pack)?;
//!     for (&source, levels) in pack.iter().zip(&found.columns) {
//!         assert_eq!(levels[source as usize], 0);
//!         assert_eq!(levels[(source as usize + 99) % 100], 99);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod bfs;
#[cfg(feature = "std")]
mod searches;
pub mod sssp;

use pregel_core::program::{Value, VertexCompute, VertexId};

#[cfg(feature = "std")]
pub use searches::{Found, Searches, TOGETHER, starts};

/// The most supersteps of a pack: what seven binary digits count to. Waves of searches that
/// are not over by then have hardly met.
pub const DEPTH: u32 = 127;

/// A program that searches from several sources at once.
pub trait Many: VertexCompute<Input = u64> {
    /// The program that searches from one of them, and finds the same.
    type One: VertexCompute<Input = (), State = Self::Value, Edge = Self::Edge>;
    /// What is found of a vertex, for each source.
    type Value: Value;
    /// The most sources, at most 64.
    const MOST: usize;
    /// How many messages along each edge take as long as [`MOST`](Many::MOST) searches one after
    /// another, for a full pack.
    const WORTH: f64;
    /// The program for this number of sources.
    fn new(sources: usize) -> Self;
    /// The program for this source alone.
    fn one(source: VertexId) -> Self::One;
    /// What a state says of source number `i`.
    fn value(state: &Self::State, i: usize) -> Self::Value;
}
