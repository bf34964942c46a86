//! The GPU engine on a real GPU against the reference: every strategy and layout
//! on every program of the roster, on the zoo, and in all strategies on large
//! and real graphs; components by union-find against the oracle. `PREGEL_REPEAT`
//! says how often; see `pregel_tests::suite`.

use pregel_core::device::prepare::Mapping;
use pregel_core::engine::RunOptions;
use pregel_core::engine::Strategy::{Auto, Mailbox, Medusa, Pull, Push};
use pregel_core::engine::gpu::{Choice, Costs, GpuOptions, Sort};
use pregel_tests::conformance;
use pregel_tests::gpu::{engine, gpu};
use pregel_tests::short_cuts::{judge, long_rows};
use pregel_tests::suite::extent;
use pregel_tests::zoo::{Case, large_graphs, zoo};

// Hubs are not left whole on large graphs: one thread would walk through a
// million messages in every superstep.

/// The defaults.
fn default() -> GpuOptions {
    GpuOptions::default()
}

/// The thesis as written, with few regions.
fn thesis() -> GpuOptions {
    GpuOptions::thesis(10)
}

/// Messages by way of bins; those of the first range apart if they are so large a part.
fn bins(apart_share: f64) -> GpuOptions {
    let mut costs = Costs::default();
    costs.apart_share = apart_share;
    default().with_bins(Choice::Always).with_costs(costs)
}

/// Regions of equal width, hubs split.
fn linear() -> GpuOptions {
    default().with_sort(Sort::Approximate { mapping: Mapping::Linear, regions: 1000 })
}

conformance! { small:
    auto: gpu(Auto, false, default());
    auto_hosted: gpu(Auto, false, default().with_resident(Choice::Never).with_hot(Choice::Always));
    auto_deterministic: gpu(Auto, true, default());
    push: gpu(Push, false, default());
    pull: gpu(Pull, false, default());
    pull_deterministic: gpu(Pull, true, default());
    pull_bins: gpu(Pull, false, bins(2.0));
    pull_apart: gpu(Pull, false, bins(0.0));
    pull_linear: gpu(Pull, false, linear());
    pull_linear_deterministic: gpu(Pull, true, linear());
    pull_exact: gpu(Pull, false, default().with_sort(Sort::Exact));
    pull_unsorted: gpu(Pull, false, default().with_sort(Sort::None));
    mailbox: gpu(Mailbox, false, default());
    mailbox_deterministic: gpu(Mailbox, true, default());
    mailbox_thesis: gpu(Mailbox, false, thesis());
    mailbox_unsorted: gpu(Mailbox, false, default().with_sort(Sort::None));
    mailbox_rows: gpu(Mailbox, false, default().with_group(1));
    mailbox_rows_unsorted: gpu(Mailbox, false, default().with_group(1).with_sort(Sort::None));
    medusa: gpu(Medusa, false, default());
    medusa_deterministic: gpu(Medusa, true, default());
}

conformance! { large:
    large_auto: gpu(Auto, false, default());
    large_auto_deterministic: gpu(Auto, true, default());
    large_push: gpu(Push, false, default());
    large_pull: gpu(Pull, false, default());
    large_pull_bins: gpu(Pull, false, bins(0.25));
    large_mailbox: gpu(Mailbox, false, default());
    large_medusa: gpu(Medusa, false, default());
}

/// Holds components by union-find against the oracle.
fn check_components(cases: &[Case]) {
    let (engine, (repeats, max_edges)) = (engine(), extent());
    for case in cases.iter().filter(|case| case.graph.edge_count() <= max_edges) {
        let session = engine.prepare_components(&case.graph, &RunOptions::default());
        let mut session = session.unwrap_or_else(|e| panic!("{}: {e}", case.name));
        // Twice at least: a run leaves nothing behind.
        for _ in 0..repeats.max(2) {
            let found = session.run().unwrap_or_else(|e| panic!("{}: {e}", case.name));
            judge(case, &found);
        }
    }
}

#[test]
fn components() {
    check_components(&zoo());
    check_components(&long_rows());
}

#[test]
fn large_components() {
    check_components(large_graphs());
}
