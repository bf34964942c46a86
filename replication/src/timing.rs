//! How often something is run, and what is left out, so that all of it takes no longer than it
//! may.

use std::time::{Duration, Instant};

use pregel_core::engine::RunError;

use crate::ReplicationError;

/// How often something is run after the run that is checked first and not timed.
#[derive(Clone, Copy, Debug)]
pub struct Repeats {
    /// Runs of which the median counts.
    pub runs: usize,
    /// The fewest, if time is short.
    pub least: usize,
}

impl Repeats {
    pub const FULL: Self = Self { runs: 7, least: 3 };
    pub const QUICK: Self = Self { runs: 1, least: 1 };

    /// Those of a quick report, or of a full one.
    pub fn of_report(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }

    /// Runs once, then as often as there is time for, and returns the results of all but the
    /// first: none, and a line in `left_out`, if there is not enough time or memory.
    ///
    /// # Errors
    /// Those of `run`, except that it does not fit the device.
    pub fn of<T>(
        self,
        what: &str,
        until: Instant,
        left_out: &mut Vec<String>,
        mut run: impl FnMut() -> Result<T, ReplicationError>,
    ) -> Result<Vec<T>, ReplicationError> {
        let begin = Instant::now();
        if left(until).is_zero() {
            left_out.push(format!("{what}: no time was left"));
            return Ok(Vec::new());
        }
        // Also loads the kernels.
        match run() {
            Err(ReplicationError::Run(
                error @ (RunError::TooLarge { .. } | RunError::DeviceLimit(_)),
            )) => {
                left_out.push(format!("{what}: {error}"));
                return Ok(Vec::new());
            }
            ran => ran?,
        };
        let each = begin.elapsed().max(Duration::from_nanos(1));
        let affordable = left(until).div_duration_f64(each) as usize;
        if affordable < self.least {
            left_out.push(format!("{what}: one run takes {:.1} s", each.as_secs_f64()));
            return Ok(Vec::new());
        }
        (0..self.runs.min(affordable)).map(|_| run()).collect()
    }

    /// Runs once, and again as often as there is time for. Returns the results of all: for what
    /// others are compared with, which must run whether or not there is time.
    ///
    /// # Errors
    /// Those of `run`.
    pub fn at_least_once<T>(
        self,
        until: Instant,
        mut run: impl FnMut() -> Result<T, ReplicationError>,
    ) -> Result<Vec<T>, ReplicationError> {
        let begin = Instant::now();
        let mut results = vec![run()?];
        let each = begin.elapsed();
        while results.len() < self.runs && Instant::now() + each < until {
            results.push(run()?);
        }
        Ok(results)
    }
}

/// What is left until then; nothing if it has passed.
pub fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// Until when something may be measured, if it and what is to come share the time that is left
/// in proportion to these weights, its own first.
pub fn share(left: Duration, weights: &[u64]) -> Instant {
    let all: u64 = weights.iter().sum();
    let first = weights.first().copied().unwrap_or(0);
    Instant::now() + left.mul_f64(first as f64 / all.max(1) as f64)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_shared() {
        let now = Instant::now();
        let until = share(Duration::from_secs(100), &[30, 10, 60]);
        let given = until - now;
        assert!((30.0..31.0).contains(&given.as_secs_f64()), "{given:?}");
        assert!(share(Duration::ZERO, &[1]) <= Instant::now());
    }

    #[test]
    fn the_first_run_is_not_timed() {
        let (mut left_out, mut runs) = (Vec::new(), 0);
        let until = Instant::now() + Duration::from_secs(100);
        let count = || {
            runs += 1;
            Ok(runs)
        };
        assert_eq!(
            Repeats::FULL.of("it", until, &mut left_out, count).unwrap(),
            [2, 3, 4, 5, 6, 7, 8]
        );
        assert!(left_out.is_empty());
    }

    #[test]
    fn what_others_are_compared_with_runs_at_least_once() {
        let now = Instant::now();
        let later = now + Duration::from_secs(100);
        let runs = |until| Repeats::FULL.at_least_once(until, || Ok(1)).unwrap().len();
        assert_eq!((runs(now), runs(later)), (1, 7));
    }

    #[test]
    fn what_does_not_fit_is_listed() {
        let mut left_out = Vec::new();
        let now = Instant::now();
        let ran = Repeats::QUICK.of("late", now, &mut left_out, || Ok(1)).unwrap();
        assert!(ran.is_empty());
        let slow = || {
            std::thread::sleep(Duration::from_millis(30));
            Ok(1)
        };
        let soon = Instant::now() + Duration::from_millis(40);
        assert!(Repeats::FULL.of("slow", soon, &mut left_out, slow).unwrap().is_empty());
        assert_eq!(left_out[0], "late: no time was left");
        assert!(left_out[1].starts_with("slow: one run takes 0.0"), "{}", left_out[1]);
        let large = || -> Result<(), _> { Err(RunError::DeviceLimit("too many edges").into()) };
        let until = Instant::now() + Duration::from_secs(9);
        assert!(Repeats::FULL.of("large", until, &mut left_out, large).unwrap().is_empty());
        assert!(left_out[2].contains("too many edges"), "{}", left_out[2]);
        let broken = || -> Result<(), _> { Err(ReplicationError::Memory) };
        assert!(Repeats::FULL.of("broken", until, &mut left_out, broken).is_err());
    }
}
