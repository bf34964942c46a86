//! What an engine on the host and kernels on a device agree on: `no_std`.
//!
//! A kernel takes one argument block by value: of [`superstep`] if it runs a
//! vertex program, of [`prepare`] if it prepares a graph, of [`solve`] if it solves
//! a problem without a program. The blocks hold addresses in device memory
//! ([`Global`]) and sizes; index arithmetic that both sides do is in [`superstep::columns`].
//! [`kernels`] lists the kernels: all that the two sides know of each.
//!
//! # Names
//!
//! A vertex has an *id*, the dense id that programs see, and a *place*, where
//! the device keeps it. Places differ from ids when the vertices are sorted by
//! degree. Every array of this module goes by places unless it says otherwise.
//!
//! The *senders* of a vertex are the vertices whose messages reach it, by the
//! program's [`Direction`](crate::program::Direction); their number is its
//! number of messages at most.

mod contract;
pub mod kernels;
pub mod prepare;
pub mod shared;
pub mod solve;
pub mod superstep;

pub use contract::contract;
pub use shared::{COUNTERS, LARGEST_AGGREGATE, SHARED};
pub use superstep::{
    Aggregated, BIN_LAYERS, Batched, BinArguments, BinEdges, Bins, Chunk, Chunks, Columns, Control,
    Counts, Frontier, GRANULE, ITEM_MESSAGES, ItemLayers, LaneLayers, MOST_BINNED, MOST_RANGES,
    Mailbox, MailboxArguments, MedusaArguments, PullArguments, PushArguments, RESIDENT_SUPERSTEPS,
    ResidentArguments, Rows, Run, Segments, Senders, Slots, Step, Turns, Vertices, Worklist,
    any_will_do, columns, goes_by_bins, holds_messages, in_words, limit, needs_lock, rank,
    stays_resident, updates_in_place,
};

use core::fmt;
use core::marker::PhantomData;

/// Threads in a block, in kernels that do not say otherwise.
pub const BLOCK: u32 = 256;

/// Lanes of a warp.
pub const WARP: u32 = 32;

/// Partial sums of what happened in a superstep: warps add to them in turn, so
/// that they do not all wait for one address.
pub const COUNTS: u32 = 64;

/// Most supersteps that are queued before it is known how they end; see [`Batched`].
pub const BATCH_SUPERSTEPS: u32 = 16;

/// Neighbouring messages of one vertex that one lane combines before partial
/// results meet; see [`Chunks`].
pub const CHUNK_LAYERS: u32 = 64;

/// Rows of a group of which a warp of `pull` takes several at a time.
pub const SHORT_LAYERS: u32 = 16;

/// Chunks of a heavy group from which on a block combines their partial results.
pub const HUGE_CHUNKS: u32 = 128;

/// Vertices of a thread, where most have nothing to do and one alone is not worth a
/// thread: as many as have their votes in a word.
pub const VERTICES_PER_THREAD: u32 = 4;

/// Messages of a sorted list that the vertex's thread sorts by itself; of more than
/// these a block sorts them.
pub const LONG_LIST: u32 = 64;

/// Threads in a block that combines partial results.
pub const JOIN_BLOCK: u32 = 1024;

/// Edges of one scattering vertex that one warp, or a part of one, pushes; see
/// [`Frontier`].
pub const PUSH_EDGES: u32 = 256;

/// Messages that one warp of a segmented combine walks through; see
/// [`Segments`].
pub const SEGMENT_TILE: u64 = 1024;

/// An array in device memory: an address, typed. 0 stands for no array.
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
