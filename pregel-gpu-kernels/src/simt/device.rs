//! The SIMT layer on NVIDIA hardware, by PTX.
//!
//! Barriers, shuffles and votes are LLVM intrinsics, since the compiler knows
//! them as convergent and neither moves nor copies them; loads, stores and
//! atomics are inline assembly, since Rust has no typed device memory and no
//! scope for atomics.

use core::arch::asm;
use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

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

core::arch::global_asm!(".shared .align 16 .b8 PREGEL_SHARED[4096];");
core::arch::global_asm!(".shared .align 16 .b8 PREGEL_COUNTERS[8192];");
core::arch::global_asm!(".extern .shared .align 16 .b8 PREGEL_HOT[];");

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

macro_rules! loads {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Loads from device memory.
        ///
        /// # Safety
        /// The address is valid, aligned, and treated as the module says.
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> $t {
            let word;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " {r}, [{a}];"),
                    r = out($class) word,
                    a = in(reg64) address,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            word
        }
    )+};
}

loads! {
    load_u32: u32, reg32, "ld.global.b32";
    load_u64: u64, reg64, "ld.global.b64";
    load_const_u32: u32, reg32, "ld.global.nc.b32";
    load_const_u64: u64, reg64, "ld.global.nc.b64";
    load_once_u32: u32, reg32, "ld.global.nc.L1::no_allocate.b32";
    load_once_u64: u64, reg64, "ld.global.nc.L1::no_allocate.b64";
}

macro_rules! byte_loads {
    ($($name:ident: $op:literal;)+) => {$(
        /// Loads a byte from device memory.
        ///
        /// # Safety
        /// The address is valid and treated as the module says.
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> u8 {
            let word: u32;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " {r}, [{a}];"),
                    r = out(reg32) word,
                    a = in(reg64) address,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            word as u8
        }
    )+};
}

byte_loads! {
    load_u8: "ld.global.u8";
    load_const_u8: "ld.global.nc.u8";
    read_u8: "ld.relaxed.gpu.global.u8";
}

macro_rules! stores {
    ($($name:ident: $t:ty, $class:ident, $as:ty, $op:literal;)+) => {$(
        /// Stores to device memory.
        ///
        /// # Safety
        /// The address is valid, aligned, and this thread's own.
        #[inline(always)]
        pub unsafe fn $name(address: u64, word: $t) {
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " [{a}], {w};"),
                    a = in(reg64) address,
                    w = in($class) word as $as,
                    options(nostack, preserves_flags),
                );
            }
        }
    )+};
}

stores! {
    store_u8: u8, reg32, u32, "st.global.u8";
    store_u16: u16, reg32, u32, "st.global.u16";
    store_u32: u32, reg32, u32, "st.global.b32";
    store_u64: u64, reg64, u64, "st.global.b64";
}

/// Stores 16 bytes to device memory.
///
/// # Safety
/// The address is valid, a multiple of 16, and this thread's own.
#[inline(always)]
pub unsafe fn store_u64_pair(address: u64, [one, two]: [u64; 2]) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "st.global.v2.b64 [{a}], {{{w}, {x}}};",
            a = in(reg64) address,
            w = in(reg64) one,
            x = in(reg64) two,
            options(nostack, preserves_flags),
        );
    }
}

/// Writes what other blocks may be reading.
///
/// # Safety
/// The address is valid and aligned.
#[inline(always)]
pub unsafe fn write_u32(address: u64, word: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "st.relaxed.gpu.global.b32 [{a}], {w};",
            a = in(reg64) address,
            w = in(reg32) word,
            options(nostack, preserves_flags),
        );
    }
}

macro_rules! relaxed_loads {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Reads what other blocks may be writing, past this block's cache.
        ///
        /// # Safety
        /// The address is valid and aligned.
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> $t {
            let word;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " {r}, [{a}];"),
                    r = out($class) word,
                    a = in(reg64) address,
                    options(nostack, preserves_flags),
                );
            }
            word
        }
    )+};
}

relaxed_loads! {
    read_u32: u32, reg32, "ld.relaxed.gpu.global.b32";
    read_u64: u64, reg64, "ld.relaxed.gpu.global.b64";
}

