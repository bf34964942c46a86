//! The widest path: of all ways from a source, the one whose narrowest edge is
//! as wide as can be.
//!
//! A vertex remembers the width of the best way that it knows. Along an edge
//! travels the smaller of that width and the edge's; of several offers the
//! largest counts, and an improvement is passed on. It is Bellman–Ford with
//! `(max, min)` in the place of `(min, +)` (Pollack, *The Maximum Capacity
//! Through a Network*, Operations Research 8, 1960). Work O(V · E) at worst.
//!
//! The same code is compiled for the CPU and, to PTX, for the GPU: `no_std`,
//! plain data, no `unsafe`.
#![no_std]
#![forbid(unsafe_code)]

use pregel_core::program::{
    Context, Edge, EdgeCompute, Max, Nothing, Program, VertexCompute, VertexId, Vote,
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
    type Input = (); // what the caller knows of a vertex: nothing
    type State = f32; // the best width so far
    type Signal = f32; // what its edges read of that
    type Edge = f32; // an edge has a width
    type Combiner = Max<f32>; // of several offers the widest counts
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
        match context.vertex() == self.source {
            true => (f32::INFINITY, Vote::Scatter),
            false => (UNREACHED, Vote::Halt),
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

    fn check(&self, vertex_count: u32) -> Result<(), &'static str> {
        match self.source < vertex_count {
            true => Ok(()),
            false => Err("the source vertex is not in the graph"),
        }
    }

    fn check_edge(width: &f32) -> Result<(), &'static str> {
        match *width > UNREACHED {
            true => Ok(()),
            false => Err("an edge is not wider than 0"),
        }
    }
}
