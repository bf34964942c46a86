//! The queue that a search by queues fills: one in device memory, with or without queues of the
//! blocks in front of it.

use pregel_core::device::shared::{Counter, LOCAL_QUEUE};
use pregel_core::device::solve::{QueueKind, QueueSearch, Tail};
use pregel_core::device::{BLOCK, COUNTERS, Global};

use crate::collective::warp_sum_u64;
use crate::simt::{
    add_u32, add_u64, ballot, barrier, counter_load, counter_store, lane, lanes_before, match_any,
    shared_add, shared_load, shared_store, shuffle, store, thread,
};

/// Vertices in a sector of memory of 32 bytes.
const SECTOR: u32 = 8;

/// Word of [`LOCAL_QUEUE`]: how many vertices were found for it.
const FOUND: u32 = 0;
/// Word of [`LOCAL_QUEUE`]: where they go.
const BASE: u32 = 1;

/// The queue of the next level, as a thread sees it.
pub(super) struct Queue<'a> {
    a: &'a QueueSearch,
    /// Atomic additions to tails that this lane made.
    additions: u64,
    /// Sectors that this lane was the first of its warp to write, store by store.
    sectors: u64,
}

impl<'a> Queue<'a> {
    /// Empties the block's queue. All threads of the block take part (I5).
    #[inline(always)]
    pub(super) fn begin(a: &'a QueueSearch) -> Self {
        if thread() == 0 {
            // SAFETY: I9: nothing else is in this memory; I6: only this thread writes it.
            unsafe { shared_store(LOCAL_QUEUE, FOUND, 0u32) };
        }
        barrier();
        Self { a, additions: 0, sectors: 0 }
    }

    /// Puts a vertex for each lane that has one into the queue.
    ///
    /// # Safety
    /// `a` is whole (I1), the queue has room for the vertices (I2), and all lanes of the warp
    /// take part (I5).
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, found: Option<u32>) {
        let tail = Tail::Found.word(self.a.level);
        // SAFETY: the caller's promise; the kind is the same in all lanes.
        unsafe {
            match self.a.kind {
                QueueKind::Block => {
                    let full = self.put_in_block(found);
                    self.put_singly(self.a.to, tail, full);
                }
                QueueKind::Warp => self.put_together(tail, found),
                _ => self.put_singly(self.a.to, tail, found),
            }
        }
    }

    /// Puts a vertex for each lane that has one into the queue of hubs.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    pub(super) unsafe fn wait_as_hub(&mut self, hub: Option<u32>) {
        // SAFETY: the caller's promise.
        unsafe { self.put_singly(self.a.hubs, Tail::Hubs.word(self.a.level), hub) };
    }

    /// Puts vertices into a common queue, each by an addition of its own.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    unsafe fn put_singly(&mut self, queue: Global<u32>, tail: u64, found: Option<u32>) {
        let mut at = None;
        if let Some(v) = found {
            // SAFETY: I1, I2, I8: tails are only added to; I6: this place is the lane's own.
            at = Some(unsafe {
                let at = add_u32(self.a.tails.element(tail), 1);
                store(queue, at.into(), v);
                at
            });
            self.additions += 1;
        }
        self.count_stores(at);
    }

    /// Puts vertices into the common queue, by one addition for the warp.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    unsafe fn put_together(&mut self, tail: u64, found: Option<u32>) {
        let some = ballot(found.is_some());
        if some == 0 {
            return;
        }
        let mut base = 0;
        if lane() == 0 {
            // SAFETY: I1, I2, I8.
            base = unsafe { add_u32(self.a.tails.element(tail), some.count_ones()) };
            self.additions += 1;
        }
        let base = shuffle(base, 0);
        let at = found.map(|v| {
            let at = base + (some & lanes_before()).count_ones();
            // SAFETY: I2; I6: the warp reserved these places, and this is the lane's own.
            unsafe { store(self.a.to, at.into(), v) };
            at
        });
        self.count_stores(at);
    }

    /// Puts a vertex into the block's queue; returns it if that is full.
    ///
    /// # Safety
    /// Until the next [`flush`](Self::flush) only this function uses the memory (I9).
    #[inline(always)]
    unsafe fn put_in_block(&mut self, found: Option<u32>) -> Option<u32> {
        let v = found?;
        // SAFETY: I8, I9: the length is only added to until the next barrier; I6: the place is
        // the lane's own.
        unsafe {
            let at = shared_add(LOCAL_QUEUE, FOUND, 1);
            if at >= COUNTERS {
                return Some(v);
            }
            counter_store(Counter::of_found(at), v);
        }
        None
    }

    /// Moves the block's queue to the end of the common one, and empties it.
    ///
    /// # Safety
    /// As [`put`](Self::put), and all threads of the block take part (I5).
    #[inline(always)]
    pub(super) unsafe fn flush(&mut self) {
        if self.a.kind != QueueKind::Block {
            return;
        }
        barrier();
        // SAFETY: I9: written before the barrier.
        let found: u32 = unsafe { shared_load(LOCAL_QUEUE, FOUND) };
        let count = found.min(COUNTERS);
        if thread() == 0 && count > 0 {
            // SAFETY: I1, I2, I8; I6, I9: only this thread writes the word.
            unsafe {
                let base = add_u32(self.a.tails.element(Tail::Found.word(self.a.level)), count);
                shared_store(LOCAL_QUEUE, BASE, base);
            }
            self.additions += 1;
        }
        barrier();
        // The length was read by all before this barrier.
        if thread() == 0 {
            // SAFETY: I6, I9.
            unsafe { shared_store(LOCAL_QUEUE, FOUND, 0u32) };
        }
        // SAFETY: I9: written before the barrier if it is used.
        let base: u32 = unsafe { shared_load(LOCAL_QUEUE, BASE) };
        let mut first = 0;
        while first < count {
            let i = first + thread();
            let mut at = None;
            if i < count {
                // SAFETY: I9: written before the first barrier; I2; I6: thread 0 reserved these
                // places for the block, and this is the lane's own.
                unsafe {
                    store(self.a.to, u64::from(base + i), counter_load(Counter::of_found(i)))
                };
                at = Some(base + i);
            }
            self.count_stores(at);
            first += BLOCK;
        }
        barrier();
    }

    /// Counts the sectors that the lanes with a place write, if the host wants to know.
    #[inline(always)]
    fn count_stores(&mut self, at: Option<u32>) {
        if self.a.counts == 0 {
            return;
        }
        // No sector has this number.
        let sector = at.map_or(u32::MAX, |at| at / SECTOR);
        // I5: whole warps arrive here, since the branch is the same for the grid.
        let is_first = match_any(sector) & lanes_before() == 0;
        self.sectors += u64::from(at.is_some() && is_first);
    }

    /// Adds what was counted to the sums of the search.
    ///
    /// # Safety
    /// `a` is whole (I1), and all lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn end(self) {
        if self.a.counts == 0 {
            return;
        }
        let (additions, sectors) = (warp_sum_u64(self.additions), warp_sum_u64(self.sectors));
        if lane() == 0 {
            // SAFETY: I1, I2: there are two sums; I8.
            unsafe {
                add_u64(self.a.counted.element(0), additions);
                add_u64(self.a.counted.element(1), sectors);
            }
        }
    }
}
