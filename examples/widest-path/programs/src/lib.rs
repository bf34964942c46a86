//! The widest path: of all paths from a source, the one whose narrowest edge is
//! as wide as possible.
//!
//! A vertex remembers the width of the best path that it knows. An edge offers
//! the smaller of that width and its own; of several offers the
//! largest counts, and an improvement is passed on. It is Bellman–Ford with
//! `(max, min)` instead of `(min, +)` (Pollack, *The Maximum Capacity
//! Through a Network*, Operations Research 8, 1960). Work O(V · E) at worst.
//!
//! The same code is compiled for the CPU and, to PTX, for the GPU: `no_std`,
//! plain data, no `unsafe`.
#![no_std]
#![forbid(unsafe_code)]

use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Max, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// The width of a vertex that no path leads to; every edge is wider.
pub const UNREACHED: f32 = 0.0;

/// Widths of the widest paths from one source.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Widest {
    /// Where the paths begin; its own width is `f32::INFINITY`.
    pub source: VertexId,
}

impl Program for Widest {
    type Input = (); // what the caller tells each vertex: nothing
    type State = f32; // the best width so far
    type Signal = f32; // the part of the state that edges read
    type Edge = f32; // the width of an edge
    type Combiner = Max<f32>; // of several offers, the widest counts
    type Aggregate = Nothing; // no sum over all vertices
    const MONOTONE: bool = true; // a late or repeated offer does no harm
}

impl EdgeCompute for Widest {
    fn edge_compute(&self, width: &f32, edge: Edge<f32>) -> Option<f32> {
        Some(width.min(edge.value))
    }
}

impl VertexCompute for Widest {
    fn init(&self, context: &mut Context<'_, Self>) -> (f32, Vote) {
        if context.vertex() == self.source {
            (f32::INFINITY, Vote::Scatter)
        } else {
            (UNREACHED, Vote::Halt)
        }
    }

    fn vertex_compute(
        &self,
        width: &mut f32,
        offer: Option<f32>,
        _: &mut Context<'_, Self>,
    ) -> Vote {
        match offer {
            Some(offer) if offer > *width => {
                *width = offer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, width: &f32, _: &Context<'_, Self>) -> f32 {
        *width
    }

    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        if self.source < graph.vertex_count {
            Ok(())
        } else {
            Err("the source vertex is not in the graph")
        }
    }

    fn check_edge(width: &f32) -> Result<(), &'static str> {
        if *width > UNREACHED { Ok(()) } else { Err("an edge is not wider than 0") }
    }
}
