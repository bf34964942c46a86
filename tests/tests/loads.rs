//! A run loads each of its two images once, before the first superstep: it launches
//! no kernel that was not listed. It tells profilers of its parts.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::{Arc, Mutex};

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, GpuOptions, Mapping, Sort};
use pregel_core::engine::{
    ConnectedComponents, Engine, RunError, RunOptions, Solve, SolveOptions, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::{Emulator, PartEvent};
use pregel_roster::emulated::images;
use pregel_roster::suite::may_refuse;

fn sorts() -> Vec<Sort> {
    let of = |mapping| Sort::Approximate { mapping, regions: 7 };
    let both = [of(Mapping::Linear), of(Mapping::Logarithmic)];
    let stable = both.map(Sort::stable);
    both.into_iter().chain(stable).chain([Sort::None, Sort::Exact]).collect()
}

fn check<P: VertexCompute<Input = ()>>(
    name: &str,
    graph: &Graph<P::Edge>,
    program: &P,
    options: &RunOptions,
    layout: GpuOptions,
) {
    let engine = Gpu::new(Emulator::new(), images()).with_options(layout);
    for _ in 0..2 {
        match engine.run(graph, program, options) {
            Err(RunError::Unsupported(_)) if may_refuse::<P>(options) => return,
            ran => ran.unwrap(),
        };
        assert_eq!(engine.device().loads(), 2, "{name}, {options:?}, {layout:?}");
    }
}

fn check_all(graph: &Graph<f32>, options: &RunOptions, layout: GpuOptions) {
    let plain = graph.without_values();
    check("bfs", &plain, &Bfs { source: 0 }, options, layout);
    check("hcc", &plain, &Hcc, options, layout);
    check("sssp", graph, &Sssp { source: 0 }, options, layout);
    // The others may never halt.
    if options.max_supersteps.is_some() {
        check("cdlp", &plain, &Cdlp, options, layout);
        check("pagerank", &plain, &PageRank::<f32>::new(0.85, 0.0), options, layout);
    }
}

#[test]
fn a_run_loads_what_it_launches() {
    use Strategy::{Auto, Mailbox, Pull, Push};
    let short = RunOptions::default().with_max_supersteps(2);
    for spec in ["rmat:scale=6", "rmat:scale=6,sym=0", "rmat:scale=9"] {
        let graph: Graph<f32> = spec.parse::<Spec>().unwrap().weighted().unwrap();
        let usual = GpuOptions::default();
        let all = [
            (Auto, usual),
            (Push, usual),
            (Pull, usual),
            (Mailbox, usual),
            (Mailbox, GpuOptions::medusa()),
            (Mailbox, GpuOptions::medusa_thread()),
        ];
        for (strategy, layout) in all {
            for deterministic in [false, true] {
                let options =
                    short.clone().with_strategy(strategy).with_deterministic(deterministic);
                check_all(&graph, &options, layout);
            }
        }
        for sort in sorts() {
            check_all(&graph, &short, GpuOptions::default().with_sort(sort));
        }
    }
    // Enough supersteps for a resident launch.
    let grid: Graph<f32> = "grid:rows=2,cols=20".parse::<Spec>().unwrap().weighted().unwrap();
    check_all(&grid, &RunOptions::default(), GpuOptions::default());
}

#[test]
fn a_run_tells_of_its_parts() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let listener = {
        let told = Arc::clone(&told);
        move |name: &str, event| told.lock().unwrap().push((name.to_owned(), event))
    };
    let engine = Gpu::new(Emulator::new().with_listener(listener), images());
    let graph: Graph = "grid:rows=2,cols=20".parse::<Spec>().unwrap().plain().unwrap();
    let options = RunOptions::default().with_strategy(Strategy::Pull);
    let report = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap().report;
    engine.solve(ConnectedComponents, &graph, &SolveOptions::default()).unwrap();
    let told = std::mem::take(&mut *told.lock().unwrap());

    // Every part ends before the next of its level begins.
    let (mut open, mut names) = (Vec::new(), Vec::new());
    for (name, event) in told {
        match event {
            PartEvent::Begins => {
                names.push(name.clone());
                open.push(name);
            }
            PartEvent::Ends => assert_eq!(open.pop(), Some(name)),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    let supersteps = (0..=report.supersteps).map(|i| match i {
        0 => "superstep 0".to_owned(),
        i => format!("superstep {i}: pull"),
    });
    let first = ["prepare bfs", "begin a run"].map(str::to_owned);
    let last = ["take the result", "prepare components", "components"].map(str::to_owned);
    let expected: Vec<String> = first.into_iter().chain(supersteps).chain(last).collect();
    assert_eq!(names, expected);
}
