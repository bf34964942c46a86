//! What resident kernels have in common: control words, waiting for the grid, counts.

use pregel_core::device::shared::{BROUGHT, warp_counts};
use pregel_core::device::{BLOCK, Control, Counts, Global, ResidentArguments, Row, WARP};
use pregel_core::program::Program;

use crate::rows;
use crate::simt::{
    add_u64, ballot, barrier, exchange_u32, grid_barrier, grid_bring, grid_sum, lane,
    load_relaxed_u32, shared_load, shared_store, store, store_relaxed_u32, thread, warp_barrier,
    warp_sum,
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

/// What the blocks bring to the barrier before this superstep.
#[inline(always)]
fn brought<P: Program>(a: &ResidentArguments<P>, superstep: u32) -> Global<u64> {
    Global::at(control(a, Control::Brought, superstep % 3))
}

/// Sets to 0 what they bring, by one thread of the grid.
///
/// # Safety
/// `work` is whole (I1).
#[inline(always)]
pub(super) unsafe fn clear_brought<P: Program>(a: &ResidentArguments<P>, superstep: u32) {
    // SAFETY: the caller's promise; I6: no block comes to that barrier before the next one.
    unsafe { store(brought(a, superstep), 0, 0) };
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
    /// Whether the warp has listed items.
    pub(super) listed: bool,
}

/// Gathers what the threads of a block counted, for [`block_counts`]. Passes a barrier of the block.
///
/// # Safety
/// Blocks have [`BLOCK`] threads (I4), all of which take part (I5); no message is pending (I9).
#[inline(always)]
unsafe fn gather_counts(counted: Counted) {
    let Counted { active, scattering, awake, messages, listed } = counted;
    let sums = if ballot((active | scattering | awake) > 0 || messages > 0 || listed) == 0 {
        [0; 4]
    } else {
        // No warp computes 2³² vertices at a time, and no lane sends 2⁵⁴ messages.
        let [low, high] = [messages & 0x7ff_ffff, messages >> 27].map(|part| part as u32);
        let messages = u64::from(warp_sum(low)) + (u64::from(warp_sum(high)) << 27);
        let messages = messages + if listed { LISTED } else { 0 };
        [warp_sum(active).into(), warp_sum(scattering).into(), warp_sum(awake).into(), messages]
    };
    let mut own = sums[0];
    for kind in 1..KINDS {
        own = if lane() == kind { sums[kind as usize] } else { own };
    }
    if lane() < KINDS {
        // SAFETY: I9: each warp has a place of its own, where nothing is pending any more.
        unsafe { shared_store(warp_counts(thread() / WARP).numbers(), lane(), own) };
    }
    barrier();
}

/// What the threads of a block counted, in all: for each of the first lanes its number of [`Counts`],
/// in the order of the fields; for others 0.
///
/// # Safety
/// All warps have [gathered](gather_counts) what they counted, and nothing else was stored there (I9).
#[inline(always)]
unsafe fn block_counts() -> u64 {
    let mut total = 0;
    if lane() < KINDS {
        for warp in 0..BLOCK / WARP {
            // SAFETY: the caller's promise: the warp stored its sums before the barrier.
            total += unsafe { shared_load(warp_counts(warp).numbers(), lane()) };
        }
    }
    total
}

/// Numbers of [`Counts`].
const KINDS: u32 = (size_of::<Counts>() / size_of::<u64>()) as u32;
const _: () = assert!(KINDS == 4, "in the order of the fields");

/// Adds this lane's number of [`block_counts`] to entry `i` of the trace.
///
/// # Safety
/// `work` is whole (I1), and the trace has such an entry (I2).
#[inline(always)]
unsafe fn add_counts<P: Program>(a: &ResidentArguments<P>, i: u32, total: u64) {
    if total > 0 {
        // SAFETY: I2: the entry exists, and has this number, since other lanes have none; I8.
        unsafe { add_u64(a.work.trace.element(i.into()) + 8 * u64::from(lane()), total) };
    }
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
    // SAFETY: the caller's promise; every warp passes a barrier of the block.
    unsafe {
        gather_counts(counted);
        if thread() < WARP {
            add_counts(a, i, block_counts());
            // The additions come before the arrival of the block's thread 0.
            warp_barrier();
        }
        grid_barrier(control(a, Control::Barrier, 0));
    }
}

/// The warp that speaks for its block at the end of a superstep: if there is little to do, the first ones
/// do it.
const LAST_WARP: u32 = BLOCK / WARP - 1;

/// What all threads know when a superstep has ended.
#[derive(Clone, Copy)]
pub(super) struct Ended {
    /// How many messages the next one sends.
    pub(super) messages: u64,
    /// Whether vertices stay awake, as the trace tells, or the list for the next superstep has items.
    pub(super) more: bool,
}

/// What a block adds to its messages if there is [more](Ended::more) to know. No device holds as many
/// edges.
const MORE: u64 = 1 << 40;

/// What a warp adds to its messages if it has listed items.
const LISTED: u64 = 1 << 60;

/// As [`count_and_wait`], at the end of the superstep before `next`. The barrier itself tells what
/// follows, so that nothing has to be read after it. No thread needs the other counts in this launch, so
/// they are added to the trace after the block's arrival. `meanwhile` runs while the block would wait.
///
/// # Safety
/// As [`count_and_wait`]. What the blocks [bring](brought) was set to 0 before the last barrier of the
/// grid.
#[inline(always)]
pub(super) unsafe fn count_and_learn<P: Program, T>(
    a: &ResidentArguments<P>,
    next: u32,
    i: u32,
    counted: Counted,
    meanwhile: impl FnOnce() -> T,
) -> (Ended, T) {
    /// The lanes that have these numbers of [`Counts`].
    const AWAKE: u32 = 2;
    const MESSAGES: u32 = 3;
    let (word, speaks) = (brought(a, next).address(), thread() == LAST_WARP * WARP + MESSAGES);
    // SAFETY: the caller's promise; every warp passes a barrier of the block. I9: the region of what was
    // brought is nothing else, and a barrier of the block follows before it is stored again.
    unsafe {
        gather_counts(counted);
        if thread() / WARP == LAST_WARP {
            let total = block_counts();
            let stay_awake = ballot(lane() == AWAKE && total > 0) != 0;
            let (total, has_listed) = (total % LISTED, total >= LISTED);
            if stay_awake {
                // This number is needed: the addition comes before the arrival.
                add_counts(a, i, total);
                warp_barrier();
            }
            let more = if stay_awake || has_listed { MORE } else { 0 };
            grid_bring(word, total + more, speaks);
            if !stay_awake {
                add_counts(a, i, total);
            }
        }
        let found = meanwhile();
        let sum = grid_sum(word, speaks);
        if speaks {
            shared_store(BROUGHT, 0, sum);
        }
        barrier();
        let sum = shared_load(BROUGHT, 0);
        (Ended { messages: sum % MORE, more: sum >= MORE }, found)
    }
}
