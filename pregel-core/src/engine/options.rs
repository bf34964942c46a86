//! How to run.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use super::{RunError, SuperstepReport};
use crate::program::{Delivery, Law, Message, VertexCompute};

/// How messages travel. All strategies give the same result on every
/// program: bit-equal for exact combiners, within rounding for float sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Strategy {
    /// The engine chooses, superstep by superstep.
    #[default]
    Auto,
    /// Scattering vertices send along their edges into combined slots.
    Push,
    /// Vertices gather from their scattering neighbours, no message stored.
    Pull,
    /// Every message is kept until its vertex computes.
    Mailbox,
    /// As the system Medusa does it, for comparison: on a GPU only.
    Medusa,
}

impl Strategy {
    /// Lower-case name, as on the command line and in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Push => "push",
            Self::Pull => "pull",
            Self::Mailbox => "mailbox",
            Self::Medusa => "medusa",
        }
    }
}

/// Sees every superstep as it ends; `Break` cancels the run.
pub type Observer = Arc<dyn Fn(&SuperstepReport) -> ControlFlow<()> + Send + Sync>;

/// The order in which an engine keeps the vertices. Programs and results
/// always see the user's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum VertexOrder {
    /// By degree where that pays: on large graphs whose edges belong mostly to
    /// few vertices.
    #[default]
    Auto,
    /// As given: no time and no memory for another order.
    Given,
    /// By falling degree: what is read often lies together. Costs a copy of
    /// the graph.
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
    /// Float sums and free choices come out bit-equal from run to run, on any
    /// number of threads.
    pub deterministic: bool,
    /// The order in which the engine keeps the vertices.
    pub order: VertexOrder,
    /// Width of a priority bucket; from the graph's edge values if `None`.
    pub delta: Option<f32>,
    /// Told of every superstep.
    pub observer: Option<Observer>,
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

    /// The strategy, as far as it follows from the program: what is `Auto`
    /// after this may push or pull.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] when the options contradict the program.
    pub(super) fn strategy_for<P: VertexCompute>(&self) -> Result<Strategy, RunError> {
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

/// Whether the order in which messages of a program are combined shows in the
/// result.
pub(super) fn order_shows<P: VertexCompute>() -> bool {
    P::Combiner::MERGE_LAW != Law::Exact && size_of::<Message<P>>() != 0
}

impl fmt::Debug for RunOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunOptions")
            .field("strategy", &self.strategy)
            .field("max_supersteps", &self.max_supersteps)
            .field("deterministic", &self.deterministic)
            .field("order", &self.order)
            .field("delta", &self.delta)
            .field("observer", &self.observer.is_some())
            .finish()
    }
}
