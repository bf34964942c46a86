//! Combining the hubs' messages, which skip the bins.

use pregel_core::device::{BinArguments, LaneLayers, WARP, columns, goes_by_bins};
use pregel_core::program::{Edge, VertexCompute, Zeroable};

use super::{Packed, gather, report_silent, stage};
use crate::simt::{block, blocks, load_const, load_staged, store, thread, threads};
use crate::superstep::gather::{Sum, partial_slot};
use crate::superstep::steady::has_halted;

/// `bin_apart`, on any number of blocks of up to 1,024 threads with room for the signals of
/// the first range: combines its messages, for each lane of each item.
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
