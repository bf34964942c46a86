//! Binned messages: see [`Bins`].

use pregel_core::device::shared::NEXT_TURN;
use pregel_core::device::{
    BIN_LAYERS, BinArguments, Bins, GRANULE, Global, LaneLayers, WARP, columns, goes_by_bins,
};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Zeroable};

use super::gather::{Sum, group_of_item, layers_of_chunk, partial_slot, store_partial};
use super::steady::has_halted;
use super::vertex::{Tally, compute_with_state, state};
use crate::simt::{
    add_u32, ballot, barrier, block, blocks, lane, load, load_const, load_once, load_staged,
    prefetch, shared_load, shared_store, stage_16_bytes, store, store_four, store_relaxed_u32,
    thread, threads, wait_for_staged,
};

/// Lanes that share a granule: four messages each.
const LANES: u32 = GRANULE / 4;

/// Granules that a block prefetches while it stages signals: 160 KiB.
const PREFETCHED: u64 = 1 << 13;

/// Whether an edge kept silent, so that bins are of no use. Not for `bin_send`: its
/// threads could see the word change at different times.
///
/// # Safety
/// `bins` is whole (I1), and no thread of this launch writes `bins.silent` (I6).
#[inline(always)]
unsafe fn has_silent_edge<P: VertexCompute>(a: &BinArguments<P>) -> bool {
    // SAFETY: the caller's promise: one value.
    unsafe { load(a.bins.silent, 0) != 0 }
}

/// Copies `bytes`, rounded up to 16, to the block's memory, once all its threads are done
/// with what was there.
///
/// # Safety
/// The address is a multiple of 16 and the bytes begin in an array (I3) that no thread
/// writes meanwhile (I7); the launch gave the block room for them (I4). All threads of the
/// block take part (I5).
#[inline(always)]
unsafe fn stage(address: u64, bytes: u32, meanwhile: impl FnOnce()) {
    barrier();
    let mut offset = thread() * 16;
    while offset < bytes {
        // SAFETY: the caller's promise; I9: no thread reads staged memory between the two
        // barriers.
        unsafe { stage_16_bytes(offset, address + u64::from(offset)) };
        offset += threads() * 16;
    }
    meanwhile();
    wait_for_staged();
    barrier();
}

/// Prefetches what lies between two addresses, one line per thread of the block.
///
/// # Safety
/// All of it lies in one allocation (I2, I3).
#[inline(always)]
unsafe fn prefetch_between(from: u64, to: u64) {
    /// Bytes of one prefetch.
    const LINE: u64 = 128;
    let mut address = from + u64::from(thread()) * LINE;
    while address < to {
        // SAFETY: the caller's promise.
        unsafe { prefetch(address) };
        address += u64::from(threads()) * LINE;
    }
}

/// First granule of a range, in the order of `bin_send`.
///
/// # Safety
/// `b` is whole (I1), and `range` is at most `b.ranges` (I2).
#[inline(always)]
unsafe fn first_of_range<P: VertexCompute>(b: &Bins<P>, range: u32) -> u64 {
    // SAFETY: the caller's promise: there is one for each cell, and the end; I7.
    unsafe { load_const(b.by_range, u64::from(range) * u64::from(b.bins)) }
}

/// Says that an edge kept silent, if one did in any lane. All lanes of the warp take part
/// (I5).
///
/// # Safety
/// `b` is whole (I1).
#[inline(always)]
unsafe fn report_silent<P: VertexCompute>(b: &Bins<P>, all_sent: bool) {
    if ballot(!all_sent) != 0 && lane() == 0 {
        // SAFETY: I1: one value; I8: every writer writes 1.
        unsafe { store_relaxed_u32(b.silent.address(), 1) };
    }
}

