//! Sets of vertices as bits.

use std::mem::MaybeUninit;
use std::ops::{Deref, Range};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use bytemuck::TransparentWrapper;

use crate::memory;
use crate::parallel;
use crate::program::VertexId;
use crate::shared::SharedSlice;

/// A set of vertices, one bit each, that several threads may change.
#[derive(Debug, Default)]
pub(super) struct Bitmap {
    words: Vec<AtomicU64>,
}

impl Bitmap {
    /// The empty set among `len` vertices.
    pub(super) fn new(len: u32) -> Self {
        Self { words: memory::zeroed((len as usize).div_ceil(64)) }
    }

    /// The set of these vertices among `len`.
    pub(super) fn of<'a>(len: u32, vertices: impl IntoIterator<Item = &'a VertexId>) -> Self {
        let set = Self::new(len);
        vertices.into_iter().for_each(|v| {
            set.insert::<false>(*v);
        });
        set
    }

    /// Replaces `list` by the members in ascending order. O(V / 64), parallel.
    pub(super) fn list_into(&mut self, list: &mut Vec<VertexId>) {
        /// Words that a thread takes at a time.
        const BLOCK: usize = 1 << 9;
        let words = &self.words[..];
        let count = |words: &[AtomicU64]| -> usize {
            words.iter().map(|word| word.load(Relaxed).count_ones() as usize).sum()
        };
        let mut starts = parallel::map_chunks(words, BLOCK, count);
        let mut all = 0;
        for start in &mut starts {
            (*start, all) = (all, all + *start);
        }
        list.clear();
        list.reserve(all);
        let places = SharedSlice::new(&mut list.spare_capacity_mut()[..all]);
        parallel::each_block(words.len(), BLOCK, &|range| {
            let mut next = starts[range.start / BLOCK];
            for i in range {
                each_bit(i, words[i].load(Relaxed), |v, _| {
                    // SAFETY: each block has places of its own, since nothing changes the words.
                    unsafe { places.write(next, MaybeUninit::new(v)) };
                    next += 1;
                });
            }
        });
        // SAFETY: there are as many members as places.
        unsafe { list.set_len(all) };
    }
}

impl Deref for Bitmap {
    type Target = Bits;

    #[inline(always)]
    fn deref(&self) -> &Bits {
        Bits::wrap_ref(&self.words)
    }
}

/// The bits of a [`Bitmap`]. Loops refer to these: a reference to them holds the address of
/// the words, which need not be loaded again after each value that the loop writes.
///
/// All accesses are relaxed: supersteps are separated by the joins of the
/// thread pool, and within one a bit says nothing about other memory.
#[derive(Debug, TransparentWrapper)]
#[repr(transparent)]
pub(super) struct Bits([AtomicU64]);

impl Bits {
    /// The 64 bits from vertex `64 * i` on.
    #[inline(always)]
    pub(super) fn word(&self, i: usize) -> u64 {
        self.0[i].load(Relaxed)
    }

    /// Replaces 64 bits; no other thread may be changing them.
    #[inline(always)]
    pub(super) fn set_word(&self, i: usize, word: u64) {
        self.0[i].store(word, Relaxed);
    }

    #[inline(always)]
    pub(super) fn contains(&self, v: VertexId) -> bool {
        self.0[v as usize / 64].load(Relaxed) >> (v % 64) & 1 != 0
    }

    /// [`contains`](Bits::contains) without a check.
    ///
    /// # Safety
    /// There must be a bit for `v`.
    #[inline(always)]
    pub(super) unsafe fn contains_unchecked(&self, v: VertexId) -> bool {
        // SAFETY: the caller's promise.
        let word = unsafe { self.0.get_unchecked(v as usize / 64) };
        word.load(Relaxed) >> (v % 64) & 1 != 0
    }

    /// Adds `v`; returns whether it was missing. With `SHARED` other threads may add
    /// at the same time.
    #[inline(always)]
    pub(super) fn insert<const SHARED: bool>(&self, v: VertexId) -> bool {
        let (word, bit) = (&self.0[v as usize / 64], 1 << (v % 64));
        // The bit is usually there already, and reading is cheaper than writing.
        let before = word.load(Relaxed);
        if before & bit != 0 {
            return false;
        }
        if SHARED {
            return word.fetch_or(bit, Relaxed) & bit == 0;
        }
        word.store(before | bit, Relaxed);
        true
    }

    /// Removes `v`; with `SHARED` as in [`insert`](Bits::insert).
    #[inline(always)]
    pub(super) fn remove<const SHARED: bool>(&self, v: VertexId) {
        let (word, bit) = (&self.0[v as usize / 64], 1 << (v % 64));
        if SHARED {
            word.fetch_and(!bit, Relaxed);
        } else {
            word.store(word.load(Relaxed) & !bit, Relaxed);
        }
    }

    /// Removes `v`; returns whether it was there. With `SHARED` only one of the threads that
    /// remove it at the same time is told so.
    ///
    /// # Safety
    /// There must be a bit for `v`.
    #[inline(always)]
    pub(super) unsafe fn take_unchecked<const SHARED: bool>(&self, v: VertexId) -> bool {
        // SAFETY: the caller's promise.
        let word = unsafe { self.0.get_unchecked(v as usize / 64) };
        let bit = 1 << (v % 64);
        if SHARED {
            return word.fetch_and(!bit, Relaxed) & bit != 0;
        }
        let before = word.load(Relaxed);
        word.store(before & !bit, Relaxed);
        before & bit != 0
    }

    pub(super) fn clear(&self) {
        self.0.iter().for_each(|word| word.store(0, Relaxed));
    }
}

/// The bits of these vertices, of which there is at least one, in the word that they share.
#[inline(always)]
pub(super) fn full(vertices: &Range<VertexId>) -> u64 {
    !0 >> (64 - vertices.len()) << (vertices.start % 64)
}

/// Calls `f` for every vertex in word `i`, with its bit.
#[inline(always)]
pub(super) fn each_bit(i: usize, mut word: u64, mut f: impl FnMut(VertexId, u64)) {
    while word != 0 {
        let bit = word & word.wrapping_neg();
        f((i * 64) as VertexId + word.trailing_zeros(), bit);
        word ^= bit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_of_vertices() {
        let list = |set: &mut Bitmap| {
            let mut list = vec![7];
            set.list_into(&mut list);
            list
        };
        let mut set = Bitmap::new(130);
        assert!(set.insert::<true>(129) && set.insert::<false>(0) && set.insert::<true>(64));
        assert!(!set.insert::<true>(129) && !set.insert::<false>(0));
        assert!(set.contains(64) && !set.contains(63));
        assert_eq!(list(&mut set), [0, 64, 129]);
        set.remove::<true>(64);
        set.remove::<false>(0);
        // SAFETY: there are bits for 130 vertices.
        let take = |set: &Bits, v| unsafe { set.take_unchecked::<true>(v) };
        // SAFETY: as above.
        let take_alone = |set: &Bits, v| unsafe { set.take_unchecked::<false>(v) };
        assert!(!take(&set, 0) && !take_alone(&set, 64));
        assert!(take(&set, 129) && !set.contains(129) && set.insert::<false>(129));
        assert!(take_alone(&set, 129) && !set.contains(129) && set.insert::<true>(129));
        assert_eq!(list(&mut set), [129]);
        set.clear();
        assert!(list(&mut set).is_empty());
        let members: Vec<VertexId> = (0..200_000).filter(|v| v % 7 < 2 || v % 65_536 < 3).collect();
        assert_eq!(list(&mut Bitmap::of(200_000, &members)), members);
    }
}
