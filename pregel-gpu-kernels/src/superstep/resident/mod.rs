//! Resident kernels: supersteps or rounds, many in one launch. Between them the blocks wait for
//! each other, not for the host.
//!
//! | What | File |
//! |---|---|
//! | supersteps of small frontiers | `supersteps.rs` |
//! | rounds by priority; how wide the near list is | `near_far.rs`, `phase.rs` |
//! | one such round; vertices with which a warp goes ahead | `relax.rs`, `ahead.rs` |
//! | what is shared out among the warps, and lists that grow meanwhile | `items.rs`, `append.rs` |
//! | items that a block keeps for itself | `kept.rs` |
//! | vertices that a warp is going to list | `listing.rs` |
//! | messages that a warp has yet to hand over | `pending.rs` |
//! | control words, waiting for the grid, counts | `worklist.rs` |

mod ahead;
mod append;
mod items;
mod kept;
mod listing;
mod near_far;
mod pending;
mod phase;
mod relax;
mod supersteps;
mod worklist;

pub use near_far::{near_ahead, near_bulk, near_far};
pub use supersteps::resident;
