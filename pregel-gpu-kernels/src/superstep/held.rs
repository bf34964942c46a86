//! Pushing messages that no instruction combines: by compare-and-swap, or under a lock
//! a slot.

use pregel_core::device::{Arguments, WARP, needs_lock};
use pregel_core::program::{Delivery, Message, Program};

use crate::simt::{
    ballot, compare_exchange_u32, exchange_u32, fence, lane, match_any, nap, read, read_u32,
    shuffle_value, store, try_update_word, write_u32,
};

/// What a slot's `arrived` says while a lane has the slot to itself.
const LOCKED: u32 = 2;

/// The longest that a warp sleeps between two tries, in nanoseconds.
const LONGEST_NAP: u32 = 1 << 15;

/// What a lane has combined for the last receiver that it had a message for.
///
/// The slot of a hub is changed by one thread after the other. So a lane keeps what it
/// has until a message for another receiver comes, and the lanes of a warp join what
/// they have for one receiver.
pub(super) struct Held<P: Program>(Option<(u32, Message<P>)>);

impl<P: Program> Held<P> {
    /// Nothing yet.
    #[inline(always)]
    pub(super) fn nothing() -> Self {
        Self(None)
    }

    /// Takes a message and its receiver's place, from each lane that has one. All lanes
    /// of the warp take part.
    ///
    /// # Safety
    /// `slots` is whole and touched by this type alone during the kernel.
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
        // SAFETY: as the caller promises.
        unsafe { deliver(a, out) }
    }

    /// Hands over what is left. All lanes of the warp take part.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    pub(super) unsafe fn finish(self, a: &Arguments<P>) {
        // SAFETY: as the caller promises.
        unsafe { deliver(a, self.0) }
    }
}

/// Combines a message of each lane that has one into its receiver's slot. All lanes of
/// the warp take part.
///
/// # Safety
/// As [`Held::put`].
#[inline(always)]
unsafe fn deliver<P: Program>(a: &Arguments<P>, message: Option<(u32, Message<P>)>) {
    if ballot(message.is_some()) == 0 {
        return;
    }
    let nobody = (u32::MAX, P::Combiner::neutral());
    let (place, message) = message.unwrap_or(nobody);
    let (first, sum) = join::<P>(place, message);
    let mut waits = first && place != u32::MAX;
    let mut pause = 32;
    // A lane that has a lock waits for nobody. All sleep together, when none has one.
    while ballot(waits) != 0 {
        // SAFETY: the place is that of a vertex.
        if waits && unsafe { try_combine(a, place, sum) } {
            waits = false;
        }
        if ballot(waits) != 0 {
            nap(pause);
            pause = (2 * pause).min(LONGEST_NAP);
        }
    }
}

/// Combines the messages of lanes with the same place; whether this lane is the first of
/// them, which has the result. All lanes of the warp take part.
#[inline(always)]
fn join<P: Program>(place: u32, message: Message<P>) -> (bool, Message<P>) {
    let peers = match_any(place);
    let first = peers & peers.wrapping_neg() == 1 << lane();
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
    (first, sum)
}

/// Combines a message into the slot at `place`, unless another lane is about it;
/// whether that was done.
#[inline(always)]
unsafe fn try_combine<P: Program>(a: &Arguments<P>, place: u32, message: Message<P>) -> bool {
    let i = u64::from(place);
    let arrived = a.slots.arrived.element(i);
    // SAFETY: there is a slot for every vertex; the fences order what the holders of
    // its lock do.
    unsafe {
        if !needs_lock::<P::Combiner>() {
            let done = try_update_word(a.slots.messages, i, |old| P::Combiner::merge(old, message));
            if done {
                write_u32(arrived, 1);
            }
            return done;
        }
        let seen = read_u32(arrived);
        if seen == LOCKED || compare_exchange_u32(arrived, seen, LOCKED) != seen {
            return false;
        }
        fence();
        let old = read(a.slots.messages, i);
        store(a.slots.messages, i, P::Combiner::merge(old, message));
        fence();
        exchange_u32(arrived, 1);
    }
    true
}
