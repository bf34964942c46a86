#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::Path;

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, Images};
use pregel_emulator::Emulator;
use tempfile::TempDir;

use super::contender::On;
use super::*;
use crate::UseGpu;
use crate::report::{Cell, Item};

pregel_emulator::export!(bfs: Bfs);
pregel_emulator::export!(cdlp: Cdlp);
pregel_emulator::export!(pagerank: PageRank<f64>);
pregel_emulator::export!(sssp: Sssp);

/// A path of two edges, and an isolated vertex. Two of three algorithms have their output.
const PATH: [(&str, &str); 5] = [
    (
        "path.properties",
        "graph.path.directed = false\n\
         graph.path.edge-properties.names = length\n\
         graph.path.algorithms = wcc, SSSP, lcc\n\
         graph.path.sssp.source-vertex = 30\n",
    ),
    ("path.v", "10\n20\n30\n40\n"),
    ("path.e", "10 20 0.5\n20 30 0.25\n"),
    ("path-WCC", "40 1\n30 7\n20 7\n10 7\n"),
    ("path-SSSP", "10 0.75001\n20 0.25\n30 0\n40 infinity\n"),
];

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), files);
    folder
}

fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        fs::write(folder.join(name), text).unwrap();
    }
}

fn options(folder: &Path) -> Options {
    let data = Some(folder.to_owned());
    Options { data, quick: true, gpu: UseGpu::Never, ..Options::default() }
}

fn run(options: &Options) -> Result<Report, String> {
    replicate(options, &|_| ()).map_err(|error| error.to_string())
}

fn item<'a>(report: &'a Report, name: &str) -> &'a Item {
    report.items.iter().find(|item| item.name == name).unwrap()
}

/// Algorithm, engine, validation, and runs.
fn results(report: &Report) -> Vec<[String; 4]> {
    let rows = &item(report, "results").table.rows;
    rows.iter().map(|row| [1, 2, 6, 7].map(|column| row[column].to_string())).collect()
}

#[test]
fn results_are_valid_or_not_validated() {
    let folder = folder(&PATH);
    let report = run(&Options { quick: false, ..options(folder.path()) }).unwrap();
    assert_eq!(
        results(&report),
        [
            ["LCC", "cpu", "not validated", "7"],
            ["SSSP", "cpu", "valid", "7"],
            ["WCC", "cpu", "valid", "7"]
        ]
    );
    assert_eq!(report.failures, [""; 0]);
    let row = &item(&report, "results").table.rows[1];
    assert_eq!((&row[4], &row[5]), (&Cell::Count(4), &Cell::Count(2)));
    let (Cell::Real(load, _), Cell::Real(processing, _), Cell::Real(makespan, _)) =
        (&row[8], &row[9], &row[10])
    else {
        panic!("{row:?}");
    };
    assert!(*load > 0.0 && *processing > 0.0 && makespan >= processing, "{row:?}");
    // Two edges, and six edges and vertices.
    let (Cell::Count(eps), Cell::Count(evps)) = (&row[11], &row[12]) else { panic!("{row:?}") };
    assert!((*eps as f64 - 2.0 / processing).abs() <= 1.0, "{row:?}");
    assert!((*evps as f64 - 6.0 / processing).abs() <= 1.0, "{row:?}");
    assert_eq!(item(&report, "results").figure.as_ref().unwrap().series.len(), 3);
    assert!(report.notes.iter().any(|note| note.contains("Nothing was measured on a GPU")));
}

#[test]
fn wrong_results_fail_and_have_no_times() {
    let folder = folder(&PATH);
    write(
        folder.path(),
        &[
            ("path-SSSP", "10 0.76\n20 0.25\n30 0\n40 infinity\n"),
            ("path-LCC", "10 0\n20 0\n30 0\n40 0\n50 0\n"),
            ("path-WCC", "10 1\n20 1\n30 1\n40 1\n"),
        ],
    );
    let report = run(&options(folder.path())).unwrap();
    let says = [
        ("LCC on cpu", "path-LCC:5: vertex «50» is not in the graph"),
        ("SSSP on cpu", "vertex 10 has 0.75, expected 0.76; 1 of 4 values differ"),
        ("WCC on cpu", "vertex 40 has 40, expected 1; 1 of 4 values differ"),
    ];
    assert_eq!(report.failures.len(), says.len());
    for (failure, (what, why)) in report.failures.iter().zip(says) {
        assert!(failure.contains(what) && failure.ends_with(why), "{failure}");
        assert!(report.notes.iter().any(|note| note.contains(why)), "{why}");
    }
    for row in &item(&report, "results").table.rows {
        assert!(row[6].to_string().starts_with("wrong: "), "{row:?}");
        assert!(row[9..].iter().all(|cell| *cell == Cell::Empty), "{row:?}");
    }
    let rows = &item(&report, "algorithms").table.rows;
    assert!(rows.iter().all(|row| row[6] == Cell::Count(1) && row[4] == Cell::Count(0)));
}

#[test]
fn refused_graphs_fail() {
    let folder = folder(&PATH);
    write(folder.path(), &[("path.e", "10 20 -1\n20 30 1\n")]);
    let report = run(&options(folder.path())).unwrap();
    assert_eq!(report.failures.len(), 1, "{:?}", report.failures);
    assert!(report.failures[0].starts_with("path, SSSP on cpu: "), "{:?}", report.failures);
    assert_eq!(results(&report)[2], ["WCC", "cpu", "valid", "1"]);
}

