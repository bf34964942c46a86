//! A run loads each of its two images once, before the first superstep: it launches
//! no kernel that was not listed.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::bfs::Bfs;
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, GpuOptions, Mapping, Sort};
use pregel_core::engine::{Engine, RunError, RunOptions, Strategy};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;
use pregel_emulator::Emulator;
use pregel_tests::emulated::images;
use pregel_tests::suite::may_refuse;

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
