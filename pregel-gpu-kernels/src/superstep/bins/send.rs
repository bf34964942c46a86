//! Sending messages into bins.

use pregel_core::device::{BinArguments, Bins, Global, goes_by_bins, granule};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Zeroable};

use super::{PREFETCHED, first_of_range, prefetch_between, report_silent, stage};
use crate::simt::{
    block, blocks, gather_staged, load_once, store_four, store_two, thread, threads,
};
use crate::superstep::steady::has_halted;

/// `bin_send`, on any number of blocks of up to 1,024 threads with room for the signals of
/// a range: each takes an equal share of the granules.
///
/// # Safety
/// `vertices`, `step`, `bins` and `batch` are whole (I1); every vertex scattered.
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
                let senders = |first: u64| b.senders.element(first * senders_of_granule::<P>());
                // SAFETY: I2: the granules exist in both arrays, or are their end.
                unsafe {
                    prefetch_between(senders(from), senders(soon));
                    prefetch_between(b.targets.element(from), b.targets.element(soon));
                }
            };
            // SAFETY: I2: the signals of the range; I3: a range begins at a multiple of 16
            // bytes; I4, I7; I5: `from`, `to` and `end` are the same in the whole block.
            unsafe {
                stage(0, a.pull.run.step.signals.element(first.into()), bytes, prefetch_edges);
                all_sent &= send_granules(a, from, to);
            }
        }
        from = to;
        range += 1;
    }
    // SAFETY: I1; I5: every lane arrives here.
    unsafe { report_silent(b, all_sent) };
}

/// Messages that a lane sends at a time. The lanes of a warp must write whole sectors of
/// memory with each instruction, of which one writes at most 16 bytes per lane.
pub(super) const fn messages_of_lane<P: VertexCompute>() -> u32 {
    if size_of::<Message<P>>() == 8 { 2 } else { 4 }
}

/// Elements of [`Bins::senders`] for each granule.
const fn senders_of_granule<P: VertexCompute>() -> u64 {
    (granule::<Message<P>>() / 4) as u64
}

/// The senders of the messages of a lane, the first in the lowest 16 bits. The number counts
/// such lanes.
///
/// # Safety
/// `bins` is whole (I1), and the messages exist (I2).
#[inline(always)]
unsafe fn senders_of_lane<P: VertexCompute>(b: &Bins<P>, number: u64) -> u64 {
    // SAFETY: the caller's promise; I3: half an element is aligned to its size; I7.
    unsafe {
        if messages_of_lane::<P>() == 2 {
            let halves: Global<u32> = Global::at(b.senders.address());
            u64::from(load_once(halves, number))
        } else {
            load_once(b.senders, number)
        }
    }
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
    let each = messages_of_lane::<P>();
    let (size, lanes) = (granule::<Message<P>>(), granule::<Message<P>>() / each);
    let own = u64::from(thread() % lanes);
    let stride = u64::from(threads() / lanes);
    let mut granule = from + u64::from(thread() / lanes);
    let mut all_sent = true;
    let read = |granule: u64| {
        // After the end the last granule is read again, to avoid a branch.
        let granule = granule.min(to - 1);
        // SAFETY: I2: the granule is below `to`; I7.
        unsafe {
            let senders = senders_of_lane(b, granule * u64::from(lanes) + own);
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
            let signal: P::Signal = unsafe { gather_staged((senders >> (16 * k)) as u32 & 0xffff) };
            let message = a.pull.run.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()));
            all_sent &= message.is_some();
            message.unwrap_or(P::Combiner::neutral())
        };
        let at = u64::from(target) * u64::from(size) + u64::from(each) * own;
        // SAFETY: I2: the target is a granule; I6: only this granule has it, and of it this
        // lane these messages.
        unsafe {
            if each == 2 {
                store_two(b.messages, at, [message(0), message(1)]);
            } else {
                store_four(b.messages, at, [message(0), message(1), message(2), message(3)]);
            }
        }
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
