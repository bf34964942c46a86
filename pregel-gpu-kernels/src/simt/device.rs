//! The SIMT layer on NVIDIA hardware, by PTX.
//!
//! Barriers, shuffles and votes are LLVM intrinsics, since the compiler knows
//! them as convergent and neither moves nor copies them; loads, stores and
//! atomics are inline assembly, since Rust has no typed device memory and no
//! scope for atomics.

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

/// The same number, which the compiler does not know: a loop that begins with it
/// is not unrolled.
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

/// Waits for every thread of the block, and makes their writes visible to each
/// other.
#[inline(always)]
pub fn barrier() {
    // SAFETY: every thread of the block arrives (rules of this module).
    unsafe { barrier_sync(0) }
}

/// Waits for every lane of the warp, and makes their writes visible to each
/// other.
#[inline(always)]
pub fn warp_barrier() {
    // SAFETY: every lane of the warp takes part (rules of this module).
    unsafe { warp_sync(ALL) }
}

/// Waits for every thread of the grid, and makes their writes visible to each
/// other. Only in a launch whose blocks are all on the device at a time.
///
/// # Safety
/// `arrived` is the address of a word that is 0 when the launch begins and that
/// nothing else touches.
#[inline(always)]
pub unsafe fn grid_barrier(arrived: u64) {
    barrier();
    if thread() == 0 {
        // SAFETY: as the caller promises; the fences order what the block did
        // before the others' wait, and what they did before its own end.
        unsafe {
            fence();
            let ticket = add_u32(arrived, 1);
            let last = (ticket / blocks() + 1) * blocks();
            while (read_u32(arrived).wrapping_sub(last) as i32) < 0 {}
            fence();
        }
    }
    barrier();
}

/// The lanes of which `predicate` is true, as a mask.
#[inline(always)]
pub fn ballot(predicate: bool) -> u32 {
    // SAFETY: every lane of the warp takes part (rules of this module).
    unsafe { vote_ballot(ALL, predicate) }
}

/// The word of lane `from`.
#[inline(always)]
pub fn shuffle(word: u32, from: u32) -> u32 {
    // SAFETY: every lane of the warp takes part (rules of this module).
    unsafe { shfl_idx(ALL, word, from, 31) }
}

/// The lanes that have the same word, as a mask.
#[inline(always)]
pub fn match_any(word: u32) -> u32 {
    // SAFETY: every lane of the warp takes part (rules of this module).
    unsafe { match_any_sync(ALL, word) }
}

/// The sum of the lanes' words, modulo 2³².
#[inline(always)]
pub fn warp_sum(word: u32) -> u32 {
    // SAFETY: every lane of the warp takes part (rules of this module).
    unsafe { redux_add(word, ALL) }
}

/// Makes this thread's writes visible to the device before those that follow.
#[inline(always)]
pub fn fence() {
    // SAFETY: orders memory, changes none.
    unsafe { asm!("fence.acq_rel.gpu;", options(nostack)) }
}

/// Asks for what lies at an address, so that it is in the second cache soon.
///
/// # Safety
/// Something lies there.
#[inline(always)]
pub unsafe fn prefetch(address: u64) {
    // SAFETY: changes nothing.
    unsafe {
        asm!(
            "prefetch.global.L2 [{a}];",
            a = in(reg64) address,
            options(nomem, nostack, preserves_flags),
        );
    }
}

/// Sleeps for about so many nanoseconds, at most a million.
#[inline(always)]
pub fn nap(nanoseconds: u32) {
    // SAFETY: touches nothing.
    unsafe {
        asm!(
            "nanosleep.u32 {t};",
            t = in(reg32) nanoseconds,
            options(nomem, nostack, preserves_flags),
        );
    }
}
