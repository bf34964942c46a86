//! Pulling the messages that are not handled separately.

use pregel_core::device::{
    BIN_LAYERS, BinArguments, Global, REST_LAYERS, WARP, columns, goes_by_bins,
};
use pregel_core::program::{Edge, VertexCompute, Zeroable};

use super::has_silent_edge;
use super::part::Part;
use crate::simt::{barrier, block, blocks, lane, load_const, load_once, thread, threads};
use crate::superstep::gather::Sum;
use crate::superstep::steady::has_halted;
use crate::superstep::vertex::Tally;

/// `pull_rest`, after `bin_apart`, on any number of blocks: as `pull`, except that each sum begins
/// with what hubs sent.
///
/// # Safety
/// `vertices`, `step`, `columns`, `chunks`, `bins` and `batch` are whole (I1), with `bins.rest`;
/// every vertex scattered, and `bin_apart` has run.
#[inline(always)]
pub unsafe fn pull_rest<P: VertexCompute>(a: &BinArguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    // SAFETY: I1.
    let mut tally = unsafe { Tally::<P>::with_last(&a.pull.run) };
    // SAFETY: I1. I5: all threads read the same words, which no thread writes meanwhile.
    if unsafe { has_halted(&a.pull.batch) || has_silent_edge(a) } {
        return;
    }
    let groups = columns::groups(a.pull.run.vertices.count, WARP.trailing_zeros());
    let end = a.pull.chunks.count + (groups - a.pull.chunks.heavy);
    // Neighbours are about equal work: they go to different multiprocessors.
    let mut item = thread() / WARP * blocks() + block();
    let stride = threads() / WARP * blocks();
    // SAFETY: I1; I2: `end` is the number of items; I6: only this warp has the item.
    let mut part = unsafe { Part::<P>::read(a, (item < end).then_some(item)) };
    // SAFETY: as above; no reads if there is no item.
    let mut senders = unsafe { Senders::begin(a, &part) };
    while item < end {
        item += stride;
        // SAFETY: as above.
        let next = unsafe { Part::read(a, (item < end).then_some(item)) };
        let mut sum = Sum::<P>::new();
        sum.add(part.begun());
        // SAFETY: I1; I2: the item has these rows, and their senders are places; I6: as above.
        unsafe {
            let sum = gather(a, senders, sum);
            senders = Senders::begin(a, &next);
            part.finish(a, sum.get(), &mut tally);
        }
        part = next;
    }
    barrier();
    // SAFETY: I5: every thread arrives here; I9: after a barrier.
    unsafe { tally.finish(&a.pull.run, a.pull.chunks.aggregates + block()) };
}

/// The senders of a lane's messages, in rows of a warp, [`REST_LAYERS`] to an element. Two elements are
/// requested before they are needed.
#[derive(Clone, Copy)]
struct Senders {
    numbers: Global<u64>,
    /// The element after those that were requested.
    at: u64,
    /// How many rows are left, from those that were requested.
    rows: u32,
    requested: [u64; 2],
}

impl Senders {
    /// Rows that are requested together.
    const BATCH: u32 = 2 * REST_LAYERS;

    /// Requests the first senders of a part.
    ///
    /// # Safety
    /// `bins` is whole (I1), with `rest`, and the part was read for an item (I2).
    #[inline(always)]
    unsafe fn begin<P: VertexCompute>(a: &BinArguments<P>, part: &Part<P>) -> Self {
        let first = u64::from(part.first) * u64::from(BIN_LAYERS / REST_LAYERS);
        let at = first * u64::from(WARP) + u64::from(lane());
        let rows = part.rows.binned();
        let mut senders = Self { numbers: a.bins.rest, at, rows, requested: [0; 2] };
        // SAFETY: the caller's promise.
        unsafe { senders.request() };
        senders
    }

    /// The senders of the next rows, [`BATCH`](Self::BATCH) at most. Requests those after them.
    ///
    /// # Safety
    /// As for [`begin`](Self::begin).
    #[inline(always)]
    unsafe fn next(&mut self) -> [u64; 2] {
        let next = self.requested;
        self.rows = self.rows.saturating_sub(Self::BATCH);
        // SAFETY: the caller's promise.
        unsafe { self.request() };
        next
    }

    /// # Safety
    /// As for [`begin`](Self::begin).
    #[inline(always)]
    unsafe fn request(&mut self) {
        let read = |k: u32| {
            if self.rows > k * REST_LAYERS {
                // SAFETY: I2: rows are left there; I7: no kernel of a superstep writes them.
                unsafe { load_once(self.numbers, self.at + u64::from(k * WARP)) }
            } else {
                0
            }
        };
        self.requested = [read(0), read(1)];
        self.at += u64::from(2 * WARP);
    }
}

/// Adds to `sum` the messages of each sender of this lane.
///
/// # Safety
/// `vertices` and `step` are whole (I1), and the senders are places (I2).
#[inline(always)]
unsafe fn gather<P: VertexCompute>(
    a: &BinArguments<P>,
    mut senders: Senders,
    mut sum: Sum<P>,
) -> Sum<P> {
    let run = &a.pull.run;
    while senders.rows > 0 {
        let rows = senders.rows;
        // SAFETY: the caller's promise.
        let [p0, p1] = unsafe { senders.next() };
        let message = |k: u32, sender: u32| {
            if rows > k {
                // SAFETY: I2: the sender is a place; I7: `signals` is not written.
                let signal = unsafe { load_const(run.step.signals, sender.into()) };
                run.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()))
            } else {
                None
            }
        };
        // All four are requested before any is used.
        let m0 = message(0, p0 as u32);
        let m1 = message(1, (p0 >> 32) as u32);
        let m2 = message(2, p1 as u32);
        let m3 = message(3, (p1 >> 32) as u32);
        sum.add(m0);
        sum.add(m1);
        sum.add(m2);
        sum.add(m3);
    }
    sum
}
