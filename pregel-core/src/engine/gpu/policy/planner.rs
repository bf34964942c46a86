//! Chooses how the next superstep runs, by the predicted time of each way.

use std::time::Duration;

use super::costs::Costs;
use super::depth::Depth;
use super::options::Choice;
use super::why_not::WhyNot;
use crate::device::{BLOCK, RESIDENT_SUPERSTEPS, WARP};
use crate::engine::Strategy;

/// How much evidence a shallow graph needs: this many small frontiers for one more that is
/// expected.
const DOUBT: f64 = 3.0;

/// How many times as long as on a small graph a resident launch may take that is tried.
const NEARLY_SMALL: f64 = 4.0;

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

/// What else the planner knows about a graph and the program that runs on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Traits {
    /// How deep the graph is.
    pub(crate) depth: Depth,
    /// Whether pulls read chunks of columns to their ends, with edge values.
    pub(crate) reads_chunks: bool,
}

/// What the user decided.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Forced {
    /// Resident launches.
    pub(crate) resident: Choice,
    /// Rounds by priority.
    pub(crate) rounds: Choice,
    /// Whether a program that begins everywhere goes by priority from superstep 1 on.
    pub(crate) at_once: bool,
    /// Whether the user gave the width of the near list.
    pub(crate) has_delta: bool,
}

/// How a program with priorities runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ByPriority {
    /// In rounds.
    InRounds,
    /// In rounds if what edges add to priorities spreads at least this much.
    IfSpread(f64),
    /// In plain supersteps.
    Steps(WhyNot),
}

/// Makes the choices for one graph on one device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planner {
    costs: Costs,
    graph: Shape,
    traits: Traits,
    forced: Forced,
}

impl Planner {
    pub(crate) fn new(costs: Costs, graph: Shape, traits: Traits, forced: Forced) -> Self {
        Self { costs, graph, traits, forced }
    }

    /// The same planner, but all supersteps from superstep 1 on are resident.
    pub(crate) fn staying(self) -> Self {
        Self { forced: Forced { resident: Choice::Always, ..self.forced }, ..self }
    }

    pub(crate) fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Predicts the time of a superstep with a frontier of this many edges.
    pub(crate) fn predict(&self, frontier: u64) -> Predicted {
        let (c, frontier) = (&self.costs, frontier as f64);
        let hosted = c.hosted_ns + f64::from(self.graph.vertices) * c.vertex_ns;
        let chunks = if self.traits.reads_chunks { c.chunk_ns } else { 0.0 };
        Predicted {
            pull_ns: hosted + chunks + self.graph.edges as f64 * c.pulled_edge_ns,
            push_ns: hosted + c.push_launches_ns + frontier * c.pushed_edge_ns,
            resident_ns: c.resident_ns + frontier * c.resident_edge_ns,
        }
    }

    /// The same after a superstep that was a pull and took this long, if it was one. On a large
    /// graph the edges of the next pull are then not expected to take longer than all of that:
    /// what an edge costs is that of a pull in which all vertices want a message, and late in a
    /// search few do.
    pub(crate) fn predict_after(&self, last_pull: Option<Duration>, frontier: u64) -> Predicted {
        let (c, mut predicted) = (&self.costs, self.predict(frontier));
        // On a small one, it is little that edges take.
        if self.graph.edges as f64 * c.pulled_edge_ns >= c.hosted_ns
            && let Some(took) = last_pull
        {
            let most = self.predict(0).push_ns + took.as_nanos() as f64;
            predicted.pull_ns = predicted.pull_ns.min(most);
        }
        predicted
    }

    /// Whether supersteps leave out this many vertices, which no message reaches.
    pub(crate) fn leaves_out(&self, vertices: u32) -> bool {
        u64::from(vertices) >= self.costs.left_out
    }

    /// Push or pull, whichever is [predicted](Self::predict_after) to be faster.
    pub(crate) fn hosted(&self, last_pull: Option<Duration>, frontier: u64) -> Strategy {
        let Predicted { pull_ns, push_ns, .. } = self.predict_after(last_pull, frontier);
        if push_ns <= pull_ns { Strategy::Push } else { Strategy::Pull }
    }

