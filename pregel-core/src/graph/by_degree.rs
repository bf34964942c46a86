//! A graph whose rows are in the order of falling degree, once and in no other order.
//!
//! The engine for all cores renumbers a graph of a power law before a long run, and keeps the
//! rows in that order beside those of the caller, who may still want them. A caller who does not
//! can put the graph itself in that order. The rows in the given order are then made from these
//! when they are asked for.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use super::csr::equal_ranges;
use super::renumber::Order;
use super::rows::cut_slice;
use super::transpose::share_out;
use super::{Buffer, Csr, Graph, Ids, Rows, Topology};
use crate::memory;
use crate::program::{Value, VertexId};
use crate::shared::SharedSlice;

/// Number of steps in which rows are moved. After each, the memory of what was moved is given back.
const STEPS: usize = 64;

/// Rows in the order of falling degree.
#[derive(Debug)]
pub(super) struct ByDegree {
    order: Arc<Order>,
    /// Vertex `order.vertex_at[p]` is vertex `p` here.
    graph: Graph,
    /// Rows by source in the given order, once they were asked for.
    given: OnceLock<Arc<Csr>>,
}

impl ByDegree {
    pub(super) fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Rows by source in the given order.
    pub(super) fn out(&self) -> &Arc<Csr> {
        self.given.get_or_init(|| Arc::new(self.graph.out().restored(&self.order)))
    }

    /// Rows by target in the given order.
    pub(super) fn incoming(&self) -> Csr {
        self.graph.incoming().restored(&self.order)
    }
}

impl Graph {
    /// The same graph, held in the order of falling degree. Vertices keep their numbers and their
    /// ids.
    ///
    /// [`Cpu`](crate::engine::Cpu) runs some programs on graphs of power laws in that order
    /// ([`VertexOrder`](crate::engine::VertexOrder)), which takes a second copy of the rows. A
    /// graph that is in it already needs none: then every such program runs in that order at
    /// once, unless the given one is asked for. [`out`](Graph::out),
    /// [`incoming`](Graph::incoming) and whatever reads them, GPUs included, first make the rows
    /// in the given order, which are a second copy again.
    ///
    /// O(V + E), parallel. If no other graph shares the rows, their memory is given back while
    /// they are moved (on Linux), so that at no time there are two copies. Of a directed graph,
    /// the rows by target are made first, and moved too.
    ///
    /// ```
    /// use pregel_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(0, 1), (2, 1), (2, 3)])?.into_degree_order();
    /// assert_eq!((graph.vertex_count(), graph.edge_count()), (4, 3));
    /// assert_eq!(graph.out().row(2), [1, 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn into_degree_order(self) -> Self {
        let Rows::Given(out) = &self.topology.rows else {
            return self;
        };
        let (n, directed) = (self.vertex_count(), self.directed());
        let (ids, out) = (Arc::clone(&self.topology.ids), Arc::clone(out));
        let incoming = directed.then(|| Arc::clone(self.topology.incoming()));
        // From here on the rows have no other owner, unless other graphs share them.
        drop(self.topology);
        let in_degree = |v| incoming.as_ref().map_or(0, |rows| rows.degree(v));
        let mut order = Order::by_degree(n, |v| out.degree(v) + in_degree(v));
        let none = || Buffer::from(Vec::new());
        let graph = Graph::from_rows(directed, Ids::range(0, n), moved(out, &order), none());
        if let Some(rows) = incoming {
            graph.adopt_incoming(moved(rows, &order), none());
        }
        order.forget_places();
        let (order, given) = (Arc::new(order), OnceLock::new());
        let held = Rows::ByDegree(Box::new(ByDegree { order, graph, given }));
        let topology = Topology::new(directed, ids, held, OnceLock::new());
        Self { topology: Arc::new(topology), values: self.values }
    }
}

