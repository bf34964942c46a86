//! Measures as often as there is time.

use std::time::{Duration, Instant};

/// How many runs are timed.
#[derive(Clone, Copy, Debug)]
pub struct Runs {
    /// Of which the median counts.
    pub most: usize,
    /// If time is short.
    pub least: usize,
}

impl Runs {
    /// For reports.
    pub const FULL: Self = Self { most: 7, least: 3 };
    /// To see that everything works.
    pub const QUICK: Self = Self { most: 1, least: 1 };

    /// Those of a quick run, or of a full one.
    pub fn of(quick: bool) -> Self {
        if quick { Self::QUICK } else { Self::FULL }
    }
}

/// What is left until then; nothing if it has passed.
pub fn left(until: Instant) -> Duration {
    until.saturating_duration_since(Instant::now())
}

/// Runs once without counting it, then as often as there is time for. The inner error says why
/// nothing was measured.
///
/// # Errors
/// Those of `run`.
pub fn sample<T, E>(
    runs: Runs,
    until: Instant,
    mut run: impl FnMut() -> Result<T, E>,
) -> Result<Result<Vec<T>, String>, E> {
    let begin = Instant::now();
    if left(until).is_zero() {
        return Ok(Err("no time was left".to_owned()));
    }
    run()?;
    let each = begin.elapsed().max(Duration::from_nanos(1));
    let affordable = left(until).div_duration_f64(each) as usize;
    if affordable < runs.least {
        return Ok(Err(format!("one run takes {:.1} s", each.as_secs_f64())));
    }
    (0..runs.most.min(affordable)).map(|_| run()).collect::<Result<_, _>>().map(Ok)
}

/// Until when a graph may be measured, if it and those to come share the time that is left in
/// proportion to their weights, such as their edges, its own first.
pub fn share(left: Duration, weights: &[u64]) -> Instant {
    let all: u64 = weights.iter().sum();
    let first = weights.first().copied().unwrap_or(0);
    Instant::now() + left.mul_f64(first as f64 / all.max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_runs_are_made_as_there_is_time_for() {
        let count = |until| {
            let mut ran = 0;
            let run = || {
                ran += 1;
                std::thread::sleep(Duration::from_millis(2));
                Ok::<_, ()>(ran)
            };
            let samples = sample(Runs::FULL, until, run);
            (samples, ran)
        };
        let now = Instant::now();
        assert_eq!(count(now), (Ok(Err("no time was left".to_owned())), 0));
        let (samples, ran) = count(now + Duration::from_secs(60));
        assert_eq!((samples, ran), (Ok(Ok((2..=8).collect())), 8));
        let (samples, ran) = count(Instant::now() + Duration::from_millis(1));
        assert!(samples.is_ok_and(|samples| samples.is_err()) && ran == 1);
        assert_eq!(sample(Runs::QUICK, now + Duration::from_secs(60), || Err::<(), _>(3)), Err(3));
    }

    #[test]
    fn graphs_share_the_time_by_their_weights() {
        let now = Instant::now();
        let until = share(Duration::from_secs(100), &[30, 10, 60]);
        let given = until - now;
        assert!((30.0..31.0).contains(&given.as_secs_f64()), "{given:?}");
        assert!(share(Duration::ZERO, &[1]) <= Instant::now());
    }
}
