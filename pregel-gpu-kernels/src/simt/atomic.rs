//! Combining messages in memory that many threads write.

use bytemuck::Pod;
use pregel_core::device::Global;
use pregel_core::program::{Delivery, Kind, Law, Native, Operation};

use super::imp;

/// Whether one instruction combines by this rule.
pub const fn combines_natively(native: Option<Native>) -> bool {
    match native {
        Some(Native { operation: Operation::Min | Operation::Max, kind }) => {
            !matches!(kind, Kind::F32 | Kind::F64)
        }
        Some(_) => true,
        None => false,
    }
}

/// Combines `message` into slot `i`, by `D`, which needs no lock
/// ([`needs_lock`](pregel_core::device::needs_lock)).
///
/// `slots` hold the neutral value, `arrived` 0, until a first message comes;
/// afterwards `arrived` is not 0. By one instruction where there is one, by
/// compare-and-swap otherwise.
///
/// # Safety
/// Both arrays have more than `i` elements, begin at multiples of 8, and are
/// touched by this function alone during the kernel.
#[inline(always)]
pub unsafe fn combine<D: Delivery>(
    slots: Global<D::Message>,
    arrived: Global<u32>,
    i: u64,
    message: D::Message,
) {
    let flag = arrived.element(i);
    // SAFETY: as the caller promises.
    unsafe {
        if matches!(D::MERGE_LAW, Law::Arbitrary) {
            if imp::exchange_u32(flag, 1) == 0 {
                super::store(slots, i, message);
            }
        } else {
            combine_word::<D>(slots, i, message);
            imp::store_u32(flag, 1);
        }
    }
}

/// Combines a message of 0, 4 or 8 bytes into slot `i`, by `D`; any other is
/// lost. By one instruction where there is one, else by compare-and-swap.
///
/// # Safety
/// The array has more than `i` elements, begins at a multiple of 8, and is
/// changed by such functions alone during the kernel.
#[inline(always)]
pub unsafe fn combine_word<D: Delivery>(slots: Global<D::Message>, i: u64, message: D::Message) {
    // SAFETY: as the caller promises.
    unsafe {
        match D::MERGE_NATIVE {
            Some(native) if combines_natively(D::MERGE_NATIVE) => {
                reduce(native, slots.element(i), message);
            }
            _ => {
                update_word(slots, i, |old: D::Message| (D::merge(old, message), ()));
            }
        }
    }
}

/// Changes element `i`, of 4 or 8 bytes, by `f` as if no other thread were
/// there; `f` may run more than once, and its last answer comes back. An
/// element of any other size stays as it is.
///
/// # Safety
/// The array has more than `i` elements, begins at a multiple of 8, and is
/// changed by such functions alone during the kernel.
#[inline(always)]
pub unsafe fn update_word<T: Pod, R>(array: Global<T>, i: u64, f: impl Fn(T) -> (T, R)) -> R {
    // SAFETY: as the caller promises.
    unsafe { update_seen_word(array, i, read_word(array, i), f) }
}

/// As [`update_word`], where the element was `old` not long ago.
///
/// # Safety
/// As [`update_word`].
#[inline(always)]
pub unsafe fn update_seen_word<T: Pod, R>(
    array: Global<T>,
    i: u64,
    mut old: T,
    f: impl Fn(T) -> (T, R),
) -> R {
    // SAFETY: as the caller promises.
    unsafe {
        loop {
            let (new, answer) = f(old);
            if same_word(new, old) {
                return answer;
            }
            match swap_word(array, i, old, new) {
                seen if same_word(seen, old) => return answer,
                seen => old = seen,
            }
        }
    }
}

/// Changes element `i`, of 4 or 8 bytes, by `f`, unless another thread changes it
/// meanwhile; whether that was done. There is nothing to do for any other size.
///
/// # Safety
/// As [`update_word`].
#[inline(always)]
pub unsafe fn try_update_word<T: Pod>(array: Global<T>, i: u64, f: impl Fn(T) -> T) -> bool {
    // SAFETY: as the caller promises.
    unsafe {
        let old = read_word(array, i);
        let new = f(old);
        same_word(new, old) || same_word(swap_word(array, i, old, new), old)
    }
}

