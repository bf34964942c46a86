//! The GPU engine and every kernel, under the emulator, against the reference:
//! as `conformance.rs`, without a GPU.

use pregel_core::engine::Strategy::{Auto, Mailbox, Medusa, Push};
use pregel_core::engine::gpu::{Choice, Costs, GpuOptions, Sort};
use pregel_tests::conformance;
use pregel_tests::suite::emulated;

/// The defaults.
fn default() -> GpuOptions {
    GpuOptions::default()
}

/// Every superstep begun by the host, in pushes a thread for four vertices.
fn by_fours() -> GpuOptions {
    let mut costs = Costs::default();
    costs.four_vertices = 0;
    default().with_resident(Choice::Never).with_costs(costs)
}

/// The thesis as written, with few regions.
fn thesis() -> GpuOptions {
    GpuOptions::thesis(10)
}

conformance! { small:
    auto: emulated(Auto, false, default());
    auto_hosted: emulated(Auto, false, by_fours());
    auto_deterministic: emulated(Auto, true, default());
    push: emulated(Push, false, default());
    mailbox: emulated(Mailbox, false, default());
    mailbox_deterministic: emulated(Mailbox, true, default());
    mailbox_thesis: emulated(Mailbox, false, thesis());
    mailbox_rows: emulated(Mailbox, false, default().with_group(1).with_sort(Sort::Exact));
    medusa: emulated(Medusa, false, default());
}
