//! Single instruction, multiple threads: what a lane can do that a CPU thread
//! cannot, and the only place with inline assembly and compiler intrinsics.
//!
//! The same functions exist on the host, where an emulator runs the kernels
//! without a GPU.
//!
//! # Invariants
//!
//! All unsafe code of this crate rests on the following. A kernel's `# Safety` section
//! says which parts of its argument block it uses; a `SAFETY` comment names the
//! invariants that it rests on. The device checks none of them. The emulator checks
//! I3, and I5 as far as one schedule shows it.
//!
//! *What the host guarantees of a launch:*
//!
//! * **I1, argument blocks.** A kernel is given a block of its own type. In every part
//!   of the block that its `# Safety` section lists, each array exists with the length
//!   and the contents that the part's documentation states, except where that says
//!   "may be none". All parts describe the same graph: degrees, offsets and bases are
//!   those of its edges, and `vertices.count` is the number of its vertices.
//! * **I2, indices.** An index that comes from the block or from an array in it lies in
//!   the arrays that it indexes. Vertex ids and places are below `vertices.count`;
//!   edges are below the last offset; the slots of a column are those that
//!   [`columns::slot`] gives for a layer below the vertex's degree; items, pieces and
//!   chunks name rows, groups and layers that exist. A list has room for every entry
//!   that the kernel can append.
//! * **I3, addresses.** An array begins at a multiple of 256 bytes and its allocation
//!   is a multiple of 16 bytes long. So an element that exists is aligned, four
//!   neighbouring words that begin at a multiple of four are aligned to 16 bytes, and
//!   a copy of 16 bytes that begins in an array stays in its allocation.
//! * **I4, launch shape.** A grid has one dimension. A block has whole warps, exactly
//!   [`BLOCK`] threads where the kernel does not say otherwise, and at least as many
//!   bytes of staged memory as the kernel stages. Kernels with a grid barrier are
//!   launched with all blocks resident.
//!
//! *What kernels guarantee:*
//!
//! * **I5, convergence.** All 32 lanes of a warp call [`ballot`], [`shuffle`],
//!   [`match_any`], [`warp_sum`] and [`warp_barrier`] together, all threads of a block
//!   [`barrier`], all threads of a grid [`grid_barrier`]. A branch around such a call,
//!   an early return included, depends only on values that are the same in the whole
//!   warp, block or grid: constants, the argument block, and memory that no
//!   thread writes between two barriers.
//! * **I6, owners.** Every element that a kernel writes has one owner between two
//!   barriers (of the block for shared memory; of the grid, or the ends of the kernel,
//!   for device memory). No other thread touches it meanwhile, except as I8 allows.
//!   The owner of what belongs to a vertex (state, vote, signal, its column of the
//!   mailbox) is the thread that computes the vertex; that of an entry of a list is
//!   the lane whose atomic addition reserved it.
//! * **I7, read-only arrays.** What [`load_const`], [`load_once`], [`load_hot`] and
//!   the staging functions read is not written by any thread during the kernel.
//! * **I8, contended words.** Words of 4 or 8 bytes that several threads touch between
//!   two barriers are changed by atomics, by relaxed stores, or by stores that all write
//!   the same value. They are read by relaxed loads, or by [`load`] where an old value is
//!   as good as the newest. Larger elements are touched under a lock, with a [`fence`] on
//!   both sides.
//! * **I9, shared memory.** Offsets come from [`pregel_core::device::shared`], so they
//!   are in bounds and aligned. A region holds arbitrary bits until this block has
//!   written it; between the last access to one region and the first to another that
//!   overlaps it lies a barrier.
//!
//! *What types guarantee:*
//!
//! * **I10, values.** Everything in device and shared memory is [`Pod`], so arbitrary
//!   bits make a valid value; a value that is read before it was written is wrong, but
//!   not undefined. `MERGE_NATIVE` of a combiner names a number of its message's size.
//!
//! [`columns::slot`]: pregel_core::device::columns::slot

#[cfg(target_arch = "nvptx64")]
#[path = "device.rs"]
mod imp;
#[cfg(not(target_arch = "nvptx64"))]
#[path = "host.rs"]
mod imp;

mod atomic;

use core::mem::MaybeUninit;
use core::ops::Range;

pub use atomic::{
    combine, combine_word, combines_natively, load_relaxed_word, same_word, try_update_word,
    update_seen_word, update_word,
};
use bytemuck::Pod;
pub use imp::{
    add_f32, add_f64, add_u32, add_u64, ballot, barrier, block, blocks,
    compare_exchange_relaxed_u32, compare_exchange_u32, compare_exchange_u64, exchange_u32, fence,
    grid_barrier, lane, load_relaxed_u32, load_relaxed_u64, match_any, max_i32, max_i64, max_u32,
    max_u64, min_i32, min_i64, min_u32, min_u64, opaque, or_u32, or_u64, prefetch, shuffle, sleep,
    stage_16_bytes, store_relaxed_u32, thread, threads, wait_for_staged, warp_barrier, warp_sum,
};
use pregel_core::device::shared::{Counter, Region, staged_offset};
use pregel_core::device::{BLOCK, FOUR, Global, WARP};

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

/// The places that this thread takes: one, or [`FOUR`] neighbours if the grid has fewer
/// threads than there are vertices.
#[inline(always)]
pub fn own_places(count: u32) -> Range<u64> {
    let threads = u64::from(blocks()) * u64::from(BLOCK);
    let each = if threads < count.into() { FOUR.into() } else { 1 };
    let first = (index() * each).min(count.into());
    first..(first + each).min(count.into())
}

/// The votes of the vertices at `places`, one per byte, if there are [`FOUR`] of them.
///
/// # Safety
/// `places` are [`own_places`], `votes` has one element per vertex (I1), and no thread
/// writes it during the kernel (I7).
#[inline(always)]
pub unsafe fn packed_votes(votes: Global<u8>, places: &Range<u64>) -> Option<u32> {
    if places.end - places.start != FOUR.into() {
        return None;
    }
    let packed = Global::at(votes.address());
    // SAFETY: I3: four votes from a multiple of four on are one aligned word; I7.
    Some(unsafe { load_const(packed, places.start / u64::from(FOUR)) })
}

/// The lanes before this one, as a mask.
#[inline(always)]
pub fn lanes_before() -> u32 {
    (1 << lane()) - 1
}

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
enum Unit {
    Eight,
    Four,
    One,
}

/// The largest unit that the alignment of `T` allows; its size is a multiple of it.
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

/// The value of lane `from`, in every lane. All lanes of the warp take part (I5); `from`
/// may differ from lane to lane and is below 32.
#[inline(always)]
pub fn shuffle_value<T: Pod>(value: T, from: u32) -> T {
    let mut result = value;
    let (words, rest) = (size_of::<T>() / 4, size_of::<T>() % 4);
    let (read, write) = ((&raw const value).cast::<u8>(), (&raw mut result).cast::<u8>());
    for k in 0..words {
        // SAFETY: word `k` lies within both values; I10.
        unsafe {
            let word = read.cast::<u32>().add(k).read_unaligned();
            write.cast::<u32>().add(k).write_unaligned(shuffle(word, from));
        }
    }
    for k in 4 * words..4 * words + rest {
        // SAFETY: byte `k` lies within both values; I10.
        unsafe { write.add(k).write(shuffle(read.add(k).read().into(), from) as u8) }
    }
    result
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
