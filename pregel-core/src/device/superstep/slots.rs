//! Where pushed messages are combined: one slot per receiver.

use crate::device::Global;
use crate::program::{Delivery, Law, Message, Program};

/// Where pushed messages are combined: one slot per vertex. Between supersteps every slot
/// holds the combiner's neutral value and is marked as empty.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_debug_implementations, reason = "of the device")]
pub struct Slots<P: Program> {
    /// The combination of the messages that have arrived.
    pub messages: Global<Message<P>>,
    /// The state of each slot. 0: empty; 1: a message has arrived; 2: a lane is combining.
    pub arrived: Global<u32>,
}

/// Whether the first message to arrive is as good as any other.
pub const fn any_will_do<P: Program>() -> bool {
    matches!(P::Combiner::MERGE_LAW, Law::Arbitrary)
}

/// Whether combining messages of `D` needs a lock: no atomic instruction changes values of
/// their size, and they must all be combined.
pub const fn needs_lock<D: Delivery>() -> bool {
    !matches!(D::MERGE_LAW, Law::Arbitrary) && !matches!(size_of::<D::Message>(), 0 | 4 | 8)
}

/// Whether a warp holds back pushed messages to combine those for one receiver first: it
/// does if no atomic instruction combines them in memory. `Min` and `Max` of floats count
/// as native although they have no such instruction, since most of their messages change
/// nothing and are not worth holding.
pub const fn holds_messages<P: Program>() -> bool {
    P::Combiner::COMBINES
        && (needs_lock::<P::Combiner>()
            || P::Combiner::MERGE_NATIVE.is_none() && !any_will_do::<P>())
}