/// `bin_send`, on any number of blocks of up to 1,024 threads with room for the signals of
/// a range: each takes an equal share of the granules.
///
/// # Safety
/// `vertices`, `step`, `bins` and `steady` are whole (I1); every vertex scattered.
#[inline(always)]
pub unsafe fn bin_send<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) } {
        return;
    }
    // SAFETY: I1, I2: only called with ranges up to the end.
    let first_of = |range: u32| unsafe { first_of_range(b, range) };
    let all = first_of(b.ranges);
    let share = |block: u32| all * u64::from(block) / u64::from(blocks());
    let (mut from, end) = (share(block()), share(block() + 1));
    // The last range that begins at `from` or before.
    let (mut range, mut above) = (0, b.ranges);
    while above - range > 1 {
        let middle = range + (above - range) / 2;
        if first_of(middle) <= from {
            range = middle;
        } else {
            above = middle;
        }
    }
    let mut all_sent = true;
    while from < end {
        let to = first_of(range + 1).min(end);
        if from < to {
            let first = range * b.range;
            let signals = (a.pull.run.vertices.count - first).min(b.range);
            let bytes = signals * size_of::<P::Signal>() as u32;
            let prefetch_edges = || {
                let soon = to.min(from + PREFETCHED);
                let senders = |granule: u64| b.senders.element(granule * u64::from(LANES));
                // SAFETY: I2: the granules exist in both arrays, or are their end.
                unsafe {
                    prefetch_between(senders(from), senders(soon));
                    prefetch_between(b.targets.element(from), b.targets.element(soon));
                }
            };
            // SAFETY: I2: the signals of the range; I3: a range begins at a multiple of 16
            // bytes; I4, I7; I5: `from`, `to` and `end` are the same in the whole block.
            unsafe {
                stage(a.pull.run.step.signals.element(first.into()), bytes, prefetch_edges);
                all_sent &= send_granules(a, from, to);
            }
        }
        from = to;
        range += 1;
    }
    // SAFETY: I1; I5: every lane arrives here.
    unsafe { report_silent(b, all_sent) };
}

/// Sends the messages of granules `from` to before `to`; returns whether every edge of
/// this lane sent one.
///
/// # Safety
/// `bins` is whole (I1), the granules exist (I2) and belong to one range, whose signals
/// are staged (I9). No other block has these granules (I6).
#[inline(always)]
unsafe fn send_granules<P: VertexCompute>(a: &BinArguments<P>, from: u64, to: u64) -> bool {
    let b = &a.bins;
    let own = u64::from(thread() % LANES);
    let stride = u64::from(threads() / LANES);
    let mut granule = from + u64::from(thread() / LANES);
    let mut all_sent = true;
    let read = |granule: u64| {
        // After the end the last granule is read again, to avoid a branch.
        let granule = granule.min(to - 1);
        // SAFETY: I2: the granule is below `to`; I7.
        unsafe {
            let senders: u64 = load_once(b.senders, granule * u64::from(LANES) + own);
            let target: u32 = load_once(b.targets, granule);
            (senders, target)
        }
    };
    let mut put = |granule: u64, (senders, target): (u64, u32)| {
        if granule >= to {
            return;
        }
        let mut message = |k: u32| {
            // SAFETY: I2: the sender is in the range; I9: its signal is staged.
            let signal: P::Signal = unsafe { load_staged((senders >> (16 * k)) as u32 & 0xffff) };
            let message = a.pull.run.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()));
            all_sent &= message.is_some();
            message.unwrap_or(P::Combiner::neutral())
        };
        let four = [message(0), message(1), message(2), message(3)];
        let at = u64::from(target) * u64::from(GRANULE) + 4 * own;
        // SAFETY: I2: the target is a granule; I6: only this granule has it, and of it this
        // lane these four.
        unsafe { store_four(b.messages, at, four) };
    };
    let batch = |granule: u64| {
        (
            read(granule),
            read(granule + stride),
            read(granule + 2 * stride),
            read(granule + 3 * stride),
        )
    };
    let mut next = batch(granule);
    while granule < to {
        let (g0, g1, g2, g3) = next;
        let after = granule + 4 * stride;
        next = batch(after);
        put(granule, g0);
        put(granule + stride, g1);
        put(granule + 2 * stride, g2);
        put(granule + 3 * stride, g3);
        granule = after;
    }
    all_sent
}

/// `bin_apart`, on any number of blocks of up to 1,024 threads with room for the signals of
/// the first range: combines its messages, for each lane of each item.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `bins` and `steady` are whole (I1); every
/// vertex scattered.
#[inline(always)]
pub unsafe fn bin_apart<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    let groups = columns::groups(a.pull.run.vertices.count, WARP.trailing_zeros());
    let items = a.pull.chunks.count + (groups - a.pull.chunks.heavy);
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) } {
        return;
    }
    let signals = a.pull.run.vertices.count.min(b.apart) * size_of::<P::Signal>() as u32;
    // SAFETY: I2, I3, I4, I7: the first signals; I5: every thread arrives here.
    unsafe { stage(a.pull.run.step.signals.address(), signals, || ()) };
    let read = |item: u32| {
        if item < items {
            // SAFETY: I2: the item exists, with 32 lanes; I7.
            unsafe {
                (load_const(b.lanes, partial_slot(item)), load_const(b.apart_firsts, item.into()))
            }
        } else {
            (LaneLayers::default(), 0)
        }
    };
    // Neighbours are about equal work: they go to different multiprocessors.
    let mut item = thread() / WARP * blocks() + block();
    let stride = threads() / WARP * blocks();
    let mut next: (LaneLayers, u32) = read(item);
    let mut all_sent = true;
    while item < items {
        let (rows, from) = next;
        next = read(item + stride);
        let packed = Packed { numbers: b.apart_senders, first: from, rows: rows.apart() };
        let message = |sender| {
            // SAFETY: I2: the sender is in the first range; I9: its signal is staged.
            let signal = unsafe { load_staged(sender) };
            let message = a.pull.run.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()));
            all_sent &= message.is_some();
            message
        };
        // SAFETY: I2: the item has these rows.
        let sum = unsafe { gather(packed, Sum::<P>::new(), message) };
        if let Some(sum) = sum.get() {
            // SAFETY: I2: the item exists; I6: only this warp has it.
            unsafe { store(b.apart_sums, partial_slot(item), sum) };
        }
        item += stride;
    }
    // SAFETY: I1; I5: every lane arrives here.
    unsafe { report_silent(b, all_sent) };
}

