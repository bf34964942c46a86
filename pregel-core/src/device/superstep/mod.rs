//! The argument blocks of the kernels that run supersteps: one file per strategy.
//!
//! Every block begins with [`Run`], which all kernels read. The rest is what the kernels
//! of one strategy need.
//!
//! | Block | Kernels |
//! |---|---|
//! | [`Run`] | `init`, `reduce` |
//! | [`PullArguments`] | `pull`, `pull_heavy`, `close` |
//! | [`HotArguments`] | `pull_hot` |
//! | [`BinArguments`] | `bin_apart`, `bin_send`, `bin_pull`, `bin_exchange`, `pull_rest` |
//! | [`PushArguments`] | `push`, `arrive` |
//! | [`MailboxArguments`] | `send`, `sort_lists`, `read_chunks`, `read_heavy`, `read` |
//! | [`MedusaArguments`] | `segments`, `segment_vertices` |
//! | [`ResidentArguments`] | `resident`, `near_far`, `near_ahead`, `near_bulk` |

mod bins;
pub mod columns;
pub mod exchange;
mod hot;
mod mailbox;
mod medusa;
mod pull;
mod push;
mod resident;
mod slots;

pub use bins::{
    ApartLayers, BEGUN, BIN_LAYERS, BinArguments, BinEdges, BinItems, Bins, ITEM_MESSAGES,
    ItemLayers, LaneLayers, MOST_APART, MOST_BINNED, MOST_RANGES, REST_LAYERS, goes_by_bins,
    granule, granule_shift, in_words,
};
pub use columns::{Chunk, Chunks, Columns, JoinPart, Profile};
pub use exchange::{EXCHANGE_WARPS, ExchangedCell, MOST_SHARES, SHARE_PLACES, Shares};
pub use hot::HotArguments;
pub use mailbox::{Mailbox, MailboxArguments};
pub use medusa::{MedusaArguments, Segments};
pub use pull::{Batched, PullArguments, Senders, Turns};
pub use push::{Frontier, Piece, PushArguments, Row, Rows};
pub use resident::{
    Control, RESIDENT_SUPERSTEPS, ResidentArguments, Worklist, limit, rank, stays_resident,
    updates_in_place,
};
pub use slots::{Slots, any_will_do, holds_messages, needs_lock};

use super::Global;
use crate::program::{Monoid, Program};

/// The value of a program's aggregate.
pub type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// The arguments that the kernels of every strategy take.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct Run<P: Program> {
    /// The program with its parameters.
    pub program: P,
    /// The vertices and their states.
    pub vertices: Vertices<P>,
    /// The superstep.
    pub step: Step<P>,
}

/// The vertices and their states.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Vertices<P: Program> {
    /// Number of vertices.
    pub count: u32,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
    /// How many edges end at each vertex.
    pub in_degrees: Global<u32>,
    /// How many edges begin at each vertex.
    pub out_degrees: Global<u32>,
    /// Along how many edges each vertex sends.
    pub send_degrees: Global<u32>,
    /// The caller's inputs, by id; none if they have no size.
    pub inputs: Global<P::Input>,
    /// The states.
    pub states: Global<P::State>,
}

/// One superstep.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Step<P: Program> {
    /// Its number.
    pub superstep: u32,
    /// Not 0 if every vertex scattered in the superstep before, so that kernels need not
    /// read votes.
    pub everyone: u32,
    /// The votes of the superstep before, as [`Vote`](crate::program::Vote).
    pub votes: Global<u8>,
    /// The votes of this superstep.
    pub votes_next: Global<u8>,
    /// Signals of the vertices that scattered in the superstep before.
    pub signals: Global<P::Signal>,
    /// Signals of the vertices that scatter in this superstep.
    pub signals_next: Global<P::Signal>,
    /// The aggregate of the superstep before: one value.
    pub last: Global<Aggregated<P>>,
    /// The aggregate of each block: first of the blocks that handle heavy groups, then of
    /// the others.
    pub partials: Global<Aggregated<P>>,
    /// How many partial aggregates there are.
    pub partial_count: u32,
    /// The first places, all of them or fewer: no other vertex computes, and their votes in
    /// `votes_next` are 0 already. Only `pull` and `arrive` heed it.
    pub places: u32,
    /// The aggregate of this superstep: one value, or one value per
    /// [`BLOCK`](super::BLOCK) partial aggregates, which are then reduced again.
    pub total: Global<Aggregated<P>>,
    /// The counts of this superstep, in [`COUNTS`](super::COUNTS) partial sums.
    pub counts: Global<Counts>,
}

/// The counts of a superstep: sums over vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Counts {
    /// Vertices that computed.
    pub active: u64,
    /// Vertices that voted to scatter.
    pub scattering: u64,
    /// Vertices that voted to stay awake.
    pub awake: u64,
    /// Edges of the vertices that voted to scatter.
    pub messages: u64,
}

impl Counts {
    /// Adds up partial sums.
    pub fn sum(parts: impl Iterator<Item = Self>) -> Self {
        parts.fold(Self::default(), |a, b| Self {
            active: a.active + b.active,
            scattering: a.scattering + b.scattering,
            awake: a.awake + b.awake,
            messages: a.messages + b.messages,
        })
    }
}
