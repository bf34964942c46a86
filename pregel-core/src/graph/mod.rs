//! Graphs in memory: compressed rows, user ids, builder, generators.
//!
//! A [`Graph`] holds every edge in rows by source ([`Graph::out`]). A directed
//! graph holds it again in rows by target ([`Graph::incoming`]), which are made
//! when they are first asked for. An undirected graph stores both directions of
//! an edge in one set of rows, which serves as either.
//!
//! Memory: 4 bytes per edge and 8 per vertex for each set of rows, plus the
//! edge values.

mod bucket;
mod buffer;
mod builder;
mod by_degree;
mod csr;
mod edges;
pub mod generate;
mod ids;
#[cfg(any(feature = "graph_builder", feature = "petgraph"))]
pub mod interop;
mod mirror;
mod names;
mod normalize;
pub(crate) mod renumber;
mod rows;
mod stats;
#[cfg(test)]
mod tests;
mod transpose;
mod value;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

pub use buffer::Buffer;
pub use builder::{BuildError, BuildReport, Duplicates, GraphBuilder, SelfLoops};
use by_degree::ByDegree;
pub(crate) use csr::first_where;
pub use csr::{Csr, CsrError};
pub use edges::{EdgeList, UserId};
pub(crate) use ids::IdParts;
pub use ids::{Id, IdError, Ids};
pub(crate) use mirror::{Valued, check_symmetric};
pub use normalize::NormalizeError;
pub(crate) use stats::mix64;
pub use stats::{DegreeStats, edge_hash, weight_sum};
pub use value::EdgeValue;

use crate::memory;
use crate::program::{GraphFacts, InDegrees, Value, VertexId};

/// A graph: rows of edges, edge values of type `E`, and the user's ids.
///
/// Cheap to clone: everything large is shared. Invariants, checked when it is
/// made: every target is a vertex, offsets ascend from 0 to the number of
/// edges, there are as many values as edges, and the rows of an undirected
/// graph hold every edge both ways.
///
/// ```
/// use pregel_core::graph::Graph;
///
/// let graph = Graph::from_weighted_edges([(0, 1, 0.5), (0, 2, 2.0), (2, 1, 1.0)])?;
/// assert_eq!((graph.vertex_count(), graph.edge_count(), graph.directed()), (3, 3, true));
/// assert_eq!(graph.out().row(0), [1, 2]); // targets of the edges from 0
/// assert_eq!(graph.incoming().row(1), [0, 2]); // sources of the edges to 1
/// assert_eq!(graph.out_values(), [0.5, 2.0, 1.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Graph<E = ()> {
    topology: Arc<Topology>,
    values: Arc<Values<E>>,
}

#[derive(Debug)]
struct Topology {
    directed: bool,
    ids: Arc<Ids>,
    rows: Rows,
    /// Rows by target of a directed graph.
    incoming: OnceLock<Arc<Csr>>,
    /// See [`Graph::push_instead`].
    pushed_instead: AtomicU64,
}

/// Rows by source.
#[derive(Debug)]
enum Rows {
    /// In the given order of the vertices.
    Given(Arc<Csr>),
    /// In that of falling degree.
    ByDegree(Box<ByDegree>),
}

#[derive(Debug)]
struct Values<E> {
    out: Buffer<E>,
    incoming: OnceLock<Buffer<E>>,
}

impl Topology {
    fn new(directed: bool, ids: Arc<Ids>, rows: Rows, incoming: OnceLock<Arc<Csr>>) -> Self {
        Self { directed, ids, rows, incoming, pushed_instead: AtomicU64::new(0) }
    }

    /// With rows by source in the given order, and none by target yet.
    fn given(directed: bool, ids: Arc<Ids>, out: Arc<Csr>) -> Self {
        Self::new(directed, ids, Rows::Given(out), OnceLock::new())
    }

    /// Rows by source in the given order, which are made if need be.
    fn out(&self) -> &Arc<Csr> {
        match &self.rows {
            Rows::Given(rows) => rows,
            Rows::ByDegree(held) => held.out(),
        }
    }

    /// Rows by source in the order in which they are.
    fn any_out(&self) -> &Csr {
        match &self.rows {
            Rows::Given(rows) => rows,
            Rows::ByDegree(held) => held.graph().out(),
        }
    }

