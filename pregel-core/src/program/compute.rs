//! The traits that a vertex program implements.

use super::{Context, Delivery, Inbox, Message, Monoid, Value};

/// The data of a vertex program; all of it plain, none of it allocated.
///
/// The program value itself carries the parameters (a source vertex, a
/// damping factor). It is copied to every thread and, as kernel argument, to
/// every GPU lane, hence [`Copy`].
///
/// # No references
///
/// A program must not hold references, pointers or functions, not even
/// `'static` ones. On a CPU they work. A GPU gets a copy of the program's bytes
/// and cannot follow an address of the host: reading through it ends the run
/// with an error of the device, or worse, reads something else. The compiler
/// cannot refuse such fields (they are [`Copy`] and `'static`) without asking
/// every program to derive `Pod`. Data for the vertices goes through
/// [`Input`](Program::Input).
pub trait Program: Copy + Send + Sync + 'static {
    /// What the caller knows of each vertex before the run, one value per
    /// vertex; `()` if there is nothing. See [`Context::input`].
    type Input: Value;
    /// What a vertex remembers between supersteps; private to the vertex.
    type State: Value;
    /// The part of the state that the edges read. Keep it small: an engine
    /// reads one signal per edge. `()` costs no memory traffic at all.
    type Signal: Value;
    /// Value of an edge; `()` if the program ignores edge values.
    type Edge: Value;
    /// What becomes of several messages to one vertex: a [`Monoid`] such as
    /// [`Min<f32>`](super::Min) combines them into one,
    /// [`List<T>`](super::List) delivers every one, [`Sorted<T>`](super::Sorted) in order.
    type Combiner: Delivery;
    /// Global sum (or minimum, …) over the vertices of a superstep;
    /// [`Nothing`](super::Nothing) if there is none.
    type Aggregate: Monoid;

    /// Along which edges a scattering vertex sends.
    const DIRECTION: Direction = Direction::Out;

    /// A promise that stale and fresh reads lead to the same fixpoint. The
    /// final states must be the same
    ///
    /// * if a signal is read from any state that the sender has had since it
    ///   first voted to scatter;
    /// * if a message is delivered more than once, alone or combined;
    ///
    /// and no vertex may vote to stay awake or read the superstep number. It
    /// holds for SSSP and for label propagation by minimum, but not for
    /// PageRank. An engine may then update vertices in place, without barriers.
    const MONOTONE: bool = false;
}

/// The [`Input`](Program::Input) of a program that takes none: `()` and nothing else.
#[diagnostic::on_unimplemented(
    message = "the program takes a `{Self}` for each vertex, and `run` has none to give",
    label = "use `run_with` in place of `run`",
    note = "`engine.prepare::<P>(&graph, &options)?.run_with(&program, &inputs)`, where `inputs[v]` is the `{Self}` of vertex `v`"
)]
pub trait NoInput {}

impl NoInput for () {}

/// What travels along an edge.
pub trait EdgeCompute: Program {
    /// The message of one edge, from the sender's signal and the edge alone.
    ///
    /// `None` is silence. It differs from the combiner's identity: a sum of 0
    /// still wakes its receiver.
    ///
    /// Engines may ask for the message of an edge more than once, and for some that are not
    /// delivered.
    fn edge_compute(&self, signal: &Self::Signal, edge: Edge<Self::Edge>) -> Option<Message<Self>>;
}

