//! What happens to one vertex in a run.

use std::fmt::{self, Debug, Write};

use pregel_core::engine::{Engine, Run, RunError, RunOptions, Saved, Session};
use pregel_core::graph::{Csr, Graph, Ids};
use pregel_core::program::{
    Context, Delivery, Direction, Edge, Facts, Message, Monoid, Program, Value, VertexCompute,
    VertexId, Vote,
};

use crate::shrink::value;

/// Messages of a superstep that are listed.
const LISTED: usize = 16;

/// The most characters of a line behind its label. A longer part without a comma stays whole.
const LINE: usize = 88;

/// What one vertex received, computed and voted, superstep by superstep.
///
/// The run is the engine's; the messages are made again from what it saves after each superstep.
/// So each superstep takes O(V) more than it does otherwise.
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct History<P: Program> {
    /// The vertex.
    pub vertex: VertexId,
    /// The supersteps in which it computed, the first being superstep 0.
    pub visits: Vec<Visit<P>>,
    /// The last superstep of the run.
    pub supersteps: u32,
}

/// One superstep of one vertex.
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct Visit<P: Program> {
    /// The superstep.
    pub superstep: u32,
    /// The messages that came, each with its sender, in the order of the graph's rows. They
    /// are not combined.
    pub messages: Vec<(VertexId, Message<P>)>,
    /// The state before; `None` in superstep 0.
    pub before: Option<P::State>,
    /// The state after.
    pub after: P::State,
    /// How the vertex voted.
    pub vote: Vote,
}

impl<P: VertexCompute> History<P> {
    /// Runs a program on an engine and writes down what happens to `vertex`, which must be in
    /// the graph. The strategy [`Auto`](pregel_core::engine::Strategy::Auto) may update a
    /// monotone program in place, where no message has a superstep; choose another one.
    ///
    /// # Errors
    /// Those of the engine.
    pub fn record<E: Engine>(
        engine: &E,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        vertex: VertexId,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let mut session = engine.prepare::<P>(graph, options)?;
        let mut run = session.start(program, inputs)?;
        let mut progress = run.advance(1)?;
        let mut last = run.save()?;
        let at = vertex as usize;
        let mut visits = vec![Visit {
            superstep: 0,
            messages: Vec::new(),
            before: None,
            after: last.states[at],
            vote: last.votes[at],
        }];
        while !progress.has_ended() {
            progress = run.advance(1)?;
            let next = run.save()?;
            let mail = Post { graph, program, inputs, saved: &last };
            let messages = mail.messages_to(vertex);
            if !messages.is_empty() || last.votes[at].awake() {
                visits.push(Visit {
                    superstep: next.superstep,
                    messages,
                    before: Some(last.states[at]),
                    after: next.states[at],
                    vote: next.votes[at],
                });
            }
            last = next;
        }
        Ok(Self { vertex, visits, supersteps: last.superstep })
    }
}

impl<P> History<P>
where
    P: Program<State: Debug, Combiner: Delivery<Message: Debug>>,
{
    /// The history as text, a paragraph for each superstep, with the user's ids.
    pub fn describe(&self, ids: &Ids) -> String {
        let mut text = String::new();
        for visit in &self.visits {
            // Writing to a string never fails.
            let _ = visit.write(&mut text, ids);
        }
        text
    }
}

impl<P> Visit<P>
where
    P: Program<State: Debug, Combiner: Delivery<Message: Debug>>,
{
    fn write(&self, out: &mut impl Write, ids: &Ids) -> fmt::Result {
        writeln!(out, "superstep {}", self.superstep)?;
        if self.superstep > 0 {
            let listed = self.messages.iter().take(LISTED);
            let listed =
                listed.map(|(from, message)| format!("{message:?} from {}", ids.get(*from)));
            let listed = listed.collect::<Vec<_>>().join(", ");
            let messages = match self.messages.len() {
                0 => "none; it stayed awake".into(),
                n if n > LISTED => format!("{listed}, {} more", n - LISTED),
                _ => listed,
            };
            entry(out, "messages", &messages)?;
        }
        let after = format!("{:?}", self.after);
        match self.before.map(|before| format!("{before:?}")) {
            None => entry(out, "state", &after)?,
            Some(before) if before.chars().count() + after.chars().count() <= LINE => {
                entry(out, "state", &format!("{before} → {after}"))?;
            }
            Some(before) => {
                entry(out, "before", &before)?;
                entry(out, "after", &after)?;
            }
        }
        entry(out, "vote", &format!("{:?}", self.vote))
    }
}

