//! One vertex in one superstep: its context, its vote, and the sums of these.

use super::bitmap::Bits;
use super::shape::Shape;
use crate::program::{
    Context, Facts, Inbox, Monoid, Program, VertexCompute, VertexId, Vote, Zeroable,
};
use crate::shared::SharedSlice;

pub(super) type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

/// What all vertices of a superstep have in common.
pub(super) struct Env<'a, P: VertexCompute> {
    pub(super) program: &'a P,
    pub(super) shape: &'a Shape<'a, P>,
    pub(super) inputs: &'a [P::Input],
    pub(super) superstep: u32,
    /// How many vertices the graph has. The shape knows it, too, but compilers do not see that
    /// what is made of it is the same for all vertices of a loop.
    pub(super) vertices: u32,
    /// The aggregate of the previous superstep.
    pub(super) last: Aggregated<P>,
}

/// Where a superstep writes states, signals and votes: one of each for every vertex.
#[derive(Clone, Copy)]
pub(super) struct Outbox<'a, P: VertexCompute> {
    pub(super) states: SharedSlice<'a, P::State>,
    /// The signals of the vertices that scatter; all others are stale.
    pub(super) signals: SharedSlice<'a, P::Signal>,
    pub(super) scattering: &'a Bits,
    pub(super) awake: &'a Bits,
    /// Vertices that want messages and have an edge that could bring one.
    pub(super) open: &'a Bits,
}

impl<P: VertexCompute> Outbox<'_, P> {
    /// Writes the signal of a vertex.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph, and no other thread may touch its places in the
    /// outbox.
    #[inline(always)]
    unsafe fn show(&self, v: VertexId, signal: P::Signal) {
        // SAFETY: the caller's promise; there is a signal for every vertex.
        unsafe { *self.signals.get_unchecked_mut(v as usize) = signal };
    }
}

/// What the vertices of a span did.
#[derive(Clone, Copy)]
pub(super) struct Tally<P: VertexCompute> {
    /// Vertices that computed.
    pub(super) active: u64,
    /// Vertices that will scatter, and edges along which they will.
    pub(super) scattering: u64,
    pub(super) offered: u64,
    /// Vertices that stay awake.
    pub(super) awake: u64,
    /// Edges to vertices that began to want messages, minus edges to vertices that
    /// stopped.
    pub(super) open: i64,
    pub(super) total: Aggregated<P>,
}

impl<P: VertexCompute> Default for Tally<P> {
    fn default() -> Self {
        Self::new()
    }
}

impl<P: VertexCompute> Tally<P> {
    pub(super) fn new() -> Self {
        let total = P::Aggregate::identity();
        Self { active: 0, scattering: 0, offered: 0, awake: 0, open: 0, total }
    }

    /// Adds a vertex that wanted messages, and computed.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    pub(super) unsafe fn count(
        &mut self,
        shape: &Shape<'_, P>,
        v: VertexId,
        (vote, wants): (Vote, bool),
    ) {
        // SAFETY: the caller's promise.
        let [gathers, scatters] = unsafe { shape.sides_unchecked(v) };
        self.active += 1;
        if !wants {
            self.open -= gathers as i64;
        }
        self.awake += u64::from(vote.awake());
        if vote.scatters() {
            self.scattering += 1;
            self.offered += scatters;
        }
    }

    /// The sum of both, in this order.
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            active: self.active + other.active,
            scattering: self.scattering + other.scattering,
            offered: self.offered + other.offered,
            awake: self.awake + other.awake,
            open: self.open + other.open,
            total: P::Aggregate::combine(self.total, other.total),
        }
    }
}

impl<'a, P: VertexCompute> Env<'a, P> {
    pub(super) fn new(
        program: &'a P,
        shape: &'a Shape<'a, P>,
        inputs: &'a [P::Input],
        superstep: u32,
        last: Aggregated<P>,
    ) -> Self {
        Self { program, shape, inputs, superstep, vertices: shape.vertex_count, last }
    }

