//! Breadth-first search by queues, as FlexBFS describes it: Liu Gu and others, *Study on
//! Optimizing Techniques of Breadth-first Search Algorithm on Graphic Processing Unit*, 2014.
//!
//! A thread takes a vertex of the last level and goes through its row (§3.1). What it finds
//! goes to the queue of the next level, through a queue in shared memory if the host asks for it
//! (§3.2). A vertex with a long row waits in the queue of hubs instead, and the threads of a
//! block then share its row (§3.3). The paper guards queues by locks; here a vertex takes its
//! place by an atomic addition.
//!
//! Levels and tails are contended words (I8).

use pregel_core::device::shared::{Counter, LOCAL_QUEUE};
use pregel_core::device::solve::{NOT_FOUND, QueueKind, QueueSearch, Tail};
use pregel_core::device::{BLOCK, COUNTERS, Global};

use crate::collective::warp_sum_u64;
use crate::simt::{
    add_u32, add_u64, ballot, barrier, block, blocks, compare_exchange_relaxed_u32, counter_load,
    counter_store, index, lane, lanes_before, load_const, load_once, load_relaxed_u32, match_any,
    shared_add, shared_load, shared_store, shuffle, store, store_relaxed_u32, thread,
};

/// Vertices in a sector of memory of 32 bytes.
const SECTOR: u32 = 8;

/// Word of [`LOCAL_QUEUE`]: how many vertices were found for it.
const FOUND: u32 = 0;
/// Word of [`LOCAL_QUEUE`]: where they go.
const BASE: u32 = 1;

/// `expand`, on any number of blocks: each thread takes one vertex of the last level after the
/// other, and finds the neighbours of those that are no hubs.
///
/// # Safety
/// `a` is whole (I1), and the tails of this level are 0.
#[inline(always)]
pub unsafe fn expand(a: &QueueSearch) {
    if index() == 0 {
        // The host has read the tails of the level before, and no thread reads them now.
        // SAFETY: I1, I2; I8.
        unsafe {
            store_relaxed_u32(a.tails.element(Tail::Found.word(a.level + 1)), 0);
            store_relaxed_u32(a.tails.element(Tail::Hubs.word(a.level + 1)), 0);
        }
    }
    let mut queue = Queue::begin(a);
    let stride = u64::from(blocks()) * u64::from(BLOCK);
    let mut first = u64::from(block()) * u64::from(BLOCK);
    // I5: the same for all threads of a block.
    while first < a.count.into() {
        let at = first + u64::from(thread());
        let (mut edge, mut end) = (0, 0);
        let mut hub = None;
        if at < a.count.into() {
            // SAFETY: I2: the queue has this vertex, which has a row; I7.
            unsafe {
                let v: u32 = load_const(a.from, at);
                edge = load_const(a.offsets, v.into());
                end = load_const(a.offsets, u64::from(v) + 1);
                if end - edge > a.hub_degree.into() {
                    (hub, end) = (Some(v), edge);
                }
            }
        }
        // SAFETY: I1; I2: the edges exist, and a vertex is queued once, when it is found, and
        // waits as a hub once, so that the queues have room; I5: whole warps go through these
        // loops, and whole blocks arrive at `flush`.
        unsafe {
            queue.wait_as_hub(hub);
            while ballot(edge < end) != 0 {
                queue.put(find(a, edge, end));
                edge += 1;
            }
            queue.flush();
        }
        first += stride;
    }
    // SAFETY: I1, I5.
    unsafe { queue.end() };
}

/// `expand_hubs`, on any number of blocks: each takes one vertex of the queue of hubs after
/// the other, and its threads share the neighbours.
///
/// # Safety
/// `a` is whole (I1), and `expand` has run.
#[inline(always)]
pub unsafe fn expand_hubs(a: &QueueSearch) {
    let mut queue = Queue::begin(a);
    // SAFETY: I1, I2; I7: only `expand` adds to this tail.
    let hubs: u32 = unsafe { load_const(a.tails, Tail::Hubs.word(a.level)) };
    let mut i = block();
    // I5: the same for all threads of a block, like the bounds of the row.
    while i < hubs {
        // SAFETY: I2: this many hubs wait, and each has a row; I7.
        let (mut first, end) = unsafe {
            let v: u32 = load_const(a.hubs, i.into());
            (load_const(a.offsets, v.into()), load_const(a.offsets, u64::from(v) + 1))
        };
        while first < end {
            // SAFETY: I1; I2: the edges exist, and a vertex is queued once; I5.
            unsafe { queue.put(find(a, first + u64::from(thread()), end)) };
            first += u64::from(BLOCK);
        }
        // SAFETY: I1, I5.
        unsafe { queue.flush() };
        i += blocks();
    }
    // SAFETY: I1, I5.
    unsafe { queue.end() };
}

/// The vertex at the other end of an edge, if the edge is before `end` and this lane is the
/// first that reaches it.
///
/// # Safety
/// `a` is whole (I1), and edges below `end` exist (I2).
#[inline(always)]
unsafe fn find(a: &QueueSearch, edge: u64, end: u64) -> Option<u32> {
    if edge >= end {
        return None;
    }
    // SAFETY: the caller's promise; I2: a target is a vertex, which has a level; I7, I8.
    unsafe {
        let target: u32 = load_once(a.targets, edge);
        let level = a.levels.element(target.into());
        let is_first = load_relaxed_u32(level) == NOT_FOUND
            && compare_exchange_relaxed_u32(level, NOT_FOUND, a.level) == NOT_FOUND;
        is_first.then_some(target)
    }
}

/// The queue of the next level, as a thread sees it.
struct Queue<'a> {
    a: &'a QueueSearch,
    /// Atomic additions to tails that this lane made.
    additions: u64,
    /// Sectors that this lane was the first of its warp to write, store by store.
    sectors: u64,
}

impl<'a> Queue<'a> {
    /// Empties the block's queue. All threads of the block take part (I5).
    #[inline(always)]
    fn begin(a: &'a QueueSearch) -> Self {
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
    unsafe fn put(&mut self, found: Option<u32>) {
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
    unsafe fn wait_as_hub(&mut self, hub: Option<u32>) {
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
    unsafe fn flush(&mut self) {
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
    unsafe fn end(self) {
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
