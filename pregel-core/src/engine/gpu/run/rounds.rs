//! Rounds by priority, which update states in place: delta-stepping in resident launches.

use super::core::Core;
use super::push::Push;
use super::steps::Steps;
pub(super) use super::worklist::COPIES;
use super::worklist::Lists;
use crate::device::kernels::{Set, program as k};
use crate::device::{Control, Counts, Piece, ResidentArguments, Run, limit, rank};
use crate::engine::gpu::policy::Planner;
use crate::engine::gpu::runtime::{Array, Device, DeviceError};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// The kernel of rounds.
pub(super) fn set(planner: &Planner) -> Set {
    if planner.ahead() > 0 {
        Set::RoundsAhead
    } else if planner.is_bulk() {
        Set::RoundsBulk
    } else {
        Set::Rounds
    }
}

/// Copies before the first launch: an item of the first frontier, its state, and the
/// control words in both directions. Its vertex too, if edges are sampled.
const FIRST_COPIES: u64 = 4;

/// The arguments of a run.
pub(super) struct Given<'a, P: VertexCompute> {
    pub(super) program: &'a P,
    pub(super) graph: &'a Graph<P::Edge>,
    pub(super) inputs: &'a [P::Input],
    /// The width of the near list, if the user gives one.
    pub(super) delta: Option<f32>,
    /// Whether the program began everywhere.
    pub(super) everywhere: bool,
}

/// A run in rounds, between two launches.
pub(super) struct Rounds {
    /// The width of the near list at first; `None` if no vertex scattered.
    pub(super) delta: Option<f32>,
    /// Its width after the last launch.
    pub(super) grown: Option<f32>,
    /// The next round.
    pub(super) round: u32,
    /// Whether nothing waits to be sent.
    pub(super) done: bool,
    /// How many messages an average round of the last launch sent.
    messages: Option<u64>,
    /// Whether a launch has been made.
    launched: bool,
}

impl Rounds {
    /// Before the first launch.
    fn new(delta: Option<f32>, round: u32) -> Self {
        Self { delta, grown: None, round, done: false, messages: None, launched: false }
    }

    /// Begins rounds by priority with the frontier of the superstep for which `run` is set.
    /// Samples what edges add to priorities, unless that is known. Also returns the number of
    /// copies between host and device. Waits.
    pub(super) fn begin<D: Device, P: VertexCompute>(
        core: &Core<D, P>,
        push: &Push<D, P>,
        lists: &Lists<D>,
        planner: &Planner,
        run: &Run<P>,
        given: &Given<'_, P>,
        sampled: &mut Option<Steps>,
    ) -> Result<(Self, u64), DeviceError> {
        let round = run.step.superstep;
        let work = lists.global(push.items()?.global());
        lists.begin()?;
        push.find_frontier(core, run, work.frontier(round), core.placed.shape.vertices)?;
        let mut words = lists.words()?;
        if words.get(Control::Items, round % 3) == 0 {
            return Ok((Self { done: true, ..Self::new(None, round) }, 1));
        }
        let place = items_of(push, lists, round)?.get(0)?.place;
        let sent = core.memory.states.get(place.into())?;
        let from = rank(given.program.priority(&sent).unwrap_or(0.0));
        let (steps, copies) = match *sampled {
            Some(steps) => (steps, FIRST_COPIES),
            None => {
                let sender = core.placed.vertex_at.get(place.into())?;
                (Steps::sample(given, sender, &sent), FIRST_COPIES + 1)
            }
        };
        *sampled = Some(steps);
        let estimate = || steps.width(given.graph, planner.costs(), planner.is_slow());
        let delta = given.delta.unwrap_or_else(estimate);
        words.set(Control::Next, 0, round);
        // The first of many senders need not be the least: then whatever changes waits, until
        // the least is known.
        let near = if given.everywhere { 0 } else { limit(from, delta) };
        words.set(Control::Limit, 0, near);
        words.set(Control::Width, 0, delta.to_bits());
        words.set(Control::Nearest, 0, u32::MAX);
        words.set(Control::Nearest, 1, u32::MAX);
        lists.set(&words)?;
        Ok((Self::new(Some(delta), round), copies))
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
        if self.done {
            return Ok(Vec::new());
        }
        if std::mem::replace(&mut self.launched, true) {
            lists.go_on()?;
        }
        let costs = planner.costs();
        let (rows, slots) = push.global()?;
        let mut work = lists.global(push.items()?.global());
        work.growth = costs.near_growth as f32;
        work.pass_messages = costs.near_pass_messages as f32;
        work.lanes = planner.rounds_lanes();
        work.ahead = planner.ahead();
        work.ahead_vertices = costs.ahead_vertices;
        work.supersteps = planner.per_launch().min(most);
        let a = ResidentArguments { run: *run, rows, slots, work };
        // SAFETY: there is a row, a mark and a word of `waiting` per vertex, and the lists
        // have room for every vertex and for every piece of every row. Control is as `begin`
        // set it or as the last launch left it, and the trace is empty.
        unsafe {
            let blocks = planner.rounds_blocks(self.messages);
            match set(planner) {
                Set::RoundsAhead => core.kernels.together::<k::NearAhead>(blocks, 0, &a)?,
                Set::RoundsBulk => core.kernels.together::<k::NearBulk>(blocks, 0, &a)?,
                _ => core.kernels.together::<k::NearFar>(blocks, 0, &a)?,
            }
        }
        let (words, trace) = lists.end(self.round)?;
        let sent = trace.iter().map(|counts| counts.messages).sum::<u64>();
        self.messages = sent.checked_div(trace.len() as u64);
        self.round = words.get(Control::Next, 0);
        self.done = words.get(Control::Done, 0) != 0;
        self.grown = Some(f32::from_bits(words.get(Control::Width, 0)));
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
        Ok(items.into_iter().map(|piece| piece.place).chain(waits).collect())
    }
}

/// The list of items that a round reads.
fn items_of<'a, D: Device, P: VertexCompute>(
    push: &'a Push<D, P>,
    lists: &'a Lists<D>,
    round: u32,
) -> Result<&'a Array<D, Piece>, DeviceError> {
    if round.is_multiple_of(2) { push.items() } else { Ok(lists.odd_items()) }
}
