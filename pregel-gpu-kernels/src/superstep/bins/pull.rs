//! Pulling messages from bins.

use pregel_core::device::shared::NEXT_TURN;
use pregel_core::device::{BinArguments, BinItems, Bins, WARP, goes_by_bins, granule};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::part::Part;
use super::{Packed, gather, has_silent_edge, prefetch_between, stage};
use crate::simt::{
    add_u32, barrier, block, blocks, gather_staged, load_const, load_pair, put_staged, shared_load,
    shared_store, thread, threads,
};
use crate::superstep::steady::has_halted;
use crate::superstep::vertex::Tally;

/// `bin_pull`, after `bin_send`, on any number of blocks of up to 512 threads with room for
/// a granule and the messages of a bin: as `pull`, except that each block takes the next bin.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `turns`, `bins` and `batch` are whole (I1);
/// `bin_send` has run, and `bin_apart` if `bins.apart_ranges` is not 0.
#[inline(always)]
pub unsafe fn bin_pull<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.pull.run) };
    // SAFETY: I1. I5: all threads read the same words, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) || has_silent_edge(a) } {
        return;
    }
    // SAFETY: I2: only called with bins up to the end; I7.
    let first_of = |bin: u32| unsafe {
        let granules: u64 = load_const(b.by_bin, u64::from(bin) * u64::from(b.ranges));
        granules * u64::from(granule::<Message<P>>())
    };
    let before = granule::<Message<P>>() * size_of::<Message<P>>() as u32;
    // SAFETY: I4; I6; I9: no other thread touches the element until the first barrier, and no bin is
    // copied there.
    unsafe { put_neutral::<P>() };
    let mut bin = block();
    while bin < b.bins {
        let first = first_of(bin);
        let count = first_of(bin + 1) - first;
        let bytes = count as u32 * size_of::<Message<P>>() as u32;
        // SAFETY: I2: the bin has a first item, and so has the next or the end.
        let [begin, end] = unsafe { load_pair(b.firsts, bin.into()) };
        let meanwhile = || {
            if thread() == 0 {
                // SAFETY: I1, I8: `next` is one value, only added to; I6, I9: no other
                // thread touches `NEXT_TURN` between the two barriers of `stage`.
                unsafe {
                    shared_store(NEXT_TURN, 0, blocks() + add_u32(a.pull.turns.next.address(), 1));
                }
            }
            // SAFETY: I1; I2: the items of the bin.
            unsafe { prefetch_positions(b, [begin, end]) };
        };
        // SAFETY: I2: the messages of the bin; I3: granules are multiples of 16 bytes; I4, I7;
        // I5: the bin is the same in the whole block.
        unsafe { stage(before, b.messages.element(first), bytes, meanwhile) };
        // SAFETY: I9: thread 0 wrote it before the last barrier; it writes it again after
        // the next.
        bin = unsafe { shared_load(NEXT_TURN, 0) };
        // SAFETY: I1; I6, I9: the messages are staged, behind a granule with a neutral one.
        unsafe { PullItems::begin(a, BinItems::new([begin, end], [0, 0])).pull(a, &mut tally) };
    }
    barrier();
    // SAFETY: I5: every thread arrives here; I9: after a barrier.
    unsafe { tally.finish(&a.pull.run, a.pull.chunks.aggregates + block()) };
}

/// Puts a neutral message where positions point that fill up a group.
///
/// # Safety
/// The launch gave the block room for it (I4). No other thread than the first touches it before the
/// next barrier (I6, I9).
#[inline(always)]
pub(super) unsafe fn put_neutral<P: VertexCompute>() {
    if thread() == 0 {
        // SAFETY: the caller's promise.
        unsafe { put_staged(0, P::Combiner::neutral()) };
    }
}

/// The items of a bin, light ones included.
///
/// # Safety
/// `b` is whole (I1), and the bin exists (I2).
#[inline(always)]
pub(super) unsafe fn items_of<P: VertexCompute>(b: &Bins<P>, bin: u32) -> BinItems {
    // SAFETY: I2: the bin has a first item of either kind, and so has the next or the end.
    unsafe {
        let lights = if b.shares.count() == 0 { [0, 0] } else { load_pair(b.lights, bin.into()) };
        BinItems::new(load_pair(b.firsts, bin.into()), lights)
    }
}

/// Prefetches the positions of items from one of these to before the other.
///
/// # Safety
/// `b` is whole (I1), and the items exist (I2).
#[inline(always)]
pub(super) unsafe fn prefetch_positions<P: VertexCompute>(b: &Bins<P>, [first, end]: [u32; 2]) {
    let positions = |item: u32| {
        // SAFETY: I2: the item exists, or is the end; I7.
        let fours: u32 = unsafe { load_const(b.rows, item.into()) };
        b.positions.element(u64::from(fours) * u64::from(WARP))
    };
    // SAFETY: I2: the positions of the items.
    unsafe { prefetch_between(positions(first), positions(end)) };
}

/// Items of a bin, each for one warp of the block.
pub(super) struct PullItems<P: VertexCompute> {
    items: BinItems,
    /// This lane's part of the first item of its warp.
    part: Part<P>,
}

impl<P: VertexCompute> PullItems<P> {
    /// Reads what does not depend on messages of the first items.
    ///
    /// # Safety
    /// `vertices`, `step`, `chunks` and `bins` are whole (I1), and the items exist (I2). No other block
    /// has them (I6).
    #[inline(always)]
    pub(super) unsafe fn begin(a: &BinArguments<P>, items: BinItems) -> Self {
        // SAFETY: the caller's promise; I6: only this warp has the item.
        let part = unsafe { Part::read(a, items.get(thread() / WARP)) };
        Self { items, part }
    }

    /// Gathers their messages, and computes their vertices.
    ///
    /// # Safety
    /// As [`begin`](Self::begin). The bin's messages are staged where positions say, and a neutral one
    /// as element 0 (I9).
    #[inline(always)]
    pub(super) unsafe fn pull(self, a: &BinArguments<P>, tally: &mut Tally<P>) {
        let Self { items, mut part } = self;
        let mut number = thread() / WARP;
        while number < items.count() {
            number += threads() / WARP;
            // SAFETY: the caller's promise; I6: only this warp has the item.
            let next = unsafe { Part::read(a, items.get(number)) };
            let begun = part.begun();
            let any = begun.is_some() || part.rows.binned() > 0;
            let mut sum = begun.unwrap_or(P::Combiner::neutral());
            let packed =
                Packed { numbers: a.bins.positions, first: part.first, rows: part.rows.binned() };
            // SAFETY: I2: positions are those of messages of the bin, or 0; I9: these are staged.
            let message = |i| -> Message<P> { unsafe { gather_staged(i) } };
            // Positions that fill up a group are those of a neutral message.
            let add = |_, message| sum = P::Combiner::merge(sum, message);
            // SAFETY: I2: the item has these rows.
            unsafe { gather(packed, message, add) };
            // SAFETY: I1; I6: only this warp has the item.
            unsafe { part.finish(a, any.then_some(sum), tally) };
            part = next;
        }
    }
}
