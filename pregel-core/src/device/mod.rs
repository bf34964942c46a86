//! What the engine on the host and the kernels on a device agree on. `no_std`.
//!
//! A kernel takes one argument block by value: from [`superstep`] if it runs a vertex
//! program, from [`prepare`] if it prepares a graph, from [`solve`] if it solves a problem
//! without a program. The blocks hold addresses in device memory ([`Global`]) and sizes.
//! Index arithmetic that both sides do is in [`superstep::columns`], and [`kernels`] lists
//! the kernels.
//!
//! # Names
//!
//! A vertex has an *id*, the dense id that programs see, and a *place*, its position in
//! the order in which the device keeps vertices. The two differ when vertices are sorted
//! by degree. Every array of this module is indexed by place unless it says otherwise.
//!
//! The *senders* of a vertex are the vertices from which messages can reach it, given the
//! program's [`Direction`](crate::program::Direction). A vertex gets at most one message
//! from each.

mod contract;
pub mod kernels;
pub mod prepare;
pub mod shared;
pub mod solve;
pub mod superstep;
mod waiting;

pub use contract::{contract, tools_contract};
pub use shared::{COUNTERS, LARGEST_AGGREGATE, SHARED};
pub use superstep::{
    Aggregated, ApartLayers, BEGUN, BIN_LAYERS, Batched, BinArguments, BinEdges, BinItems, Bins,
    Chunk, Chunks, Columns, Control, Counts, EXCHANGE_WARPS, ExchangedCell, Frontier, HotArguments,
    ITEM_MESSAGES, ItemLayers, JoinPart, LaneLayers, MOST_APART, MOST_BINNED, MOST_RANGES,
    MOST_SHARES, Mailbox, MailboxArguments, MedusaArguments, Piece, Profile, PullArguments,
    PushArguments, RESIDENT_SUPERSTEPS, REST_LAYERS, ResidentArguments, Row, Rows, Run,
    SHARE_PLACES, Segments, Senders, Shares, Slots, Step, Turns, Vertices, Worklist, any_will_do,
    columns, goes_by_bins, granule, granule_shift, holds_messages, in_words, limit, needs_lock,
    rank, stays_resident, updates_in_place,
};
pub use waiting::waiting;

use core::fmt;
use core::marker::PhantomData;

/// Threads per block, in kernels that do not say otherwise.
pub const BLOCK: u32 = 256;

/// Lanes of a warp.
pub const WARP: u32 = 32;

/// Partial sums of the counts of a superstep. The warps are spread over them, so that they
/// do not all contend for one address.
pub const COUNTS: u32 = 64;

/// The most supersteps that are queued before the host knows how they end; see
/// [`Batched`].
pub const BATCH_SUPERSTEPS: u32 = 16;

/// Layers in a chunk: the messages of one vertex that one lane combines before partial
/// results are combined; see [`Chunks`].
pub const CHUNK_LAYERS: u32 = 64;

/// The most layers of a group that is short: a warp of `pull` takes several such groups at
/// a time.
pub const SHORT_LAYERS: u32 = 16;

/// The most chunks of a heavy group whose partial results one warp joins. Of a group with more, several
/// warps join a part each, and the last of them the results.
pub const JOIN_CHUNKS: u32 = 16;

/// Vertices per thread where most have nothing to do, so that one is not worth a thread:
/// as many as have their votes in one word.
pub const VERTICES_PER_THREAD: u32 = 4;

/// The longest list of messages that the vertex's thread sorts by itself; a block sorts
/// longer ones.
pub const LONG_LIST: u32 = 64;

/// The most blocks that join partial results: about as many as a large device runs at a time.
pub const JOIN_BLOCKS: u32 = 512;

/// The most edges of a piece, which one warp or a part of one pushes; see [`Frontier`].
pub const PUSH_EDGES: u32 = 256;

/// Messages in a tile of a segmented combine, which one warp handles; see [`Segments`].
pub const SEGMENT_TILE: u64 = 1024;

/// An array in device memory: a typed address. Address 0 stands for no array.
#[repr(transparent)]
pub struct Global<T> {
    address: u64,
    of: PhantomData<fn() -> T>,
}

impl<T> Global<T> {
    /// No array.
    pub const NONE: Self = Self::at(0);

    /// The array at this address.
    pub const fn at(address: u64) -> Self {
        Self { address, of: PhantomData }
    }

    /// Address of the first element.
    #[inline(always)]
    pub const fn address(self) -> u64 {
        self.address
    }

    /// Address of element `i`.
    #[inline(always)]
    pub const fn element(self, i: u64) -> u64 {
        self.address + i * size_of::<T>() as u64
    }

    /// Whether there is no array.
    #[inline(always)]
    pub const fn is_none(self) -> bool {
        self.address == 0
    }
}

impl<T> Clone for Global<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Global<T> {}

impl<T> Default for Global<T> {
    fn default() -> Self {
        Self::NONE
    }
}

impl<T> fmt::Debug for Global<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.address)
    }
}
