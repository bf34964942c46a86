//! Tries what a run may do otherwise, one question after the other.

use std::time::Duration;

use super::run_trial::{RunTrial, Runs};

/// One trial for each other way that came up. A later trial compares with what earlier ones kept.
#[derive(Clone, Debug)]
pub(crate) struct RunTrials<O> {
    runs: Runs,
    trials: Vec<(O, RunTrial)>,
}

/// What a trial says of the run that begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Advice {
    /// Whether it goes the other way.
    pub(crate) goes: bool,
    /// Whether the other way is kept; `None` as long as it is compared.
    pub(crate) kept: Option<bool>,
    /// The median times as planned and of the other way, as far as they were compared.
    pub(crate) medians: Option<[Duration; 2]>,
}

impl<O: Copy + Eq> RunTrials<O> {
    /// Trials in a session that is to make `expected` runs, if a number was announced.
    pub(crate) fn new(expected: Option<u32>) -> Self {
        Self { runs: Runs::new(expected), trials: Vec::new() }
    }

    /// What the trial of this other way says, which begins now if it came up for the first time.
    pub(crate) fn of(&mut self, other: O) -> Advice {
        let at = self.trials.iter().position(|(one, _)| *one == other).unwrap_or_else(|| {
            self.trials.push((other, RunTrial::default()));
            self.trials.len() - 1
        });
        let trial = &self.trials[at].1;
        let (goes, kept) = (trial.takes_other(self.runs), trial.kept());
        Advice { goes, kept, medians: trial.medians() }
    }

    /// Whether this other way is kept; `None` if it has not come up, or as long as it is compared.
    pub(crate) fn kept(&self, other: O) -> Option<bool> {
        self.trials.iter().find(|(one, _)| *one == other).and_then(|(_, trial)| trial.kept())
    }

    /// Notes a run; if it was compared, also whether it went the other way.
    pub(crate) fn note(&mut self, compared: Option<(O, bool)>, messages: u64, time: Duration) {
        let before = self.runs;
        self.runs.add_one();
        let Some((other, goes)) = compared else { return };
        if let Some((_, trial)) = self.trials.iter_mut().find(|(one, _)| *one == other) {
            trial.note(before, goes, messages, time);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes 40 runs, of which `expected` were announced. There are two other ways, `a` and `b`;
    /// `saved` has the microseconds that each of them saves. Returns which ways each run went.
    fn runs(saved: [u64; 2], expected: Option<u32>) -> Vec<String> {
        let mut trials = RunTrials::new(expected);
        let run = |_| {
            let (mut ways, mut compared, mut time) = (String::new(), None, 100);
            for (other, saved) in ['a', 'b'].into_iter().zip(saved) {
                let Advice { goes, kept, .. } = trials.of(other);
                if goes {
                    ways.push(other);
                    time -= saved;
                }
                if kept.is_none() {
                    compared = Some((other, goes));
                    break;
                }
            }
            trials.note(compared, 1000, Duration::from_micros(time));
            ways
        };
        (0..40).map(run).collect()
    }

    #[test]
    fn later_trials_build_on_what_earlier_ones_kept() {
        let found = runs([30, 30], Some(100));
        assert_eq!(found[..6], ["", "", "a", "a", "", "a"]);
        assert_eq!(found[39], "ab");
        assert!(found[8..].iter().all(|ways| ways.starts_with('a')), "{found:?}");
        let found = runs([0, 30], Some(100));
        assert_eq!(found[39], "b");
        assert!(!found.contains(&"ab".to_owned()));
        assert_eq!(runs([30, 0], Some(100))[39], "a");
    }

    #[test]
    fn what_is_kept_is_known_once_a_trial_is_over() {
        let mut trials = RunTrials::new(Some(100));
        assert_eq!(trials.kept('a'), None);
        for _ in 0..20 {
            let goes = trials.of('a').goes;
            let compared = trials.kept('a').is_none().then_some(('a', goes));
            trials.note(compared, 1000, Duration::from_micros(if goes { 70 } else { 100 }));
        }
        assert_eq!((trials.kept('a'), trials.kept('b')), (Some(true), None));
    }

    #[test]
    fn a_later_trial_counts_the_runs_before_it() {
        // The first ends when too few runs lie ahead for the second.
        let found = runs([30, 30], Some(20));
        assert_eq!(found[39], "a");
        assert!(found.iter().all(|ways| !ways.contains('b')));
        // None were announced: the second begins as soon as the first is over.
        let found = runs([30, 30], None);
        let [first, second] = ['a', 'b'].map(|way| found.iter().position(|w| w.contains(way)));
        assert!(first >= Some(16) && second <= Some(28), "{found:?}");
    }
}