/// `bin_pull`, after `bin_send`, on any number of blocks of up to 512 threads with room for
/// the messages of a bin: as [`pull`](super::pull), except that each block takes the next
/// bin.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `bins` and `steady` are whole (I1); `bin_send`
/// has run, and `bin_apart` if `bins.apart` is not 0.
#[inline(always)]
pub unsafe fn bin_pull<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let (b, n) = (&a.bins, a.pull.run.vertices.count);
    let mut tally = Tally::<P>::new();
    // SAFETY: I1. I5: all threads read the same words, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) || has_silent_edge(a) } {
        return;
    }
    // SAFETY: I2: only called with bins up to the end; I7.
    let first_of = |bin: u32| unsafe {
        load_const(b.by_bin, u64::from(bin) * u64::from(b.ranges)) * u64::from(GRANULE)
    };
    let mut bin = block();
    while bin < b.bins {
        let first = first_of(bin);
        let count = first_of(bin + 1) - first;
        let bytes = count as u32 * size_of::<Message<P>>() as u32;
        // SAFETY: I2: the bin has a first item, and so has the next or the end.
        let (begin, end) = unsafe { load_pair(b.firsts, bin) };
        let meanwhile = || {
            if thread() == 0 {
                // SAFETY: I1, I8: `next` is one value, only added to; I6, I9: no other
                // thread touches `NEXT_TURN` between the two barriers of `stage`.
                unsafe {
                    shared_store(NEXT_TURN, 0, blocks() + add_u32(a.pull.turns.next.address(), 1));
                }
            }
            let positions = |item: u32| {
                // SAFETY: I2: the item exists, or is the end; I7.
                let fours: u32 = unsafe { load_const(b.rows, item.into()) };
                b.positions.element(u64::from(fours) * u64::from(WARP))
            };
            // SAFETY: I2: the positions of the bin's items.
            unsafe { prefetch_between(positions(begin), positions(end)) };
        };
        // SAFETY: I2: the messages of the bin; I3: granules are of 16 bytes or more; I4, I7;
        // I5: the bin is the same in the whole block.
        unsafe { stage(b.messages.element(first), bytes, meanwhile) };
        let mut item = begin + thread() / WARP;
        // SAFETY: I9: thread 0 wrote it before the last barrier; it writes it again after
        // the next.
        bin = unsafe { shared_load(NEXT_TURN, 0) };
        // SAFETY: I1; I6: only this warp has the item.
        let mut part = unsafe { Part::<P>::read(a, item, end) };
        while item < end {
            item += threads() / WARP;
            // SAFETY: as above.
            let next = unsafe { Part::read(a, item, end) };
            let mut sum = Sum::<P>::new();
            sum.add((part.rows.apart() > 0).then_some(part.begun));
            let packed =
                Packed { numbers: b.positions, first: part.first, rows: part.rows.binned() };
            // SAFETY: I2: the item has these rows, and positions are those of messages of
            // the bin; I9: these are staged.
            let sum = unsafe { gather(packed, sum, |i| Some(load_staged(i))) };
            if let Some(chunk) = part.chunk {
                // SAFETY: I2: the chunk exists; I6: only this warp has it.
                unsafe { store_partial(&a.pull.chunks, partial_slot(chunk), sum.get()) };
            } else if part.place < n {
                // SAFETY: I2: checked; I6: only this warp has the group.
                unsafe {
                    compute_with_state(
                        &a.pull.run,
                        part.place,
                        || part.state,
                        sum.get(),
                        &mut tally,
                    );
                }
            }
            part = next;
        }
    }
    barrier();
    // SAFETY: I5: every thread arrives here; I9: after a barrier.
    unsafe { tally.finish(&a.pull.run, a.pull.chunks.joiners + block()) };
}

