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
    /// Which parts this one waits for.
    awaited: Vec<bool>,
    pub(super) messages: Vec<(VertexId, Message<P>)>,
    pub(super) signals: Vec<(VertexId, P::Signal)>,
}

impl<P: EdgeCompute> Exchange<P> {
    /// Nothing has to be exchanged.
    pub(super) fn done() -> Self {
        Self { agreed: true, awaited: Vec::new(), messages: Vec::new(), signals: Vec::new() }
    }

    /// A superstep of `part` has run.
    pub(super) fn due(part: &Part) -> Self {
        let awaited = (0..part.partition().count()).map(|other| other != part.index()).collect();
        Self { agreed: false, awaited, ..Self::done() }
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
        if self.awaited.contains(&true) {
            return Err(RunError::Parts("another part has put neither messages nor signals here"));
        }
        Ok(())
    }

    /// Notes that a parcel has come from a part.
    fn hear<T>(&mut self, parcel: &Parcel<T>) -> Result<(), RunError> {
        match self.awaited.get_mut(parcel.from as usize) {
            Some(awaited @ true) => {
                *awaited = false;
                Ok(())
            }
            _ if parcel.is_empty() => Ok(()),
            _ => Err(RunError::Parts("two parcels came from the same part, or one from no part")),
        }
    }
}

impl<P: VertexCompute> PartRun<P> for ReferenceRun<'_, P> {
    fn tally(&self) -> Result<Tally<P>, RunError> {
        self.last()?;
        Ok(self.own_tally())
    }

    fn agree(&mut self, all: &Tally<P>) -> Result<Progress, RunError> {
        let superstep = self.last()?;
        if !self.exchange.agreed {
            if (all.superstep, all.parts) != (superstep, self.places.partition().count()) {
                return Err(RunError::Parts("a tally is not of all parts after this superstep"));
            }
            self.exchange.agreed = true;
            self.conclude(all);
        }
        Ok(self.progress())
    }

    fn take_messages(&mut self) -> Result<Vec<Parcel<Message<P>>>, RunError> {
        let superstep = self.last()?;
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
        let from = self.places.part().index();
        let parcels = posts.into_iter().map(|post| parcel::<P>(from, superstep, post)).collect();
        self.log.stop_clock();
        Ok(parcels)
    }

    fn put_messages(&mut self, messages: &Parcel<Message<P>>) -> Result<(), RunError> {
        let here = self.places.part().index();
        self.check(messages, messages.vertices.is_sorted(), here)?;
        self.exchange.hear(messages)?;
        self.exchange.messages.extend(messages.iter().map(|(vertex, message)| (vertex, *message)));
        Ok(())
    }

    fn take_signals(&mut self) -> Result<Parcel<P::Signal>, RunError> {
        let superstep = self.last()?;
        let (vertices, signals) = self.scattering().into_iter().unzip();
        Ok(Parcel::new(self.places.part().index(), superstep, vertices, signals))
    }

    fn put_signals(&mut self, signals: &Parcel<P::Signal>) -> Result<(), RunError> {
        let ascends = signals.vertices.is_sorted_by(|a, b| a < b);
        self.check(signals, ascends, signals.from)?;
        self.exchange.hear(signals)?;
        self.exchange.signals.extend(signals.iter().map(|(vertex, signal)| (vertex, *signal)));
        Ok(())
    }
}

impl<P: VertexCompute> ReferenceRun<'_, P> {
    /// Checks what came from another part; all vertices should be those of part `owner`.
    fn check<T>(&self, parcel: &Parcel<T>, ascends: bool, owner: u32) -> Result<(), RunError> {
        let problem = if parcel.superstep != self.last()? {
            "a parcel was taken after another superstep"
        } else if parcel.vertices.len() != parcel.values.len() {
            "a parcel does not have one value for each of its vertices"
        } else if !ascends {
            "the vertices of a parcel do not ascend"
        } else if !parcel.vertices.iter().all(|vertex| self.places.owner(*vertex) == Some(owner)) {
            "a parcel names a vertex of the wrong part, or of none"
        } else {
            return Ok(());
        };
        Err(RunError::Parts(problem))
    }
}

/// A parcel of messages to one part, combined by target if they can be.
fn parcel<P: VertexCompute>(
    from: u32,
    superstep: u32,
    mut messages: Vec<(VertexId, Message<P>)>,
) -> Parcel<Message<P>> {
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
    let (vertices, values) = messages.into_iter().unzip();
    Parcel::new(from, superstep, vertices, values)
}

impl<P: EdgeCompute> fmt::Debug for Exchange<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exchange")
            .field("agreed", &self.agreed)
            .field("awaited", &self.awaited)
            .field("messages", &self.messages.len())
            .field("signals", &self.signals.len())
            .finish()
    }
}
