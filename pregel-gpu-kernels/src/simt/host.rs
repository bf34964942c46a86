//! The SIMT layer on the host, for an emulator that has installed itself in
//! [`host`](crate::host).
//!
//! One lane runs at a time, and only a warp or block function lets another run, so
//! plain memory accesses are enough. Every access is checked to be aligned and to lie in
//! an allocation of the emulated device.

use crate::host::lane as current;
use crate::host::{Collective, wait};

/// The same number.
pub fn opaque(number: u32) -> u32 {
    number
}

/// Number of this thread in its block.
pub fn thread() -> u32 {
    current().thread
}

/// Number of this block.
pub fn block() -> u32 {
    current().block
}

/// Number of blocks.
pub fn blocks() -> u32 {
    current().blocks
}

/// Number of threads in a block.
pub fn threads() -> u32 {
    current().threads
}

/// Number of this lane in its warp.
pub fn lane() -> u32 {
    thread() % 32
}

/// Waits for all threads of the block.
pub fn barrier() {
    wait(Collective::Barrier);
}

/// Waits for all lanes of the warp.
pub fn warp_barrier() {
    wait(Collective::Ballot(true));
}

/// Waits for all threads of the grid, on a device for thread 0 of every block.
///
/// # Safety
/// None here: the address is checked, and the emulator counts the threads.
pub unsafe fn grid_barrier(arrived: u64) {
    current().runner.check(arrived, 4);
    wait(Collective::Grid);
}

/// The first half of a barrier of the grid: nothing to do, since the second waits for all.
///
/// # Safety
/// None here: the address is checked.
pub unsafe fn grid_arrive(arrived: u64, _speaks: bool) -> u32 {
    current().runner.check(arrived, 4);
    0
}

/// The second half: waits as [`grid_barrier`] does.
///
/// # Safety
/// As [`grid_barrier`].
pub unsafe fn grid_wait(arrived: u64, _last: u32, _speaks: bool) {
    // SAFETY: the caller's promise.
    unsafe { grid_barrier(arrived) }
}

/// An arrival after which no block waits: nothing to do.
///
/// # Safety
/// None here: the address is checked.
pub unsafe fn grid_leave(arrived: u64, _arrivals: u32, _speaks: bool) {
    current().runner.check(arrived, 4);
}

/// Adds a block's number to the word.
///
/// # Safety
/// As [`add_u64`].
pub unsafe fn grid_bring(word: u64, number: u64, speaks: bool) {
    if speaks {
        // SAFETY: the caller's promise.
        unsafe { add_u64(word, number) };
    }
}

/// Waits for all threads of the grid; the sum of the blocks' numbers.
///
/// # Safety
/// As [`load_relaxed_u64`].
pub unsafe fn grid_sum(word: u64, _speaks: bool) -> u64 {
    wait(Collective::Grid);
    // SAFETY: the caller's promise.
    unsafe { load_relaxed_u64(word) }
}

/// The lanes whose `predicate` is true, as a mask.
pub fn ballot(predicate: bool) -> u32 {
    wait(Collective::Ballot(predicate))
}

/// The word of lane `from`.
pub fn shuffle(word: u32, from: u32) -> u32 {
    wait(Collective::Shuffle { word, from })
}

/// The lanes with the same word as this one, as a mask.
pub fn match_any(word: u32) -> u32 {
    wait(Collective::Match(word))
}

/// The sum of the lanes' words.
pub fn warp_sum(word: u32) -> u32 {
    wait(Collective::Sum(word))
}

/// Orders memory: nothing to do for lanes that run one at a time.
pub fn fence() {}

/// Checks the address of a prefetch.
///
/// # Safety
/// None here: the address is checked.
pub unsafe fn prefetch(address: u64) {
    current().runner.check(address, 1);
}

/// Sleeps: nothing to do, since another lane runs at the next warp function.
pub fn sleep(_nanoseconds: u32) {}

macro_rules! loads {
    ($($name:ident: $t:ty;)+) => {$(
        /// Loads from device memory.
        ///
        /// # Safety
        /// Only this lane runs; the address is checked.
        pub unsafe fn $name(address: u64) -> $t {
            current().runner.check(address, size_of::<$t>());
            // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
            unsafe { (address as *const $t).read() }
        }
    )+};
}

loads! {
    load_u8: u8;
    load_u32: u32;
    load_u64: u64;
    load_const_u8: u8;
    load_const_u32: u32;
    load_const_u64: u64;
    load_once_u32: u32;
    load_once_u64: u64;
    load_relaxed_u8: u8;
    load_relaxed_u32: u32;
    load_relaxed_u64: u64;
}

