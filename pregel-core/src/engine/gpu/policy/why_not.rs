//! Why a run did not do something that it might have done.

use std::fmt;

use crate::engine::Strategy;

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
    /// The program converges at once, whatever its aggregate.
    Converges,
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
            Self::Converges => "the program converges at once",
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

/// A part of a whole, in percent.
pub(super) fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}
