//! Joins the partial results of heavy groups.

use pregel_core::device::{Chunks, JoinPart, MailboxArguments, PullArguments, Run, WARP};
use pregel_core::program::{Message, VertexCompute};

use super::gather::{Sum, partial_slot, store_partial};
use super::steady::has_halted;
use super::vertex::{Tally, compute_combined};
use crate::simt::{
    add_u32, ballot, block, blocks, fence, lane, load, load_const, store_relaxed_u32, thread,
    threads, warp_barrier,
};

/// Combines this lane's partial results from `first` to before `end`: of chunks or, behind these, of parts.
///
/// # Safety
/// `chunks` is whole (I1), `first` is at most `end`, and these partial results exist (I2). No other thread
/// writes them meanwhile (I6).
#[inline(always)]
unsafe fn combine_partials<P: VertexCompute>(chunks: &Chunks<P>, [first, end]: [u32; 2]) -> Sum<P> {
    let read = |at: u64, exists: bool| {
        // SAFETY: I2: only called with slots below `end`. I10: the bits of an absent
        // message are read, and not used.
        let (present, message) = unsafe { (load(chunks.present, at), load(chunks.messages, at)) };
        Sum::<P>::of((exists && present != 0).then_some(message))
    };
    let (mut chunk, mut sum) = (first, Sum::<P>::new());
    // Eight are read before any is used. Of wide ones, only four fit the registers.
    while size_of::<Message<P>>() <= 8 && end - chunk >= 8 {
        let at = partial_slot(chunk);
        let early = join_four(|k| read(at + u64::from(k * WARP), true));
        let late = join_four(|k| read(at + u64::from((4 + k) * WARP), true));
        sum = sum.join(early.join(late));
        chunk += 8;
    }
    while chunk < end {
        // After the end the last is read again, to avoid branches.
        let last = end - chunk - 1;
        sum = sum.join(join_four(|k| read(partial_slot(chunk + k.min(last)), k <= last)));
        chunk += 4;
    }
    sum
}

/// Joins four sums by pairs: where each waits for the one before, the assembler also reads one after
/// the other.
#[inline(always)]
fn join_four<P: VertexCompute>(read: impl Fn(u32) -> Sum<P>) -> Sum<P> {
    let (s0, s1, s2, s3) = (read(0), read(1), read(2), read(3));
    s0.join(s1).join(s2.join(s3))
}

/// Whether this warp is the last to have joined a part of the group. What the others have stored is then
/// visible to it.
///
/// # Safety
/// `chunks` is whole (I1), and the part is one of a group that has several (I2). All lanes of the warp
/// take part (I5).
#[inline(always)]
unsafe fn is_last<P: VertexCompute>(chunks: &Chunks<P>, part: &JoinPart) -> bool {
    // After it, lane 0 speaks for all lanes: its first fence makes visible what they have stored, its
    // second what others have.
    warp_barrier();
    let mut is_last = false;
    if lane() == 0 {
        let arrived = chunks.arrived.element(part.head.into());
        // SAFETY: I2: a part of such a group has a word; I8: it is only added to, until the last warp
        // sets it to 0 again.
        unsafe {
            fence();
            is_last = add_u32(arrived, 1) + 1 == part.of;
            if is_last {
                store_relaxed_u32(arrived, 0);
                fence();
            }
        }
    }
    let is_last = ballot(is_last) != 0;
    warp_barrier();
    is_last
}

/// Joins partial results and runs the vertices of heavy groups. A warp takes a part in turns; the last of
/// those that have joined the parts of a group joins their results. The order depends only on the number
/// of partial results.
///
/// # Safety
/// `vertices`, `step` and `chunks` are whole (I1), and all partial results are written.
/// All threads of the block take part (I5).
#[inline(always)]
unsafe fn join<P: VertexCompute>(run: &Run<P>, chunks: &Chunks<P>) {
    let mut tally = Tally::<P>::new();
    // Neighbours have about as many chunks: they go to different multiprocessors.
    let mut number = thread() / WARP * blocks() + block();
    while number < chunks.parts {
        // SAFETY: I2: the part exists; I7.
        let part: JoinPart = unsafe { load_const(chunks.joined, number.into()) };
        let (mut range, mut others) = ([part.first, part.end], part.of > 1);
        loop {
            // SAFETY: I2: the chunks are those of the part, or the results those of the group's parts; I6: all
            // are written, for this warp is the last.
            let sum = unsafe { combine_partials::<P>(chunks, range) };
            if !others {
                let place = part.group * WARP + lane();
                let is_apart = part.of > 1 && chunks.in_order != 0;
                let before = is_apart.then(|| tally.begin_apart());
                if place < run.vertices.count {
                    // SAFETY: I2: checked; I6: no other warp is the last of this group.
                    unsafe { compute_combined(run, place, sum.get(), &mut tally) };
                }
                if let Some(before) = before {
                    // SAFETY: I2: there is one for each such group; I5: the lanes of a warp have the same
                    // part; I6: as above.
                    unsafe { tally.end_apart(run, blocks() + part.rank, before) };
                }
                break;
            }
            // SAFETY: I2: the part is one of several; I5: as above; I6: only this warp has it.
            let is_last = unsafe {
                store_partial(chunks, partial_slot(chunks.count + number), sum.get());
                is_last(chunks, &part)
            };
            if !is_last {
                break;
            }
            let first = chunks.count + part.head;
            (range, others) = ([first, first + part.of], false);
        }
        number += threads() / WARP * blocks();
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(run, block()) };
}

/// `pull_heavy`, after `pull`, on any number of blocks.
///
/// # Safety
/// `vertices`, `step`, `chunks` and `batch` are whole (I1); `pull` has run.
#[inline(always)]
pub unsafe fn pull_heavy<P: VertexCompute>(a: &PullArguments<P>) {
    // SAFETY: the caller's promise; I5: all threads read the same word, which no thread
    // writes meanwhile.
    unsafe {
        if !has_halted(&a.batch) {
            join(&a.run, &a.chunks);
        }
    }
}

/// `read_heavy`, after `read_chunks`, on any number of blocks.
///
/// # Safety
/// `vertices`, `step` and `chunks` are whole (I1); `read_chunks` has run.
#[inline(always)]
pub unsafe fn read_heavy<P: VertexCompute>(a: &MailboxArguments<P>) {
    // SAFETY: the caller's promise.
    unsafe { join(&a.run, &a.chunks) }
}
