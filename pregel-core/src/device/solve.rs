//! The argument blocks of the kernels of solvers.

mod length;
mod paths;
mod queues;
mod triangles;

pub use length::{NO_EDGE, plus_clamped};
pub use paths::{Blocks, PANEL, PATH_TILE, STAGED, Square, left_offset, right_offset};
pub use queues::{NOT_FOUND, QueueKind, QueueSearch, Tail};
pub use triangles::{Corners, SEEN_CORNERS, UNIT, credit_bytes, credits_offset, window};

use super::{COUNTS, Global};

/// The argument block of `plant`, `flatten`, `join_two`, `frequent`, `join_rest` and
/// `join_pieces`: trees of vertices that are known to be connected, and the edges that
/// join them.
///
/// Every array is indexed by id, since the graph is not reordered.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Forest {
    /// Number of vertices.
    pub vertices: u32,
    /// Not 0 if `join_rest` may skip vertices in the tree of the frequent root. That is
    /// correct if every edge is in the rows of both its ends.
    pub skip: u32,
    /// `join_two` takes every vertex whose id is a multiple of this.
    pub stride: u64,
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The other end of each edge.
    pub targets: Global<u32>,
    /// The first two neighbours of each vertex, itself in place of missing ones; written by
    /// `plant`.
    pub sampled: Global<[u32; 2]>,
    /// The parent of each vertex: itself for a root, otherwise a vertex of its component
    /// with a smaller id.
    pub parents: Global<u32>,
    /// Two values: the frequent root, written by `frequent`, and the number of pieces.
    pub found: Global<u32>,
    /// Pieces of long rows, in any order: the row, and the number of the piece in it.
    pub pieces: Global<[u32; 2]>,
    /// How many vertices, then how many edges `join_rest` visited, each in [`COUNTS`]
    /// partial sums.
    pub seen: Global<u64>,
}

/// Edges of each row that are joined before the frequent root is searched for.
pub const SAMPLED_EDGES: u64 = 2;

/// The most further edges of a row that one thread joins by itself.
pub const LIGHT_EDGES: u64 = 32;

/// The most edges in a piece of a longer row, which one warp joins.
pub const PIECE_EDGES: u64 = 512;

/// Number of partial sums in [`Forest::seen`].
pub const SEEN: u64 = 2 * COUNTS as u64;

/// The number of pieces of a row with this many edges, without the sampled ones; 0 if one
/// thread joins the rest.
#[inline(always)]
pub const fn pieces(degree: u64) -> u32 {
    match degree.saturating_sub(SAMPLED_EDGES) {
        ..=LIGHT_EDGES => 0,
        rest => rest.div_ceil(PIECE_EDGES) as u32,
    }
}
