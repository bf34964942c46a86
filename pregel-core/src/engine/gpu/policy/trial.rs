//! Tries two ways to run the same supersteps, and keeps the faster one.

use std::time::Duration;

/// A difference of this factor between two ways is not chance.
pub(super) const CLEAR: f64 = 1.05;

/// Pairs of batches after which a trial ends even if the difference is never clear.
const MOST_PAIRS: u32 = 4;

/// Compares two ways, *with* and *without* something, on batches of supersteps. They come
/// in pairs of equal length, since a longer batch takes less time per superstep. The first
/// pair only warms the device up.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trial {
    /// The first batch of the current pair, without: its supersteps, and the time of each.
    without: Option<(u32, Duration)>,
    /// Completed pairs.
    pairs: u32,
    /// The time of a superstep with and without, added up over the pairs after the first.
    sums: [Duration; 2],
    /// The times of a superstep in the last pair, with and without.
    last: Option<[Duration; 2]>,
    /// Whether to keep what is tried, once that is known.
    kept: Option<bool>,
}

impl Trial {
    /// Whether the next supersteps run with what is tried.
    pub(crate) fn is_with(&self) -> bool {
        self.kept.unwrap_or(self.without.is_some())
    }

    /// How long the next batch must be to complete a pair, if it should.
    pub(crate) fn length(&self) -> Option<u32> {
        if self.kept.is_some() { None } else { self.without.map(|(length, _)| length) }
    }

    /// Whether to keep what is tried; `None` until that is known.
    pub(crate) fn kept(&self) -> Option<bool> {
        self.kept
    }

    /// The times of a superstep with and without, as far as they were compared.
    pub(crate) fn times(&self) -> Option<[Duration; 2]> {
        self.last
    }

    /// Notes a batch of this many supersteps, and the time of each.
    pub(crate) fn note(&mut self, is_with: bool, supersteps: u32, each: Duration) {
        if self.kept.is_some() {
            return;
        }
        let Some((length, without)) = self.without.take().filter(|_| is_with) else {
            self.without = (!is_with).then_some((supersteps, each));
            return;
        };
        // A batch that was cut short says nothing.
        if supersteps != length {
            return;
        }
        self.pairs += 1;
        self.last = Some([each, without]);
        if self.pairs == 1 {
            return;
        }
        self.sums = [self.sums[0] + each, self.sums[1] + without];
        let [with, without] = self.sums.map(|sum| sum.as_secs_f64());
        if with.max(without) > CLEAR * with.min(without) || self.pairs == MOST_PAIRS {
            self.kept = Some(with < without);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a trial to its end on batches of `length`; returns whether each ran with what
    /// is tried.
    fn ways(with: u64, without: u64, length: u32) -> (Vec<bool>, Trial) {
        let (mut trial, mut ways) = (Trial::default(), Vec::new());
        while trial.kept().is_none() {
            let is_with = trial.is_with();
            assert_eq!(trial.length(), is_with.then_some(length));
            ways.push(is_with);
            let each = Duration::from_micros(if is_with { with } else { without });
            trial.note(is_with, length, each);
        }
        (ways, trial)
    }

    #[test]
    fn the_faster_way_is_kept() {
        let (order, trial) = ways(30, 40, 2);
        assert_eq!(order, [false, true, false, true]);
        assert!(trial.kept() == Some(true) && trial.is_with() && trial.length().is_none());
        assert_eq!(trial.times(), Some([30, 40].map(Duration::from_micros)));
        let (order, trial) = ways(40, 30, 4);
        assert_eq!(order.len(), 4);
        assert!(trial.kept() == Some(false) && !trial.is_with());
        // What is clear needs no more pairs, and what is not takes as many as are allowed.
        let (order, trial) = ways(30, 30, 4);
        assert_eq!(order.len(), 2 * MOST_PAIRS as usize);
        assert_eq!(trial.kept(), Some(false));
    }

    #[test]
    fn batches_of_different_lengths_are_not_compared() {
        let mut trial = Trial::default();
        let each = Duration::from_micros(10);
        trial.note(false, 4, each);
        trial.note(true, 3, each);
        assert!(!trial.is_with() && trial.times().is_none());
        trial.note(false, 3, each);
        assert_eq!(trial.length(), Some(3));
        // A run that ended in between begins with the same way again.
        trial.note(false, 2, each);
        assert_eq!(trial.length(), Some(2));
        trial.note(true, 2, each);
        assert_eq!(trial.times(), Some([each, each]));
        assert!(trial.kept().is_none());
    }
}
