//! Supersteps that are queued before it is known how those before them end.

use pregel_core::device::{Arguments, COUNTS, Counts, Global, WARP};
use pregel_core::program::{Monoid, VertexCompute};

use crate::collective::{block_reduce, warp_sum_u64};
use crate::simt::{lane, load, store, thread, threads};

/// Whether a superstep before this one ended the row.
#[inline(always)]
pub(super) unsafe fn halted<P: VertexCompute>(a: &Arguments<P>) -> bool {
    // SAFETY: if there is such a word, it is one.
    !a.steady.halt.is_none() && unsafe { load(a.steady.halt, 0) } != 0
}

/// The sum of the counts of all warps, valid in lane 0; they begin again at 0. A
/// warp takes part.
#[inline(always)]
unsafe fn take_counts(counts: Global<Counts>) -> Counts {
    let mut sum = Counts { active: 0, scattering: 0, awake: 0, messages: 0 };
    let mut at = lane();
    while at < COUNTS {
        // SAFETY: there are so many, and each lane has its own.
        unsafe {
            let one = load(counts, at.into());
            sum.active += one.active;
            sum.scattering += one.scattering;
            sum.awake += one.awake;
            sum.messages += one.messages;
            store(counts, at.into(), Counts { active: 0, scattering: 0, awake: 0, messages: 0 });
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
/// blocks, always in the same order, adds up what happened, and tells the supersteps
/// behind it to halt if not every vertex scatters or the program has converged.
///
/// # Safety
/// `step` and `steady` are whole.
#[inline(always)]
pub unsafe fn close<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: the whole block returns, or nobody; there are so many partial results.
    unsafe {
        if halted(a) {
            return;
        }
        let mut total = P::Aggregate::identity();
        let mut at = thread();
        while at < a.step.partial_count {
            total = P::Aggregate::combine(total, load(a.step.partials, at.into()));
            at += threads();
        }
        let total = block_reduce(total, P::Aggregate::identity(), P::Aggregate::combine);
        if thread() < WARP {
            let counts = take_counts(a.step.counts);
            if thread() == 0 {
                store(a.step.total, 0, total);
                store(a.step.next, 0, 0);
                store(a.steady.totals, a.steady.entry.into(), total);
                store(a.steady.counts, a.steady.entry.into(), counts);
                let everyone = counts.scattering == u64::from(a.vertices.count);
                let halts = !everyone || a.program.converged(&total);
                store(a.steady.halt, 0, if halts { a.steady.entry + 1 } else { 0 });
            }
        }
    }
}
