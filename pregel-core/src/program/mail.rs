//! The messages of one vertex, all of them.

use core::array;
use core::cell::Cell;

use super::Value;

/// All messages of one vertex in one superstep: in ascending order with
/// [`Sorted`](super::Sorted), in no particular order with [`List`](super::List).
///
/// The messages may lie side by side or `stride` apart (the column-major
/// buffer of a GPU); the methods hide which. They are the vertex's own
/// scratch space until the call returns.
///
/// ```
/// use pregel_core::program::Mail;
///
/// let mut messages = [3, 1, 3, 2];
/// let mut mail = Mail::new(&mut messages);
/// assert_eq!((mail.len(), mail.iter().max()), (4, Some(3)));
/// assert_eq!(mail.mode(), Some((3, 2))); // 3 came twice; sorts the mail
/// assert_eq!(mail.get(0), 1);
/// ```
#[allow(missing_debug_implementations, reason = "a view that lives for one call")]
pub struct Mail<'a, T> {
    place: Place<'a, T>,
    /// Whether the messages are known to be in ascending order.
    sorted: bool,
}

enum Place<'a, T> {
    Contiguous(&'a mut [T]),
    Strided { cells: &'a [Cell<T>], stride: usize, len: usize },
}

impl<'a, T: Value> Mail<'a, T> {
    /// Messages side by side.
    #[inline(always)]
    pub fn new(messages: &'a mut [T]) -> Self {
        Self { place: Place::Contiguous(messages), sorted: false }
    }

    /// `len` messages, `stride` apart, the first at `cells[0]`. For engines.
    ///
    /// # Panics
    /// If `cells` is too short to hold them, or `stride` is 0.
    #[inline(always)]
    pub fn strided(cells: &'a [Cell<T>], stride: usize, len: usize) -> Self {
        assert!(stride > 0 && (len == 0 || (len - 1) * stride < cells.len()));
        Self { place: Place::Strided { cells, stride, len }, sorted: false }
    }

    /// Number of messages.
    #[inline(always)]
    pub fn len(&self) -> usize {
        match &self.place {
            Place::Contiguous(messages) => messages.len(),
            Place::Strided { len, .. } => *len,
        }
    }

    /// Whether no message came.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Message `i`.
    ///
    /// # Panics
    /// If there is no such message.
    #[inline(always)]
    pub fn get(&self, i: usize) -> T {
        assert!(i < self.len());
        match &self.place {
            Place::Contiguous(messages) => messages[i],
            Place::Strided { cells, stride, .. } => cells[i * stride].get(),
        }
    }

    /// Replaces message `i`.
    ///
    /// # Panics
    /// If there is no such message.
    #[inline(always)]
    pub fn set(&mut self, i: usize, value: T) {
        assert!(i < self.len());
        self.sorted = false;
        match &mut self.place {
            Place::Contiguous(messages) => messages[i] = value,
            Place::Strided { cells, stride, .. } => cells[i * *stride].set(value),
        }
    }

    /// Every message.
    #[inline(always)]
    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }
}

/// Samples that [`Mail::mode`] looks at before it goes on.
const SAMPLES: usize = 8;

