//! Checks algorithms of several phases, betweenness and strongly connected components, on any
//! engine.

use pregel_algos::betweenness::betweenness;
use pregel_algos::scc::{Phase, strong_components};
use pregel_algos::verify;
use pregel_core::engine::{Engine, StopReason};
use pregel_core::program::VertexId;

use crate::entry::plain;
use crate::oracle;
use crate::suite::Contender;
use crate::zoo::zoo;

/// Compares betweenness with the oracle on the graphs of the zoo that have at most `most`
/// edges.
///
/// # Panics
/// If a run fails or a result differs.
pub fn check<E: Engine>(contender: &Contender<E>, most: u64) {
    let mut checked = 0;
    for case in zoo() {
        let graph = plain(&case);
        let n = graph.vertex_count();
        if n == 0 || graph.edge_count() > most {
            continue;
        }
        // The last source is given twice, so it counts twice.
        let sources: Vec<VertexId> = vec![0, n / 3, n / 2, n - 1, n - 1];
        let indices: Vec<usize> = sources.iter().map(|source| *source as usize).collect();
        let expected = oracle::betweenness::dependencies(&case.lists, &indices);
        let found = betweenness(&contender.engine, &graph, &sources, &contender.options)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        for (v, (found, expected)) in found.centrality.iter().zip(&expected).enumerate() {
            let close = (found - expected).abs() <= 1e-9 * expected.abs().max(1.0);
            assert!(close, "{}, vertex {v}: {found}, not {expected}", case.name);
        }
        assert_eq!(found.reports.len(), sources.len());
        for report in found.reports.iter().flatten() {
            assert_eq!(report.stop, StopReason::Halted, "{}", case.name);
        }
        checked += 1;
    }
    assert!(checked > 20, "only {checked} graphs");
}

/// Compares strongly connected components with the oracle on the graphs of the zoo that have at
/// most `most` edges, and verifies them.
///
/// # Panics
/// If a run fails or a result differs.
pub fn check_scc<E: Engine>(contender: &Contender<E>, most: u64) {
    let (mut checked, mut deepest) = (0, 0);
    for case in zoo() {
        let graph = plain(&case);
        if graph.edge_count() > most {
            continue;
        }
        let found = strong_components(&contender.engine, &graph, &contender.options)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let labels = found.labels.iter().map(|label| *label as usize);
        assert!(labels.eq(oracle::scc::labels(&case.lists)), "{}", case.name);
        verify::scc::labels(&graph, &found.labels).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert_eq!(found.stop, StopReason::Halted, "{}", case.name);
        let collected = found.phases.iter().filter(|phase| phase.phase == Phase::Collect).count();
        assert_eq!(found.rounds as usize, collected, "{}", case.name);
        deepest = deepest.max(found.rounds);
        checked += 1;
    }
    assert!(checked > 20, "only {checked} graphs");
    assert!(deepest > 1, "no graph is coloured by all vertices");
}
