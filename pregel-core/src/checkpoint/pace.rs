//! When a run is saved next, and how many supersteps it may take until then.

use std::time::{Duration, Instant};

use super::Interval;

/// Supersteps that are asked for together take at most this part of the interval, by the
/// pace of those before. They may turn out slower.
const PART: u32 = 16;

/// When a run is saved next.
#[derive(Debug)]
pub(super) enum Pace {
    Supersteps {
        every: u32,
        /// The superstep after which the run is saved next.
        due: u64,
    },
    Time {
        every: Duration,
        /// When the run was saved last.
        since: Instant,
        /// How many supersteps were asked for last.
        chunk: u32,
        /// How long one of them took.
        each: Duration,
    },
}

impl Pace {
    /// Of a run that begins, or goes on after superstep `superstep`.
    pub fn new(interval: Interval, superstep: Option<u32>) -> Self {
        match interval {
            Interval::Supersteps(every) => {
                let every = every.get();
                Self::Supersteps { every, due: next_multiple(every, superstep.unwrap_or(0)) }
            }
            Interval::Time(every) => {
                Self::Time { every, since: Instant::now(), chunk: 1, each: Duration::MAX }
            }
        }
    }

    /// How many supersteps the run may take together after superstep `superstep`.
    pub fn at_most(&mut self, superstep: Option<u32>) -> u32 {
        match self {
            Self::Supersteps { due, .. } => {
                let next = superstep.map_or(0, |superstep| u64::from(superstep) + 1);
                u32::try_from((*due + 1).saturating_sub(next)).unwrap_or(u32::MAX).max(1)
            }
            Self::Time { every, since, chunk, each } => {
                let left = every.saturating_sub(since.elapsed()).min(*every / PART);
                let fit = left.as_nanos() / each.as_nanos().max(1);
                let fit = u32::try_from(fit).unwrap_or(u32::MAX);
                // The pace of a few supersteps says little about that of many.
                *chunk = fit.clamp(1, chunk.saturating_mul(2));
                *chunk
            }
        }
    }

    /// Notes how long the supersteps took that were asked for last.
    pub fn took(&mut self, time: Duration) {
        if let Self::Time { chunk, each, .. } = self {
            *each = time / *chunk;
        }
    }

    /// Whether the run, now after superstep `superstep`, is to be saved. Then the next
    /// interval begins.
    pub fn is_due(&mut self, superstep: u32) -> bool {
        match self {
            Self::Supersteps { every, due } => {
                let is_due = u64::from(superstep) >= *due;
                if is_due {
                    *due = next_multiple(*every, superstep);
                }
                is_due
            }
            Self::Time { every, since, .. } => {
                let is_due = since.elapsed() >= *every;
                if is_due {
                    *since = Instant::now();
                }
                is_due
            }
        }
    }
}

/// The first multiple of `every` above `superstep`.
fn next_multiple(every: u32, superstep: u32) -> u64 {
    u64::from(superstep / every + 1) * u64::from(every)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn every(n: u32) -> Interval {
        Interval::Supersteps(n.try_into().unwrap())
    }

    #[test]
    fn multiples_are_due() {
        let mut pace = Pace::new(every(10), None);
        // Supersteps 0 to 10.
        assert_eq!(pace.at_most(None), 11);
        assert!(!pace.is_due(9));
        assert_eq!(pace.at_most(Some(9)), 1);
        assert!(pace.is_due(10));
        assert_eq!(pace.at_most(Some(10)), 10);
        let mut pace = Pace::new(every(10), Some(13));
        assert_eq!(pace.at_most(Some(13)), 7);
        // An engine may have gone further than it was asked to.
        assert!(pace.is_due(25));
        assert_eq!(pace.at_most(Some(25)), 5);
    }

    #[test]
    fn the_last_superstep_is_no_exception() {
        let mut pace = Pace::new(every(u32::MAX), Some(u32::MAX - 1));
        assert_eq!(pace.at_most(Some(u32::MAX - 1)), 1);
        assert!(pace.is_due(u32::MAX));
        assert_eq!(pace.at_most(Some(u32::MAX)), u32::MAX);
    }

    #[test]
    fn fast_supersteps_are_asked_for_together() {
        let mut pace = Pace::new(Interval::Time(Duration::from_secs(3600)), None);
        let mut asked = Vec::new();
        for _ in 0..20 {
            let chunk = pace.at_most(Some(0));
            asked.push(chunk);
            pace.took(Duration::from_millis(1) * chunk);
        }
        assert_eq!(asked[..4], [1, 2, 4, 8]);
        // A sixteenth of an hour has 225,000 milliseconds.
        assert_eq!(asked[19], 225_000);
        assert!(!pace.is_due(7));
    }

    #[test]
    fn slow_supersteps_are_asked_for_one_by_one() {
        let mut pace = Pace::new(Interval::Time(Duration::from_secs(60)), None);
        for _ in 0..5 {
            assert_eq!(pace.at_most(Some(3)), 1);
            pace.took(Duration::from_secs(5));
        }
        let mut pace = Pace::new(Interval::Time(Duration::ZERO), None);
        assert_eq!(pace.at_most(None), 1);
        pace.took(Duration::ZERO);
        assert!(pace.is_due(0) && pace.is_due(1));
    }
}
