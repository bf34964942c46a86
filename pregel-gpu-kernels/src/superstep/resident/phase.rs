//! How wide the near list is, from one pass over the waiting vertices to the next.
//!
//! A narrow list wastes few messages: hardly any vertex sends before its priority is final.
//! But every pass goes through all that wait. While a search spreads, messages cost most;
//! towards its end there are few, and passes cost most: then the list becomes wider.

use core::mem::offset_of;

use pregel_core::device::{Control, Counts, Global, ResidentArguments};
use pregel_core::program::Program;

use super::worklist::{get, set};
use crate::simt::load_relaxed_word;

/// The rounds from one pass to the next; all threads of the grid have the same.
#[derive(Clone, Copy)]
#[cfg_attr(test, derive(Debug, PartialEq))]
pub(super) struct Phase {
    width: f32,
    /// How many vertices the last pass that found a near one went through.
    waited: u32,
    /// How many messages were sent since; `u32::MAX` if there were more.
    sent: u32,
}

impl Phase {
    /// The phase that ends, with as many messages.
    ///
    /// # Safety
    /// `work` is whole (I1).
    #[inline(always)]
    pub(super) unsafe fn load<P: Program>(a: &ResidentArguments<P>, sent: u32) -> Self {
        // SAFETY: the caller's promise; I2: the words exist.
        let word = |word| unsafe { get(a, word, 0) };
        Self { width: f32::from_bits(word(Control::Width)), waited: word(Control::Waited), sent }
    }

    /// Leaves it to the next pass. By one thread of the grid.
    ///
    /// # Safety
    /// As [`load`](Self::load).
    #[inline(always)]
    pub(super) unsafe fn store<P: Program>(self, a: &ResidentArguments<P>) {
        // SAFETY: the caller's promise; I2: the words exist.
        unsafe {
            set(a, Control::Width, 0, self.width.to_bits());
            set(a, Control::Waited, 0, self.waited);
        }
    }

    /// The width of the near list.
    #[inline(always)]
    pub(super) fn width(self) -> f32 {
        self.width
    }

    /// The phase that begins when `waiting` vertices are gone through, each of which costs
    /// as much as `pass_messages` messages. If they have become fewer, and cost more than
    /// the messages of this phase, the near list becomes `growth` times as wide. A phase
    /// without messages says nothing: the pass before found no near vertex.
    #[inline(always)]
    pub(super) fn after(self, waiting: u32, pass_messages: f32, growth: f32) -> Self {
        if self.sent == 0 {
            return self;
        }
        let grows = waiting < self.waited && (self.sent as f32) < waiting as f32 * pass_messages;
        let width = if grows { self.width * growth } else { self.width };
        Self { width, waited: waiting, sent: 0 }
    }
}

/// How many messages round `entry` of this launch sent; `u32::MAX` if there were more.
///
/// # Safety
/// `work` is whole (I1), the trace has such an entry (I2), and the grid has passed a barrier
/// since the round.
#[inline(always)]
pub(super) unsafe fn messages_of<P: Program>(a: &ResidentArguments<P>, entry: u32) -> u32 {
    const MESSAGES: u64 = offset_of!(Counts, messages) as u64;
    let messages = Global::<u64>::at(a.work.trace.element(entry.into()) + MESSAGES);
    // SAFETY: the caller's promise; I8.
    let messages = unsafe { load_relaxed_word(messages, 0) };
    messages.min(u32::MAX.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_grows_when_fewer_vertices_wait_than_messages_pay_for() {
        let phase = |width, waited, sent| Phase { width, waited, sent };
        let after = |waited, sent, waiting| phase(3.0, waited, sent).after(waiting, 4.0, 2.0);
        // The first pass, and more vertices than at the last.
        assert_eq!(after(0, 10, 100), phase(3.0, 100, 0));
        assert_eq!(after(100, 10, 100), phase(3.0, 100, 0));
        // Fewer: it depends on the messages.
        assert_eq!(after(100, 400, 99), phase(3.0, 99, 0));
        assert_eq!(after(100, 396, 99), phase(3.0, 99, 0));
        assert_eq!(after(100, 395, 99), phase(6.0, 99, 0));
        assert_eq!(after(u32::MAX, u32::MAX, 1 << 31), phase(6.0, 1 << 31, 0));
        // Nothing was sent since the last pass.
        assert_eq!(after(100, 0, 50), phase(3.0, 100, 0));
        // A list that is already as wide as can be.
        assert_eq!(phase(f32::MAX, 9, 1).after(8, 4.0, 2.0), phase(f32::INFINITY, 8, 0));
    }
}