macro_rules! fetches {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Changes device memory in one step and gives back what was there.
        ///
        /// # Safety
        /// The address is valid and aligned.
        #[inline(always)]
        pub unsafe fn $name(address: u64, operand: $t) -> $t {
            let before;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " {r}, [{a}], {o};"),
                    r = out($class) before,
                    a = in(reg64) address,
                    o = in($class) operand,
                    options(nostack, preserves_flags),
                );
            }
            before
        }
    )+};
}

fetches! {
    add_u32: u32, reg32, "atom.relaxed.gpu.global.add.u32";
    exchange_u32: u32, reg32, "atom.relaxed.gpu.global.exch.b32";
}

macro_rules! reductions {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Combines into device memory in one step.
        ///
        /// # Safety
        /// The address is valid and aligned.
        #[inline(always)]
        pub unsafe fn $name(address: u64, operand: $t) {
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " [{a}], {o};"),
                    a = in(reg64) address,
                    o = in($class) operand,
                    options(nostack, preserves_flags),
                );
            }
        }
    )+};
}

reductions! {
    add_u64: u64, reg64, "red.relaxed.gpu.global.add.u64";
    add_f32: f32, reg32, "red.relaxed.gpu.global.add.f32";
    add_f64: f64, reg64, "red.relaxed.gpu.global.add.f64";
    min_u32: u32, reg32, "red.relaxed.gpu.global.min.u32";
    min_u64: u64, reg64, "red.relaxed.gpu.global.min.u64";
    min_i32: i32, reg32, "red.relaxed.gpu.global.min.s32";
    min_i64: i64, reg64, "red.relaxed.gpu.global.min.s64";
    max_u32: u32, reg32, "red.relaxed.gpu.global.max.u32";
    max_u64: u64, reg64, "red.relaxed.gpu.global.max.u64";
    max_i32: i32, reg32, "red.relaxed.gpu.global.max.s32";
    max_i64: i64, reg64, "red.relaxed.gpu.global.max.s64";
    or_u32: u32, reg32, "red.relaxed.gpu.global.or.b32";
    or_u64: u64, reg64, "red.relaxed.gpu.global.or.b64";
}

macro_rules! compare_exchanges {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Writes `new` if `expected` is there; gives back what was there.
        ///
        /// # Safety
        /// The address is valid and aligned.
        #[inline(always)]
        pub unsafe fn $name(address: u64, expected: $t, new: $t) -> $t {
            let before;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    concat!($op, " {r}, [{a}], {e}, {n};"),
                    r = out($class) before,
                    a = in(reg64) address,
                    e = in($class) expected,
                    n = in($class) new,
                    options(nostack, preserves_flags),
                );
            }
            before
        }
    )+};
}

compare_exchanges! {
    compare_exchange_u32: u32, reg32, "atom.acq_rel.gpu.global.cas.b32";
    compare_exchange_u64: u64, reg64, "atom.acq_rel.gpu.global.cas.b64";
    compare_exchange_relaxed_u32: u32, reg32, "atom.relaxed.gpu.global.cas.b32";
}

/// Where the block's shared memory begins.
#[inline(always)]
fn shared() -> u32 {
    let address;
    // SAFETY: takes an address.
    unsafe {
        asm!(
            "mov.u32 {r}, PREGEL_SHARED;",
            r = out(reg32) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    address
}

/// A word of the block's shared memory.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_load_u32(offset: u32) -> u32 {
    let word;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "ld.shared.b32 {r}, [{a}];",
            r = out(reg32) word,
            a = in(reg32) shared() + offset,
            options(nostack, preserves_flags),
        );
    }
    word
}

/// Writes a word of the block's shared memory.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_store_u32(offset: u32, word: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "st.shared.b32 [{a}], {w};",
            a = in(reg32) shared() + offset,
            w = in(reg32) word,
            options(nostack, preserves_flags),
        );
    }
}

/// Adds to a word of the block's shared memory; gives back what was there.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_add_u32(offset: u32, operand: u32) -> u32 {
    let before;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "atom.shared.add.u32 {r}, [{a}], {o};",
            r = out(reg32) before,
            a = in(reg32) shared() + offset,
            o = in(reg32) operand,
            options(nostack, preserves_flags),
        );
    }
    before
}

