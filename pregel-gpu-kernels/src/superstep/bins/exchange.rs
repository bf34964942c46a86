//! Sending and pulling messages at the same time.

use pregel_core::device::{BinArguments, Bins, ExchangedCell, Global, WARP, goes_by_bins, granule};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Zeroable};

use super::pull::{PullItems, items_of, prefetch_positions, put_neutral};
use super::report_silent;
use super::send::messages_of_lane;
use crate::simt::{
    barrier, block, blocks, gather_staged, grid_arrive, grid_leave, grid_wait, lane, load_const,
    load_once, load_pair, load_relaxed_u32, opaque, put_staged, shuffle_value, stage_16_bytes,
    store_four, store_two, thread, threads, wait_for_staged,
};
use crate::superstep::steady::has_halted;
use crate::superstep::vertex::Tally;

/// `bin_exchange`, on one block per share, all resident, with room for a granule and the messages of a
/// share and of a bin: as `bin_send` and `bin_pull` in one, except that no vertex computes if
/// `bins.hands_on` is not 0.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `bins` and `batch` are whole (I1), with
/// `bins.shares`, of which there are no more than a block has threads; every vertex scattered, and
/// `bin_apart` has run if `bins.apart_ranges` is not 0.
#[inline(always)]
pub unsafe fn bin_exchange<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.pull.run) };
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if b.bins == 0 || unsafe { has_halted(&a.pull.batch) } {
        return;
    }
    let (arrived, phases) = (b.arrived.address(), b.bins.div_ceil(blocks()));
    // SAFETY: I1, I4; I2: only called with phases up to the end; I5: every lane arrives here; I9: the
    // barrier is before the first read of what was staged.
    let (mut last, mut outbox) = unsafe {
        let first = Outbox::of(a, 0);
        report_silent(b, stage_own(a));
        barrier();
        first.send::<P>(first.read::<P>(thread()));
        barrier();
        (grid_arrive(arrived, speaks()), Outbox::of(a, 1))
    };
    let mut phase = 0;
    while phase < phases {
        let bin = phase * blocks() + block();
        // SAFETY: I1; I2: the phase exists. All blocks send this phase before they arrive, and
        // begin with the one after the next only after all have copied this one (I6). After the
        // first barrier no thread writes `silent`, so all read the same (I5). Reads that need not
        // wait for the other blocks come first.
        let items = unsafe {
            let (own, of_bin) = (own_cell(b, phase), items_of(b, bin));
            let (senders, after) = (outbox.read::<P>(thread()), Outbox::of(a, phase + 2));
            let items = PullItems::begin(a, of_bin);
            prefetch_positions(b, load_pair(b.firsts, bin.into()));
            prefetch_positions(b, load_pair(b.lights, bin.into()));
            grid_wait(arrived, last, speaks());
            if phase == 0 && load_relaxed_u32(b.silent.address()) != 0 {
                grid_leave(arrived, 2, speaks());
                return;
            }
            copy(a, phase, own);
            outbox.send::<P>(senders);
            outbox = after;
            items
        };
        // SAFETY: as above; I9: what was staged is read after the barrier, and the next phase is
        // copied only after the barrier of `grid_wait`.
        unsafe {
            wait_for_staged();
            barrier();
            if phase + 1 < phases {
                last = grid_arrive(arrived, speaks());
            } else {
                grid_leave(arrived, phases + 1, speaks());
            }
            items.pull(a, &mut tally);
        }
        phase += 1;
    }
    if b.hands_on != 0 {
        return;
    }
    barrier();
    // SAFETY: I5: every thread arrives here; I9: after a barrier.
    unsafe { tally.finish(&a.pull.run, a.pull.chunks.aggregates + block()) };
}

/// Whether this thread speaks for its block at the barriers of the grid: one of the last warp, which
/// has an item to pull less often than the others.
#[inline(always)]
fn speaks() -> bool {
    thread() + 1 == threads()
}

