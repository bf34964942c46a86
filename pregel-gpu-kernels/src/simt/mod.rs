//! Single instruction, multiple threads: what a lane can do that a CPU thread
//! cannot, and the only place with inline assembly and compiler intrinsics.
//!
//! The same functions exist on the host, where an emulator runs the kernels
//! without a GPU.
//!
//! # Rules that kernels keep
//!
//! * Warp functions ([`ballot`], [`shuffle`], [`match_any`], [`warp_sum`], [`warp_barrier`]) need all 32 lanes
//!   of a warp, [`barrier`] all threads of a block: a kernel does not return
//!   early before one of them. The emulator refuses a kernel that does.
//! * Memory that other blocks write during the same launch is touched by
//!   atomics, [`read_u32`] and [`write_u32`] only; by [`load`] where an old value
//!   is as good as the newest.
//! * Addresses come from the argument block and indices stay within what it
//!   says; nothing is checked on the device. The emulator checks.

#[cfg(target_arch = "nvptx64")]
#[path = "device.rs"]
mod imp;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod imp;

mod atomic;

use core::mem::MaybeUninit;

pub use atomic::{
    combine, combine_word, combines_natively, read_word, same_word, try_update_word,
    update_seen_word, update_word,
};
use bytemuck::Pod;
pub use imp::{
    add_f32, add_f64, add_u32, add_u64, ballot, barrier, block, blocks,
    compare_exchange_relaxed_u32, compare_exchange_u32, compare_exchange_u64, counter_add,
    counter_load, counter_store, exchange_u32, fence, grid_barrier, hot_copy, hot_wait, lane,
    match_any, max_i32, max_i64, max_u32, max_u64, min_i32, min_i64, min_u32, min_u64, nap, opaque,
    or_u32, or_u64, prefetch, read_u32, read_u64, shared_add_u32, shared_load_u32,
    shared_store_u32, shuffle, thread, threads, warp_barrier, warp_sum, write_u32,
};
use pregel_core::device::{BLOCK, COUNTERS, FOUR, Global, WARP};

/// Number of this thread in the whole grid.
#[inline(always)]
pub fn index() -> u64 {
    block() as u64 * BLOCK as u64 + thread() as u64
}

/// Number of this warp in the whole grid.
#[inline(always)]
pub fn warp() -> u64 {
    index() / WARP as u64
}

/// The vertices of this thread, from one place to before another: one, or
/// [`FOUR`] neighbours if the grid has fewer threads than there are vertices.
#[inline(always)]
pub fn places(count: u32) -> (u64, u64) {
    let threads = u64::from(blocks()) * u64::from(BLOCK);
    let each = if threads < count.into() { FOUR.into() } else { 1 };
    let first = (index() * each).min(count.into());
    (first, (first + each).min(count.into()))
}

/// The votes of the vertices from `first` to before `end`, one in each byte, if they
/// are [`FOUR`].
///
/// # Safety
/// These are [`places`], and nobody writes the votes.
#[inline(always)]
pub unsafe fn four_votes(votes: Global<u8>, (first, end): (u64, u64)) -> Option<u32> {
    // SAFETY: arrays begin at multiples of 256.
    (end - first == FOUR.into())
        .then(|| unsafe { load_const(Global::at(votes.address()), first / u64::from(FOUR)) })
}

/// The lanes before this one, as a mask.
#[inline(always)]
pub fn lanes_before() -> u32 {
    (1 << lane()) - 1
}

/// How the memory system is to treat a load.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reading {
    /// Memory that this kernel may write.
    Plain,
    /// Memory that nobody writes during the kernel.
    ReadOnly,
    /// The same, read once: it need not stay in the first cache.
    Once,
    /// Memory that other blocks may write.
    Shared,
}

/// Element `i` of an array that this kernel may write elsewhere.
///
/// # Safety
/// The array has more than `i` elements.
#[inline(always)]
pub unsafe fn load<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: as the caller promises.
    unsafe { load_words(array.element(i), Reading::Plain) }
}

/// Element `i` of an array that nobody writes during the kernel.
///
/// # Safety
/// The array has more than `i` elements, and nobody writes it.
#[inline(always)]
pub unsafe fn load_const<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: as the caller promises.
    unsafe { load_words(array.element(i), Reading::ReadOnly) }
}

/// Element `i` of an array that nobody writes during the kernel, and that is
/// read once only: past the first cache.
///
/// # Safety
/// The array has more than `i` elements, and nobody writes it.
#[inline(always)]
pub unsafe fn load_once<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: as the caller promises.
    unsafe { load_words(array.element(i), Reading::Once) }
}

