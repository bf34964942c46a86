//! Strongly connected components: vertices that reach each other along directed edges.
//!
//! Three kinds of programs run in turn, while the states stay in the engine:
//!
//! 1. [`Trim`] takes away vertices that no other vertex leads to, or that lead to none, until
//!    all have both. Each is a component by itself (McLendon, Hendrickson, Plimpton and
//!    Rauchwerger, *Finding Strongly Connected Components in Distributed Graphs*, JPDC 65, 2005).
//! 2. [`Colour`] gives every vertex a number, and spreads the largest number along the edges.
//!    A component gets a single colour, that of the vertex with the largest number which
//!    reaches it.
//! 3. [`Collect`] goes back along the edges from the vertices whose own number is their colour,
//!    over vertices of that colour. What it meets is the component of that vertex (Orzan, *On
//!    Distributed Verification and Verified Distribution*, 2004).
//!
//! The first round colours from one vertex alone, the one with the largest product of in-degree
//! and out-degree, which is likely to lie in the largest component. This is the forward and
//! backward search of Fleischer, Hendrickson and Pinar (*On Identifying Strongly Connected
//! Components in Parallel*, 2000), and the choice is that of Multistep (Slota, Rajamanickam and
//! Madduri, *BFS and Coloring-based Parallel Algorithms for Strongly Connected Components and
//! Related Problems*, IPDPS 2014). Later rounds colour from all remaining vertices. Their
//! numbers are drawn anew each round: with the ids as numbers, a chain of components in
//! descending order would lose only one per round.
//!
//! An undirected graph is one in which every edge leads both ways, so its components are found.
//! Parallel edges and self-loops change nothing.
//!
//! Work and supersteps: each round takes O(V + E) messages to trim and to collect. To colour, it
//! takes O(V + E) in the first round and up to O(V · E) later. Every round after the first finds
//! at least one component. Supersteps follow the longest path of each phase.
//!
//! # Example
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_algos::scc::strong_components;
//! use pregel_core::prelude::*;
//!
//! // Two cycles, and an edge from one to the other.
//! let graph = Graph::from_edges([(0, 1), (1, 0), (1, 2), (2, 3), (3, 2)])?;
//! let found = strong_components(&Cpu::new(), &graph, &RunOptions::default())?;
//! assert_eq!(found.labels, [0, 0, 2, 2]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod colour;
mod numbers;
#[cfg(feature = "std")]
mod phases;
mod trim;

use bytemuck::{Pod, Zeroable};
use pregel_core::program::VertexId;

pub use colour::{Collect, Colour};
#[cfg(feature = "std")]
pub use phases::{Phase, PhaseReport, StrongComponents, strong_components};
pub use trim::Trim;

/// The root of a vertex whose component is not known yet. No vertex has this id.
pub const OPEN: VertexId = VertexId::MAX;

/// What is known of a vertex's component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Member {
    /// A vertex of the component, the same for all of its vertices; [`OPEN`] if it is not known
    /// yet.
    pub root: VertexId,
    /// What the phase needs. [`Trim`]: number of edges that count; on input, number of
    /// self-loops. [`Colour`] and [`Collect`]: the largest number that has reached the vertex, 0
    /// if none has.
    pub mark: u32,
}

impl Member {
    /// A vertex whose component is not known yet.
    pub const fn open(mark: u32) -> Self {
        Self { root: OPEN, mark }
    }

    /// Whether the component is not known yet.
    #[inline(always)]
    pub fn is_open(&self) -> bool {
        self.root == OPEN
    }
}
