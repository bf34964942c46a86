//! When a run is saved next, and how many supersteps may run until then.

use std::time::{Duration, Instant};

use super::Interval;

/// The engine is asked for as many supersteps at once as should take this fraction of the
/// interval, going by the last ones. They may turn out slower.
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
        /// How many supersteps the engine was last asked for.
        chunk: u32,
        /// How long one of them took.
        each: Duration,
    },
}

impl Pace {
    /// The pace of a run that starts, or is resumed after `superstep`.
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

    /// How many supersteps to ask for after `superstep`.
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
                // A few supersteps say little about the speed of many.
                *chunk = fit.clamp(1, chunk.saturating_mul(2));
                *chunk
            }
        }
    }

    /// Notes how long the supersteps took that the engine was last asked for.
    pub fn took(&mut self, time: Duration) {
        if let Self::Time { chunk, each, .. } = self {
            *each = time / *chunk;
        }
    }

    /// Whether the run must be saved now, after `superstep`. If so, the next interval begins.
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
    (u64::from(superstep / every) + 1) * u64::from(every)
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
        // The multiple 20 was passed over.
        assert!(pace.is_due(25));
        assert_eq!(pace.at_most(Some(25)), 5);
    }

    #[test]
    fn the_largest_superstep_does_not_overflow() {
        let mut pace = Pace::new(every(1), Some(u32::MAX));
        assert_eq!(pace.at_most(Some(u32::MAX)), 1);
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
        // A sixteenth of an hour is 225,000 milliseconds.
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
