#![allow(clippy::unwrap_used)]

use std::sync::OnceLock;
use std::time::Duration;

use pregel_core::engine::gpu::Images;
use pregel_core::graph::Graph;
use pregel_emulator::Emulator;

use super::*;
use crate::UseGpu;
use crate::report::{Cell, Verdict};

pregel_emulator::export!(bfs: Bfs);

/// A quick run on the emulated device.
fn emulated(options: &Options) -> Report {
    let images =
        Images::new().graph(pregel_emulator::graph::KERNELS).program::<Bfs>("bfs", bfs::KERNELS);
    let progress = |_: &str| ();
    let bench = Bench::new(Gpu::new(Emulator::new(), images), options.quick, &progress);
    measure(Ok(Box::new(bench)), options, &progress).unwrap()
}

/// That of [`quick`], which takes a while.
fn whole() -> &'static Report {
    static REPORT: OnceLock<Report> = OnceLock::new();
    REPORT.get_or_init(|| emulated(&quick()))
}

fn quick() -> Options {
    Options { quick: true, ..Options::default() }
}

#[test]
fn everything_is_measured_on_a_device() {
    let report = whole();
    let contenders = ON_CPU.len() + ways::ON_GPU.len();
    let expected = [
        ("table-1", 14),
        ("fig-1", 0),
        ("fig-3", 14 * 3),
        ("fig-4", 4 * contenders),
        ("fig-5", 8 * contenders),
        ("fig-6", 2 * contenders),
        // Four fixed launches, and that for the frontier.
        ("fig-7", 3 * 5),
        ("techniques", 4 * 6),
    ];
    assert_eq!(report.items.len(), expected.len());
    for (item, (name, rows)) in report.items.iter().zip(expected) {
        assert_eq!(item.name, name);
        assert!(item.table.rows.len() == rows || name == "fig-1", "{name}");
        assert!(!item.table.rows.is_empty(), "{name}");
        for row in &item.table.rows {
            assert_eq!(row.len(), item.table.columns.len(), "{name}");
            let empty = row.contains(&Cell::Empty);
            assert!(!empty || name == "techniques", "{name}: {row:?}");
        }
        // The graphs are too small for verdicts, but nothing is missing.
        assert!(!item.claims.is_empty(), "{name}");
        for claim in &item.claims {
            assert!(!claim.ours.contains("not measured"), "{name}: {}", claim.paper);
            assert!(matches!(claim.verdict, Verdict::NotComparable(_)), "{name}");
        }
    }
    assert!(report.machine.device.is_some());
    assert_eq!(report.notes.last().map(String::as_str), Some("Nothing was left out."));
    // All pictures can be drawn.
    assert!(report.files().unwrap().len() > expected.len());
}

#[test]
fn block_queues_take_fewer_transactions() {
    let figure = whole().items.iter().find(|item| item.name == "fig-3").unwrap();
    for queues in figure.table.rows.chunks(3) {
        let count = |row: usize, column: usize| match queues[row][column] {
            Cell::Count(count) => count,
            ref other => panic!("{other:?}"),
        };
        let additions = [0, 1, 2].map(|row| count(row, 2));
        assert!(additions[2] < additions[1] && additions[1] < additions[0], "{queues:?}");
        assert!(count(2, 3) <= count(0, 3), "{queues:?}");
    }
}

#[test]
fn what_there_is_no_time_for_is_listed() {
    let report = emulated(&Options { budget: Duration::ZERO, ..quick() });
    let note = report.notes.last().unwrap();
    assert!(note.contains("Left out: regular 1: no time was left"), "{note}");
    for claim in report.items.iter().flat_map(|item| &item.claims) {
        assert!(matches!(claim.verdict, Verdict::NotComparable(_)), "{}", claim.paper);
    }
    assert!(report.files().is_ok());
}