/// Makes the messages of all vertices of the block's share, in its memory. Returns whether all those
/// of this lane sent one that have someone to send it to.
///
/// # Safety
/// `vertices`, `step` and `bins` are whole (I1), and the launch gave the block room for the messages
/// of a share (I4), which is not in use (I9).
#[inline(always)]
unsafe fn stage_own<P: VertexCompute>(a: &BinArguments<P>) -> bool {
    let (b, run) = (&a.bins, &a.pull.run);
    let read = |number: u32| {
        let place = u64::from(b.first) + b.shares.place(block(), number);
        // After the end the last vertex is read again, to avoid a branch.
        let exists = number < b.share && place < run.vertices.count.into();
        let place = place.min(u64::from(run.vertices.count) - 1);
        // SAFETY: I2: the place is below `vertices.count`; I7.
        unsafe {
            let degree: u32 = load_const(run.vertices.send_degrees, place);
            let signal: P::Signal = load_const(run.step.signals, place);
            (exists, degree, signal)
        }
    };
    // SAFETY: I4; I6: no share has element 0.
    unsafe { put_neutral::<P>() };
    let mut all_sent = true;
    let mut put = |number: u32, (exists, degree, signal): (bool, u32, P::Signal)| {
        if exists && degree > 0 {
            let message = run.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()));
            all_sent &= message.is_some();
            let message = message.unwrap_or(P::Combiner::neutral());
            // SAFETY: I4; I6: only this thread has the number.
            unsafe { put_staged(granule::<Message<P>>() + number, message) };
        }
    };
    let (stride, mut number) = (threads(), thread());
    while number < b.share {
        let numbers = [0, 1, 2, 3].map(|k| number + k * stride);
        let [r0, r1, r2, r3] =
            [read(numbers[0]), read(numbers[1]), read(numbers[2]), read(numbers[3])];
        put(numbers[0], r0);
        put(numbers[1], r1);
        put(numbers[2], r2);
        put(numbers[3], r3);
        number += 4 * stride;
    }
    all_sent
}

/// What the block sends in a phase, in pieces of as many messages as a lane sends at a time.
#[derive(Clone, Copy)]
struct Outbox {
    /// The address of the first piece's senders.
    senders: u64,
    /// Where its messages go.
    messages: u64,
    /// How many pieces there are.
    count: u32,
}

/// The senders of four pieces.
type Pieces = (u64, u64, u64, u64);

impl Outbox {
    /// What the block sends in a phase; nothing if there is no such phase.
    ///
    /// # Safety
    /// `bins` is whole (I1).
    #[inline(always)]
    unsafe fn of<P: VertexCompute>(a: &BinArguments<P>, phase: u32) -> Self {
        let (b, size) = (&a.bins, granule::<Message<P>>());
        if phase >= b.bins.div_ceil(blocks()) {
            return Self { senders: 0, messages: 0, count: 0 };
        }
        // First granule in `senders` of what a share sends in the phase.
        let first_of = |share: u32| -> u64 {
            // SAFETY: I2: the phase exists, and the share after the last begins where the next phase
            // does; I7.
            unsafe { load_const(b.by_range, b.shares.cell(phase, share, 0)) }
        };
        let (begin, first, end) = (first_of(0), first_of(block()), first_of(block() + 1));
        let to = u64::from(phase % 2) * b.slot + (first - begin) * u64::from(size);
        Self {
            senders: b.senders.element(first * u64::from(size / 4)),
            messages: b.messages.element(to),
            count: (end - first) as u32 * (size / messages_of_lane::<P>()),
        }
    }

    /// The senders of this piece, and of those that the thread sends next. After the end they are
    /// those of the last piece, to avoid a branch.
    ///
    /// # Safety
    /// This is an outbox of bins that are whole (I1).
    #[inline(always)]
    unsafe fn read<P: VertexCompute>(self, number: u32) -> Pieces {
        if number >= self.count {
            return (0, 0, 0, 0);
        }
        let read = |k: u32| {
            let number = u64::from((number + k * threads()).min(self.count - 1));
            // SAFETY: I2: the piece exists; I7.
            unsafe {
                if messages_of_lane::<P>() == 2 {
                    let senders: Global<u32> = Global::at(self.senders);
                    u64::from(load_once(senders, number))
                } else {
                    load_once(Global::at(self.senders), number)
                }
            }
        };
        (read(0), read(1), read(2), read(3))
    }

