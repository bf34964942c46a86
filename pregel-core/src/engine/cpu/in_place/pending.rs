//! Which changes are still to be sent.

use std::cmp::Ordering::Less;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU8, fence};

use bytemuck::bytes_of;

use crate::engine::cpu::bitmap::Bitmap;
use crate::program::{VertexCompute, VertexId};

/// A vertex that has something to send, and the state that it had when that was listed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change<S> {
    pub(super) vertex: VertexId,
    pub(super) state: S,
}

/// Tells changes that are still to be sent from those that a later one of the same vertex has
/// replaced.
///
/// Whoever alters a state lists the change, with the new state. So if a vertex has another state
/// than a change of it says, there is a later change of it, and this one is skipped. No memory is
/// taken for each vertex, and each state is sent once at most.
///
/// That fails for a vertex that is altered without a vote to scatter, since such a change is not
/// listed. From the first time on that this happens in a run, a change is skipped only if the
/// vertex has a better priority; and if a priority has ever become better without a vote to
/// scatter, none is skipped. More is sent then than has to be, which a program that is `MONOTONE`
/// permits.
#[derive(Debug)]
pub(super) struct Pending {
    /// Which exceptions there have been.
    seen: AtomicU8,
    /// Vertices that have voted to scatter in an unaltered state and have not sent since. They are
    /// listed once.
    unaltered: Bitmap,
}

/// A vertex was altered without a vote to scatter.
const SILENT: u8 = 1;
/// The same, and its priority was altered too.
const SILENTLY_PREFERRED: u8 = 2;
/// A vertex voted to scatter in an unaltered state.
const UNALTERED: u8 = 4;

impl Pending {
    pub(super) fn new(len: u32) -> Self {
        Self { seen: AtomicU8::new(0), unaltered: Bitmap::new(len) }
    }

    /// Forgets the exceptions: every vertex that has something to send is listed anew.
    pub(super) fn forget(&self) {
        self.seen.store(0, Relaxed);
    }

    /// To be called before a state is replaced by one that is `altered` without a vote to scatter.
    #[cold]
    pub(super) fn silent<P: VertexCompute>(
        &self,
        program: &P,
        before: &P::State,
        after: &P::State,
    ) {
        let [before, after] =
            [before, after].map(|state| program.priority(state).map(f32::to_bits));
        self.see(if before == after { SILENT } else { SILENT | SILENTLY_PREFERRED });
        // Whoever sees the new state sees the note.
        fence(Release);
    }

    /// Notes that `v` sends although its state is unaltered. Returns whether it is to be listed.
    #[cold]
    pub(super) fn again<const SHARED: bool>(&self, v: VertexId) -> bool {
        self.see(UNALTERED);
        self.unaltered.insert::<SHARED>(v)
    }

    /// Whether `change` is still to be sent if its vertex is in the state `now`.
    #[inline(always)]
    pub(super) fn holds<P: VertexCompute>(
        &self,
        program: &P,
        change: &Change<P::State>,
        now: &P::State,
    ) -> bool {
        bytes_of(&change.state) == bytes_of(now) || self.holds_altered(program, &change.state, now)
    }

    fn holds_altered<P: VertexCompute>(
        &self,
        program: &P,
        before: &P::State,
        now: &P::State,
    ) -> bool {
        fence(Acquire);
        match self.seen.load(Relaxed) {
            seen if seen & SILENTLY_PREFERRED != 0 => true,
            seen if seen & SILENT != 0 => {
                let [before, now] = [before, now].map(|state| program.priority(state));
                // An unordered priority is not better.
                now.partial_cmp(&before) != Some(Less)
            }
            _ => false,
        }
    }

    /// Notes that `v` sends now.
    #[inline(always)]
    pub(super) fn sends<const SHARED: bool>(&self, v: VertexId) {
        if self.seen.load(Relaxed) & UNALTERED != 0 && self.unaltered.contains(v) {
            self.unaltered.remove::<SHARED>(v);
        }
    }

    fn see(&self, exception: u8) {
        if self.seen.load(Relaxed) & exception != exception {
            self.seen.fetch_or(exception, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::in_place::tests::Steps;

    #[test]
    fn a_change_is_replaced_by_a_later_one() {
        let (pending, program) = (Pending::new(3), Steps::default());
        let holds = |state, now| pending.holds(&program, &Change { vertex: 1, state }, &now);
        assert!(holds(5, 5) && !holds(5, 4) && !holds(4, 5));
        // 2^24 + 1 and 2^24 have the same priority.
        pending.silent(&program, &((1 << 24) + 1), &(1 << 24));
        assert!(holds(5, 5) && !holds(5, 4) && holds((1 << 24) + 1, 1 << 24));
        pending.silent(&program, &3, &2);
        assert!(holds(5, 5) && holds(5, 4));
        pending.forget();
        assert!(holds(5, 5) && !holds(5, 4));
    }

    #[test]
    fn a_vertex_without_a_change_is_listed_once_until_it_sends() {
        let pending = Pending::new(3);
        assert!(pending.again::<true>(1) && !pending.again::<true>(1) && pending.again::<false>(2));
        pending.sends::<true>(1);
        pending.sends::<false>(0);
        assert!(pending.again::<false>(1) && !pending.again::<true>(2));
    }
}
