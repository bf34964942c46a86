//! Monotone programs, updated in place.
//!
//! [`Program::MONOTONE`](crate::program::Program::MONOTONE) promises that
//! stale and fresh reads lead to the same fixpoint. So a message goes straight
//! from the sender's present state into the receiver's, which computes at
//! once, under compare-and-swap; there is no message buffer and no barrier
//! between sending and computing. What is left to do is a set of vertices:
//! taken round by round (`rounds`), or by soft priority (`buckets`).

mod buckets;
mod pending;
mod rounds;
#[cfg(test)]
mod tests;

use bytemuck::bytes_of;

use super::bitmap::{Bitmap, Bits};
use super::cells::{Cells, CellsRef};
use super::edges::Edges;
use super::gather::Signals;
use super::vertex::{Aggregated, Env};
use crate::engine::{Log, RunOptions, Saved, StopReason, Strategy};
use crate::program::{Delivery, Edge, Message, Monoid, VertexCompute, VertexId, Vote, Zeroable};

use buckets::Buckets;
use pending::{Change, Pending};
use rounds::Rounds;

/// A run in place, between two rounds.
///
/// It may be saved there, with the vertices that still have a change to send as those that
/// scatter. Every other change has been sent, and a program that is `MONOTONE` reaches the
/// same fixpoint from any states between, in any order of sending, and even if a message
/// arrives more than once.
pub(super) struct InPlace<P: VertexCompute> {
    /// `None` before superstep 0.
    memory: Option<Memory<P::State>>,
    vertices: u32,
    schedule: Schedule<P::State>,
    /// The width of a bucket, if the user gives one.
    delta: Option<f32>,
}

/// What a run keeps of every vertex.
struct Memory<S> {
    states: Cells<S>,
    /// The vertices that have voted to scatter.
    sent: Bitmap,
    pending: Pending,
}

/// Which vertices send in the next round.
enum Schedule<S> {
    Rounds(Rounds),
    Buckets(Buckets<S>),
}

impl<P: VertexCompute> InPlace<P> {
    /// A run that has not begun.
    pub(super) fn new() -> Self {
        let schedule = Schedule::Rounds(Rounds::default());
        Self { memory: None, vertices: 0, schedule, delta: None }
    }

    /// Superstep 0. `delta` is the width of a bucket if the user gives one. Returns how
    /// many vertices scatter.
    pub(super) fn init(&mut self, env: &Env<'_, P>, delta: Option<f32>) -> usize {
        let n = env.shape.vertex_count;
        let mut sent = Bitmap::new(n);
        let states = Cells::new(n, |v| {
            let (state, vote) =
                env.program.init(&mut env.context(v, &mut P::Aggregate::identity()));
            if vote.scatters() {
                sent.insert::<true>(v);
            }
            state
        });
        let mut first = Vec::new();
        sent.list_into(&mut first);
        self.begin(env, Memory { states, sent, pending: Pending::new(n) }, first, delta)
    }

    /// Goes on where another run was saved.
    pub(super) fn resume_from(&mut self, env: &Env<'_, P>, saved: &Saved<P>, delta: Option<f32>) {
        let n = env.shape.vertex_count;
        let vertex = |v| env.shape.vertex(v) as usize;
        let states = Cells::new(n, |v| saved.states[vertex(v)]);
        let first: Vec<_> = (0..n).filter(|v| saved.votes[vertex(*v)].scatters()).collect();
        let sent = Bitmap::of(n, &first);
        self.begin(env, Memory { states, sent, pending: Pending::new(n) }, first, delta);
    }

    /// Returns the number of `first`, the vertices that scatter first.
    fn begin(
        &mut self,
        env: &Env<'_, P>,
        memory: Memory<P::State>,
        first: Vec<VertexId>,
        delta: Option<f32>,
    ) -> usize {
        let (scattering, live) = (first.len(), Live::new(env, &memory));
        self.delta = delta;
        // If all vertices send at first, by priority most would wait for long, and in a shallow
        // graph it is over after a few rounds.
        let everyone = scattering == env.shape.vertex_count as usize;
        let width = if everyone { None } else { self::delta(&live, &first, delta) };
        self.schedule = match width {
            Some(width) => Schedule::Buckets(Buckets::new(&live, first, width, delta.is_some())),
            None => {
                let priority = |v: &VertexId| env.program.priority(&live.states.load(*v));
                let has_priority = first.first().and_then(priority).is_some();
                Schedule::Rounds(Rounds::new(env.shape, first, has_priority))
            }
        };
        self.vertices = env.shape.vertex_count;
        self.memory = Some(memory);
        scattering
    }

