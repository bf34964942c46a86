//! Components by union-find equal those of the program, on every graph of the zoo,
//! with several numbers of threads, and on the emulated GPU. Clustering coefficients equal
//! those of an oracle.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Debug;
use std::ops::ControlFlow;

use pregel_algos::verify;
use pregel_core::engine::gpu::{Gpu, Images};
use pregel_core::engine::{
    ConnectedComponents, CountTriangles, Cpu, Fastest, LocalClustering, Placement, Problem,
    RunError, Solve, SolveOptions, Solver, StopReason,
};
use pregel_core::graph::generate::Spec;
use pregel_core::io::{LoadOptions, load};
use pregel_emulator::Emulator;
use pregel_emulator::graph;
use pregel_roster::data;
use pregel_roster::short_cuts::{judge, judge_clustering, judge_triangles, long_rows};
use pregel_roster::zoo::{ZOO, zoo};

/// An emulated GPU with this much memory.
fn gpu(capacity: u64) -> Gpu<Emulator> {
    let emulator = Emulator::with_memory(capacity).with_shared(48 << 10);
    Gpu::new(emulator, Images::new().graph(graph::KERNELS))
}

#[test]
fn components_of_every_graph() {
    let cases = zoo();
    assert_eq!(cases.len(), ZOO);
    for threads in [1, 2, 4] {
        let engine = Cpu::with_threads(threads).unwrap();
        for case in &cases {
            let found =
                engine.solve(ConnectedComponents, &case.graph, &SolveOptions::default()).unwrap();
            judge(case, &found);
        }
    }
}

#[test]
fn components_of_every_graph_on_a_gpu() {
    let engine = gpu(1 << 40);
    let (small, rows) = (zoo(), long_rows());
    for case in small.iter().chain(&rows) {
        let mut session = engine
            .prepare_solver(ConnectedComponents, &case.graph, &SolveOptions::default())
            .unwrap();
        // Twice, since a run must not change the session.
        for _ in 0..2 {
            let found = session.run().unwrap();
            judge(case, &found);
            assert_eq!((found.report.engine, found.report.stop), ("cuda", StopReason::Halted));
        }
    }
}

#[test]
fn most_edges_within_the_largest_component_are_not_read() {
    let graph = "rmat:scale=12".parse::<Spec>().unwrap().plain().unwrap();
    let options = SolveOptions::default();
    let found = gpu(1 << 40).solve(ConnectedComponents, &graph, &options).unwrap();
    let report = &found.report;
    assert!(report.edges() < graph.edge_count() / 4, "{}", report.edges());
    let cpu = Cpu::new().solve(ConnectedComponents, &graph, &options).unwrap();
    assert_eq!(found.answer, cpu.answer);
    // The first two passes look at one edge of every row that has it.
    let rows = |longer: u64| {
        (0..graph.vertex_count()).filter(|v| graph.out().degree(*v) > longer).count() as u64
    };
    let seen: Vec<_> = report.passes.iter().map(|pass| (pass.vertices, pass.edges)).collect();
    assert_eq!(seen.len(), 3);
    assert_eq!(seen[..2], [(rows(0), rows(0)), (rows(1), rows(1))]);
    let device = report.device.as_ref().unwrap();
    assert_eq!((device.launches, device.copies), (8, 1));
}

#[test]
fn samples_of_large_graphs_are_joined_first() {
    // Without long rows; and without a frequent root to look for if edges have a direction.
    let cases = [
        ("uniform:n=70000,m=70000", 9),
        ("uniform:n=70000,m=70000,sym=0", 8),
        ("uniform:n=20000,m=20000", 8),
        ("uniform:n=16384,m=20000", 7),
    ];
    for (spec, launches) in cases {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let options = SolveOptions::default();
        let found = gpu(1 << 40).solve(ConnectedComponents, &graph, &options).unwrap();
        let cpu = Cpu::new().solve(ConnectedComponents, &graph, &options).unwrap();
        assert_eq!(found.answer, cpu.answer, "{spec}");
        assert_eq!(found.report.device.unwrap().launches, launches, "{spec}");
    }
}

/// Solves a problem where the GPU has room and kernels, where it lacks one, and without a GPU.
fn the_cpu_does_what_a_gpu_cannot<Q: Problem>(problem: Q)
where
    Q::Answer: Clone + Debug + PartialEq,
    Cpu: Solve<Q>,
    Gpu<Emulator>: Solve<Q>,
{
    let graph = "rmat:scale=10,sym=0".parse::<Spec>().unwrap().weighted().unwrap();
    let options = SolveOptions::default();
    let expected = Cpu::new().solve(problem, &graph, &options).unwrap().answer;

    let large = gpu(1 << 30);
    let found = large.solve(problem, &graph, &options).unwrap();
    let planned: u64 = found.report.device.unwrap().memory.iter().map(|need| need.bytes).sum();
    let taken = large.device().peak();
    assert!(taken <= planned + 4096 && planned <= taken, "{taken} of {planned} bytes");

    let small = gpu(planned - 1);
    let refusal = small.solve(problem, &graph, &options).unwrap_err();
    assert!(matches!(refusal, RunError::TooLarge { .. }), "{refusal}");
    assert_eq!(small.device().peak(), 0);

    let bare = Gpu::new(Emulator::new(), Images::new());
    let refusal = bare.solve(problem, &graph, &options).unwrap_err();
    assert!(matches!(refusal, RunError::NoKernels { .. }), "{refusal}");

    let engines = [(large, "cuda"), (small, "cpu"), (bare, "cpu")];
    for (gpu, expected_engine) in engines {
        let fastest = Fastest::new(Some(gpu)).with_gpu_first(true);
        let placement = fastest.solver_placement(problem, &graph, &options);
        assert_eq!(placement == Placement::Gpu, expected_engine == "cuda", "{placement:?}");
        assert_eq!(fastest.can_solve(problem, &graph), Ok(()));
        let found = fastest.prepare_solver(problem, &graph, &options).unwrap().run().unwrap();
        assert_eq!((found.answer, found.report.engine), (expected.clone(), expected_engine));
    }
    let nowhere = Fastest::<Emulator>::new(None);
    assert!(nowhere.can_solve(problem, &graph).is_ok());
    let placement = nowhere.solver_placement(problem, &graph, &options);
    assert!(matches!(placement, Placement::Sooner { .. }), "{placement:?}");
    assert_eq!(nowhere.solve(problem, &graph, &options).unwrap().answer, expected);
}

