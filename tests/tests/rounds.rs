//! What a warp does in a round, under the emulator: it may go ahead, or gather what it lists. States
//! do not depend on it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Debug;

use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Costs, GpuOptions, Way};
use pregel_core::engine::{Engine, Reference, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;

use crate::resident::{run_as, ways};

/// Options with which a warp goes ahead `ahead` times in a round, with up to `ahead_vertices` vertices.
fn going_ahead((ahead, ahead_vertices): (u32, u32)) -> GpuOptions {
    let mut costs = Costs::default();
    (costs.ahead, costs.ahead_vertices, costs.rounds_edges) = (ahead, ahead_vertices, 0);
    GpuOptions::default().with_costs(costs)
}

/// How many rounds a program takes, with each of these options. All lead to the states of the
/// reference.
fn rounds<P: VertexCompute<Input = ()>>(
    options: &[GpuOptions],
    graph: &Graph<P::Edge>,
    program: &P,
) -> Vec<usize>
where
    P::State: PartialEq + Debug,
{
    let expected = Reference.run(graph, program, &RunOptions::default()).unwrap().states;
    let rounds = |options: &GpuOptions| {
        let found = run_as(*options, graph, program, &RunOptions::default());
        assert_eq!(found.states, expected);
        ways(&found).iter().filter(|way| **way == Way::Round).count()
    };
    options.iter().map(rounds).collect()
}

#[test]
fn warps_go_ahead_where_frontiers_stay_small() {
    // Not at all, as usual, with one vertex at a time, and with as many as there is room for.
    let options = [(0, 16), (4, 16), (4, 1), (1000, 1000)].map(going_ahead);
    let specs = ["grid:rows=1,cols=300,maxw=9", "grid:rows=40,cols=40,drop=50,maxw=100"];
    let lattices = specs.map(|spec| spec.parse::<Spec>().unwrap().weighted().unwrap());
    // A path on which three vertices have several pieces of edges.
    let along = (0..999).map(|v| (v, v + 1));
    let leaves =
        (0..3).flat_map(|hub| (0..600).map(move |leaf| (hub * 400, 1000 + 600 * hub + leaf)));
    let both = along.chain(leaves).flat_map(|(u, v)| [(u, v), (v, u)]);
    let path = Graph::from_weighted_edges(both.map(|(u, v)| (u, v, ((u + v) % 9 + 1) as f32)));
    for graph in lattices.into_iter().chain([path.unwrap()]) {
        let sssp = rounds(&options, &graph, &Sssp { source: 0 });
        let hcc = rounds(&options, &graph.without_values(), &Hcc);
        for found in [sssp, hcc] {
            let [none, usual, single, most] = found[..] else { unreachable!() };
            assert!(usual < none / 2 && single < none && most < usual, "{found:?}");
        }
    }
    // A power law is searched in a few rounds, in which there is enough to do.
    let graph: Graph<f32> = "rmat:scale=10,maxw=255".parse::<Spec>().unwrap().weighted().unwrap();
    let found = rounds(&options, &graph, &Sssp { source: 1 });
    assert!(found[0] > 0 && found.iter().all(|rounds| *rounds == found[0]), "{found:?}");
}

#[test]
fn warps_gather_what_they_list_on_large_graphs() {
    let bulk = |from: u32| {
        let mut costs = Costs::default();
        (costs.bulk_vertices, costs.ahead) = (from, 0);
        let options = GpuOptions::default().with_costs(costs);
        options.with_resident(Choice::Always).with_priority(Choice::Always)
    };
    // On no graph, and on any. Each warp lists more vertices in a round than it has room for.
    let options = [u32::MAX, 0].map(bulk);
    let specs = [
        "uniform:n=30000,m=100000,maxw=1000",
        "uniform:n=30000,m=100000,sym=0,maxw=1000",
        "rmat:scale=12,maxw=100",
        // Rows of several pieces, and none.
        "uniform:n=600,m=200000,maxw=9",
        "rmat:scale=11,ef=2,sym=0,maxw=9",
    ];
    for spec in specs {
        let graph = spec.parse::<Spec>().unwrap().weighted().unwrap();
        let source = (0..graph.vertex_count()).max_by_key(|v| graph.out().degree(*v)).unwrap();
        for found in [
            rounds(&options, &graph, &Sssp { source }),
            rounds(&options, &graph.without_values(), &Hcc),
        ] {
            assert!(found.iter().all(|rounds| *rounds > 0), "{spec}: {found:?}");
        }
    }
}
