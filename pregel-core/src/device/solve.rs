//! The argument block of the kernels that find components.

use super::{COUNTS, Global};

/// `plant`, `flatten`, `join_two`, `frequent`, `join_rest`, `join_pieces`: trees
/// of vertices that are known to be connected, and the edges that join them.
///
/// Everything goes by ids: the graph lies as it was given.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Forest {
    /// Number of vertices.
    pub vertices: u32,
    /// Whether vertices in the tree of the frequent root are left out of
    /// `join_rest`: they may be if every edge is in the rows of both its ends.
    pub skip: u32,
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The other end of each edge.
    pub targets: Global<u32>,
    /// The parent of each vertex: itself for a root, else a smaller one of its
    /// component.
    pub parents: Global<u32>,
    /// Two values: the frequent root, by `frequent`; the number of pieces.
    pub found: Global<u32>,
    /// Pieces of long rows, in any order: the row, and which of its pieces.
    pub pieces: Global<[u32; 2]>,
    /// What `join_rest` looked at, in [`COUNTS`] partial sums: of vertices, then
    /// of edges.
    pub seen: Global<u64>,
}

/// Edges of every row that are joined before the frequent root is looked for.
pub const SAMPLED_EDGES: u64 = 2;

/// Edges behind those that one thread joins by itself.
pub const LIGHT_EDGES: u64 = 32;

/// Edges of a longer row that one warp joins.
pub const PIECE_EDGES: u64 = 512;

/// Partial sums in [`Forest::seen`].
pub const SEEN: u64 = 2 * COUNTS as u64;

/// Pieces of what is left of a row of so many edges: none if one thread does it.
#[inline(always)]
pub const fn pieces(degree: u64) -> u32 {
    match degree.saturating_sub(SAMPLED_EDGES) {
        ..=LIGHT_EDGES => 0,
        rest => rest.div_ceil(PIECE_EDGES) as u32,
    }
}
