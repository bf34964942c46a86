//! One vertex: what it knows, what it computes, and what it adds to the sums.

use core::mem::{self, offset_of};

use pregel_core::device::{COUNTS, Counts, Global, LARGEST_AGGREGATE, Run, goes_by_bins};
use pregel_core::program::{
    Context, Delivery, Direction, Facts, Inbox, Message, Monoid, Program, VertexCompute, Vote,
    Zeroable,
};

use crate::collective::{block_reduce, warp_reduce, warp_sum_u64};
use crate::simt::{
    add_u64, ballot, block, blocks, index, lane, load, load_const, store, thread, threads, warp,
    warp_sum,
};

type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// What one thread adds to the sums over all vertices.
pub(super) struct Tally<P: Program> {
    /// The aggregate of the superstep before, if it is at hand.
    last: Option<Aggregated<P>>,
    total: Aggregated<P>,
    active: u32,
    scattering: u32,
    awake: u32,
    messages: u64,
}

impl<P: VertexCompute> Tally<P> {
    pub(super) fn new() -> Self {
        const { assert!(size_of::<Aggregated<P>>() <= LARGEST_AGGREGATE, "the aggregate is too large") };
        Self {
            last: None,
            total: P::Aggregate::identity(),
            active: 0,
            scattering: 0,
            awake: 0,
            messages: 0,
        }
    }

    /// The same for a thread that computes many vertices, with the aggregate of the superstep before at
    /// hand.
    ///
    /// # Safety
    /// `step` is whole (I1).
    #[inline(always)]
    pub(super) unsafe fn with_last(run: &Run<P>) -> Self {
        // SAFETY: I1: `last` is one value; I7.
        let last = unsafe { load_const(run.step.last, 0) };
        Self { last: Some(last), ..Self::new() }
    }

    /// Counts a vertex that computed, cast this vote, and sends this many messages.
    #[inline(always)]
    fn add(&mut self, vote: Vote, messages: u64) {
        self.active += 1;
        self.scattering += u32::from(vote.scatters());
        self.awake += u32::from(vote.awake());
        self.messages += messages;
    }

    /// Begins an aggregate of its own. Returns the one so far.
    #[inline(always)]
    pub(super) fn begin_apart(&mut self) -> Aggregated<P> {
        mem::replace(&mut self.total, P::Aggregate::identity())
    }

