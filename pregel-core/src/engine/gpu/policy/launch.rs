//! How many threads a launch has that works off a frontier.

/// How many threads to launch for a superstep that works off a frontier.
///
/// The kernels share the frontier out among as many threads as there are, so results do not
/// depend on it. FlexBFS compares the first with fixed numbers (Liu Gu and others, 2014, §3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LaunchSize {
    /// As many as the frontier needs; the superstep before has counted it.
    #[default]
    Frontier,
    /// As many as a frontier of all vertices would need, whatever its size.
    Vertices,
    /// This many, rounded up to whole blocks.
    Threads(u32),
}

impl LaunchSize {
    /// How many threads work off a frontier of `frontier` items, if there are `most` in all and
    /// an item takes `each` threads.
    pub(crate) fn threads(self, frontier: u64, most: u64, each: u32) -> u64 {
        match self {
            Self::Frontier => frontier.min(most).saturating_mul(each.into()),
            Self::Vertices => most.saturating_mul(each.into()),
            Self::Threads(threads) => threads.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_as_large_as_asked_for() {
        for (size, expected) in [
            (LaunchSize::Frontier, [320, 3200]),
            (LaunchSize::Vertices, [3200, 3200]),
            (LaunchSize::Threads(256), [256, 256]),
        ] {
            assert_eq!([10, 1000].map(|frontier| size.threads(frontier, 100, 32)), expected);
        }
    }
}
