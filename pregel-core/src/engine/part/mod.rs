//! Runs of one part of a graph, which their caller brings together.
//!
//! A [`Partition`] says which part owns which vertex. A run of a [`Part`] computes the
//! vertices that this part owns, with the facts of the whole graph. It goes one superstep
//! at a time, and between two supersteps its caller carries what the parts have to know of
//! each other: see [`PartRun`]. How that travels, by memory, by a link between devices or
//! by a network, is the caller's business; everything that travels is plain data.
//!
//! A run of a whole graph is a run of the only part, which waits for no other.

mod parcel;
mod partition;
mod places;
mod saved;

pub use parcel::{Parcel, Tally};
pub use partition::{Part, Partition};
pub(super) use places::Places;

use super::{Engine, Progress, Run, RunError, RunOptions, Saved};
use crate::graph::Graph;
use crate::program::{Message, VertexCompute};

/// An engine that runs parts of a graph.
pub trait PartEngine: Engine {
    /// A part of a graph prepared for programs of type `P`.
    type PartSession<'g, P: VertexCompute>: PartSession<P>;

    /// Prepares one part of `graph`, which is the whole graph: programs ask for degrees,
    /// and messages come from and go to vertices of other parts. The options should be the
    /// same in every part.
    ///
    /// # Errors
    /// As [`Engine::prepare`]; [`RunError::Owner`] and [`RunError::Parts`] if the partition
    /// does not fit the graph.
    fn prepare_part<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        part: &Part,
        options: &RunOptions,
    ) -> Result<Self::PartSession<'g, P>, RunError>;
}

/// A part of a graph prepared for programs of type `P`, as [`Session`](super::Session) is
/// a whole one.
pub trait PartSession<P: VertexCompute> {
    /// A run of this session.
    type PartRun<'r>: PartRun<P>
    where
        Self: 'r;

    /// Begins this part of a run: a new one, or one that goes on where another was `saved`.
    /// What [`start`](Self::start) and [`resume`](Self::resume) call.
    ///
    /// # Errors
    /// As those.
    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: Option<&Saved<P>>,
    ) -> Result<Self::PartRun<'r>, RunError>;

    /// Starts this part of a run. Program and inputs are the same in every part: one input
    /// for each vertex of the whole graph.
    ///
    /// # Errors
    /// As [`Session::start`](super::Session::start).
    fn start<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
    ) -> Result<Self::PartRun<'r>, RunError> {
        self.begin(program, inputs, None)
    }

    /// Resumes this part of a run. `saved` is what this part saved, or its
    /// [share](Saved::share) of a run that was saved whole. The parts exchange first, as
    /// after a superstep, and then advance.
    ///
    /// # Errors
    /// As [`Session::resume`](super::Session::resume); [`RunError::Saved`] if the part owns
    /// another number of vertices.
    fn resume<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: &Saved<P>,
    ) -> Result<Self::PartRun<'r>, RunError> {
        self.begin(program, inputs, Some(saved))
    }
}