    /// Adds up, over the warp, what was added since [`begin_apart`](Self::begin_apart): that is partial
    /// result `partial`, and no part of this tally.
    ///
    /// # Safety
    /// `step` is whole (I1), with room for the partial result, which no other warp has (I6). All lanes of
    /// the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn end_apart(&mut self, run: &Run<P>, partial: u32, before: Aggregated<P>) {
        let total = mem::replace(&mut self.total, before);
        if size_of::<Aggregated<P>>() > 0 {
            let total = warp_reduce(total, P::Aggregate::combine);
            if lane() == 0 {
                // SAFETY: the caller's promise: the partial result exists and is the warp's.
                unsafe { store(run.step.partials, partial.into(), total) };
            }
        }
    }

    /// Adds up what the block's threads counted. `partial` is the block's number among
    /// all blocks of the superstep.
    ///
    /// # Safety
    /// `step` is whole (I1), with room for partial result `partial`, which no other block
    /// has (I6). All threads of the block take part (I5), and a barrier lies between
    /// their last access to shared memory and this call (I9).
    #[inline(always)]
    pub(super) unsafe fn finish(self, run: &Run<P>, partial: u32) {
        if ballot(self.active > 0) != 0 {
            let active = warp_sum(self.active);
            let (scattering, awake) = (warp_sum(self.scattering), warp_sum(self.awake));
            let messages =
                if ballot(self.messages > 0) == 0 { 0 } else { warp_sum_u64(self.messages) };
            if lane() == 0 {
                let part = u64::from(warp() as u32 % COUNTS) * size_of::<Counts>() as u64;
                let counts = run.step.counts.address() + part;
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
                unsafe { store(run.step.partials, partial.into(), total) };
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
pub(super) unsafe fn state<P: VertexCompute>(run: &Run<P>, place: u32) -> P::State {
    // SAFETY: the caller's promise.
    unsafe { load(run.vertices.states, place.into()) }
}

/// What a vertex computes with, apart from messages.
pub(super) struct Own<P: VertexCompute> {
    pub(super) state: P::State,
    /// To how many neighbours it sends.
    sends_to: u32,
}

impl<P: VertexCompute> Own<P> {
    /// That of no vertex.
    pub(super) fn none() -> Self {
        Self { state: Zeroable::zeroed(), sends_to: 0 }
    }

    /// That of the vertex at `place`.
    ///
    /// # Safety
    /// As [`state`].
    #[inline(always)]
    pub(super) unsafe fn of(run: &Run<P>, place: u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self { state: state(run, place), sends_to: sends_to(run, place) } }
    }

    /// That of the vertex at `place`; to how many neighbours it sends is read if it is not known.
    ///
    /// # Safety
    /// As [`state`].
    #[inline(always)]
    pub(super) unsafe fn with_degree(run: &Run<P>, place: u32, known: Option<u32>) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let read = || sends_to(run, place);
            Self { state: state(run, place), sends_to: known.unwrap_or_else(read) }
        }
    }

    /// Whether a vertex is likely to compute, so that all is read ahead. It is where messages can be binned:
    /// in searches most vertices that want a message get none.
    #[inline(always)]
    fn is_likely(run: &Run<P>, state: &P::State) -> bool {
        goes_by_bins::<P>() && run.program.wants_message(state)
    }

    /// That of the vertex at `place`, read before it is known whether it computes: all if that is
    /// likely, otherwise only its state.
    ///
    /// # Safety
    /// As [`state`].
    #[inline(always)]
    pub(super) unsafe fn ahead(run: &Run<P>, place: u32) -> Self {
        // SAFETY: the caller's promise.
        unsafe {
            let state = state(run, place);
            let all = Self::is_likely(run, &state);
            Self { state, sends_to: if all { sends_to(run, place) } else { 0 } }
        }
    }

    /// All of it, after [`ahead`](Self::ahead) for the same vertex.
    ///
    /// # Safety
    /// As [`state`].
    #[inline(always)]
    pub(super) unsafe fn whole(self, run: &Run<P>, place: u32) -> Self {
        if Self::is_likely(run, &self.state) {
            return self;
        }
        // SAFETY: the caller's promise.
        Self { sends_to: unsafe { sends_to(run, place) }, ..self }
    }
}

/// Whether the vertex at `place` wants messages.
///
/// # Safety
/// As [`state`].
#[inline(always)]
pub(super) unsafe fn wants_message<P: VertexCompute>(run: &Run<P>, place: u32) -> bool {
    // SAFETY: the caller's promise.
    run.program.wants_message(&unsafe { state(run, place) })
}

/// What the vertex at `place` knows of itself and of the graph.
///
/// # Safety
/// `vertices` is whole (I1), and `place` is below `vertices.count` (I2).
#[inline(always)]
pub(super) unsafe fn facts<P: VertexCompute>(
    run: &Run<P>,
    place: u32,
    superstep: u32,
) -> Facts<P::Input> {
    // SAFETY: the caller's promise.
    unsafe { facts_of_sender(run, place, superstep, sends_to(run, place)) }
}

/// To how many neighbours the vertex at `place` sends.
///
/// # Safety
/// As [`facts`].
#[inline(always)]
unsafe fn sends_to<P: VertexCompute>(run: &Run<P>, place: u32) -> u32 {
    // SAFETY: the caller's promise; I7: no kernel writes it.
    unsafe { load_const(run.vertices.send_degrees, place.into()) }
}

