//! Shared memory of a block: words, counters, and what it copied from the device's.

use core::arch::{asm, global_asm};

global_asm!(".shared .align 16 .b8 PREGEL_SHARED[4096];");
global_asm!(".shared .align 16 .b8 PREGEL_COUNTERS[8192];");
global_asm!(".extern .shared .align 16 .b8 PREGEL_HOT[];");

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

/// The word at an address of shared memory.
///
/// # Safety
/// The address is that of a word of the block's shared memory, here and in the two below.
#[inline(always)]
unsafe fn load(address: u32) -> u32 {
    let word;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "ld.shared.b32 {r}, [{a}];",
            r = out(reg32) word,
            a = in(reg32) address,
            options(nostack, preserves_flags),
        );
    }
    word
}

/// Writes the word at an address.
#[inline(always)]
unsafe fn store(address: u32, word: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "st.shared.b32 [{a}], {w};",
            a = in(reg32) address,
            w = in(reg32) word,
            options(nostack, preserves_flags),
        );
    }
}

/// Adds to the word at an address; gives back what was there.
#[inline(always)]
unsafe fn add(address: u32, operand: u32) -> u32 {
    let before;
    // SAFETY: as the caller promises.
    unsafe {
        asm!(
            "atom.shared.add.u32 {r}, [{a}], {o};",
            r = out(reg32) before,
            a = in(reg32) address,
            o = in(reg32) operand,
            options(nostack, preserves_flags),
        );
    }
    before
}

/// A word of the block's shared memory.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_load_u32(offset: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { load(shared() + offset) }
}

/// Writes a word of the block's shared memory.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_store_u32(offset: u32, word: u32) {
    // SAFETY: as the caller promises.
    unsafe { store(shared() + offset, word) }
}

/// Adds to a word of the block's shared memory; gives back what was there.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`](pregel_core::device::SHARED).
#[inline(always)]
pub unsafe fn shared_add_u32(offset: u32, operand: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { add(shared() + offset, operand) }
}

/// Counter `i` of the block, in shared memory.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_load(i: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { load(counter(i)) }
}

/// Sets counter `i` of the block.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_store(i: u32, count: u32) {
    // SAFETY: as the caller promises.
    unsafe { store(counter(i), count) }
}

/// Adds to counter `i` of the block; gives back what was there.
///
/// # Safety
/// `i` is below [`COUNTERS`](pregel_core::device::COUNTERS).
#[inline(always)]
pub unsafe fn counter_add(i: u32, operand: u32) -> u32 {
    // SAFETY: as the caller promises.
    unsafe { add(counter(i), operand) }
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