#[test]
fn without_a_device_the_rest_is_listed() {
    let options = Options { gpu: UseGpu::Never, ..quick() };
    let report = replicate(&options, &|_| ()).unwrap();
    assert_eq!(report.machine.device, None);
    assert!(report.notes.iter().any(|note| note.starts_with("No GPU was used: ")));
    let figure = report.items.iter().find(|item| item.name == "fig-4").unwrap();
    assert_eq!(figure.table.rows.len(), 4 * ON_CPU.len());
    let others = report.items.iter().find(|item| item.name == "gpu").unwrap();
    assert!(others.claims.iter().all(|claim| claim.ours == "not measured"));
}

#[test]
fn the_sequential_search_finds_levels() {
    // 0 – 1 – 2 – 3, 1 – 3; 4 – 5.
    let edges = [(0, 1), (1, 2), (2, 3), (1, 3), (4, 5)];
    let both = edges.into_iter().flat_map(|(u, v)| [(u, v), (v, u)]);
    let graph = Graph::from_edges(both).unwrap();
    let mut search = Search::new(graph.out());
    for (source, levels, frontiers) in [
        (0, [0, 1, 2, 2, u32::MAX, u32::MAX], vec![1, 1, 2]),
        (5, [u32::MAX, u32::MAX, u32::MAX, u32::MAX, 1, 0], vec![1, 1]),
    ] {
        search.reset();
        search.run(source);
        assert_eq!(search.levels(), levels);
        assert_eq!(search.frontiers(), frontiers);
        assert_eq!(search.reached(), u64::from(frontiers.iter().sum::<u32>()));
    }
}

#[test]
fn wrong_levels_are_noticed() {
    let used = Used::open(&GRAPHS[0], None, true).unwrap().unwrap();
    let mut levels = used.levels.clone();
    assert!(check(&used, "right", &levels).is_ok());
    levels[7] += 1;
    let wrong = check(&used, "wrong", &levels);
    assert!(matches!(wrong, Err(ReplicationError::Differs { vertices: 1, .. })), "{wrong:?}");
    assert!(check(&used, "short", &used.levels[1..]).is_err());
}

#[test]
fn specs_are_of_their_kinds() {
    let names: std::collections::BTreeSet<_> =
        GRAPHS.iter().map(|graph| graph.name.as_str()).collect();
    assert_eq!(names.len(), GRAPHS.len());
    for described in GRAPHS.iter() {
        let Some(used) = Used::open(described, None, true).unwrap() else { continue };
        let hub_degree = u64::from(ways::hub_degree(used.mean_degree()));
        let has_hubs =
            matches!(described.kind, graphs::Kind::Irregular | graphs::Kind::Hundredfold);
        assert_eq!(used.largest_degree() > hub_degree, has_hubs, "{}", described.name);
        assert!(2 * used.frontiers.iter().sum::<u32>() >= used.graph.vertex_count());
    }
    assert!(LAUNCHED.iter().all(|name| names.contains(name)));
}

#[test]
fn files_take_the_place_of_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("road")).unwrap();
    let text = "p sp 3 4\na 1 2 5\na 2 1 5\na 2 3 7\na 3 2 7\n";
    std::fs::write(folder.path().join("road/NY.gr"), text).unwrap();
    let road = GRAPHS.iter().find(|described| described.name == "NY").unwrap();
    let used = Used::open(road, Some(folder.path()), false).unwrap().unwrap();
    assert_eq!((used.origin.as_str(), used.edges()), ("file NY.gr", 2));
    // A quick run reads none.
    let used = Used::open(road, Some(folder.path()), true).unwrap().unwrap();
    assert!(used.origin.starts_with("stand-in "), "{}", used.origin);
}

#[test]
fn turns_are_counted() {
    use super::paper::turns;
    assert_eq!(turns(&[1, 2, 4, 3, 1]), 1.0 / 5.0);
    assert_eq!(turns(&[1, 3, 2, 2, 5, 4]), 3.0 / 6.0);
    assert_eq!((turns(&[]), turns(&[1, 1])), (0.0, 0.0));
}
