//! Proof that programs need neither the standard library nor an allocator:
//! one superstep of each bundled algorithm, linked without either.
//!
//! Were `std` anywhere among the dependencies, its panic handler and the one
//! below would clash; were memory allocated, the allocator would be missing.
#![no_std]

use pregel_algos::gallery::{
    colouring::Colouring, eigenvector::Eigenvector, friends::FriendsOfFriends, hits::Half, in_degree::InDegree, katz::Katz,
    labels::Labels, matching::Matching, maximum::Maximum, mis::IndependentSet, nearest::Nearest,
    semi_clusters::SemiClusters, walks::Walks, widest::Widest,
};
use pregel_algos::many::{bfs::BfsFromMany, sssp::SsspFromMany};
use pregel_algos::scc::{Collect, Colour, Trim};
use pregel_algos::{bfs::Bfs, cdlp::Cdlp, hcc::Hcc, kcore::KCore, pagerank::PageRank, sssp::Sssp};
use pregel_core::program::{
    Context, Delivery, Edge, Facts, Message, Monoid, VertexCompute, Zeroable,
};

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

/// Superstep 0 of a vertex, its message to itself, superstep 1.
fn two_supersteps<P: VertexCompute>(program: &P) -> bool {
    let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
    let facts = Facts {
        vertex: 0,
        in_degree: 1,
        out_degree: 1,
        vertex_count: 1,
        superstep: 0,
        input: P::Input::zeroed(),
    };
    let mut context = Context::<P>::new(facts, &last, &mut total);
    let (mut state, _) = program.init(&mut context);
    let signal = program.signal(&state, &context);
    let mut message: Option<Message<P>> =
        program.edge_compute(&signal, Edge::new(P::Edge::zeroed()));
    let inbox = P::Combiner::inbox_of_one(&mut message);
    program.vertex_compute(&mut state, inbox, &mut context).scatters()
}

/// Keeps the programs above from being thrown away unlinked.
#[unsafe(no_mangle)]
pub extern "C" fn two_supersteps_of_everything() -> bool {
    two_supersteps(&PageRank::<f32>::new(0.85, 1e-6))
        | two_supersteps(&PageRank::<f64>::new(0.85, 1e-6))
        | two_supersteps(&Sssp { source: 0 })
        | two_supersteps(&Hcc)
        | two_supersteps(&Bfs { source: 0 })
        | two_supersteps(&BfsFromMany::new(1))
        | two_supersteps(&SsspFromMany)
        | two_supersteps(&Cdlp)
        | two_supersteps(&KCore)
        | two_supersteps(&Maximum)
        | two_supersteps(&InDegree { above: 0.0 })
        | two_supersteps(&Widest { source: 0 })
        | two_supersteps(&Nearest)
        | two_supersteps(&Walks { seed: 1, length: 1 })
        | two_supersteps(&SemiClusters { boundary_factor: 0.1, rounds: 1 })
        | two_supersteps(&FriendsOfFriends { person: 0 })
        | two_supersteps(&Labels)
        | two_supersteps(&IndependentSet { seed: 0 })
        | two_supersteps(&Colouring { seed: 0 })
        | two_supersteps(&Matching { seed: 0 })
        | two_supersteps(&Eigenvector { tolerance: 1e-6 })
        | two_supersteps(&Half::<true> { scale: 1.0 })
        | two_supersteps(&Half::<false> { scale: 1.0 })
        | two_supersteps(&Katz { attenuation: 0.1, base: 1.0, tolerance: 1e-6 })
        | two_supersteps(&Trim::<true> { without_loops: 0 })
        | two_supersteps(&Colour::from_all(0))
        | two_supersteps(&Collect { round: 0 })
}
