//! The argument block of the kernels that search by queues, as FlexBFS does.

use crate::device::Global;

/// The level of a vertex that has not been found.
pub const NOT_FOUND: u32 = u32::MAX;

/// How a vertex that is found is put in the queue of the next level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
#[non_exhaustive]
pub enum QueueKind {
    /// Each adds to the tail of one queue by itself.
    #[default]
    Global,
    /// Those that the lanes of a warp find at the same time add to the tail together.
    Warp,
    /// Each block collects them in its shared memory, and adds them to the common queue in one
    /// go. If its queue is full, vertices go to the common queue as in [`Global`](Self::Global).
    Block,
}

/// The words of [`QueueSearch::tails`], each in two turns: level after level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Tail {
    /// How many vertices have been found.
    Found = 0,
    /// How many of a level wait in the queue of hubs.
    Hubs = 2,
}

impl Tail {
    /// The distance between two words, so that each has a cache line to itself.
    const APART: u64 = 32;
    /// The size of [`QueueSearch::tails`] in words.
    pub const WORDS: u64 = 4 * Self::APART;

    /// The index of the word for this level.
    #[inline(always)]
    pub const fn word(self, level: u32) -> u64 {
        (self as u64 + level as u64 % 2) * Self::APART
    }
}

/// The argument block of `expand` and `expand_hubs`, for one level.
///
/// Every array is indexed by id, since the graph is not reordered.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct QueueSearch {
    /// The level of the vertices that are found, from 1.
    pub level: u32,
    /// How many vertices of the level before are in the queue.
    pub count: u32,
    /// Vertices with more edges than this go to the queue of hubs.
    pub hub_degree: u32,
    /// How vertices are put in the queue.
    pub kind: QueueKind,
    /// Not 0 if [`counted`](Self::counted) is kept.
    pub counts: u32,
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// The other end of each edge.
    pub targets: Global<u32>,
    /// The level of each vertex, or [`NOT_FOUND`].
    pub levels: Global<u32>,
    /// The queue of the level before: `count` vertices.
    pub from: Global<u32>,
    /// The queue that is filled, with room for every vertex.
    pub to: Global<u32>,
    /// The queue of hubs, with room for every vertex.
    pub hubs: Global<u32>,
    /// See [`Tail`].
    pub tails: Global<u32>,
    /// Two values: atomic additions to tails, and sectors of 32 bytes that warps wrote to
    /// queues, each store by itself.
    pub counted: Global<u64>,
}
