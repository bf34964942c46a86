//! Chooses how the next superstep runs, by the predicted time of each way.

use super::costs::Costs;
use super::options::Choice;
use crate::device::WARP;
use crate::engine::Strategy;

/// The predicted time of a superstep in nanoseconds, for each way to run it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Predicted {
    /// By pull.
    pub pull_ns: f64,
    /// By push.
    pub push_ns: f64,
    /// In a resident launch, without the time to start and end the launch.
    pub resident_ns: f64,
}

/// The size of a graph as a program sees it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    /// Number of vertices.
    pub(crate) vertices: u32,
    /// Number of edges that carry messages.
    pub(crate) edges: u64,
}

impl Shape {
    /// Number of vertices as `u64`, for sizes of arrays.
    pub(crate) fn n(self) -> u64 {
        self.vertices.into()
    }
}

/// Makes the choices for one graph on one device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planner {
    costs: Costs,
    graph: Shape,
    /// Whether all supersteps are resident, whatever their frontiers.
    always: bool,
    /// Whether programs with priorities run in rounds.
    rounds: bool,
}

impl Planner {
    /// A planner for a graph, the user's choice of resident launches, and whether the user
    /// gave the width of the near list.
    pub(crate) fn new(costs: Costs, graph: Shape, resident: Choice, has_delta: bool) -> Self {
        let sparse = (graph.edges as f64) < costs.rounds_degree * f64::from(graph.vertices);
        let rounds = match resident {
            Choice::Auto => has_delta || sparse || graph.edges >= costs.rounds_edges,
            choice => choice == Choice::Always,
        };
        Self { costs, graph, always: resident == Choice::Always, rounds }
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Predicts the time of a superstep with a frontier of this many edges.
    pub(crate) fn predict(&self, frontier: u64) -> Predicted {
        let (c, frontier) = (&self.costs, frontier as f64);
        let hosted = c.hosted_ns + f64::from(self.graph.vertices) * c.vertex_ns;
        Predicted {
            pull_ns: hosted + self.graph.edges as f64 * c.pulled_edge_ns,
            push_ns: hosted + frontier * c.pushed_edge_ns,
            resident_ns: c.resident_ns + frontier * c.resident_edge_ns,
        }
    }

    /// Push or pull, whichever is predicted to be faster.
    pub(crate) fn hosted(&self, frontier: u64) -> Strategy {
        let Predicted { pull_ns, push_ns, .. } = self.predict(frontier);
        if push_ns <= pull_ns { Strategy::Push } else { Strategy::Pull }
    }

    /// The most edges of a small frontier, for which a resident launch is fastest.
    pub(crate) fn most_edges(&self) -> u64 {
        if self.always {
            return u64::MAX;
        }
        let (c, nothing) = (&self.costs, self.predict(0));
        // The frontiers at which a resident superstep costs as much as a pull and a push.
        let as_pull = (nothing.pull_ns - nothing.resident_ns) / c.resident_edge_ns;
        let dearer = c.resident_edge_ns - c.pushed_edge_ns;
        let as_push = if nothing.push_ns < nothing.resident_ns {
            0.0
        } else if dearer <= 0.0 {
            f64::INFINITY
        } else {
            (nothing.push_ns - nothing.resident_ns) / dearer
        };
        // The cast saturates: a negative number or NaN becomes 0.
        (as_pull.min(as_push) as u64).min(c.resident_edges)
    }

    /// Consecutive small frontiers before a launch becomes resident.
    pub(crate) fn streak_threshold(&self) -> u32 {
        if self.always {
            return 0;
        }
        (self.costs.resident_launch_ns / self.costs.hosted_ns).ceil() as u32
    }

    /// Lanes that share a row, `each` per edge of an average row, rounded up to a power of
    /// two from 4 to [`WARP`].
    pub(crate) fn lanes(&self, each: f64) -> u32 {
        let average = each * self.graph.edges as f64 / f64::from(self.graph.vertices.max(1));
        (average.ceil() as u32).clamp(4, WARP).next_power_of_two()
    }

    /// Whether programs with priorities run in rounds.
    pub(crate) fn rounds(&self) -> bool {
        self.rounds
    }

    /// Whether all supersteps from superstep 1 on are resident.
    pub(crate) fn always(&self) -> bool {
        self.always
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn graph(vertices: u32, edges: u64) -> Shape {
        Shape { vertices, edges }
    }

    const GRAPHS: [Shape; 5] = [
        graph(1 << 14, 400_000),
        graph(1 << 20, 31_395_922),
        graph(1 << 24, 64_000_000),
        graph(9, 4),
        graph(1 << 26, 1 << 34),
    ];

    fn planner(graph: Shape) -> Planner {
        Planner::new(Costs::default(), graph, Choice::Auto, false)
    }

    #[test]
    fn an_edge_in_42_is_pushed_and_no_edge_more() {
        for graph in GRAPHS {
            let (planner, limit) = (planner(graph), graph.edges / 42);
            for frontier in [0, limit, limit + 1, graph.edges] {
                let expected =
                    if frontier * 42 <= graph.edges { Strategy::Push } else { Strategy::Pull };
                assert_eq!(planner.hosted(frontier), expected, "{frontier} of {graph:?}");
            }
        }
    }

    #[test]
    fn lanes_go_by_the_average_row() {
        let lanes = |vertices, edges, each| planner(graph(vertices, edges)).lanes(each);
        assert_eq!(lanes(100, 380, 1.0), 4);
        assert_eq!(lanes(100, 380, 2.0), 8);
        assert_eq!(lanes(100, 900, 1.0), 16);
        assert_eq!(lanes(100, 3_200, 2.0), 32);
        assert_eq!(lanes(0, 0, 1.0), 4);
        assert_eq!(lanes(1, u64::MAX, f64::INFINITY), 32);
        assert_eq!(lanes(1, 0, f64::INFINITY), 4);
    }

    #[test]
    fn small_frontiers_stay_after_six_of_them() {
        for graph in
            [graph(1 << 24, 64_000_000), graph(1 << 20, 31_395_922), graph(1 << 26, 1 << 34)]
        {
            let planner = planner(graph);
            assert_eq!(planner.most_edges(), 1 << 19, "{graph:?}");
            assert_eq!(planner.streak_threshold(), 6);
            assert!(!planner.always());
        }
    }

    #[test]
    fn dense_graphs_of_few_edges_do_without_rounds() {
        let rounds = |graph, choice| Planner::new(Costs::default(), graph, choice, false).rounds();
        // (graph, rounds): dense and small, sparse and small, dense and large.
        let cases = [
            (graph(1 << 16, 1 << 20), false),
            (graph(1 << 18, 1 << 20), true),
            (graph(1 << 20, 1 << 26), true),
        ];
        for (graph, expected) in cases {
            assert_eq!(rounds(graph, Choice::Auto), expected, "{graph:?}");
            assert!(rounds(graph, Choice::Always));
            assert!(!rounds(graph, Choice::Never));
            // An explicit width enables rounds.
            assert!(Planner::new(Costs::default(), graph, Choice::Auto, true).rounds());
        }
    }

    #[test]
    fn most_edges_is_where_predictions_meet() {
        let costs = Costs { resident_edges: u64::MAX, ..Costs::default() };
        for graph in GRAPHS {
            let planner = Planner::new(costs, graph, Choice::Auto, false);
            let most = planner.most_edges();
            let pays = |frontier| {
                let p = planner.predict(frontier);
                p.resident_ns <= p.pull_ns.min(p.push_ns)
            };
            assert!(pays(most) && !pays(most + 2), "{most} in {graph:?}");
        }
        // Resident edges cost less than pushed ones, so any frontier qualifies.
        let cheap = Costs { resident_edge_ns: 0.0, ..costs };
        assert_eq!(Planner::new(cheap, GRAPHS[1], Choice::Auto, false).most_edges(), u64::MAX);
        // A resident superstep costs more than any other.
        let dear = Costs { resident_ns: 1e9, ..costs };
        assert_eq!(Planner::new(dear, GRAPHS[1], Choice::Auto, false).most_edges(), 0);
    }

    #[test]
    fn choices_are_forced() {
        let graph = GRAPHS[1];
        let always = Planner::new(Costs::default(), graph, Choice::Always, false);
        assert_eq!((always.most_edges(), always.streak_threshold()), (u64::MAX, 0));
        assert!(!Planner::new(Costs::default(), GRAPHS[0], Choice::Never, false).always());
    }
}
