//! How messages come together in a slot a receiver.

use crate::program::{Delivery, Law, Program};

/// Whether the first message that comes is as good as any.
pub const fn any_will_do<P: Program>() -> bool {
    matches!(P::Combiner::MERGE_LAW, Law::Arbitrary)
}

/// Whether messages of `D` are larger than what an atomic instruction changes, and the
/// first that comes is not all that counts.
pub const fn needs_lock<D: Delivery>() -> bool {
    !matches!(D::MERGE_LAW, Law::Arbitrary) && !matches!(size_of::<D::Message>(), 0 | 4 | 8)
}

/// Whether messages that are pushed are held before they are combined: if no instruction
/// does that. (`Min` and `Max` of floats have a name but no instruction; most of their
/// messages change nothing, and are not worth holding.)
pub const fn holds_messages<P: Program>() -> bool {
    P::Combiner::COMBINES
        && (needs_lock::<P::Combiner>()
            || P::Combiner::MERGE_NATIVE.is_none() && !any_will_do::<P>())
}