    /// Calls `f` with a copy that nothing else refers to, so that the compiler need not load
    /// its fields again after each value that `f` writes.
    #[inline(always)]
    pub(super) fn locally<R>(&self, f: impl FnOnce(&Env<'_, P>) -> R) -> R {
        let (program, shape) = (*self.program, *self.shape);
        f(&Env { program: &program, shape: &shape, ..*self })
    }

    /// What a vertex can ask.
    #[inline(always)]
    pub(super) fn context<'c>(
        &'c self,
        v: VertexId,
        total: &'c mut Aggregated<P>,
    ) -> Context<'c, P> {
        let degrees = [self.shape.in_degree(v), self.shape.out_degree(v)];
        self.context_of(self.shape.vertex(v), degrees, total)
    }

    /// [`context`](Self::context) without checks, for loops in which checks are a large part of
    /// the work. `vertex` is the user's vertex at place `v`.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn context_unchecked<'c>(
        &'c self,
        v: VertexId,
        vertex: VertexId,
        total: &'c mut Aggregated<P>,
    ) -> Context<'c, P> {
        // SAFETY: the caller's promise.
        let degrees = unsafe { self.shape.degrees_unchecked(v) };
        self.context_of(vertex, degrees, total)
    }

    #[inline(always)]
    fn context_of<'c>(
        &'c self,
        vertex: VertexId,
        [in_degree, out_degree]: [u64; 2],
        total: &'c mut Aggregated<P>,
    ) -> Context<'c, P> {
        let facts = Facts {
            vertex,
            in_degree,
            out_degree,
            vertex_count: self.vertices,
            superstep: self.superstep,
            input: match size_of::<P::Input>() {
                0 => P::Input::zeroed(),
                _ => self.inputs[vertex as usize],
            },
        };
        Context::new(facts, &self.last, total).with_in_degrees(self.shape.in_degrees)
    }

    /// Lets the user's vertex `vertex`, at place `v`, begin with the state and the vote that
    /// `first` gives it. Returns its vote, and whether it wants messages.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph, and no other thread may touch its places in the
    /// outbox.
    #[inline(always)]
    pub(super) unsafe fn begin(
        &self,
        v: VertexId,
        vertex: VertexId,
        first: impl Fn(&P, &mut Context<'_, P>) -> (P::State, Vote),
        out: &Outbox<'_, P>,
        tally: &mut Tally<P>,
    ) -> (Vote, bool) {
        // SAFETY: the caller's promise; the outbox has a state for every vertex.
        let (mut context, place) = unsafe {
            (
                self.context_unchecked(v, vertex, &mut tally.total),
                out.states.get_unchecked_mut(v as usize),
            )
        };
        let (state, vote) = first(self.program, &mut context);
        if vote.scatters() {
            // SAFETY: as above.
            unsafe { out.show(v, self.program.signal(&state, &context)) };
        }
        let wants = self.program.wants_message(&state);
        *place = state;
        (vote, wants)
    }

    /// A later superstep of a vertex. Returns its vote, and whether it wants messages now.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph, and no other thread may touch its places in the
    /// outbox.
    #[inline(always)]
    pub(super) unsafe fn compute(
        &self,
        v: VertexId,
        inbox: Inbox<'_, P>,
        out: &Outbox<'_, P>,
        tally: &mut Tally<P>,
    ) -> (Vote, bool) {
        // SAFETY: the caller's promise; the outbox has a state for every vertex.
        let (mut context, state) = unsafe {
            (
                self.context_unchecked(v, self.shape.vertex(v), &mut tally.total),
                out.states.get_unchecked_mut(v as usize),
            )
        };
        let vote = self.program.vertex_compute(state, inbox, &mut context);
        if vote.scatters() {
            // SAFETY: as above.
            unsafe { out.show(v, self.program.signal(state, &context)) };
        }
        (vote, self.program.wants_message(state))
    }
}