/// Address of a counter of the block.
#[inline(always)]
fn counter(i: u32) -> u32 {
    let address: u32;
    // SAFETY: takes an address.
    unsafe {
        asm!(
            "mov.u32 {r}, PREGEL_COUNTERS;",
            r = out(reg32) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    address + 4 * i
}

/// Counter `i` of the block, in shared memory.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_load(i: u32) -> u32 {
    let count;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "ld.shared.b32 {r}, [{a}];",
            r = out(reg32) count,
            a = in(reg32) counter(i),
            options(nostack, preserves_flags),
        );
    }
    count
}

/// Sets counter `i` of the block.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_store(i: u32, count: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "st.shared.b32 [{a}], {c};",
            a = in(reg32) counter(i),
            c = in(reg32) count,
            options(nostack, preserves_flags),
        );
    }
}

/// Adds to counter `i` of the block; gives back what was there.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_add(i: u32, operand: u32) -> u32 {
    let before;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "atom.shared.add.u32 {r}, [{a}], {o};",
            r = out(reg32) before,
            a = in(reg32) counter(i),
            o = in(reg32) operand,
            options(nostack, preserves_flags),
        );
    }
    before
}

/// Begins to copy 16 bytes to the block's hot memory; [`hot_wait`] waits for them.
///
/// # Safety
/// Offset and address are multiples of 16; the launch gave the block so much
/// memory; the 16 bytes are the device's, and nobody writes them.
#[inline(always)]
pub unsafe fn hot_copy(offset: u32, address: u64) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "{{",
            ".reg .b32 to;",
            "mov.u32 to, PREGEL_HOT;",
            "add.u32 to, to, {o};",
            "cp.async.cg.shared.global [to], [{a}], 16;",
            "}}",
            o = in(reg32) offset,
            a = in(reg64) address,
            options(nostack, preserves_flags),
        );
    }
}

/// Waits for what this thread copied; the others see it after a barrier.
#[inline(always)]
pub fn hot_wait() {
    // SAFETY: waits.
    unsafe { asm!("cp.async.wait_all;", options(nostack, preserves_flags)) }
}

macro_rules! hot_loads {
    ($($name:ident: $t:ty, $class:ident, $bits:literal;)+) => {$(
        /// Loads from the block's hot memory, or else from device memory, without a
        /// branch.
        ///
        /// # Safety
        /// `offset` is one of a word that was copied, or `address` is valid; both are
        /// aligned, and nobody writes there.
        #[inline(always)]
        pub unsafe fn $name(hot: bool, offset: u32, address: u64) -> $t {
            let word;
            // SAFETY: as the caller promises.
            unsafe {
                asm!(
                    "{{",
                    ".reg .pred hot;",
                    ".reg .b32 from;",
                    "setp.ne.u32 hot, {h}, 0;",
                    "mov.u32 from, PREGEL_HOT;",
                    "add.u32 from, from, {o};",
                    concat!("@hot ld.shared.", $bits, " {r}, [from];"),
                    concat!("@!hot ld.global.nc.", $bits, " {r}, [{a}];"),
                    "}}",
                    r = out($class) word,
                    h = in(reg32) u32::from(hot),
                    o = in(reg32) offset,
                    a = in(reg64) address,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            word
        }
    )+};
}

hot_loads! {
    load_hot_u32: u32, reg32, "b32";
    load_hot_u64: u64, reg64, "b64";
}

macro_rules! copied_loads {
    ($($name:ident: $t:ty, $class:ident, $bits:literal;)+) => {$(
        /// Loads from the block's hot memory.
        ///
        /// # Safety
        /// `offset` is one of a word that was copied, aligned, and nobody writes there.
        #[inline(always)]
        pub unsafe fn $name(offset: u32) -> $t {
            let word;
            // SAFETY: as the caller promises. Not pure: what is copied changes.
            unsafe {
                asm!(
                    "{{",
                    ".reg .b32 from;",
                    "mov.u32 from, PREGEL_HOT;",
                    "add.u32 from, from, {o};",
                    concat!("ld.shared.", $bits, " {r}, [from];"),
                    "}}",
                    r = out($class) word,
                    o = in(reg32) offset,
                    options(readonly, nostack, preserves_flags),
                );
            }
            word
        }
    )+};
}

copied_loads! {
    copied_u32: u32, reg32, "b32";
    copied_u64: u64, reg64, "b64";
}
