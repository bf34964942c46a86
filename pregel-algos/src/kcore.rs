//! Core numbers: how deep in the graph a vertex lies.
//!
//! The k-core is the largest subgraph in which every vertex has degree k or more (Seidman,
//! *Social Networks* 5, 1983); the core number of a vertex is the largest k whose core it is
//! in. The program peels: as long as any vertex has at most k edges left, these are
//! removed, all in the same superstep, with core number k; then k becomes the smallest
//! remaining degree (Matula and Beck, *J. ACM* 30, 1983; Batagelj and Zaveršnik, 2003).
//!
//! Directions are ignored: an edge of a directed graph counts at both of its ends. Every edge
//! counts, so parallel edges and edges in both directions count as often as they occur. A
//! self-loop is one edge of an undirected graph, and counts twice in a directed one. For the
//! core numbers of the simple graph, build it undirected, merge duplicates and drop
//! self-loops.
//!
//! Supersteps: two to count edges and finish, and one per round of removals or new k. Each
//! edge carries at most two messages in each direction, so O(V + E) messages in all; as
//! vertices stay awake until they are removed, the work is O(E + V · supersteps). A run that is
//! cut short gives lower bounds. A vertex may have up to 2³² − 1 edges.
//!
//! # Example
//!
//! ```
//! use pregel_algos::kcore::{Core, KCore};
//! use pregel_core::prelude::*;
//!
//! let edges = [(0, 1), (1, 2), (2, 0), (2, 3)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build()?;
//! let outcome = Cpu::new().run(&graph, &KCore, &RunOptions::default())?;
//! let numbers: Vec<u32> = outcome.states.iter().map(|core| core.number).collect();
//! assert_eq!(numbers, [2, 2, 2, 1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, Min, Program, Sum, VertexCompute, Vote,
};

/// Core numbers.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub struct KCore;

/// What is known of a vertex's core number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Core {
    /// The core number, or a lower bound as long as the vertex remains.
    pub number: u32,
    /// Number of edges to vertices that remain; 0 once the vertex itself is removed.
    pub left: u32,
}

impl Program for KCore {
    type Input = ();
    type State = Core;
    type Signal = ();
    type Edge = ();
    type Combiner = Sum<u32>;
    /// The smallest remaining degree, or 0 if any vertex was removed: messages about that are
    /// still under way, so the number must not rise yet.
    type Aggregate = Min<u32>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for KCore {
    fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<u32> {
        Some(1)
    }
}

impl VertexCompute for KCore {
    /// The first messages count the edges: the degrees of an undirected graph count each edge
    /// twice, which a program cannot see.
    fn init(&self, context: &mut Context<'_, Self>) -> (Core, Vote) {
        let isolated = context.in_degree() == 0 && context.out_degree() == 0;
        let core = Core { number: 0, left: u32::from(!isolated) };
        (core, Vote::of(!isolated, false))
    }

    fn vertex_compute(
        &self,
        core: &mut Core,
        sum: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        if core.left == 0 {
            return Vote::Halt;
        }
        let sum = sum.unwrap_or(0);
        if context.superstep() == 1 {
            core.left = sum;
        } else {
            core.left = core.left.saturating_sub(sum);
            core.number = core.number.max(*context.aggregate());
        }
        if core.left <= core.number {
            core.left = 0;
            context.contribute(0);
            Vote::Scatter
        } else {
            context.contribute(core.left);
            Vote::Wait
        }
    }

    fn signal(&self, _: &Core, _: &Context<'_, Self>) {}

    /// A removed vertex does not count its edges any more.
    fn wants_message(&self, core: &Core) -> bool {
        core.left != 0
    }
}
