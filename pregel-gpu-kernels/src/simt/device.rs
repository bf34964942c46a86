//! The SIMT layer on NVIDIA hardware, in PTX.
//!
//! Barriers, shuffles and votes are LLVM intrinsics: the compiler knows that they are
//! convergent, and neither moves nor duplicates them. Loads, stores and atomics are
//! inline assembly: Rust has no address spaces and no scopes for atomics.

#[path = "device/global.rs"]
mod global;
#[path = "device/shared.rs"]
mod shared;

use core::arch::asm;
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

pub use global::*;
pub use shared::*;

/// Every lane of the warp.
const ALL: u32 = u32::MAX;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
    fn barrier_sync(id: u32);
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn warp_sync(mask: u32);
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot(mask: u32, predicate: bool) -> u32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: u32, value: u32, from: u32, clamp: u32) -> u32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    fn match_any_sync(mask: u32, value: u32) -> u32;
    #[link_name = "llvm.nvvm.redux.sync.add"]
    fn redux_add(value: u32, mask: u32) -> u32;
}

/// The same number, hidden from the compiler: a loop that begins with it is not
/// unrolled.
#[inline(always)]
pub fn opaque(number: u32) -> u32 {
    let same;
    // SAFETY: copies a register.
    unsafe {
        asm!(
            "mov.u32 {r}, {n};",
            r = out(reg32) same,
            n = in(reg32) number,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    same
}

/// Number of this thread in its block.
#[inline(always)]
pub fn thread() -> u32 {
    // SAFETY: reads a register that always exists.
    unsafe { _thread_idx_x() as u32 }
}

/// Number of this block.
#[inline(always)]
pub fn block() -> u32 {
    // SAFETY: reads a register that always exists.
    unsafe { _block_idx_x() as u32 }
}

/// Number of blocks.
#[inline(always)]
pub fn blocks() -> u32 {
    // SAFETY: reads a register that always exists.
    unsafe { _grid_dim_x() as u32 }
}

/// Number of threads in a block.
#[inline(always)]
pub fn threads() -> u32 {
    // SAFETY: reads a register that always exists.
    unsafe { _block_dim_x() as u32 }
}

/// Number of this lane in its warp.
#[inline(always)]
pub fn lane() -> u32 {
    thread() % 32
}

/// Waits for all threads of the block (I5), and makes their writes visible to each other.
#[inline(always)]
pub fn barrier() {
    // SAFETY: I5: every thread of the block arrives.
    unsafe { barrier_sync(0) }
}

/// Waits for all lanes of the warp (I5), and makes their writes visible to each other.
#[inline(always)]
pub fn warp_barrier() {
    // SAFETY: I5: every lane of the warp takes part.
    unsafe { warp_sync(ALL) }
}

/// Waits until thread 0 of every block has come here; all threads of the grid take part (I5).
/// Then what a block did before its last [`barrier`], and its thread 0 since, is done and visible
/// to all.
///
/// # Safety
/// All blocks are resident (I4). `arrived` is the address of a word that is 0 when the
/// launch begins and that only the functions of this barrier touch.
#[inline(always)]
pub unsafe fn grid_barrier(arrived: u64) {
    // SAFETY: the caller's promise.
    unsafe { grid_wait(arrived, grid_arrive(arrived, thread() == 0), thread() == 0) }
}

/// The first half of a [`grid_barrier`] in which any one thread of each block `speaks` for it, in
/// place of thread 0. The result is for [`grid_wait`], which comes before the next arrival.
///
/// # Safety
/// As [`grid_barrier`].
#[inline(always)]
pub unsafe fn grid_arrive(arrived: u64, speaks: bool) -> u32 {
    let mut last = 0;
    if speaks {
        // SAFETY: the caller's promise; I8. The arrival releases what this block did before it,
        // and the load that sees the last one acquires what the others did. That takes less time
        // than a fence on either side.
        let ticket = unsafe { add_releasing_u32(arrived, 1) };
        last = (ticket / blocks() + 1) * blocks();
    }
    last
}

/// The second half of a [`grid_barrier`]: waits for what [`grid_arrive`] of all blocks came after.
///
/// # Safety
/// As [`grid_barrier`]; `last` is what [`grid_arrive`] returned to the thread that speaks.
#[inline(always)]
pub unsafe fn grid_wait(arrived: u64, last: u32, speaks: bool) {
    if speaks {
        // SAFETY: the caller's promise; I8.
        while (unsafe { load_acquiring_u32(arrived) }.wrapping_sub(last) as i32) < 0 {}
    }
    barrier();
}

/// An arrival at the grid's barrier, the `arrivals`-th of each block, after which no block waits any
/// more: the last block makes the word 0 for the next launch.
///
/// # Safety
/// As [`grid_barrier`].
#[inline(always)]
pub unsafe fn grid_leave(arrived: u64, arrivals: u32, speaks: bool) {
    if speaks {
        // SAFETY: the caller's promise; I8.
        unsafe {
            if add_releasing_u32(arrived, 1) + 1 == arrivals * blocks() {
                store_relaxed_u32(arrived, 0);
            }
        }
    }
}

/// Where the arrivals begin in the word of [`grid_bring`].
const ARRIVAL: u64 = 1 << 52;

/// The first half of a barrier of the grid to which each block brings a number: any one thread of it
/// `speaks`.
///
/// # Safety
/// All blocks are resident (I4), and fewer than 2¹². `word` is the address of a word that is 0 before
/// the first arrives; the sum of all numbers is below 2⁵².
#[inline(always)]
pub unsafe fn grid_bring(word: u64, number: u64, speaks: bool) {
    if speaks {
        // SAFETY: the caller's promise; I8. As in `grid_arrive`.
        unsafe { add_releasing_u64(word, ARRIVAL + number) };
    }
}

/// The second half: waits until all blocks have come. The thread that speaks has the sum of their
/// numbers then.
///
/// # Safety
/// As [`grid_bring`].
#[inline(always)]
pub unsafe fn grid_sum(word: u64, speaks: bool) -> u64 {
    let mut sum = 0;
    if speaks {
        while ((sum / ARRIVAL) as u32) < blocks() {
            // SAFETY: the caller's promise; I8.
            sum = unsafe { load_acquiring_u64(word) };
        }
    }
    sum % ARRIVAL
}

/// The lanes whose `predicate` is true, as a mask. All lanes of the warp take part (I5).
#[inline(always)]
pub fn ballot(predicate: bool) -> u32 {
    // SAFETY: I5: every lane of the warp takes part.
    unsafe { vote_ballot(ALL, predicate) }
}

/// The word of lane `from`, below 32. All lanes of the warp take part (I5).
#[inline(always)]
pub fn shuffle(word: u32, from: u32) -> u32 {
    // SAFETY: I5: every lane of the warp takes part.
    unsafe { shfl_idx(ALL, word, from, 31) }
}

/// The lanes with the same word as this one, as a mask. All lanes of the warp take part
/// (I5).
#[inline(always)]
pub fn match_any(word: u32) -> u32 {
    // SAFETY: I5: every lane of the warp takes part.
    unsafe { match_any_sync(ALL, word) }
}

/// The sum of the lanes' words, modulo 2³². All lanes of the warp take part (I5).
#[inline(always)]
pub fn warp_sum(word: u32) -> u32 {
    // SAFETY: I5: every lane of the warp takes part.
    unsafe { redux_add(word, ALL) }
}

/// Orders this thread's accesses before it and those after it, for the whole device.
#[inline(always)]
pub fn fence() {
    // SAFETY: orders memory, changes none.
    unsafe { asm!("fence.acq_rel.gpu;", options(nostack)) }
}

/// Starts to bring the line at an address into the L2 cache.
///
/// # Safety
/// The address lies in an allocation (I2).
#[inline(always)]
pub unsafe fn prefetch(address: u64) {
    // SAFETY: the caller's promise; a prefetch changes no memory.
    unsafe {
        asm!(
            "prefetch.global.L2 [{a}];",
            a = in(reg64) address,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// Sleeps for about this many nanoseconds, at most a million.
#[inline(always)]
pub fn sleep(nanoseconds: u32) {
    // SAFETY: touches no memory.
    unsafe {
        asm!(
            "nanosleep.u32 {t};",
            t = in(reg32) nanoseconds,
            options(nomem, nostack, preserves_flags),
        );
    }
}
