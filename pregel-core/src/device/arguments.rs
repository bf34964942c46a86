//! The argument block of kernels that run a vertex program.

use super::{Bins, Global, Worklist};
use crate::program::{Message, Monoid, Program};

type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

macro_rules! plain {
    ($($name:ident<$p:ident>),+) => {$(
        impl<$p: Program> Clone for $name<$p> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$p: Program> Copy for $name<$p> {}
    )+};
}

plain!(
    Arguments<P>,
    Vertices<P>,
    Step<P>,
    Columns<P>,
    Mailbox<P>,
    Chunks<P>,
    Segments<P>,
    Senders<P>,
    Slots<P>,
    Steady<P>,
    Bins<P>
);

macro_rules! default_is_nothing {
    ($($name:ident { $($field:ident),+ })+) => {$(
        impl<P: Program> Default for $name<P> {
            fn default() -> Self {
                Self { $($field: Default::default()),+ }
            }
        }
    )+};
}

default_is_nothing! {
    Vertices { count, vertex_at, in_degrees, out_degrees, send_degrees, inputs, states }
    Step { superstep, everyone, hot, fixed, next, votes, votes_next, signals, signals_next, last, partials, partial_count, total, counts }
    Columns { shift, degrees, bases, senders, values }
    Mailbox { edges, sources, positions, values, messages, present }
    Chunks { list, count, heavy, long, batch, huge, joiners, firsts, messages, present }
    Segments { slots, receivers, combined, combined_present, heads, heads_present, tails, tails_present }
    Senders { offsets, targets, values }
    Slots { messages, arrived }
    Steady { halt, entry, counts, totals }
    Bins { range, ranges, bins, senders, by_range, targets, messages, by_bin, firsts, lanes, rows, positions, silent, apart, apart_firsts, apart_senders, apart_sums }
}

/// Everything that a kernel of a vertex program is given; each kernel says
/// which parts it reads.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "programs need not be printable")]
pub struct Arguments<P: Program> {
    /// The program with its parameters.
    pub program: P,
    /// The vertices and their states.
    pub vertices: Vertices<P>,
    /// The superstep.
    pub step: Step<P>,
    /// Where messages, or their senders, lie.
    pub columns: Columns<P>,
    /// The message buffer.
    pub mailbox: Mailbox<P>,
    /// Heavy groups in pieces.
    pub chunks: Chunks<P>,
    /// The message buffer in pieces, for a segmented combine.
    pub segments: Segments<P>,
    /// Rows to push along.
    pub senders: Senders<P>,
    /// Which of them push.
    pub frontier: Frontier,
    /// Where pushed messages meet.
    pub slots: Slots<P>,
    /// For kernels that stay for many supersteps.
    pub work: Worklist,
    /// For supersteps that are queued one after the other.
    pub steady: Steady<P>,
    /// For messages that go by bins.
    pub bins: Bins<P>,
}

/// The vertices and their states.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Vertices<P: Program> {
    /// How many there are.
    pub count: u32,
    /// The vertex at each place.
    pub vertex_at: Global<u32>,
    /// Edges that end at the vertex.
    pub in_degrees: Global<u32>,
    /// Edges that begin at the vertex.
    pub out_degrees: Global<u32>,
    /// Edges along which the vertex sends.
    pub send_degrees: Global<u32>,
    /// The caller's inputs, by id of the vertex; none if they have no size.
    pub inputs: Global<P::Input>,
    /// The states.
    pub states: Global<P::State>,
}

/// One superstep.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Step<P: Program> {
    /// Its number.
    pub superstep: u32,
    /// Not 0 if every vertex scattered into it, so that nobody needs to look.
    pub everyone: u32,
    /// So many vertices, the first by place, have hot signals: `pull_hot` keeps them
    /// in the shared memory of each block. 0 in every other kernel.
    pub hot: u32,
    /// Not 0 if it must not depend on chance which warp of `pull` computes a vertex.
    pub fixed: u32,
    /// Otherwise the item that a warp of `pull_hot` takes next: one value, at first 0.
    pub next: Global<u32>,
    /// The votes of the superstep before, as [`Vote`](crate::program::Vote).
    pub votes: Global<u8>,
    /// The votes of this superstep.
    pub votes_next: Global<u8>,
    /// Signals of the vertices that scattered into this superstep.
    pub signals: Global<P::Signal>,
    /// Signals of the vertices that scatter out of it.
    pub signals_next: Global<P::Signal>,
    /// The aggregate of the superstep before: one value.
    pub last: Global<Aggregated<P>>,
    /// The aggregate of each block: of the heavy groups, then of the others.
    pub partials: Global<Aggregated<P>>,
    /// How many there are.
    pub partial_count: u32,
    /// The aggregate of this superstep: one value, or one for each
    /// [`BLOCK`](super::BLOCK) partial results, to be reduced again.
    pub total: Global<Aggregated<P>>,
    /// What happened in it: [`COUNTS`](super::COUNTS) sums to be added up.
    pub counts: Global<Counts>,
}

