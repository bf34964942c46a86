//! Combining the hubs' messages, which skip the bins.

use pregel_core::device::{BEGUN, BinArguments, WARP, columns, goes_by_bins};
use pregel_core::program::{Edge, Message, VertexCompute, Zeroable};

use super::{Packed, gather, report_silent, stage};
use crate::simt::{block, blocks, gather_staged, load, load_const, store, thread, threads};
use crate::superstep::gather::{Sum, partial_slot};
use crate::superstep::steady::has_halted;

/// `bin_apart`, on any number of blocks of up to 1,024 threads with room for the signals of
/// a range: combines the messages of the first ranges, for each lane of each item. An item
/// belongs to the same warp in every range, which goes on with its own sums.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `bins` and `batch` are whole (I1); every
/// vertex scattered.
#[inline(always)]
pub unsafe fn bin_apart<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    // SAFETY: I1. I5: all threads read the same word, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) } {
        return;
    }
    let mut all_sent = true;
    let mut range = 0;
    while range < b.apart_ranges {
        let first = range * b.range;
        let signals = (a.pull.run.vertices.count - first).min(b.range);
        let bytes = signals * size_of::<P::Signal>() as u32;
        // SAFETY: I2: the signals of the range; I3: a range begins at a multiple of 16 bytes;
        // I4, I7; I5: every thread arrives here.
        unsafe { stage(0, a.pull.run.step.signals.element(first.into()), bytes, || ()) };
        // SAFETY: I1; I5: the range is the same in the whole block.
        all_sent &= unsafe { combine_range(a, range) };
        range += 1;
    }
    // SAFETY: I1; I5: every lane arrives here.
    unsafe { report_silent(b, all_sent) };
}

/// What a lane of an item has to combine.
struct Part<P: VertexCompute> {
    /// Its layers, with the mark that the sum has begun.
    layers: u8,
    /// Where the item's numbers begin.
    first: u32,
    /// The sum so far, if it has begun.
    begun: Message<P>,
}

/// Combines the messages of a range, which are those of `b.apart_ranges`, with what earlier
/// ranges sent. Returns whether every edge of this lane sent one.
///
/// # Safety
/// `chunks` and `bins` are whole (I1), and the signals of the range are staged (I9). All
/// lanes of the warp take part (I5), and no other warp has the same items (I6).
#[inline(always)]
unsafe fn combine_range<P: VertexCompute>(a: &BinArguments<P>, range: u32) -> bool {
    let b = &a.bins;
    let groups = columns::groups(a.pull.run.vertices.count, WARP.trailing_zeros());
    let items = a.pull.chunks.count + (groups - a.pull.chunks.heavy);
    let before = u64::from(range) * u64::from(items);
    // SAFETY: I2: there is an end for the range; I7.
    let end: u32 = unsafe { load_const(b.apart_ends, range.into()) };
    let read = |item: u32| {
        let mut part = Part::<P> { layers: 0, first: 0, begun: Zeroable::zeroed() };
        if item < end {
            // SAFETY: I2: the item exists, with 32 lanes; I7 for the layers. I10: the sum is
            // used only if it has begun; then this lane wrote it (I6).
            unsafe {
                let lanes = before * u64::from(WARP);
                part.layers = load_const(b.apart_lanes, lanes + partial_slot(item));
                part.first = load_const(b.apart_firsts, before + u64::from(item));
                if range > 0 {
                    part.begun = load(b.apart_sums, partial_slot(item));
                }
            }
        }
        part
    };
    // Neighbours are about equal work: they go to different multiprocessors.
    let mut item = thread() / WARP * blocks() + block();
    let stride = threads() / WARP * blocks();
    let mut next = read(item);
    let mut all_sent = true;
    while item < end {
        let part = next;
        next = read(item + stride);
        let rows = u32::from(part.layers & !BEGUN);
        let packed = Packed { numbers: b.apart_senders, first: part.first, rows };
        // SAFETY: I2: the sender is in the range, as is its first place; I9: its signal is staged.
        let signal = |sender| -> P::Signal { unsafe { gather_staged(sender) } };
        let mut sum = Sum::<P>::new();
        sum.add((part.layers & BEGUN != 0).then_some(part.begun));
        let add = |exists: bool, signal| {
            if exists {
                let edge = Edge::new(Zeroable::zeroed());
                let message = a.pull.run.program.edge_compute(&signal, edge);
                all_sent &= message.is_some();
                sum.add(message);
            }
        };
        // SAFETY: I2: the item has these rows.
        unsafe { gather(packed, signal, add) };
        if rows > 0
            && let Some(sum) = sum.get()
        {
            // SAFETY: I2: the item exists; I6: only this warp has it.
            unsafe { store(b.apart_sums, partial_slot(item), sum) };
        }
        item += stride;
    }
    all_sent
}
