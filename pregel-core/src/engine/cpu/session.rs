//! A session: the graph in the engine's order, and the memory of the last run.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Cpu;
use super::cut::Cut;
use super::direction::PushOrPull;
use super::order::{self, Demand};
use super::rows;
use super::run::CpuRun;
use super::shape::Shape;
use super::superstep::Memory;
use crate::engine::{
    Inputs, Outcome, Run, RunError, RunOptions, Saved, Session, VertexOrder, check_edges,
};
use crate::graph::Graph;
use crate::graph::renumber::Order;
use crate::parallel;
use crate::program::{Value, VertexCompute, VertexId};

/// A graph prepared for the [`Cpu`] engine, with the memory of the last run.
pub struct CpuSession<'g, P: VertexCompute> {
    pub(super) engine: Cpu,
    /// The user's graph.
    pub(super) graph: &'g Graph<P::Edge>,
    /// The graph in the engine's order, if that is not the user's.
    renumbered: Option<(Arc<Order>, Graph<P::Edge>)>,
    /// Whether the order is settled.
    settled: bool,
    /// Whether there are rows to gather from; see [`rows::can_wait`].
    gathers: bool,
    cut: Cut,
    pub(super) options: RunOptions,
    pub(super) memory: Option<Memory<P>>,
    pub(super) demand: Demand,
    /// How long all preparation took, that in the midst of runs included.
    pub(super) prepare_time: Duration,
}

impl<P: VertexCompute> fmt::Debug for CpuSession<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CpuSession")
            .field("engine", &self.engine)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<'g, P: VertexCompute> CpuSession<'g, P> {
    /// Checks the options and the graph, and prepares what every run needs.
    pub(super) fn new(
        engine: &Cpu,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let start = Instant::now();
        PushOrPull::new::<P>(options)?;
        check_edges::<P>(graph)?;
        let mut session = Self {
            engine: engine.clone(),
            graph,
            renumbered: None,
            settled: options.order == VertexOrder::Given,
            gathers: rows::are_there(graph) || !rows::can_wait::<P>(options),
            cut: Cut::default(),
            options: options.clone(),
            memory: None,
            demand: Demand::default(),
            prepare_time: Duration::ZERO,
        };
        session.prepare_time = start.elapsed();
        let edges = graph.edge_count();
        let ahead = match options.order {
            VertexOrder::Degree => u64::MAX,
            _ if order::shows::<P>(options) => order::most::<P>(edges, options),
            _ => session.demand.ahead(edges, options),
        };
        session.renumber_for(ahead);
        session.settled |= order::shows::<P>(options);
        if session.renumbered.is_none() {
            session.cut_again();
        }
        Ok(session)
    }

    /// Whether the vertices should be renumbered by degree before so many messages are sent,
    /// as far as the graph need not be looked at.
    pub(super) fn may_renumber_for(&self, ahead: u64) -> bool {
        !self.settled && (self.order_at_hand().is_some() || order::pays::<P>(ahead, self.graph))
    }

    /// The order in which the graph is already, if that is one for this program, and the session
    /// may choose.
    fn order_at_hand(&self) -> Option<Arc<Order>> {
        let held = order::held::<P>(self.graph).filter(|_| !order::shows::<P>(&self.options));
        held.map(|(order, _)| order)
    }

    /// Renumbers the vertices by degree if that pays before so many messages are sent. Returns
    /// whether it did; not if the run is cancelled meanwhile. O(V + E), parallel.
    pub(super) fn renumber_for(&mut self, ahead: u64) -> bool {
        self.order_for(ahead).is_some_and(|order| self.renumber(order))
    }

    /// The order in which to keep the vertices from now on, if renumbering them pays before so
    /// many messages are sent. O(V).
    pub(super) fn order_for(&mut self, ahead: u64) -> Option<Arc<Order>> {
        if !self.may_renumber_for(ahead) {
            return None;
        }
        let start = Instant::now();
        let order = self.order_at_hand().or_else(|| {
            let wanted = order::wanted::<P>(self.graph, &self.options);
            order::choose(self.graph, wanted).map(Arc::new)
        });
        self.settled = order.is_none();
        self.prepare_time += start.elapsed();
        order
    }

    /// Renumbers the vertices, once and for all. Returns whether it did; not if the run is
    /// cancelled meanwhile. O(V + E), parallel.
    pub(super) fn renumber(&mut self, order: Arc<Order>) -> bool {
        let start = Instant::now();
        let graph = match order::held::<P>(self.graph) {
            // The order of falling degree is the only one.
            Some((_, graph)) => Some(graph),
            None => {
                let front = order::front::<P>(self.graph.vertex_count());
                self.graph.renumbered(&order, front, || self.options.cancelled())
            }
        };
        self.settled = graph.is_some();
        self.prepare_time += start.elapsed();
        let Some(graph) = graph else {
            return false;
        };
        self.renumbered = Some((order, graph));
        self.gathers = true;
        self.cut_again();
        true
    }

    /// Whether the rows to gather from should be made before a superstep that offers `messages`
    /// and would pull. If not, they are pushed, which the graph notes. Later runs are expected to
    /// send a message along each edge.
    pub(super) fn should_make_rows(&self, messages: u64) -> bool {
        let later = self.demand.runs_ahead(&self.options).saturating_sub(1);
        let later = self.graph.edge_count().saturating_mul(later);
        let pay = rows::pay::<P>(self.graph, messages.saturating_add(later));
        if !pay {
            self.graph.push_instead(messages);
        }
        pay
    }

    /// Makes the rows to gather from. O(V + E), parallel.
    pub(super) fn make_rows(&mut self) {
        self.gathers = true;
        self.cut_again();
    }

    /// Cuts the graph into spans.
    fn cut_again(&mut self) {
        let start = Instant::now();
        self.cut = self.shape().cut();
        self.prepare_time += start.elapsed();
    }

    pub(super) fn shape(&self) -> Shape<'_, P> {
        let shape = match &self.renumbered {
            Some((order, graph)) => Shape::new(graph, &order.vertex_at, &self.cut),
            None if self.gathers => Shape::new(self.graph, &[], &self.cut),
            None => Shape::without_incoming(self.graph, &self.cut),
        };
        shape.with_cancel(self.options.cancel.as_ref())
    }

    /// Whether no run is expected after the one that goes on.
    pub(super) fn is_last(&self) -> bool {
        self.options.expected_runs.is_some() && self.demand.runs_ahead(&self.options) == 1
    }

    /// A copy of `values` in the order of the user's vertices, unless that is their order.
    pub(super) fn in_users_order<T: Value>(&self, values: &[T]) -> Option<Vec<T>> {
        let (order, _) = self.renumbered.as_ref()?;
        Some(self.engine.install(|| order.restore(values)))
    }

    /// For each of the user's vertices, what `at` says of its place, in place of what `values`
    /// held. O(V), parallel.
    pub(super) fn by_vertex_into<T: Send>(
        &self,
        values: &mut Vec<T>,
        at: impl Fn(VertexId) -> T + Sync,
    ) {
        let place_of = self.renumbered.as_ref().map(|(order, _)| order.place_of());
        parallel::map_into(values, self.graph.vertex_count() as usize, 4096, |v| {
            at(place_of.map_or(v as VertexId, |places| places[v]))
        });
    }
}

