//! Rounds by priority, which update states in place: delta-stepping in resident launches.

use super::core::Core;
use super::push::Push;
pub(super) use super::worklist::COPIES;
use super::worklist::Lists;
use crate::device::kernels::{Set, program as k};
use crate::device::{Control, Counts, RESIDENT_SUPERSTEPS, ResidentArguments, Run, limit, rank};
use crate::engine::gpu::policy::Planner;
use crate::engine::gpu::runtime::{Array, Device, DeviceError};
use crate::graph::Graph;
use crate::program::{Context, Delivery, Edge, Facts, Monoid, VertexCompute, VertexId, Zeroable};

/// The kernel of rounds.
pub(super) const SET: Set = Set::Rounds;

/// Copies before the first launch: an item of the first frontier, its vertex, its state,
/// and the control words in both directions.
const FIRST_COPIES: u64 = 5;

/// The arguments of a run.
pub(super) struct Given<'a, P: VertexCompute> {
    pub(super) program: &'a P,
    pub(super) graph: &'a Graph<P::Edge>,
    pub(super) inputs: &'a [P::Input],
    /// The width of the near list, if the user gives one.
    pub(super) delta: Option<f32>,
}

/// A run in rounds, between two launches.
pub(super) struct Rounds {
    /// The width of the near list; `None` if no vertex scattered.
    pub(super) delta: Option<f32>,
    /// The next round.
    pub(super) round: u32,
    /// Whether nothing waits to be sent.
    pub(super) done: bool,
    /// Whether a launch has been made.
    launched: bool,
}

impl Rounds {
    /// Begins rounds by priority with the frontier of the superstep for which `run` is set.
    /// Waits.
    pub(super) fn begin<D: Device, P: VertexCompute>(
        core: &Core<D, P>,
        push: &Push<D, P>,
        lists: &Lists<D>,
        planner: &Planner,
        run: &Run<P>,
        given: &Given<'_, P>,
    ) -> Result<Self, DeviceError> {
        let round = run.step.superstep;
        let (_, _, frontier) = push.global()?;
        let work = lists.global(frontier);
        lists.begin()?;
        push.find_frontier(core, run, work.frontier(round))?;
        let mut words = lists.words()?;
        if words.get(Control::Items, round % 3) == 0 {
            return Ok(Self { delta: None, round, done: true, launched: false });
        }
        let [place, _] = items_of(push, lists, round)?.get(0)?;
        let sender = core.placed.vertex_at.get(place.into())?;
        let sent = core.memory.states.get(place.into())?;
        let from = rank(given.program.priority(&sent).unwrap_or(0.0));
        let estimate = || estimate(given, sender, &sent, planner.costs().near_width);
        let delta = given.delta.unwrap_or_else(estimate);
        words.set(Control::Next, 0, round);
        words.set(Control::Limit, 0, limit(from, delta));
        words.set(Control::Nearest, 0, u32::MAX);
        words.set(Control::Nearest, 1, u32::MAX);
        lists.set(&words)?;
        Ok(Self { delta: Some(delta), round, done: false, launched: false })
    }

    /// Copies between host and device that [`begin`](Self::begin) made.
    pub(super) fn copies(&self) -> u64 {
        if self.done { 1 } else { FIRST_COPIES }
    }

    /// Runs up to `most` rounds in one launch. Returns the counts of each. Waits.
    pub(super) fn launch<D: Device, P: VertexCompute>(
        &mut self,
        core: &Core<D, P>,
        push: &Push<D, P>,
        lists: &Lists<D>,
        planner: &Planner,
        run: &Run<P>,
        most: u32,
    ) -> Result<Vec<Counts>, DeviceError> {
        let (Some(delta), false) = (self.delta, self.done) else { return Ok(Vec::new()) };
        if std::mem::replace(&mut self.launched, true) {
            lists.go_on()?;
        }
        let costs = planner.costs();
        let (rows, slots, frontier) = push.global()?;
        let mut work = lists.global(frontier);
        work.delta = delta;
        work.lanes = planner.lanes(costs.rounds_lanes);
        work.supersteps = RESIDENT_SUPERSTEPS.min(most);
        let a = ResidentArguments { run: *run, rows, slots, work };
        // SAFETY: there is a row, a mark and a word of `waiting` per vertex, and the lists
        // have room for every vertex and for every piece of every row. Control is as `begin`
        // set it or as the last launch left it, and the trace is empty.
        unsafe { core.kernels.together::<k::NearFar>(costs.rounds_blocks, &a)? };
        let (words, trace) = lists.end(self.round)?;
        self.round = words.get(Control::Next, 0);
        self.done = words.get(Control::Done, 0) != 0;
        Ok(trace)
    }

