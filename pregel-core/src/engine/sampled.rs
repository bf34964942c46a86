//! What a program will probably do, judged by a few vertices.

use crate::graph::Graph;
use crate::program::{
    Context, Delivery, Edge, Facts, Monoid, Program, VertexCompute, VertexId, Vote, Zeroable,
};

/// Whether a program seems to begin everywhere: a few vertices all scatter in superstep 0.
/// O(1).
pub(super) fn begins_everywhere<P: VertexCompute>(
    program: &P,
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
) -> bool {
    first_states(program, graph, inputs).all(|(_, vote)| vote.scatters())
}

/// Whether a program gives vertices a priority, judged by the states of a few in superstep 0.
/// O(1).
pub(super) fn has_priority<P: VertexCompute>(
    program: &P,
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
) -> bool {
    first_states(program, graph, inputs).any(|(state, _)| program.priority(&state).is_some())
}

/// What a few vertices begin with.
fn first_states<P: VertexCompute>(
    program: &P,
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
) -> impl Iterator<Item = (P::State, Vote)> {
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    vertices(graph.vertex_count(), 8).map(move |vertex| {
        let facts = facts::<P>(graph, inputs, vertex);
        program.init(&mut Context::new(facts, &last, &mut total))
    })
}

/// Whether a program seems to scatter everywhere, superstep after superstep: a few vertices all
/// do so in superstep 0, and again when they get the first messages. Their neighbours along
/// out-edges stand for the senders, since rows by target might have to be made. O(1).
pub(super) fn goes_on_everywhere<P: VertexCompute>(
    program: &P,
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
) -> bool {
    const MESSAGES: usize = 1 << 10;
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    let (rows, values) = (graph.held_out(), graph.out_values());
    let mut with_edges = vertices(graph.vertex_count(), 64).filter(|v| rows.degree(*v) > 0);
    with_edges.all(|vertex| {
        let own = facts::<P>(graph, inputs, vertex);
        let (mut state, vote) = program.init(&mut Context::new(own, &last, &mut total));
        if !vote.scatters() {
            return false;
        }
        let mut mail = Vec::new();
        if program.wants_message(&state) {
            for edge in rows.range(vertex).take(MESSAGES) {
                let sender = facts::<P>(graph, inputs, rows.target(edge));
                let mut context = Context::new(sender, &last, &mut total);
                let (state, vote) = program.init(&mut context);
                if vote.scatters() {
                    let signal = program.signal(&state, &context);
                    let value = values.get(edge).copied().unwrap_or_else(Zeroable::zeroed);
                    mail.extend(program.edge_compute(&signal, Edge::new(value)));
                }
            }
        }
        if mail.is_empty() && !vote.awake() {
            return false;
        }
        let own = Facts { superstep: 1, ..own };
        let inbox = P::Combiner::inbox_of_all(&mut mail);
        program
            .vertex_compute(&mut state, inbox, &mut Context::new(own, &last, &mut total))
            .scatters()
    })
}

/// Up to `count` vertices of `all`, spread evenly.
pub(super) fn vertices(all: u32, count: u64) -> impl Iterator<Item = VertexId> + Clone {
    // Multiples of this number have no pattern that a graph might share (Knuth's
    // multiplicative hashing).
    const SPREAD: u64 = 0x9e37_79b9;
    let n = u64::from(all);
    (0..count.min(n)).map(move |i| ((((i * SPREAD) & 0xffff_ffff) * n) >> 32) as VertexId)
}

/// What a vertex knows of itself in superstep 0, as far as it can be read in constant time.
pub(super) fn facts<P: Program>(
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
    vertex: VertexId,
) -> Facts<P::Input> {
    let out_degree = graph.held_out().degree(vertex);
    Facts {
        vertex,
        // Making rows by target could take longer than the run; the out-degree is good
        // enough for an estimate.
        in_degree: out_degree.max(1),
        out_degree,
        vertex_count: graph.vertex_count(),
        superstep: 0,
        input: inputs.get(vertex as usize).copied().unwrap_or_else(Zeroable::zeroed),
    }
}
