//! Parts of a graph on the sequential engine.

use std::fmt;

use super::{Reference, ReferenceRun, ReferenceSession};
use crate::engine::part::{Parcel, Part, PartEngine, PartRun, PartSession, Tally};
use crate::engine::{Progress, RunError, RunOptions, Saved, Session};
use crate::graph::Graph;
use crate::program::{Delivery, EdgeCompute, Message, VertexCompute, VertexId};

/// A part of a graph prepared for the [`Reference`] engine.
#[derive(Debug)]
pub struct ReferencePart<'g, E>(ReferenceSession<'g, E>);

impl PartEngine for Reference {
    type PartSession<'g, P: VertexCompute> = ReferencePart<'g, P::Edge>;

    fn prepare_part<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        part: &Part,
        options: &RunOptions,
    ) -> Result<ReferencePart<'g, P::Edge>, RunError> {
        ReferenceSession::new::<P>(graph, part, options).map(ReferencePart)
    }
}

impl<P: VertexCompute> PartSession<P> for ReferencePart<'_, P::Edge> {
    type PartRun<'r>
        = ReferenceRun<'r, P>
    where
        Self: 'r;

    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: Option<&Saved<P>>,
    ) -> Result<ReferenceRun<'r, P>, RunError> {
        self.0.begin(program, inputs.into(), saved)
    }
}

/// What came from other parts, and how far the exchange after a superstep has come.
pub(super) struct Exchange<P: EdgeCompute> {
    /// Whether the parts have agreed on what they know.
    agreed: bool,
    /// Whether messages or signals were taken.
    taken: bool,
    pub(super) messages: Vec<(VertexId, Message<P>)>,
    pub(super) signals: Vec<(VertexId, P::Signal)>,
}

impl<P: EdgeCompute> Exchange<P> {
    /// Nothing has to be exchanged.
    pub(super) fn done() -> Self {
        Self { agreed: true, taken: true, messages: Vec::new(), signals: Vec::new() }
    }

    /// A superstep has run.
    pub(super) fn due() -> Self {
        Self { agreed: false, taken: false, ..Self::done() }
    }

    pub(super) fn check_agreed(&self) -> Result<(), RunError> {
        if self.agreed {
            Ok(())
        } else {
            Err(RunError::Parts("the parts have not agreed on the last superstep: call agree"))
        }
    }

    pub(super) fn check_done(&self) -> Result<(), RunError> {
        self.check_agreed()?;
        if self.taken {
            Ok(())
        } else {
            Err(RunError::Parts("neither messages nor signals were taken from this part"))
        }
    }
}

impl<P: VertexCompute> PartRun<P> for ReferenceRun<'_, P> {
    fn tally(&self) -> Result<Tally<P>, RunError> {
        self.last()?;
        Ok(self.own_tally())
    }

    fn agree(&mut self, all: &Tally<P>) -> Result<Progress, RunError> {
        self.last()?;
        if !self.exchange.agreed {
            self.exchange.agreed = true;
            self.conclude(all);
        }
        Ok(self.progress())
    }

    fn take_messages(&mut self) -> Result<Vec<Parcel<Message<P>>>, RunError> {
        self.last()?;
        self.log.start_clock();
        let partition = self.places.partition();
        let mut posts = vec![Vec::new(); partition.count() as usize];
        self.send(&self.scattering(), |target, signal, edge| {
            if self.places.place(target).is_none() {
                let message = self.program.edge_compute(signal, edge);
                let owner = partition.owner(target) as usize;
                posts[owner].extend(message.map(|message| (target, message)));
            }
        });
        self.exchange.taken = true;
        let parcels = posts.into_iter().map(parcel::<P>).collect();
        self.log.stop_clock();
        Ok(parcels)
    }

    fn put_messages(&mut self, messages: &Parcel<Message<P>>) -> Result<(), RunError> {
        self.last()?;
        let ascends = messages.vertices.is_sorted();
        self.check(messages, ascends, |place| place.is_some())?;
        self.exchange.messages.extend(messages.iter().map(|(vertex, message)| (vertex, *message)));
        Ok(())
    }

    fn take_signals(&mut self) -> Result<Parcel<P::Signal>, RunError> {
        self.last()?;
        self.exchange.taken = true;
        Ok(self.scattering().into_iter().collect())
    }

    fn put_signals(&mut self, signals: &Parcel<P::Signal>) -> Result<(), RunError> {
        self.last()?;
        let ascends = signals.vertices.is_sorted_by(|a, b| a < b);
        self.check(signals, ascends, |place| place.is_none())?;
        self.exchange.signals.extend(signals.iter().map(|(vertex, signal)| (vertex, *signal)));
        Ok(())
    }
}

impl<P: VertexCompute> ReferenceRun<'_, P> {
    /// Checks what came from another part; `belongs` says of which places it should be.
    fn check<T>(
        &self,
        parcel: &Parcel<T>,
        ascends: bool,
        belongs: impl Fn(Option<usize>) -> bool,
    ) -> Result<(), RunError> {
        if parcel.vertices.len() != parcel.values.len() {
            return Err(RunError::Parts("a parcel has not one value for each of its vertices"));
        }
        if !ascends {
            return Err(RunError::Parts("the vertices of a parcel do not ascend"));
        }
        let fits = |vertex: &VertexId| {
            (*vertex as usize) < self.places.vertex_count() && belongs(self.places.place(*vertex))
        };
        if parcel.vertices.iter().all(fits) {
            Ok(())
        } else {
            Err(RunError::Parts("a parcel names a vertex of the wrong part, or of none"))
        }
    }
}

/// A parcel of the messages to one part, combined by target if they can be.
fn parcel<P: VertexCompute>(mut messages: Vec<(VertexId, Message<P>)>) -> Parcel<Message<P>> {
    // Stable: messages to one target are combined in the order of their senders.
    messages.sort_by_key(|(target, _)| *target);
    if P::Combiner::COMBINES {
        messages.dedup_by(|(next, message), (target, combined)| {
            let same = next == target;
            if same {
                *combined = P::Combiner::merge(*combined, *message);
            }
            same
        });
    }
    messages.into_iter().collect()
}

impl<P: EdgeCompute> fmt::Debug for Exchange<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("agreed", &self.agreed)
            .field("taken", &self.taken)
            .field("messages", &self.messages.len())
            .field("signals", &self.signals.len())
            .finish()
    }
}
