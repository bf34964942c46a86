//! Compares the reference engine, running the bundled programs, with the oracles on
//! every graph of the zoo; the verifiers accept its results.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::{Bfs, BfsTree, UNREACHED};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::kcore::{Core, KCore};
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::many::{DEPTH, Many, starts};
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::{NO_PARENT, Sssp, SsspTree, path_to};
use pregel_algos::verify;
use pregel_core::engine::{Engine, Reference, RunOptions, Session, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;
use pregel_roster::entry::{packs, plain, probable, teleport};
use pregel_roster::oracle;
use pregel_roster::oracle::pagerank::Surfer;
use pregel_roster::zoo::{Case, ZOO, zoo};

/// Calls `f` with every case and with up to three sources in its graph.
fn each(mut f: impl FnMut(&Case, VertexId)) {
    let mut count = 0;
    for case in zoo() {
        let n = case.graph.vertex_count();
        for source in [0, n / 3, n.saturating_sub(1)] {
            if source < n {
                f(&case, source);
                count += 1;
            }
        }
    }
    // Two cases have no vertex.
    assert_eq!(count, 3 * (ZOO - 2));
}

fn limit(supersteps: u32) -> RunOptions {
    RunOptions::default().with_max_supersteps(supersteps)
}

#[test]
fn bfs_levels_and_trees() {
    each(|case, source| {
        let expected: Vec<u32> = oracle::bfs::levels(&case.lists, source as usize)
            .into_iter()
            .map(|level| level.unwrap_or(UNREACHED))
            .collect();
        let graph = plain(case);
        let found = Reference.run(&graph, &Bfs { source }, &Default::default()).unwrap();
        assert_eq!(found.states, expected, "{} from {source}", case.name);
        verify::bfs::levels(&graph, source, &found.states).unwrap();
        let found = Reference.run(&graph, &BfsTree { source }, &Default::default()).unwrap();
        let levels: Vec<u32> = found.states.iter().map(|visit| visit.level).collect();
        assert_eq!(levels, expected, "{} from {source}", case.name);
        verify::bfs::tree(&graph, source, &found.states).unwrap();
    });
}

#[test]
fn sssp_distances_trees_and_paths() {
    each(|case, source| {
        let expected = oracle::sssp::distances(&case.lists, source as usize);
        let found = Reference.run(&case.graph, &Sssp { source }, &Default::default()).unwrap();
        assert_eq!(found.states, expected, "{} from {source}", case.name);
        verify::sssp::distances(&case.graph, source, &found.states).unwrap();
        let found = Reference.run(&case.graph, &SsspTree { source }, &Default::default()).unwrap();
        let distances: Vec<f32> = found.states.iter().map(|step| step.distance).collect();
        assert_eq!(distances, expected, "{} from {source}", case.name);
        verify::sssp::tree(&case.graph, source, &found.states).unwrap();
        for (target, step) in (0..).zip(&found.states) {
            let path: Vec<VertexId> = path_to(&found.states, target).collect();
            if step.distance < f32::INFINITY {
                assert_eq!((path.first(), path.last()), (Some(&target), Some(&source)));
            } else {
                assert!(path.is_empty() && step.parent == NO_PARENT);
            }
            if target > 50 {
                break;
            }
        }
    });
}

/// What a program says of every vertex, for each source of a pack.
fn columns<P: Many>(graph: &Graph<P::Edge>, sources: &[VertexId]) -> Vec<Vec<P::Value>> {
    let inputs = starts(graph.vertex_count(), sources).unwrap();
    let program = P::new(sources.len());
    let mut session = Reference.prepare::<P>(graph, &Default::default()).unwrap();
    let states = session.run_with(&program, &inputs).unwrap().states;
    let column = |i| states.iter().map(|state| P::value(state, i)).collect();
    (0..sources.len()).map(column).collect()
}

#[test]
fn levels_from_many_sources() {
    let mut cut_short = 0;
    for case in zoo() {
        let graph = plain(&case);
        for sources in packs(graph.vertex_count(), BfsFromMany::MOST) {
            let found = columns::<BfsFromMany>(&graph, &sources);
            for (source, found) in sources.iter().zip(&found) {
                let expected = oracle::bfs::levels(&case.lists, *source as usize);
                cut_short += expected.iter().filter(|level| **level > Some(DEPTH)).count();
                let near = |level: Option<u32>| level.filter(|level| *level <= DEPTH);
                let expected: Vec<u32> =
                    expected.into_iter().map(|level| near(level).unwrap_or(UNREACHED)).collect();
                assert_eq!(*found, expected, "{} from {source}", case.name);
            }
        }
    }
    assert!(cut_short > 0, "no graph is that deep");
}

#[test]
fn distances_from_many_sources() {
    for case in zoo() {
        for sources in packs(case.graph.vertex_count(), SsspFromMany::MOST) {
            let found = columns::<SsspFromMany>(&case.graph, &sources);
            for (source, found) in sources.iter().zip(&found) {
                let expected = oracle::sssp::distances(&case.lists, *source as usize);
                assert_eq!(*found, expected, "{} from {source}", case.name);
            }
        }
    }
}

#[test]
fn hcc_labels() {
    for case in zoo() {
        let expected: Vec<u32> =
            oracle::hcc::labels(&case.lists).into_iter().map(|label| label as u32).collect();
        let graph = plain(&case);
        let found = Reference.run(&graph, &Hcc, &Default::default()).unwrap();
        assert_eq!(found.states, expected, "{}", case.name);
        verify::hcc::labels(&graph, &found.states).unwrap();
    }
}

#[test]
fn cdlp_labels() {
    for case in zoo() {
        let graph = plain(&case);
        for supersteps in [0, 1, 2, 9] {
            let expected: Vec<u32> = oracle::cdlp::labels(&case.lists, supersteps)
                .into_iter()
                .map(|label| label as u32)
                .collect();
            let found = Reference.run(&graph, &Cdlp, &limit(supersteps)).unwrap();
            assert_eq!(found.states, expected, "{} after {supersteps}", case.name);
            verify::cdlp::labels(&graph, found.report.supersteps, &found.states).unwrap();
            if found.report.stop == StopReason::Converged {
                verify::cdlp::step(&graph, &found.states, &found.states).unwrap();
            }
        }
    }
}

#[test]
fn kcore_numbers() {
    let mut deepest = 0;
    for case in zoo() {
        let expected = oracle::kcore::numbers(&case.lists);
        deepest = deepest.max(expected.iter().copied().max().unwrap_or(0));
        let graph = plain(&case);
        let found = Reference.run(&graph, &KCore, &Default::default()).unwrap();
        let numbers: Vec<u32> = found.states.iter().map(|core| core.number).collect();
        assert_eq!(numbers, expected, "{}", case.name);
        assert!(found.states.iter().all(|core| core.left == 0), "{}", case.name);
        verify::kcore::numbers(&graph, &numbers).unwrap();
        let cut_short = Reference.run(&graph, &KCore, &limit(3)).unwrap();
        let bound = |(core, number): (&Core, &u32)| core.number <= *number;
        assert!(cut_short.states.iter().zip(&expected).all(bound), "{}", case.name);
    }
    assert!(deepest > 2, "no graph has deep cores");
}

fn close(name: &str, found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{name}");
    for (v, (found, expected)) in found.iter().zip(expected).enumerate() {
        // `f64` sums of at most 10,000 terms.
        assert!((found - expected).abs() <= 1e-11, "{name}, {v}: {found} for {expected}");
    }
}

#[test]
fn pagerank_plain_weighted_personalised() {
    for case in zoo() {
        let (damping, name) = (0.85, case.name.as_str());
        let n = case.graph.vertex_count();
        let even = Surfer { damping, weighted: false, teleport: None };
        let program = PageRank::<f64>::new(damping, 0.0);
        let found = Reference.run(&plain(&case), &program, &limit(12)).unwrap();
        close(name, &found.states, &oracle::pagerank::ranks(&case.lists, &even, 12));

        let favourites = teleport(n);
        let personal = Surfer { teleport: Some(favourites.clone()), ..even.clone() };
        let program = PageRank::<f64, (), f64>::new(damping, 0.0);
        let graph = plain(&case);
        let mut session = Reference.prepare::<PageRank<f64, (), f64>>(&graph, &limit(12)).unwrap();
        let found = session.run_with(&program, &favourites).unwrap();
        close(name, &found.states, &oracle::pagerank::ranks(&case.lists, &personal, 12));

        // The oracle divides by the sum of the weights itself.
        let mut lists = case.lists.clone();
        lists.out.iter_mut().flatten().for_each(|(_, weight)| *weight += 1.0);
        let weighted = Surfer { weighted: true, ..even };
        let program = PageRank::<f64, f64>::new(damping, 0.0);
        let graph = probable::<f64>(&case);
        let found = Reference.run(&graph, &program, &limit(12)).unwrap();
        close(name, &found.states, &oracle::pagerank::ranks(&lists, &weighted, 12));
    }
}

#[test]
fn pagerank_converges_to_a_fixed_point() {
    for case in zoo() {
        let graph = plain(&case);
        let program = PageRank::<f64>::new(0.85, 1e-9);
        let found = Reference.run(&graph, &program, &limit(500)).unwrap();
        let empty = graph.vertex_count() == 0;
        let stop = if empty { StopReason::Halted } else { StopReason::Converged };
        assert_eq!(found.report.stop, stop, "{}", case.name);
        let bound = 1e-9 + verify::pagerank::rounding::<f64>(graph.vertex_count());
        verify::pagerank::ranks(&graph, &program, &[], &found.states, bound)
            .unwrap_or_else(|e| panic!("{}: {e}", case.name));
    }
}
