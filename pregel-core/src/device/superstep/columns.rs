//! Where a vertex's messages lie: column-major in groups, SELL-C-σ.
//!
//! The vertices, in the order of their places, form groups of `1 << shift`. A group has as
//! many layers as its busiest vertex has senders. Layer `k` holds the `k`-th message of
//! every vertex of the group, side by side, so that the lanes of a warp read neighbouring
//! slots. This is the remapped message buffer of the thesis (*PregelGPU*, §4.2). Filled
//! with the ids of senders instead of messages, it is the format SELL-C-σ of Kreutzer and
//! others (SIAM J. Sci. Comput. 2014). Groups of one vertex (`shift` 0) are plain rows.
//!
//! With groups of two vertices, and vertices of 3, 1 and 2 senders (a, b, c; d; e, f):
//!
//! ```text
//! group 0          group 1
//! a d | b . | c .  e . | f .     bases: 0, 6, 10
//! ```

use crate::device::Global;
use crate::program::{Message, Program};

/// Where the messages of each vertex, or their senders, lie.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Columns {
    /// Groups are of `1 << shift` vertices.
    pub shift: u32,
    /// Number of senders of each vertex.
    pub degrees: Global<u32>,
    /// First slot of each group, and the end of the last.
    pub bases: Global<u64>,
    /// What each group is like; none where columns are rows.
    pub profiles: Global<Profile>,
}

/// How many layers a group has, and whether all its vertices fill them.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Profile(u8);

impl Profile {
    /// That of no group.
    pub const NONE: Self = Self(0);

    /// Higher groups are not told apart.
    const HIGHEST: u32 = 0x7f;

    /// That of a group whose vertices have between `fewest` and `most` senders.
    #[inline(always)]
    pub fn new(fewest: u32, most: u32) -> Self {
        let is_even = fewest == most && most < Self::HIGHEST;
        Self((most.min(Self::HIGHEST) as u8) << 1 | u8::from(is_even))
    }

    /// How many senders each of its vertices has, if all have as many and those are few.
    #[inline(always)]
    pub fn degree(self) -> Option<u32> {
        (self.0 & 1 != 0).then_some(self.layers())
    }

    /// How many layers it has, or that there are at least 127.
    #[inline(always)]
    pub fn layers(self) -> u32 {
        (self.0 >> 1).into()
    }
}

/// Heavy groups, of more than [`CHUNK_LAYERS`](crate::device::CHUNK_LAYERS) layers, cut
/// into chunks of that many layers. A warp combines a chunk, one lane per column; then one warp or
/// several join the partial results of a group.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Chunks<P: Program> {
    /// The chunks, group after group.
    pub list: Global<Chunk>,
    /// How many chunks there are.
    pub count: u32,
    /// How many groups, the first ones, are heavy. The others are done by one lane per
    /// vertex.
    pub heavy: u32,
    /// How many groups, including the heavy ones, have more than
    /// [`SHORT_LAYERS`](crate::device::SHORT_LAYERS) layers, or lie before one that has.
    pub long: u32,
    /// How many of the other groups make one item; at least 1.
    pub batch: u32,
    /// How many aggregates heavy groups add up to: one for each block that joins partial results and, if
    /// `in_order`, one for each group of several parts.
    pub aggregates: u32,
    /// Not 0 if aggregates are added up in an order that does not depend on which warp is last to join a
    /// part of a group.
    pub in_order: u32,
    /// How many parts there are.
    pub parts: u32,
    /// What one warp joins: first the parts of groups that have several, then whole groups.
    pub joined: Global<JoinPart>,
    /// How many parts of a group are joined, by the number of its first part; 0 between launches. There
    /// is one for every part of a group that has several.
    pub arrived: Global<u32>,
    /// Partial results: 32 per chunk, and behind them 32 for every part of a group that has several.
    pub messages: Global<Message<P>>,
    /// 1 where there is a partial result, as many.
    pub present: Global<u8>,
}

/// Consecutive chunks of a heavy group, whose partial results one warp joins.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct JoinPart {
    /// The group.
    pub group: u32,
    /// The first of the chunks.
    pub first: u32,
    /// The chunk after the last.
    pub end: u32,
    /// The number of the group's first part.
    pub head: u32,
    /// How many parts the group has.
    pub of: u32,
    /// How many groups with several parts there are before it.
    pub rank: u32,
}

/// Consecutive layers of a heavy group.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Chunk {
    /// The group.
    pub group: u32,
    /// Its first layer in this chunk.
    pub layer: u32,
}

/// The group of the vertex at `place`.
#[inline(always)]
pub const fn group(place: u32, shift: u32) -> u32 {
    place >> shift
}

/// How many groups `vertices` vertices form.
#[inline(always)]
pub const fn groups(vertices: u32, shift: u32) -> u32 {
    ((vertices as u64 + (1 << shift) - 1) >> shift) as u32
}

/// The vertex's column within its group.
#[inline(always)]
pub const fn column(place: u32, shift: u32) -> u32 {
    place & ((1 << shift) - 1)
}

/// The slot in layer `layer` of the vertex at `place`, in a group that begins at slot
/// `base`.
#[inline(always)]
pub const fn slot(base: u64, place: u32, layer: u64, shift: u32) -> u64 {
    base + column(place, shift) as u64 + (layer << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_right() {
        let bases = [0, 6, 10];
        let at = |place, layer| slot(bases[group(place, 1) as usize], place, layer, 1);
        assert_eq!([at(0, 0), at(1, 0), at(0, 1), at(0, 2)], [0, 1, 2, 4]);
        assert_eq!([at(2, 0), at(2, 1)], [6, 8]);
        assert_eq!([groups(0, 1), groups(3, 1), groups(u32::MAX, 0)], [0, 2, u32::MAX]);
    }

    #[test]
    fn profiles_tell_the_degree_only_where_it_is_known() {
        for (fewest, most, degree, layers) in [
            (0, 0, Some(0), 0),
            (4, 4, Some(4), 4),
            (3, 4, None, 4),
            (126, 126, Some(126), 126),
            (127, 127, None, 127),
            (1000, 1000, None, 127),
        ] {
            let profile = Profile::new(fewest, most);
            assert_eq!((profile.degree(), profile.layers()), (degree, layers));
        }
        assert_eq!(Profile::NONE.degree(), None);
        assert_eq!(Profile::NONE.layers(), 0);
    }

    #[test]
    fn groups_of_one_are_rows() {
        assert_eq!([group(7, 0), column(7, 0)], [7, 0]);
        assert_eq!([slot(100, 7, 0, 0), slot(100, 7, 5, 0)], [100, 105]);
    }
}
