#![allow(clippy::unwrap_used)]

use std::time::Duration;

use pregel_algos::bfs::Bfs;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Choice, Gpu, GpuOptions, Images};
use pregel_core::engine::{Cpu, Engine, Reference, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_emulator::{Emulator, Kernels};
use pregel_replication_programs::{Levels, ResidualPageRank, share, total};

use super::bench::Bench;
use super::graphs::{GRAPHS, LIVE_JOURNAL, USA, Used};
use super::measure;
use super::ran::Ran;
use super::ranks::near;
use super::task::equal;
use crate::report::{Cell, Report, Verdict};
use crate::timing::Repeats;
use crate::{Options, ReplicationError, UseGpu};

pregel_emulator::export!(bfs: Bfs);
pregel_emulator::export!(hcc: Hcc);
pregel_emulator::export!(levels: Levels);
pregel_emulator::export!(pagerank_f32: PageRank<f32>);
pregel_emulator::export!(residual_pagerank: ResidualPageRank);
pregel_emulator::export!(sssp: Sssp);

fn images() -> Images<Kernels> {
    Images::new()
        .graph(pregel_emulator::graph::KERNELS)
        .program::<Bfs>("bfs", bfs::KERNELS)
        .program::<Hcc>("hcc", hcc::KERNELS)
        .program::<Levels>("levels", levels::KERNELS)
        .program::<PageRank<f32>>("pagerank_f32", pagerank_f32::KERNELS)
        .program::<ResidualPageRank>("residual_pagerank", residual_pagerank::KERNELS)
        .program::<Sssp>("sssp", sssp::KERNELS)
}

/// A quick run on the emulated device.
fn emulated(options: &Options) -> Result<Report, ReplicationError> {
    let progress = |_: &str| ();
    let bench = Bench::new(Gpu::new(Emulator::new(), images()), Repeats::QUICK, &progress);
    measure(Ok(Box::new(bench)), options, &progress)
}

fn quick() -> Options {
    Options { quick: true, ..Options::default() }
}

#[test]
fn everything_is_measured_on_a_device() {
    let report = emulated(&quick()).unwrap();
    // Four graphs; contenders on the CPU and on the device.
    let expected = [
        ("table-4", 4),
        ("table-5", 4 * (2 + 5)),
        ("fig-10a", 4 * (2 + 6)),
        ("work", 4 * (2 + 5 + 2 + 6)),
        ("fig-11", 4 * (2 + 4)),
        ("fig-12", 4 * (2 + 2)),
    ];
    let rows: Vec<_> = report.items.iter().map(|item| (item.name, item.table.rows.len())).collect();
    assert!(expected.iter().all(|item| rows.contains(item)), "{rows:?}");
    for item in &report.items {
        assert!(!item.table.rows.is_empty(), "{}", item.name);
        for row in &item.table.rows {
            assert_eq!(row.len(), item.table.columns.len(), "{}", item.name);
            // Only the CPU has no plain way to compare with on a device.
            let complete = !row.contains(&Cell::Empty);
            assert!(complete || row[1] == "CPU".into(), "{}: {row:?}", item.name);
        }
        // The graphs are too small for verdicts, but nothing is missing.
        for claim in &item.claims {
            assert!(!claim.ours.contains("not measured"), "{}: {}", item.name, claim.paper);
            assert!(matches!(claim.verdict, Verdict::NotComparable(_)), "{}", item.name);
        }
    }
    assert!(report.machine.device.is_some());
    assert!(report.notes.iter().any(|note| note.starts_with("Nothing was left out")));
}

/// The cell of a row of the item, under this heading.
fn number(report: &Report, item: &str, row: [&str; 3], column: &str) -> f64 {
    let item = report.items.iter().find(|of| of.name == item).unwrap();
    let at = item.table.columns.iter().position(|name| *name == column).unwrap();
    let row = row.map(Cell::from);
    match item.table.rows.iter().find(|cells| cells[..3] == row).unwrap()[at] {
        Cell::Count(count) => count as f64,
        Cell::Real(value, _) => value,
        ref cell => panic!("{cell:?} is no number"),
    }
}

#[test]
fn techniques_do_what_they_are_named_for() {
    let report = emulated(&quick()).unwrap();
    let of = |way, column| number(&report, "table-5", ["USA", "GPU", way], column);
    let [plain, priority, fused, both] = ["plain", "priority", "fused", "both"]
        .map(|way| ["launches", "edges relaxed", "supersteps or rounds"].map(|what| of(way, what)));
    // Plain supersteps send the same on every engine.
    let on_cpu = number(&report, "table-5", ["USA", "CPU", "plain"], "edges relaxed");
    assert_eq!(plain[1], on_cpu);
    // Fusion saves launches and no work, priority saves work.
    assert_eq!((plain[1], plain[2]), (fused[1], fused[2]));
    assert!(fused[0] <= 4.0 && both[0] <= 4.0, "{fused:?}, {both:?}");
    assert!(plain[0] > plain[2] && priority[0] >= priority[2], "{plain:?}, {priority:?}");
    assert!(priority[1] < plain[1] && both[1] < plain[1], "{priority:?}, {both:?}, {plain:?}");
}

#[test]
fn what_there_is_no_time_for_is_listed() {
    let report = emulated(&Options { budget: Duration::ZERO, ..quick() }).unwrap();
    let note = report.notes.iter().find(|note| note.starts_with("Left out: ")).unwrap();
    for what in [
        "NE, CPU, union-find",
        "NE, SSSP, both",
        "NE, components, union-find",
        "kron21.sym: no time",
    ] {
        assert!(note.contains(what), "{what} is not in {note}");
    }
    let claims = report.items.iter().flat_map(|item| &item.claims);
    assert!(claims.into_iter().any(|claim| claim.ours == "not measured"));
}

#[test]
fn without_a_device_there_are_the_rows_of_the_cpu() {
    let options = Options { gpu: UseGpu::Never, ..quick() };
    let report = super::replicate(&options, &|_| ()).unwrap();
    assert_eq!(report.machine.device, None);
    assert!(report.notes.iter().any(|note| note.starts_with("No GPU was used: ")));
    for (name, rows) in [("table-5", 8), ("fig-10a", 8), ("fig-11", 8), ("fig-12", 8)] {
        let item = report.items.iter().find(|item| item.name == name).unwrap();
        assert_eq!(item.table.rows.len(), rows, "{name}");
        assert!(item.table.rows.iter().all(|row| row[1] == "CPU".into()), "{name}");
    }
}

#[test]
fn wrong_results_are_noticed() {
    assert_eq!(equal(&[1_u32, 2])(&[1, 2]).wrong, 0);
    assert_eq!(equal(&[1_u32, 2])(&[1, 3]).wrong, 1);
    let judge = near::<PageRank<f32>>(&[0.25, 0.75], 1e-4);
    assert_eq!(judge(&[0.25, 0.75]).wrong, 0);
    assert!((judge(&[0.2505, 0.7495]).error - 1e-3).abs() < 1e-6);
    for wrong in [&[0.26_f32, 0.74][..], &[0.25], &[f32::NAN, 0.75]] {
        assert_eq!(judge(wrong).wrong, 2, "{wrong:?}");
    }
}

#[test]
fn medians_are_taken_apart() {
    let ran = |seconds, work| Ran { seconds, steps: 3.0, launches: 1.0, work, error: 0.0, runs: 1 };
    let median = Ran::median(&[ran(3.0, 10.0), ran(1.0, 30.0), ran(2.0, 20.0)]).unwrap();
    assert_eq!((median.seconds, median.work, median.runs), (2.0, 20.0, 3));
    assert!(Ran::median(&[]).is_none());
}

#[test]
fn files_take_the_place_of_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("road")).unwrap();
    std::fs::write(folder.path().join("road/NE.gr"), "p tw 3 2\n1 2\n2 3\n").unwrap();
    let text = "p sp 2 2\na 1 2 803\na 2 1 803\n";
    std::fs::write(folder.path().join("USA-road-d.USA.gr"), text).unwrap();
    let usa = Used::open(USA, Some(folder.path()), false).unwrap();
    assert!(usa.is_real() && usa.origin.ends_with("USA-road-d.USA.gr, its weights"));
    assert_eq!(usa.graph.out_values(), [803.0, 803.0]);
    let ne = Used::open(0, Some(folder.path()), false).unwrap();
    assert_eq!((ne.graph.vertex_count(), ne.graph.edge_count()), (3, 4));
    assert!(ne.origin.ends_with("NE.gr, random weights"), "{}", ne.origin);
    // A quick run reads none.
    assert!(!Used::open(USA, Some(folder.path()), true).unwrap().is_real());
}