/// Writes `new` to element `i`, of 4 or 8 bytes, if `old` is there; gives back what was.
///
/// # Safety
/// As [`update_word`].
#[inline(always)]
unsafe fn swap_word<T: Pod>(array: Global<T>, i: u64, old: T, new: T) -> T {
    let at = array.element(i);
    // SAFETY: as the caller promises.
    unsafe {
        match size_of::<T>() {
            4 => from_u32(imp::compare_exchange_u32(at, bits_u32(old), bits_u32(new))),
            8 => from_u64(imp::compare_exchange_u64(at, bits_u64(old), bits_u64(new))),
            _ => old,
        }
    }
}

/// Whether two values of 4 or 8 bytes have the same bits; true for other sizes.
#[inline(always)]
pub fn same_word<T: Pod>(a: T, b: T) -> bool {
    bits_u32(a) == bits_u32(b) && bits_u64(a) == bits_u64(b)
}

/// Element `i`, of 4 or 8 bytes, that other blocks may be changing; zero for
/// other sizes.
///
/// # Safety
/// The array has more than `i` elements and begins at a multiple of 8.
#[inline(always)]
pub unsafe fn read_word<T: Pod>(array: Global<T>, i: u64) -> T {
    // SAFETY: as the caller promises.
    unsafe {
        match size_of::<T>() {
            4 => from_u32(imp::read_u32(array.element(i))),
            8 => from_u64(imp::read_u64(array.element(i))),
            _ => T::zeroed(),
        }
    }
}

/// One instruction of the memory system.
///
/// # Safety
/// `T` is the number that `native` names, and `address` that of one.
#[inline(always)]
unsafe fn reduce<T: Pod>(native: Native, address: u64, value: T) {
    use {Kind::*, Operation::*};
    // SAFETY: as the caller promises.
    unsafe {
        match (native.operation, native.kind) {
            (Add, U32 | I32) => {
                let _ = imp::add_u32(address, bits_u32(value));
            }
            (Add, U64 | I64) => imp::add_u64(address, bits_u64(value)),
            (Add, F32) => imp::add_f32(address, f32::from_bits(bits_u32(value))),
            (Add, F64) => imp::add_f64(address, f64::from_bits(bits_u64(value))),
            (Min, U32) => imp::min_u32(address, bits_u32(value)),
            (Min, U64) => imp::min_u64(address, bits_u64(value)),
            (Min, I32) => imp::min_i32(address, bits_u32(value) as i32),
            (Min, I64) => imp::min_i64(address, bits_u64(value) as i64),
            (Max, U32) => imp::max_u32(address, bits_u32(value)),
            (Max, U64) => imp::max_u64(address, bits_u64(value)),
            (Max, I32) => imp::max_i32(address, bits_u32(value) as i32),
            (Max, I64) => imp::max_i64(address, bits_u64(value) as i64),
            (Or, U32 | I32) => imp::or_u32(address, bits_u32(value)),
            (Or, U64 | I64) => imp::or_u64(address, bits_u64(value)),
            // `combines_natively` lets no other through.
            _ => {}
        }
    }
}

/// The bits of a value of 4 bytes; 0 for others, which no caller has.
#[inline(always)]
fn bits_u32<T: Pod>(value: T) -> u32 {
    if size_of::<T>() != 4 {
        return 0;
    }
    // SAFETY: the sizes agree, and a `Pod` has no other bits than its own.
    unsafe { (&raw const value).cast::<u32>().read_unaligned() }
}

/// The bits of a value of 8 bytes; 0 for others, which no caller has.
#[inline(always)]
fn bits_u64<T: Pod>(value: T) -> u64 {
    if size_of::<T>() != 8 {
        return 0;
    }
    // SAFETY: the sizes agree, and a `Pod` has no other bits than its own.
    unsafe { (&raw const value).cast::<u64>().read_unaligned() }
}

/// The value with these bits; zero unless it has 4 bytes.
#[inline(always)]
fn from_u32<T: Pod>(bits: u32) -> T {
    if size_of::<T>() != 4 {
        return T::zeroed();
    }
    // SAFETY: the sizes agree, and any bits make a `Pod`.
    unsafe { (&raw const bits).cast::<T>().read_unaligned() }
}

/// The value with these bits; zero unless it has 8 bytes.
#[inline(always)]
fn from_u64<T: Pod>(bits: u64) -> T {
    if size_of::<T>() != 8 {
        return T::zeroed();
    }
    // SAFETY: the sizes agree, and any bits make a `Pod`.
    unsafe { (&raw const bits).cast::<T>().read_unaligned() }
}
