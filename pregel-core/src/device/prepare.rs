//! The argument blocks of the kernels that prepare a graph.

pub use super::superstep::BinEdges;
use super::superstep::{Chunk, Frontier, Profile};
use super::{Global, WARP};

/// How degrees are mapped to regions of about the same degree.
#[repr(u32)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mapping {
    /// Regions of equal width between the smallest and the largest degree, as
    /// in the thesis (*PregelGPU*, algorithm 4.1.1).
    Linear = 0,
    /// One region per small degree, then eight per power of two.
    #[default]
    Logarithmic = 1,
}

/// Degrees below this have a region of their own in [`Mapping::Logarithmic`].
const EXACT: u32 = 16;

/// Regions that [`Mapping::Logarithmic`] needs.
pub const LOGARITHMIC_REGIONS: u32 = EXACT + 8 * (32 - EXACT.ilog2());

impl Mapping {
    /// The region of `degree`, below `regions`, counted down from the largest degree so
    /// that hubs come first. `least` and `most` bound all degrees.
    ///
    /// ```
    /// use pregel_core::device::prepare::Mapping;
    /// assert_eq!(Mapping::Linear.region(10, 1, 10, 3), 0);
    /// assert_eq!(Mapping::Linear.region(1, 1, 10, 3), 2);
    /// ```
    #[inline(always)]
    pub const fn region(self, degree: u32, least: u32, most: u32, regions: u32) -> u32 {
        match self {
            Self::Linear => {
                let width = if most > least { (most - least) as u64 } else { 1 };
                let from_least = (degree - least) as u64 * (regions - 1) as u64 / width;
                regions - 1 - from_least as u32
            }
            Self::Logarithmic => {
                let from_least = if degree < EXACT {
                    degree
                } else {
                    let power = degree.ilog2();
                    EXACT + 8 * (power - EXACT.ilog2()) + ((degree >> (power - 3)) & 7)
                };
                LOGARITHMIC_REGIONS - 1 - from_least
            }
        }
    }
}

/// The argument block of `count`: how often each vertex is a target.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// Number of edges.
    pub edges: u64,
    /// Target of each edge.
    pub targets: Global<u32>,
    /// One counter per vertex, all 0 before.
    pub counts: Global<u32>,
}

/// The argument block of `degrees`: the length of each row.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Degrees {
    /// Number of rows.
    pub vertices: u32,
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The lengths.
    pub degrees: Global<u32>,
}

/// The argument block of `extremes`, which finds the smallest and the largest key; one
/// thread block per [`KEY_TILE`] keys.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Extremes {
    /// Number of keys.
    pub count: u32,
    /// The keys.
    pub keys: Global<u32>,
    /// Two values: `u32::MAX` and 0 before, the smallest and the largest after.
    pub extremes: Global<u32>,
}

/// The argument block of `assign_region`, step 1 of the approximate sort, and of
/// `find_region`, which finds only the region of each key, for the stable sort.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct AssignRegion {
    /// Number of keys.
    pub count: u32,
    /// Number of regions.
    pub regions: u32,
    /// How keys are mapped to regions.
    pub mapping: Mapping,
    /// The keys.
    pub keys: Global<u32>,
    /// Smallest and largest key; none for [`Mapping::Logarithmic`].
    pub extremes: Global<u32>,
    /// The region of each key.
    pub region_index: Global<u32>,
    /// The rank of each key within its region, in the order of the atomic additions; none
    /// for `find_region`.
    pub offset: Global<u32>,
    /// The number of keys in each region, 0 before; none for `find_region`.
    pub region_count: Global<u32>,
    /// 1 if each key takes its rank by an atomic addition of its own, as the thesis has it;
    /// 0 if those of a warp that share a region take theirs by one.
    pub singly: u32,
}

/// The argument block of `order`, step 3 of the approximate sort.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Number of vertices.
    pub count: u32,
    /// Where each region begins.
    pub region_start: Global<u64>,
    /// The region of each vertex.
    pub region_index: Global<u32>,
    /// Its rank in the region.
    pub offset: Global<u32>,
    /// The place of each vertex (`oldToNew`).
    pub place_of: Global<u32>,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
}