    /// Rows by target of a directed graph in the given order, which are made if need be.
    fn incoming(&self) -> &Arc<Csr> {
        self.incoming.get_or_init(|| match &self.rows {
            Rows::Given(rows) => Arc::new(rows.transpose()),
            Rows::ByDegree(held) => Arc::new(held.incoming()),
        })
    }
}

impl<E: Value> Graph<E> {
    /// Makes a graph of rows by source.
    ///
    /// If it is not `directed`, the rows must be symmetric: as many edges
    /// (u, v) as (v, u), with the same values bit for bit. This is checked
    /// exactly, in O(V + E), parallel: 15 to 25 ns per edge on one core, about as
    /// long as [`Csr::transpose`] takes. Rows in ascending order need 8 bytes per
    /// vertex for it. Rows in any other order, and parallel edges whose values are
    /// in different orders in their two rows, need about three times the memory of
    /// the graph. [`GraphBuilder`] makes symmetric rows, which it need not check.
    ///
    /// # Errors
    /// [`CsrError`] if there are not as many values as edges or as many ids as
    /// vertices, or if undirected rows are not symmetric.
    pub fn new(directed: bool, ids: Ids, out: Csr, values: Buffer<E>) -> Result<Self, CsrError> {
        let graph = Self::symmetric_by_construction(directed, ids, out, values)?;
        if !directed {
            check_symmetric(graph.outgoing())?;
        }
        Ok(graph)
    }

    /// [`new`](Graph::new) without the check of symmetry, for rows that are
    /// symmetric because of how they were made.
    fn symmetric_by_construction(
        directed: bool,
        ids: Ids,
        out: Csr,
        values: Buffer<E>,
    ) -> Result<Self, CsrError> {
        check_values(&out, &values)?;
        if ids.len() != out.vertex_count() {
            return Err(CsrError::Ids { vertices: out.vertex_count(), ids: ids.len() });
        }
        Ok(Self::from_rows(directed, ids, out, values))
    }

    /// A graph of parts that are known to match.
    fn from_rows(directed: bool, ids: Ids, out: Csr, values: Buffer<E>) -> Self {
        let topology = Topology::given(directed, Arc::new(ids), Arc::new(out));
        let values = Values { out: values, incoming: OnceLock::new() };
        Self { topology: Arc::new(topology), values: Arc::new(values) }
    }

    fn outgoing(&self) -> Valued<'_, E> {
        Valued { rows: self.out(), values: &self.values.out }
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> u32 {
        self.topology.any_out().vertex_count()
    }

    /// Number of edges in the rows: an undirected edge counts twice, an
    /// undirected self-loop once.
    pub fn edge_count(&self) -> u64 {
        self.topology.any_out().edge_count()
    }

    /// Whether an edge has a direction.
    pub fn directed(&self) -> bool {
        self.topology.directed
    }

    /// Its numbers and its direction, as a program's
    /// [`check`](crate::program::VertexCompute::check) is given them.
    pub fn facts(&self) -> GraphFacts {
        GraphFacts::new(self.vertex_count(), self.edge_count(), self.directed())
    }

    /// The user's ids of the vertices.
    pub fn ids(&self) -> &Ids {
        &self.topology.ids
    }

    /// Rows by source: the out-neighbours of every vertex. The first call on a graph
    /// [in degree order](Graph::into_degree_order) makes them, O(V + E).
    pub fn out(&self) -> &Csr {
        self.topology.out()
    }

    /// Values of the edges in the order of [`out`](Graph::out); empty for
    /// `E = ()`.
    pub fn out_values(&self) -> &[E] {
        &self.values.out
    }

    /// Rows by target: the in-neighbours of every vertex. The first call on a
    /// directed graph makes them, O(V + E); other threads that need them wait.
    pub fn incoming(&self) -> &Csr {
        if self.topology.directed { self.topology.incoming() } else { self.topology.out() }
    }

    /// Values of the edges in the order of [`incoming`](Graph::incoming);
    /// empty for `E = ()`.
    pub fn incoming_values(&self) -> &[E] {
        if !self.topology.directed || size_of::<E>() == 0 {
            return &self.values.out;
        }
        self.values.incoming.get_or_init(|| self.out().transpose_values(&self.values.out))
    }

    /// Whether [`incoming`](Self::incoming) has nothing left to make.
    pub(crate) fn has_incoming(&self) -> bool {
        !self.topology.directed || self.topology.incoming.get().is_some()
    }

