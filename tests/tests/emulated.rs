//! Compares the GPU engine, under the emulator, with the reference: `conformance.rs`
//! for machines without a GPU. `pulls.rs` and `bins.rs` test what pulls alone.
//!
//! Every program runs with `auto`, `push` and `mailbox` on a sample of the zoo; on all of it if
//! `PREGEL_ROSTER=whole` is set.

use pregel_core::engine::Strategy::{Auto, Mailbox, Push};
use pregel_core::engine::gpu::{Choice, GpuOptions, Sort};
use pregel_roster::conformance;
use pregel_roster::suite::{as_large, emulated};

/// The default options.
fn default() -> GpuOptions {
    GpuOptions::default()
}

/// Rounds by priority, one launch per round.
fn by_rounds() -> GpuOptions {
    default().with_priority(Choice::Always).with_resident(Choice::Never)
}

/// The layout of the thesis, with few regions.
fn thesis() -> GpuOptions {
    GpuOptions::thesis(10)
}

conformance! { sampled:
    auto: emulated(Auto, false, default());
    auto_hosted: emulated(Auto, false, as_large());
    auto_rounds: emulated(Auto, false, by_rounds());
    auto_deterministic: emulated(Auto, true, default());
    push: emulated(Push, false, default());
    mailbox: emulated(Mailbox, false, default());
    mailbox_deterministic: emulated(Mailbox, true, default());
    mailbox_thesis: emulated(Mailbox, false, thesis());
    mailbox_rows: emulated(Mailbox, false, default().with_group(1).with_sort(Sort::Exact));
    medusa: emulated(Mailbox, false, GpuOptions::medusa());
    medusa_thread: emulated(Mailbox, false, GpuOptions::medusa_thread());
}
