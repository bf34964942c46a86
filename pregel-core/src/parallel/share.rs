//! What threads share, and what each has for itself.
//!
//! Of the numbers that they share each begins with some of its own, and then takes what others have
//! left.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Consecutive numbers that one thread begins with, on cache lines of their own: what follows one
/// another in memory is then read by one thread, as a rule the one that has read it before.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Share {
    next: AtomicUsize,
    end: usize,
}

impl Share {
    pub(crate) fn new(range: Range<usize>) -> Self {
        Self { next: AtomicUsize::new(range.start), end: range.end }
    }

    /// The share of thread `i` if `threads` of them share the numbers below `count`.
    pub(super) fn of(count: usize, i: usize, threads: usize) -> Self {
        Self::new(count * i / threads..count * (i + 1) / threads)
    }

    /// Takes the next `count` numbers, fewer at the end.
    pub(crate) fn take(&self, count: usize) -> Option<Range<usize>> {
        // Only to look is cheaper.
        if self.next.load(Relaxed) >= self.end {
            return None;
        }
        let start = self.next.fetch_add(count, Relaxed);
        (start < self.end).then(|| start..self.end.min(start + count))
    }
}

/// What one of several threads has for itself, on cache lines of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Hand<T>(pub(crate) T);

/// A hand for each thread of the current pool. What they hold stays.
pub(crate) fn hands<T: Default>(hands: &mut Vec<Hand<T>>) -> &mut [Hand<T>] {
    hands.resize_with(rayon::current_num_threads(), Hand::default);
    hands
}

/// All items, beginning with number `own`.
pub(crate) fn own_first<T>(items: &[T], own: usize) -> impl Iterator<Item = &T> {
    let (before, from) = items.split_at(own);
    from.iter().chain(before)
}

/// Calls `work` with each number that is left in the shares, beginning with those of share `own`.
pub(super) fn take_all(shares: &[Share], own: usize, mut work: impl FnMut(usize)) {
    for share in own_first(shares, own) {
        while let Some(range) = share.take(1) {
            work(range.start);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_hold_each_number_once_and_the_own_ones_first() {
        for (count, threads) in [(0, 1), (1, 3), (10, 3), (7, 7), (100, 16)] {
            for own in 0..threads {
                let shares: Vec<Share> =
                    (0..threads).map(|i| Share::of(count, i, threads)).collect();
                let mut taken = Vec::new();
                take_all(&shares, own, |i| taken.push(i));
                let first = count * own / threads;
                assert_eq!(taken, (first..count).chain(0..first).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn several_numbers_are_taken_together() {
        let share = Share::new(3..8);
        let taken: Vec<_> = std::iter::from_fn(|| share.take(2)).collect();
        assert_eq!(taken, [3..5, 5..7, 7..8]);
    }
}