/// Writes `text` behind a label, on as many lines as it takes; they break after commas.
fn entry(out: &mut impl Write, label: &str, text: &str) -> fmt::Result {
    write!(out, "  {label:<8}")?;
    let mut length = 0;
    for part in text.split_inclusive(", ") {
        let (part, more) = (part.trim_end(), part.trim_end().chars().count());
        if length > 0 && length + more > LINE {
            write!(out, "\n{:10}", "")?;
            length = 0;
        }
        // Two blanks before the first part of a line, one before the others.
        write!(out, "{:1$}{part}", "", if length == 0 { 2 } else { 1 })?;
        length += more + 1;
    }
    writeln!(out)
}

/// The messages that are under way after a superstep.
pub(crate) struct Post<'a, P: VertexCompute> {
    pub(crate) graph: &'a Graph<P::Edge>,
    pub(crate) program: &'a P,
    pub(crate) inputs: &'a [P::Input],
    pub(crate) saved: &'a Saved<P>,
}

impl<P: VertexCompute> Post<'_, P> {
    /// Those to one vertex, with their senders. O(in-degree).
    pub(crate) fn messages_to(&self, vertex: VertexId) -> Vec<(VertexId, Message<P>)> {
        if !self.program.wants_message(&self.saved.states[vertex as usize]) {
            return Vec::new();
        }
        let mut messages = Vec::new();
        for (rows, values) in rows_to::<P>(self.graph) {
            for edge in rows.range(vertex) {
                let sender = rows.targets()[edge];
                if !self.saved.votes[sender as usize].scatters() {
                    continue;
                }
                let edge = Edge::new(value(values, edge));
                let message = self.program.edge_compute(&self.signal(sender), edge);
                messages.extend(message.map(|message| (sender, message)));
            }
        }
        messages
    }

    fn signal(&self, vertex: VertexId) -> P::Signal {
        let mut total = P::Aggregate::identity();
        let facts = facts::<P>(self.graph, self.inputs, vertex, self.saved.superstep);
        let context = Context::new(facts, &self.saved.seen, &mut total);
        self.program.signal(&self.saved.states[vertex as usize], &context)
    }
}

/// What a vertex knows in a superstep.
pub(crate) fn facts<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
    vertex: VertexId,
    superstep: u32,
) -> Facts<P::Input> {
    Facts {
        vertex,
        in_degree: graph.incoming().degree(vertex),
        out_degree: graph.out().degree(vertex),
        vertex_count: graph.vertex_count(),
        superstep,
        input: value(inputs, vertex as usize),
    }
}

/// The rows that name the senders to each vertex, with the values of their edges.
fn rows_to<P: Program>(graph: &Graph<P::Edge>) -> Vec<(&Csr, &[P::Edge])> {
    rows(graph, P::DIRECTION != Direction::In, P::DIRECTION != Direction::Out)
}

/// The rows that name the receivers from each vertex, with the values of their edges.
pub(crate) fn rows_from<P: Program>(graph: &Graph<P::Edge>) -> Vec<(&Csr, &[P::Edge])> {
    rows(graph, P::DIRECTION != Direction::Out, P::DIRECTION != Direction::In)
}

/// The rows by target, the rows by source, or both. In an undirected graph they are the same.
fn rows<E: Value>(graph: &Graph<E>, by_target: bool, by_source: bool) -> Vec<(&Csr, &[E])> {
    let incoming = || (graph.incoming(), graph.incoming_values());
    let out = || (graph.out(), graph.out_values());
    if !graph.directed() {
        return vec![out()];
    }
    by_target.then(incoming).into_iter().chain(by_source.then(out)).collect()
}
