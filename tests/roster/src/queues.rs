//! Searches by queues, with every combination of their techniques.

use pregel_core::engine::RunError;
use pregel_core::engine::gpu::{Device, Gpu, LaunchSize, QueueKind, QueueOptions};

use crate::oracle;
use crate::zoo::Case;

/// Every combination of techniques; vertices with more than this many edges are hubs.
pub fn combinations(hub_degree: u32) -> Vec<QueueOptions> {
    let mut all = Vec::new();
    for launch in [LaunchSize::Frontier, LaunchSize::Vertices, LaunchSize::Threads(256)] {
        for queue in [QueueKind::Global, QueueKind::Warp, QueueKind::Block] {
            for hub_degree in [None, Some(hub_degree)] {
                let options = QueueOptions::default().with_launch(launch).with_queue(queue);
                all.push(options.with_hub_degree(hub_degree));
            }
        }
    }
    all
}

/// Compares levels from the first and the last vertex of each graph with the oracle's, and what
/// the search says of itself with the levels.
///
/// # Panics
/// If they are wrong.
pub fn check<D: Device>(gpu: &Gpu<D>, cases: &[Case]) {
    for Case { name, graph, lists } in cases {
        let search = gpu.queue_search(graph).unwrap_or_else(|e| panic!("{name}: {e}"));
        let n = graph.vertex_count();
        let beyond = search.run(n, &QueueOptions::default());
        assert!(matches!(beyond, Err(RunError::Unsupported(_))), "{name}");
        let Some(last) = n.checked_sub(1) else { continue };
        for source in [0, last] {
            let expected = oracle::bfs::levels(lists, source as usize);
            let reached = expected.iter().flatten().count() as u64;
            let deepest = expected.iter().flatten().max().copied().unwrap_or(0);
            for options in combinations(3) {
                let of = || format!("{name} from {source}, {options:?}");
                let ran = search.run_counted(source, &options);
                let ran = ran.unwrap_or_else(|e| panic!("{}: {e}", of()));
                let levels = search.levels().unwrap_or_else(|e| panic!("{}: {e}", of()));
                let found = levels.iter().map(|level| (*level != u32::MAX).then_some(*level));
                assert!(found.eq(expected.iter().copied()), "{}", of());
                let sum: u64 = ran.frontiers.iter().map(|count| u64::from(*count)).sum();
                assert_eq!((sum, ran.frontiers.len()), (reached, deepest as usize + 1), "{}", of());
                // At least a sector for every eight vertices, and no more than one for each.
                let traffic = ran.counted.unwrap_or_default();
                let queued = reached - 1;
                let hubs = if options.hub_degree.is_some() { reached } else { 0 };
                let sectors = queued.div_ceil(8)..=queued + hubs;
                assert!(sectors.contains(&traffic.sectors), "{}: {traffic:?}", of());
                match options.queue {
                    QueueKind::Global => {
                        let additions = queued..=queued + hubs;
                        assert!(additions.contains(&traffic.additions), "{}: {traffic:?}", of());
                    }
                    _ => assert!(traffic.additions <= queued + hubs, "{}: {traffic:?}", of()),
                }
            }
        }
    }
}