/// The argument block of `digit_counts` and `digit_places`, one pass of the stable sort by
/// one digit of the keys, and of `region_counts` and `region_places`, which sort by the
/// logarithmic region of the keys; one thread block per [`KEY_TILE`] keys.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Digits {
    /// Number of keys.
    pub count: u32,
    /// Bits of the keys below the digit; 0 for regions.
    pub shift: u32,
    /// Bits of the keys that are flipped first: all for descending order, none for
    /// regions.
    pub flip: u32,
    /// The keys.
    pub keys: Global<u32>,
    /// The vertex of each key; none if vertex `i` has key `i`.
    pub vertices: Global<u32>,
    /// How many keys of each block have each digit: [`DIGITS`] times the number of blocks,
    /// digit by digit, so that their prefix sums are places.
    pub counts: Global<u32>,
    /// The place of the first key with each digit in each block.
    pub starts: Global<u64>,
    /// The key at each place; none in the last pass.
    pub new_keys: Global<u32>,
    /// The vertex at each place.
    pub new_vertices: Global<u32>,
    /// The place of each vertex; none except in the last pass.
    pub place_of: Global<u32>,
}

/// Values of a digit.
pub const DIGITS: u32 = 256;

/// Bits of a digit.
pub const DIGIT_BITS: u32 = DIGITS.ilog2();

/// Keys that one block handles.
pub const KEY_TILE: u32 = 4096;

/// The argument block of `identity`: every vertex at the place of its id.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Identity {
    /// Number of vertices.
    pub count: u32,
    /// The place of each vertex.
    pub place_of: Global<u32>,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
}

/// The argument block of `permute`: `to[place_of[v]] = from[v]`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Permute {
    /// Number of values.
    pub count: u32,
    /// Where each value goes.
    pub place_of: Global<u32>,
    /// The values.
    pub from: Global<u32>,
    /// The values in their new order.
    pub to: Global<u32>,
}

/// The argument block of `restore`: `to[v] = from[place_of[v]]`, for values of any size.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Restore {
    /// Number of values.
    pub count: u32,
    /// Bytes of each.
    pub width: u32,
    /// Where each value lies.
    pub place_of: Global<u32>,
    /// The values.
    pub from: Global<u8>,
    /// The values by id.
    pub to: Global<u8>,
}

/// The argument block of `scan_sums`, `scan_tops` and `scan_places`: exclusive prefix sums.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Scan {
    /// Number of values.
    pub count: u64,
    /// What each value is multiplied by first.
    pub factor: u64,
    /// The values.
    pub values: Global<u32>,
    /// The sum of the values before each, and the sum of all: `count + 1` values.
    pub sums: Global<u64>,
    /// First the sum of each tile of [`SCAN_TILE`] values, then of all tiles before it.
    pub tiles: Global<u64>,
}

/// Values that one block scans.
pub const SCAN_TILE: u64 = 1024;

/// The argument block of `group_rows`, step 1 of the remap: the number of layers of each
/// group.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct GroupRows {
    /// Number of vertices.
    pub vertices: u32,
    /// See [`columns`](super::superstep::columns).
    pub shift: u32,
    /// Number of senders of each vertex.
    pub degrees: Global<u32>,
    /// The largest degree in each group, which is its number of layers.
    pub rows: Global<u32>,
    /// What each group is like.
    pub profiles: Global<Profile>,
}

/// The argument block of `place_edges` and `place_rows`, step 3 of the remap: the slot of
/// each edge.
///
/// `place_edges` takes edges in rows by sender, and labels the messages of each receiver
/// in the order in which threads reach them. `place_rows` takes edges in rows by receiver,
/// where the rank of an edge in its row is the label of its message.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlaceEdges {
    /// Number of rows.
    pub vertices: u32,
    /// See [`columns`](super::superstep::columns).
    pub shift: u32,
    /// Number of edges.
    pub edges: u64,
    /// First edge of each row, and the end of the last; by id.
    pub offsets: Global<u64>,
    /// The other end of each edge, an id.
    pub others: Global<u32>,
    /// The place of each vertex.
    pub place_of: Global<u32>,
    /// First slot of each group.
    pub bases: Global<u64>,
    /// Messages labelled so far, by the receiver's place; 0 before.
    pub labels: Global<u32>,
    /// Place of each edge's sender, by edge; may be none.
    pub sources: Global<u32>,
    /// Slot of each edge, by edge; may be none.
    pub positions: Global<u32>,
    /// Place of each edge's sender, by slot; may be none.
    pub senders: Global<u32>,
    /// Bytes of an edge value.
    pub width: u32,
    /// Value of each edge, by edge; none if there are none.
    pub values: Global<u8>,
    /// Value of each edge, by slot; may be none.
    pub values_by_slot: Global<u8>,
    /// Place of each slot's receiver, by slot; may be none.
    pub receivers: Global<u32>,
}

