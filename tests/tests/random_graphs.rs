//! Compares engines with oracles on random small graphs; a failing graph is shrunk.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::{Bfs, UNREACHED};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::{
    ConnectedComponents, Cpu, Engine, LocalClustering, Reference, RunError, RunOptions, Solve,
    SolveOptions,
};
use pregel_core::graph::Graph;
use pregel_core::program::VertexCompute;
use pregel_roster::entry::plain;
use pregel_roster::oracle::{self, pagerank::Surfer};
use pregel_roster::zoo::{Case, case};
use proptest::prelude::*;

/// A graph with fewer than 40 vertices, and one of them.
fn graphs() -> impl Strategy<Value = (Case, u32)> {
    (1usize..40, any::<bool>()).prop_flat_map(|(n, directed)| {
        let edges = prop::collection::vec((0..n, 0..n), 0..4 * n);
        let weights = prop::collection::vec(0u8..20, 4 * n);
        (Just(n), Just(directed), edges, weights, 0..n as u32).prop_map(
            |(n, directed, edges, weights, source)| {
                // Sums of eighths are exact, sums of thirds are not.
                let weigh = |edge: usize| match weights[edge] {
                    free if free < 3 => 0.0,
                    weight if weight < 12 => f32::from(weight) / 8.0,
                    weight => f32::from(weight) / 3.0,
                };
                (case("random", directed, n, &edges, weigh), source)
            },
        )
    })
}

/// Judges the final states of every engine and strategy that can run the program;
/// returns how many there are.
fn everywhere<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: &P,
    limit: Option<u32>,
    mut judge: impl FnMut(&[P::State]),
) -> usize {
    let mut ran = 0;
    let engine = Cpu::with_threads(2).unwrap();
    for strategy in [Auto, Push, Pull, Mailbox] {
        let options = RunOptions::default().with_strategy(strategy).with_max_supersteps(limit);
        match engine.run(graph, program, &options) {
            Ok(outcome) => judge(&outcome.states),
            Err(RunError::Unsupported(_)) => continue,
            Err(e) => panic!("{strategy:?}: {e}"),
        }
        ran += 1;
    }
    let options = RunOptions::default().with_max_supersteps(limit);
    judge(&Reference.run(graph, program, &options).unwrap().states);
    ran + 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn bfs((case, source) in graphs()) {
        let levels = oracle::bfs::levels(&case.lists, source as usize);
        let expected: Vec<u32> = levels.into_iter().map(|l| l.unwrap_or(UNREACHED)).collect();
        let ran = everywhere(&plain(&case), &Bfs { source }, None, |s| assert_eq!(s, expected));
        assert_eq!(ran, 5);
    }

    #[test]
    fn sssp((case, source) in graphs()) {
        let expected = oracle::sssp::distances(&case.lists, source as usize);
        let ran = everywhere(&case.graph, &Sssp { source }, None, |s| assert_eq!(s, expected));
        assert_eq!(ran, 5);
    }

    #[test]
    fn hcc((case, _) in graphs()) {
        let labels = oracle::hcc::labels(&case.lists);
        let expected: Vec<u32> = labels.into_iter().map(|label| label as u32).collect();
        let ran = everywhere(&plain(&case), &Hcc, None, |s| assert_eq!(s, expected));
        assert_eq!(ran, 5);
        let short_cut = Cpu::new().solve(ConnectedComponents, &case.graph, &SolveOptions::default()).unwrap();
        assert_eq!(short_cut.answer, expected);
    }

    #[test]
    fn lcc((case, _) in graphs()) {
        let (coefficients, triangles) = oracle::lcc::coefficients(&case.lists);
        let found = Cpu::new().solve(LocalClustering, &case.graph, &SolveOptions::default()).unwrap();
        assert_eq!(found.answer.coefficients, coefficients);
        assert_eq!(found.answer.triangles, triangles);
    }

    #[test]
    fn cdlp((case, source) in graphs()) {
        let rounds = source % 7;
        let labels = oracle::cdlp::labels(&case.lists, rounds);
        let expected: Vec<u32> = labels.into_iter().map(|label| label as u32).collect();
        let ran = everywhere(&plain(&case), &Cdlp, Some(rounds), |s| assert_eq!(s, expected));
        assert_eq!(ran, 3, "message lists can be neither pushed nor pulled");
    }

    #[test]
    fn pagerank((case, source) in graphs()) {
        let (damping, rounds) = (0.85, source % 9);
        let surfer = Surfer { damping, weighted: false, teleport: None };
        let expected = oracle::pagerank::ranks(&case.lists, &surfer, rounds);
        let program = PageRank::<f64>::new(damping, 0.0);
        let ran = everywhere(&plain(&case), &program, Some(rounds), |states| {
            for (found, expected) in states.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-13, "{found} for {expected}");
            }
            assert_eq!(states.len(), expected.len());
        });
        assert_eq!(ran, 5);
    }
}