/// [`facts`] of a vertex of which is known to how many neighbours it sends: that is not read again.
///
/// # Safety
/// As [`facts`].
#[inline(always)]
unsafe fn facts_of_sender<P: VertexCompute>(
    run: &Run<P>,
    place: u32,
    superstep: u32,
    sends_to: u32,
) -> Facts<P::Input> {
    let (v, at) = (&run.vertices, u64::from(place));
    // SAFETY: I1: these arrays have one element per vertex, and no kernel writes them (I7);
    // I2: `vertex_at` holds ids. There are inputs if they have a size.
    unsafe {
        let vertex = load_const(v.vertex_at, at);
        let (in_degree, out_degree) = match P::DIRECTION {
            Direction::Out => (load_const(v.in_degrees, at), sends_to),
            Direction::In => (sends_to, load_const(v.out_degrees, at)),
            _ => (load_const(v.in_degrees, at), load_const(v.out_degrees, at)),
        };
        Facts {
            vertex,
            in_degree: in_degree.into(),
            out_degree: out_degree.into(),
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
    run: &Run<P>,
    place: u32,
    state: P::State,
    vote: Vote,
    context: &Context<'_, P>,
    sends_to: u32,
) -> u64 {
    let at = u64::from(place);
    // SAFETY: the caller's promise; I1: these arrays have one element per vertex.
    unsafe {
        store(run.vertices.states, at, state);
        store(run.step.votes_next, at, vote as u8);
        if !vote.scatters() {
            return 0;
        }
        store(run.step.signals_next, at, run.program.signal(&state, context));
        sends_to.into()
    }
}

/// `init`, on any number of blocks: superstep 0.
///
/// # Safety
/// `vertices` and `step` are whole (I1); `step.votes` and `step.signals` may be none.
#[inline(always)]
pub unsafe fn init<P: VertexCompute>(run: &Run<P>) {
    let mut tally = Tally::<P>::new();
    let mut at = index();
    while at < run.vertices.count.into() {
        let place = at as u32;
        let last = P::Aggregate::identity();
        // SAFETY: I2: the place is below `vertices.count`.
        let (sends_to, facts) = unsafe {
            let sends_to = sends_to(run, place);
            (sends_to, facts_of_sender(run, place, run.step.superstep, sends_to))
        };
        let mut context = Context::new(facts, &last, &mut tally.total);
        let (state, vote) = run.program.init(&mut context);
        // SAFETY: I2, as above; I6: no other thread has this place.
        let messages = unsafe { store_outcome(run, place, state, vote, &context, sends_to) };
        tally.add(vote, messages);
        at += u64::from(blocks() * threads());
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(run, block()) };
}

/// Runs the vertex at `place` if it has messages or is awake; only then are `own` and
/// `inbox` called.
///
/// # Safety
/// `vertices` and `step` are whole (I1), `place` is below `vertices.count` (I2), and this
/// thread owns the vertex (I6).
#[inline(always)]
pub(super) unsafe fn compute<'a, P: VertexCompute>(
    run: &Run<P>,
    place: u32,
    own: impl FnOnce() -> Own<P>,
    has_messages: bool,
    inbox: impl FnOnce() -> Inbox<'a, P>,
    tally: &mut Tally<P>,
) {
    // SAFETY: the caller's promise; I7: no kernel of a superstep writes `step.votes`.
    if !has_messages && !unsafe { vote(run.step.votes, place) }.awake() {
        // SAFETY: the caller's promise.
        unsafe { store(run.step.votes_next, place.into(), Vote::Halt as u8) };
        return;
    }
    let Own { mut state, sends_to } = own();
    // SAFETY: the caller's promise; I1: `last` is one value.
    let (last, facts) = unsafe {
        let last = tally.last.unwrap_or_else(|| load_const(run.step.last, 0));
        (last, facts_of_sender(run, place, run.step.superstep, sends_to))
    };
    let mut context = Context::new(facts, &last, &mut tally.total);
    let vote = run.program.vertex_compute(&mut state, inbox(), &mut context);
    // SAFETY: the caller's promise.
    let messages = unsafe { store_outcome(run, place, state, vote, &context, sends_to) };
    tally.add(vote, messages);
}

/// [`compute`] for a program with a combiner.
///
/// # Safety
/// As [`compute`].
#[inline(always)]
pub(super) unsafe fn compute_combined<P: VertexCompute>(
    run: &Run<P>,
    place: u32,
    message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    // SAFETY: the caller's promise.
    unsafe { compute_with_own(run, place, || Own::of(run, place), message, tally) }
}

/// [`compute_combined`] for a vertex of which more is at hand.
///
/// # Safety
/// As [`compute`].
#[inline(always)]
pub(super) unsafe fn compute_with_own<P: VertexCompute>(
    run: &Run<P>,
    place: u32,
    own: impl FnOnce() -> Own<P>,
    mut message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    let has = message.is_some();
    // SAFETY: the caller's promise.
    unsafe {
        compute(run, place, own, has, || P::Combiner::inbox_of_one(&mut message), tally);
    }
}
