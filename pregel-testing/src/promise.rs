//! Whether a program keeps what [`Program::MONOTONE`] promises.
//!
//! An engine may update the states of a monotone program in place. Here a run does all that such
//! an engine may do, on purpose and at random: it visits scattering vertices in any order,
//! delivers messages that are made from earlier states, and delivers messages twice, alone and
//! combined. If the promise holds, the states in the end are those of the reference.

use fastrand::Rng;
use pregel_core::graph::Graph;
use pregel_core::program::{
    Context, Delivery, Edge, Message, Monoid, Program, VertexCompute, VertexId, Vote,
};

use crate::history::{facts, rows_from};
use crate::shrink::value;

/// Runs that are tried on each graph.
pub(crate) const RUNS: u64 = 8;

/// Earlier signals that are kept for each vertex.
const KEPT: usize = 4;

/// Messages per edge before a run counts as endless.
const PATIENCE: usize = 2000;

/// Why a run in place has no result.
pub(crate) enum Broken {
    /// A vertex stays awake.
    Awake(VertexId),
    /// It goes on and on.
    Endless,
}

impl Broken {
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Awake(vertex) => {
                format!("vertex {vertex} votes to stay awake, which a monotone program must not")
            }
            Self::Endless => "the run does not come to an end if messages arrive twice".into(),
        }
    }
}

/// Whether the program promises something that can be tested. No engine runs a program with an
/// aggregate in place, but its promise is tested all the same: it may lose its aggregate.
pub(crate) fn applies<P: Program>() -> bool {
    P::MONOTONE && P::Combiner::COMBINES
}

/// The states after a run in place, in an order that `seed` decides.
pub(crate) fn run_in_place<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    program: &P,
    inputs: &[P::Input],
    seed: u64,
) -> Result<Vec<P::State>, Broken> {
    let mut run = InPlace {
        graph,
        program,
        inputs,
        random: Rng::with_seed(seed),
        states: Vec::new(),
        waiting: Vec::new(),
        listed: vec![false; graph.vertex_count() as usize],
        signals: vec![Vec::new(); graph.vertex_count() as usize],
    };
    for vertex in 0..graph.vertex_count() {
        let (state, vote) = run.context(vertex, 0, |context| program.init(context));
        run.states.push(state);
        run.take_vote(vertex, vote)?;
    }
    let most = PATIENCE * (graph.edge_count() as usize + 1);
    let mut delivered = 0;
    while !run.waiting.is_empty() {
        if delivered > most {
            return Err(Broken::Endless);
        }
        let next = run.random.usize(0..run.waiting.len());
        let vertex = run.waiting.swap_remove(next);
        run.listed[vertex as usize] = false;
        delivered += run.send(vertex)?;
    }
    Ok(run.states)
}

struct InPlace<'a, P: VertexCompute> {
    graph: &'a Graph<P::Edge>,
    program: &'a P,
    inputs: &'a [P::Input],
    random: Rng,
    states: Vec<P::State>,
    /// Vertices that scatter.
    waiting: Vec<VertexId>,
    /// Whether each vertex is among them.
    listed: Vec<bool>,
    /// The latest signals of each vertex since it first scattered; none before.
    signals: Vec<Vec<P::Signal>>,
}

impl<P: VertexCompute> InPlace<'_, P> {
    fn context<T>(
        &self,
        vertex: VertexId,
        superstep: u32,
        f: impl FnOnce(&mut Context<'_, P>) -> T,
    ) -> T {
        let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
        let facts = facts::<P>(self.graph, self.inputs, vertex, superstep);
        f(&mut Context::new(facts, &last, &mut total))
    }

    /// A superstep other than 0; a monotone program must not care which.
    fn any_superstep(&mut self) -> u32 {
        self.random.u32(1..100)
    }

    /// Notes the signal that follows from the present state.
    fn take_vote(&mut self, vertex: VertexId, vote: Vote) -> Result<(), Broken> {
        if vote.awake() {
            return Err(Broken::Awake(vertex));
        }
        let v = vertex as usize;
        if vote.scatters() && !self.listed[v] {
            self.listed[v] = true;
            self.waiting.push(vertex);
        }
        if vote.scatters() || !self.signals[v].is_empty() {
            let superstep = self.any_superstep();
            let state = self.states[v];
            let signal = self.context(vertex, superstep, |c| self.program.signal(&state, c));
            if self.signals[v].len() >= KEPT {
                self.signals[v].remove(0);
            }
            self.signals[v].push(signal);
        }
        Ok(())
    }

    /// Sends along all edges of a vertex, and returns the number of messages.
    fn send(&mut self, from: VertexId) -> Result<usize, Broken> {
        let mut sent = 0;
        for (rows, values) in rows_from::<P>(self.graph) {
            for edge in rows.range(from) {
                let (to, value) = (rows.targets()[edge], value(values, edge));
                // Some earlier signal, before or after the newest one.
                let kept = &self.signals[from as usize];
                let mut signals: Vec<P::Signal> = kept.last().copied().into_iter().collect();
                if self.random.bool() {
                    signals.push(kept[self.random.usize(0..kept.len())]);
                    self.random.shuffle(&mut signals);
                }
                for signal in signals {
                    let message = self.program.edge_compute(&signal, Edge::new(value));
                    let Some(message) = message else { continue };
                    sent += self.deliver(to, message)?;
                }
            }
        }
        Ok(sent)
    }

    /// Delivers a message once, twice, or combined with itself.
    fn deliver(&mut self, to: VertexId, message: Message<P>) -> Result<usize, Broken> {
        let (times, message) = match self.random.u8(0..3) {
            0 => (1, message),
            1 => (2, message),
            _ => (1, P::Combiner::merge(message, message)),
        };
        for _ in 0..times {
            let mut state = self.states[to as usize];
            if !self.program.wants_message(&state) {
                continue;
            }
            let superstep = self.any_superstep();
            let vote = self.context(to, superstep, |context| {
                let mut message = Some(message);
                let inbox = P::Combiner::inbox_of_one(&mut message);
                self.program.vertex_compute(&mut state, inbox, context)
            });
            self.states[to as usize] = state;
            self.take_vote(to, vote)?;
        }
        Ok(times)
    }
}