/// What happened in a superstep: sums over vertices.
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

/// Where the messages of each vertex lie; see [`columns`](super::columns).
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Columns<P: Program> {
    /// Groups are of `1 << shift` vertices.
    pub shift: u32,
    /// Number of senders of each vertex.
    pub degrees: Global<u32>,
    /// First slot of each group.
    pub bases: Global<u64>,
    /// The sender's place, by slot; for pulling.
    pub senders: Global<u32>,
    /// The edge's value, by slot; for pulling.
    pub values: Global<P::Edge>,
}

/// The message buffer: one slot for each edge, and its places.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Mailbox<P: Program> {
    /// Number of edges.
    pub edges: u64,
    /// Place of each edge's sender.
    pub sources: Global<u32>,
    /// Slot of each edge's message.
    pub positions: Global<u32>,
    /// Value of each edge.
    pub values: Global<P::Edge>,
    /// The messages, by slot.
    pub messages: Global<Message<P>>,
    /// 1 where a message is, 0 where the edge kept silent, by slot.
    pub present: Global<u8>,
}

/// Groups of more than [`CHUNK_ROWS`](super::CHUNK_ROWS) rows, cut into chunks
/// of so many rows. A warp combines a chunk, a lane a column; then a warp, or a
/// block, combines the partial results of a group.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Chunks<P: Program> {
    /// The chunks, group after group.
    pub list: Global<Chunk>,
    /// How many there are.
    pub count: u32,
    /// The first so many groups are heavy; the others are done by a lane a
    /// vertex.
    pub heavy: u32,
    /// The first so many groups, the heavy ones among them, have more than
    /// [`SHORT_ROWS`](super::SHORT_ROWS) rows, or lie before one that has.
    pub long: u32,
    /// So many of the others are one item of work; at least 1.
    pub batch: u32,
    /// The first so many heavy groups get a block each to combine their partial
    /// results.
    pub huge: u32,
    /// So many blocks combine partial results: more than `huge` if there are others.
    pub joiners: u32,
    /// The first chunk of each heavy group, and of the one after the last.
    pub firsts: Global<u32>,
    /// Partial results: 32 a chunk.
    pub messages: Global<Message<P>>,
    /// 1 where a partial result is: 32 a chunk.
    pub present: Global<u8>,
}

/// A piece of a heavy group.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Chunk {
    /// The group.
    pub group: u32,
    /// Its first row in this chunk.
    pub row: u32,
}

/// The message buffer, row-major, cut into tiles of
/// [`SEGMENT_TILE`](super::SEGMENT_TILE) slots; a warp combines the messages
/// of a tile vertex by vertex. A vertex within one tile is done; what reaches
/// over an edge of a tile is left as its head or its tail.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Segments<P: Program> {
    /// Number of slots.
    pub slots: u64,
    /// Place of each slot's receiver.
    pub receivers: Global<u32>,
    /// The combined message of each vertex within one tile.
    pub combined: Global<Message<P>>,
    /// 1 where such a message is.
    pub combined_present: Global<u8>,
    /// For each tile the combined messages of the vertex that began before it.
    pub heads: Global<Message<P>>,
    /// 1 where a head is.
    pub heads_present: Global<u8>,
    /// For each tile the combined messages of the vertex that begins in it and
    /// ends after it.
    pub tails: Global<Message<P>>,
    /// 1 where a tail is.
    pub tails_present: Global<u8>,
}

/// Rows to push along.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Senders<P: Program> {
    /// First edge of each row, and the end of the last.
    pub offsets: Global<u64>,
    /// Place of the receiver of each edge.
    pub targets: Global<u32>,
    /// Value of each edge.
    pub values: Global<P::Edge>,
}

/// Which vertices push: a list of pieces of their rows, of
/// [`PUSH_EDGES`](super::PUSH_EDGES) edges.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Frontier {
    /// Place of the vertex, number of the piece.
    pub items: Global<[u32; 2]>,
    /// How many items there are: one value.
    pub count: Global<u32>,
}

/// Where pushed messages meet: one slot a vertex. Between supersteps every
/// slot holds the combiner's neutral value and nothing has arrived.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Slots<P: Program> {
    /// What has been combined so far.
    pub messages: Global<Message<P>>,
    /// 0: nothing arrived; 1: something did; 2: somebody is combining.
    pub arrived: Global<u32>,
}

/// Supersteps that are queued before it is known how those before end: each is like
/// the last, every vertex scatters and pulls. If one ends otherwise, those after it
/// do nothing.
#[repr(C)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Steady<P: Program> {
    /// 0, or how many ran when one ended otherwise: one value; none in a superstep
    /// that is queued alone.
    pub halt: Global<u32>,
    /// Number of this superstep among those queued, below
    /// [`STEADY_SUPERSTEPS`](super::STEADY_SUPERSTEPS).
    pub entry: u32,
    /// What happened in each.
    pub counts: Global<Counts>,
    /// What each aggregated.
    pub totals: Global<Aggregated<P>>,
}
