#![allow(clippy::unwrap_used)]

use std::time::Duration;

use pregel_algos::hcc::Hcc;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, Images, Mapping, Sort, SortedOrder};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_emulator::Emulator;
use pregel_replication_programs::{HccOut, ThesisPageRank};

use super::gpu::{Bench, sort_is_wrong};
use super::graphs::{GRAPHS, Used};
use super::measure;
use super::numbering::{in_degrees, on_all_threads, on_one_thread};
use super::padding::{extra, slots, sorted};
use crate::report::{Cell, Report, Verdict};
use crate::{Options, ReplicationError, UseGpu};

pregel_emulator::export!(hcc: Hcc);
pregel_emulator::export!(hcc_out: HccOut);
pregel_emulator::export!(sssp: Sssp);
pregel_emulator::export!(thesis_pagerank: ThesisPageRank);

/// A quick run on the emulated device.
fn emulated(options: &Options) -> Result<Report, ReplicationError> {
    let images = Images::new()
        .graph(pregel_emulator::graph::KERNELS)
        .program::<Hcc>("hcc", hcc::KERNELS)
        .program::<HccOut>("hcc_out", hcc_out::KERNELS)
        .program::<Sssp>("sssp", sssp::KERNELS)
        .program::<ThesisPageRank>("thesis_pagerank", thesis_pagerank::KERNELS);
    let progress = |_: &str| ();
    let bench = Bench::new(Gpu::new(Emulator::new(), images), true, &progress);
    measure(Ok(Box::new(bench)), options, &progress)
}

fn quick() -> Options {
    Options { quick: true, ..Options::default() }
}

#[test]
fn all_of_chapter_5_is_measured_on_a_device() {
    let report = emulated(&quick()).unwrap();
    let expected = [
        ("table-5.1", 6),
        // Six graphs, five contenders.
        ("fig-5.1", 30),
        ("fig-5.2", 30),
        ("fig-5.3", 30),
        ("fig-5.3-both-ways", 30),
        ("table-5.3", 6),
        ("table-5.3-growth", 7),
        // Two distributions, three sizes, six sorts.
        ("fig-5.4", 6),
        ("fig-5.5", 36),
        ("fig-5.6", 8),
        ("fig-5.6-padding", 48),
        ("fig-5.7", 6),
        ("fig-5.8", 54),
    ];
    let rows: Vec<_> = report.items.iter().map(|item| (item.name, item.table.rows.len())).collect();
    assert_eq!(rows, expected);
    for item in &report.items {
        for row in &item.table.rows {
            assert_eq!(row.len(), item.table.columns.len(), "{}", item.name);
            assert!(!row.contains(&Cell::Empty), "{}: {row:?}", item.name);
        }
        // The graphs are too small for verdicts, but nothing is missing.
        assert!(!item.claims.is_empty(), "{}", item.name);
        for claim in &item.claims {
            assert!(!claim.ours.contains("not measured"), "{}: {}", item.name, claim.paper);
            assert!(matches!(claim.verdict, Verdict::NotComparable(_)), "{}", item.name);
        }
    }
    assert!(report.machine.device.is_some());
    assert!(report.notes.iter().any(|note| note.ends_with("Nothing was left out.")));
}

#[test]
fn what_there_is_no_time_for_is_listed() {
    let report = emulated(&Options { budget: Duration::ZERO, ..quick() }).unwrap();
    let note = report.notes.iter().find(|note| note.contains("Left out: ")).unwrap();
    for what in ["keys of a power law", "uniform:n=", "Random, SSSP, auto", "10000 regions"] {
        assert!(note.contains(what), "{what} is not in {note}");
    }
    let figure = report.items.iter().find(|item| item.name == "fig-5.1").unwrap();
    assert!(figure.table.rows.iter().all(|row| row.contains(&Cell::Empty)));
    assert!(figure.claims[0].ours.contains("not measured"));
}

#[test]
fn without_a_device_the_rest_is_listed() {
    let options = Options { gpu: UseGpu::Never, ..quick() };
    let report = super::replicate(&options, &|_| ()).unwrap();
    assert_eq!(report.machine.device, None);
    let others = report.items.iter().find(|item| item.name == "gpu").unwrap();
    assert!(others.claims.iter().all(|claim| claim.ours == "not measured"));
}

#[test]
fn wrong_orders_are_noticed() {
    let keys = [5, 900, 5, 0];
    let order = |vertex_at: [u32; 4]| {
        let mut place_of = vec![0; 4];
        (0..).zip(vertex_at).for_each(|(place, vertex)| place_of[vertex as usize] = place);
        SortedOrder { vertex_at: vertex_at.to_vec(), place_of }
    };
    // The largest first.
    assert!(!sort_is_wrong(&keys, Sort::Exact, &order([1, 0, 2, 3])));
    assert!(sort_is_wrong(&keys, Sort::Exact, &order([1, 2, 0, 3])));
    assert!(sort_is_wrong(&keys, Sort::Exact, &order([0, 1, 2, 3])));
    let approximate = Sort::Approximate { mapping: Mapping::Linear, regions: 10 };
    assert!(!sort_is_wrong(&keys, approximate, &order([1, 3, 2, 0])));
    assert!(sort_is_wrong(&keys, approximate, &order([3, 1, 2, 0])));
    assert!(sort_is_wrong(&keys, approximate.stable(), &order([1, 3, 2, 0])));
    let broken = SortedOrder { vertex_at: vec![1, 1, 1, 1], place_of: vec![0; 4] };
    assert!(sort_is_wrong(&keys, approximate, &broken));
}

