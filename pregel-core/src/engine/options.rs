//! Options of a run.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{Cancel, RunError, Strategy, SuperstepReport};
use crate::program::{Delivery, Law, Message, Program, VertexCompute};

/// The last superstep of any run. Numbers of supersteps are `u32`, and kernels add a few
/// thousand to them.
pub(super) const LAST: u32 = u32::MAX - (1 << 20);

/// Sees every superstep as it ends; `Break` cancels the run.
pub type Observer = Arc<dyn Fn(&SuperstepReport) -> ControlFlow<()> + Send + Sync>;

/// The order in which an engine keeps the vertices. Programs and results always
/// use the user's order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VertexOrder {
    /// By degree where that pays: on large graphs in which few vertices have most of the
    /// edges, as soon as the runs ahead are likely to earn back what it takes, and only if there
    /// is memory for a copy of the graph.
    #[default]
    Auto,
    /// As given. Takes no time and no memory.
    Given,
    /// By falling degree, so that what is read often lies together. Takes a copy
    /// of the graph.
    Degree,
}

impl VertexOrder {
    /// Lower-case name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Given => "given",
            Self::Degree => "degree",
        }
    }
}

/// Options of a run. By default the engine chooses the strategy and the run
/// never stops early.
///
/// ```
/// use pregel_core::engine::{RunOptions, Strategy};
///
/// let options = RunOptions::default().with_strategy(Strategy::Pull).with_max_supersteps(20);
/// # assert_eq!(options.max_supersteps, Some(20));
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RunOptions {
    /// How messages travel.
    pub strategy: Strategy,
    /// Last superstep that may run; superstep 0 (`init`) does not count.
    pub max_supersteps: Option<u32>,
    /// Whether float sums and arbitrary messages must be equal in every bit from
    /// run to run, on any number of threads.
    pub deterministic: bool,
    /// The order in which the engine keeps the vertices.
    pub order: VertexOrder,
    /// How many runs the session is expected to make, if that is known. Only times and memory
    /// depend on it: what takes long to prepare is prepared if the runs ahead earn it back, and
    /// after the last no room is kept for another.
    pub expected_runs: Option<u32>,
    /// Width of a priority bucket; estimated from the edge values if `None`. A GPU widens
    /// its bucket of near vertices towards the end of a search.
    pub delta: Option<f32>,
    /// Called after every superstep.
    pub observer: Option<Observer>,
    /// Ends the run from outside.
    pub cancel: Option<Cancel>,
    /// Whether the report has the totals alone: no entry for each superstep in
    /// [`Report::steps`](super::Report::steps), of which a search along a path of a million vertices
    /// makes a million. On a GPU they are dropped at the end of the run.
    pub totals_only: bool,
}

impl RunOptions {
    /// Sets the [`strategy`](Self::strategy).
    #[must_use]
    pub fn with_strategy(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// Sets the last superstep, [`max_supersteps`](Self::max_supersteps).
    #[must_use]
    pub fn with_max_supersteps(self, supersteps: impl Into<Option<u32>>) -> Self {
        Self { max_supersteps: supersteps.into(), ..self }
    }

    /// Sets whether results are [`deterministic`](Self::deterministic).
    #[must_use]
    pub fn with_deterministic(self, deterministic: bool) -> Self {
        Self { deterministic, ..self }
    }

    /// Sets the [`order`](Self::order) of vertices.
    #[must_use]
    pub fn with_order(self, order: VertexOrder) -> Self {
        Self { order, ..self }
    }

    /// Sets how many runs the session is expected to make,
    /// [`expected_runs`](Self::expected_runs).
    #[must_use]
    pub fn with_expected_runs(self, runs: impl Into<Option<u32>>) -> Self {
        Self { expected_runs: runs.into(), ..self }
    }

    /// Sets the width of a priority bucket, [`delta`](Self::delta).
    #[must_use]
    pub fn with_delta(self, delta: impl Into<Option<f32>>) -> Self {
        Self { delta: delta.into(), ..self }
    }

    /// Sets a function that sees every superstep as it ends, and cancels the run
    /// if it returns `Break`.
    #[must_use]
    pub fn with_observer(
        self,
        observer: impl Fn(&SuperstepReport) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        Self { observer: Some(Arc::new(observer)), ..self }
    }

    /// Sets a request that ends the run from outside, [`cancel`](Self::cancel).
    #[must_use]
    pub fn with_cancel(self, cancel: impl Into<Option<Cancel>>) -> Self {
        Self { cancel: cancel.into(), ..self }
    }

    /// Sets whether the report has the totals alone, [`totals_only`](Self::totals_only).
    #[must_use]
    pub fn with_totals_only(self, totals_only: bool) -> Self {
        Self { totals_only, ..self }
    }

    /// The last superstep that may run; at most [`LAST`], which a run that was saved may be
    /// near or beyond.
    pub(super) fn last_superstep(&self) -> u32 {
        self.max_supersteps.map_or(LAST, |most| most.min(LAST))
    }

    /// Whether the run should end.
    pub(super) fn cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// The strategy, as far as it follows from the program. If it is still `Auto`,
    /// both push and pull are possible.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] if the options contradict the program.
    pub(super) fn strategy_for<P: VertexCompute>(&self) -> Result<Strategy, RunError> {
        if self.delta.is_some_and(|delta| delta <= 0.0 || delta.is_nan()) {
            return Err(RunError::Unsupported("the width of a priority bucket must be positive"));
        }
        let listed = !P::Combiner::COMBINES;
        let varies = order_shows::<P>();
        match self.strategy {
            Strategy::Push | Strategy::Pull if listed => Err(RunError::Unsupported(
                "the program wants every message, not a combination of them: \
                 use the strategy mailbox or auto",
            )),
            Strategy::Push if self.deterministic && varies => Err(RunError::Unsupported(
                "pushed messages meet in no fixed order, so this program cannot be \
                 deterministic under push: use pull, mailbox or auto",
            )),
            Strategy::Auto if listed => Ok(Strategy::Mailbox),
            Strategy::Auto if self.deterministic && varies => Ok(Strategy::Pull),
            strategy => Ok(strategy),
        }
    }
}

/// Whether the order in which messages are combined can show in the result.
pub(super) fn order_shows<P: Program>() -> bool {
    P::Combiner::MERGE_LAW != Law::Exact && size_of::<Message<P>>() != 0
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("strategy", &self.strategy)
            .field("max_supersteps", &self.max_supersteps)
            .field("deterministic", &self.deterministic)
            .field("order", &self.order)
            .field("expected_runs", &self.expected_runs)
            .field("delta", &self.delta)
            .field("observer", &self.observer.is_some())
            .field("cancel", &self.cancel)
            .field("totals_only", &self.totals_only)
            .finish()
    }
}
