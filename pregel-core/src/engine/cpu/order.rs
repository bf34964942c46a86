//! Whether the vertices should be renumbered, and when.
//!
//! A superstep reads one signal or state per edge, at random. In a power-law graph
//! most of these reads go to few vertices. In the order of falling degree these
//! lie together, so that each of their cache lines is read many times (Faldu,
//! Diamond, Grot, *A Closer Look at Lightweight Graph Reordering*, IISWC 2019),
//! rows of equal length follow one another, and the likely parents in a
//! breadth-first search come first in every row. In other graphs neighbours are
//! often close in the given order, which is then the better one.
//!
//! A single search is over before its graph is renumbered. So a session begins in the given
//! order, and renumbers as soon as the messages that lie ahead pay for it: as far as the
//! caller says how many runs there will be, as a run shows that it goes on, or as the session
//! has sent as many (who has rented for the price of a house buys one: at worst, twice is
//! paid). The graph in the other order is a second one beside the caller's; where memory is too
//! short for that, the given order stays. A graph that is [in that order](Graph::into_degree_order)
//! already is used as it is.

use std::sync::Arc;

use super::vertex::Aggregated;
use crate::engine::needs::{order_bytes, rows_bytes, values_bytes};
use crate::engine::options::order_shows;
use crate::engine::{RunOptions, VertexOrder};
use crate::graph::Graph;
use crate::graph::renumber::{CLASSES, Order, class};
use crate::memory;
use crate::program::{Delivery, Law, Monoid, Program, Value, VertexCompute, VertexId};

/// The fewest vertices for which the order matters: fewer fit the caches.
const MANY: u32 = 1 << 15;
/// The fewest edges per vertex for which renumbering pays.
const DENSE: u64 = 8;
/// A graph is skewed if 1 / `FEW` of the vertices have more than 1 / `MOST` of the
/// edges.
const FEW: u32 = 16;
/// See [`FEW`].
const MOST: u64 = 2;

/// 1 / `FRONT` of the vertices come first in the rows of the others.
const FRONT: u32 = 64;

/// Renumbering pays before so many messages along each edge that is moved: it takes 3 to 7 ns
/// an edge, and saves 0.2 to 0.7 ns a message (`rmat:scale=18` and 20; PageRank, SSSP, HCC,
/// CDLP).
const PAYS: u64 = 16;

/// The same if all signals take at most [`CACHED`] bytes: a message saves 0.1 to 0.2 ns then
/// (PageRank, `rmat:scale=16` and soc-Slashdot0902).
const PAYS_IN_CACHE: u64 = 24;

/// So many bytes stay in a second-level cache.
const CACHED: u64 = 1 << 20;

/// The same where one message is enough: most of those that are counted are never read.
const PAYS_IF_ONE: u64 = 64;

/// How many supersteps a run in which every vertex scatters is expected to take if it has no
/// limit, or at most if it may converge before.
const USUAL: u32 = 32;

/// What a session has run, from which it guesses what it will.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    /// How many runs have ended.
    runs: u32,
    /// The messages of these.
    messages: u64,
}

impl Demand {
    /// Counts a run that has ended.
    pub(super) fn add(&mut self, messages: u64) {
        self.runs = self.runs.saturating_add(1);
        self.messages = self.messages.saturating_add(messages);
    }

    /// How many runs lie ahead, that which begins or goes on included.
    pub(super) fn runs_ahead(&self, options: &RunOptions) -> u64 {
        options.expected_runs.map_or(1, |runs| runs.saturating_sub(self.runs).max(1)).into()
    }

    /// How many messages probably lie ahead of a run that begins: as many as were sent so
    /// far, or more if more runs are expected. A run sends one along each edge unless the
    /// runs before say otherwise.
    pub(super) fn ahead(&self, edges: u64, options: &RunOptions) -> u64 {
        let each = self.messages.checked_div(self.runs.into()).unwrap_or(edges);
        self.messages.max(each.saturating_mul(self.runs_ahead(options)))
    }

    /// How many messages probably lie ahead after superstep `superstep` of a run that has
    /// sent `sent`, if `every` vertex has scattered so far.
    pub(super) fn ahead_in_run<P: Program>(
        &self,
        edges: u64,
        options: &RunOptions,
        (superstep, sent): (u32, u64),
        every: bool,
    ) -> u64 {
        let left = last_superstep::<P>(options).saturating_sub(superstep);
        let rest = if every { edges.saturating_mul(left.into()) } else { 0 };
        self.messages.saturating_add(sent).max(rest.saturating_mul(self.runs_ahead(options)))
    }
}

/// Whether results may show the order, though they must be equal in every bit: then the graph
/// and the options alone decide it, not what the session has run.
pub(super) fn shows<P: Program>(options: &RunOptions) -> bool {
    options.deterministic && (order_shows::<P>() || P::Aggregate::LAW != Law::Exact)
}

