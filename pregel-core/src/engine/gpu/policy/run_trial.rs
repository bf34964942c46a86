//! Tries two ways to run a program, run by run, and keeps the faster one.

use std::time::Duration;

use super::trial::CLEAR;

/// A trial begins only if at least this many runs lie ahead, in which it can pay.
const AHEAD: u32 = 16;

/// Runs of each way that are compared at least.
const LEAST: usize = 3;

/// Runs of each way after which a trial ends even if the difference is not clear.
const MOST: usize = 6;

/// A run that takes this many times as long as the longest of the planned way ends the trial.
const HOPELESS: u32 = 2;

/// The same for the first run of the other way, which does what later ones need not.
const HOPELESS_AT_FIRST: u32 = 8;

/// A trial ends after this many runs at the latest.
const MOST_RUNS: u32 = 48;

/// The runs of a session.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Runs {
    /// How many were announced.
    expected: Option<u32>,
    /// How many there were so far, in any way.
    ran: u32,
}

impl Runs {
    /// None yet.
    pub(super) fn new(expected: Option<u32>) -> Self {
        Self { expected, ran: 0 }
    }

    pub(super) fn add_one(&mut self) {
        self.ran = self.ran.saturating_add(1);
    }

    /// How many lie ahead: as many as there were, if none were announced.
    fn ahead(self) -> u32 {
        self.expected.map_or(self.ran, |runs| runs.saturating_sub(self.ran))
    }
}

/// Compares the *planned* way to run a program with the *other* one. Runs take turns, and the
/// first of each way does not count.
#[derive(Clone, Debug, Default)]
pub(super) struct RunTrial {
    /// Runs since the trial began.
    tried: u32,
    /// Whether one of them has gone the other way.
    has_gone: bool,
    /// The runs as planned, and those of the other way.
    ways: [Compared; 2],
    /// Whether the other way is kept, once that is known.
    kept: Option<bool>,
}

/// The runs of one way that are compared: those that send at least half as many messages as the
/// largest. A search from a vertex that reaches little is fast in any way.
#[derive(Clone, Debug, Default)]
struct Compared {
    largest: u64,
    times: Vec<Duration>,
}

impl Compared {
    fn note(&mut self, messages: u64, time: Duration) {
        if self.largest < messages / 2 {
            self.times.clear();
        }
        self.largest = self.largest.max(messages);
        if messages >= self.largest / 2 {
            self.times.push(time);
        }
    }

    fn median(&self) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_unstable();
        times.get(times.len() / 2).copied()
    }
}

impl RunTrial {
    /// Whether the run after these goes the other way.
    pub(super) fn takes_other(&self, runs: Runs) -> bool {
        let [planned, other] = self.ways.each_ref().map(|way| way.times.len());
        self.kept.unwrap_or_else(|| self.is_due(runs) && other < planned)
    }

    /// Whether runs are compared, once enough lie ahead.
    fn is_due(&self, runs: Runs) -> bool {
        self.kept.is_none() && runs.ran > 0 && (self.tried > 0 || runs.ahead() >= AHEAD)
    }

    /// Notes the run after these, which went the other way, or as planned, to its end.
    pub(super) fn note(&mut self, runs: Runs, other: bool, messages: u64, time: Duration) {
        if !self.is_due(runs) {
            return;
        }
        self.tried += 1;
        let is_first = other && !self.has_gone;
        self.has_gone |= other;
        let longest = self.ways[0].times.iter().max().copied().unwrap_or(Duration::MAX);
        let hopeless = if is_first { HOPELESS_AT_FIRST } else { HOPELESS };
        if other && time / hopeless > longest || self.tried >= MOST_RUNS {
            self.kept = Some(false);
        } else if !is_first {
            self.ways[usize::from(other)].note(messages, time);
            self.decide();
        }
    }

    fn decide(&mut self) {
        let [planned, other] = self.ways.each_ref().map(|way| way.times.len());
        let Some(medians) = self.medians().filter(|_| planned.min(other) >= LEAST) else { return };
        let [as_planned, as_other] = medians.map(|time| time.as_secs_f64());
        let is_clear = as_planned.max(as_other) > CLEAR * as_planned.min(as_other);
        if is_clear || planned.min(other) >= MOST {
            self.kept = Some(is_clear && as_other < as_planned);
        }
    }