    /// Whether [`incoming_values`](Self::incoming_values) has nothing left to make.
    pub(crate) fn has_incoming_values(&self) -> bool {
        let made = self.values.incoming.get().is_some();
        !self.topology.directed || size_of::<E>() == 0 || made
    }

    /// The number of edges that end at each vertex, without rows by target if there are none.
    /// O(V), or O(V + E) without them, parallel.
    pub(crate) fn in_degrees(&self) -> Vec<u64> {
        if self.has_incoming() || self.by_degree().is_some() {
            let rows = self.held_incoming();
            return (0..self.vertex_count()).into_par_iter().map(|v| rows.degree(v)).collect();
        }
        let counts: Vec<AtomicU64> = memory::zeroed(self.vertex_count() as usize);
        self.out().targets().par_iter().with_min_len(1 << 12).for_each(|target| {
            counts[*target as usize].fetch_add(1, Relaxed);
        });
        counts.into_iter().map(AtomicU64::into_inner).collect()
    }

    /// Counts messages that are pushed because there are no rows by target, though a pull would
    /// be faster.
    pub(crate) fn push_instead(&self, messages: u64) {
        self.topology.pushed_instead.fetch_add(messages, Relaxed);
    }

    /// The messages that [`push_instead`](Self::push_instead) has counted.
    pub(crate) fn pushed_instead(&self) -> u64 {
        self.topology.pushed_instead.load(Relaxed)
    }

    /// Takes over rows by target that are known to match. Ignored if there are
    /// any already.
    fn adopt_incoming(&self, rows: Csr, values: Buffer<E>) {
        let _ = self.topology.incoming.set(Arc::new(rows));
        let _ = self.values.incoming.set(values);
    }

    /// The same graph without edge values; shares the rows.
    pub fn without_values(&self) -> Graph<()> {
        self.with_values(Buffer::from(Vec::new()))
    }

    /// The same graph with other values: one for each edge, made from its source,
    /// its target and its value so far. O(E), parallel.
    ///
    /// In an undirected graph both directions of an edge keep the same value:
    /// `f` gets the smaller end first, whichever way the edge goes, and must
    /// depend on nothing but its arguments. Two directions with values of their
    /// own need [`Graph::into_directed`].
    ///
    /// ```
    /// use pregel_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(0, 1), (0, 3)])?;
    /// let lengths = graph.map_values(|from, to, ()| from.abs_diff(to) as f32);
    /// assert_eq!(lengths.out_values(), [1.0, 3.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn map_values<F: Value>(&self, f: impl Fn(VertexId, VertexId, E) -> F + Sync) -> Graph<F> {
        let (out, values) = (self.out(), &self.values.out);
        let mapped = if self.topology.directed {
            out.map_values(values, f)
        } else {
            out.map_values(values, |u, v, value| f(u.min(v), u.max(v), value))
        };
        self.with_values(Buffer::from(mapped))
    }

    /// The same rows as a directed graph: an undirected edge becomes two, whose
    /// values may then differ. Shares rows and values. O(E).
    #[must_use]
    pub fn into_directed(self) -> Self {
        let topology = &self.topology;
        if topology.directed {
            return self;
        }
        let (incoming, out) = (OnceLock::new(), Arc::clone(topology.out()));
        // Sorted symmetric rows are their own transpose.
        if out.is_sorted() {
            let _ = incoming.set(Arc::clone(&out));
        }
        let topology = Topology::new(true, Arc::clone(&topology.ids), Rows::Given(out), incoming);
        Self { topology: Arc::new(topology), values: self.values }
    }

    fn with_values<F: Value>(&self, out: Buffer<F>) -> Graph<F> {
        let values = Values { out, incoming: OnceLock::new() };
        Graph { topology: Arc::clone(&self.topology), values: Arc::new(values) }
    }
}

impl<E: Value> InDegrees for Graph<E> {
    fn in_degree(&self, vertex: VertexId) -> u64 {
        self.incoming().degree(vertex)
    }
}

/// Refuses values that are not one per edge.
fn check_values<E: Value>(rows: &Csr, values: &[E]) -> Result<(), CsrError> {
    let (edges, values) = (rows.edge_count(), values.len() as u64);
    if size_of::<E>() != 0 && values != edges {
        return Err(CsrError::Values { edges, values });
    }
    Ok(())
}
