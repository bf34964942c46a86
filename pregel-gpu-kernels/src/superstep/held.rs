//! Pushes messages that no instruction combines: by compare-and-swap, or under a lock per
//! slot.

use pregel_core::device::{Arguments, WARP, needs_lock};
use pregel_core::program::{Delivery, Message, Program};

use crate::simt::{
    ballot, compare_exchange_u32, exchange_u32, fence, lane, load_relaxed, load_relaxed_u32,
    match_any, shuffle_value, sleep, store, store_relaxed_u32, try_update_word,
};

/// What a slot's `arrived` says while one lane has the slot to itself.
const LOCKED: u32 = 2;

/// The longest that a warp sleeps between two tries, in nanoseconds.
const LONGEST_SLEEP: u32 = 1 << 15;

/// What a lane has combined for the last receiver that it had a message for.
///
/// Threads change the slot of a hub one after the other. So a lane keeps what it has until
/// a message for another receiver comes, and the lanes of a warp join what they have for
/// one receiver.
pub(super) struct HeldMessage<P: Program>(Option<(u32, Message<P>)>);

impl<P: Program> HeldMessage<P> {
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn none() -> Self {
        Self(None)
    }

    /// Takes a message and its receiver's place from each lane that has one.
    ///
    /// # Safety
    /// `slots` is whole (I1), the place is below `vertices.count` (I2), and during the
    /// kernel only this type touches the slots (I8). All lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, a: &Arguments<P>, new: Option<(u32, Message<P>)>) {
        let mut out = None;
        if let Some((place, message)) = new {
            let mut combined = message;
            match self.0 {
                Some((same, held)) if same == place => combined = P::Combiner::merge(held, message),
                other => out = other,
            }
            self.0 = Some((place, combined));
        }
        // SAFETY: the caller's promise.
        unsafe { deliver(a, out) }
    }

    /// Delivers what is left.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    pub(super) unsafe fn finish(self, a: &Arguments<P>) {
        // SAFETY: the caller's promise.
        unsafe { deliver(a, self.0) }
    }
}

/// Combines a message of each lane that has one into its receiver's slot.
///
/// # Safety
/// As [`HeldMessage::put`].
#[inline(always)]
unsafe fn deliver<P: Program>(a: &Arguments<P>, message: Option<(u32, Message<P>)>) {
    if ballot(message.is_some()) == 0 {
        return;
    }
    let none = (u32::MAX, P::Combiner::neutral());
    let (place, message) = message.unwrap_or(none);
    let (is_first, sum) = combine_peers::<P>(place, message);
    let mut waits = is_first && place != u32::MAX;
    let mut pause = 32;
    // A lane that holds a lock waits for no other. The warp sleeps when none holds one.
    while ballot(waits) != 0 {
        // SAFETY: the caller's promise: the place is below `vertices.count`.
        if waits && unsafe { try_combine(a, place, sum) } {
            waits = false;
        }
        if ballot(waits) != 0 {
            sleep(pause);
            pause = (2 * pause).min(LONGEST_SLEEP);
        }
    }
}

/// Combines the messages of lanes with the same place; returns whether this lane is the
/// first of them, which has the result. All lanes of the warp take part (I5).
#[inline(always)]
fn combine_peers<P: Program>(place: u32, message: Message<P>) -> (bool, Message<P>) {
    let peers = match_any(place);
    let is_first = peers & peers.wrapping_neg() == 1 << lane();
    let mut sum = message;
    let mut others = peers & (peers - 1);
    if place == u32::MAX {
        others = 0;
    }
    while ballot(others != 0) != 0 {
        let other = others.trailing_zeros() % WARP;
        let theirs = shuffle_value(message, other);
        if others != 0 {
            sum = P::Combiner::merge(sum, theirs);
            others &= others - 1;
        }
    }
    (is_first, sum)
}

/// Combines a message into the slot at `place`, unless another lane is busy with it;
/// returns whether it did.
///
/// # Safety
/// `slots` is whole (I1), the place is below `vertices.count` (I2), and during the kernel
/// only this function touches the slots (I8).
#[inline(always)]
unsafe fn try_combine<P: Program>(a: &Arguments<P>, place: u32, message: Message<P>) -> bool {
    let i = u64::from(place);
    let arrived = a.slots.arrived.element(i);
    if !needs_lock::<P::Combiner>() {
        // SAFETY: the caller's promise; I8: a word, changed by compare-and-swap.
        unsafe {
            let done = try_update_word(a.slots.messages, i, |old| P::Combiner::merge(old, message));
            if done {
                store_relaxed_u32(arrived, 1);
            }
            return done;
        }
    }
    // SAFETY: the caller's promise; I8: the word is the slot's lock.
    unsafe {
        let seen = load_relaxed_u32(arrived);
        if seen == LOCKED || compare_exchange_u32(arrived, seen, LOCKED) != seen {
            return false;
        }
    }
    fence();
    // SAFETY: I6: this lane has the lock, and so owns the slot; I8: between two fences.
    unsafe {
        let old = load_relaxed(a.slots.messages, i);
        store(a.slots.messages, i, P::Combiner::merge(old, message));
        fence();
        exchange_u32(arrived, 1);
    }
    true
}