impl<E: Value> Graph<E> {
    /// The order of falling degree and the graph renumbered by it, if this graph is held so.
    pub(crate) fn by_degree(&self) -> Option<(Arc<Order>, Graph<E>)> {
        match &self.topology.rows {
            Rows::ByDegree(held) if size_of::<E>() == 0 => {
                let values = Buffer::from(Vec::new());
                Some((Arc::clone(&held.order), held.graph.with_values(values)))
            }
            _ => None,
        }
    }

    /// Whether [`out`](Graph::out) has nothing left to make.
    pub(crate) fn has_given_rows(&self) -> bool {
        match &self.topology.rows {
            Rows::Given(_) => true,
            Rows::ByDegree(held) => held.given.get().is_some(),
        }
    }

    /// Rows by source in the order in which they are.
    pub(crate) fn held_out(&self) -> HeldRows<'_> {
        match &self.topology.rows {
            Rows::ByDegree(held) if size_of::<E>() == 0 => {
                HeldRows { rows: held.graph.out(), order: Some(&held.order) }
            }
            _ => HeldRows { rows: self.out(), order: None },
        }
    }

    /// Rows by target in the order in which they are. Those of a directed graph are made first if
    /// there are none.
    pub(crate) fn held_incoming(&self) -> HeldRows<'_> {
        match &self.topology.rows {
            Rows::ByDegree(held) if size_of::<E>() == 0 => {
                HeldRows { rows: held.graph.incoming(), order: Some(&held.order) }
            }
            _ => HeldRows { rows: self.incoming(), order: None },
        }
    }
}

/// Rows in whatever order they are, read by the numbers of the vertices.
#[derive(Clone, Copy)]
pub(crate) struct HeldRows<'g> {
    rows: &'g Csr,
    /// `None` for the given order.
    order: Option<&'g Order>,
}

impl<'g> HeldRows<'g> {
    /// The rows, in the order in which they are.
    pub(crate) fn rows(self) -> &'g Csr {
        self.rows
    }

    fn place(self, v: VertexId) -> VertexId {
        self.order.map_or(v, |order| order.place_of()[v as usize])
    }

    /// The degree of vertex `v`.
    pub(crate) fn degree(self, v: VertexId) -> u64 {
        self.rows.degree(self.place(v))
    }

    /// The edges of vertex `v`, as indices into the rows.
    pub(crate) fn range(self, v: VertexId) -> Range<usize> {
        self.rows.range(self.place(v))
    }

    /// The other end of an edge.
    pub(crate) fn target(self, edge: usize) -> VertexId {
        let target = self.rows.targets()[edge];
        self.order.map_or(target, |order| order.vertex_at[target as usize])
    }
}

/// `rows` in this order, with their targets renamed in the same way, as
/// [`Graph::renumbered`] has them. If they are not shared, their memory is given back on the way:
/// they are read from the first to the last, and rows of about the same length, which follow one
/// another in the result too, are written one after the other.
fn moved(mut rows: Arc<Csr>, order: &Order) -> Csr {
    let (offsets, place_of) = (rows.offsets_of(&order.vertex_at), order.place_of());
    let mut targets: Vec<VertexId> = memory::zeroed_page_by_page(rows.targets().len());
    let places = SharedSlice::new(&mut targets);
    for step in equal_ranges(rows.offsets(), STEPS) {
        let from = &*rows;
        let vertices = step.start as VertexId..step.end as VertexId;
        vertices.into_par_iter().with_min_len(256).for_each(|v| {
            let start = offsets[place_of[v as usize] as usize] as usize;
            for (place, target) in (start..).zip(from.row(v)) {
                // SAFETY: rows do not overlap, and each is written by the one thread that has
                // its vertex.
                unsafe { places.write(place, place_of[*target as usize]) };
            }
        });
        if let Some(rows) = Arc::get_mut(&mut rows) {
            rows.give_back(step.end as VertexId);
        }
    }
    Csr::right(offsets, targets)
}

