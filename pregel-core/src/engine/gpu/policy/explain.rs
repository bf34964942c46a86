//! What a run chose, and why, as data.

use std::fmt;

use super::costs::Costs;
use super::options::Sort;
use super::planner::Predicted;
use super::why_not::{WhyNot, percent};

/// What a run on a device chose, and why. `Display` of the parts is a few words.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// What the planner went by.
    pub costs: Costs,
    /// How the graph lies there.
    pub layout: Layout,
    /// Signals kept in shared memory.
    pub hot: HotSignals,
    /// Messages by way of bins.
    pub bins: ByBins,
    /// Supersteps that stay on the device.
    pub resident: Resident,
    /// Rounds by priority.
    pub rounds: Rounds,
}

/// How a graph lies on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// How vertices were sorted; [`Sort::None`] if they are in the order of ids.
    pub sort: Sort,
    /// Vertices in a group of columns; `None` if there are no columns.
    pub group: Option<u32>,
    /// Groups whose columns are split across warps.
    pub split: u32,
    /// Chunks that they are split into.
    pub chunks: u32,
}

/// Whether the busiest senders' signals are kept in shared memory.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum HotSignals {
    /// In pulls into which every vertex scattered.
    Kept {
        /// How many.
        signals: u32,
        /// Edges that they serve.
        served: u64,
        /// Edges of the graph.
        edges: u64,
    },
    /// No.
    None(WhyNot),
}

impl HotSignals {
    /// How many signals are kept.
    pub(crate) fn count(&self) -> u32 {
        match self {
            Self::Kept { signals, .. } => *signals,
            Self::None(_) => 0,
        }
    }
}

/// Whether messages go by way of bins where every vertex scatters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum ByBins {
    /// They do: the graph is cut.
    Cut {
        /// Ranges of senders.
        ranges: u32,
        /// Bins.
        bins: u32,
        /// Messages of a superstep, those that fill tiles up included.
        messages: u64,
        /// Messages of the first range, if they do not go by bins but are pulled apart.
        apart: u64,
    },
    /// They may, once supersteps have shown that it pays.
    Waiting,
    /// No.
    None(WhyNot),
}

/// Which supersteps stay on the device, many in one launch.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Resident {
    /// All from superstep 1 on, if no vertex is awake: the graph is small, or it was
    /// asked for.
    All,
    /// Those of small frontiers.
    Small {
        /// Edges of a frontier at most.
        edges: u64,
        /// So many are waited for, one after the other.
        after: u32,
    },
    /// None.
    None(WhyNot),
}

/// Whether a program runs in rounds by priority.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Rounds {
    /// From superstep 1 to the end.
    Taken {
        /// Width of the near list; `None` if nobody scattered.
        delta: Option<f32>,
        /// Whether the width was asked for, not found from the graph.
        given: bool,
    },
    /// No.
    None(WhyNot),
}

/// How a superstep ran.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Taken {
    /// How.
    pub way: Way,
    /// Supersteps that the host queued, or that stayed, together, this one included.
    pub together: u32,
    /// What the planner expects of each way; `None` where it has no choice: in
    /// superstep 0, by mailbox, and in rounds.
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
    /// By pull, with hot signals.
    PullHot,
    /// By pull, messages by way of bins.
    Bins,
    /// By push.
    Push,
    /// Through a message buffer.
    Mailbox,
    /// As Medusa does it.
    Medusa,
    /// On the device, where it stays.
    Resident,
    /// In place, a round by priority.
    Round,
}

impl Way {
    /// In lower-case words, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Init => "init",
            Self::Pull => "pull",
            Self::PullHot => "pull, hot signals",
            Self::Bins => "pull, by bins",
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
            Sort::Stable { .. } => f.write_str("sorted into regions, by id within")?,
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
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for ByBins {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut { ranges, bins, messages, apart } => {
                write!(f, "{messages} messages from {ranges} ranges to {bins} bins")?;
                match apart {
                    0 => Ok(()),
                    _ => write!(f, ", {apart} more of the first range apart"),
                }
            }
            Self::Waiting => f.write_str("not so far: it would not have paid"),
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for Resident {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => f.write_str("all from 1 on, while no vertex stays awake"),
            Self::Small { edges, after } => {
                write!(f, "those of at most {edges} edges, after {after} in a row")
            }
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}

impl fmt::Display for Rounds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { delta: None, .. } => f.write_str("nobody scattered"),
            Self::Taken { delta: Some(delta), given } => {
                let from = if *given { "as asked for" } else { "from the edges" };
                write!(f, "taken, priorities {delta} apart, {from}")
            }
            Self::None(why) => write!(f, "none: {why}"),
        }
    }
}