#[test]
fn small_graphs_are_of_the_same_kinds() {
    for (number, described) in GRAPHS.iter().enumerate() {
        let used = Used::open(number, None, true).unwrap();
        assert!(used.graph.edge_count() > 100, "{}", described.name);
        assert_eq!(used.graph.directed(), number == LIVE_JOURNAL, "{}", described.name);
    }
}

/// Exact ranks by the textbook's formula: rank without out-edges goes to all vertices alike.
fn oracle(graph: &Graph<()>, damping: f64) -> Vec<f64> {
    let n = graph.vertex_count() as usize;
    let out = graph.out();
    let mut ranks = vec![1.0 / n as f64; n];
    for _ in 0..200 {
        let dangling: f64 =
            (0..n).filter(|v| out.row(*v as u32).is_empty()).map(|v| ranks[v]).sum();
        let mut next = vec![(1.0 - damping + damping * dangling) / n as f64; n];
        for (v, rank) in ranks.iter().enumerate() {
            let row = out.row(v as u32);
            for target in row {
                next[*target as usize] += damping * rank / row.len() as f64;
            }
        }
        ranks = next;
    }
    ranks
}

#[test]
fn ranks_by_residuals_are_those_of_the_formula_on_every_engine() {
    let damping = 0.85;
    let specs = [
        "rmat:scale=6,ef=4,sym=0",
        "rmat:scale=7,ef=8",
        "uniform:n=200,m=500,sym=0",
        "uniform:n=90,m=60,sym=0",
        "grid:rows=5,cols=17",
    ];
    for spec in specs {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let exact = oracle(&graph, damping);
        for tolerance in [1e-2, 1e-4] {
            let program = ResidualPageRank::new(damping as f32, tolerance);
            let options = RunOptions::default();
            let mut found = vec![("reference", Reference.run(&graph, &program, &options).unwrap())];
            let cpu = Cpu::with_threads(2).unwrap();
            for strategy in [Strategy::Auto, Strategy::Push, Strategy::Pull] {
                let options = options.clone().with_strategy(strategy);
                found.push((strategy.name(), cpu.run(&graph, &program, &options).unwrap()));
                for resident in [Choice::Never, Choice::Always] {
                    let layout = GpuOptions::default().with_resident(resident);
                    let gpu = Gpu::new(Emulator::new(), images()).with_options(layout);
                    found.push(("emulator", gpu.run(&graph, &program, &options).unwrap()));
                }
            }
            for (engine, outcome) in found {
                let total = total(&outcome.states);
                let error: f64 = outcome
                    .states
                    .iter()
                    .zip(&exact)
                    .map(|(standing, exact)| (share(*standing, total) - exact).abs())
                    .sum();
                let allowed = 2.0 * damping * f64::from(tolerance) / total + 1e-5;
                assert!(error <= allowed, "{spec}, {engine}: {error} is above {allowed}");
            }
        }
    }
}

