//! Rounds by priority, which update states in place: delta-stepping in resident launches.

use std::time::{Duration, Instant};

use super::core::Core;
use super::push::Push;
use super::worklist::{COPIES, Lists};
use crate::device::kernels::{Set, program as k};
use crate::device::{Control, Counts, RESIDENT_SUPERSTEPS, ResidentArguments, Run, limit, rank};
use crate::engine::gpu::policy::Planner;
use crate::engine::gpu::runtime::{Device, DeviceError};
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

/// The result of the rounds of a run.
#[derive(Default)]
pub(super) struct Rounds {
    /// The counts of the rounds of each launch, and the time of the launch.
    pub(super) launches: Vec<(Vec<Counts>, Duration)>,
    /// The width of the near list; `None` if no vertex scattered.
    pub(super) delta: Option<f32>,
    /// Copies between host and device.
    pub(super) copies: u64,
}

/// Runs a program in rounds by priority until nothing changes, beginning with the frontier
/// of superstep 1, for which `run` is set. Waits.
pub(super) fn run<D: Device, P: VertexCompute>(
    core: &Core<D, P>,
    push: &Push<D, P>,
    lists: &Lists<D>,
    planner: &Planner,
    run: &Run<P>,
    given: &Given<'_, P>,
) -> Result<Rounds, DeviceError> {
    let mut start = Instant::now();
    let (rows, slots, frontier) = push.global()?;
    let mut work = lists.global(frontier);
    lists.begin()?;
    push.find_frontier(core, run, work.frontier(1))?;
    let mut words = lists.words()?;
    if words.get(Control::Items, 1) == 0 {
        return Ok(Rounds { copies: 1, ..Rounds::default() });
    }
    let place = lists.first()?;
    let sender = core.placed.vertex_at.get(place.into())?;
    let sent = core.memory.states.get(place.into())?;
    let from = rank(given.program.priority(&sent).unwrap_or(0.0));
    let costs = planner.costs();
    let estimate = || estimate(given, sender, &sent, costs.near_width);
    work.delta = given.delta.unwrap_or_else(estimate);
    work.lanes = planner.lanes(costs.rounds_lanes);
    work.supersteps = RESIDENT_SUPERSTEPS;
    words.set(Control::Next, 0, 1);
    words.set(Control::Limit, 0, limit(from, work.delta));
    words.set(Control::Nearest, 0, u32::MAX);
    words.set(Control::Nearest, 1, u32::MAX);
    lists.set(&words)?;
    let a = ResidentArguments { run: *run, rows, slots, work };
    let mut rounds = Rounds { launches: Vec::new(), delta: Some(work.delta), copies: FIRST_COPIES };
    let mut round = 1;
    loop {
        // SAFETY: there is a row, a mark and a word of `waiting` per vertex, and the lists
        // have room for every vertex and for every piece of every row. Control is as set
        // above or as the last launch left it, and the trace is empty.
        unsafe { core.kernels.together::<k::NearFar>(costs.rounds_blocks, &a)? };
        let (words, trace) = lists.end(round)?;
        rounds.copies += COPIES;
        rounds.launches.push((trace, start.elapsed()));
        (round, start) = (words.get(Control::Next, 0), Instant::now());
        if words.get(Control::Done, 0) != 0 {
            return Ok(rounds);
        }
        lists.go_on()?;
        rounds.copies += 1;
    }
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
