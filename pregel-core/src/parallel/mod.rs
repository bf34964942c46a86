//! Parallel loops over numbers, on the threads of the current pool.
//!
//! Their machinery is compiled once. Rayon's own iterators are compiled again for each program
//! that an engine is used with, which took half of the compiler's time.

mod share;
pub(crate) mod team;

use std::mem::MaybeUninit;
use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

pub(crate) use self::share::{Hand, Share, hands, own_first};
use crate::memory;
use crate::shared::SharedSlice;

/// Calls `work` with each number below `count`.
pub(crate) fn each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    match count {
        0 | 1 => (0..count).for_each(work),
        _ if team::each(count, work) => (),
        _ => (0..count).into_par_iter().for_each(work),
    }
}

/// Calls `work` with the numbers below `count`, in ranges of `block`, which must not be 0.
pub(crate) fn each_block(count: usize, block: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    each(count.div_ceil(block), &|b| work(b * block..count.min(b * block + block)));
}

/// Calls `work` with each number below `count`, and with one of `hands`, which no two threads hold
/// at the same time. Before, each hand is made ready by `begin`. A thread begins with numbers that
/// follow one another.
pub(crate) fn each_with<H: Send>(
    hands: &mut [Hand<H>],
    count: usize,
    begin: impl Fn(&mut H) + Sync,
    work: impl Fn(&mut H, usize) + Sync,
) {
    let threads = hands.len();
    debug_assert!(threads > 0, "nothing can be done without hands");
    let shares: Vec<Share> = (0..threads).map(|i| Share::of(count, i, threads)).collect();
    let hands = SharedSlice::new(hands);
    each(threads, &|own| {
        // SAFETY: there are as many hands, and each number is given to one thread.
        let Hand(hand) = unsafe { hands.get_unchecked_mut(own) };
        begin(hand);
        share::take_all(&shares, own, |i| work(hand, i));
    });
}

/// What `make` makes of each number below `count`, in their order.
pub(crate) fn map<T: Send>(count: usize, make: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let mut all = Vec::new();
    map_into(&mut all, count, 1, &make);
    all
}

/// What `make` makes of each part of `items`, in their order. A part has `size` items, which must
/// not be 0, and the last one what is left.
pub(crate) fn map_chunks<I: Sync, T: Send>(
    items: &[I],
    size: usize,
    make: impl Fn(&[I]) -> T + Sync,
) -> Vec<T> {
    map(items.len().div_ceil(size), |i| {
        let start = i * size;
        make(&items[start..items.len().min(start + size)])
    })
}

/// [`map`] in place of what `all` held. A thread makes `block` of them at a time, which must not
/// be 0, and has a copy of `make`, whose captures need not be loaded again for each. If `make`
/// panics, `all` is left empty, and what was made is never dropped.
pub(crate) fn map_into<T: Send>(
    all: &mut Vec<T>,
    count: usize,
    block: usize,
    make: impl Fn(usize) -> T + Copy + Sync,
) {
    all.clear();
    all.reserve_exact(count);
    let places = &mut all.spare_capacity_mut()[..count];
    memory::prefer_large_pages(places);
    let places = SharedSlice::new(places);
    each_block(count, block, &|range| {
        let (places, make) = (places, make);
        for i in range {
            // SAFETY: blocks do not overlap, and each is given to one thread.
            unsafe { places.write(i, MaybeUninit::new(make(i))) };
        }
    });
    // SAFETY: blocks cover all places, and `each_block` returns after the last of them.
    unsafe { all.set_len(count) };
}

/// `count` zeroes, which threads clear together if they take much memory: the allocator clears
/// what it hands out again with one thread.
pub(crate) fn zeroed<T: Zeroable + Send>(count: usize) -> Vec<T> {
    /// Bytes that a thread clears at a time. No fewer are shared.
    const BLOCK: usize = 1 << 15;
    if count.saturating_mul(size_of::<T>()) <= BLOCK {
        return memory::zeroed(count);
    }
    let mut all = Vec::new();
    all.reserve_exact(count);
    let places = &mut all.spare_capacity_mut()[..count];
    memory::prefer_large_pages(places);
    let places = SharedSlice::new(places);
    each_block(count, (BLOCK / size_of::<T>()).max(1), &|range| {
        // SAFETY: blocks do not overlap, and each is given to one thread.
        unsafe { places.clear(range) };
    });
    // SAFETY: blocks cover all places, `each_block` returns after the last of them, and zeroes
    // are a `T`.
    unsafe { all.set_len(count) };
    all
}

/// Does `work` on a thread of `pool`, or of the global pool.
pub(crate) fn on_thread_of<R: Send>(
    pool: Option<&rayon::ThreadPool>,
    work: impl FnOnce() -> R + Send,
) -> R {
    fn install(pool: Option<&rayon::ThreadPool>, work: &mut (dyn FnMut() + Send)) {
        match pool {
            Some(pool) => pool.install(work),
            None => rayon::scope(|_| work()),
        }
    }
    let (mut work, mut result) = (Some(work), None);
    install(pool, &mut || result = work.take().map(|work| work()));
    match result {
        Some(result) => result,
        None => unreachable!("`install` returns after the work, or panics"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_number_is_made_once_and_in_order() {
        for count in [0, 1, 2, 63, 64, 65, 1000] {
            let expected: Vec<String> = (0..count).map(|i| i.to_string()).collect();
            assert_eq!(map(count, |i| i.to_string()), expected);
            let mut all = vec!["before".to_owned()];
            map_into(&mut all, count, 64, |i| i.to_string());
            assert_eq!(all, expected);
        }
    }

    #[test]
    fn hands_share_all_numbers() {
        for (count, threads) in [(0, 3), (2, 5), (1000, 1), (1000, 4)] {
            let mut hands: Vec<_> = (0..threads).map(|_| Hand(vec![usize::MAX])).collect();
            each_with(&mut hands, count, Vec::clear, |hand, i| hand.push(i));
            let mut all: Vec<_> = hands.into_iter().flat_map(|Hand(hand)| hand).collect();
            all.sort_unstable();
            assert_eq!(all, (0..count).collect::<Vec<_>>());
        }
    }

    #[test]
    fn zeroes_fill_whole_arrays() {
        for count in [0, 1, 1000, (1 << 15) + 1, 100_003] {
            // What was freed is handed out again.
            drop(vec![!0_u32; count]);
            assert_eq!(zeroed::<u32>(count), vec![0; count]);
        }
        assert_eq!(zeroed::<[u64; 3]>(20_000), vec![[0; 3]; 20_000]);
        assert_eq!(zeroed::<()>(1 << 20).len(), 1 << 20);
    }

    #[test]
    fn parts_cover_all_items() {
        let items: Vec<usize> = (0..100).collect();
        for size in [1, 3, 50, 99, 100, 101] {
            let parts = map_chunks(&items, size, <[usize]>::to_vec);
            assert!(parts.iter().rev().skip(1).all(|part| part.len() == size));
            assert_eq!(parts.concat(), items);
        }
        assert!(map_chunks(&[], 4, <[usize]>::to_vec).is_empty());
    }

    #[test]
    fn a_panic_leaves_nothing_half_made() {
        let mut all = vec![1];
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            map_into(&mut all, 10, 1, |i| {
                assert_ne!(i, 5);
                2
            });
        }));
        assert!(made.is_err());
        assert!(all.is_empty());
    }
}
