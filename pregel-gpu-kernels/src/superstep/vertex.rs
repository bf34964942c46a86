//! One vertex: what it knows, computes, and adds to the sums.

use pregel_core::device::{Arguments, COUNTS, Counts, Global, LARGEST_AGGREGATE};
use pregel_core::program::{
    Context, Delivery, Facts, Inbox, Message, Monoid, Program, VertexCompute, Vote, Zeroable,
};

use crate::collective::{block_reduce, warp_sum_u64};
use crate::simt::{
    add_u64, ballot, blocks, index, lane, load, load_const, store, thread, threads, warp, warp_sum,
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

    /// A vertex computed, voted so, and sends so many messages.
    #[inline(always)]
    fn add(&mut self, vote: Vote, messages: u64) {
        self.active += 1;
        self.scattering += u32::from(vote.scatters());
        self.awake += u32::from(vote.awake());
        self.messages += messages;
    }

    /// Adds up the block, whose number among the blocks of the superstep is
    /// `block`. Every thread of the block takes part.
    #[inline(always)]
    pub(super) unsafe fn finish(self, a: &Arguments<P>, block: u32) {
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
                        // SAFETY: there are so many `Counts`.
                        unsafe { add_u64(counts + offset as u64, value) };
                    }
                };
                add(core::mem::offset_of!(Counts, active), active.into());
                add(core::mem::offset_of!(Counts, scattering), scattering.into());
                add(core::mem::offset_of!(Counts, awake), awake.into());
                add(core::mem::offset_of!(Counts, messages), messages);
            }
        }
        if size_of::<Aggregated<P>>() > 0 {
            let total = block_reduce(self.total, P::Aggregate::identity(), P::Aggregate::combine);
            if thread() == 0 {
                // SAFETY: there is a place for each block of the superstep.
                unsafe { store(a.step.partials, block.into(), total) };
            }
        }
    }
}

/// The vote in `votes` of the vertex at `place`.
#[inline(always)]
pub(super) unsafe fn vote(votes: Global<u8>, place: u32) -> Vote {
    // SAFETY: there is a vote for every vertex.
    match unsafe { load_const(votes, place.into()) } {
        0 => Vote::Halt,
        1 => Vote::Scatter,
        2 => Vote::Wait,
        _ => Vote::Continue,
    }
}

/// The state of the vertex at `place`.
#[inline(always)]
pub(super) unsafe fn state<P: VertexCompute>(a: &Arguments<P>, place: u32) -> P::State {
    // SAFETY: there is a state for every vertex.
    unsafe { load(a.vertices.states, place.into()) }
}

/// Whether the vertex at `place` takes messages.
#[inline(always)]
pub(super) unsafe fn wants<P: VertexCompute>(a: &Arguments<P>, place: u32) -> bool {
    // SAFETY: as the caller promises.
    a.program.wants_message(&unsafe { state(a, place) })
}

#[inline(always)]
pub(super) unsafe fn facts<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    superstep: u32,
) -> Facts<P::Input> {
    let (v, at) = (&a.vertices, u64::from(place));
    // SAFETY: these arrays have an element for every vertex.
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

/// Keeps what a vertex came to.
#[inline(always)]
unsafe fn settle<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    (state, vote): (P::State, Vote),
    context: &Context<'_, P>,
) -> u64 {
    let at = u64::from(place);
    // SAFETY: these arrays have an element for every vertex, and this thread
    // alone has this one.
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
/// `vertices` and `step` are whole, `step.votes` and `signals` apart.
#[inline(always)]
pub unsafe fn init<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    let mut at = index();
    while at < a.vertices.count.into() {
        let place = at as u32;
        let last = P::Aggregate::identity();
        // SAFETY: the place is that of a vertex.
        unsafe {
            let mut context =
                Context::new(facts(a, place, a.step.superstep), &last, &mut tally.total);
            let (state, vote) = a.program.init(&mut context);
            let messages = settle(a, place, (state, vote), &context);
            tally.add(vote, messages);
        }
        at += u64::from(blocks() * threads());
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, crate::simt::block()) };
}

/// Runs the vertex at `place` if it has messages or is awake; `inbox` is asked
/// only then.
#[inline(always)]
pub(super) unsafe fn compute<'a, P: VertexCompute>(
    a: &Arguments<P>,
    (place, state): (u32, impl FnOnce() -> P::State),
    has_messages: bool,
    inbox: impl FnOnce() -> Inbox<'a, P>,
    tally: &mut Tally<P>,
) {
    let at = u64::from(place);
    // SAFETY: the place is that of a vertex; `last` holds one value.
    unsafe {
        if !has_messages && !vote(a.step.votes, place).awake() {
            store(a.step.votes_next, at, Vote::Halt as u8);
            return;
        }
        let mut state = state();
        let last = load_const(a.step.last, 0);
        let mut context = Context::new(facts(a, place, a.step.superstep), &last, &mut tally.total);
        let vote = a.program.vertex_compute(&mut state, inbox(), &mut context);
        let messages = settle(a, place, (state, vote), &context);
        tally.add(vote, messages);
    }
}

/// The same for a program with a combiner.
#[inline(always)]
pub(super) unsafe fn compute_combined<P: VertexCompute>(
    a: &Arguments<P>,
    place: u32,
    message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    // SAFETY: as the caller promises.
    unsafe { compute_in(a, (place, || state(a, place)), message, tally) }
}

/// The same for a vertex whose state is there, or to be read if it is needed.
#[inline(always)]
pub(super) unsafe fn compute_in<P: VertexCompute>(
    a: &Arguments<P>,
    vertex: (u32, impl FnOnce() -> P::State),
    mut message: Option<Message<P>>,
    tally: &mut Tally<P>,
) {
    let has = message.is_some();
    // SAFETY: as the caller promises.
    unsafe { compute(a, vertex, has, || P::Combiner::inbox_of_one(&mut message), tally) }
}