#[test]
fn committed_images_are_up_to_date() {
    use pregel_core::device::{contract, tools_contract};
    use pregel_core::engine::gpu::{Image, Ptx};

    let images = [
        ("graph", Ptx(include_str!("../../ptx/graph.ptx")), tools_contract()),
        ("hcc_out", Ptx(include_str!("../../ptx/hcc_out.ptx")), contract::<HccOut>()),
        (
            "thesis_pagerank",
            Ptx(include_str!("../../ptx/thesis_pagerank.ptx")),
            contract::<ThesisPageRank>(),
        ),
    ];
    for (name, image, expected) in images {
        assert_eq!(image.contract(name), Some(expected), "{name}.ptx must be built again");
    }
}

#[test]
fn numbering_gives_every_edge_a_slot_of_its_receiver() {
    for spec in [
        "rmat:scale=12,ef=9,sym=0,dedup=0",
        "uniform:n=100000,m=5000,sym=0",
        "uniform:n=70000,m=200000,sym=0",
        "uniform:n=1,m=0,sym=0",
    ] {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let rows = graph.out();
        let (begins, slots) = on_one_thread(rows);
        let mut taken = vec![false; slots.len()];
        for (&target, &slot) in rows.targets().iter().zip(&slots) {
            let own = begins[target as usize]..begins[target as usize + 1];
            assert!(own.contains(&u64::from(slot)), "{spec}");
            assert!(!std::mem::replace(&mut taken[slot as usize], true), "{spec}");
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| on_all_threads(rows)) == (begins.clone(), slots.clone()));
        }
    }
}

#[test]
fn slots_of_one_receiver_keep_the_order_of_the_edges() {
    let graph = Graph::from_edges([(0, 2), (1, 2), (1, 0), (3, 2)]).unwrap();
    let (begins, slots) = on_one_thread(graph.out());
    assert_eq!(begins, [0, 1, 1, 4, 4]);
    // 0→2, 1→0, 1→2, 3→2.
    assert_eq!(slots, [1, 0, 2, 3]);
}

#[test]
fn regions_sort_approximately() {
    let degrees = [7, 0, 3, 10, 2, 9, 1];
    assert_eq!(sorted(&degrees, 0), degrees);
    assert_eq!(sorted(&degrees, 1), degrees);
    // Two regions: only the largest is in the second.
    assert_eq!(sorted(&degrees, 2), [7, 0, 3, 2, 9, 1, 10]);
    assert_eq!(sorted(&degrees, 3), [0, 3, 2, 1, 7, 9, 10]);
    assert_eq!(sorted(&degrees, 11), [0, 1, 2, 3, 7, 9, 10]);
    assert_eq!(sorted(&[], 5), [0; 0]);
    assert_eq!(sorted(&[4, 4], 5), [4, 4]);
    assert_eq!(sorted(&[0, u32::MAX, 5], u32::MAX >> 12)[2], u32::MAX);
}

#[test]
fn groups_are_padded_to_their_longest_column() {
    let degrees = [5, 4, 4, 2, 1];
    assert_eq!(slots(&degrees, 1), 16);
    assert_eq!(slots(&degrees, 2), 10 + 8 + 2);
    assert_eq!(slots(&degrees, 4), 20 + 4);
    assert_eq!(extra(&degrees, 1), 0.0);
    assert_eq!(extra(&degrees, 4), 50.0);
    assert_eq!(extra(&[], 4), 0.0);
    assert_eq!(extra(&[0, 0], 4), 0.0);
}

fn degrees(used: &Used) -> Vec<u32> {
    in_degrees(&on_one_thread(used.graph.out()).0)
}

#[test]
fn files_take_the_place_of_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# a comment of SNAP\n1\t2\n7\t2\n2\t7\n";
    std::fs::write(folder.path().join("cit-Patents.txt"), text).unwrap();
    let used = Used::open(3, Some(folder.path()), false).unwrap();
    assert_eq!(
        (used.described.name, used.origin.as_str()),
        ("cit-Patents", "file cit-Patents.txt")
    );
    assert_eq!(degrees(&used), [0, 2, 1]);
    // A quick run reads none.
    let quick = Used::open(3, Some(folder.path()), true).unwrap();
    assert!(quick.origin.starts_with("stand-in "), "{}", quick.origin);
}

#[test]
fn specs_stand_for_the_graphs_of_the_thesis() {
    for (number, described) in GRAPHS.iter().enumerate() {
        let quick = Used::open(number, None, true).unwrap();
        assert!(quick.graph.directed(), "{}", described.name);
        assert!(degrees(&quick).iter().any(|degree| *degree > 1), "{}", described.name);
    }
}