    /// Sends all messages of the phase. `next` are the senders of this thread's first pieces.
    ///
    /// # Safety
    /// This is an outbox of bins that are whole (I1). The block's messages are made (I9), and no block
    /// reads what was sent two phases before (I6).
    #[inline(always)]
    unsafe fn send<P: VertexCompute>(self, mut next: Pieces) {
        let put = |number: u32, senders: u64| {
            let message = |k: u32| -> Message<P> {
                // SAFETY: I2: the sender is one of the share; I9: its message is made.
                unsafe { gather_staged((senders >> (16 * k)) as u32 & 0xffff) }
            };
            let (messages, number) = (Global::at(self.messages), u64::from(number));
            // SAFETY: I2: there is room for the messages of a phase; I6: this lane has these.
            unsafe {
                if messages_of_lane::<P>() == 2 {
                    store_two(messages, 2 * number, [message(0), message(1)]);
                } else {
                    let four = [message(0), message(1), message(2), message(3)];
                    store_four(messages, 4 * number, four);
                }
            }
        };
        let (stride, mut number) = (threads(), thread());
        while number < self.count {
            let (s0, s1, s2, s3) = next;
            let after = number + 4 * stride;
            // SAFETY: I1.
            next = unsafe { self.read::<P>(after) };
            put(number, s0);
            if number + 3 * stride < self.count {
                put(number + stride, s1);
                put(number + 2 * stride, s2);
                put(number + 3 * stride, s3);
            } else {
                if number + stride < self.count {
                    put(number + stride, s1);
                }
                if number + 2 * stride < self.count {
                    put(number + 2 * stride, s2);
                }
            }
            number = after;
        }
    }
}

/// The cell that this thread keeps at hand: lane `k` of a warp has the `k`-th of those that the warp
/// copies, if there is one. Every `threads / WARP`-th share is one of a warp.
///
/// # Safety
/// `bins` is whole (I1), and the phase exists (I2).
#[inline(always)]
unsafe fn own_cell<P: VertexCompute>(b: &Bins<P>, phase: u32) -> ExchangedCell {
    let share = thread() / WARP + lane() * (threads() / WARP);
    if share >= blocks() {
        return ExchangedCell::default();
    }
    // SAFETY: I2: the share has a cell for each block in every phase; I7.
    unsafe { load_const(b.cells, b.shares.cell(phase, share, block())) }
}

/// Begins to copy the cells of the block's bin to its memory, behind the messages of its share.
///
/// # Safety
/// `bins` is whole (I1), and `own` is [`own_cell`] of this phase. Its messages have been sent, and no
/// thread writes them meanwhile (I7). The launch gave the block room for them (I4), which no thread
/// reads before the next barrier (I9). All lanes of the warp take part (I5).
#[inline(always)]
unsafe fn copy<P: VertexCompute>(a: &BinArguments<P>, phase: u32, own: ExchangedCell) {
    let b = &a.bins;
    let bytes = granule::<Message<P>>() * size_of::<Message<P>>() as u32;
    /// Lanes that copy a cell. Cells have some hundred messages, too few for a warp.
    const LANES: u32 = WARP / 2;
    let own_bytes = lane() % LANES * 16;
    // A loop that is unrolled would take longer.
    let stride = opaque(LANES * 16);
    let slot = b.messages.element(u64::from(phase % 2) * b.slot) + u64::from(own_bytes);
    let room = bytes + b.share * size_of::<Message<P>>() as u32 + own_bytes;
    let (mut share, mut k) = (thread() / WARP, lane() / LANES);
    while share < blocks() {
        let cell = shuffle_value(own, k);
        let mut left = (cell.granules() * bytes).saturating_sub(own_bytes);
        let mut offset = room + cell.to() * bytes;
        let mut address = slot + u64::from(cell.from()) * u64::from(bytes);
        while left > 0 {
            // SAFETY: the caller's promise; I3: granules are multiples of 16 bytes.
            unsafe { stage_16_bytes(offset, address) };
            left = left.saturating_sub(stride);
            offset += stride;
            address += u64::from(stride);
        }
        share += 2 * (threads() / WARP);
        k += 2;
    }
}