    /// The most edges of a small frontier, for which a resident launch is fastest.
    pub(crate) fn most_edges(&self) -> u64 {
        if self.always() {
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

    /// The most edges of a frontier in a resident launch: any on a small graph, since
    /// leaving the launch for a superstep or two would not pay.
    pub(crate) fn launch_edges(&self) -> u64 {
        if self.small_graph() { u64::MAX } else { self.most_edges() }
    }

    /// Whether a resident launch starts at superstep `superstep`, which has a small frontier
    /// of this many edges, after `streak` consecutive small ones, this one included: whether
    /// the supersteps that are expected to stay small save what the launch costs.
    pub(crate) fn starts_resident(&self, frontier: u64, superstep: u32, streak: u32) -> bool {
        if self.always() {
            return true;
        }
        let Predicted { pull_ns, push_ns, resident_ns } = self.predict(frontier);
        let saves = pull_ns.min(push_ns) - resident_ns;
        self.expected_to_stay(frontier, superstep, streak) * saves >= self.costs.resident_launch_ns
    }

    /// How many more supersteps are expected to have a small frontier: as many as there were
    /// so far, or as the depth of the graph promises.
    fn expected_to_stay(&self, frontier: u64, superstep: u32, streak: u32) -> f64 {
        let streak = f64::from(streak);
        if !self.is_deep() {
            return streak / DOUBT;
        }
        let left = self.supersteps() - f64::from(superstep.saturating_sub(1));
        streak.max(left.min(self.traits.depth.until(frontier, self.most_edges())))
    }

    /// The supersteps of a search.
    fn supersteps(&self) -> f64 {
        self.traits.depth.supersteps(self.graph.vertices, self.costs.shallow_power)
    }

    /// Whether the supersteps of a search would save a resident launch if all had small
    /// frontiers.
    pub(crate) fn is_deep(&self) -> bool {
        let c = &self.costs;
        self.supersteps() * (c.hosted_ns - c.resident_ns) >= c.resident_launch_ns
    }

    /// Whether the graph is not small, and searches reach few vertices for its average degree.
    pub(crate) fn is_slow(&self) -> bool {
        self.graph.vertices >= self.costs.slow_vertices && self.traits.depth.is_slow(self.degree())
    }

    /// Lanes that share the edges of an item in rounds by priority. Where warps go ahead they
    /// have few items at a time, as in resident supersteps.
    pub(crate) fn rounds_lanes(&self) -> u32 {
        let Costs { resident_lanes, rounds_lanes, .. } = self.costs;
        self.lanes(if self.ahead() > 0 { resident_lanes } else { rounds_lanes })
    }

    /// How often a warp goes ahead in a round in which little changes.
    pub(crate) fn ahead(&self) -> u32 {
        if self.traits.depth.is_narrow(self.degree()) { self.costs.ahead } else { 0 }
    }

    /// Whether warps gather what they list in a round.
    pub(crate) fn is_bulk(&self) -> bool {
        self.ahead() == 0 && self.graph.vertices >= self.costs.bulk_vertices
    }

    /// Edges in an average row.
    fn degree(&self) -> f64 {
        self.graph.edges as f64 / f64::from(self.graph.vertices.max(1))
    }

    /// Consecutive small frontiers after which a launch becomes resident in any case.
    pub(crate) fn streak_threshold(&self) -> u32 {
        if self.always() {
            return 0;
        }
        if self.is_deep() {
            return 1;
        }
        let c = &self.costs;
        (DOUBT * c.resident_launch_ns / (c.hosted_ns - c.resident_ns)).ceil() as u32
    }

    /// Whether searches of the graph are resident from superstep 1 on: one launch, which
    /// sends along every edge once, costs no more than the launches of their supersteps.
    pub(crate) fn small_graph(&self) -> bool {
        let c = &self.costs;
        let launches = self.traits.depth.at_most(c.small_graph_launches);
        self.forced.resident == Choice::Auto && self.resident_ns() <= launches * c.hosted_ns
    }

    /// Whether a search that is resident from superstep 1 on, although the graph is not small,
    /// might be the faster one: it cannot take much longer.
    pub(crate) fn staying_is_open(&self) -> bool {
        let c = &self.costs;
        let most = NEARLY_SMALL * c.small_graph_launches * c.hosted_ns;
        self.forced.resident == Choice::Auto && !self.small_graph() && self.resident_ns() <= most
    }

    /// The predicted time of one resident launch that sends along every edge once.
    fn resident_ns(&self) -> f64 {
        let c = &self.costs;
        c.resident_launch_ns + self.graph.edges as f64 * c.resident_edge_ns
    }

    /// The most blocks in a launch for rounds by priority, if the rounds so far sent this many
    /// messages each: two threads for each, but no fewer blocks than for resident supersteps.
    /// More would only reach the barriers later.
    pub(crate) fn rounds_blocks(&self, messages: Option<u64>) -> u32 {
        let Costs { resident_blocks, rounds_blocks, .. } = self.costs;
        let Some(messages) = messages else { return rounds_blocks };
        let blocks = messages.saturating_mul(2).div_ceil(BLOCK.into());
        u32::try_from(blocks).unwrap_or(u32::MAX).max(resident_blocks).min(rounds_blocks)
    }

    /// Lanes that share a row, `each` per edge of an average row, rounded up to a power of
    /// two from 4 to [`WARP`].
    pub(crate) fn lanes(&self, each: f64) -> u32 {
        let average = each * self.degree();
        (average.ceil() as u32).clamp(4, WARP).next_power_of_two()
    }

    /// How programs with priorities run.
    pub(crate) fn by_priority(&self) -> ByPriority {
        let (c, edges) = (&self.costs, self.graph.edges);
        match self.forced.rounds {
            Choice::Always => return ByPriority::InRounds,
            Choice::Never => return ByPriority::Steps(WhyNot::Off),
            Choice::Auto if self.forced.has_delta || self.is_deep() => return ByPriority::InRounds,
            Choice::Auto => {}
        }
        // Graphs that are small enough for launches to take most of the time.
        let hosted = self.predict(0).pull_ns + c.push_launches_ns;
        if self.resident_ns() <= c.small_graph_launches * hosted {
            return match self.traits.depth {
                Depth::Known(depth) if self.resident_ns() > f64::from(depth) * hosted => {
                    ByPriority::Steps(WhyNot::Shallow { supersteps: depth })
                }
                _ => ByPriority::InRounds,
            };
        }
        if (edges as f64) < c.rounds_degree * f64::from(self.graph.vertices) {
            return ByPriority::InRounds;
        }
        if edges >= c.rounds_edges {
            return ByPriority::IfSpread(c.rounds_spread);
        }
        ByPriority::Steps(WhyNot::FewEdges { edges, needed: c.rounds_edges })
    }

    /// Whether only a trial can tell rounds from plain supersteps: each is the faster way on
    /// graphs between which no figure distinguishes. On a deep graph rounds always are.
    pub(crate) fn rounds_are_open(&self) -> bool {
        self.forced.rounds == Choice::Auto && !self.forced.has_delta && !self.is_deep()
    }

    /// The most supersteps or rounds of one launch.
    pub(crate) fn per_launch(&self) -> u32 {
        if self.forced.resident == Choice::Never { 1 } else { RESIDENT_SUPERSTEPS }
    }

    /// Whether a program that begins everywhere goes by priority from superstep 1 on: the user
    /// asked for it.
    pub(crate) fn at_once(&self) -> bool {
        self.forced.at_once
    }

    /// Whether all supersteps from superstep 1 on are resident, whatever their frontiers.
    pub(crate) fn always(&self) -> bool {
        self.forced.resident == Choice::Always
    }
}

#[cfg(test)]
mod tests;
