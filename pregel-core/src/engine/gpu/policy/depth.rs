//! How deep a graph is: how many supersteps a search through it is expected to take.

/// A graph is slow to search if the logarithm of the growth is less than this part of that of its
/// degree: 0.11 to 0.51 in paths and lattices, 0.80 to 1.74 in random graphs.
const SLOW: f64 = 0.6;

/// How many supersteps a message takes through a graph, from a sample of its vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Depth {
    /// At most this many: searches from the sampled vertices came to an end, or reached
    /// half of the graph.
    Known(u32),
    /// More than the sample shows.
    Sampled {
        /// The natural logarithm of the factor by which a search grows in a superstep.
        growth: f64,
    },
}

impl Depth {
    /// The supersteps of a search through a graph with this many vertices. If it branches
    /// evenly, that is the logarithm of `vertices` to the base of its branching. The last
    /// vertices of an uneven graph take longer to reach: `power` says how much longer.
    pub(crate) fn supersteps(self, vertices: u32, power: f64) -> f64 {
        match self {
            Self::Known(depth) => depth.into(),
            Self::Sampled { growth } => power * f64::from(vertices.max(1)).ln() / growth,
        }
    }

    /// The supersteps in which a frontier of `now` edges becomes larger than `most`.
    pub(crate) fn until(self, now: u64, most: u64) -> f64 {
        match self {
            Self::Known(_) => f64::INFINITY,
            Self::Sampled { growth } => (most as f64 / now.max(1) as f64).ln().max(0.0) / growth,
        }
    }

    /// Whether searches reach far fewer vertices than edges would lead to if each led to another
    /// vertex, in a graph with this average degree: neighbours have the same neighbours, as in
    /// lattices and road networks.
    pub(crate) fn is_slow(self, degree: f64) -> bool {
        matches!(self, Self::Sampled { growth } if growth < SLOW * degree.max(1.0).ln())
    }

    /// Whether frontiers stay small: the graph is slow, or little more than a path or a tree of
    /// paths.
    pub(crate) fn is_narrow(self, degree: f64) -> bool {
        self.is_slow(degree.max(2.0))
    }

    /// As many supersteps as are known, at most `most`.
    pub(crate) fn at_most(self, most: f64) -> f64 {
        match self {
            Self::Known(depth) => most.min(depth.into()),
            Self::Sampled { .. } => most,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn graphs_that_branch_more_are_less_deep() {
        let of = |branching: f64| Depth::Sampled { growth: branching.ln() };
        assert!((of(10.0).supersteps(1000, 1.0) - 3.0).abs() < 1e-9);
        assert!((of(10.0).supersteps(1000, 1.5) - 4.5).abs() < 1e-9);
        assert!(of(1.1).supersteps(1000, 1.0) > 70.0);
        assert_eq!(Depth::Known(7).supersteps(1000, 1.5), 7.0);
        assert_eq!(of(10.0).supersteps(0, 1.0), 0.0);
    }

    #[test]
    fn a_graph_is_slow_if_neighbours_share_neighbours() {
        let by = |growth| Depth::Sampled { growth };
        assert!(by(0.6).is_slow(3.8) && !by(1.0).is_slow(3.0));
        assert!(by(0.0).is_narrow(1.0) && by(0.6).is_narrow(3.8) && !by(0.5).is_narrow(1.0));
        assert!(!by(0.0).is_slow(1.0) && !by(0.0).is_slow(0.5) && !Depth::Known(9).is_slow(4.0));
    }

    #[test]
    fn frontiers_grow_until_they_are_large() {
        let doubling = Depth::Sampled { growth: 2f64.ln() };
        assert!((doubling.until(1, 1024) - 10.0).abs() < 1e-9);
        assert_eq!(doubling.until(2000, 1024), 0.0);
        assert_eq!(Depth::Known(3).until(1, 1), f64::INFINITY);
        assert_eq!((Depth::Known(3).at_most(8.0), doubling.at_most(8.0)), (3.0, 8.0));
    }
}