impl<T: Value + Ord> Mail<'_, T> {
    /// Notes that the messages are in order. For engines.
    #[inline(always)]
    pub(super) fn mark_sorted(&mut self) {
        self.sorted = true;
    }

    /// Sorts the messages in place, without allocating. O(k log k), or nothing if they
    /// are known to be in order.
    pub fn sort(&mut self) {
        if self.sorted {
            return;
        }
        match &mut self.place {
            Place::Contiguous(messages) => messages.sort_unstable(),
            Place::Strided { .. } => self.heapsort(),
        }
        self.sorted = true;
    }

    /// Sorts messages that are not a slice, as those of a vertex on a GPU.
    fn heapsort(&mut self) {
        let len = self.len();
        for root in (0..len / 2).rev() {
            self.sift_down(root, len);
        }
        for end in (1..len).rev() {
            let last = self.get(end);
            self.set(end, self.get(0));
            self.set(0, last);
            self.sift_down(0, end);
        }
    }

    /// Restores the heap below `root` among the first `end` messages.
    fn sift_down(&mut self, mut root: usize, end: usize) {
        let value = self.get(root);
        loop {
            let mut child = 2 * root + 1;
            if child >= end {
                break;
            }
            if child + 1 < end && self.get(child + 1) > self.get(child) {
                child += 1;
            }
            if self.get(child) <= value {
                break;
            }
            self.set(root, self.get(child));
            root = child;
        }
        self.set(root, value);
    }

    /// The most frequent message and how often it came, or the smallest of those
    /// that are equally frequent; `None` without messages. Sorts the mail. After
    /// that it reads O(k / m) messages if the most frequent one came m times, and
    /// O(log m) for each value that came often.
    pub fn mode(&mut self) -> Option<(T, usize)> {
        self.sort();
        let len = self.len();
        let mut best: Option<(T, usize)> = None;
        // The first message after the last value that was counted.
        let mut from = 0;
        loop {
            let most = best.map_or(0, |(_, count)| count);
            // A value that came more often fills two neighbouring samples.
            let step = most.div_ceil(2).max(1);
            let Some(sample) = self.equal_samples(from, step, most) else { break };
            let value = self.get(sample);
            let first = self.first(sample.saturating_sub(step).max(from), sample, |x| x >= value);
            let mut known = sample;
            let mut stride = step;
            while known + stride < len && self.get(known + stride) == value {
                known += stride;
                stride *= 2;
            }
            let end = self.first(known, len.min(known + stride), |x| x > value);
            if end - first > most {
                best = Some((value, end - first));
            }
            from = end;
        }
        best
    }

    /// The first of the samples `from`, `from + step`, … whose value is also that of
    /// the next sample. If `most` is 0 the first sample is enough.
    fn equal_samples(&self, from: usize, step: usize, most: usize) -> Option<usize> {
        let len = self.len();
        if most == 0 {
            return (from < len).then_some(from);
        }
        let mut at = from;
        // Several at a time, so that a GPU need not wait for each of them.
        while at + SAMPLES * step < len {
            let values: [T; SAMPLES + 1] = array::from_fn(|k| self.get(at + k * step));
            if (0..SAMPLES).any(|k| values[k] == values[k + 1]) {
                break;
            }
            at += SAMPLES * step;
        }
        while at + step < len {
            if self.get(at) == self.get(at + step) {
                return Some(at);
            }
            at += step;
        }
        None
    }

    /// The first message in `low..high` for which `late` holds, or `high`. It must hold
    /// for all that follow, too.
    fn first(&self, mut low: usize, mut high: usize, late: impl Fn(T) -> bool) -> usize {
        while low < high {
            let middle = low + (high - low) / 2;
            if late(self.get(middle)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        low
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// The mode by counting.
    fn counted(values: &[u32]) -> Option<(u32, usize)> {
        let mut counts = BTreeMap::new();
        for &value in values {
            *counts.entry(value).or_insert(0) += 1;
        }
        // `max_by_key` keeps the last of equals, so this goes backwards.
        counts.into_iter().rev().max_by_key(|&(_, count)| count)
    }

    /// Few values that come often, and many that come seldom.
    fn values() -> impl Strategy<Value = Vec<u32>> {
        let few = (1..9u32).prop_flat_map(|most| prop::collection::vec(0..most, 0..200));
        let runs = prop::collection::vec((any::<u32>(), 1..40usize), 0..30);
        prop_oneof![
            few,
            prop::collection::vec(any::<u32>(), 0..200),
            runs.prop_map(|runs| runs.into_iter().flat_map(|(x, n)| vec![x; n]).collect()),
        ]
    }

    proptest! {
        #[test]
        fn the_mode_is_what_counting_says(mut values in values(), stride in 1..4usize) {
            let (expected, len) = (counted(&values), values.len());
            let mut cells = vec![Cell::new(u32::MAX); (len * stride).max(1)];
            for (i, &value) in values.iter().enumerate() {
                cells[i * stride].set(value);
            }
            cells.truncate(len.max(1) * stride);
            prop_assert_eq!(Mail::strided(&cells, stride, len).mode(), expected);
            prop_assert_eq!(Mail::new(&mut values).mode(), expected);
        }

        #[test]
        fn what_is_sorted_and_changed_is_sorted_again(values in values()) {
            let cells: Vec<_> = values.iter().copied().map(Cell::new).collect();
            let mut mail = Mail::strided(&cells, 1, cells.len());
            mail.sort();
            let sorted: Vec<_> = mail.iter().collect();
            prop_assert!(sorted.is_sorted());
            if let Some(&first) = sorted.first() {
                mail.set(sorted.len() - 1, first);
                mail.sort();
                prop_assert!(mail.iter().is_sorted());
                prop_assert_eq!(mail.get(1.min(sorted.len() - 1)), first);
            }
        }
    }
}