/// Element `i` of an array that nobody writes during the kernel: from the block's
/// copy of the first `hot` elements, if it is one of them.
///
/// # Safety
/// The array has more than `i` elements, and nobody writes it. The block has copied
/// the first `hot` of them by [`hot_copy`] and waited. `T` is made of words of 4 or
/// 8 bytes.
#[inline(always)]
pub unsafe fn load_hot<T: Pod>(array: Global<T>, i: u32, hot: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    let (offset, address) = (i.wrapping_mul(size_of::<T>() as u32), array.element(i.into()));
    let is_hot = i < hot;
    // SAFETY: every byte of `value` is written, and any bytes make a `Pod`.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    let (offset, address) = (offset + 8 * k as u32, address + 8 * k as u64);
                    let word = imp::load_hot_u64(is_hot, offset, address);
                    to.cast::<u64>().add(k).write_unaligned(word);
                }
            }
            _ => {
                for k in 0..size_of::<T>() / 4 {
                    let (offset, address) = (offset + 4 * k as u32, address + 4 * k as u64);
                    let word = imp::load_hot_u32(is_hot, offset, address);
                    to.cast::<u32>().add(k).write_unaligned(word);
                }
            }
        }
        value.assume_init()
    }
}

/// Element `i` of what the block has copied to its memory.
///
/// # Safety
/// The block has copied it by [`hot_copy`] and waited. `T` is made of words of 4 or 8
/// bytes.
#[inline(always)]
pub unsafe fn copied<T: Pod>(i: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    let offset = i * size_of::<T>() as u32;
    // SAFETY: every byte of `value` is written, and any bytes make a `Pod`.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    let word = imp::copied_u64(offset + 8 * k as u32);
                    to.cast::<u64>().add(k).write_unaligned(word);
                }
            }
            _ => {
                for k in 0..size_of::<T>() / 4 {
                    let word = imp::copied_u32(offset + 4 * k as u32);
                    to.cast::<u32>().add(k).write_unaligned(word);
                }
            }
        }
        value.assume_init()
    }
}

/// Element `i` of an array that other blocks write, past this block's cache.
///
/// # Safety
/// The array has more than `i` elements, and a lock keeps others off this one.
#[inline(always)]
pub unsafe fn read<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: as the caller promises.
    unsafe { load_words(array.element(i), Reading::Shared) }
}

/// Writes element `i`.
///
/// # Safety
/// The array has more than `i` elements; no other thread touches this one.
#[inline(always)]
pub unsafe fn store<T: Pod>(array: Global<T>, i: u64, value: T) {
    let address = array.element(i);
    let from = (&raw const value).cast::<u8>();
    // SAFETY: the words are those of `value`, and the element is the caller's.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    imp::store_u64(
                        address + 8 * k as u64,
                        from.cast::<u64>().add(k).read_unaligned(),
                    );
                }
            }
            Unit::Four => {
                for k in 0..size_of::<T>() / 4 {
                    imp::store_u32(
                        address + 4 * k as u64,
                        from.cast::<u32>().add(k).read_unaligned(),
                    );
                }
            }
            Unit::One => {
                for k in 0..size_of::<T>() {
                    imp::store_u8(address + k as u64, from.add(k).read());
                }
            }
        }
    }
}

/// Writes elements `i` to `i + 3`, at a time if they are words of 4 bytes.
///
/// # Safety
/// The array has more than `i + 3` elements, `i` is a multiple of 4; no other thread
/// touches these four.
#[inline(always)]
pub unsafe fn store_four<T: Pod>(array: Global<T>, i: u64, [v0, v1, v2, v3]: [T; 4]) {
    let word = |value: T| {
        // SAFETY: the value has 4 bytes.
        u64::from(unsafe { (&raw const value).cast::<u32>().read_unaligned() })
    };
    // SAFETY: as the caller promises; arrays begin at multiples of 256.
    unsafe {
        if size_of::<T>() == 4 && align_of::<T>() == 4 {
            let pair = [word(v0) | word(v1) << 32, word(v2) | word(v3) << 32];
            imp::store_u64_pair(array.element(i), pair);
        } else {
            store(array, i, v0);
            store(array, i + 1, v1);
            store(array, i + 2, v2);
            store(array, i + 3, v3);
        }
    }
}

/// Writes an element of two bytes.
///
/// # Safety
/// As [`store`].
#[inline(always)]
pub unsafe fn store_u16(array: Global<u16>, i: u64, value: u16) {
    // SAFETY: as the caller promises.
    unsafe { imp::store_u16(array.element(i), value) }
}

/// Bytes moved by one instruction.
enum Unit {
    Eight,
    Four,
    One,
}

/// The largest unit that alignment and size of `T` allow.
#[inline(always)]
const fn unit<T>() -> Unit {
    if align_of::<T>() >= 8 {
        Unit::Eight
    } else if align_of::<T>() >= 4 {
        Unit::Four
    } else {
        Unit::One
    }
}

