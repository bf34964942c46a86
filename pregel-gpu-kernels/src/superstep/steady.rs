//! Supersteps that are queued before it is known how those before them end.

use pregel_core::device::{Batched, COUNTS, Counts, Global, PullArguments, WARP};
use pregel_core::program::{Monoid, VertexCompute};

use crate::collective::{block_reduce, warp_sum_u64};
use crate::simt::{lane, load, store, thread, threads};

/// Whether an earlier superstep of the batch ended it.
///
/// # Safety
/// `batch` is whole (I1).
#[inline(always)]
pub(super) unsafe fn has_halted<P: VertexCompute>(batch: &Batched<P>) -> bool {
    // SAFETY: I1: if there is such a word, it is one. Only `close` writes it, in a launch
    // of its own (I6).
    !batch.halt.is_none() && unsafe { load(batch.halt, 0) } != 0
}

/// The sum of the partial sums, valid in lane 0; they are set to 0. One warp calls it (I5).
///
/// # Safety
/// `counts` has [`COUNTS`] elements (I1), which this warp owns (I6).
#[inline(always)]
unsafe fn take_counts(counts: Global<Counts>) -> Counts {
    let mut sum = Counts::default();
    let mut at = lane();
    while at < COUNTS {
        // SAFETY: the caller's promise: `at` is below `COUNTS`, and each lane has its own.
        unsafe {
            let one = load(counts, at.into());
            sum.active += one.active;
            sum.scattering += one.scattering;
            sum.awake += one.awake;
            sum.messages += one.messages;
            store(counts, at.into(), Counts::default());
        }
        at += WARP;
    }
    Counts {
        active: warp_sum_u64(sum.active),
        scattering: warp_sum_u64(sum.scattering),
        awake: warp_sum_u64(sum.awake),
        messages: warp_sum_u64(sum.messages),
    }
}

/// `close`, one block, the last kernel of a superstep: reduces the aggregates of all
/// blocks, always in the same order, adds up what happened, and halts the supersteps
/// queued behind it if not every vertex scatters or the program has converged.
///
/// # Safety
/// `vertices`, `step`, `turns` and `batch` are whole (I1), and `batch.halt` is not none;
/// this is the only block.
#[inline(always)]
pub unsafe fn close<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: I1. I5: the whole block returns, or no thread of it: the word is written
    // only by thread 0, after the barrier of the reduction.
    if unsafe { has_halted(&a.batch) } {
        return;
    }
    let mut total = P::Aggregate::identity();
    let mut at = thread();
    while at < a.run.step.partial_count {
        // SAFETY: I2: `at` is below the number of partial results.
        let partial = unsafe { load(a.run.step.partials, at.into()) };
        total = P::Aggregate::combine(total, partial);
        at += threads();
    }
    let total = block_reduce(total, P::Aggregate::identity(), P::Aggregate::combine);
    if thread() < WARP {
        // SAFETY: I1, I6: this is the only warp that reads or writes the counts.
        let counts = unsafe { take_counts(a.run.step.counts) };
        if thread() == 0 {
            // SAFETY: I2: `entry` is below the number of entries; the others are one value
            // each. I6: this is the only thread that writes them.
            unsafe {
                store(a.run.step.total, 0, total);
                store(a.turns.next, 0, 0);
                store(a.batch.totals, a.batch.entry.into(), total);
                store(a.batch.counts, a.batch.entry.into(), counts);
                let everyone = counts.scattering == u64::from(a.run.vertices.count);
                let halts = !everyone || a.run.program.converged(&total);
                store(a.batch.halt, 0, if halts { a.batch.entry + 1 } else { 0 });
            }
        }
    }
}