#[test]
fn a_gpu_runs_all_six() {
    const DIRECTED: &str = "graph.g.directed = true\n\
        graph.g.algorithms = bfs, cdlp, lcc, pr, wcc\n\
        graph.g.bfs.source-vertex = 1\n\
        graph.g.cdlp.max-iterations = 1\n\
        graph.g.pr.damping-factor = 0.5\n\
        graph.g.pr.num-iterations = 0\n";
    let folder = folder(&PATH);
    write(folder.path(), &[("path-LCC", "10 0\n20 0\n30 0\n40 0\n")]);
    let inner = folder.path().join("g");
    fs::create_dir(&inner).unwrap();
    write(
        &inner,
        &[
            ("g.properties", DIRECTED),
            ("g.v", "1\n2\n3\n"),
            ("g.e", "1 2\n2 3\n3 1\n"),
            ("g-BFS", "1 0\n2 1\n3 2\n"),
            ("g-CDLP", "1 2\n2 1\n3 1\n"),
            ("g-PR", "1 0.33333\n2 0.33333\n3 0.33333\n"),
            ("g-LCC", "1 0.5\n2 0.5\n3 0.5\n"),
            ("g-WCC", "1 1\n2 1\n3 1\n"),
        ],
    );
    let images = Images::new()
        .graph(pregel_emulator::graph::KERNELS)
        .program::<Bfs>("bfs", bfs::KERNELS)
        .program::<Cdlp>("cdlp", cdlp::KERNELS)
        .program::<PageRank<f64>>("pagerank", pagerank::KERNELS)
        .program::<Sssp>("sssp", sssp::KERNELS);
    let emulated = On {
        name: "emulated",
        device: Some("emulator".to_owned()),
        // As much shared memory as blocks of a real device have.
        engine: Gpu::new(Emulator::new().with_shared(48 << 10), images),
    };
    let both: [Box<dyn Contender>; 2] = [Box::new(On::cpu()), Box::new(emulated)];
    let report = measure(&both, None, &options(folder.path()), &|_| ()).unwrap();
    assert_eq!(report.failures, [""; 0]);
    assert_eq!(report.machine.device.as_deref(), Some("emulator"));
    let rows = results(&report);
    assert_eq!(rows.len(), 2 * (5 + 3));
    for [algorithm, engine, state, _] in &rows {
        assert_eq!(state, "valid", "{algorithm} on {engine}");
    }
}

#[test]
fn what_there_is_no_time_for_is_listed() {
    let folder = folder(&PATH);
    let large = PATH[0].1.to_owned()
        + "graph.path.meta.vertices = 4\ngraph.path.meta.edges = 18446744073709551615\n";
    write(folder.path(), &[("path.properties", &large)]);
    let report = run(&options(folder.path())).unwrap();
    assert!(report.notes.iter().any(|note| note == "Left out: path: too large for a quick run."));
    assert!(item(&report, "results").table.rows.is_empty());
    let mut clock = Clock { begin: Instant::now(), budget: Duration::from_secs(9), trials: 3 };
    assert!(clock.share().is_some_and(|share| share <= Duration::from_secs(3)));
    assert_eq!(clock.trials, 2);
    clock.budget = Duration::ZERO;
    assert_eq!(clock.share(), None);
    let none = Options { quick: false, budget: Duration::ZERO, ..options(folder.path()) };
    let report = run(&none).unwrap();
    assert!(report.notes.iter().any(|note| note == "Left out: path: there was no time left."));
    assert!(report.html().unwrap().contains("no time left"));
}

#[test]
fn wrong_properties_are_errors_with_their_line() {
    let says = [
        ("graph.g.algorithms = bfs, stats\n", "line 2: expected a list of bfs, cdlp,"),
        ("graph.g.algorithms = ,\n", "line 2: expected a list of bfs, cdlp,"),
        ("", "expected the property «graph.g.algorithms»"),
        ("graph.g.algorithms = bfs\n", "expected the property «graph.g.bfs.source-vertex»"),
        ("graph.g.algorithms = bfs\ngraph.g.bfs.source-vertex = 3\n", "line 3: expected the id of"),
        ("graph.g.algorithms = bfs\ngraph.g.bfs.source-vertex = x\n", "line 3: expected a non-neg"),
        ("graph.g.algorithms = cdlp\ngraph.g.cdlp.max-iterations = 4294967296\n", "line 3: expec"),
        ("graph.g.algorithms = pr\n", "expected the property «graph.g.pr.damping-factor»"),
        ("graph.g.algorithms = sssp\n", "expected the property «graph.g.edge-properties.names»"),
        (
            "graph.g.edge-properties.names = a, b\ngraph.g.algorithms = sssp\n\
             graph.g.sssp.weight-property = b\n",
            "line 4: expected the first edge property",
        ),
    ];
    for (lines, wanted) in says {
        let properties = format!("graph.g.directed = true\n{lines}");
        let folder = folder(&[("g.properties", &properties), ("g.v", "1\n2\n"), ("g.e", "1 2\n")]);
        let error = run(&options(folder.path())).unwrap_err();
        assert!(error.contains("g.properties: ") && error.contains(wanted), "{lines}: {error}");
    }
}

#[test]
fn folders_need_data_sets() {
    let empty = folder(&[("README", "")]);
    let error = run(&options(empty.path())).unwrap_err();
    assert!(error.contains("expected NAME.properties"), "{error}");
    assert!(run(&Options { data: None, ..options(empty.path()) }).is_err());
    let error = run(&options(&empty.path().join("none"))).unwrap_err();
    assert!(error.contains("cannot read the folder"), "{error}");
}
