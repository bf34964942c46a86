//! Vertices with which a warp goes ahead: it sends on from them within the round in which they
//! changed.

use core::cell::Cell;

use pregel_core::device::WARP;
use pregel_core::device::shared::{AHEAD, ahead};

use super::items::Groups;
use crate::simt::{ballot, lanes_before, shared_load, shared_store, thread, warp_barrier};

/// Places of vertices that a warp has changed and is going to send from, in shared memory: first
/// in, first out. Those that are found while a generation is worked off are the next one.
///
/// The numbers are the same in every lane, and count on beyond the capacity.
pub(super) struct Ahead {
    /// The most vertices of a generation, at most [`WARP`].
    most: u32,
    /// Generations that may follow.
    left: Cell<u32>,
    /// The next vertex.
    first: Cell<u32>,
    /// The end of this generation.
    end: Cell<u32>,
    /// The end of the next generation.
    len: Cell<u32>,
}

impl Ahead {
    /// No vertex yet, and at most this many generations.
    #[inline(always)]
    pub(super) fn new(generations: u32, most: u32) -> Self {
        let (left, zero) = (Cell::new(generations), || Cell::new(0));
        Self { most: most.min(WARP), left, first: zero(), end: zero(), len: zero() }
    }

    /// Adds the vertices of lanes that have one to the next generation, as long as there is room.
    /// Returns whether this lane's was added.
    ///
    /// # Safety
    /// Blocks have [`BLOCK`](pregel_core::device::BLOCK) threads (I4), and nothing else touches
    /// the warp's part of [`ahead`] (I9). All lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn push(&self, place: Option<u32>) -> bool {
        if self.left.get() == 0 {
            return false;
        }
        let some = ballot(place.is_some());
        let room = self.end.get() + self.most - self.len.get();
        let i = (some & lanes_before()).count_ones();
        let at = (self.len.get() + i) % AHEAD;
        self.len.set(self.len.get() + some.count_ones().min(room));
        let Some(place) = place.filter(|_| i < room) else { return false };
        // SAFETY: I9: two generations have room; I6: no other lane has this number.
        unsafe { shared_store(ahead(thread() / WARP), at, place) };
        true
    }

    /// Begins the next generation; returns whether it has any vertex.
    #[inline(always)]
    pub(super) fn next_generation(&self) -> bool {
        self.end.set(self.len.get());
        self.left.set(self.left.get().saturating_sub(1));
        self.first.get() != self.end.get()
    }

    /// Takes up to one vertex for each group of lanes: that of this lane's. `None` if none is left
    /// in this generation.
    ///
    /// # Safety
    /// As [`push`](Self::push).
    #[inline(always)]
    pub(super) unsafe fn take(&self, groups: Groups) -> Option<Option<u32>> {
        let (first, left) = (self.first.get(), self.end.get() - self.first.get());
        if left == 0 {
            return None;
        }
        warp_barrier();
        let at = (first + groups.own()) % AHEAD;
        // SAFETY: I9: stored before the barrier.
        let place =
            (groups.own() < left).then(|| unsafe { shared_load(ahead(thread() / WARP), at) });
        warp_barrier();
        self.first.set(first + left.min(groups.count()));
        Some(place)
    }
}

const _: () = assert!(AHEAD >= 2 * WARP);