#[test]
fn residuals_take_fewer_messages_on_roads() {
    let graph = "grid:rows=120,cols=120".parse::<Spec>().unwrap().plain().unwrap();
    let (cpu, options) = (Cpu::with_threads(2).unwrap(), RunOptions::default());
    let exact = cpu.run(&graph, &PageRank::<f64>::new(0.85, 1e-9), &options).unwrap().states;
    let bundled = cpu.run(&graph, &PageRank::<f32>::new(0.85, 1e-4), &options).unwrap();
    let residual = cpu.run(&graph, &ResidualPageRank::new(0.85, 1e-3), &options).unwrap();
    let errors = [
        near::<PageRank<f32>>(&exact, 1e-4)(&bundled.states).error,
        near::<ResidualPageRank>(&exact, 1e-3)(&residual.states).error,
    ];
    let messages = [bundled.report.messages, residual.report.messages];
    // Less than half the messages, and nearer to the exact ranks.
    assert!(messages[1] * 2 < messages[0] && errors[1] < errors[0], "{messages:?}, {errors:?}");
}

#[test]
fn committed_images_are_up_to_date() {
    use pregel_core::device::contract;
    use pregel_core::engine::gpu::{Image, Ptx};

    let images = [
        ("levels", Ptx(include_str!("../../ptx/levels.ptx")), contract::<Levels>()),
        (
            "residual_pagerank",
            Ptx(include_str!("../../ptx/residual_pagerank.ptx")),
            contract::<ResidualPageRank>(),
        ),
    ];
    for (name, image, expected) in images {
        assert_eq!(image.contract(name), Some(expected), "{name}.ptx must be built again");
    }
}