#[inline(always)]
unsafe fn load_words<T: Pod>(address: u64, reading: Reading) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    // SAFETY: every byte of `value` is written, and any bytes make a `Pod`.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    let at = address + 8 * k as u64;
                    let word = match reading {
                        Reading::Plain => imp::load_u64(at),
                        Reading::ReadOnly => imp::load_const_u64(at),
                        Reading::Once => imp::load_once_u64(at),
                        Reading::Shared => imp::read_u64(at),
                    };
                    to.cast::<u64>().add(k).write_unaligned(word);
                }
            }
            Unit::Four => {
                for k in 0..size_of::<T>() / 4 {
                    let at = address + 4 * k as u64;
                    let word = match reading {
                        Reading::Plain => imp::load_u32(at),
                        Reading::ReadOnly => imp::load_const_u32(at),
                        Reading::Once => imp::load_once_u32(at),
                        Reading::Shared => imp::read_u32(at),
                    };
                    to.cast::<u32>().add(k).write_unaligned(word);
                }
            }
            Unit::One => {
                for k in 0..size_of::<T>() {
                    let at = address + k as u64;
                    let byte = match reading {
                        Reading::Plain => imp::load_u8(at),
                        Reading::ReadOnly | Reading::Once => imp::load_const_u8(at),
                        Reading::Shared => imp::read_u8(at),
                    };
                    to.add(k).write(byte);
                }
            }
        }
        value.assume_init()
    }
}

/// The value of lane `from`, in every lane. All lanes of the warp take part;
/// `from` may differ from lane to lane and is below 32.
#[inline(always)]
pub fn shuffle_value<T: Pod>(value: T, from: u32) -> T {
    let mut result = value;
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    let (read, write) = ((&raw const value).cast::<u8>(), (&raw mut result).cast::<u8>());
    for k in 0..words {
        // SAFETY: word `k` lies within both values.
        unsafe {
            let word = read.cast::<u32>().add(k).read_unaligned();
            write.cast::<u32>().add(k).write_unaligned(shuffle(word, from));
        }
    }
    for k in 4 * words..4 * words + rest {
        // SAFETY: byte `k` lies within both values.
        unsafe { write.add(k).write(shuffle(read.add(k).read().into(), from) as u8) }
    }
    result
}

/// Shows the words of a value, one after the other, the last filled up with zeroes.
#[inline(always)]
fn each_word<T: Pod>(value: T, mut see: impl FnMut(u32, u32)) {
    let from = (&raw const value).cast::<u8>();
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    for k in 0..words {
        // SAFETY: the word lies within the value.
        see(k as u32, unsafe { from.cast::<u32>().add(k).read_unaligned() });
    }
    let mut last = 0;
    for k in 0..rest {
        // SAFETY: the byte lies within the value.
        last |= u32::from(unsafe { from.add(4 * words + k).read() }) << (8 * k);
    }
    if rest > 0 {
        see(words as u32, last);
    }
}

/// Makes a value of its words.
#[inline(always)]
fn of_words<T: Pod>(word: impl Fn(u32) -> u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    // SAFETY: every byte of `value` is written, and any bytes make a `Pod`.
    unsafe {
        for k in 0..words {
            to.cast::<u32>().add(k).write_unaligned(word(k as u32));
        }
        if rest > 0 {
            let last = word(words as u32);
            for k in 0..rest {
                to.add(4 * words + k).write((last >> (8 * k)) as u8);
            }
        }
        value.assume_init()
    }
}

/// Puts a value into the block's shared memory at byte `offset`, a multiple of 4.
///
/// # Safety
/// The value, rounded up to 4 bytes, fits the
/// [`SHARED`](pregel_core::device::SHARED) bytes, and no other thread touches
/// this place until the next barrier.
#[inline(always)]
pub unsafe fn shared_store<T: Pod>(offset: u32, value: T) {
    // SAFETY: the place is the caller's.
    each_word(value, |k, word| unsafe { shared_store_u32(offset + 4 * k, word) });
}

/// Takes a value from the block's shared memory at byte `offset`.
///
/// # Safety
/// A value of this type was put there, before the last barrier or by this thread.
#[inline(always)]
pub unsafe fn shared_load<T: Pod>(offset: u32) -> T {
    // SAFETY: as the caller promises.
    of_words(|k| unsafe { shared_load_u32(offset + 4 * k) })
}

/// How many values fit the block's counters: a power of two.
pub const fn tile<T>() -> u32 {
    1 << (COUNTERS / size_of::<T>().div_ceil(4) as u32).ilog2()
}

/// Puts a value into the block's counters, as number `i` of [`tile`].
///
/// # Safety
/// `i` is below [`tile`], and no other thread touches this place until the next
/// barrier.
#[inline(always)]
pub unsafe fn tile_store<T: Pod>(i: u32, value: T) {
    // Neighbours in one bank after the other.
    // SAFETY: the words of all values lie within the counters.
    each_word(value, |k, word| unsafe { counter_store(k * tile::<T>() + i, word) });
}

/// Takes value `i` of the block's counters.
///
/// # Safety
/// A value of this type was put there, before the last barrier or by this thread.
#[inline(always)]
pub unsafe fn tile_load<T: Pod>(i: u32) -> T {
    // SAFETY: as the caller promises.
    of_words(|k| unsafe { counter_load(k * tile::<T>() + i) })
}
