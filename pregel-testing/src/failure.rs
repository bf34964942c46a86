//! What a test has found.

use std::error::Error;
use std::fmt::{self, Debug};

use pregel_core::engine::RunError;

use crate::laws::BrokenLaw;

/// Why a program failed the test on [all engines](crate::all_engines).
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// An engine refused the run, or could not finish it.
    Run {
        /// The engine and the strategy.
        engine: String,
        /// Its reason.
        error: RunError,
    },
    /// The program was not done after a generous number of supersteps.
    NeverHalts {
        /// The last superstep that ran.
        superstep: u32,
        /// Number of vertices that scatter or stay awake even then.
        busy: u64,
        /// One of them.
        vertex: u32,
        /// Its state.
        state: String,
    },
    /// The combiner of the messages breaks a law.
    Combiner(BrokenLaw),
    /// The aggregate breaks a law.
    Aggregate(BrokenLaw),
    /// The program does not keep what [`MONOTONE`] promises.
    ///
    /// [`MONOTONE`]: pregel_core::program::Program::MONOTONE
    Promise(Difference),
    /// Two engines, or two strategies, disagree.
    Difference(Difference),
}

/// A run that differs from the reference.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Difference {
    /// The engine and the strategy, or what was done to the program.
    pub engine: String,
    /// The first superstep after which a state differs, if it is known.
    pub superstep: Option<u32>,
    /// The first vertex that differs, or what else does, with both values.
    pub what: String,
    /// A small graph on which it happens, as text.
    pub graph: String,
    /// What may be the reason.
    pub hint: &'static str,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { engine, superstep, what, graph, hint } = self;
        write!(f, "{engine} differs from the reference")?;
        if let Some(superstep) = superstep {
            write!(f, ", first after superstep {superstep}")?;
        }
        write!(f, ":\n  {what}\non {graph}")?;
        if hint.is_empty() { Ok(()) } else { write!(f, "\n{hint}") }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run { engine, error } => write!(f, "{engine}: {error}"),
            Self::NeverHalts { superstep, busy, vertex, state } => write!(
                f,
                "the program does not halt: after superstep {superstep}, {busy} vertices still \
                 scatter or stay awake, among them vertex {vertex} in state {state}.\nA vertex \
                 halts when it returns `Vote::Halt`; most programs scatter only if the state has \
                 changed. For a program that runs for a number of supersteps, set \
                 `with_max_supersteps`"
            ),
            Self::Combiner(broken) => write!(f, "the combiner {broken}"),
            Self::Aggregate(broken) => write!(f, "the aggregate {broken}"),
            Self::Promise(difference) => {
                write!(f, "the program promises MONOTONE and does not keep it: {difference}")
            }
            Self::Difference(difference) => fmt::Display::fmt(difference, f),
        }
    }
}

impl Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Run { error, .. } => Some(error),
            Self::Combiner(broken) | Self::Aggregate(broken) => Some(broken),
            _ => None,
        }
    }
}
