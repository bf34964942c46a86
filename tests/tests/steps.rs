//! Runs that are saved after every superstep and taken up on another engine.

use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::{Costs, GpuOptions};
use pregel_core::engine::{Cpu, VertexOrder};
use pregel_tests::conformance;
use pregel_tests::relay::relay;
use pregel_tests::suite::{Contender, cpu, emulated, reference};

/// Rounds by priority on graphs of any size.
fn rounds() -> GpuOptions {
    let mut costs = Costs::default();
    costs.rounds_edges = 0;
    GpuOptions::default().with_costs(costs)
}

/// The same with the vertices in the order of their degrees.
fn ordered(mut contender: Contender<Cpu>) -> Contender<Cpu> {
    contender.options = contender.options.with_order(VertexOrder::Degree);
    contender
}

conformance! { sampled:
    reference_and_cpu: relay(reference(Auto), cpu(2, Auto, false));
    cpu_and_cpu: relay(cpu(1, Auto, false), cpu(4, Auto, false));
    orders: relay(ordered(cpu(2, Auto, false)), cpu(2, Auto, false));
    push_and_pull: relay(cpu(2, Push, false), cpu(2, Pull, false));
    cpu_and_gpu: relay(cpu(2, Auto, false), emulated(Auto, false, rounds()));
    gpu_and_reference: relay(emulated(Auto, false, rounds()), reference(Auto));
    gpu_and_gpu: relay(emulated(Auto, true, GpuOptions::default()), emulated(Mailbox, true, GpuOptions::default()));
}
