//! What a vertex may know besides its state and its messages.

use super::{Monoid, Program, VertexId};

/// Facts about one vertex, which an engine gives to [`Context::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts<Input> {
    /// The vertex.
    pub vertex: VertexId,
    /// Number of edges that end at it.
    pub in_degree: u64,
    /// Number of edges that begin at it.
    pub out_degree: u64,
    /// Number of vertices of the graph.
    pub vertex_count: u32,
    /// Number of the superstep, 0 for `init`.
    pub superstep: u32,
    /// The caller's value for this vertex.
    pub input: Input,
}

/// For engines: tells in-degrees that would take long to know before a program asks for them.
#[cfg(feature = "std")]
pub(crate) trait InDegrees: Sync {
    /// Number of edges that end at `vertex`.
    fn in_degree(&self, vertex: VertexId) -> u64;
}

/// Facts about a vertex and the run, and the way into the aggregate.
///
/// On an undirected graph both degrees count every incident edge once.
///
/// Engines make contexts. So can a test of a single vertex:
///
/// ```
/// use pregel_core::program::{Context, Facts};
/// # use pregel_core::program::*;
/// # #[derive(Clone, Copy)]
/// # struct Count;
/// # impl Program for Count {
/// #     type Input = u32;
/// #     type State = u32;
/// #     type Signal = ();
/// #     type Edge = ();
/// #     type Combiner = Sum<u32>;
/// #     type Aggregate = Sum<u64>;
/// # }
/// # impl EdgeCompute for Count {
/// #     fn edge_compute(&self, _: &(), _: Edge<()>) -> Option<u32> {
/// #         Some(1)
/// #     }
/// # }
/// # impl VertexCompute for Count {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         (context.input(), Vote::Scatter)
/// #     }
/// #     fn vertex_compute(&self, count: &mut u32, came: Option<u32>, context: &mut Context<'_, Self>) -> Vote {
/// #         *count += came.unwrap_or(0);
/// #         context.contribute(u64::from(*count));
/// #         Vote::Halt
/// #     }
/// #     fn signal(&self, _: &u32, _: &Context<'_, Self>) {}
/// # }
///
/// let facts =
///     Facts { vertex: 7, in_degree: 3, out_degree: 0, vertex_count: 10, superstep: 1, input: 40 };
/// let (last, mut total) = (0, 0);
/// let mut context = Context::<Count>::new(facts, &last, &mut total);
/// let mut count = 40;
/// let vote = Count.vertex_compute(&mut count, Some(2), &mut context);
/// assert_eq!((count, vote, total), (42, Vote::Halt, 42));
/// ```
#[allow(missing_debug_implementations, reason = "a view that lives for one call")]
pub struct Context<'a, P: Program> {
    facts: Facts<P::Input>,
    /// Where the in-degree is known, if the facts do not have it.
    #[cfg(feature = "std")]
    in_degrees: Option<&'a dyn InDegrees>,
    last: &'a Aggregated<P>,
    total: &'a mut Aggregated<P>,
}

type Aggregated<P> = <<P as Program>::Aggregate as Monoid>::Value;

impl<'a, P: Program> Context<'a, P> {
    /// For engines: `last` is the aggregate of the superstep before (the
    /// identity in superstep 0), `total` collects this superstep's.
    #[inline(always)]
    pub fn new(
        facts: Facts<P::Input>,
        last: &'a Aggregated<P>,
        total: &'a mut Aggregated<P>,
    ) -> Self {
        Self {
            facts,
            #[cfg(feature = "std")]
            in_degrees: None,
            last,
            total,
        }
    }

    /// The same, with an in-degree that is looked up only if the program asks for it.
    #[cfg(feature = "std")]
    #[inline(always)]
    pub(crate) fn with_in_degrees(self, in_degrees: Option<&'a dyn InDegrees>) -> Self {
        Self { in_degrees, ..self }
    }

    /// The vertex: its dense id, in the order of the user's ids.
    #[inline(always)]
    pub fn vertex(&self) -> VertexId {
        self.facts.vertex
    }

    /// Number of edges that end at the vertex.
    #[inline(always)]
    pub fn in_degree(&self) -> u64 {
        #[cfg(feature = "std")]
        if let Some(in_degrees) = self.in_degrees {
            return in_degrees.in_degree(self.facts.vertex);
        }
        self.facts.in_degree
    }

    /// Number of edges that begin at the vertex.
    #[inline(always)]
    pub fn out_degree(&self) -> u64 {
        self.facts.out_degree
    }

    /// Number of vertices of the graph.
    #[inline(always)]
    pub fn vertex_count(&self) -> u32 {
        self.facts.vertex_count
    }

    /// Number of the superstep: 0 in `init`, 1 at the first messages.
    #[inline(always)]
    pub fn superstep(&self) -> u32 {
        self.facts.superstep
    }

    /// The caller's value for this vertex, the same in every superstep.
    #[inline(always)]
    pub fn input(&self) -> P::Input {
        self.facts.input
    }

    /// The aggregate of the superstep before; the identity in superstep 0.
    #[inline(always)]
    pub fn aggregate(&self) -> &Aggregated<P> {
        self.last
    }

    /// Adds to the aggregate that every vertex sees in the next superstep.
    #[inline(always)]
    pub fn contribute(&mut self, value: Aggregated<P>) {
        *self.total = P::Aggregate::combine(*self.total, value);
    }
}
