//! Runs of parts of a graph, which their caller coordinates.
//!
//! A [`Partition`] says which part owns which vertex. A run of a [`Part`] computes only the
//! vertices that the part owns; programs still see the degrees and vertex count of the whole
//! graph. It runs one superstep at a time, and between two supersteps its caller carries
//! data between the parts: see [`PartRun`]. How the data travels (through memory, over a
//! link between devices, over a network) is up to the caller; all of it is plain data.
//!
//! A whole graph runs as the only part of its partition, which waits for no other.

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
    /// A part of a graph that is prepared for programs of type `P`.
    type PartSession<'g, P: VertexCompute>: PartSession<P>;

    /// Prepares one part of `graph`. Pass the whole graph: programs ask for degrees, and
    /// messages come from and go to vertices of other parts. Give every part the same options.
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

/// A part of a graph that is prepared for programs of type `P`: the counterpart of
/// [`Session`](super::Session), which is for whole graphs.
pub trait PartSession<P: VertexCompute> {
    /// A run of this session.
    type PartRun<'r>: PartRun<P>
    where
        Self: 'r;

    /// Begins this part of a run: a new one, or the one in `saved`. [`start`](Self::start) and
    /// [`resume`](Self::resume) call this.
    ///
    /// # Errors
    /// As for these two.
    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: Option<&Saved<P>>,
    ) -> Result<Self::PartRun<'r>, RunError>;

    /// Starts this part of a run. Give every part the same program and inputs, with one
    /// input for each vertex of the whole graph.
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
    /// [share](Saved::share) of a run that was saved as a whole. The parts must exchange, as
    /// after a superstep, before they advance.
    ///
    /// # Errors
    /// As [`Session::resume`](super::Session::resume); [`RunError::Saved`] if `saved` does not
    /// have one state and one vote for each vertex of the part.
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
/// * [`Run::advance`] runs at most one superstep. The parts must then exchange; until they
///   have, it returns [`RunError::Parts`]. Only a part that is alone advances further.
/// * [`Run::save`] and [`Run::finish`] return the states of the part's own vertices, in
///   ascending order. [`Saved::merge`] and [`Partition::join`] put the parts together.
/// * The report counts the part's own vertices and the messages that they send.
/// * Give all parts the same [`Cancel`](super::Cancel). A part that was cancelled takes no
///   part in further exchanges, so the others must not wait for it.
///
/// # The exchange
///
/// After each superstep, and after resuming, the caller does two things, in either order or
/// both at once:
///
/// 1. It combines the [`tally`](Self::tally) of every part, in the order of the parts, and
///    passes the result to [`agree`](Self::agree) of all parts. Each then reaches the same
///    verdict.
/// 2. It carries messages. A part gets from every other part either
///    * the messages to its vertices ([`take_messages`](Self::take_messages),
///      [`put_messages`](Self::put_messages)): little data if few edges cross between the
///      parts, or if many messages combine into one. This suits clusters;
///    * or the signals of the vertices that scattered ([`take_signals`](Self::take_signals),
///      [`put_signals`](Self::put_signals)), from which it makes the messages itself: little
///      data if many edges lead from each vertex into the part. This suits several GPUs with
///      fast links. Zero-sized signals amount to a bitmap.
///
///    A part may send signals to other parts on its host and messages to all others: one
///    parcel to each, even if it is empty. A part does not advance before it has heard from
///    all others, so a parcel that is lost, sent twice or late cannot spoil the result.
///
/// Once the parts have agreed that the run has ended, there is no need to carry messages.
///
/// # Why the owner asks whether a message is wanted
///
/// [`wants_message`](VertexCompute::wants_message) is a question about the state of the
/// target, which only its owner knows. So senders make messages without asking, and the
/// owner drops unwanted ones at the start of the next superstep. The result is the same:
/// states do not change in between, `edge_compute` has no effect other than its message, and
/// the answer does not depend on the message. A target therefore wants all messages of a
/// superstep or none, combined or not. A sender that knows the target's state may omit
/// unwanted messages, but does not have to.
///
/// # When the results equal those of the whole graph
///
/// If the laws of combiner and aggregate are exact, always. If they are rounded, sums may be
/// rounded differently: messages are combined sender by sender and then part by part, and
/// aggregates part by part. If signals are carried, [`Reference`](super::Reference) combines
/// messages in the order of the whole graph.
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
    /// What the other parts have to know about the last superstep. O(own vertices).
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn tally(&self) -> Result<Tally<P>, RunError>;

    /// Takes the combined tally of all parts and returns whether the run goes on, which is
    /// the same in every part. Has no effect if the parts have already agreed.
    ///
    /// # Errors
    /// [`RunError::Parts`] if the tally is of another superstep or not of all parts,
    /// [`RunError::NotStarted`] before superstep 0.
    fn agree(&mut self, all: &Tally<P>) -> Result<Progress, RunError>;

    /// The messages to vertices of other parts: one parcel per part, of which this part's own
    /// is empty. Targets ascend. If the program has a combiner, the messages to one target
    /// are combined; otherwise the target is repeated for each message.
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn take_messages(&mut self) -> Result<Vec<Parcel<Message<P>>>, RunError>;

    /// Accepts the messages that another part has for vertices of this one. A parcel from
    /// this part itself, which is empty, has no effect.
    ///
    /// # Errors
    /// [`RunError::Parts`] if the parcel was taken after another superstep, if one from that
    /// part has been accepted already, if the columns differ in length, if the targets do not
    /// ascend, or if this part does not own one of them; [`RunError::NotStarted`] before
    /// superstep 0.
    fn put_messages(&mut self, messages: &Parcel<Message<P>>) -> Result<(), RunError>;

    /// The signals of the vertices of this part that scattered, in ascending order.
    ///
    /// # Errors
    /// [`RunError::NotStarted`] before superstep 0.
    fn take_signals(&mut self) -> Result<Parcel<P::Signal>, RunError>;

    /// Accepts the signals of all vertices of another part that scattered.
    ///
    /// # Errors
    /// [`RunError::Parts`] as for [`put_messages`](Self::put_messages), or if a vertex does
    /// not belong to the part that the parcel comes from; [`RunError::NotStarted`] before
    /// superstep 0.
    fn put_signals(&mut self, signals: &Parcel<P::Signal>) -> Result<(), RunError>;
}
