//! What resident kernels have in common: control words, waiting for the grid, counts.

use pregel_core::device::shared::warp_counts;
use pregel_core::device::{BLOCK, Control, Counts, Global, ResidentArguments, Row, WARP};
use pregel_core::program::Program;

use crate::rows;
use crate::simt::{
    add_u64, ballot, barrier, exchange_u32, grid_barrier, lane, load_relaxed_u32, shared_load,
    shared_store, store_relaxed_u32, thread, warp_barrier, warp_sum,
};

/// Address of a word of [`Control`].
#[inline(always)]
pub(super) fn control<P: Program>(a: &ResidentArguments<P>, word: Control, turn: u32) -> u64 {
    a.work.control.element(word.word(turn))
}

/// The list of this turn.
#[inline(always)]
pub(super) fn list_of_turn<T>(lists: [Global<T>; 2], turn: u32) -> Global<T> {
    match turn % 2 {
        0 => lists[0],
        _ => lists[1],
    }
}

/// Waits for the whole grid.
///
/// # Safety
/// `work` is whole (I1), its barrier was 0 at the launch, all blocks are resident (I4),
/// and all threads of the grid take part (I5).
#[inline(always)]
pub(super) unsafe fn wait_for_grid<P: Program>(a: &ResidentArguments<P>) {
    barrier();
    // SAFETY: the caller's promise: only this function and the next touch the word.
    unsafe { grid_barrier(control(a, Control::Barrier, 0)) }
}

/// The value of a word of [`Control`]: what was written before the last barrier of the
/// grid, at least.
///
/// # Safety
/// `work` is whole (I1), and the word has such a turn (I2).
#[inline(always)]
pub(super) unsafe fn get<P: Program>(a: &ResidentArguments<P>, word: Control, turn: u32) -> u32 {
    // SAFETY: the caller's promise; I8.
    unsafe { load_relaxed_u32(control(a, word, turn)) }
}

/// Sets a word of [`Control`], by one thread of the grid.
///
/// # Safety
/// As [`get`].
#[inline(always)]
pub(super) unsafe fn set<P: Program>(
    a: &ResidentArguments<P>,
    word: Control,
    turn: u32,
    value: u32,
) {
    // SAFETY: the caller's promise; I8: other blocks read the word by relaxed loads.
    unsafe { store_relaxed_u32(control(a, word, turn), value) }
}

/// The row of the vertex at `place`.
///
/// # Safety
/// `rows` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn row<P: Program>(a: &ResidentArguments<P>, place: u32) -> Row {
    // SAFETY: the caller's promise: every row has an end; I7.
    unsafe { rows::row(a.rows.offsets, place.into()) }
}

/// Marks a vertex as listed in `superstep`; returns whether it was not before.
///
/// # Safety
/// `work` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn mark<P: Program>(
    a: &ResidentArguments<P>,
    place: u32,
    superstep: u32,
) -> bool {
    // SAFETY: the caller's promise: there is a mark for every vertex; I8.
    unsafe { exchange_u32(a.work.marks.element(place.into()), superstep) != superstep }
}

/// What a thread has counted in a superstep or round; see [`Counts`].
#[derive(Clone, Copy, Default)]
pub(super) struct Counted {
    pub(super) active: u32,
    pub(super) scattering: u32,
    pub(super) awake: u32,
    pub(super) messages: u64,
}

/// Adds what the threads of a block counted to entry `i` of the trace, and waits for the whole
/// grid. Each block adds once, since all add to the same few words.
///
/// # Safety
/// As [`wait_for_grid`], and the trace has such an entry (I2). Blocks have [`BLOCK`]
/// threads (I4); no message is pending (I9).
#[inline(always)]
pub(super) unsafe fn count_and_wait<P: Program>(
    a: &ResidentArguments<P>,
    i: u32,
    counted: Counted,
) {
    /// Numbers of [`Counts`].
    const KINDS: u32 = (size_of::<Counts>() / size_of::<u64>()) as u32;
    const { assert!(KINDS == 4, "in the order of the fields") };
    let warp = thread() / WARP;
    let Counted { active, scattering, awake, messages } = counted;
    let sums = if ballot((active | scattering | awake) > 0 || messages > 0) == 0 {
        [0; 4]
    } else {
        // No warp computes 2³² vertices at a time, and no lane sends 2⁵⁴ messages.
        let [low, high] = [messages & 0x7ff_ffff, messages >> 27].map(|part| part as u32);
        let messages = u64::from(warp_sum(low)) + (u64::from(warp_sum(high)) << 27);
        [warp_sum(active).into(), warp_sum(scattering).into(), warp_sum(awake).into(), messages]
    };
    let mut own = sums[0];
    for kind in 1..KINDS {
        own = if lane() == kind { sums[kind as usize] } else { own };
    }
    if lane() < KINDS {
        // SAFETY: I9: each warp has a place of its own, where nothing is pending any more.
        unsafe { shared_store(warp_counts(warp).numbers(), lane(), own) };
    }
    barrier();
    if warp == 0 {
        if lane() < KINDS {
            let mut total = 0;
            for warp in 0..BLOCK / WARP {
                // SAFETY: I9: the warp stored its sums before the barrier.
                total += unsafe { shared_load(warp_counts(warp).numbers(), lane()) };
            }
            if total > 0 {
                // SAFETY: I2: the entry exists, and has this number; I8.
                unsafe { add_u64(a.work.trace.element(i.into()) + 8 * u64::from(lane()), total) };
            }
        }
        // The additions come before the arrival of the block's thread 0.
        warp_barrier();
    }
    // SAFETY: the caller's promise; every warp has passed the barrier above.
    unsafe { grid_barrier(control(a, Control::Barrier, 0)) }
}
