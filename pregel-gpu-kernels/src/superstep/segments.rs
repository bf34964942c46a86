//! A segmented combine of the row-major message buffer, as Medusa does it.

use pregel_core::device::{Arguments, Global, SEGMENT_TILE, WARP};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::gather::Sum;
use super::vertex::{Tally, compute_combined, wants};
use crate::collective::warp_segments;
use crate::simt::{block, index, lane, load_const, load_once, shuffle, shuffle_value, store, warp};

/// No vertex.
const NOBODY: u32 = u32::MAX;

/// What the slots of one vertex come to so far.
#[derive(Clone, Copy)]
struct Run<M> {
    receiver: u32,
    value: Option<M>,
    /// Whether the vertex's first slot is in this tile.
    begun: bool,
}

/// `segments`, a warp a tile: combines neighbouring messages of one receiver.
///
/// # Safety
/// `mailbox` and `segments` are whole; `heads_present` and `tails_present` are
/// 0; groups are of one vertex.
#[inline(always)]
pub unsafe fn segments<P: VertexCompute>(a: &Arguments<P>) {
    let s = &a.segments;
    let tile = warp();
    let first = tile * SEGMENT_TILE;
    // The whole warp returns, or none of it.
    if first >= s.slots {
        return;
    }
    let end = s.slots.min(first + SEGMENT_TILE);
    // SAFETY: all slots lie below the number of slots; a vertex's place is
    // written by the lane that ends its segment.
    unsafe {
        let before = if first > 0 { load_const(s.receivers, first - 1) } else { NOBODY };
        let mut run = Run { receiver: before, value: None, begun: false };
        let mut step = first;
        while step < end {
            let slot = step + u64::from(lane());
            let (mut receiver, mut value) = (NOBODY, None);
            if slot < end {
                receiver = load_once(s.receivers, slot);
                if load_once(a.mailbox.present, slot) != 0 {
                    value = Some(load_once(a.mailbox.messages, slot));
                }
            }
            let left = shuffle(receiver, lane().saturating_sub(1));
            let left = if lane() == 0 { run.receiver } else { left };
            let head = receiver != left;
            let segment = warp_segments(value, head, P::Combiner::merge);
            // The run so far ended just before this step.
            if lane() == 0 && head && step > first {
                put_inside(a, tile, run);
            }
            let mut own = Run { receiver, value: segment.value, begun: segment.begun };
            if !segment.begun {
                own.value = merged::<P>(run.value, own.value);
                own.begun = run.begun;
            }
            if segment.closed && receiver != NOBODY {
                put_inside(a, tile, own);
            }
            run = from_last_lane(own);
            step += u64::from(WARP);
        }
        if lane() == 0 && run.receiver != NOBODY {
            let goes_on = end < s.slots && load_const(s.receivers, end) == run.receiver;
            match goes_on && run.begun {
                true => put(s.tails, s.tails_present, tile, run.value),
                false => put_inside(a, tile, run),
            }
        }
    }
}

/// Keeps a run that ends in this tile, or fills it.
#[inline(always)]
unsafe fn put_inside<P: VertexCompute>(a: &Arguments<P>, tile: u64, run: Run<Message<P>>) {
    let s = &a.segments;
    // SAFETY: each vertex and each tile has a place of its own.
    unsafe {
        match run.begun {
            true => put(s.combined, s.combined_present, run.receiver.into(), run.value),
            false => put(s.heads, s.heads_present, tile, run.value),
        }
    }
}

#[inline(always)]
unsafe fn put<M: bytemuck::Pod>(values: Global<M>, present: Global<u8>, at: u64, value: Option<M>) {
    // SAFETY: as the caller promises.
    unsafe {
        store(present, at, u8::from(value.is_some()));
        if let Some(value) = value {
            store(values, at, value);
        }
    }
}

#[inline(always)]
fn merged<P: VertexCompute>(a: Option<Message<P>>, b: Option<Message<P>>) -> Option<Message<P>> {
    match (a, b) {
        (Some(a), Some(b)) => Some(P::Combiner::merge(a, b)),
        (a, b) => a.or(b),
    }
}

/// The last lane's run, in every lane.
#[inline(always)]
fn from_last_lane<M: bytemuck::Pod>(run: Run<M>) -> Run<M> {
    let last = WARP - 1;
    let flags = shuffle(u32::from(run.begun) << 1 | u32::from(run.value.is_some()), last);
    let value = shuffle_value(run.value.unwrap_or(M::zeroed()), last);
    Run {
        receiver: shuffle(run.receiver, last),
        value: (flags & 1 != 0).then_some(value),
        begun: flags & 2 != 0,
    }
}

/// `segment_vertices`, a thread a vertex: takes what was combined and computes.
///
/// # Safety
/// `columns` and `segments` are whole; `segments` has run.
#[inline(always)]
pub unsafe fn segment_vertices<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.vertices.count.into() {
        let place = index();
        let s = &a.segments;
        // SAFETY: the place is that of a vertex, whose slots lie in these tiles.
        unsafe {
            let degree = load_const(a.columns.degrees, place);
            let mut sum = Sum::<P>::new();
            if degree > 0 && wants(a, place as u32) {
                let begin = load_const(a.columns.bases, place);
                let (first, last) =
                    (begin / SEGMENT_TILE, (begin + u64::from(degree) - 1) / SEGMENT_TILE);
                if first == last {
                    sum.add(get(s.combined, s.combined_present, place));
                } else {
                    sum.add(get(s.tails, s.tails_present, first));
                    for tile in first + 1..=last {
                        sum.add(get(s.heads, s.heads_present, tile));
                    }
                }
            }
            compute_combined(a, place as u32, sum.get(), &mut tally);
        }
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, block()) };
}

#[inline(always)]
unsafe fn get<M: bytemuck::Pod>(values: Global<M>, present: Global<u8>, at: u64) -> Option<M> {
    // SAFETY: as the caller promises.
    unsafe { (load_const(present, at) != 0).then(|| load_const(values, at)) }
}