    /// The median times as planned and of the other way, as far as they were compared.
    pub(super) fn medians(&self) -> Option<[Duration; 2]> {
        let [planned, other] = self.ways.each_ref().map(Compared::median);
        Some([planned?, other?])
    }

    /// Whether the other way is kept; `None` until that is known.
    pub(super) fn kept(&self) -> Option<bool> {
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes 40 runs, of which `expected` were announced. Returns which went the other way, as
    /// `o`, and which as planned, as `p`.
    fn runs(planned: u64, other: u64, expected: Option<u32>) -> (String, RunTrial) {
        let (mut trial, mut order) = (RunTrial::default(), String::new());
        let mut so_far = Runs::new(expected);
        for _ in 0..40 {
            let is_other = trial.takes_other(so_far);
            order.push(if is_other { 'o' } else { 'p' });
            let time = Duration::from_micros(if is_other { other } else { planned });
            trial.note(so_far, is_other, 1000, time);
            so_far.add_one();
        }
        (order, trial)
    }

    #[test]
    fn the_faster_way_is_kept() {
        let (order, trial) = runs(40, 30, Some(100));
        assert_eq!(order, "ppo".to_owned() + &"op".repeat(2) + &"o".repeat(33));
        assert_eq!(trial.kept(), Some(true));
        assert_eq!(trial.medians(), Some([40, 30].map(Duration::from_micros)));
        let (order, trial) = runs(30, 40, Some(100));
        assert_eq!(order, "ppo".to_owned() + &"op".repeat(2) + "o" + &"p".repeat(32));
        assert_eq!(trial.kept(), Some(false));
    }

    #[test]
    fn what_is_not_clear_takes_more_runs_and_changes_nothing() {
        let (order, trial) = runs(31, 30, Some(100));
        assert_eq!(order, "ppo".to_owned() + &"op".repeat(MOST - 1) + "o" + &"p".repeat(26));
        assert_eq!(trial.kept(), Some(false));
    }

    #[test]
    fn one_run_shows_that_a_way_is_hopeless() {
        assert_eq!(runs(30, 61, Some(100)).0, "ppoo".to_owned() + &"p".repeat(36));
        assert_eq!(runs(30, 241, Some(100)).0, "ppo".to_owned() + &"p".repeat(37));
    }

    #[test]
    fn a_trial_waits_until_enough_runs_lie_ahead() {
        let ahead = AHEAD as usize;
        assert_eq!(runs(40, 30, Some(AHEAD)).0, "p".repeat(40));
        assert!(runs(40, 30, Some(AHEAD + 1)).0.starts_with("ppoopopoo"));
        let (order, _) = runs(40, 30, None);
        assert_eq!(order.find('o'), Some(ahead + 1), "{order}");
        assert!(order.ends_with("oooo"));
    }

    #[test]
    fn runs_that_reach_little_do_not_count() {
        let (mut trial, mut runs) = (RunTrial::default(), Runs::new(Some(100)));
        let mut run = |messages: u32| {
            let other = trial.takes_other(runs);
            let time = Duration::from_micros(10) * messages;
            trial.note(runs, other, messages.into(), time);
            runs.add_one();
            other
        };
        assert_eq!([800, 800, 800].map(&mut run), [false, false, true]);
        assert_eq!([49, 800, 800].map(&mut run), [true, false, true]);
        // The run of 49 was left out once one of 800 went the same way.
        assert_eq!([49, 49, 800, 800].map(&mut run), [true, true, true, false]);
    }

    #[test]
    fn a_trial_ends_even_if_hardly_a_run_counts() {
        let (mut trial, mut runs) = (RunTrial::default(), Runs::new(Some(1000)));
        for run in 0..100 {
            let other = trial.takes_other(runs);
            let messages = if run == 2 { 1000 } else { 1 };
            trial.note(runs, other, messages, Duration::from_micros(messages));
            runs.add_one();
        }
        assert_eq!(trial.kept(), Some(false));
        assert!(trial.tried <= MOST_RUNS);
    }
}