/// What a vertex does with what arrives.
pub trait VertexCompute: EdgeCompute {
    /// Superstep 0: the first state and the first vote.
    fn init(&self, context: &mut Context<'_, Self>) -> (Self::State, Vote);

    /// One superstep of one vertex.
    ///
    /// With a combiner, `inbox` is `Option<Message>`: `None` when the vertex
    /// is awake but received nothing. With a [`List`](super::List) or
    /// [`Sorted`](super::Sorted) it is a [`Mail`](super::Mail) of all messages.
    fn vertex_compute(
        &self,
        state: &mut Self::State,
        inbox: Inbox<'_, Self>,
        context: &mut Context<'_, Self>,
    ) -> Vote;

    /// The public part of `state`, asked for whenever the vertex votes to
    /// scatter. It may depend on facts of the vertex: PageRank divides by the
    /// out-degree here, once per vertex instead of once per edge.
    ///
    /// There is no default: it would be right only where signal and state are the same type, or
    /// the signal is `()`, and a trait cannot tell. A program that forgets it would fail where
    /// it runs, not where it is written.
    fn signal(&self, state: &Self::State, context: &Context<'_, Self>) -> Self::Signal;

    /// Whether a vertex in this state takes messages. Messages to a vertex
    /// that does not are never delivered, in any strategy.
    #[inline(always)]
    fn wants_message(&self, _state: &Self::State) -> bool {
        true
    }

    /// Soft priority of a scattering vertex: lower runs sooner. An engine may
    /// use it to order the work of a [`MONOTONE`](Program::MONOTONE) program
    /// (delta-stepping), or ignore it. Whether it is `None` must not depend on
    /// the state.
    #[inline(always)]
    fn priority(&self, _state: &Self::State) -> Option<f32> {
        None
    }

    /// Asked after every superstep from 1 on, with the aggregate of that
    /// superstep; `true` ends the run. Nothing but the parameters of the program
    /// and the aggregate may decide it.
    #[inline(always)]
    fn converged(&self, _aggregate: &<Self::Aggregate as Monoid>::Value) -> bool {
        false
    }

    /// Whether the parameters make sense for this graph, and the graph for the program. Asked
    /// before any work; the text ends up in the error.
    ///
    /// ```
    /// # use pregel_core::program::GraphFacts;
    /// # struct Clubs { source: u32 }
    /// # impl Clubs {
    /// fn check(&self, graph: &GraphFacts) -> Result<(), &'static str> {
    ///     if graph.directed {
    ///         return Err("friendship is mutual: the graph must be undirected");
    ///     }
    ///     if self.source >= graph.vertex_count {
    ///         return Err("the source is not in the graph");
    ///     }
    ///     Ok(())
    /// }
    /// # }
    /// # let facts = GraphFacts::new(3, 4, false);
    /// # assert!(Clubs { source: 2 }.check(&facts).is_ok());
    /// # assert!(Clubs { source: 3 }.check(&facts).is_err());
    /// # assert!(Clubs { source: 2 }.check(&GraphFacts::new(3, 4, true)).is_err());
    /// ```
    fn check(&self, _graph: &GraphFacts) -> Result<(), &'static str> {
        Ok(())
    }

    /// Whether the program can work with this edge value. Asked of every edge
    /// before any work; the text ends up in the error.
    #[inline(always)]
    fn check_edge(_value: &Self::Edge) -> Result<(), &'static str> {
        Ok(())
    }
}

/// A graph as [`VertexCompute::check`] sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GraphFacts {
    /// Number of vertices; their dense ids are `0..vertex_count`.
    pub vertex_count: u32,
    /// Number of edges as they are stored: an undirected edge counts twice, an
    /// undirected self-loop once.
    pub edge_count: u64,
    /// Whether an edge has a direction.
    pub directed: bool,
}

impl GraphFacts {
    /// The facts of a graph that need not exist. For engines and tests; those of a graph at
    /// hand are its `facts()`.
    pub const fn new(vertex_count: u32, edge_count: u64, directed: bool) -> Self {
        Self { vertex_count, edge_count, directed }
    }
}

/// An edge as [`EdgeCompute::edge_compute`] sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Edge<V> {
    /// The edge's value: a weight, a length, or `()`.
    pub value: V,
}

impl<V> Edge<V> {
    /// Wraps the value of an edge. For engines and tests.
    #[inline(always)]
    pub fn new(value: V) -> Self {
        Self { value }
    }
}

/// Along which edges messages travel.
///
/// On an undirected graph all three mean the same: to every neighbour, once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direction {
    /// From source to target.
    Out,
    /// Against the edge, from target to source.
    In,
    /// Both ways; two vertices joined both ways exchange two messages each.
    Both,
}

/// What a vertex wants in the next superstep: to send or not, to stay awake
/// or sleep until a message arrives.
///
/// ```
/// use pregel_core::program::Vote;
///
/// assert!(Vote::Scatter.scatters() && !Vote::Scatter.awake());
/// // To send if there is something new, and to stay awake in any case.
/// let news = false;
/// assert_eq!(Vote::of(news, true), Vote::Wait);
/// ```
#[must_use = "a vote that is not returned neither wakes nor halts the vertex"]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Vote {
    /// Send nothing, sleep.
    Halt = 0,
    /// Send, then sleep.
    Scatter = 1,
    /// Send nothing, stay awake.
    Wait = 2,
    /// Send, stay awake.
    Continue = 3,
}

impl Vote {
    /// Whether the vertex sends along its edges in the next superstep.
    #[inline(always)]
    pub fn scatters(self) -> bool {
        self as u8 & 1 != 0
    }

    /// Whether the vertex computes in the next superstep without a message.
    #[inline(always)]
    pub fn awake(self) -> bool {
        self as u8 & 2 != 0
    }

    /// The vote with this number; only the two lowest bits count.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) const fn from_bits(bits: u8) -> Self {
        Self::of(bits & 1 != 0, bits & 2 != 0)
    }

    /// The vote with these two properties.
    #[inline(always)]
    pub const fn of(scatters: bool, awake: bool) -> Self {
        match (scatters, awake) {
            (false, false) => Self::Halt,
            (true, false) => Self::Scatter,
            (false, true) => Self::Wait,
            (true, true) => Self::Continue,
        }
    }
}
