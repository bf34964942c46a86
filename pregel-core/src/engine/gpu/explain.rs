//! What a run chose, and why, as data.

use std::fmt;
use std::ops::ControlFlow;

use super::costs::Costs;
use super::options::Sort;
use super::planner::Predicted;
use crate::engine::{Log, Report, RunOptions, StopReason, Strategy, SuperstepReport};

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
    /// How each superstep ran, in the order of [`Report::steps`].
    pub steps: Vec<Taken>,
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
    pub(super) fn count(&self) -> u32 {
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

/// Why something was not done.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNot {
    /// An option turned it off.
    Off,
    /// All supersteps go this way.
    Strategy(Strategy),
    /// An observer hears of each superstep before the next.
    Observer,
    /// Ties are to be decided in one order.
    Deterministic,
    /// There is a limit of supersteps.
    Limit,
    /// The program wants every message, not a combination.
    Listed,
    /// The program has an aggregate.
    Aggregate,
    /// Messages do not fit a word of 4 or 8 bytes.
    MessageSize,
    /// States do not fit a word of 4 or 8 bytes.
    StateSize,
    /// The program is not `MONOTONE`.
    NotMonotone,
    /// The program has no priority.
    NoPriority,
    /// A vertex stayed awake after superstep 0.
    Awake,
    /// The program runs in rounds.
    Rounds,
    /// Signals are not made of words of 4 bytes.
    Words,
    /// What is needed does not fit, or is not there.
    Room,
    /// Messages depend on edge values, or any of them will do, or they are not made of
    /// words of 4 bytes.
    NotBinned,
    /// Messages are wider than pays.
    WideMessages {
        /// Bytes that would pay.
        most: u32,
    },
    /// Too few edges.
    FewEdges {
        /// Edges of the graph.
        edges: u64,
        /// Edges that are needed.
        needed: u64,
    },
    /// Too few edges for each signal that fits.
    FewReads {
        /// Signals that fit.
        signals: u32,
        /// Edges of the graph.
        edges: u64,
        /// Edges a signal that are needed.
        needed: u64,
    },
    /// The signals that fit serve too few edges.
    FewServed {
        /// Signals that fit.
        signals: u32,
        /// Edges that they serve.
        served: u64,
        /// Edges of the graph.
        edges: u64,
        /// Part of the edges that is needed, 0 to 1.
        needed: f64,
    },
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
    /// A superstep of this strategy; `pulled` so, if it is a pull.
    pub(super) fn of(superstep: u32, strategy: Strategy, pulled: Self) -> Self {
        match strategy {
            _ if superstep == 0 => Self::Init,
            Strategy::Push => Self::Push,
            Strategy::Mailbox => Self::Mailbox,
            Strategy::Medusa => Self::Medusa,
            _ => pulled,
        }
    }

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

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
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

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Off => "turned off",
            Self::Strategy(strategy) => {
                return write!(f, "all supersteps go by {}", strategy.name());
            }
            Self::Observer => "an observer hears of each superstep",
            Self::Deterministic => "the run is deterministic",
            Self::Limit => "there is a limit of supersteps",
            Self::Listed => "the program wants every message",
            Self::Aggregate => "the program has an aggregate",
            Self::MessageSize => "messages do not fit a word",
            Self::StateSize => "states do not fit a word",
            Self::NotMonotone => "the program is not monotone",
            Self::NoPriority => "the program has no priority",
            Self::Awake => "a vertex stayed awake",
            Self::Rounds => "the program runs in rounds",
            Self::Words => "signals are not made of words",
            Self::Room => "there is no room",
            Self::NotBinned => "messages are not of signals and words alone",
            Self::WideMessages { most } => {
                return write!(f, "messages of more than {most} bytes");
            }
            Self::FewEdges { edges, needed } => {
                return write!(f, "{edges} edges, {needed} are needed");
            }
            Self::FewReads { signals, edges, needed } => {
                let reads = *edges as f64 / f64::from(*signals);
                return write!(f, "{reads:.1} edges for each of {signals}, {needed} are needed");
            }
            Self::FewServed { signals, served, edges, needed } => {
                let (share, needed) = (percent(*served, *edges), 100.0 * needed);
                return write!(
                    f,
                    "{signals} would serve {share:.1} % of the edges, {needed} % are needed"
                );
            }
        };
        f.write_str(text)
    }
}

/// The log of a run, and how each superstep of it ran.
pub(super) struct Course {
    log: Log,
    taken: Vec<Taken>,
    /// The width of the near list, once it is known.
    pub(super) delta: Option<f32>,
}

impl Course {
    pub(super) fn new(options: &RunOptions) -> Self {
        Self { log: Log::new(options), taken: Vec::new(), delta: None }
    }

    /// As [`Log::step`].
    pub(super) fn step(&mut self, step: SuperstepReport, taken: Taken) -> ControlFlow<()> {
        self.taken.push(taken);
        self.log.step(step)
    }

    pub(super) fn finish(self, stop: StopReason) -> (Report, Vec<Taken>) {
        (self.log.finish("cuda", stop), self.taken)
    }
}
