//! One vertex: what it knows, what it computes, and what it adds to the sums.

use core::mem::offset_of;

use pregel_core::device::{Arguments, COUNTS, Counts, Global, LARGEST_AGGREGATE};
use pregel_core::program::{
    Context, Delivery, Facts, Inbox, Message, Monoid, Program, VertexCompute, Vote, Zeroable,
};

use crate::collective::{block_reduce, warp_sum_u64};
use crate::simt::{
    add_u64, ballot, block, blocks, index, lane, load, load_const, store, thread, threads, warp,
    warp_sum,
};

type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// What one thread adds to the sums over all vertices.
pub(super) struct Tally<P: Program> {
    total: Aggregated<P>,
    active: u32,
    scattering: u32,
    awake: u32,
    messages: u64,
}

impl<P: VertexCompute> Tally<P> {
    pub(super) fn new() -> Self {
        const { assert!(size_of::<Aggregated<P>>() <= LARGEST_AGGREGATE, "the aggregate is too large") };
        Self { total: P::Aggregate::identity(), active: 0, scattering: 0, awake: 0, messages: 0 }
    }

    /// Counts a vertex that computed, cast this vote, and sends this many messages.
    #[inline(always)]
    fn add(&mut self, vote: Vote, messages: u64) {
        self.active += 1;
        self.scattering += u32::from(vote.scatters());
        self.awake += u32::from(vote.awake());
        self.messages += messages;
    }

    /// Adds up what the block's threads counted. `partial` is the block's number among
    /// all blocks of the superstep.
    ///
    /// # Safety
    /// `step` is whole (I1), with room for partial result `partial`, which no other block
    /// has (I6). All threads of the block take part (I5), and a barrier lies between
    /// their last access to shared memory and this call (I9).
    #[inline(always)]
    pub(super) unsafe fn finish(self, a: &Arguments<P>, partial: u32) {
        if ballot(self.active > 0) != 0 {
            let active = warp_sum(self.active);
            let (scattering, awake) = (warp_sum(self.scattering), warp_sum(self.awake));
            let messages =
                if ballot(self.messages > 0) == 0 { 0 } else { warp_sum_u64(self.messages) };
            if lane() == 0 {
                let part = u64::from(warp() as u32 % COUNTS) * size_of::<Counts>() as u64;
                let counts = a.step.counts.address() + part;
                let add = |offset: usize, value: u64| {
                    if value > 0 {
                        // SAFETY: I1: there are `COUNTS` elements, the part is below; I8.
                        unsafe { add_u64(counts + offset as u64, value) };
                    }
                };
                add(offset_of!(Counts, active), active.into());
                add(offset_of!(Counts, scattering), scattering.into());
                add(offset_of!(Counts, awake), awake.into());
                add(offset_of!(Counts, messages), messages);
            }
        }
        if size_of::<Aggregated<P>>() > 0 {
            let total = block_reduce(self.total, P::Aggregate::identity(), P::Aggregate::combine);
            if thread() == 0 {
                // SAFETY: the caller's promise: the partial result exists and is the block's.
                unsafe { store(a.step.partials, partial.into(), total) };
            }
        }
    }
}

/// The vote in `votes` of the vertex at `place`.
///
/// # Safety
/// `votes` has one element per vertex (I1), `place` is below their number (I2), and no
/// thread writes this vote meanwhile (I7).
#[inline(always)]
pub(super) unsafe fn vote(votes: Global<u8>, place: u32) -> Vote {
    // SAFETY: the caller's promise.
    match unsafe { load_const(votes, place.into()) } {
        0 => Vote::Halt,
        1 => Vote::Scatter,
        2 => Vote::Wait,
        _ => Vote::Continue,
    }
}

/// The state of the vertex at `place`.
///
/// # Safety
/// `vertices` is whole (I1), and `place` is below `vertices.count` (I2). No other thread
/// writes this state meanwhile (I6), or an old one is as good as the newest (I8).
#[inline(always)]
pub(super) unsafe fn state<P: VertexCompute>(a: &Arguments<P>, place: u32) -> P::State {
    // SAFETY: the caller's promise.
    unsafe { load(a.vertices.states, place.into()) }
}

/// Whether the vertex at `place` wants messages.
///
/// # Safety
/// As [`state`].
#[inline(always)]
pub(super) unsafe fn wants_message<P: VertexCompute>(a: &Arguments<P>, place: u32) -> bool {
    // SAFETY: the caller's promise.
    a.program.wants_message(&unsafe { state(a, place) })
}

