//! The launches and copies that the page about the GPU engine counts are right.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use pregel_algos::cdlp::Cdlp;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, GpuOptions, Images};
use pregel_core::engine::{ConnectedComponents, Engine, RunOptions, Solve, SolveOptions, Strategy};
use pregel_core::graph::{EdgeList, Graph, GraphBuilder};
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_test_programs::Letters;

pregel_emulator::export!(cdlp: Cdlp);
pregel_emulator::export!(letters: Letters);
pregel_emulator::export!(pagerank: PageRank<f32>);
pregel_emulator::export!(sssp: Sssp);

const PAGE: &str = include_str!("../src/gpu-engine.md");

/// Launches in one superstep, without hubs and with, according to the page.
fn row(strategy: &str) -> [u64; 2] {
    let line = PAGE.lines().find(|line| line.starts_with(&format!("| {strategy} |")));
    let cells: Vec<&str> = line.expect(strategy).split('|').map(str::trim).collect();
    [cells[3].parse().unwrap(), cells[4].parse().unwrap()]
}

/// A ring of 200 vertices; with a hub, vertex 0 is joined to all others.
fn graph(hub: bool) -> Graph<f32> {
    let ring = (0..200).map(|v| [v, (v + 1) % 200]);
    let spokes = (2..199).filter(|_| hub).map(|v| [0, v]);
    let edges: Vec<[u32; 2]> = ring.chain(spokes).collect();
    let values = vec![1.0; edges.len()];
    let list = EdgeList { vertex_count: 200, edges, values };
    GraphBuilder::new().with_directed(false).with_edge_list(list).build().unwrap()
}

/// Launches and copies of a run of three supersteps, without superstep 0.
fn count<P: VertexCompute<Input = ()>>(
    graph: &Graph<P::Edge>,
    program: P,
    strategy: Strategy,
    layout: GpuOptions,
) -> (u64, u64) {
    let images = Images::new()
        .graph(pregel_emulator::graph::KERNELS)
        .program::<Cdlp>("cdlp", cdlp::KERNELS)
        .program::<Letters>("letters", letters::KERNELS)
        .program::<PageRank<f32>>("pagerank", pagerank::KERNELS)
        .program::<Sssp>("sssp", sssp::KERNELS);
    let engine = Gpu::new(Emulator::new(), images).with_options(layout);
    let options = RunOptions::default().with_strategy(strategy).with_max_supersteps(3);
    let report = engine.run(graph, &program, &options).unwrap().report;
    assert_eq!(report.supersteps, 3);
    let device = report.device.unwrap();
    (device.launches, device.copies)
}

#[test]
fn launches_and_copies_are_as_the_page_says() {
    let usual = GpuOptions::default();
    let whole = usual.with_split_hubs(false);
    let combined = [
        ("`push`", Strategy::Push, usual),
        ("`pull`", Strategy::Pull, usual),
        ("`mailbox`", Strategy::Mailbox, usual),
        ("`mailbox`, hubs whole", Strategy::Mailbox, whole),
        ("`medusa`", Strategy::Mailbox, GpuOptions::medusa()),
        ("`medusa-thread`", Strategy::Mailbox, GpuOptions::medusa_thread()),
    ];
    let listed = [("`mailbox`, ", usual), ("`medusa`, ", GpuOptions::medusa())];
    for (hub, column) in [(false, 0), (true, 1)] {
        let weighted = graph(hub);
        let plain = weighted.without_values();
        for (name, strategy, layout) in combined {
            let each = row(name)[column];
            let found = count(&weighted, Sssp { source: 100 }, strategy, layout);
            assert_eq!(found, (1 + 3 * each, 4), "{name}, hub: {hub}");
            // With an aggregate: one launch more. Under pull, two of the three
            // supersteps are queued together.
            let found = count(&plain, PageRank::<f32>::new(0.85, 0.0), strategy, layout);
            let copies = if strategy == Strategy::Pull { 3 } else { 4 };
            assert_eq!(found, (2 + 3 * (each + 1), copies), "{name}, aggregate, hub: {hub}");
        }
        for (name, layout) in listed {
            let launches = |kind| 2 + 3 * (row(&format!("{name}{kind}"))[column] + 1);
            let found = count(&plain, Cdlp, Strategy::Mailbox, layout);
            assert_eq!(found, (launches("sorted list"), 4), "{name}hub: {hub}");
            let found = count(&weighted, Letters::new(9), Strategy::Mailbox, layout);
            assert_eq!(found, (launches("message list"), 4), "{name}hub: {hub}");
        }
    }
}

#[test]
fn components_launch_and_copy_as_the_page_says() {
    assert!(PAGE.contains("Eight; on a directed graph seven; one less without long rows."));
    let engine = Gpu::new(Emulator::new(), Images::new().graph(pregel_emulator::graph::KERNELS));
    let count = |graph: &Graph<f32>| {
        let found = engine.solve(ConnectedComponents, graph, &SolveOptions::default()).unwrap();
        let device = found.report.device.unwrap();
        (device.launches, device.copies)
    };
    let (wheel, ring) = (graph(true), graph(false));
    assert_eq!((count(&wheel), count(&ring)), ((8, 1), (7, 1)));
    let list = EdgeList { vertex_count: 2, edges: vec![[0, 1]], values: vec![1.0] };
    let directed = GraphBuilder::new().with_directed(true).with_edge_list(list).build().unwrap();
    assert_eq!(count(&directed), (6, 1));
}
