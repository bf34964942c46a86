//! Typed accesses to the shared memory of a block.

use core::mem::MaybeUninit;

use bytemuck::Pod;
use pregel_core::device::shared::{Counter, Region, staged_offset};

use super::imp;
use super::memory::{Unit, unit};

/// Element `i` of what the block has staged.
///
/// # Safety
/// The block has staged an array of `T` with more than `i` elements from offset 0 on,
/// waited for it and passed a barrier (I9). The alignment of `T` is at least 4.
#[inline(always)]
pub unsafe fn load_staged<T: Pod>(i: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    let offset = staged_offset::<T>(i);
    // SAFETY: the caller's promise; the loop writes every byte of `value`; I10.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    let word = imp::load_staged_u64(offset + 8 * k as u32);
                    to.cast::<u64>().add(k).write_unaligned(word);
                }
            }
            _ => {
                for k in 0..size_of::<T>() / 4 {
                    let word = imp::load_staged_u32(offset + 4 * k as u32);
                    to.cast::<u32>().add(k).write_unaligned(word);
                }
            }
        }
        value.assume_init()
    }
}

/// As [`load_staged`], for a number that was cut out of a wider word. The element's offset is a product:
/// the compiler would combine a shift with the one that cut the number out, and then need an instruction
/// more for a mask.
///
/// # Safety
/// As [`load_staged`].
#[inline(always)]
pub unsafe fn gather_staged<T: Pod>(i: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    // SAFETY: the caller's promise; every byte of `value` is written; I10.
    unsafe {
        match (unit::<T>(), size_of::<T>()) {
            (Unit::Eight, 8) => {
                value.as_mut_ptr().cast::<u64>().write_unaligned(imp::gather_staged_u64(i));
            }
            (_, 4) => value.as_mut_ptr().cast::<u32>().write_unaligned(imp::gather_staged_u32(i)),
            _ => return load_staged(i),
        }
        value.assume_init()
    }
}

/// Writes element `i` of an array in what the block stages.
///
/// # Safety
/// The launch gave the block room for more than `i` elements of an array of `T` from offset 0 on
/// (I4), and this thread owns this one until the next barrier (I6, I9). The alignment of `T` is at
/// least 4.
#[inline(always)]
pub unsafe fn put_staged<T: Pod>(i: u32, value: T) {
    let offset = staged_offset::<T>(i);
    // SAFETY: the caller's promise.
    for_each_word(value, |k, word| unsafe { imp::store_staged(offset + 4 * k, word) });
}

/// Calls `f` with the number and the bits of each word of a value; the last is filled
/// up with zeros.
#[inline(always)]
fn for_each_word<T: Pod>(value: T, mut f: impl FnMut(u32, u32)) {
    let from = (&raw const value).cast::<u8>();
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    for k in 0..words {
        // SAFETY: word `k` lies within the value.
        f(k as u32, unsafe { from.cast::<u32>().add(k).read_unaligned() });
    }
    let mut last = 0;
    for k in 0..rest {
        // SAFETY: the byte lies within the value.
        last |= u32::from(unsafe { from.add(4 * words + k).read() }) << (8 * k);
    }
    if rest > 0 {
        f(words as u32, last);
    }
}

/// Makes a value of its words.
#[inline(always)]
fn from_words<T: Pod>(word: impl Fn(u32) -> u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    // SAFETY: the loops write every byte of `value`; I10.
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

/// Writes value `i` of a region of the block's shared memory.
///
/// # Safety
/// The region has more than `i` values, and this thread owns this one until the next
/// barrier (I6, I9).
#[inline(always)]
pub unsafe fn shared_store<T: Pod>(region: Region<T>, i: u32, value: T) {
    let offset = region.offset(i);
    // SAFETY: the caller's promise; I9: the words of a value lie in its region.
    for_each_word(value, |k, word| unsafe { imp::shared_store_u32(offset + 4 * k, word) });
}

/// Value `i` of a region of the block's shared memory.
///
/// # Safety
/// The region has more than `i` values, and this one was written before the last
/// barrier or by this thread (I6, I9).
#[inline(always)]
pub unsafe fn shared_load<T: Pod>(region: Region<T>, i: u32) -> T {
    let offset = region.offset(i);
    // SAFETY: the caller's promise; I9: the words of a value lie in its region.
    from_words(|k| unsafe { imp::shared_load_u32(offset + 4 * k) })
}

/// Adds to word `i` of a region of the block's shared memory; returns what was there.
///
/// # Safety
/// The region has more than `i` words, which are only added to until the next barrier
/// (I8, I9).
#[inline(always)]
pub unsafe fn shared_add(region: Region<u32>, i: u32, operand: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { imp::shared_add_u32(region.offset(i), operand) }
}

/// A counter of the block.
///
/// # Safety
/// It is below [`COUNTERS`](pregel_core::device::COUNTERS), and no other thread changes
/// it until the next barrier (I6, I9).
#[inline(always)]
pub unsafe fn counter_load(counter: Counter) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { imp::counter_load(counter.index()) }
}

/// Sets a counter of the block.
///
/// # Safety
/// It is below [`COUNTERS`](pregel_core::device::COUNTERS), and this thread owns it until
/// the next barrier (I6, I9).
#[inline(always)]
pub unsafe fn counter_store(counter: Counter, count: u32) {
    // SAFETY: the caller's promise.
    unsafe { imp::counter_store(counter.index(), count) }
}

/// Adds to a counter of the block; returns what was there.
///
/// # Safety
/// It is below [`COUNTERS`](pregel_core::device::COUNTERS), and is only added to until the
/// next barrier (I8, I9).
#[inline(always)]
pub unsafe fn counter_add(counter: Counter, operand: u32) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { imp::counter_add(counter.index(), operand) }
}

/// Writes message `i` of the tile in the block's counters.
///
/// # Safety
/// `i` is below [`tile_messages`](pregel_core::device::shared::tile_messages), and this
/// thread owns this message until the next barrier (I6, I9).
#[inline(always)]
pub unsafe fn tile_store<T: Pod>(i: u32, value: T) {
    // SAFETY: the caller's promise; I9: the words of all messages lie in the counters.
    for_each_word(value, |k, word| unsafe { counter_store(Counter::of_message::<T>(i, k), word) });
}

/// Message `i` of the tile in the block's counters.
///
/// # Safety
/// `i` is below [`tile_messages`](pregel_core::device::shared::tile_messages), and the
/// message was written before the last barrier or by this thread (I6, I9).
#[inline(always)]
pub unsafe fn tile_load<T: Pod>(i: u32) -> T {
    // SAFETY: the caller's promise; I9: the words of all messages lie in the counters.
    from_words(|k| unsafe { counter_load(Counter::of_message::<T>(i, k)) })
}
