//! What the GPU engine says that a run needs is what the run then plans, array by array.
#![allow(clippy::unwrap_used)]

use pregel_core::engine::gpu::{Gpu, GpuOptions, Mapping, Sort};
use pregel_core::engine::{
    ConnectedComponents, CountTriangles, Engine, LocalClustering, Problem, RunOptions, Solve,
    SolveOptions, Strategy,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::prelude::*;
use pregel_emulator::{Emulator, images};

/// Adds up what the neighbours have.
#[derive(Clone, Copy)]
struct Total;

impl Program for Total {
    type Input = ();
    type State = u64;
    type Signal = u32;
    type Edge = f32;
    type Combiner = Sum<u64>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Total {
    fn edge_compute(&self, total: &u32, edge: Edge<f32>) -> Option<u64> {
        Some(u64::from(*total) + edge.value as u64)
    }
}

impl VertexCompute for Total {
    fn init(&self, context: &mut Context<'_, Self>) -> (u64, Vote) {
        (context.vertex().into(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        total: &mut u64,
        sum: Option<u64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        *total = total.wrapping_add(sum.unwrap_or(0));
        context.contribute(*total >> 32);
        Vote::Scatter
    }

    fn signal(&self, total: &u64, _: &Context<'_, Self>) -> u32 {
        *total as u32
    }
}

fn graphs() -> [Graph<f32>; 2] {
    ["rmat:scale=9", "rmat:scale=9,sym=0"].map(|spec| {
        let spec: Spec = spec.parse().unwrap();
        spec.weighted().unwrap()
    })
}

#[test]
fn programs_need_what_is_planned_for_them() {
    let layouts = [
        Sort::None,
        Sort::Exact,
        Sort::Stable { mapping: Mapping::Logarithmic, regions: 1000 },
        Sort::Stable { mapping: Mapping::Linear, regions: 100 },
    ]
    .map(|sort| GpuOptions::default().with_sort(sort));
    for graph in graphs() {
        for strategy in [Strategy::Auto, Strategy::Pull, Strategy::Push, Strategy::Mailbox] {
            for layout in layouts {
                let options = RunOptions::default().with_strategy(strategy).with_max_supersteps(1);
                let foreseen = Gpu::<Emulator>::needs::<Total>(&graph, &options, &layout).unwrap();
                let engine = Gpu::new(Emulator::new(), images::<Total>()).with_options(layout);
                let report = engine.run(&graph, &Total, &options).unwrap().report;
                assert_eq!(
                    foreseen.device,
                    report.device.unwrap().memory,
                    "{strategy:?} {layout:?}"
                );
                let states = 8 * u64::from(graph.vertex_count());
                assert!(foreseen.host_bytes() >= states);
            }
        }
    }
}

#[test]
fn solvers_need_what_is_planned_for_them() {
    fn check<Q: Problem>(problem: Q, graph: &Graph<f32>)
    where
        Gpu<Emulator>: Solve<Q>,
    {
        let foreseen = <Gpu<Emulator> as Solve<Q>>::needs(problem, graph).unwrap();
        let engine = Gpu::new(Emulator::new().with_shared(48 << 10), images::<Total>());
        let report = engine.solve(problem, graph, &SolveOptions::default()).unwrap().report;
        assert_eq!(foreseen.device, report.device.unwrap().memory);
    }
    for graph in graphs() {
        check(ConnectedComponents, &graph);
        check(LocalClustering, &graph);
        check(CountTriangles, &graph);
    }
}