impl<'g, P: VertexCompute> Session<P> for CpuSession<'g, P> {
    type Engine = Cpu;

    type Run<'r>
        = CpuRun<'r, 'g, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: Inputs<'r, P::Input, Vec<P::Input>>,
        saved: Option<&Saved<P>>,
    ) -> Result<CpuRun<'r, 'g, P>, RunError> {
        CpuRun::new(self, *program, inputs.into_host()?, saved)
    }

    /// The whole run stays on one thread of the pool: its end need not change over to one again.
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let engine = self.engine.clone();
        let mut run = self.start(program, inputs)?;
        run.log.start_clock();
        engine.install(|| {
            run.advance_to_end()?;
            run.finish()
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Run};
    use crate::graph::generate::Spec;
    use crate::program::{Context, Edge, EdgeCompute, Program, Sum, Vote};

    /// Adds up what the neighbours have, or have once.
    #[derive(Clone, Copy)]
    struct Total {
        always: bool,
    }

    impl Program for Total {
        type Input = ();
        type State = u64;
        type Signal = u64;
        type Edge = ();
        type Combiner = Sum<u64>;
        type Aggregate = Sum<u64>;
    }

    impl EdgeCompute for Total {
        fn edge_compute(&self, total: &u64, _: Edge<()>) -> Option<u64> {
            Some(*total)
        }
    }

    impl VertexCompute for Total {
        fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
            (context.vertex().into(), Vote::Scatter)
        }

        fn vertex_compute(
            &self,
            total: &mut u64,
            sum: Option<u64>,
            context: &mut Context<'_, Self>,
        ) -> Vote {
            *total = total.wrapping_mul(31).wrapping_add(sum.unwrap_or(0));
            context.contribute(*total >> 32);
            Vote::of(self.always, true)
        }

        fn signal(&self, total: &u64, _: &Context<'_, Self>) -> u64 {
            *total
        }
    }

    /// Dense and skewed enough to be renumbered, and too large for a cache.
    fn graph() -> Graph {
        "rmat:scale=18,ef=8".parse::<Spec>().unwrap().plain().unwrap()
    }

    /// Whether a copy of the graph is among what the runs are said to need.
    fn foresees_a_copy(graph: &Graph, program: &Total, options: &RunOptions) -> bool {
        let needs = Cpu::new().needs(graph, program, &[], options).unwrap();
        let copy = needs.host.iter().find(|need| need.name == "renumbered graph");
        let (vertices, edges) = (u64::from(graph.vertex_count()), graph.edge_count());
        assert!(copy.is_none_or(|need| need.bytes == 8 * (vertices + 1) + 4 * edges));
        copy.is_some()
    }

    #[test]
    fn a_long_run_is_renumbered_on_its_way() {
        let graph = graph();
        let (program, options) = (Total { always: true }, RunOptions::default());
        let (auto, given) = (options.clone(), options.with_order(VertexOrder::Given));
        let run = |options: RunOptions, most: u32| {
            let options = options.with_max_supersteps(most);
            let mut session = Cpu::new().prepare::<Total>(&graph, &options).unwrap();
            let before = session.prepare_time;
            let outcome = session.run(&program).unwrap();
            // Preparation in the midst of a run counts as such.
            let renumbered = session.renumbered.is_some();
            assert_eq!(outcome.report.prepare_time > before, renumbered);
            assert_eq!(foresees_a_copy(&graph, &program, &options), renumbered);
            (renumbered, outcome)
        };
        assert!(!run(auto.clone(), 3).0);
        // The run ends before the limit, by an observer.
        let stops = |options: RunOptions| {
            options.with_observer(|step| match step.superstep {
                4 => std::ops::ControlFlow::Break(()),
                _ => std::ops::ControlFlow::Continue(()),
            })
        };
        let (in_order, expected) = run(stops(given), 30);
        let (renumbered, found) = run(stops(auto), 30);
        assert_eq!((in_order, renumbered), (false, true));
        assert_eq!(found.states, expected.states);
        assert_eq!(found.aggregate, expected.aggregate);
        let steps = |outcome: &crate::engine::Outcome<Total>| -> Vec<_> {
            let steps = outcome.report.steps.iter();
            steps.map(|step| (step.superstep, step.active, step.messages)).collect()
        };
        assert_eq!(steps(&found), steps(&expected));
    }

    #[test]
    fn a_graph_in_degree_order_is_used_as_it_is() {
        let (given, held) = (graph(), graph().into_degree_order());
        let program = Total { always: true };
        let options = RunOptions::default().with_max_supersteps(4);
        assert!(!Cpu::new().renumbers::<Total>(&given, &options));
        assert!(Cpu::new().renumbers::<Total>(&held, &options));
        let expected = Cpu::new().run(&given, &program, &options).unwrap();
        let mut session = Cpu::new().prepare::<Total>(&held, &options).unwrap();
        assert!(session.renumbered.is_some());
        let found = session.run(&program).unwrap();
        assert_eq!(found.states, expected.states);
        assert_eq!(found.aggregate, expected.aggregate);
        assert!(!foresees_a_copy(&held, &program, &options));
        assert!(!held.has_given_rows(), "a second copy was made");
        // Unless the given order is asked for.
        let options = options.with_order(VertexOrder::Given);
        let needs = Cpu::new().needs(&held, &program, &[], &options).unwrap();
        assert!(needs.host.iter().any(|need| need.name == "rows in the given order"));
        let mut session = Cpu::new().prepare::<Total>(&held, &options).unwrap();
        assert_eq!(session.run(&program).unwrap().states, expected.states);
        assert!(session.renumbered.is_none() && held.has_given_rows());
    }

    #[test]
    fn a_session_learns_that_renumbering_pays() {
        let graph = graph();
        let mut session = Cpu::new().prepare::<Total>(&graph, &RunOptions::default()).unwrap();
        let options = RunOptions::default().with_max_supersteps(1);
        session.options = options;
        for run in 0..20 {
            let outcome = session.run(&Total { always: false }).unwrap();
            assert_eq!(outcome.report.messages, graph.edge_count());
            assert_eq!(session.renumbered.is_some(), run >= 16, "after run {run}");
        }
    }

    #[test]
    fn expected_runs_settle_the_order_at_once() {
        let graph = graph();
        for (runs, by_degree) in [(15, false), (16, true)] {
            let options = RunOptions::default().with_expected_runs(runs);
            let session = Cpu::new().prepare::<Total>(&graph, &options).unwrap();
            assert_eq!(session.renumbered.is_some(), by_degree);
            assert_eq!(foresees_a_copy(&graph, &Total { always: false }, &options), by_degree);
        }
    }

    #[test]
    fn a_cancelled_run_is_not_renumbered() {
        let graph = graph();
        let cancel = crate::engine::Cancel::new();
        let options = RunOptions::default().with_max_supersteps(30).with_cancel(cancel.clone());
        let mut session = Cpu::new().prepare::<Total>(&graph, &options).unwrap();
        let mut run = session.start(&Total { always: true }, &[]).unwrap();
        run.advance(1).unwrap();
        cancel.cancel();
        assert_eq!(run.advance(1), Err(RunError::Cancelled { superstep: 1 }));
        drop(run);
        assert!(!session.renumber_for(u64::MAX));
    }
}
