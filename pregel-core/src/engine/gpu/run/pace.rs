//! How many supersteps a launch may run if the run can be cancelled: a launch cannot be
//! stopped.

use std::time::Duration;

/// The longest time that a launch should stay on the device.
const LONGEST: Duration = Duration::from_millis(250);

/// Measures how long supersteps take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    /// The time of a superstep in the last launch.
    each: Duration,
}

impl Pace {
    /// Notes the time of a launch of this many supersteps.
    pub(super) fn learn(&mut self, supersteps: usize, took: Duration) {
        self.each = took / supersteps.max(1) as u32;
    }

    /// How many supersteps the next launch may run.
    pub(super) fn at_most(self) -> u32 {
        let fitting = LONGEST.as_nanos() / self.each.as_nanos().max(1);
        u32::try_from(fitting).unwrap_or(u32::MAX).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_short_enough() {
        let mut pace = Pace::default();
        assert!(pace.at_most() > 1_000_000);
        pace.learn(10, Duration::from_millis(10));
        assert_eq!(pace.at_most(), 250);
        pace.learn(1, Duration::from_secs(1));
        assert_eq!(pace.at_most(), 1);
    }
}
