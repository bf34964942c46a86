//! What a run on a device chose, and why, as data for reports.

use std::fmt;

use super::costs::Costs;
use super::options::Sort;
use super::planner::Predicted;
use super::why_not::{WhyNot, percent};
use crate::engine::Strategy;

/// What a run on a device chose, and why. The parts have a short `Display`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The costs that the planner used.
    pub costs: Costs,
    /// How the graph is laid out.
    pub layout: Layout,
    /// Signals kept in shared memory.
    pub hot: HotSignals,
    /// Binned messages.
    pub bins: ByBins,
    /// Resident supersteps.
    pub resident: Resident,
    /// Rounds by priority.
    pub rounds: Rounds,
    /// Supersteps that the host starts.
    pub hosted: Hosted,
}

/// How a graph is laid out on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// How vertices are sorted; [`Sort::None`] if they are in the order of ids.
    pub sort: Sort,
    /// Vertices per group of columns; `None` if there are no columns.
    pub group: Option<u32>,
    /// Number of groups with columns that are split across warps.
    pub split: u32,
    /// Number of chunks that they are split into.
    pub chunks: u32,
}

/// Whether pulls keep the signals of the busiest senders in shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HotSignals {
    /// Pulls do, if every vertex scattered in the superstep before and messages are not
    /// binned.
    Kept {
        /// How many signals.
        signals: u32,
        /// Edges that they serve.
        served: u64,
        /// Edges of the graph.
        edges: u64,
    },
    /// Pulls after supersteps in which every vertex scattered were tried with and without,
    /// and the faster way is kept. The session remembers it from run to run.
    Tried {
        /// How many signals.
        signals: u32,
        /// Edges that they serve.
        served: u64,
        /// Edges of the graph.
        edges: u64,
        /// Nanoseconds of a superstep with and without, in the batches that were compared
        /// last; `None` if there were too few supersteps to compare.
        times_ns: Option<[u64; 2]>,
        /// Whether they are kept; `None` as long as the trial goes on.
        kept: Option<bool>,
    },
    /// No pull does.
    None(WhyNot),
}

impl HotSignals {
    /// How many signals are kept or tried.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Kept { signals, .. } | Self::Tried { signals, .. } => *signals,
            Self::None(_) => 0,
        }
    }
}

/// Whether messages are binned in supersteps in which every vertex scatters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ByBins {
    /// They are: the graph has been cut into bins.
    Cut {
        /// Ranges of senders.
        ranges: u32,
        /// Bins; none if messages that are not handled separately are pulled.
        bins: u32,
        /// Binned messages of a superstep, including padding, or pulled ones.
        messages: u64,
        /// Ranges, the first ones, with messages that are handled separately.
        hub_ranges: u32,
        /// How many messages are.
        hub_messages: u64,
    },
    /// Not so far: the supersteps have not shown that it pays.
    Waiting,
    /// They are not.
    None(WhyNot),
}

/// Which supersteps are resident: launched together, to stay on the device.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Resident {
    /// All from superstep 1 on, as long as no vertex stays awake: the user asked for it, or the
    /// session tries it or has found it faster.
    All,
    /// The same, since the graph is small, unless superstep 0 sends along more than half of
    /// the edges. Then only those with small frontiers, as with [`Small`](Self::Small).
    SmallGraph,
    /// Those with small frontiers.
    Small {
        /// The most edges of a small frontier.
        edges: u64,
        /// How many consecutive small frontiers show that more will follow. On a deep graph
        /// it is 1: the first shows it.
        after: u32,
    },
    /// None.
    None(WhyNot),
}

/// Whether a program runs in rounds by priority.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rounds {
    /// It does, from superstep 1 to the end.
    Taken {
        /// The width of the near list at first; `None` if no vertex scattered.
        delta: Option<f32>,
        /// Its width at the end: it grows once passes over the vertices that wait cost more
        /// than the messages. `None` if no round ran.
        grown: Option<f32>,
        /// Whether the user gave the width; otherwise it is estimated from the graph.
        given: bool,
    },
    /// It does not.
    None(WhyNot),
}

/// How supersteps that the host starts run, those with messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hosted {
    /// Each in the way that is predicted to be the fastest, or by the strategy of the run.
    AsPlanned,
    /// All by one strategy, which the session tries or has found faster.
    All {
        /// The strategy: push or pull.
        strategy: Strategy,
        /// Nanoseconds of a run like this and as planned, the medians; `None` as long as the trial
        /// goes on.
        times_ns: Option<[u64; 2]>,
    },
    /// As predicted, except that a pull follows a pull that took less time than pushing the
    /// messages is predicted to take; the session tries that or has found it faster.
    PullOn {
        /// As for [`All`](Self::All).
        times_ns: Option<[u64; 2]>,
    },
}

