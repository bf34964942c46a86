//! Typed accesses to device memory.

use core::mem::MaybeUninit;

use bytemuck::Pod;
use pregel_core::device::Global;

use super::imp;

/// How the memory system treats a load.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Access {
    /// Memory that this kernel may write.
    Plain,
    /// Memory that no thread writes during the kernel.
    ReadOnly,
    /// As `ReadOnly`, and read once: it need not stay in the L1 cache.
    Once,
    /// Memory that other blocks may write: past the L1 cache.
    Relaxed,
}

/// Element `i` of an array that this kernel may write elsewhere.
///
/// # Safety
/// The array has more than `i` elements (I2). No other thread writes this one between
/// two barriers (I6), or an old value is as good as the newest (I8).
#[inline(always)]
pub unsafe fn load<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: the caller's promise.
    unsafe { load_units(array.element(i), Access::Plain) }
}

/// Element `i` of an array that no thread writes during the kernel.
///
/// # Safety
/// The array has more than `i` elements (I2), and no thread writes it (I7).
#[inline(always)]
pub unsafe fn load_const<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: the caller's promise.
    unsafe { load_units(array.element(i), Access::ReadOnly) }
}

/// Element `i` of an array that no thread writes during the kernel, and the one after it.
///
/// # Safety
/// The array has more than `i + 1` elements (I2), and no thread writes it (I7).
#[inline(always)]
pub unsafe fn load_pair<T: Pod>(array: Global<T>, i: u64) -> [T; 2] {
    // SAFETY: the caller's promise.
    unsafe { [load_const(array, i), load_const(array, i + 1)] }
}

/// Element `i` of an array that no thread writes during the kernel, and that is read
/// once: it does not displace others from the L1 cache.
///
/// # Safety
/// As [`load_const`].
#[inline(always)]
pub unsafe fn load_once<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: the caller's promise.
    unsafe { load_units(array.element(i), Access::Once) }
}

/// Element `i` of an array that other blocks write, past the L1 cache.
///
/// # Safety
/// The array has more than `i` elements (I2). Either the element is one word of 4 or 8
/// bytes, or a lock or a barrier keeps its writers away meanwhile (I8).
#[inline(always)]
pub unsafe fn load_relaxed<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: the caller's promise.
    unsafe { load_units(array.element(i), Access::Relaxed) }
}

/// Element `i` of an array that no thread writes during the kernel: from what the block
/// has staged of it if `i` is below `hot`.
///
/// # Safety
/// The array has more than `i` elements (I2), and no thread writes it (I7). The block
/// has staged its first `hot` elements from offset 0 on, waited for them and passed a
/// barrier (I9). The alignment of `T` is at least 4.
#[inline(always)]
pub unsafe fn load_hot<T: Pod>(array: Global<T>, i: u32, hot: u32) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    // Wraps for an element that is not staged, and is not used then.
    let (offset, address) = (i.wrapping_mul(size_of::<T>() as u32), array.element(i.into()));
    let is_hot = i < hot;
    // SAFETY: the caller's promise; the loop writes every byte of `value`; I10.
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

/// Writes element `i`.
///
/// # Safety
/// The array has more than `i` elements (I2), and this thread owns this one (I6).
#[inline(always)]
pub unsafe fn store<T: Pod>(array: Global<T>, i: u64, value: T) {
    let address = array.element(i);
    let from = (&raw const value).cast::<u8>();
    // SAFETY: the caller's promise; the units lie within `value`.
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

/// Writes elements `i` to `i + 3`, at once if they are words of 4 bytes.
///
/// # Safety
/// The array has more than `i + 3` elements (I2), `i` is a multiple of 4, and this
/// thread owns these four (I6).
#[inline(always)]
pub unsafe fn store_four<T: Pod>(array: Global<T>, i: u64, [v0, v1, v2, v3]: [T; 4]) {
    let word = |value: T| {
        // SAFETY: only called for values of 4 bytes.
        u64::from(unsafe { (&raw const value).cast::<u32>().read_unaligned() })
    };
    // SAFETY: the caller's promise; I3: four words are aligned to 16 bytes.
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

/// Writes two neighbouring elements, in one instruction if they have 8 bytes each.
///
/// # Safety
/// The array has more than `i + 1` elements (I2), `i` is a multiple of 2, and this thread
/// owns these two (I6).
#[inline(always)]
pub unsafe fn store_two<T: Pod>(array: Global<T>, i: u64, [v0, v1]: [T; 2]) {
    let word = |value: T| {
        // SAFETY: only called for values of 8 bytes.
        unsafe { (&raw const value).cast::<u64>().read_unaligned() }
    };
    // SAFETY: the caller's promise; I3: arrays begin at multiples of 16 bytes, and two
    // elements have 16.
    unsafe {
        if size_of::<T>() == 8 {
            imp::store_u64_pair(array.element(i), [word(v0), word(v1)]);
        } else {
            store(array, i, v0);
            store(array, i + 1, v1);
        }
    }
}

/// Writes an element of two bytes.
///
/// # Safety
/// As [`store`].
#[inline(always)]
pub unsafe fn store_u16(array: Global<u16>, i: u64, value: u16) {
    // SAFETY: the caller's promise.
    unsafe { imp::store_u16(array.element(i), value) }
}

/// What one instruction moves.
pub(super) enum Unit {
    Eight,
    Four,
    One,
}

/// The largest unit that the alignment of `T` allows; its size is a multiple of it.
#[inline(always)]
pub(super) const fn unit<T>() -> Unit {
    if align_of::<T>() >= 8 {
        Unit::Eight
    } else if align_of::<T>() >= 4 {
        Unit::Four
    } else {
        Unit::One
    }
}

/// Loads a value unit by unit.
///
/// # Safety
/// A `T` lies at the address, aligned, and may be read in this way (I6, I7, I8).
#[inline(always)]
unsafe fn load_units<T: Pod>(address: u64, access: Access) -> T {
    let mut value = MaybeUninit::<T>::uninit();
    let to = value.as_mut_ptr().cast::<u8>();
    // SAFETY: the caller's promise; the loop writes every byte of `value`; I10.
    unsafe {
        match unit::<T>() {
            Unit::Eight => {
                for k in 0..size_of::<T>() / 8 {
                    let at = address + 8 * k as u64;
                    let word = match access {
                        Access::Plain => imp::load_u64(at),
                        Access::ReadOnly => imp::load_const_u64(at),
                        Access::Once => imp::load_once_u64(at),
                        Access::Relaxed => imp::load_relaxed_u64(at),
                    };
                    to.cast::<u64>().add(k).write_unaligned(word);
                }
            }
            Unit::Four => {
                for k in 0..size_of::<T>() / 4 {
                    let at = address + 4 * k as u64;
                    let word = match access {
                        Access::Plain => imp::load_u32(at),
                        Access::ReadOnly => imp::load_const_u32(at),
                        Access::Once => imp::load_once_u32(at),
                        Access::Relaxed => imp::load_relaxed_u32(at),
                    };
                    to.cast::<u32>().add(k).write_unaligned(word);
                }
            }
            Unit::One => {
                for k in 0..size_of::<T>() {
                    let at = address + k as u64;
                    let byte = match access {
                        Access::Plain => imp::load_u8(at),
                        Access::ReadOnly | Access::Once => imp::load_const_u8(at),
                        Access::Relaxed => imp::load_relaxed_u8(at),
                    };
                    to.add(k).write(byte);
                }
            }
        }
        value.assume_init()
    }
}