    /// The places with a change to send, some of them several times. Waits.
    ///
    /// These are all: a change that is not listed for the next round, and does not wait, has
    /// been sent. A program that is `MONOTONE` reaches the same fixpoint in any order of sending.
    pub(super) fn pending<D: Device, P: VertexCompute>(
        &self,
        push: &Push<D, P>,
        lists: &Lists<D>,
    ) -> Result<Vec<u32>, DeviceError> {
        if self.done {
            return Ok(Vec::new());
        }
        let count = lists.words()?.get(Control::Items, self.round % 3);
        let items = items_of(push, lists, self.round)?.first(count.into())?;
        let waiting = lists.waiting()?;
        let waits = (0..).zip(waiting).filter(|(_, waits)| *waits != 0).map(|(place, _)| place);
        Ok(items.into_iter().map(|[place, _]| place).chain(waits).collect())
    }
}

/// The list of items that a round reads.
fn items_of<'a, D: Device, P: VertexCompute>(
    push: &'a Push<D, P>,
    lists: &'a Lists<D>,
    round: u32,
) -> Result<&'a Array<D, [u32; 2]>, DeviceError> {
    if round.is_multiple_of(2) { push.items() } else { Ok(lists.odd_items()) }
}

/// The most edges that [`estimate`] samples.
const SAMPLE: u64 = 1 << 10;

/// Estimates the width of the near list from how much a sample of the edges changes
/// priorities if `sender` in state `sent` sends along them. `width` is
/// [`Costs::near_width`](crate::engine::gpu::Costs::near_width). O(1).
fn estimate<P: VertexCompute>(
    given: &Given<'_, P>,
    sender: VertexId,
    sent: &P::State,
    width: f64,
) -> f32 {
    let Given { program, graph, inputs, .. } = *given;
    let facts = |vertex: VertexId| Facts {
        vertex,
        // Making rows by target could take longer than the run; the out-degree is good
        // enough for an estimate.
        in_degree: graph.out().degree(vertex).max(1),
        out_degree: graph.out().degree(vertex),
        vertex_count: graph.vertex_count(),
        superstep: 0,
        input: inputs.get(vertex as usize).copied().unwrap_or_else(Zeroable::zeroed),
    };
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    let from = program.priority(sent).unwrap_or(0.0);
    let signal = program.signal(sent, &Context::new(facts(sender), &last, &mut total));
    let (targets, values) = (graph.out().targets(), graph.out_values());
    let (mut sum, mut count) = (0f64, 0u32);
    for edge in (0..targets.len()).step_by((targets.len() as u64 / SAMPLE + 1) as usize) {
        let value = values.get(edge).copied().unwrap_or_else(Zeroable::zeroed);
        let Some(message) = program.edge_compute(&signal, Edge::new(value)) else { continue };
        let mut context = Context::new(facts(targets[edge]), &last, &mut total);
        let (mut state, _) = program.init(&mut context);
        let mut message = Some(message);
        let inbox = P::Combiner::inbox_of_one(&mut message);
        if program.vertex_compute(&mut state, inbox, &mut context).scatters() {
            let step = program.priority(&state).unwrap_or(from) - from;
            if step > 0.0 && step.is_finite() {
                (sum, count) = (sum + f64::from(step), count + 1);
            }
        }
    }
    let degree = targets.len() as f64 / f64::from(graph.vertex_count().max(1));
    let delta = (width * (sum / f64::from(count.max(1))) / degree.max(1.0).powi(2)) as f32;
    if delta > 0.0 { delta } else { 1.0 }
}