    /// Whether the rounds ahead may gather messages. Buckets only send.
    pub(super) fn may_gather(&self) -> bool {
        matches!(self.schedule, Schedule::Rounds(_))
    }

    /// Runs up to `at_most` rounds, the first with number `next`. Returns why the run ends,
    /// if it does.
    pub(super) fn rounds(
        &mut self,
        env: &Env<'_, P>,
        next: &mut u32,
        at_most: u32,
        log: &mut Log,
    ) -> Option<StopReason> {
        let live = Live::new(env, self.memory.as_ref()?);
        let begun = *next;
        if let Schedule::Rounds(rounds) = &mut self.schedule {
            let stop = rounds.run(&live, next, at_most, log);
            let Some(first) = rounds.give_up().filter(|_| stop.is_none()) else { return stop };
            let width = self::delta(&live, &first, self.delta)?;
            let buckets = Buckets::new(&live, first, width, self.delta.is_some());
            self.schedule = Schedule::Buckets(buckets);
        }
        let Schedule::Buckets(buckets) = &mut self.schedule else { return None };
        buckets.run(&live, next, at_most - (*next - begun), log)
    }

    /// The final state of every vertex, in the engine's order.
    pub(super) fn into_states(self) -> Vec<P::State> {
        self.memory.map_or_else(Vec::new, |memory| memory.states.into_values(self.vertices))
    }

    /// The state of a vertex.
    pub(super) fn state(&self, v: VertexId) -> P::State {
        self.memory.as_ref().map_or_else(P::State::zeroed, |memory| memory.states.all().load(v))
    }

    /// Calls `f` with a function that tells the vote of each vertex.
    pub(super) fn with_votes<R>(
        &self,
        program: &P,
        f: impl FnOnce(&(dyn Fn(VertexId) -> Vote + Sync)) -> R,
    ) -> R {
        let pending: Vec<VertexId> = match (&self.schedule, &self.memory) {
            (Schedule::Rounds(rounds), _) => rounds.pending().to_vec(),
            (Schedule::Buckets(buckets), Some(Memory { states, pending, .. })) => {
                let now = |change: &Change<_>| states.all().load(change.vertex);
                buckets.pending(|change| pending.holds(program, change, &now(change))).collect()
            }
            (Schedule::Buckets(_), None) => Vec::new(),
        };
        let pending = Bitmap::of(self.vertices, &pending);
        f(&|v| Vote::of(pending.contains(v), false))
    }
}

/// The width of a priority bucket, estimated from a sample of edges: what [`SPREAD`] of them
/// add to a priority, divided by a degree (Meyer and Sanders take 1 / degree for lengths in
/// 0..1). That is the median of the degrees that edges end at, from the average degree to
/// [`MOST_NARROW`] times it. `None` if the program has no priority.
///
/// In a power law edges end at hubs, which are reached early, and what they send too early is sent
/// again. With more than two threads such a narrow bucket would hold too little for each. No
/// bucket is narrower than what the least edge adds: within that, no vertex can change another.
fn delta<P: VertexCompute>(
    live: &Live<'_, P>,
    first: &[VertexId],
    wanted: Option<f32>,
) -> Option<f32> {
    let (program, shape) = (live.env.program, live.env.shape);
    let sender = *first.first()?;
    let sent = live.states.load(sender);
    let from = program.priority(&sent)?;
    if wanted.is_some() {
        return wanted;
    }
    let signal = live.signal(sender, &sent);
    let (mut sum, mut count, mut least) = (0f64, 0u32, f64::INFINITY);
    let mut degrees = Vec::new();
    for rows in &shape.scatter {
        for place in rows.sample(SAMPLE) {
            let edge = rows.edges(place..place + 1);
            let target = edge.targets[0];
            degrees.push(shape.scatter_degree(target));
            let Some(message) = program.edge_compute(&signal, Edge::new(edge.value(0))) else {
                continue;
            };
            let mut state = live.states.load(target);
            if live.compute(target, &mut state, message).scatters() {
                let step = f64::from(program.priority(&state).unwrap_or(from) - from);
                if step > 0.0 && step.is_finite() {
                    (sum, count, least) = (sum + step, count + 1, least.min(step));
                }
            }
        }
    }
    if count == 0 {
        return Some(1.0);
    }
    let middle = degrees.len() / 2;
    let median = *degrees.select_nth_unstable(middle).1 as f64;
    let average = (shape.edge_count() as f64 / f64::from(shape.vertex_count)).max(1.0);
    let narrower = (median / average).clamp(1.0, MOST_NARROW);
    let narrower = if rayon::current_num_threads() > 2 { narrower.cbrt() } else { narrower };
    let width = SPREAD * (sum / f64::from(count)) / (average * narrower);
    Some(width.max(least) as f32)
}