/// The last superstep of a run in which every vertex scatters, as far as one can guess. A
/// program with an aggregate may converge.
pub(in crate::engine) fn last_superstep<P: Program>(options: &RunOptions) -> u32 {
    let converges = size_of::<Aggregated<P>>() != 0;
    let limit = options.max_supersteps.unwrap_or(USUAL);
    if converges { limit.min(USUAL) } else { limit }
}

/// The messages that lie ahead of a session if every vertex always scatters.
pub(super) fn most<P: Program>(edges: u64, options: &RunOptions) -> u64 {
    let supersteps = last_superstep::<P>(options);
    let runs = options.expected_runs.unwrap_or(1);
    edges.saturating_mul(supersteps.into()).saturating_mul(runs.into())
}

/// Whether renumbering pays before so many messages.
pub(super) fn pays<P: VertexCompute>(messages: u64, graph: &Graph<P::Edge>) -> bool {
    let signals = u64::from(graph.vertex_count()) * size_of::<P::Signal>() as u64;
    let each = match P::Combiner::MERGE_LAW {
        Law::Arbitrary => PAYS_IF_ONE,
        _ if signals <= CACHED => PAYS_IN_CACHE,
        _ => PAYS,
    };
    // Of a directed graph, two sets of rows are renumbered.
    let moved = graph.edge_count().saturating_mul(if graph.directed() { 2 } else { 1 });
    messages >= moved.saturating_mul(each)
}

/// Bytes of the graph in another order.
pub(super) fn copy_bytes<E: Value>(graph: &Graph<E>) -> u64 {
    let sides = if graph.directed() { 2 } else { 1 };
    sides * (rows_bytes(graph) + values_bytes(graph))
}

/// The order that is asked for. If the choice is free and no result may show it, that is the
/// given order where the memory that is left would not hold another graph.
pub(super) fn wanted<P: Program>(graph: &Graph<P::Edge>, options: &RunOptions) -> VertexOrder {
    wanted_with::<P>(graph, options, memory::available)
}

/// [`wanted`], given how many bytes of memory are left, if that is known.
fn wanted_with<P: Program>(
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    left: impl Fn() -> Option<u64>,
) -> VertexOrder {
    let free =
        options.order == VertexOrder::Auto && !shows::<P>(options) && held::<P>(graph).is_none();
    // A quarter more, for what else the run and others need.
    let needed = (copy_bytes(graph) + order_bytes(graph)) / 4 * 5;
    if free && left().is_some_and(|left| left < needed) {
        return VertexOrder::Given;
    }
    options.order
}

/// The order in which to run, if that is not the given one. O(V).
pub(super) fn choose<E: Value>(graph: &Graph<E>, wanted: VertexOrder) -> Option<Order> {
    if !may_choose(graph, wanted) {
        return None;
    }
    let (out, incoming) = (graph.held_out(), graph.held_incoming());
    let degree = |v| out.degree(v) + if graph.directed() { incoming.degree(v) } else { 0 };
    let is_chosen = wanted == VertexOrder::Degree || is_skewed(graph, degree);
    is_chosen.then(|| Order::by_degree(graph.vertex_count(), degree))
}

/// Whether [`choose`] would choose another order than the given one. Makes no rows by target.
/// O(V), or O(V + E) on a directed graph without them.
pub(super) fn would_choose<E: Value>(graph: &Graph<E>, wanted: VertexOrder) -> bool {
    match wanted {
        VertexOrder::Degree => return true,
        _ if !may_choose(graph, wanted) => return false,
        _ => (),
    }
    let degrees = if graph.directed() { graph.in_degrees() } else { Vec::new() };
    let out = graph.held_out();
    is_skewed(graph, |v| out.degree(v) + degrees.get(v as usize).copied().unwrap_or(0))
}

/// Whether another order than the given one comes into question. O(1).
fn may_choose<E: Value>(graph: &Graph<E>, wanted: VertexOrder) -> bool {
    let n = graph.vertex_count();
    match wanted {
        VertexOrder::Given => false,
        VertexOrder::Auto => n >= MANY && graph.edge_count() / u64::from(n) >= DENSE,
        VertexOrder::Degree => true,
    }
}

/// Whether few vertices have most of the edges; see [`FEW`] and [`MOST`]. O(V), and no memory for
/// each vertex. Of the last class of degrees that is only a part of the few, the average counts.
fn is_skewed<E: Value>(graph: &Graph<E>, degree: impl Fn(VertexId) -> u64) -> bool {
    let n = graph.vertex_count();
    // How many vertices each class has, and how many edges they have.
    let mut classes = [(0u64, 0u64); CLASSES];
    for degree in (0..n).map(degree) {
        let (count, edges) = &mut classes[class(degree)];
        (*count, *edges) = (*count + 1, *edges + degree);
    }
    let (mut left, mut theirs) = (u64::from(n / FEW), 0);
    for (count, edges) in classes.into_iter().filter(|(count, _)| *count > 0) {
        let taken = count.min(left);
        theirs += (u128::from(edges) * u128::from(taken) / u128::from(count)) as u64;
        left -= taken;
    }
    let all = graph.edge_count() * if graph.directed() { 2 } else { 1 };
    theirs * MOST > all
}

