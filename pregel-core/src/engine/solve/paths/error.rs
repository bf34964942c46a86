//! Why there are no distances.

use thiserror::Error;

use crate::engine::RunError;
use crate::engine::gpu::bytes;
use crate::program::VertexId;

/// Why there are no distances.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PathsError {
    /// The distances do not fit the memory.
    #[error(
        "the distances between {vertices} vertices need {needed} bytes ({}), but {available} ({}) \
         are available",
        bytes(*needed),
        bytes(*available)
    )]
    Memory {
        /// Number of vertices.
        vertices: u32,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are there.
        available: u64,
    },
    /// A path may be longer than the type can hold.
    #[error(
        "a path through {vertices} vertices over edges of up to {length} may be longer than \
         {largest:e}, the most that is allowed in {name}; scale the weights down{}",
        if *name == "i32" { ", or use f32" } else { "" }
    )]
    Overflow {
        /// Number of vertices.
        vertices: u32,
        /// The largest length of an edge, without its sign.
        length: f64,
        /// The longest path that is allowed.
        largest: f64,
        /// The type.
        name: &'static str,
    },
    /// A length is not a number, or infinitely negative.
    #[error("the length of an edge from vertex {vertex} is not a number")]
    NotANumber {
        /// Dense id of the vertex.
        vertex: VertexId,
    },
    /// A walk back to where it began has a negative length, so there is no shortest path.
    #[error("a negative cycle goes through vertex {vertex}: there are no shortest paths")]
    NegativeCycle {
        /// Dense id of a vertex on it.
        vertex: VertexId,
    },
    /// Only Floyd–Warshall and searches find successors.
    #[error("repeated squaring finds no successors; use Floyd-Warshall")]
    NoSuccessors,
    /// Searches need a graph with lengths that are not negative.
    #[error("a search from every vertex takes a graph, not a matrix")]
    NeedsGraph,
    /// A search does not take negative lengths.
    #[error("an edge from vertex {vertex} has a negative length, which a search does not take")]
    NegativeLength {
        /// Dense id of the vertex.
        vertex: VertexId,
    },
    /// There is no such tile.
    #[error("there are no tiles of {found}; a GPU squares in tiles of 4, 8, 16 or 32")]
    Tile {
        /// What was asked for.
        found: u32,
    },
    /// The engine failed or refused.
    #[error(transparent)]
    Run(#[from] RunError),
}
