//! Shared memory of a block: words, counters, and what it has staged from device
//! memory. Where what lies is in [`pregel_core::device::shared`].

use core::arch::{asm, global_asm};

use pregel_core::device::{COUNTERS, SHARED};

global_asm!(".shared .align 16 .b8 PREGEL_SHARED[4096];");
global_asm!(".shared .align 16 .b8 PREGEL_COUNTERS[8192];");
global_asm!(".extern .shared .align 16 .b8 PREGEL_HOT[];");

const _: () = assert!(SHARED == 4096 && 4 * COUNTERS == 8192, "as declared above");

/// Address of the words of the block.
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
/// A word of the block's shared memory lies there, aligned (I9).
#[inline(always)]
unsafe fn load(address: u32) -> u32 {
    let word;
    // SAFETY: the caller's promise.
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

/// Writes the word at an address of shared memory.
///
/// # Safety
/// As [`load`]; this thread owns the word until the next barrier (I6).
#[inline(always)]
unsafe fn store(address: u32, word: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "st.shared.b32 [{a}], {w};",
            a = in(reg32) address,
            w = in(reg32) word,
            options(nostack, preserves_flags),
        );
    }
}

/// Adds to the word at an address of shared memory; returns what was there.
///
/// # Safety
/// As [`load`]; the word is only added to until the next barrier (I8).
#[inline(always)]
unsafe fn add(address: u32, operand: u32) -> u32 {
    let before;
    // SAFETY: the caller's promise.
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

/// The word at byte `offset` of the block's words.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn shared_load_u32(offset: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { load(shared() + offset) }
}

/// Writes the word at byte `offset` of the block's words.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn shared_store_u32(offset: u32, word: u32) {
    // SAFETY: the caller's promise.
    unsafe { store(shared() + offset, word) }
}

/// Adds to the word at byte `offset` of the block's words; returns what was there.
///
/// # Safety
/// `offset` is a multiple of 4 below [`SHARED`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn shared_add_u32(offset: u32, operand: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { add(shared() + offset, operand) }
}

/// Counter `i` of the block.
///
/// # Safety
/// `i` is below [`COUNTERS`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn counter_load(i: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { load(counter(i)) }
}

/// Sets counter `i` of the block.
///
/// # Safety
/// `i` is below [`COUNTERS`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn counter_store(i: u32, count: u32) {
    // SAFETY: the caller's promise.
    unsafe { store(counter(i), count) }
}

/// Adds to counter `i` of the block; returns what was there.
///
/// # Safety
/// `i` is below [`COUNTERS`] (I9); I6 or I8, as for the address.
#[inline(always)]
pub unsafe fn counter_add(i: u32, operand: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { add(counter(i), operand) }
}

