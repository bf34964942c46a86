//! Small supersteps that a team of threads pushes.
//!
//! Each thread sends for the vertices that it found itself in the superstep before: their rows,
//! and the states around them, are in its caches.

use super::at_once::{AtOnce, Found};
use super::{Memory, outbox};
use crate::engine::cpu::scatter::{Scatter, is_long};
use crate::engine::cpu::vertex::{Env, Tally};
use crate::parallel::{self, team};
use crate::program::VertexCompute;
use crate::shared::SharedSlice;

/// With fewer edges than this, one of two threads is done before the other has begun.
const LEAST: u64 = 1 << 10;
/// The same for more threads.
const LEAST_OF_MANY: u64 = 1 << 11;
/// With more edges than this, it matters that threads take parts from one another.
const MOST: u64 = 1 << 16;

/// What a thread finds, on cache lines of its own.
#[repr(align(128))]
struct Hand<P: VertexCompute>(Found<P>);

/// What each thread of a team finds.
pub(super) struct ByTeam<P: VertexCompute>(Vec<Hand<P>>);

impl<P: VertexCompute> ByTeam<P> {
    fn new(size: usize) -> Self {
        Self((0..size).map(|_| Hand(Found::new(0))).collect())
    }

    /// Whether it has ever found anything.
    #[cfg(test)]
    pub(super) fn is_used(&self) -> bool {
        self.0.iter().any(|Hand(found)| found.listed.scattering.capacity() > 0)
    }
}

impl<P: VertexCompute> Memory<P> {
    /// What threads need for the superstep if it has as many edges as a team takes, and they are
    /// here. Whoever takes it puts it back.
    pub(super) fn take_team(&mut self) -> Option<ByTeam<P>> {
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
        if !team::is_here() && !cfg!(test) {
            return None;
        }
        let same = self.by_team.take().filter(|by| by.0.len() == size);
        Some(same.unwrap_or_else(|| ByTeam::new(size)))
    }

    /// One superstep by pushing, as [`push_at_once`](Self::push_at_once), by a team.
    pub(super) fn push_by_team(&mut self, env: &Env<'_, P>, mut by: ByTeam<P>) -> Tally<P> {
        let Self { states, signals, next_signals, frontier, next_frontier, .. } = self;
        let (open, next_awake) = (&self.open, &self.next_awake);
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let scatter = Scatter { env, open, signals, to };
        let ByTeam(hands) = &mut by;
        let parts = frontier.as_parts(hands.len());
        let shared = SharedSlice::new(hands);
        parallel::each(parts.len(), &|i| {
            // SAFETY: there are as many hands as parts, and each is given to one thread. The
            // parts hold vertices of the graph.
            unsafe {
                let Hand(found) = shared.get_unchecked_mut(i);
                found.listed.clear();
                scatter.part::<true>(&parts[i].list, usize::MAX, found);
            }
        });
        let tally = hands.iter().fold(Tally::new(), |sum, Hand(found)| sum.and(found.listed.tally));
        hands.iter_mut().for_each(|Hand(found)| found.reopen(open));
        self.now_awake(hands.iter().map(|Hand(found)| &found.listed.awake[..]));
        self.frontier.now_parts(|parts| {
            for (part, Hand(found)) in parts.iter_mut().zip(hands) {
                std::mem::swap(&mut part.list, &mut found.listed.scattering);
                part.edges = found.listed.tally.offered;
            }
        });
        std::mem::swap(&mut self.signals, &mut self.next_signals);
        self.by_team = Some(by);
        tally
    }
}