/// How a superstep ran.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Taken {
    /// The way that was taken.
    pub way: Way,
    /// How many supersteps ran in the same batch or launch, including this one.
    pub together: u32,
    /// The predicted time of each way; `None` if there was nothing to choose: in
    /// superstep 0, with a message buffer, and in rounds.
    pub predicted: Option<Predicted>,
}

/// A way to run a superstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Way {
    /// Superstep 0.
    Init,
    /// By pull.
    Pull,
    /// By pull, with hot signals in shared memory.
    PullHot,
    /// By pull, with binned messages.
    Bins,
    /// By push.
    Push,
    /// Through a message buffer.
    Mailbox,
    /// As Medusa does it.
    Medusa,
    /// In a resident launch.
    Resident,
    /// As a round by priority, which updates states in place.
    Round,
}

impl Way {
    /// Its name in reports, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Pull => "pull",
            Self::PullHot => "pull, hot signals",
            Self::Bins => "pull, binned",
            Self::Push => "push",
            Self::Mailbox => "mailbox",
            Self::Medusa => "medusa",
            Self::Resident => "resident",
            Self::Round => "round",
        }
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.sort {
            Sort::None => f.write_str("not sorted")?,
            Sort::Approximate { .. } => f.write_str("sorted into regions")?,
            Sort::Stable { .. } => f.write_str("sorted into regions, and by id within each")?,
            Sort::Exact => f.write_str("sorted by degree")?,
        }
        match (self.group, self.split) {
            (None, _) => f.write_str("; rows, no columns"),
            (Some(group), 0) => write!(f, "; groups of {group}, no hub split"),
            (Some(group), split) => {
                write!(f, "; groups of {group}, {split} of them split into {} chunks", self.chunks)
            }
        }
    }
}

impl fmt::Display for HotSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kept { signals, served, edges } => {
                let share = percent(*served, *edges);
                write!(f, "{signals}, which serve {share:.1} % of the edges")
            }
            Self::Tried { signals, served, edges, times_ns, kept } => {
                let share = percent(*served, *edges);
                write!(f, "{signals}, which serve {share:.1} % of the edges, tried")?;
                if let Some(times) = times_ns {
                    let [with, without] = times.map(|ns| ns as f64 / 1e3);
                    write!(f, ": {with:.1} µs per superstep, {without:.1} µs without")?;
                }
                f.write_str(match kept {
                    Some(true) => "; kept",
                    Some(false) => "; not kept",
                    None => "; not decided yet",
                })
            }
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for ByBins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { ranges, bins, messages, hub_ranges, hub_messages } => {
                match bins {
                    0 => write!(f, "{messages} messages pulled")?,
                    _ => write!(f, "{messages} messages from {ranges} ranges to {bins} bins")?,
                }
                if *hub_messages > 0 {
                    write!(f, "; {hub_messages} hub messages handled separately")?;
                }
                if *hub_ranges > 1 {
                    write!(f, ", from {hub_ranges} ranges")?;
                }
                Ok(())
            }
            Self::Waiting => f.write_str("none: cutting the graph has not paid so far"),
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all from 1 on, while no vertex stays awake"),
            Self::SmallGraph => f.write_str("all of a search from 1 on, the graph is small"),
            Self::Small { edges, after } => {
                write!(f, "those with at most {edges} edges, after {after} in a row")
            }
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AsPlanned => f.write_str("as planned"),
            Self::All { strategy, times_ns: None } => {
                write!(f, "all by {} in this run, to compare", strategy.name())
            }
            Self::All { strategy, times_ns: Some(times) } => {
                let [all, planned] = times.map(|ns| ns as f64 / 1e3);
                let name = strategy.name();
                write!(f, "all by {name}: {all:.1} µs per run, {planned:.1} µs as planned")
            }
            Self::PullOn { times_ns: None } => {
                f.write_str("pulls after short pulls in this run, to compare")
            }
            Self::PullOn { times_ns: Some(times) } => {
                let [pulling, planned] = times.map(|ns| ns as f64 / 1e3);
                write!(
                    f,
                    "pulls after short pulls: {pulling:.1} µs per run, {planned:.1} µs as planned"
                )
            }
        }
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { delta: None, .. } => f.write_str("no vertex scattered"),
            Self::Taken { delta: Some(delta), grown, given } => {
                let from = if *given { "as given" } else { "estimated from the edges" };
                write!(f, "taken, near list {delta} wide, {from}")?;
                match grown {
                    Some(grown) if grown != delta => write!(f, ", {grown} at the end"),
                    _ => Ok(()),
                }
            }
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}