/// Starts to copy 16 bytes of device memory to the block's staged memory;
/// [`wait_for_staged`] waits for them.
///
/// # Safety
/// `offset` and `address` are multiples of 16. The launch gave the block more than
/// `offset` bytes, in steps of 16 (I4). The 16 bytes lie in one allocation (I3), and no
/// thread writes them during the kernel (I7), or before this block has waited for them. No thread reads what is staged there until
/// it has been waited for and a barrier has been passed (I9).
#[inline(always)]
pub unsafe fn stage_16_bytes(offset: u32, address: u64) {
    // SAFETY: the caller's promise.
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

/// Waits for what this thread has staged; other threads see it after a barrier.
#[inline(always)]
pub fn wait_for_staged() {
    // SAFETY: touches no memory of its own.
    unsafe { asm!("cp.async.wait_all;", options(nostack, preserves_flags)) }
}

/// Address of the staged memory of the block.
#[inline(always)]
fn staged() -> u32 {
    let address;
    // SAFETY: takes an address.
    unsafe {
        asm!(
            "mov.u32 {r}, PREGEL_HOT;",
            r = out(reg32) address,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    address
}

/// Two words of staged memory at once.
///
/// # Safety
/// `offset` is a multiple of 8, and two words were staged or written there (I9).
#[inline(always)]
pub unsafe fn load_staged_two(offset: u32) -> [u32; 2] {
    let (w, x);
    // SAFETY: the caller's promise. Not `pure`: a block may stage something else later.
    unsafe {
        asm!(
            "ld.shared.v2.b32 {{{w}, {x}}}, [{a}];",
            w = out(reg32) w,
            x = out(reg32) x,
            a = in(reg32) staged() + offset,
            options(readonly, nostack, preserves_flags),
        );
    }
    [w, x]
}

/// Four words of staged memory at once.
///
/// # Safety
/// `offset` is a multiple of 16, and four words were staged or written there (I9).
#[inline(always)]
pub unsafe fn load_staged_four(offset: u32) -> [u32; 4] {
    let (w, x, y, z);
    // SAFETY: the caller's promise. Not `pure`: a block may stage something else later.
    unsafe {
        asm!(
            "ld.shared.v4.b32 {{{w}, {x}, {y}, {z}}}, [{a}];",
            w = out(reg32) w,
            x = out(reg32) x,
            y = out(reg32) y,
            z = out(reg32) z,
            a = in(reg32) staged() + offset,
            options(readonly, nostack, preserves_flags),
        );
    }
    [w, x, y, z]
}

/// Writes a word of staged memory.
///
/// # Safety
/// `offset` is a multiple of 4 below what the launch gave the block (I4, I9); this thread
/// owns the word until the next barrier (I6).
#[inline(always)]
pub unsafe fn store_staged(offset: u32, word: u32) {
    // SAFETY: the caller's promise.
    unsafe { store(staged() + offset, word) }
}

/// Adds to a word of staged memory.
///
/// # Safety
/// `offset` is a multiple of 4 below what the launch gave the block (I4, I9); the word is only
/// added to until the next barrier (I8).
#[inline(always)]
pub unsafe fn add_staged(offset: u32, operand: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "red.shared.add.u32 [{a}], {o};",
            a = in(reg32) staged() + offset,
            o = in(reg32) operand,
            options(nostack, preserves_flags),
        );
    }
}

/// Writes four words of staged memory at once.
///
/// # Safety
/// As [`store_staged`], for four words; `offset` is a multiple of 16.
#[inline(always)]
pub unsafe fn store_staged_four(offset: u32, [w, x, y, z]: [u32; 4]) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "st.shared.v4.b32 [{a}], {{{w}, {x}, {y}, {z}}};",
            w = in(reg32) w,
            x = in(reg32) x,
            y = in(reg32) y,
            z = in(reg32) z,
            a = in(reg32) staged() + offset,
            options(nostack, preserves_flags),
        );
    }
}

macro_rules! hot_loads {
    ($($name:ident: $t:ty, $class:ident, $bits:literal;)+) => {$(
        /// Loads from staged memory if `hot`, otherwise from device memory, without a
        /// branch.
        ///
        /// # Safety
        /// If `hot`, a word was staged at `offset`, aligned (I9); otherwise one lies at
        /// `address`, aligned (I2, I3), which no thread writes during the kernel (I7).
        #[inline(always)]
        pub unsafe fn $name(hot: bool, offset: u32, address: u64) -> $t {
            let word;
            // SAFETY: the caller's promise.
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

macro_rules! staged_loads {
    ($($(#[$doc:meta])* $name:ident: $t:ty, $class:ident, $bits:literal, $address:literal;)+) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub unsafe fn $name(at: u32) -> $t {
            let word;
            // SAFETY: the caller's promise. Not `pure`: a block may stage something else later.
            unsafe {
                asm!(
                    "{{",
                    ".reg .b32 from;",
                    "mov.u32 from, PREGEL_HOT;",
                    $address,
                    concat!("ld.shared.", $bits, " {r}, [from];"),
                    "}}",
                    r = out($class) word,
                    at = in(reg32) at,
                    options(readonly, nostack, preserves_flags),
                );
            }
            word
        }
    )+};
}

staged_loads! {
    /// The word at this offset in staged memory.
    ///
    /// # Safety
    /// A word was staged there, aligned (I9).
    load_staged_u32: u32, reg32, "b32", "add.u32 from, from, {at};";
    /// The word of 8 bytes at this offset in staged memory.
    ///
    /// # Safety
    /// A word was staged there, aligned (I9).
    load_staged_u64: u64, reg64, "b64", "add.u32 from, from, {at};";
    /// The word with this number in staged memory.
    ///
    /// # Safety
    /// More words than that were staged from offset 0 on (I9).
    gather_staged_u32: u32, reg32, "b32", "mad.lo.u32 from, {at}, 4, from;";
    /// The word of 8 bytes with this number in staged memory.
    ///
    /// # Safety
    /// More such words than that were staged from offset 0 on (I9).
    gather_staged_u64: u64, reg64, "b64", "mad.lo.u32 from, {at}, 8, from;";
}
