//! Supersteps of a vertex program, generic over the program.
//!
//! | Strategy | Kernels of one superstep |
//! |---|---|
//! | mailbox, as in the thesis | `send`, `read` |
//! | mailbox, hubs split | `send`, `read_chunks`, `read_heavy`, `read` |
//! | Medusa | `send`, `segments`, `segment_vertices`; with a message list as below |
//! | both, with a message list | `send`, `sort_lists` if it is sorted, `read` |
//! | pull | `pull`, `pull_packed`, `pull_even` or `pull_hot`; `pull_heavy` |
//! | pull, binned messages | `bin_apart`, `bin_send`, `bin_pull`, `pull`, `pull_heavy` |
//! | pull, messages exchanged | `bin_apart`, `bin_exchange`, `pull`, `pull_heavy` |
//! | pull, hub messages separate, others pulled | `bin_apart`, `pull_rest`, `pull`, `pull_heavy` |
//! | push | `push`, `arrive` |
//! | many supersteps by push | `resident` |
//! | rounds by priority, in place | `near_far`; `near_ahead` where frontiers stay small, `near_bulk` on large graphs |
//!
//! Superstep 0 is `init`. A program with an aggregate needs `reduce` after the last kernel;
//! supersteps that are queued together end with `close` instead. Every kernel takes the
//! argument block of its [strategy](pregel_core::device::superstep), and says how many
//! blocks it needs. Its unsafe code rests on the invariants of [`simt`](crate::simt).

mod bins;
mod even;
mod gather;
mod held;
mod hot;
mod join;
mod lists;
mod mail;
mod pull;
mod push;
mod resident;
mod segments;
mod steady;
mod vertex;

use pregel_core::device::Run;
use pregel_core::program::{Monoid, VertexCompute};

pub use bins::{bin_apart, bin_exchange, bin_pull, bin_send, pull_rest};
pub use even::pull_even;
pub use hot::pull_hot;
pub use join::{pull_heavy, read_heavy};
pub use lists::sort_lists;
pub use mail::{read, read_chunks, send};
pub use pull::{pull, pull_packed};
pub use push::{arrive, push};
pub use resident::{near_ahead, near_bulk, near_far, resident};
pub use segments::{segment_vertices, segments};
pub use steady::close;
pub use vertex::init;

use crate::collective::block_reduce;
use crate::simt::{block, index, load, store, thread};

/// `reduce`, one thread per aggregate: combines those of each block, always in the same
/// order.
///
/// # Safety
/// `step` is whole (I1); `step.total` has room for one value per block.
#[inline(always)]
pub unsafe fn reduce<P: VertexCompute>(run: &Run<P>) {
    let partial = if index() < run.step.partial_count.into() {
        // SAFETY: I2: the index is below the number of partial results.
        unsafe { load(run.step.partials, index()) }
    } else {
        P::Aggregate::identity()
    };
    let total = block_reduce(partial, P::Aggregate::identity(), P::Aggregate::combine);
    if thread() == 0 {
        // SAFETY: I1: there is room for each block; I6: this thread alone writes its value.
        unsafe { store(run.step.total, block().into(), total) };
    }
}
