//! Why a run did not use an optimisation, as data for reports.

use std::fmt;

use crate::engine::Strategy;

/// Why a run did not use an optimisation.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum WhyNot {
    /// An option turned it off.
    Off,
    /// All supersteps use this strategy.
    Strategy(Strategy),
    /// An observer is told of each superstep before the next.
    Observer,
    /// The run must be deterministic.
    Deterministic,
    /// The number of supersteps is limited.
    Limit,
    /// The program needs every message, not their combination.
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
    /// `converged` holds even for an empty aggregate, so the run ends after superstep 1.
    Converges,
    /// A vertex stayed awake after superstep 0.
    Awake,
    /// Every vertex scatters in superstep 0: one after another, by priority, most would wait
    /// for long.
    Everyone,
    /// The program runs in rounds.
    Rounds,
    /// It was used, and its supersteps took longer than those without it.
    Slower {
        /// Nanoseconds of a superstep with it.
        with_ns: u64,
        /// Nanoseconds of a superstep without it.
        without_ns: u64,
    },
    /// Runs with it were tried in turns with runs without it, and took longer.
    SlowerRuns {
        /// Nanoseconds of a run with it, the median.
        with_ns: u64,
        /// Nanoseconds of a run without it, the median.
        without_ns: u64,
    },
    /// This run went without it, to see whether that is faster.
    Tried,
    /// A search of the graph takes too few supersteps.
    Shallow {
        /// The most supersteps that a search takes.
        supersteps: u32,
    },
    /// Edges add nearly the same to priorities.
    EvenSteps {
        /// What an average edge adds, relative to the least one.
        spread: f64,
        /// The smallest such number for which it pays.
        needed: f64,
    },
    /// Signals are not made of 4-byte words.
    Words,
    /// There is too little device memory or shared memory, or bins would be mostly padding.
    Room,
    /// Messages depend on edge values, any of them will do, or they or the signals are not
    /// made of 4-byte words.
    NotBinned,
    /// Messages are too wide for bins to pay.
    WideMessages {
        /// The most bytes for which bins pay.
        most: u32,
    },
    /// The graph has too few edges.
    FewEdges {
        /// Edges of the graph.
        edges: u64,
        /// The fewest edges for which it pays.
        needed: u64,
    },
    /// The graph has too few edges per signal that fits shared memory.
    FewReads {
        /// Signals that fit.
        signals: u32,
        /// Edges of the graph.
        edges: u64,
        /// The fewest edges per signal for which it pays.
        needed: u64,
    },
    /// The signals that fit shared memory serve too few edges.
    FewServed {
        /// Signals that fit.
        signals: u32,
        /// Edges that they serve.
        served: u64,
        /// Edges of the graph.
        edges: u64,
        /// The smallest share of the edges for which it pays, 0 to 1.
        needed: f64,
    },
}

impl fmt::Display for WhyNot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Off => "turned off",
            Self::Strategy(strategy) => {
                return write!(f, "all supersteps use {}", strategy.name());
            }
            Self::Observer => "an observer is told of each superstep",
            Self::Deterministic => "the run is deterministic",
            Self::Limit => "the number of supersteps is limited",
            Self::Listed => "the program needs every message",
            Self::Aggregate => "the program has an aggregate",
            Self::MessageSize => "messages do not fit a word",
            Self::StateSize => "states do not fit a word",
            Self::NotMonotone => "the program is not monotone",
            Self::NoPriority => "the program has no priority",
            Self::Converges => "the program converges at once",
            Self::Awake => "a vertex stayed awake",
            Self::Everyone => "every vertex scatters at first",
            Self::Rounds => "the program runs in rounds",
            Self::Slower { with_ns, without_ns } => {
                let [with, without] = [*with_ns, *without_ns].map(|ns| ns as f64 / 1e3);
                return write!(f, "{with:.1} µs per superstep, but {without:.1} µs without");
            }
            Self::SlowerRuns { with_ns, without_ns } => {
                let [with, without] = [*with_ns, *without_ns].map(|ns| ns as f64 / 1e3);
                return write!(f, "{with:.1} µs per run, but {without:.1} µs without");
            }
            Self::Tried => "left out in this run, to compare",
            Self::Shallow { supersteps } => {
                return write!(f, "a search ends after {supersteps} supersteps");
            }
            Self::EvenSteps { spread, needed } => {
                return write!(
                    f,
                    "an average edge adds {spread:.1} times as much as the least, but {needed} \
                     times are needed"
                );
            }
            Self::Words => "signals are not made of words",
            Self::Room => "there is no room",
            Self::NotBinned => "messages are not words that depend on signals alone",
            Self::WideMessages { most } => {
                return write!(f, "messages are wider than {most} bytes");
            }
            Self::FewEdges { edges, needed } => {
                return write!(f, "{edges} edges, but {needed} are needed");
            }
            Self::FewReads { signals, edges, needed } => {
                let reads = *edges as f64 / f64::from(*signals);
                return write!(
                    f,
                    "{reads:.1} edges for each of {signals} signals, but {needed} are needed"
                );
            }
            Self::FewServed { signals, served, edges, needed } => {
                let (share, needed) = (percent(*served, *edges), 100.0 * needed);
                return write!(
                    f,
                    "{signals} would serve {share:.1} % of the edges, but {needed} % are needed"
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
