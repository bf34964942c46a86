//! Device memory: loads, stores, atomics.

use core::arch::asm;

macro_rules! loads {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Loads from device memory.
        ///
        /// # Safety
        /// An element lies at the address, aligned (I2, I3). It may be read in this way:
        /// `nc` asks that no thread writes it during the kernel (I6, I7).
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> $t {
            let word;
            // SAFETY: the caller's promise.
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
        /// An element lies at the address (I2), and may be read in this way (I6, I7, I8).
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> u8 {
            let word: u32;
            // SAFETY: the caller's promise.
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
    load_relaxed_u8: "ld.relaxed.gpu.global.u8";
}

macro_rules! stores {
    ($($name:ident: $t:ty, $class:ident, $as:ty, $op:literal;)+) => {$(
        /// Stores to device memory.
        ///
        /// # Safety
        /// An element lies at the address, aligned (I2, I3); this thread owns it (I6).
        #[inline(always)]
        pub unsafe fn $name(address: u64, word: $t) {
            // SAFETY: the caller's promise.
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

/// Loads four words from device memory at once.
///
/// # Safety
/// 16 bytes of one array lie at the address, a multiple of 16 (I2, I3); they may be read
/// in this way (I6, I7).
#[inline(always)]
pub unsafe fn load_u32_four(address: u64) -> [u32; 4] {
    let (w, x, y, z);
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "ld.global.v4.b32 {{{w}, {x}, {y}, {z}}}, [{a}];",
            w = out(reg32) w,
            x = out(reg32) x,
            y = out(reg32) y,
            z = out(reg32) z,
            a = in(reg64) address,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    [w, x, y, z]
}

/// Stores four words to device memory at once.
///
/// # Safety
/// As [`store_u64_pair`].
#[inline(always)]
pub unsafe fn store_u32_four(address: u64, [w, x, y, z]: [u32; 4]) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "st.global.v4.b32 [{a}], {{{w}, {x}, {y}, {z}}};",
            w = in(reg32) w,
            x = in(reg32) x,
            y = in(reg32) y,
            z = in(reg32) z,
            a = in(reg64) address,
            options(nostack, preserves_flags),
        );
    }
}

/// Stores 16 bytes to device memory.
///
/// # Safety
/// 16 bytes of one array lie at the address, a multiple of 16 (I2, I3); this thread owns
/// them (I6).
#[inline(always)]
pub unsafe fn store_u64_pair(address: u64, [one, two]: [u64; 2]) {
    // SAFETY: the caller's promise.
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

/// Stores a word that other threads may be reading.
///
/// # Safety
/// A word lies at the address, aligned (I2, I3), which is contended (I8) or this
/// thread's own (I6).
#[inline(always)]
pub unsafe fn store_relaxed_u32(address: u64, word: u32) {
    // SAFETY: the caller's promise.
    unsafe {
        asm!(
            "st.relaxed.gpu.global.b32 [{a}], {w};",
            a = in(reg64) address,
            w = in(reg32) word,
            options(nostack, preserves_flags),
        );
    }
}

macro_rules! strong_loads {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Loads a word that other threads may be writing, past the L1 cache.
        ///
        /// # Safety
        /// A word lies at the address, aligned (I2, I3, I8).
        #[inline(always)]
        pub unsafe fn $name(address: u64) -> $t {
            let word;
            // SAFETY: the caller's promise.
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

strong_loads! {
    load_relaxed_u32: u32, reg32, "ld.relaxed.gpu.global.b32";
    load_relaxed_u64: u64, reg64, "ld.relaxed.gpu.global.b64";
    // What was released with the word that it finds can be read afterwards.
    load_acquiring_u32: u32, reg32, "ld.acquire.gpu.global.b32";
    load_acquiring_u64: u64, reg64, "ld.acquire.gpu.global.b64";
}

macro_rules! fetches {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Changes a word of device memory atomically; returns what was there.
        ///
        /// # Safety
        /// A word of this type lies at the address, aligned (I2, I3, I8).
        #[inline(always)]
        pub unsafe fn $name(address: u64, operand: $t) -> $t {
            let before;
            // SAFETY: the caller's promise.
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
    // What this thread did before, others can read once they have acquired the word.
    add_releasing_u32: u32, reg32, "atom.release.gpu.global.add.u32";
}

macro_rules! reductions {
    ($($name:ident: $t:ty, $class:ident, $op:literal;)+) => {$(
        /// Combines into a word of device memory atomically.
        ///
        /// # Safety
        /// A word of this type lies at the address, aligned (I2, I3, I8).
        #[inline(always)]
        pub unsafe fn $name(address: u64, operand: $t) {
            // SAFETY: the caller's promise.
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
    add_releasing_u64: u64, reg64, "red.release.gpu.global.add.u64";
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
        /// Writes `new` if `expected` is there, atomically; returns what was there.
        ///
        /// # Safety
        /// A word of this type lies at the address, aligned (I2, I3, I8).
        #[inline(always)]
        pub unsafe fn $name(address: u64, expected: $t, new: $t) -> $t {
            let before;
            // SAFETY: the caller's promise.
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
    compare_exchange_u32: u32, reg32, "atom.relaxed.gpu.global.cas.b32";
    compare_exchange_u64: u64, reg64, "atom.relaxed.gpu.global.cas.b64";
}
