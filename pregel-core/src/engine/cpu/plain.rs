//! A run in plain supersteps, between two of which it may be saved.

use super::direction::PushOrPull;
use super::superstep::Memory;
use super::vertex::{Env, Tally};
use crate::engine::{RunError, RunOptions, Saved, Strategy};
use crate::program::VertexCompute;

/// A run between two plain supersteps.
pub(super) struct Plain<P: VertexCompute> {
    pub(super) memory: Memory<P>,
    direction: PushOrPull,
    /// Edges to vertices that want messages.
    open: u64,
}

impl<P: VertexCompute> Plain<P> {
    /// A run that has not begun, with the memory of an earlier one if there is any.
    pub(super) fn new(
        memory: Option<Memory<P>>,
        vertices: u32,
        options: &RunOptions,
    ) -> Result<Self, RunError> {
        let direction = PushOrPull::new::<P>(options)?;
        let memory = memory.unwrap_or_else(|| Memory::new(vertices));
        Ok(Self { memory, direction, open: 0 })
    }

    /// Goes on where another run was saved.
    pub(super) fn resume_from(&mut self, env: &Env<'_, P>, saved: &Saved<P>) {
        let tally = self.memory.begin(env, Some(saved));
        self.open = tally.open.unsigned_abs();
    }

    /// How messages should travel in the superstep of `env`.
    pub(super) fn choose(&mut self, env: &Env<'_, P>) -> Strategy {
        match env.superstep {
            0 => Strategy::Pull,
            _ => {
                let (memory, vertices) = (&self.memory, env.shape.vertex_count);
                let looks = || env.shape.gathers().then(|| memory.looks(env));
                self.direction.next::<P>(&memory.frontier, self.open, vertices, looks)
            }
        }
    }

    /// Messages that are offered in the next superstep.
    pub(super) fn offered(&self) -> u64 {
        self.memory.frontier.edges
    }

    /// Runs the superstep of `env` by a strategy. Returns how many messages were offered, and
    /// what the vertices did.
    pub(super) fn superstep(
        &mut self,
        env: &Env<'_, P>,
        strategy: Strategy,
        deterministic: bool,
    ) -> (u64, Tally<P>) {
        let (messages, memory) = (self.offered(), &mut self.memory);
        let (messages, tally) = match strategy {
            _ if env.superstep == 0 => (0, memory.begin(env, None)),
            Strategy::Push => (messages, memory.push(env, deterministic)),
            Strategy::Mailbox => (messages, memory.mailbox(env)),
            _ => (messages, memory.pull(env)),
        };
        let open = if env.superstep == 0 { 0 } else { self.open };
        self.open = open.saturating_add_signed(tally.open);
        (messages, tally)
    }
}