macro_rules! stores {
    ($($name:ident: $t:ty;)+) => {$(
        /// Stores to device memory.
        ///
        /// # Safety
        /// Only this lane runs; the address is checked.
        pub unsafe fn $name(address: u64, word: $t) {
            current().runner.check(address, size_of::<$t>());
            // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
            unsafe { (address as *mut $t).write(word) }
        }
    )+};
}

stores! {
    store_u8: u8;
    store_u16: u16;
    store_u32: u32;
    store_u64: u64;
    store_relaxed_u32: u32;
}

macro_rules! updates {
    ($($name:ident: $t:ty, $update:expr;)+) => {$(
        /// Changes a word of device memory; returns what was there.
        ///
        /// # Safety
        /// Only this lane runs; the address is checked.
        pub unsafe fn $name(address: u64, operand: $t) -> $t {
            current().runner.check(address, size_of::<$t>());
            let place = address as *mut $t;
            // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
            unsafe {
                let before = place.read();
                place.write($update(before, operand));
                before
            }
        }
    )+};
}

macro_rules! reductions {
    ($($name:ident: $t:ty, $update:expr;)+) => {$(
        /// Combines into a word of device memory.
        ///
        /// # Safety
        /// Only this lane runs; the address is checked.
        pub unsafe fn $name(address: u64, operand: $t) {
            current().runner.check(address, size_of::<$t>());
            let place = address as *mut $t;
            // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
            unsafe { place.write($update(place.read(), operand)) }
        }
    )+};
}

updates! {
    add_u32: u32, u32::wrapping_add;
    exchange_u32: u32, |_, b| b;
}

reductions! {
    add_u64: u64, u64::wrapping_add;
    add_f32: f32, |a, b| a + b;
    add_f64: f64, |a, b| a + b;
    min_u32: u32, u32::min;
    min_u64: u64, u64::min;
    min_i32: i32, i32::min;
    min_i64: i64, i64::min;
    max_u32: u32, u32::max;
    max_u64: u64, u64::max;
    max_i32: i32, i32::max;
    max_i64: i64, i64::max;
    or_u32: u32, |a, b| a | b;
    or_u64: u64, |a, b| a | b;
}

macro_rules! compare_exchanges {
    ($($name:ident: $t:ty;)+) => {$(
        /// Writes `new` if `expected` is there; returns what was there.
        ///
        /// # Safety
        /// Only this lane runs; the address is checked.
        pub unsafe fn $name(address: u64, expected: $t, new: $t) -> $t {
            current().runner.check(address, size_of::<$t>());
            let place = address as *mut $t;
            // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
            unsafe {
                let before = place.read();
                if before == expected {
                    place.write(new);
                }
                before
            }
        }
    )+};
}

compare_exchanges! {
    compare_exchange_u32: u32;
    compare_exchange_u64: u64;
}

/// The word at byte `offset` of the block's words.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn shared_load_u32(offset: u32) -> u32 {
    current().shared[offset as usize / 4].get()
}

/// Writes the word at byte `offset` of the block's words.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn shared_store_u32(offset: u32, word: u32) {
    current().shared[offset as usize / 4].set(word);
}

/// Adds to the word at byte `offset` of the block's words; returns what was there.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn shared_add_u32(offset: u32, operand: u32) -> u32 {
    let place = &current().shared[offset as usize / 4];
    place.replace(place.get().wrapping_add(operand))
}

/// Counter `i` of the block.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn counter_load(i: u32) -> u32 {
    current().counters[i as usize].get()
}

/// Sets counter `i` of the block.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn counter_store(i: u32, count: u32) {
    current().counters[i as usize].set(count);
}

/// Adds to counter `i` of the block; returns what was there.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn counter_add(i: u32, operand: u32) -> u32 {
    let place = &current().counters[i as usize];
    place.replace(place.get().wrapping_add(operand))
}

/// Copies 16 bytes of device memory to the block's staged memory.
///
/// # Safety
/// Only this lane runs; the address is checked.
pub unsafe fn stage_16_bytes(offset: u32, address: u64) {
    current().runner.check(address, 16);
    assert!(
        offset.is_multiple_of(16) && address.is_multiple_of(16),
        "a copy of 16 bytes is not aligned"
    );
    for word in 0..4 {
        // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
        let value = unsafe { (address as *const u32).add(word).read() };
        current().staged[offset as usize / 4 + word].set(value);
    }
}

