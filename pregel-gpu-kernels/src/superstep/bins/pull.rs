//! Pulling messages from bins.

use pregel_core::device::shared::NEXT_TURN;
use pregel_core::device::{BinArguments, Global, LaneLayers, WARP, goes_by_bins, granule};
use pregel_core::program::{Message, VertexCompute, Zeroable};

use super::{Packed, gather, has_silent_edge, prefetch_between, stage};
use crate::simt::{
    add_u32, barrier, block, blocks, lane, load_const, load_staged, prefetch, shared_load,
    shared_store, thread, threads,
};
use crate::superstep::gather::{Sum, group_of_item, layers_of_chunk, partial_slot, store_partial};
use crate::superstep::steady::has_halted;
use crate::superstep::vertex::{Tally, compute_with_state, state};

/// `bin_pull`, after `bin_send`, on any number of blocks of up to 512 threads with room for
/// the messages of a bin: as `pull`, except that each block takes the next bin.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `turns`, `bins` and `batch` are whole (I1);
/// `bin_send` has run, and `bin_apart` if `bins.apart_ranges` is not 0.
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
        let granules: u64 = load_const(b.by_bin, u64::from(bin) * u64::from(b.ranges));
        granules * u64::from(granule::<Message<P>>())
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
        // SAFETY: I2: the messages of the bin; I3: granules are multiples of 16 bytes; I4, I7;
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
            if a.bins.apart_ranges > 0 {
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
