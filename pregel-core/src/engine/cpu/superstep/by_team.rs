//! Small supersteps that a team of threads pushes.
//!
//! Each thread sends for the vertices that it found itself in the superstep before: their rows,
//! and the states around them, are in its caches.

use super::at_once::AtOnce;
use super::{Memory, outbox};
use crate::engine::cpu::scatter::{Later, Receive, Scatter, is_long};
use crate::engine::cpu::vertex::{Env, Tally};
use crate::parallel::{self, Hand, hands, team};
use crate::program::VertexCompute;
use crate::shared::SharedSlice;

/// With fewer edges than this, one of two threads is done before the other has begun.
const LEAST: u64 = 1 << 10;
/// The same for more threads.
const LEAST_OF_MANY: u64 = 1 << 11;
/// With more edges than this, it matters that threads take parts from one another.
const MOST: u64 = 1 << 16;

impl<P: VertexCompute> Memory<P> {
    /// How many threads of a team should push, if the superstep has as many edges as a team takes,
    /// and they are here.
    pub(super) fn team(&self) -> Option<usize> {
        let (senders, edges) = (self.frontier.count, self.frontier.edges);
        // What is looked at first leaves out most supersteps, which may take no longer than this.
        if !(LEAST..=MOST).contains(&edges) || is_long(senders, edges) {
            return None;
        }
        let size = team::size();
        if size == 1 || size > 2 && edges < LEAST_OF_MANY {
            return None;
        }
        // Tests always take it: the caller does the parts of absent threads.
        (team::is_here() || cfg!(test)).then_some(size)
    }

    /// One superstep by pushing, as [`push_at_once`](Self::push_at_once), by a team of `size`
    /// threads.
    pub(super) fn push_by_team(&mut self, env: &Env<'_, P>, size: usize) -> Tally<P> {
        let Self { states, signals, next_signals, frontier, next_frontier, .. } = self;
        let (open, next_awake) = (&self.open, &self.next_awake);
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let scatter = Scatter { env, open, signals, to };
        let later = Later::new(frontier.edges, size);
        let (parts, found) = (frontier.as_parts(size), &mut hands(&mut self.found)[..size]);
        let shared = SharedSlice::new(found);
        parallel::each(size, &|i| {
            // SAFETY: there are as many hands and parts, and each number is given to one thread.
            // The parts hold vertices of the graph.
            unsafe {
                let Hand(found) = shared.get_unchecked_mut(i);
                to.begin(found);
                scatter.part::<true>(&parts[i].list, usize::MAX, &later, found);
            }
        });
        scatter.share_later(later, found);
        self.now_found(size)
    }
}