impl Csr {
    /// The rows that were [`moved`]. O(V + E); starts threads of its own, as
    /// [`transpose`](Csr::transpose) does.
    fn restored(&self, order: &Order) -> Csr {
        let place_of = order.place_of();
        let offsets = self.offsets_of(place_of);
        let mut targets: Vec<VertexId> = memory::zeroed(self.targets().len());
        let parts = equal_ranges(&offsets, STEPS);
        let sizes = parts.iter().map(|part| (offsets[part.end] - offsets[part.start]) as usize);
        let to = cut_slice(&mut targets, sizes);
        share_out(rayon::current_num_threads(), parts.into_iter().zip(to), |(part, to)| {
            let rows = place_of[part].iter().flat_map(|place| self.row(*place));
            for (to, target) in to.iter_mut().zip(rows) {
                *to = order.vertex_at[*target as usize];
            }
        });
        Csr::right(offsets, targets)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::edge_hash;
    use crate::graph::generate::Spec;

    fn graph(spec: &str) -> Graph {
        spec.parse::<Spec>().unwrap().plain().unwrap()
    }

    fn is_held_once(graph: &Graph) -> bool {
        !graph.has_given_rows() && graph.topology.incoming.get().is_none()
    }

    const SPECS: [&str; 4] = [
        "rmat:scale=12",
        "rmat:scale=12,sym=0",
        "uniform:n=5000,m=300000,sym=0,dedup=0",
        "grid:rows=3,cols=1",
    ];

    #[test]
    fn rows_are_those_of_a_renumbering() {
        for spec in SPECS {
            let given = graph(spec);
            let n = given.vertex_count();
            // Alone, and sharing its rows with another graph.
            for held in [graph(spec).into_degree_order(), given.clone().into_degree_order()] {
                let (order, renumbered) = held.by_degree().unwrap();
                let expected = given.renumbered(&order, n, || false).unwrap();
                assert_eq!(renumbered.out().offsets(), expected.out().offsets(), "{spec}");
                assert_eq!(renumbered.out().targets(), expected.out().targets(), "{spec}");
                assert_eq!(renumbered.incoming().targets(), expected.incoming().targets());
                assert!(is_held_once(&held));
            }
        }
    }

    #[test]
    fn the_given_rows_come_back_when_they_are_asked_for() {
        for spec in SPECS {
            let given = graph(spec);
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let held = graph(spec).into_degree_order();
                pool.install(|| (held.out(), held.incoming()));
                for (found, expected) in
                    [(held.out(), given.out()), (held.incoming(), given.incoming())]
                {
                    assert_eq!(found.offsets(), expected.offsets(), "{spec}");
                    assert_eq!(found.targets(), expected.targets(), "{spec}");
                }
                assert!(!is_held_once(&held));
            }
            let directed = graph(spec).into_degree_order().into_directed();
            assert_eq!(directed.by_degree().is_some(), given.directed());
            assert_eq!(directed.out().targets(), given.out().targets());
        }
    }

    #[test]
    fn what_can_be_known_without_the_given_rows_does_not_make_them() {
        for spec in SPECS {
            let (given, held) = (graph(spec), graph(spec).into_degree_order());
            assert_eq!(held.facts(), given.facts());
            assert_eq!(edge_hash(&held), edge_hash(&given));
            for v in 0..given.vertex_count() {
                assert_eq!(held.held_out().degree(v), given.out().degree(v));
                assert_eq!(held.held_incoming().degree(v), given.incoming().degree(v));
                let row = held.held_out().range(v).map(|edge| held.held_out().target(edge));
                assert!(row.eq(given.out().row(v).iter().copied()));
            }
            assert!(is_held_once(&held));
        }
    }

    #[test]
    fn values_are_in_the_order_of_the_given_rows() {
        let held = graph("rmat:scale=8").into_degree_order();
        let lengths = held.map_values(|from, to, ()| from as f32 + to as f32);
        assert!(lengths.by_degree().is_none());
        let rows = lengths.held_out();
        for v in 0..lengths.vertex_count() {
            for edge in rows.range(v) {
                assert_eq!(lengths.out_values()[edge], v as f32 + rows.target(edge) as f32);
            }
        }
    }
}
