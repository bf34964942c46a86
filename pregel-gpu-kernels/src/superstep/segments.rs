//! A segmented combine of the row-major message buffer, as in Medusa.

use bytemuck::Pod;
use pregel_core::device::{Global, MedusaArguments, SEGMENT_TILE, WARP};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::gather::Sum;
use super::vertex::{Tally, compute_combined, wants_message};
use crate::collective::warp_segments;
use crate::simt::{block, index, lane, load_const, load_once, shuffle, shuffle_value, store, warp};

/// No vertex.
const NO_RECEIVER: u32 = u32::MAX;

/// What the slots of one vertex have been combined to so far.
#[derive(Clone, Copy)]
struct Run<M> {
    receiver: u32,
    value: Option<M>,
    /// Whether the vertex's first slot is in this tile.
    begun: bool,
}

/// `segments`, one warp per tile: combines neighbouring messages of one receiver.
///
/// # Safety
/// `mailbox` and `segments` are whole (I1); `heads_present` and `tails_present` are 0;
/// groups have one vertex; `send` has run.
#[inline(always)]
pub unsafe fn segments<P: VertexCompute>(a: &MedusaArguments<P>) {
    let s = &a.segments;
    let tile = warp();
    let first = tile * SEGMENT_TILE;
    // I5: the whole warp returns, or no lane of it.
    if first >= s.slots {
        return;
    }
    let end = s.slots.min(first + SEGMENT_TILE);
    let before = if first > 0 {
        // SAFETY: I2: the slot before the first exists; I7.
        unsafe { load_const(s.receivers, first - 1) }
    } else {
        NO_RECEIVER
    };
    let mut run = Run { receiver: before, value: None, begun: false };
    let mut step = first;
    while step < end {
        let slot = step + u64::from(lane());
        let (mut receiver, mut value) = (NO_RECEIVER, None);
        if slot < end {
            // SAFETY: I2: the slot is below `slots`; I7.
            unsafe {
                receiver = load_once(s.receivers, slot);
                if load_once(a.mail.mailbox.present, slot) != 0 {
                    value = Some(load_once(a.mail.mailbox.messages, slot));
                }
            }
        }
        let left = shuffle(receiver, lane().saturating_sub(1));
        let left = if lane() == 0 { run.receiver } else { left };
        let head = receiver != left;
        let segment = warp_segments(value, head, P::Combiner::merge);
        // The run so far ended just before this step.
        if lane() == 0 && head && step > first {
            // SAFETY: I2: its receiver is a place; I6: it ended here.
            unsafe { store_ended(a, tile, run) };
        }
        let mut own = Run { receiver, value: segment.value, begun: segment.begun };
        if !segment.begun {
            own.value = merge_options::<P>(run.value, own.value);
            own.begun = run.begun;
        }
        if segment.closed && receiver != NO_RECEIVER {
            // SAFETY: I2: the receiver is a place; I6: its segment ends in this lane.
            unsafe { store_ended(a, tile, own) };
        }
        run = from_last_lane(own);
        step += u64::from(WARP);
    }
    if lane() == 0 && run.receiver != NO_RECEIVER {
        // SAFETY: I2: checked: the slot behind the tile exists; I7.
        let goes_on = end < s.slots && unsafe { load_const(s.receivers, end) } == run.receiver;
        let is_tail = goes_on && run.begun;
        // SAFETY: I2: the tile and the receiver exist; I6: the tile is this warp's, and the
        // receiver ends in it if it does not go on.
        unsafe {
            if is_tail {
                store_option(s.tails, s.tails_present, tile, run.value);
            } else {
                store_ended(a, tile, run);
            }
        }
    }
}

/// Writes a run that ends in this tile, or fills it.
///
/// # Safety
/// `segments` is whole (I1), the tile and the receiver exist (I2), and no other lane
/// writes a run of this receiver from this tile (I6).
#[inline(always)]
unsafe fn store_ended<P: VertexCompute>(a: &MedusaArguments<P>, tile: u64, run: Run<Message<P>>) {
    let s = &a.segments;
    // SAFETY: the caller's promise; I6: a vertex begins in one tile, and a tile begins with
    // one vertex.
    unsafe {
        if run.begun {
            store_option(s.combined, s.combined_present, run.receiver.into(), run.value);
        } else {
            store_option(s.heads, s.heads_present, tile, run.value);
        }
    }
}

/// Writes a value, or that there is none.
///
/// # Safety
/// Both arrays have more than `at` elements (I2), and this thread owns these (I6).
#[inline(always)]
unsafe fn store_option<M: Pod>(values: Global<M>, present: Global<u8>, at: u64, value: Option<M>) {
    // SAFETY: the caller's promise.
    unsafe {
        store(present, at, u8::from(value.is_some()));
        if let Some(value) = value {
            store(values, at, value);
        }
    }
}

/// A value, if there is one.
///
/// # Safety
/// Both arrays have more than `at` elements (I2), and no thread writes them (I7).
#[inline(always)]
unsafe fn load_option<M: Pod>(values: Global<M>, present: Global<u8>, at: u64) -> Option<M> {
    // SAFETY: the caller's promise.
    unsafe { (load_const(present, at) != 0).then(|| load_const(values, at)) }
}

#[inline(always)]
fn merge_options<P: VertexCompute>(
    a: Option<Message<P>>,
    b: Option<Message<P>>,
) -> Option<Message<P>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(P::Combiner::merge(a, b)),
        (a, b) => a.or(b),
    }
}

/// The last lane's run, in every lane. All lanes of the warp take part (I5).
#[inline(always)]
fn from_last_lane<M: Pod>(run: Run<M>) -> Run<M> {
    let last = WARP - 1;
    let flags = shuffle(u32::from(run.begun) << 1 | u32::from(run.value.is_some()), last);
    let value = shuffle_value(run.value.unwrap_or(M::zeroed()), last);
    Run {
        receiver: shuffle(run.receiver, last),
        value: (flags & 1 != 0).then_some(value),
        begun: flags & 2 != 0,
    }
}

/// `segment_vertices`, one thread per vertex: takes what was combined and computes.
///
/// # Safety
/// `vertices`, `step`, `columns` and `segments` are whole (I1); `segments` has run.
#[inline(always)]
pub unsafe fn segment_vertices<P: VertexCompute>(a: &MedusaArguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.mail.run.vertices.count.into() {
        let place = index();
        let s = &a.segments;
        let mut sum = Sum::<P>::new();
        // SAFETY: I2: the place is below `vertices.count`, and its slots lie in these
        // tiles; I6: this thread owns it; I7.
        unsafe {
            let degree = load_const(a.mail.columns.degrees, place);
            if degree > 0 && wants_message(&a.mail.run, place as u32) {
                let begin = load_const(a.mail.columns.bases, place);
                let (first, last) =
                    (begin / SEGMENT_TILE, (begin + u64::from(degree) - 1) / SEGMENT_TILE);
                if first == last {
                    sum.add(load_option(s.combined, s.combined_present, place));
                } else {
                    sum.add(load_option(s.tails, s.tails_present, first));
                    for tile in first + 1..=last {
                        sum.add(load_option(s.heads, s.heads_present, tile));
                    }
                }
            }
            compute_combined(&a.mail.run, place as u32, sum.get(), &mut tally);
        }
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(&a.mail.run, block()) };
}
