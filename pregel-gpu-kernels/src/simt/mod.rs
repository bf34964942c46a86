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
//! that accesses to device memory are aligned and lie in an allocation, and I5 as far
//! as one schedule shows it.
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
//! * **I3, addresses.** An array begins at a multiple of 256 bytes, and one that is
//!   staged is padded to a multiple of 16 bytes. So an element that exists is aligned,
//!   four neighbouring words that begin at a multiple of four are aligned to 16 bytes,
//!   and a copy of 16 bytes that begins in a staged array stays in it.
//! * **I4, launch shape.** A grid has one dimension. A block has whole warps, exactly
//!   [`BLOCK`] threads where the kernel does not say otherwise, and at least as many
//!   bytes of staged memory as the kernel stages. Kernels with a grid barrier are
//!   launched with all blocks resident.
//!
//! *What kernels guarantee:*
//!
//! * **I5, convergence.** All 32 lanes of a warp call [`ballot`], [`shuffle`],
//!   [`match_any`], [`warp_sum`] and [`warp_barrier`] together, all threads of a block
//!   [`barrier`], all threads of a grid [`grid_barrier`] or [`grid_wait`]. A branch around
//!   such a call, an early return included, depends only on values that are the same in the whole
//!   warp, block or grid: constants, the argument block, the results of these calls,
//!   and memory that no thread writes between two barriers. What a program's functions
//!   return is none of these, since safe code may return different values for the same
//!   arguments.
//! * **I6, owners.** Every element that a kernel writes has one owner between two
//!   barriers (of the block for shared memory; of the grid, or the ends of the kernel,
//!   for device memory). No other thread touches it meanwhile, except as I8 allows.
//!   The owner of what belongs to a vertex (state, vote, signal, its column of the
//!   mailbox) is the thread that computes the vertex; that of an entry of a list is
//!   the lane whose atomic addition reserved it.
//! * **I7, read-only arrays.** What [`load_const`], [`load_once`], [`load_hot`] and
//!   the staging functions read is not written by any thread during the kernel.
//! * **I8, contended words.** Bytes, and words of 4 or 8 bytes, that several threads
//!   touch between two barriers are changed by atomics, by relaxed stores, or by stores
//!   that all write the same value. They are read by relaxed loads, or by [`load`] where
//!   an old value is as good as the newest. Larger elements are touched under a lock,
//!   with a [`fence`] on both sides. An element that its owner may be writing may also
//!   be read by a relaxed load if its bits are then not used.
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
mod memory;
mod shared;

use core::ops::Range;

pub use atomic::{
    combine, combine_word, combines_natively, load_relaxed_word, same_word, try_update_word,
    update_seen_word, update_word,
};
use bytemuck::Pod;
pub use imp::{
    add_f32, add_f64, add_staged, add_u32, add_u64, ballot, barrier, block, blocks,
    compare_exchange_u32, compare_exchange_u64, exchange_u32, fence, grid_arrive, grid_barrier,
    grid_bring, grid_leave, grid_sum, grid_wait, lane, load_relaxed_u32, load_relaxed_u64,
    load_staged_four, load_staged_two, load_u32_four, match_any, max_i32, max_i64, max_u32,
    max_u64, min_i32, min_i64, min_u32, min_u64, opaque, or_u32, or_u64, prefetch, shuffle, sleep,
    stage_16_bytes, store_relaxed_u32, store_staged, store_staged_four, store_u32_four, thread,
    threads, wait_for_staged, warp_barrier, warp_sum,
};
pub use memory::{
    load, load_const, load_hot, load_once, load_pair, load_relaxed, store, store_four, store_two,
    store_u16,
};
use pregel_core::device::{BLOCK, Global, VERTICES_PER_THREAD, WARP};
pub use shared::{
    counter_add, counter_load, counter_store, gather_staged, load_staged, put_staged, shared_add,
    shared_load, shared_store, tile_load, tile_store,
};

/// Number of this thread in a grid of blocks of [`BLOCK`] threads (I4).
#[inline(always)]
pub fn index() -> u64 {
    block() as u64 * BLOCK as u64 + thread() as u64
}

/// Number of this warp in a grid of blocks of [`BLOCK`] threads (I4).
#[inline(always)]
pub fn warp() -> u64 {
    index() / WARP as u64
}

/// The places that this thread takes: one, or [`VERTICES_PER_THREAD`] neighbours if the grid
/// has fewer threads than there are vertices.
#[inline(always)]
pub fn own_places(count: u32) -> Range<u64> {
    let each = if has_several(count) { VERTICES_PER_THREAD.into() } else { 1 };
    let first = (index() * each).min(count.into());
    first..(first + each).min(count.into())
}

/// Whether threads take several of `count` places; it is the same for the whole grid.
#[inline(always)]
pub fn has_several(count: u32) -> bool {
    u64::from(blocks()) * u64::from(BLOCK) < count.into()
}

/// The votes of the vertices at `places`, one per byte, if there are
/// [`VERTICES_PER_THREAD`] of them.
///
/// # Safety
/// `places` are [`own_places`], `votes` has one element per vertex (I1), and no thread
/// writes it during the kernel (I7).
#[inline(always)]
pub unsafe fn packed_votes(votes: Global<u8>, places: &Range<u64>) -> Option<u32> {
    if places.end - places.start != VERTICES_PER_THREAD.into() {
        return None;
    }
    let packed = Global::at(votes.address());
    // SAFETY: I3: four votes from a multiple of four on are one aligned word; I7.
    Some(unsafe { load_const(packed, places.start / u64::from(VERTICES_PER_THREAD)) })
}

/// The lanes before this one, as a mask.
#[inline(always)]
pub fn lanes_before() -> u32 {
    (1 << lane()) - 1
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