/// The element with this number, and the one after it.
///
/// # Safety
/// The array has more than `number + 1` elements (I2), and no thread writes it (I7).
#[inline(always)]
unsafe fn load_pair(array: Global<u32>, number: u32) -> (u32, u32) {
    // SAFETY: the caller's promise.
    unsafe { (load_const(array, number.into()), load_const(array, u64::from(number) + 1)) }
}

/// A part of a column, and the vertex that it belongs to.
struct Part<P: VertexCompute> {
    place: u32,
    rows: LaneLayers,
    /// Where the positions of the binned messages begin.
    first: u32,
    /// What the other messages were combined to, if there are any.
    begun: Message<P>,
    state: P::State,
    /// The chunk, if it is one of a heavy group.
    chunk: Option<u32>,
}

impl<P: VertexCompute> Part<P> {
    /// This lane's part of an item; without rows if the item is not before `end`, if there
    /// is no such vertex, or if it wants no messages. No read waits for another.
    ///
    /// # Safety
    /// `vertices`, `chunks` and `bins` are whole (I1), `end` is at most the number of items
    /// (I2), and no other warp computes the vertices of this item (I6).
    #[inline(always)]
    unsafe fn read(a: &BinArguments<P>, item: u32, end: u32) -> Self {
        let mut part = Self {
            place: u32::MAX,
            rows: LaneLayers::default(),
            first: 0,
            begun: Zeroable::zeroed(),
            state: Zeroable::zeroed(),
            chunk: (item < a.pull.chunks.count).then_some(item),
        };
        if item >= end {
            return part;
        }
        // SAFETY: I2: the item exists, with 32 lanes; I7. I10: the sum is used only if the
        // lane has rows apart.
        unsafe {
            part.rows = load_const(a.bins.lanes, partial_slot(item));
            part.first = load_const(a.bins.rows, item.into());
            if a.bins.apart > 0 {
                part.begun = load_const(a.bins.apart_sums, partial_slot(item));
            }
        }
        let wants = match part.chunk {
            Some(chunk) => {
                // SAFETY: I2: the chunk is below `chunks.count`.
                let place =
                    unsafe { layers_of_chunk(&a.pull.chunks, chunk.into()) }.group * WARP + lane();
                // SAFETY: I2: the place is checked first.
                place >= a.pull.run.vertices.count
                    || a.pull.run.program.wants_message(&unsafe { state(&a.pull.run, place) })
            }
            None => {
                part.place = group_of_item(&a.pull.chunks, item) * WARP + lane();
                if part.place < a.pull.run.vertices.count {
                    // SAFETY: I2: the place is below `vertices.count`. The vertex is about to
                    // ask how many neighbours it has.
                    unsafe {
                        part.state = state(&a.pull.run, part.place);
                        prefetch(a.pull.run.vertices.send_degrees.element(part.place.into()));
                    }
                }
                a.pull.run.program.wants_message(&part.state)
            }
        };
        if !wants {
            part.rows = LaneLayers::default();
        }
        part
    }
}

/// Numbers of 16 bits, in rows of a warp: four rows of a lane to an element.
#[derive(Clone, Copy)]
struct Packed {
    numbers: Global<u64>,
    /// The first element, in elements of each lane.
    first: u32,
    /// How many rows this lane has.
    rows: u32,
}

/// Adds to `sum` what `message` makes of each number of this lane.
///
/// # Safety
/// The lane has these rows (I2), and no thread writes them (I7).
#[inline(always)]
unsafe fn gather<P: VertexCompute>(
    packed: Packed,
    mut sum: Sum<P>,
    mut message: impl FnMut(u32) -> Option<Message<P>>,
) -> Sum<P> {
    /// Rows in four reads.
    const BATCH: u32 = 4 * BIN_LAYERS;
    let mut at = u64::from(packed.first) * u64::from(WARP) + u64::from(lane());
    let mut left = packed.rows;
    while left > 0 {
        let read = |k: u32| {
            if left > k * BIN_LAYERS {
                // SAFETY: the caller's promise: rows are left there.
                unsafe { load_once(packed.numbers, at + u64::from(k * WARP)) }
            } else {
                0
            }
        };
        let (p0, p1, p2, p3): (u64, u64, u64, u64) = (read(0), read(1), read(2), read(3));
        let mut take = |numbers: u64, before: u32| {
            let mut one = |k: u32| {
                if left > before + k {
                    sum.add(message((numbers >> (16 * k)) as u32 & 0xffff));
                }
            };
            one(0);
            one(1);
            one(2);
            one(3);
        };
        take(p0, 0);
        take(p1, BIN_LAYERS);
        take(p2, 2 * BIN_LAYERS);
        take(p3, 3 * BIN_LAYERS);
        left = left.saturating_sub(BATCH);
        at += u64::from(4 * WARP);
    }
    sum
}
