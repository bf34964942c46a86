//! Which vertices have something to send.

use bytemuck::bytes_of;

use crate::engine::cpu::bitmap::{Bitmap, Bits};
use crate::engine::cpu::cells::{Cells, CellsRef};
use crate::program::{Value, VertexId};

/// The state that each vertex has sent last: one whose state differs has a change to send.
///
/// No thread waits for another, and nothing here is exchanged atomically. A thread that
/// changes a state lists the vertex; whoever takes it from the list, in the same thread or
/// after a join, reads that state or a later one, and sends it unless some thread has. Two
/// threads that take a vertex at the same time may both send, or note the older of two
/// states, so that the vertex seems to have a change to send: its messages are then
/// delivered twice, which a program that is `MONOTONE` permits.
#[derive(Debug)]
pub(super) struct Pending<S> {
    sent: Cells<S>,
    /// Vertices that send without a change: those that scatter first, and those that voted
    /// to scatter in an unaltered state.
    unaltered: Bitmap,
}

impl<S: Value> Pending<S> {
    /// For `len` vertices in these states, of which the `first` have something to send.
    pub(super) fn new(len: u32, states: CellsRef<'_, S>, first: &[VertexId]) -> Self {
        Self { sent: Cells::new(len, |v| states.load(v)), unaltered: Bitmap::of(len, first) }
    }

    #[inline(always)]
    pub(super) fn all(&self) -> PendingRef<'_, S> {
        PendingRef { sent: self.sent.all(), unaltered: &self.unaltered }
    }
}

/// All of [`Pending`]. Like [`Bits`] it holds addresses.
#[derive(Debug)]
pub(super) struct PendingRef<'a, S> {
    sent: CellsRef<'a, S>,
    unaltered: &'a Bits,
}

impl<S> Clone for PendingRef<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for PendingRef<'_, S> {}

impl<S: Value> PendingRef<'_, S> {
    #[inline(always)]
    pub(super) fn prefetch(&self, v: VertexId) {
        self.sent.prefetch(v);
    }

    /// Whether `v`, in this state, has something to send.
    #[inline(always)]
    pub(super) fn contains(&self, v: VertexId, state: &S) -> bool {
        bytes_of(&self.sent.load(v)) != bytes_of(state) || self.unaltered.contains(v)
    }

    /// Notes that `v` sends this state now; returns whether it had something to send. With
    /// `SHARED` other threads may do the same at the same time.
    #[inline(always)]
    pub(super) fn take<const SHARED: bool>(&self, v: VertexId, state: &S) -> bool {
        let altered = bytes_of(&self.sent.load(v)) != bytes_of(state);
        if altered {
            self.sent.store(v, *state);
        }
        let listed = self.unaltered.contains(v);
        if listed {
            self.unaltered.remove::<SHARED>(v);
        }
        altered || listed
    }

    /// Lets `v` send although its state is as it was; `SHARED` as in [`take`](Self::take).
    #[inline(always)]
    pub(super) fn insert<const SHARED: bool>(&self, v: VertexId) {
        self.unaltered.insert::<SHARED>(v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_sent_once() {
        let states = Cells::new(3, |v| 10 + v);
        let pending = Pending::new(3, states.all(), &[1]);
        let all = pending.all();
        assert_eq!([0, 1, 2].map(|v| all.contains(v, &(10 + v))), [false, true, false]);
        assert!(all.take::<false>(1, &11) && !all.take::<true>(1, &11));
        assert!(all.contains(2, &5) && all.take::<true>(2, &5));
        assert!(!all.contains(2, &5) && !all.take::<false>(2, &5));
        all.insert::<true>(2);
        assert!(all.contains(2, &5) && all.take::<true>(2, &5) && !all.take::<true>(2, &5));
    }
}