/// A run of one part of a graph.
///
/// # What differs from a run of a whole graph
///
/// * [`Run::advance`] runs one superstep at most, because then the parts have to exchange;
///   until they have, it gives [`RunError::Parts`]. Only a single part advances further by itself.
/// * [`Run::save`] and [`Run::finish`] return the states of the part's own vertices, in
///   ascending order. [`Saved::merge`] and [`Partition::join`] put the parts together.
/// * The report counts own vertices, and messages that they send.
/// * With a [`Cancel`](super::Cancel), all parts should be given the same. A part that was
///   cancelled exchanges nothing more, so others must not wait for it.
///
/// # The exchange
///
/// After a superstep, and after a run was resumed, the caller does two things in any
/// order, or both at once:
///
/// 1. It combines the [`tally`](Self::tally) of every part, in the order of the parts, and
///    has all parts [agree](Self::agree) on the sum. Each then reaches the same verdict.
/// 2. It carries messages. A part gets from every other part either
///    * the messages to its vertices ([`take_messages`](Self::take_messages),
///      [`put_messages`](Self::put_messages)): little data if few edges cross the border,
///      or if many messages combine into one. That is what a cluster does;
///    * or the signals of the vertices that scattered ([`take_signals`](Self::take_signals),
///      [`put_signals`](Self::put_signals)), from which it makes the messages itself: one
///      signal where many edges lead from a vertex into the part. Several GPUs with fast
///      links do that. Signals without content are a bitmap in other words.
///
///    A part may give signals to its neighbours in one host and messages to all others.
///
/// Once the parts have agreed that the run has ended, messages need not be carried.
///
/// # Why the owner asks whether a message is wanted
///
/// [`wants_message`](VertexCompute::wants_message) is a question about the state of the
/// target, which only its owner knows. So senders make messages without asking, and the
/// owner drops what is not wanted when it begins the next superstep. The result is the
/// same: states do not change between the sending and the asking, `edge_compute` has no
/// effect but its message, and the answer does not depend on the message, so that a target
/// wants all messages of a superstep or none, combined or not. A sender that knows the
/// target's state may leave its messages out; none has to.
///
/// # What is equal to the run of a whole graph
///
/// Everything where the laws of combiner and aggregate are exact. Where they are rounded,
/// messages are combined sender by sender and then part by part, and aggregates part by
/// part. If signals are carried, [`Reference`](super::Reference) combines messages in the
/// order of the whole graph.
///
/// # Example
///
/// ```
/// use pregel_core::engine::part::{PartEngine, PartRun, PartSession, Partition};
/// use pregel_core::engine::{Reference, Run};
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy)]
/// # struct Smallest;
/// # impl Program for Smallest {
/// #     type Input = ();
/// #     type State = VertexId;
/// #     type Signal = VertexId;
/// #     type Edge = ();
/// #     type Combiner = Min<VertexId>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Smallest {
/// #     fn edge_compute(&self, id: &VertexId, _: Edge<()>) -> Option<VertexId> {
/// #         Some(*id)
/// #     }
/// # }
/// # impl VertexCompute for Smallest {
/// #     fn init(&self, context: &mut Context<Self>) -> (VertexId, Vote) {
/// #         (context.vertex(), Vote::Scatter)
/// #     }
/// #     fn vertex_compute(
/// #         &self,
/// #         smallest: &mut VertexId,
/// #         offer: Option<VertexId>,
/// #         _: &mut Context<Self>,
/// #     ) -> Vote {
/// #         let Some(smaller) = offer.filter(|offer| offer < smallest) else { return Vote::Halt };
/// #         *smallest = smaller;
/// #         Vote::Scatter
/// #     }
/// #     fn signal(&self, smallest: &VertexId, _: &Context<Self>) -> VertexId {
/// #         *smallest
/// #     }
/// # }
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)])?;
/// let (partition, options) = (Partition::dealt(2, 1), RunOptions::default());
/// let mut even = Reference.prepare_part::<Smallest>(&graph, &partition.part(0), &options)?;
/// let mut odd = Reference.prepare_part::<Smallest>(&graph, &partition.part(1), &options)?;
/// let (mut even, mut odd) = (even.start(&Smallest, &[])?, odd.start(&Smallest, &[])?);
/// while !even.advance(1)?.has_ended() {
///     odd.advance(1)?;
///     let all = even.tally()?.combine(odd.tally()?);
///     even.agree(&all)?;
///     odd.agree(&all)?;
///     odd.put_messages(&even.take_messages()?[1])?;
///     even.put_messages(&odd.take_messages()?[0])?;
/// }
/// let states = partition.join(&[even.finish()?.states, odd.finish()?.states])?;
/// assert_eq!(states, [0, 0, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait PartRun<P: VertexCompute>: Run<P> {
    /// What the other parts have to know of the last superstep. O(own vertices).
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn tally(&self) -> Result<Tally<P>, RunError>;

    /// Takes what all parts together know of the last superstep, and says whether the run
    /// goes on: the same in every part. Does nothing if the parts have agreed already.
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn agree(&mut self, all: &Tally<P>) -> Result<Progress, RunError>;

    /// The messages to vertices of other parts, one parcel for each part; the one of this
    /// part is empty. Targets ascend. Messages to one target are combined where the program
    /// combines; otherwise the target is repeated for each message.
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn take_messages(&mut self) -> Result<Vec<Parcel<Message<P>>>, RunError>;

    /// Accepts the messages that another part has for vertices of this one.
    ///
    /// # Errors
    /// [`RunError::Parts`] if the targets do not ascend, or if one is not of this part;
    /// [`RunError::NotStarted`] before superstep 0.
    fn put_messages(&mut self, messages: &Parcel<Message<P>>) -> Result<(), RunError>;

    /// The signals of the vertices that scattered; they ascend.
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn take_signals(&mut self) -> Result<Parcel<P::Signal>, RunError>;

    /// Accepts the signals of all vertices of another part that scattered.
    ///
    /// # Errors
    /// [`RunError::Parts`] if the vertices do not ascend, if there is no such vertex, or if
    /// one is of this part; [`RunError::NotStarted`] before superstep 0.
    fn put_signals(&mut self, signals: &Parcel<P::Signal>) -> Result<(), RunError>;
}
