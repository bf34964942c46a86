//! Packs of searches, on several engines: together where that pays, otherwise one after
//! another, with the same results.
#![allow(clippy::unwrap_used)]

use std::fmt::Debug;

use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::many::{DEPTH, Found, Many, Searches};
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull};
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::{Engine, Reference, RunError, RunOptions, Session, StopReason};
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;
use pregel_roster::entry::{packs, plain, weighted};
use pregel_roster::suite::{Contender, cpu, emulated, reference};
use pregel_roster::zoo::{Case, case, zoo};

/// What one run for each source finds, plainly.
fn one_by_one<P: Many>(graph: &Graph<P::Edge>, sources: &[VertexId]) -> Vec<Vec<P::Value>> {
    let mut session = Reference.prepare::<P::One>(graph, &RunOptions::default()).unwrap();
    sources.iter().map(|source| session.run(&P::one(*source)).unwrap().states).collect()
}

/// Compares packs of searches with single ones on the graphs of the zoo that have at most
/// `most` edges.
fn check<E: Engine, P: Many<Value: PartialEq + Debug>>(
    contender: &Contender<E>,
    graph: fn(&Case) -> Graph<P::Edge>,
    most: u64,
) {
    let (mut together, mut apart) = (0, 0);
    for case in zoo() {
        let graph = graph(&case);
        if graph.edge_count() > most {
            continue;
        }
        let mut searches =
            Searches::<_, P>::prepare(&contender.engine, &graph, &contender.options, P::MOST)
                .unwrap();
        for sources in packs(graph.vertex_count(), P::MOST) {
            let found = searches.run(&sources).unwrap();
            assert_eq!(found.columns, one_by_one::<P>(&graph, &sources), "{}", case.name);
            if found.together {
                together += 1;
                assert_eq!(found.reports.len(), 1);
            } else {
                apart += 1;
                assert!(found.reports.len() >= sources.len());
            }
        }
    }
    assert!(together > 15 && apart > 15, "{together} packs together, {apart} not");
}

#[test]
fn packs_agree_with_single_searches() {
    check::<_, BfsFromMany>(&reference(Auto), plain, 1000);
    check::<_, SsspFromMany>(&reference(Auto), weighted, 1000);
    for strategy in [Auto, Mailbox] {
        check::<_, BfsFromMany>(&cpu(2, strategy, false), plain, 20_000);
        check::<_, SsspFromMany>(&cpu(2, strategy, false), weighted, 20_000);
    }
}

#[test]
fn packs_agree_with_single_searches_on_a_gpu() {
    let auto = emulated(Auto, false, GpuOptions::default());
    check::<_, BfsFromMany>(&auto, plain, 200);
    check::<_, SsspFromMany>(&auto, weighted, 200);
    let pull = emulated(Pull, true, GpuOptions::default());
    check::<_, SsspFromMany>(&pull, weighted, 200);
}

/// A path from 0 with this many edges.
fn path(edges: usize) -> Case {
    let path: Vec<_> = (0..edges).map(|v| (v, v + 1)).collect();
    case("path", true, edges + 1, &path, |_| 0.5)
}

/// Searches from the first ten vertices of a path, with this superstep limit.
fn along<P: Many>(graph: &Graph<P::Edge>, limit: Option<u32>) -> Found<P::Value> {
    let (engine, sources) = (cpu(1, Auto, false).engine, Vec::from_iter(0..10));
    let options = RunOptions::default().with_max_supersteps(limit);
    let mut searches = Searches::<_, P>::prepare(&engine, graph, &options, 10).unwrap();
    let first = searches.run(&sources).unwrap();
    // A graph that has proved deep is not tried again.
    let second = searches.run(&sources).unwrap();
    assert!(first.together || !second.together);
    assert_eq!(second.reports.len(), if second.together { 1 } else { 10 });
    first
}

#[test]
fn packs_are_given_up_in_deep_graphs() {
    let depth = DEPTH as usize;
    // The last vertex scatters once more, though it has no edge.
    let shallow = plain(&path(depth - 1));
    let found = along::<BfsFromMany>(&shallow, None);
    assert!(found.together);
    assert_eq!(found.columns[0][depth - 1], DEPTH - 1);
    let deep = path(depth + 30);
    let found = along::<BfsFromMany>(&plain(&deep), None);
    assert!(!found.together);
    assert_eq!(found.columns[3][depth + 30], DEPTH + 27);
    assert_eq!((found.reports.len(), found.reports[0].stop), (11, StopReason::Limit));
    let found = along::<SsspFromMany>(&deep.graph, None);
    assert!(!found.together);
    assert_eq!(found.columns[3][depth + 30].to_bits(), (0.5 * (DEPTH + 27) as f32).to_bits());
}

#[test]
fn packs_that_send_too_much_are_not_repeated() {
    // Every source's wave passes every edge behind it by itself.
    let graph = path(100).graph;
    let (engine, options) = (cpu(1, Auto, false).engine, RunOptions::default());
    let mut searches = Searches::<_, SsspFromMany>::prepare(&engine, &graph, &options, 16).unwrap();
    let sources = Vec::from_iter(0..16);
    let (first, second) = (searches.run(&sources).unwrap(), searches.run(&sources).unwrap());
    assert!(first.together && !second.together && !second.gave_up());
    assert_eq!(first.columns, second.columns);
}

#[test]
fn the_superstep_limit_of_the_caller_holds() {
    let deep = plain(&path(DEPTH as usize + 30));
    let found = along::<BfsFromMany>(&deep, Some(5));
    assert!(found.together);
    assert_eq!(found.reports[0].stop, StopReason::Limit);
    assert_eq!(found.columns[0][4..8], [4, 5, u32::MAX, u32::MAX]);
    let found = along::<BfsFromMany>(&deep, Some(DEPTH + 2));
    assert!(!found.together);
    let last = DEPTH as usize + 2;
    assert_eq!(found.columns[0][last..=last + 1], [DEPTH + 2, u32::MAX]);
}

#[test]
fn wrong_sources_are_refused() {
    let graph = plain(&path(3));
    let engine = cpu(1, Auto, false).engine;
    let options = RunOptions::default();
    let mut searches = Searches::<_, BfsFromMany>::prepare(&engine, &graph, &options, 2).unwrap();
    let refused = |found: Result<Found<u32>, RunError>| found.unwrap_err().to_string();
    assert!(refused(searches.run(&[0, 4])).contains("not in the graph"));
    assert!(refused(searches.run(&[0; 65])).contains("too many sources"));
    assert!(searches.run(&[]).unwrap().columns.is_empty());
}