/// The graph in the order of falling degree with that order, if it is
/// [held so](Graph::into_degree_order) and the program would have it so. If one message is enough,
/// it would have rows that begin with the [front](front).
pub(super) fn held<P: Program>(graph: &Graph<P::Edge>) -> Option<(Arc<Order>, Graph<P::Edge>)> {
    graph.by_degree().filter(|_| P::Combiner::MERGE_LAW != Law::Arbitrary)
}

/// The vertices at places below this come first in every row. If one message is enough, these
/// are the few with the highest degrees, from which it most likely comes; otherwise all.
pub(super) fn front<P: VertexCompute>(vertices: u32) -> VertexId {
    match P::Combiner::MERGE_LAW {
        Law::Arbitrary => vertices / FRONT,
        _ => vertices,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::marker::PhantomData;

    use super::*;
    use crate::engine::cpu::rows::tests::Levels;
    use crate::program::{Nothing, Sum};

    const EDGES: u64 = 1000;

    #[test]
    fn a_session_expects_what_it_has_seen_or_was_told() {
        let (unknown, five) = (RunOptions::default(), RunOptions::default().with_expected_runs(5));
        let mut demand = Demand::default();
        assert_eq!(demand.ahead(EDGES, &unknown), EDGES);
        assert_eq!(demand.ahead(EDGES, &five), 5 * EDGES);
        demand.add(700);
        assert_eq!(demand.ahead(EDGES, &unknown), 700);
        assert_eq!(demand.ahead(EDGES, &five), 4 * 700);
        (0..9).for_each(|_| demand.add(700));
        // More runs than were announced.
        assert_eq!(demand.ahead(EDGES, &five), 10 * 700);
    }

    #[test]
    fn a_run_in_which_everybody_scatters_is_expected_to_go_on() {
        let demand = Demand::default();
        let (unlimited, limited) =
            (RunOptions::default(), RunOptions::default().with_max_supersteps(50));
        let every = |options: &RunOptions| {
            demand.ahead_in_run::<Relay<Nothing>>(EDGES, options, (1, EDGES), true)
        };
        assert_eq!(every(&limited), 49 * EDGES);
        assert_eq!(every(&unlimited), u64::from(USUAL - 1) * EDGES);
        assert_eq!(every(&limited.clone().with_expected_runs(3)), 3 * 49 * EDGES);
        // It may converge before the limit.
        let ahead = demand.ahead_in_run::<Relay<Sum<u32>>>(EDGES, &limited, (1, EDGES), true);
        assert_eq!(ahead, u64::from(USUAL - 1) * EDGES);
        // Some have stopped: as much again.
        let some = demand.ahead_in_run::<Relay<Nothing>>(EDGES, &limited, (1, EDGES), false);
        assert_eq!(some, EDGES);
    }

    #[test]
    fn a_graph_is_copied_only_where_there_is_memory() {
        let wanted = |order, left| {
            let graph = Graph::from_edges([(0, 1), (1, 2)]).unwrap();
            let options = RunOptions::default().with_order(order);
            // 3 vertices and 2 edges by source and by target, and an order both ways, are 104
            // bytes.
            wanted_with::<Relay<Nothing>>(&graph, &options, || left)
        };
        use VertexOrder::{Auto, Degree, Given};
        assert_eq!(wanted(Auto, Some(130)), Auto);
        assert_eq!(wanted(Auto, Some(129)), Given);
        assert_eq!(wanted(Auto, None), Auto);
        assert_eq!(wanted(Degree, Some(0)), Degree);
    }

    #[test]
    fn a_graph_in_degree_order_needs_no_memory_for_a_copy_unless_one_message_is_enough() {
        let graph = Graph::from_edges([(0, 1), (1, 2)]).unwrap().into_degree_order();
        let options = RunOptions::default();
        let wanted = wanted_with::<Relay<Nothing>>(&graph, &options, || Some(0));
        assert_eq!(wanted, VertexOrder::Auto);
        let wanted = wanted_with::<Levels>(&graph, &options, || Some(0));
        assert_eq!(wanted, VertexOrder::Given);
    }

    #[test]
    fn results_that_show_the_order_do_not_depend_on_memory() {
        let wanted = |deterministic| {
            let graph = Graph::from_edges([(0, 1), (1, 2)]).unwrap();
            let options = RunOptions::default().with_deterministic(deterministic);
            wanted_with::<Relay<Sum<f32>>>(&graph, &options, || Some(0))
        };
        assert_eq!(wanted(true), VertexOrder::Auto);
        assert_eq!(wanted(false), VertexOrder::Given);
    }

    /// A program that aggregates by `A`.
    #[derive(Clone, Copy)]
    struct Relay<A>(PhantomData<A>);

    impl<A: Monoid + Send + Sync + Copy + 'static> Program for Relay<A> {
        type Input = ();
        type State = u32;
        type Signal = u32;
        type Edge = ();
        type Combiner = Sum<u32>;
        type Aggregate = A;
    }
}
