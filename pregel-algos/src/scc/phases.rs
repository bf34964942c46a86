//! Runs the phases until every vertex has its component.

use std::time::{Duration, Instant};
use std::vec;
use std::vec::Vec;

use pregel_core::engine::{
    Engine, Inputs, Kept, Report, Run, RunError, RunOptions, Session, StopReason,
};
use pregel_core::graph::Graph;
use pregel_core::program::{VertexCompute, VertexId};

use super::{Collect, Colour, Member, OPEN, Trim};

/// The result of [`strong_components`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StrongComponents {
    /// For every vertex, the smallest id in its component; [`OPEN`] if the run was cancelled
    /// before the component was known.
    pub labels: Vec<VertexId>,
    /// How often colours were spread and components collected.
    pub rounds: u32,
    /// Every phase, in order.
    pub phases: Vec<PhaseReport>,
    /// [`StopReason::Cancelled`] if an observer cancelled a phase, otherwise
    /// [`StopReason::Halted`].
    pub stop: StopReason,
    /// Time of the preparation of all programs.
    pub prepare_time: Duration,
    /// Time of everything else.
    pub time: Duration,
}

impl StrongComponents {
    /// The supersteps of all phases, without their supersteps 0.
    pub fn supersteps(&self) -> u32 {
        self.phases.iter().map(|phase| phase.report.supersteps).sum()
    }
}

/// The run of one phase.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PhaseReport {
    /// Which phase it was.
    pub phase: Phase,
    /// How it ran.
    pub report: Report,
}

/// A phase of [`strong_components`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// `Trim<false>`: vertices that no other leads to.
    TrimSources,
    /// `Trim<true>`: vertices that lead to no other.
    TrimSinks,
    /// [`Colour`].
    Colour,
    /// [`Collect`].
    Collect,
}

/// The strongly connected components of a graph. A superstep limit is ignored.
///
/// The [module](super) says what it costs. In addition to what the engine needs for its four
/// programs, it takes 8 bytes per vertex, and 12 more if the graph has self-loops.
///
/// # Errors
/// Those of [`Engine::prepare`] and [`Session::run_with`].
pub fn strong_components<E: Engine>(
    engine: &E,
    graph: &Graph,
    options: &RunOptions,
) -> Result<StrongComponents, RunError> {
    let began = Instant::now();
    let options = options.clone().with_max_supersteps(None);
    let mut sources = engine.prepare::<Trim<false>>(graph, &options)?;
    let mut sinks = engine.prepare::<Trim<true>>(graph, &options)?;
    let mut colour = engine.prepare::<Colour>(graph, &options)?;
    let mut collect = engine.prepare::<Collect>(graph, &options)?;

    let prepare_time = began.elapsed();
    let began = Instant::now();
    let loops = loops(graph);
    let trim = u32::from(loops.is_some());
    let mut log = Log { phases: Vec::new() };
    let mut rounds = 0;
    let mut pivot = pivot(graph);
    let start = vec![Member::open(0); graph.vertex_count() as usize];
    let mut states: States<'_, E> = start.as_slice().into();
    let found = loop {
        let inputs = with_loops::<E>(states, loops.as_deref())?;
        let program = Trim::<false> { without_loops: trim };
        let kept = log.run::<E, _>(&mut sources, Phase::TrimSources, &program, inputs)?;
        if log.is_over() {
            break kept;
        }
        let inputs = with_loops::<E>(Inputs::Kept(kept), loops.as_deref())?;
        let program = Trim::<true> { without_loops: trim };
        let kept = log.run::<E, _>(&mut sinks, Phase::TrimSinks, &program, inputs)?;
        if log.is_over() {
            break kept;
        }
        // The pivot may be trimmed. Then nothing is coloured, and the next round begins.
        let program = match pivot.take() {
            Some(pivot) => Colour::from_pivot(pivot, rounds),
            None => Colour::from_all(rounds),
        };
        let inputs = Inputs::Kept(kept);
        let kept = log.run::<E, _>(&mut colour, Phase::Colour, &program, inputs)?;
        if log.is_cancelled() {
            break kept;
        }
        let inputs = Inputs::Kept(kept);
        let program = Collect { round: rounds };
        let kept = log.run::<E, _>(&mut collect, Phase::Collect, &program, inputs)?;
        rounds += 1;
        if log.is_cancelled() {
            break kept;
        }
        states = Inputs::Kept(kept);
    };
    let stop = if log.is_cancelled() { StopReason::Cancelled } else { StopReason::Halted };
    let labels = smallest_ids(&found.into_vec()?);
    let time = began.elapsed();
    Ok(StrongComponents { labels, rounds, phases: log.phases, stop, prepare_time, time })
}

/// What is known of all vertices, where the engine has it.
type States<'a, E> = Inputs<'a, Member, <E as Engine>::Kept<Member>>;

/// What has run so far.
struct Log {
    phases: Vec<PhaseReport>,
}

impl Log {
    fn run<'r, E: Engine, P: VertexCompute<Input = Member, State = Member>>(
        &mut self,
        session: &'r mut E::Session<'_, P>,
        phase: Phase,
        program: &P,
        inputs: States<'r, E>,
    ) -> Result<E::Kept<Member>, RunError> {
        let mut run = session.begin(program, inputs, None)?;
        run.advance_to_end()?;
        let kept = run.keep()?;
        self.phases.push(PhaseReport { phase, report: kept.report });
        Ok(kept.states)
    }

    fn is_cancelled(&self) -> bool {
        self.phases.last().is_some_and(|last| last.report.stop == StopReason::Cancelled)
    }

    /// Whether there is nothing left to do. If any vertex was open before the phase, it sent
    /// messages, so there was a superstep 1.
    fn is_over(&self) -> bool {
        self.is_cancelled() || self.phases.last().is_some_and(|last| last.report.supersteps == 0)
    }
}

/// The number of self-loops of every vertex; `None` if there are none. O(V + E).
fn loops(graph: &Graph) -> Option<Vec<u32>> {
    let rows = graph.out();
    let count = |v: VertexId| rows.row(v).iter().filter(|target| **target == v).count() as u32;
    let loops: Vec<u32> = (0..graph.vertex_count()).map(count).collect();
    loops.iter().any(|count| *count > 0).then_some(loops)
}

/// The inputs of [`Trim`]: the states, which are read on the host only if there are self-loops.
fn with_loops<'a, E: Engine>(
    states: States<'a, E>,
    loops: Option<&[u32]>,
) -> Result<States<'a, E>, RunError> {
    let Some(loops) = loops else { return Ok(states) };
    let mut states = states.into_host()?;
    for (member, loops) in states.to_mut().iter_mut().zip(loops) {
        member.mark = *loops;
    }
    Ok(Inputs::Given(states))
}

/// The vertex with the largest product of in-degree and out-degree; `None` if it is 0 for all.
fn pivot(graph: &Graph) -> Option<VertexId> {
    let product =
        |v: &VertexId| u128::from(graph.out().degree(*v)) * u128::from(graph.incoming().degree(*v));
    (0..graph.vertex_count()).max_by_key(product).filter(|v| product(v) > 0)
}

/// The smallest id that has the same root, for every vertex. O(V).
fn smallest_ids(members: &[Member]) -> Vec<VertexId> {
    let mut smallest = vec![OPEN; members.len()];
    for (vertex, member) in (0..).zip(members) {
        if let Some(of_root) = smallest.get_mut(member.root as usize) {
            *of_root = vertex.min(*of_root);
        }
    }
    members.iter().map(|m| smallest.get(m.root as usize).copied().unwrap_or(OPEN)).collect()
}