/// Bytes that lists of changed vertices take for each vertex, while all are changed: those of
/// this round, and those of the next in parts and as a whole.
pub(super) const LISTED_BYTES: usize = 12;

/// Edges in the sample of [`delta`].
const SAMPLE: usize = 1 << 10;
/// See [`delta`].
const SPREAD: f64 = 3.0;
/// See [`delta`].
const MOST_NARROW: f64 = 8.0;

/// Whether the engine may update states in place: the program permits it, the
/// user asked for nothing that only plain supersteps can give (a strategy, a
/// superstep limit, one order of ties), and a state fits an atomic word.
///
/// There is no superstep after which [`converged`](VertexCompute::converged)
/// could be asked. But the aggregate has no size, so it is always the same
/// value, and one question answers all: a program that calls it converged ends
/// after superstep 1, in plain supersteps.
pub(super) fn possible<P: VertexCompute>(program: &P, options: &RunOptions) -> bool {
    permitted::<P>(options) && !program.converged(&P::Aggregate::identity())
}

/// [`possible`], as far as it does not depend on the program's parameters.
pub(super) fn permitted<P: VertexCompute>(options: &RunOptions) -> bool {
    P::MONOTONE
        && P::Combiner::COMBINES
        && size_of::<Aggregated<P>>() == 0
        && Cells::<P::State>::LOCK_FREE
        && options.strategy == Strategy::Auto
        && !options.deterministic
        && options.max_supersteps.is_none()
}

/// The state of a vertex after a message.
#[derive(Clone, Copy, Debug)]
struct After<S> {
    state: S,
    /// Whether the message altered it.
    altered: bool,
}

/// A vertex has a long row if it has more edges than this. Where there are threads to share it, it
/// is sent along once the others are done.
const LONG: u64 = 1 << 12;
/// The most edges of a part of a long row.
const SEGMENT: usize = 1 << 11;

/// A part of a long row.
struct Segment<'a, P: VertexCompute> {
    sender: VertexId,
    edges: Edges<'a, P::Edge>,
}

/// States that all threads read and change in place.
struct Live<'a, P: VertexCompute> {
    env: &'a Env<'a, P>,
    states: CellsRef<'a, P::State>,
    /// Vertices that have voted to scatter so far; noted only by [`Rounds`].
    sent: &'a Bits,
    /// Read only by [`Buckets`].
    pending: &'a Pending,
}

impl<P: VertexCompute> Clone for Live<'_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: VertexCompute> Copy for Live<'_, P> {}

impl<'a, P: VertexCompute> Live<'a, P> {
    fn new(env: &'a Env<'a, P>, memory: &'a Memory<P::State>) -> Self {
        let Memory { states, sent, pending } = memory;
        Self { env, states: states.all(), sent, pending }
    }

    /// Whether a listed change is still to be sent.
    fn holds(&self, change: &Change<P::State>) -> bool {
        self.pending.holds(self.env.program, change, &self.states.load(change.vertex))
    }