#[test]
fn the_cpu_solves_what_a_gpu_cannot() {
    the_cpu_does_what_a_gpu_cannot(ConnectedComponents);
    the_cpu_does_what_a_gpu_cannot(LocalClustering);
    the_cpu_does_what_a_gpu_cannot(CountTriangles);
}

#[test]
fn an_observer_is_called_after_the_run_on_a_gpu() {
    let graph = "grid:rows=5,cols=7".parse::<Spec>().unwrap().plain().unwrap();
    let options = SolveOptions::default().with_observer(|_| ControlFlow::Break(()));
    let found = gpu(1 << 30).solve(ConnectedComponents, &graph, &options).unwrap();
    assert_eq!((found.report.stop, found.report.passes.len()), (StopReason::Cancelled, 1));
    assert!(found.answer.iter().all(|label| *label == 0));
}

#[test]
fn clustering_of_every_graph() {
    let cases = zoo();
    let mut triangles = 0;
    for threads in [1, 2, 4] {
        let engine = Cpu::with_threads(threads).unwrap();
        for case in &cases {
            let options = SolveOptions::default();
            let mut solver = engine.prepare_solver(LocalClustering, &case.graph, &options).unwrap();
            // Twice, since a run must not change the solver.
            for _ in 0..2 {
                let found = solver.run().unwrap();
                judge_clustering(case, &found);
                assert_eq!(found.report.stop, StopReason::Halted);
                triangles += found.answer.triangles;
            }
        }
    }
    assert!(triangles > 1_000_000, "{triangles}");
}

#[test]
fn triangles_of_every_graph() {
    let options = SolveOptions::default();
    let engines = [1, 4].map(|threads| Cpu::with_threads(threads).unwrap());
    for case in zoo() {
        let mut solver = engines[1].prepare_solver(CountTriangles, &case.graph, &options).unwrap();
        let found = solver.run().unwrap();
        judge_triangles(&case, &found.answer);
        assert_eq!(found.report.stop, StopReason::Halted);
        let found = found.answer;
        // A run must not change the solver, and threads not the result.
        assert_eq!(solver.run().unwrap().answer, found, "{}", case.name);
        let alone = engines[0].solve(CountTriangles, &case.graph, &options).unwrap().answer;
        assert_eq!(alone, found, "{}", case.name);
        let clustering = engines[1].solve(LocalClustering, &case.graph, &options).unwrap().answer;
        assert_eq!(found.total, clustering.triangles, "{}", case.name);
        let n = found.degrees.len();
        if !case.graph.directed() && n > 0 {
            let mean = clustering.coefficients.iter().sum::<f64>() / n as f64;
            assert!((found.mean_clustering() - mean).abs() < 1e-12, "{}", case.name);
        }
        let complete = case.name.starts_with("complete");
        assert!(!complete || found.transitivity() == 1.0, "{}", case.name);
    }
}

#[test]
fn triangles_of_real_graphs() {
    // The numbers of the first two, and the mean coefficients of three, are published with the
    // graphs (SNAP); the others were counted elsewhere.
    let graphs = [
        ("ego-Facebook/facebook_combined.txt.xz", 1_612_010, Some(0.6055)),
        ("email-Enron/email-Enron.txt.xz", 727_044, Some(0.4970)),
        ("musae-github/musae-github_edges.csv.xz", 523_810, None),
        ("soc-Slashdot0902/soc-Slashdot0902.txt.xz", 602_592, Some(0.0603)),
    ];
    for (file, triangles, mean) in graphs {
        let Some(path) = data::path(file) else { continue };
        for directed in [true, false] {
            let options = LoadOptions::default().with_directed(directed);
            let graph = load(&path, &options).unwrap().graph.plain();
            let options = SolveOptions::default();
            let found = Cpu::new().solve(LocalClustering, &graph, &options).unwrap();
            assert_eq!(found.answer.triangles, triangles, "{file}, directed: {directed}");
            let found = Cpu::new().solve(CountTriangles, &graph, &options).unwrap().answer;
            assert_eq!(found.total, triangles, "{file}, directed: {directed}");
            verify::triangles::counts(&graph, &found.of_vertices, triangles, 1 << 28).unwrap();
            let found = found.mean_clustering();
            assert!(mean.is_none_or(|mean| (found - mean).abs() <= 5e-5), "{file}: {found}");
        }
    }
}