/// The argument block of `place_columns`, which turns rows by receiver into columns of
/// senders.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlaceColumns {
    /// Number of vertices.
    pub vertices: u32,
    /// First edge of each row, and the end of the last; by id.
    pub offsets: Global<u64>,
    /// The sender of each edge, an id.
    pub others: Global<u32>,
    /// The place of each vertex.
    pub place_of: Global<u32>,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
    /// Number of senders of each vertex, by place.
    pub degrees: Global<u32>,
    /// First slot of each group; groups are of 32.
    pub bases: Global<u64>,
    /// The chunks of heavy groups.
    pub chunks: Global<Chunk>,
    /// How many chunks there are.
    pub chunk_count: u32,
    /// How many groups, the first ones, are heavy.
    pub heavy: u32,
    /// Whether the sender at the first place, so that of the highest degree, comes first in
    /// each column, or each chunk of one, if this is not 0.
    pub best_first: u32,
    /// Place of each edge's sender, by slot.
    pub senders: Global<u32>,
    /// Bytes of an edge value.
    pub width: u32,
    /// Value of each edge; none if there are none.
    pub values: Global<u8>,
    /// Value of each edge, by slot; none if there are none.
    pub values_by_slot: Global<u8>,
}

/// Edges that a warp of `move_rows` moves, 32 at a time. There are fewer steps than lanes,
/// so that each lane can hold the row in which one step begins.
pub const ROW_TILE: u32 = 28 * WARP;

/// The argument block of `move_rows`, which puts rows in the order of places.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct MoveRows {
    /// Number of rows.
    pub vertices: u32,
    /// Number of edges.
    pub edges: u64,
    /// Bytes of an edge value.
    pub width: u32,
    /// First edge of each row by id.
    pub offsets: Global<u64>,
    /// The other end of each edge, an id.
    pub others: Global<u32>,
    /// Value of each edge; none if there are none.
    pub values: Global<u8>,
    /// The place of each vertex.
    pub place_of: Global<u32>,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
    /// First edge of each row by place.
    pub new_offsets: Global<u64>,
    /// The other end of each edge, a place.
    pub new_others: Global<u32>,
    /// The values in the new order.
    pub new_values: Global<u8>,
}

/// The argument block of `frontier`, which lists the pieces of the rows of all vertices
/// that scatter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct FindFrontier {
    /// The first places, of which the vertices are looked at.
    pub vertices: u32,
    /// The vote of each vertex.
    pub votes: Global<u8>,
    /// First edge of each row.
    pub offsets: Global<u64>,
    /// The list; its count must be 0 before.
    pub frontier: Frontier,
}

/// The argument block of `vote`, which makes the vertices of a frontier vote to scatter.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TakeFrontier {
    /// The list.
    pub frontier: Frontier,
    /// The vote of each vertex, to which scattering is added.
    pub votes: Global<u8>,
}

/// The argument block of `pack_votes`, which keeps of each vote whether its vertex scatters.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PackVotes {
    /// Number of vertices.
    pub vertices: u32,
    /// The vote of each vertex.
    pub votes: Global<u8>,
    /// One bit for each, lowest first in each byte.
    pub bits: Global<u8>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_regions_fall_with_the_degree() {
        let region = |degree| Mapping::Logarithmic.region(degree, 0, u32::MAX, 0);
        assert_eq!(region(0), LOGARITHMIC_REGIONS - 1);
        for degree in 1..5000 {
            let (before, now) = (region(degree - 1), region(degree));
            assert!(now <= before && before - now <= 1, "{degree}: {before}, {now}");
        }
        for power in 13..32 {
            assert_eq!(region((1 << power) - 1), region(1 << power) + 1);
        }
        assert_eq!(region(u32::MAX), 0);
    }

    #[test]
    fn linear_regions_are_the_thesis_own_reversed() {
        // Figure 4.1: 1 to 10 in three regions.
        let region = |degree| 2 - Mapping::Linear.region(degree, 1, 10, 3);
        assert_eq!([1, 2, 3, 6, 8, 10].map(region), [0, 0, 0, 1, 1, 2]);
        assert_eq!(Mapping::Linear.region(5, 5, 5, 8), 7);
    }
}
