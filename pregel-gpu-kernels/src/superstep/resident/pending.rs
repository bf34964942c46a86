//! Messages that a warp has yet to hand over.

use core::marker::PhantomData;

use bytemuck::Pod;
use pregel_core::device::WARP;
use pregel_core::device::shared::{PENDING, pending, pending_message};

use crate::simt::{
    ballot, lane, lanes_before, shared_load, shared_store, thread, tile_load, tile_store,
    warp_barrier,
};

/// Messages, of at most 16 bytes, that a warp has yet to hand over, with the places of their
/// receivers, in shared memory. Few messages change their receiver: were each handed over as
/// soon as it is sent, the whole warp would wait for one or two lanes.
pub(super) struct Pending<T> {
    /// How many; the same in every lane.
    len: u32,
    of: PhantomData<T>,
}

impl<T: Pod> Pending<T> {
    /// None yet.
    #[inline(always)]
    pub(super) fn new() -> Self {
        Self { len: 0, of: PhantomData }
    }

    /// Adds a message for each lane that has one. Once there are enough, `hand_over` takes one per
    /// lane; also if these `are_last`, when no lane brings any more.
    ///
    /// # Safety
    /// Blocks have [`BLOCK`] threads (I4), messages at most 16 bytes. Nothing else touches the
    /// warp's pending list or the words of its messages until the last were handed over (I9). All
    /// lanes of the warp take part (I5).
    #[inline(always)]
    pub(super) unsafe fn push(
        &mut self,
        message: Option<(u32, T)>,
        are_last: bool,
        hand_over: impl FnOnce(Option<(u32, T)>),
    ) {
        let some = ballot(message.is_some());
        if some == 0 && !are_last {
            return;
        }
        if let Some((place, message)) = message {
            let i = self.len + (some & lanes_before()).count_ones();
            // SAFETY: I9: fewer than 32 were pending, so there is room for 32 more; I6: no
            // other lane has `i`.
            unsafe {
                shared_store(pending(thread() / WARP), i, place);
                tile_store(pending_message(thread() / WARP, i), message);
            }
        }
        self.len += some.count_ones();
        if self.len >= WARP || are_last && self.len > 0 {
            let first = self.len.saturating_sub(WARP);
            warp_barrier();
            let i = first + lane();
            // SAFETY: I9: these were stored before the barrier. Those before them stay where they
            // are.
            let message = (i < self.len).then(|| unsafe { Self::load(i) });
            warp_barrier();
            self.len = first;
            hand_over(message);
        }
    }

    /// Message `i` and its receiver.
    ///
    /// # Safety
    /// It was stored before the last barrier of the warp (I9).
    #[inline(always)]
    unsafe fn load(i: u32) -> (u32, T) {
        let warp = thread() / WARP;
        // SAFETY: the caller's promise.
        unsafe { (shared_load(pending(warp), i), tile_load(pending_message(warp, i))) }
    }
}

const _: () = assert!(PENDING >= 2 * WARP, "room for 32 more than fewer than 32");