/// What the vertex at `place` knows of itself and of the graph.
///
/// # Safety
/// `vertices` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn facts<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    superstep: u32,
) -> Facts<P::Input> {
    let (v, at) = (&a.vertices, u64::from(place));
    // SAFETY: I1: these arrays have one element per vertex, and no kernel writes them (I7);
    // I2: `vertex_at` holds ids. There are inputs if they have a size.
    unsafe {
        let vertex = load_const(v.vertex_at, at);
        Facts {
            vertex,
            in_degree: load_const(v.in_degrees, at).into(),
            out_degree: load_const(v.out_degrees, at).into(),
            vertex_count: v.count,
            superstep,
            input: match size_of::<P::Input>() {
                0 => P::Input::zeroed(),
                _ => load_const(v.inputs, vertex.into()),
            },
        }
    }
}

/// Writes the state, the vote and the signal of a vertex that computed; returns how many
/// messages it sends.
///
/// # Safety
/// `vertices` and `step` are whole (I1), `place` is below `vertices.count` (I2), and this
/// thread owns the vertex (I6).
#[inline(always)]
unsafe fn store_outcome<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    state: P::State,
    vote: Vote,
    context: &Context<'_, P>,
) -> u64 {
    let at = u64::from(place);
    // SAFETY: the caller's promise; I1: these arrays have one element per vertex.
    unsafe {
        store(a.vertices.states, at, state);
        store(a.step.votes_next, at, vote as u8);
        if !vote.scatters() {
            return 0;
        }
        store(a.step.signals_next, at, a.program.signal(&state, context));
        load_const(a.vertices.send_degrees, at).into()
    }
}

/// `init`, on any number of blocks: superstep 0.
///
/// # Safety
/// `vertices` and `step` are whole (I1); `step.votes` and `step.signals` may be none.
#[inline(always)]
pub unsafe fn init<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let mut at = index();
    while at < a.vertices.count.into() {
        let place = at as u32;
        let last = P::Aggregate::identity();
        // SAFETY: I2: the place is below `vertices.count`.
        let facts = unsafe { facts(a, place, a.step.superstep) };
        let mut context = Context::new(facts, &last, &mut tally.total);
        let (state, vote) = a.program.init(&mut context);
        // SAFETY: I2, as above; I6: no other thread has this place.
        let messages = unsafe { store_outcome(a, place, state, vote, &context) };
        tally.add(vote, messages);
        at += u64::from(blocks() * threads());
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(a, block()) };
}

/// Runs the vertex at `place` if it has messages or is awake; only then are `state` and
/// `inbox` called.
///
/// # Safety
/// `vertices` and `step` are whole (I1), `place` is below `vertices.count` (I2), and this
/// thread owns the vertex (I6).
#[inline(always)]
pub(super) unsafe fn compute<'a, P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    state: impl FnOnce() -> P::State,
    has_messages: bool,
    inbox: impl FnOnce() -> Inbox<'a, P>,
    tally: &mut Tally<P>,
) {
    // SAFETY: the caller's promise; I7: no kernel of a superstep writes `step.votes`.
    if !has_messages && !unsafe { vote(a.step.votes, place) }.awake() {
        // SAFETY: the caller's promise.
        unsafe { store(a.step.votes_next, place.into(), Vote::Halt as u8) };
        return;
    }
    let mut state = state();
    // SAFETY: the caller's promise; I1: `last` is one value.
    let (last, facts) = unsafe { (load_const(a.step.last, 0), facts(a, place, a.step.superstep)) };
    let mut context = Context::new(facts, &last, &mut tally.total);
    let vote = a.program.vertex_compute(&mut state, inbox(), &mut context);
    // SAFETY: the caller's promise.
    let messages = unsafe { store_outcome(a, place, state, vote, &context) };
    tally.add(vote, messages);
}

/// [`compute`] for a program with a combiner.
///
/// # Safety
/// As [`compute`].
#[inline(always)]
pub(super) unsafe fn compute_combined<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    // SAFETY: the caller's promise.
    unsafe { compute_with_state(a, place, || state(a, place), message, tally) }
}

/// [`compute_combined`] for a vertex whose state is at hand, or can be read when needed.
///
/// # Safety
/// As [`compute`].
#[inline(always)]
pub(super) unsafe fn compute_with_state<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    state: impl FnOnce() -> P::State,
    mut message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    let has = message.is_some();
    // SAFETY: the caller's promise.
    unsafe {
        compute(a, place, state, has, || P::Combiner::inbox_of_one(&mut message), tally);
    }
}
