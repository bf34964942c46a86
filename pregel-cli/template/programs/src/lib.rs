//! Number of edges from a source: a vertex program to begin with.
//!
//! The same code is compiled for CPUs and for GPUs. So it is `no_std`, and its data are plain
//! numbers, or structs of them that derive `Pod`.
#![no_std]
#![forbid(unsafe_code)]

use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Min, Nothing, Program, VertexCompute, VertexId, Vote,
};

/// The state of a vertex that no path leads to.
pub const UNREACHED: u32 = u32::MAX;

/// Number of edges on the shortest path from one vertex. The fields are the parameters.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Hops {
    /// Where the paths begin.
    pub source: VertexId,
    /// Vertices that are further away count as unreached.
    pub most: u32,
}

impl Program for Hops {
    /// What the caller tells each vertex: nothing.
    type Input = ();
    /// What a vertex remembers: the number of hops.
    type State = u32;
    /// What its edges read of that: all of it.
    type Signal = u32;
    /// The value of an edge: none. With `f32`, it is the weight.
    type Edge = ();
    /// Of several messages, the smallest counts.
    type Combiner = Min<u32>;
    /// No sum over all vertices.
    type Aggregate = Nothing;
    /// A promise: messages that are late, or come twice, do no harm. Then engines may take
    /// short cuts. The test would find out if it were not true.
    const MONOTONE: bool = true;
}

impl EdgeCompute for Hops {
    /// The message along an edge, from the signal of the vertex that sends it.
    fn edge_compute(&self, hops: &u32, _: Edge<()>) -> Option<u32> {
        (*hops < self.most).then_some(hops + 1)
    }
}

impl VertexCompute for Hops {
    /// Superstep 0: the first state of a vertex, and whether it sends.
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.vertex() == self.source {
            (0, Vote::Scatter)
        } else {
            (UNREACHED, Vote::Halt)
        }
    }

    /// What a vertex does with its messages. It sends again only if it has something new.
    fn vertex_compute(&self, hops: &mut u32, came: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
        match came {
            Some(fewer) if fewer < *hops => {
                *hops = fewer;
                Vote::Scatter
            }
            _ => Vote::Halt,
        }
    }

    fn signal(&self, hops: &u32, _: &Context<'_, Self>) -> u32 {
        *hops
    }

    /// Refuses parameters that make no sense, before any work.
    fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
        if self.source < graph.vertex_count {
            Ok(())
        } else {
            Err("the source is not in the graph")
        }
    }
}
