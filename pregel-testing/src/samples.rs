//! Values of a run, to test laws with.

use pregel_core::program::{Context, Delivery, Message, Monoid, Program, VertexCompute};

use crate::compare::same_bytes;
use crate::history::{Post, facts};

/// Messages and contributions to the aggregate, from a run.
pub(crate) struct Samples<P: Program> {
    pub(crate) messages: Vec<Message<P>>,
    pub(crate) contributions: Vec<<P::Aggregate as Monoid>::Value>,
    supersteps: u32,
}

impl<P: Program> Default for Samples<P> {
    fn default() -> Self {
        Self { messages: Vec::new(), contributions: Vec::new(), supersteps: 0 }
    }
}

impl<P: VertexCompute> Samples<P> {
    /// Vertices of one superstep, and supersteps, that are looked at.
    const MOST: usize = 64;

    pub(crate) fn wants_more(&self) -> bool {
        (self.supersteps as usize) < Self::MOST
    }

    /// Takes the messages to some vertices, and what these contribute when they receive them.
    pub(crate) fn take(&mut self, post: &Post<'_, P>) {
        self.supersteps += 1;
        let Post { graph, program, inputs, saved } = post;
        let n = graph.vertex_count();
        let step = (n as usize).div_ceil(Self::MOST).max(1);
        for vertex in (0..n).step_by(step) {
            let mut messages: Vec<Message<P>> =
                post.messages_to(vertex).into_iter().map(|(_, message)| message).collect();
            let fresh = messages.iter().take(4).filter(|new| {
                !self.messages.iter().any(|known| same_bytes::<Message<P>>(known, new))
            });
            let fresh: Vec<Message<P>> = fresh.copied().collect();
            if self.messages.len() < 512 {
                self.messages.extend(fresh);
            }
            if messages.is_empty() && !saved.votes[vertex as usize].awake() {
                continue;
            }
            let mut contribution = P::Aggregate::identity();
            let facts = facts::<P>(graph, inputs, vertex, saved.superstep + 1);
            let mut context = Context::new(facts, &saved.aggregate, &mut contribution);
            let mut state = saved.states[vertex as usize];
            let inbox = P::Combiner::inbox_of_all(&mut messages);
            let _ = program.vertex_compute(&mut state, inbox, &mut context);
            self.contributions.push(contribution);
        }
    }
}