/// Waits for what this thread has staged: it is there already.
pub fn wait_for_staged() {}

/// Stores 16 bytes to device memory.
///
/// # Safety
/// As [`store_u64`].
pub unsafe fn store_u64_pair(address: u64, [one, two]: [u64; 2]) {
    assert!(address.is_multiple_of(16), "16 bytes are not aligned");
    // SAFETY: the caller's promise.
    unsafe {
        store_u64(address, one);
        store_u64(address + 8, two);
    }
}

/// Loads four words from device memory.
///
/// # Safety
/// Only this lane runs; the address is checked.
pub unsafe fn load_u32_four(address: u64) -> [u32; 4] {
    current().runner.check(address, 16);
    assert!(address.is_multiple_of(16), "16 bytes are not aligned");
    // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
    unsafe { (address as *const [u32; 4]).read() }
}

/// Stores four words to device memory.
///
/// # Safety
/// Only this lane runs; the address is checked.
pub unsafe fn store_u32_four(address: u64, words: [u32; 4]) {
    current().runner.check(address, 16);
    assert!(address.is_multiple_of(16), "16 bytes are not aligned");
    // SAFETY: checked: aligned and in an allocation; no other lane runs meanwhile.
    unsafe { (address as *mut [u32; 4]).write(words) }
}

/// Loads two words from staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn load_staged_two(offset: u32) -> [u32; 2] {
    assert!(offset.is_multiple_of(8), "8 bytes are not aligned");
    let words = &current().staged[offset as usize / 4..][..2];
    [words[0].get(), words[1].get()]
}

/// Loads four words from staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn load_staged_four(offset: u32) -> [u32; 4] {
    assert!(offset.is_multiple_of(16), "16 bytes are not aligned");
    let words = &current().staged[offset as usize / 4..][..4];
    [0, 1, 2, 3].map(|i: usize| words[i].get())
}

/// Writes a word of staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn store_staged(offset: u32, word: u32) {
    current().staged[offset as usize / 4].set(word);
}

/// Adds to a word of staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn add_staged(offset: u32, operand: u32) {
    let place = &current().staged[offset as usize / 4];
    place.set(place.get().wrapping_add(operand));
}

/// Writes four words of staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn store_staged_four(offset: u32, words: [u32; 4]) {
    assert!(offset.is_multiple_of(16), "16 bytes are not aligned");
    let places = &current().staged[offset as usize / 4..][..4];
    places.iter().zip(words).for_each(|(place, word)| place.set(word));
}

/// Loads from staged memory if `hot`, otherwise from device memory.
///
/// # Safety
/// As [`load_u32`].
pub unsafe fn load_hot_u32(hot: bool, offset: u32, address: u64) -> u32 {
    if hot {
        current().staged[offset as usize / 4].get()
    } else {
        // SAFETY: the caller's promise.
        unsafe { load_u32(address) }
    }
}

/// Loads from staged memory if `hot`, otherwise from device memory.
///
/// # Safety
/// As [`load_u64`].
pub unsafe fn load_hot_u64(hot: bool, offset: u32, address: u64) -> u64 {
    let word = |i: u32| u64::from(current().staged[(offset / 4 + i) as usize].get());
    if hot {
        word(0) | word(1) << 32
    } else {
        // SAFETY: the caller's promise.
        unsafe { load_u64(address) }
    }
}

/// Loads from staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn load_staged_u32(offset: u32) -> u32 {
    current().staged[offset as usize / 4].get()
}

/// Loads from staged memory.
///
/// # Safety
/// None here: the offset is checked.
pub unsafe fn load_staged_u64(offset: u32) -> u64 {
    // SAFETY: the function asks for nothing.
    let word = |offset| u64::from(unsafe { load_staged_u32(offset) });
    word(offset) | word(offset + 4) << 32
}

/// Word `i` of staged memory.
///
/// # Safety
/// None here: the number is checked.
pub unsafe fn gather_staged_u32(i: u32) -> u32 {
    // SAFETY: the function asks for nothing.
    unsafe { load_staged_u32(4 * i) }
}

/// Word `i` of 8 bytes of staged memory.
///
/// # Safety
/// None here: the number is checked.
pub unsafe fn gather_staged_u64(i: u32) -> u64 {
    // SAFETY: the function asks for nothing.
    unsafe { load_staged_u64(8 * i) }
}
