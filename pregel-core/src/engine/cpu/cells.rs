//! Arrays of plain values that several threads read and change, in safe code: a
//! value of 4 or 8 bytes lives in an atomic word, any other behind a lock.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{LockResult, Mutex, MutexGuard, PoisonError};

use bytemuck::{bytes_of, cast};

use crate::memory;
use crate::parallel;
use crate::program::Value;

/// How many cells a thread fills at a time.
const BLOCK: usize = 4096;

/// An array of `T` with an atomic view of every element.
///
/// Which of the three arrays holds the values depends on the size of `T` alone, so
/// the compiler chooses.
#[derive(Debug)]
pub(super) struct Cells<T> {
    words32: Vec<AtomicU32>,
    words64: Vec<AtomicU64>,
    locked: Vec<Mutex<T>>,
}

impl<T: Value> Cells<T> {
    const SIZE: usize = size_of::<T>();

    /// Whether values change without locks.
    pub(super) const LOCK_FREE: bool = matches!(Self::SIZE, 0 | 4 | 8);

    /// `len` cells, cell `i` holding `value(i)`; filled in parallel.
    pub(super) fn new(len: u32, value: impl Fn(u32) -> T + Sync) -> Self {
        let places = |size| if Self::SIZE == size { len as usize } else { 0 };
        let mut cells = Self {
            words32: memory::zeroed(places(4)),
            words64: memory::zeroed(places(8)),
            locked: Vec::new(),
        };
        match Self::SIZE {
            0 => {}
            4 | 8 => parallel::each_block(len as usize, BLOCK, &|range| {
                range.for_each(|i| cells.all().store(i as u32, value(i as u32)));
            }),
            _ => parallel::map_into(&mut cells.locked, len as usize, BLOCK, |i| {
                value(i as u32).into()
            }),
        }
        cells
    }

    /// The values, of which there are `len`. Where a cell takes no more memory than its value, they
    /// stay where they are.
    pub(super) fn into_values(self, len: u32) -> Vec<T> {
        match Self::SIZE {
            0 => vec![T::zeroed(); len as usize],
            4 => self.words32.into_iter().map(|word| cast(word.into_inner())).collect(),
            8 => self.words64.into_iter().map(|word| cast(word.into_inner())).collect(),
            _ => self.locked.into_iter().map(|cell| unlock(cell.into_inner())).collect(),
        }
    }

    /// Bytes of `len` cells.
    pub(super) fn bytes(len: u32) -> u64 {
        let each = if Self::LOCK_FREE { Self::SIZE } else { size_of::<Mutex<T>>() };
        u64::from(len) * each as u64
    }

    #[inline(always)]
    pub(super) fn all(&self) -> CellsRef<'_, T> {
        let Self { words32, words64, locked } = self;
        CellsRef { words32, words64, locked }
    }
}

/// All elements of [`Cells`]. Like [`Bits`](super::bitmap::Bits) it holds their address.
///
/// Accesses are relaxed unless stated otherwise, for the reason given there.
#[derive(Debug)]
pub(super) struct CellsRef<'a, T> {
    words32: &'a [AtomicU32],
    words64: &'a [AtomicU64],
    locked: &'a [Mutex<T>],
}

impl<T> Clone for CellsRef<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for CellsRef<'_, T> {}

impl<T: Value> CellsRef<'_, T> {
    const SIZE: usize = size_of::<T>();

    #[inline(always)]
    pub(super) fn load(&self, i: u32) -> T {
        match Self::SIZE {
            0 => T::zeroed(),
            4 => cast(self.words32[i as usize].load(Relaxed)),
            8 => cast(self.words64[i as usize].load(Relaxed)),
            _ => *lock(&self.locked[i as usize]),
        }
    }

    #[inline(always)]
    pub(super) fn prefetch(&self, i: u32) {
        match Self::SIZE {
            4 => memory::prefetch(self.words32, i as usize),
            8 => memory::prefetch(self.words64, i as usize),
            _ => {}
        }
    }

    #[inline(always)]
    pub(super) fn store(&self, i: u32, value: T) {
        match Self::SIZE {
            0 => {}
            4 => self.words32[i as usize].store(cast(value), Relaxed),
            8 => self.words64[i as usize].store(cast(value), Relaxed),
            _ => *lock(&self.locked[i as usize]) = value,
        }
    }

    /// Changes cell `i` by `f`, atomically; `f` may run more than once, and the last
    /// result is returned. Without `SHARED` no other thread may be changing the cell.
    #[inline(always)]
    pub(super) fn update<const SHARED: bool, R>(
        &self,
        i: u32,
        mut f: impl FnMut(&mut T) -> R,
    ) -> R {
        if !matches!(Self::SIZE, 4 | 8) {
            let mut none = T::zeroed();
            return match Self::SIZE {
                0 => f(&mut none),
                _ => f(&mut lock(&self.locked[i as usize])),
            };
        }
        let mut old = self.load(i);
        loop {
            let mut new = old;
            let answer = f(&mut new);
            if bytes_of(&new) == bytes_of(&old) {
                return answer;
            }
            if !SHARED {
                self.store(i, new);
                return answer;
            }
            match self.exchange(i, old, new) {
                Ok(()) => return answer,
                Err(now) => old = now,
            }
        }
    }

    /// Replaces `old` by `new`, or returns what is there instead.
    #[inline(always)]
    fn exchange(&self, i: u32, old: T, new: T) -> Result<(), T> {
        match Self::SIZE {
            4 => self.words32[i as usize]
                .compare_exchange_weak(cast(old), cast(new), Relaxed, Relaxed)
                .map_or_else(|now| Err(cast(now)), |_| Ok(())),
            _ => self.words64[i as usize]
                .compare_exchange_weak(cast(old), cast(new), Relaxed, Relaxed)
                .map_or_else(|now| Err(cast(now)), |_| Ok(())),
        }
    }
}

fn lock<T>(cell: &Mutex<T>) -> MutexGuard<'_, T> {
    unlock(cell.lock())
}

/// A panic in another thread leaves plain data valid, so poisoning is ignored.
fn unlock<T>(guarded: LockResult<T>) -> T {
    guarded.unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adds_up<T: Value + std::fmt::Debug + PartialEq>(
        one: T,
        plus: impl Fn(T, T) -> T + Sync,
        sum: T,
    ) {
        let cells = Cells::new(3, |_| T::zeroed());
        let all = cells.all();
        parallel::each(1000, &|_| all.update::<true, _>(1, |x| *x = plus(*x, one)));
        all.update::<false, _>(2, |x| *x = plus(*x, one));
        assert_eq!([0, 1, 2].map(|v| all.load(v)), [T::zeroed(), sum, one]);
        all.store(1, one);
        assert_eq!(all.load(1), one);
        all.store(0, sum);
        assert_eq!(cells.into_values(3), [sum, one, one]);
    }

    #[test]
    fn every_size_counts_to_a_thousand() {
        adds_up((), |(), ()| (), ());
        adds_up(1u8, |a, b| a.wrapping_add(b), 232);
        adds_up(1u32, |a, b| a + b, 1000);
        adds_up(1f64, |a, b| a + b, 1000.0);
        adds_up([1u32, 2, 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [1000, 2000, 3000]);
    }
}
