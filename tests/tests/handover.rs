//! Every program in runs that change hands: saved after every superstep and resumed on
//! another engine, or computed in parts of the graph side by side.
//!
//! These take long to compile, so `cargo test` leaves them out.
//! `cargo test -p pregel-tests --test handover` runs them, as does `.ci/run`.

use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_core::engine::gpu::GpuOptions;
use pregel_core::engine::part::Partition;
use pregel_core::engine::{Cpu, VertexOrder};
use pregel_roster::conformance;
use pregel_roster::parts::Form::{Both, Messages, Signals};
use pregel_roster::parts::parts;
use pregel_roster::relay::relay;
use pregel_roster::suite::{Contender, cpu, emulated, reference, rounds};

/// The contender with vertices ordered by degree.
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
    gpu_and_gpu: relay(
        emulated(Auto, true, GpuOptions::default()),
        emulated(Mailbox, true, GpuOptions::default())
    );
}

fn one(_: u32) -> Partition {
    Partition::whole()
}

fn halves(vertex_count: u32) -> Partition {
    Partition::ranges(2, vertex_count)
}

fn thirds(vertex_count: u32) -> Partition {
    Partition::ranges(3, vertex_count)
}

fn dealt(_: u32) -> Partition {
    Partition::dealt(2, 1)
}

/// Three parts by a hash, and a fourth that owns no vertex.
fn hashed(_: u32) -> Partition {
    Partition::by(4, |vertex| (vertex.wrapping_mul(0x9E37_79B1) >> 16) % 3)
}

conformance! { sampled:
    one_part: parts(reference(Mailbox), one, Messages);
    halves_by_messages: parts(reference(Mailbox), halves, Messages);
    halves_by_signals: parts(reference(Mailbox), halves, Signals);
    dealt_by_messages: parts(reference(Mailbox), dealt, Messages);
    thirds_by_messages: parts(reference(Mailbox), thirds, Messages);
    thirds_by_signals: parts(reference(Mailbox), thirds, Signals);
    thirds_by_both: parts(reference(Mailbox), thirds, Both);
    hashed_by_both: parts(reference(Mailbox), hashed, Both);
    whole_and_parts: relay(reference(Mailbox), parts(reference(Mailbox), thirds, Messages));
    parts_and_other_parts: relay(
        parts(reference(Mailbox), halves, Messages),
        parts(reference(Auto), hashed, Signals)
    );
}