    /// Calls `f` with a copy that nothing else refers to; see [`Env::locally`].
    #[inline(always)]
    fn locally<R>(&self, f: impl FnOnce(&Live<'_, P>) -> R) -> R {
        self.env.locally(|env| f(&Live { env, ..*self }))
    }

    /// The signal of a vertex in this state.
    #[inline(always)]
    fn signal(&self, v: VertexId, state: &P::State) -> P::Signal {
        self.env.program.signal(state, &self.env.context(v, &mut P::Aggregate::identity()))
    }

    /// Lets vertex `v`, in state `state`, compute with one message.
    #[inline(always)]
    fn compute(&self, v: VertexId, state: &mut P::State, message: Message<P>) -> Vote {
        if !self.env.program.wants_message(state) {
            return Vote::Halt;
        }
        let mut message = Some(message);
        let inbox = P::Combiner::inbox_of_one(&mut message);
        let mut total = P::Aggregate::identity();
        self.env.program.vertex_compute(state, inbox, &mut self.env.context(v, &mut total))
    }

    /// Sends from `v`, in state `state`, along its edges, and calls `changed(log, target,
    /// after)` for every receiver that will scatter.
    #[inline(always)]
    fn send<const SHARED: bool, L>(
        &self,
        v: VertexId,
        state: &P::State,
        log: &mut L,
        changed: impl Fn(&mut L, VertexId, After<P::State>) + Copy,
    ) {
        let signal = self.signal(v, state);
        self.env.shape.scatter.each(|rows| {
            self.edges::<SHARED, L>(&signal, rows.edges(rows.range(v)), log, changed);
        });
    }

    /// The long rows of some vertices, in parts that threads share.
    fn segments(&self, senders: impl Iterator<Item = VertexId>) -> Vec<Segment<'a, P>> {
        let mut segments = Vec::new();
        for sender in senders {
            for rows in &self.env.shape.scatter {
                let range = rows.range(sender);
                segments.extend(range.clone().step_by(SEGMENT).map(|start| {
                    let edges = rows.edges(start..range.end.min(start + SEGMENT));
                    Segment { sender, edges }
                }));
            }
        }
        segments
    }

    /// The same as [`send`](Self::send) along a part of a row. Other threads may send along other
    /// parts, from a later state of the sender: then they send what is better still.
    fn send_segment<L>(
        &self,
        segment: &Segment<'_, P>,
        log: &mut L,
        changed: impl Fn(&mut L, VertexId, After<P::State>),
    ) {
        if !self.env.shape.cancelled() {
            let signal = self.signal(segment.sender, &self.states.load(segment.sender));
            self.edges::<true, L>(&signal, segment.edges, log, changed);
        }
    }

    #[inline(always)]
    fn edges<const SHARED: bool, L>(
        &self,
        signal: &P::Signal,
        edges: Edges<'_, P::Edge>,
        log: &mut L,
        changed: impl Fn(&mut L, VertexId, After<P::State>),
    ) {
        for (i, &target) in edges.targets.iter().enumerate() {
            let edge = Edge::new(edges.value(i));
            let Some(message) = self.env.program.edge_compute(signal, edge) else { continue };
            let (vote, after) = self.states.update::<SHARED, _>(target, |state| {
                let before = *state;
                let vote = self.compute(target, state, message);
                let altered = bytes_of(state) != bytes_of(&before);
                if altered && !vote.scatters() {
                    self.pending.silent(self.env.program, &before, state);
                }
                (vote, After { state: *state, altered })
            });
            if vote.scatters() {
                changed(log, target, after);
            }
        }
    }
}

/// Signals from the present states of the vertices that have scattered so far.
struct Present<'a, 'b, P: VertexCompute>(&'a Live<'b, P>);

impl<P: VertexCompute> Clone for Present<'_, '_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: VertexCompute> Copy for Present<'_, '_, P> {}

impl<P: VertexCompute> Signals<P::Signal> for Present<'_, '_, P> {
    #[inline(always)]
    unsafe fn scatters(self, v: VertexId) -> bool {
        self.0.sent.contains(v)
    }

    #[inline(always)]
    unsafe fn read(self, v: VertexId) -> P::Signal {
        self.0.signal(v, &self.0.states.load(v))
    }
}

/// The same if every vertex has scattered.
struct PresentAll<'a, 'b, P: VertexCompute>(&'a Live<'b, P>);

impl<P: VertexCompute> Clone for PresentAll<'_, '_, P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: VertexCompute> Copy for PresentAll<'_, '_, P> {}

impl<P: VertexCompute> Signals<P::Signal> for PresentAll<'_, '_, P> {
    #[inline(always)]
    unsafe fn scatters(self, _: VertexId) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn read(self, v: VertexId) -> P::Signal {
        self.0.signal(v, &self.0.states.load(v))
    }
}
