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

use pregel_core::device::BLOCK;
use pregel_core::device::solve::{NOT_FOUND, QueueSearch, Tail};

use super::queue::Queue;
use crate::simt::{
    ballot, block, blocks, compare_exchange_u32, index, load_const, load_once, load_pair,
    load_relaxed_u32, store_relaxed_u32, thread,
};

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
        let [mut first, end] = unsafe {
            let v: u32 = load_const(a.hubs, i.into());
            load_pair(a.offsets, v.into())
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
            && compare_exchange_u32(level, NOT_FOUND, a.level) == NOT_FOUND;
        is_first.then_some(target)
    }
}
