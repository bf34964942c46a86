//! Searches by queues, as FlexBFS has them, and launches of any size, on the emulated GPU.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::Bfs;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, GpuOptions, Images, LaunchSize, QueueKind, QueueOptions};
use pregel_core::engine::{Cpu, Engine, RunError, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_emulator::{Emulator, graph};
use pregel_roster::emulated::images;
use pregel_roster::queues::check;
use pregel_roster::zoo::{generated, sampled};

fn gpu(capacity: u64) -> Gpu<Emulator> {
    Gpu::new(Emulator::with_memory(capacity), Images::new().graph(graph::KERNELS))
}

#[test]
fn levels_are_those_of_the_oracle() {
    check(&gpu(1 << 40), &sampled());
    check(&gpu(1 << 40), &[generated("lattice:rows=20,cols=30,degree=12,hubs=5,hubdegree=200")]);
}

#[test]
fn more_vertices_than_a_block_has_room_for_are_found() {
    // A block finds 5,000 vertices at once; 2,048 have room in its queue.
    let edges = (1..=5000).map(|leaf| (0, leaf));
    let star = Graph::from_edges(edges).unwrap();
    let search = gpu(1 << 30).queue_search(&star).unwrap();
    for hub_degree in [None, Some(10)] {
        let options = QueueOptions::default()
            .with_launch(LaunchSize::Frontier)
            .with_queue(QueueKind::Block)
            .with_hub_degree(hub_degree);
        let ran = search.run_counted(0, &options).unwrap();
        assert_eq!(ran.frontiers, [1, 5000]);
        assert_eq!(search.levels().unwrap()[1..], [1; 5000]);
        // One addition for those in the block's queue, one for each of the others, and one for
        // the hub.
        let hub = u64::from(hub_degree.is_some());
        assert_eq!(ran.counted.unwrap().additions, 1 + (5000 - 2048) + hub);
    }
}

#[test]
fn launches_are_sized_by_the_frontier() {
    let path = "grid:rows=1,cols=1000".parse::<Spec>().unwrap().plain().unwrap();
    let search = gpu(1 << 30).queue_search(&path).unwrap();
    let threads = |launch| {
        let ran = search.run(0, &QueueOptions::default().with_launch(launch)).unwrap();
        assert_eq!(ran.frontiers, [1; 1000]);
        ran.threads
    };
    // A level for each vertex; blocks have 256 threads.
    assert_eq!(threads(LaunchSize::Frontier), 1000 * 256);
    assert_eq!(threads(LaunchSize::Vertices), 1000 * 1024);
    assert_eq!(threads(LaunchSize::Threads(257)), 1000 * 512);
}

#[test]
fn graphs_that_do_not_fit_are_refused() {
    let path = "grid:rows=1,cols=1000".parse::<Spec>().unwrap().plain().unwrap();
    let refused = gpu(10_000).queue_search(&path).err();
    assert!(matches!(refused, Some(RunError::TooLarge { .. })), "{refused:?}");
}

#[test]
fn pushes_give_the_same_by_launches_of_any_size() {
    let graph = "rmat:scale=11,ef=8".parse::<Spec>().unwrap().weighted().unwrap();
    let (source, options) = (1, RunOptions::default());
    let levels = Cpu::new().run(&graph.without_values(), &Bfs { source }, &options).unwrap().states;
    let lengths = Cpu::new().run(&graph, &Sssp { source }, &options).unwrap().states;
    let options = options.with_strategy(Strategy::Push);
    for push in [LaunchSize::Frontier, LaunchSize::Vertices, LaunchSize::Threads(256)] {
        let gpu = Gpu::new(Emulator::new(), images());
        let gpu = gpu.with_options(GpuOptions::default().with_push(push));
        let found = gpu.run(&graph.without_values(), &Bfs { source }, &options).unwrap();
        assert_eq!(found.states, levels, "{push:?}");
        let found = gpu.run(&graph, &Sssp { source }, &options).unwrap();
        assert_eq!(found.states, lengths, "{push:?}");
    }
}
