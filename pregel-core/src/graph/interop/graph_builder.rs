//! From and to the compressed rows of `graph_builder`.

use std::any::type_name;
use std::marker::PhantomData;
use std::sync::Arc;

use bytemuck::bytes_of;
use graph_builder::graph::Target;
use graph_builder::graph::csr::{Csr as Rows, NodeValues};
use graph_builder::index::Idx;
use graph_builder::input::Direction;
use graph_builder::input::edgelist::Edges;
use graph_builder::{
    CsrLayout, DirectedCsrGraph, DirectedNeighborsWithValues, Graph as _, UndirectedCsrGraph,
    UndirectedNeighborsWithValues,
};
use rayon::iter::plumbing::UnindexedConsumer;
use rayon::prelude::*;

use super::{ConvertError, entries, entry_count};
use crate::graph::{
    BuildError, CsrError, EdgeList, EdgeValue, Graph, GraphBuilder, Topology, check_symmetric,
};
use crate::program::{Value, VertexId};

/// The directed graph with the same edges and edge values. The values of nodes stay behind.
///
/// ```
/// use graph_builder::{DirectedCsrGraph, GraphBuilder};
/// use pregel_core::graph::Graph;
///
/// let other: DirectedCsrGraph<u32, (), f32> =
///     GraphBuilder::new().edges_with_values([(0, 1, 0.5), (0, 2, 2.0)]).build();
/// let graph = Graph::try_from(&other)?;
/// assert_eq!((graph.directed(), graph.edge_count()), (true, 2));
/// assert_eq!(graph.out_values(), [0.5, 2.0]);
/// # Ok::<(), pregel_core::graph::BuildError>(())
/// ```
///
/// O(V + E), parallel, then as [`GraphBuilder::build`](crate::graph::GraphBuilder::build).
///
/// # Errors
/// [`BuildError`] if there are too many vertices, a target is not a vertex, or memory is short.
impl<NI: Idx, NV: Sync, E: EdgeValue> TryFrom<&DirectedCsrGraph<NI, NV, E>> for Graph<E> {
    type Error = BuildError;

    fn try_from(other: &DirectedCsrGraph<NI, NV, E>) -> Result<Self, BuildError> {
        let row = |v| other.out_neighbors_with_values(v).as_slice();
        let entries = |v, row: &[Target<NI, E>]| row.iter().map(entry_of(v)).collect::<Vec<_>>();
        build(other.node_count(), row, entries)
    }
}

/// The undirected graph with the same edges and edge values. The values of nodes stay behind.
///
/// ```
/// use graph_builder::{GraphBuilder, UndirectedCsrGraph};
/// use pregel_core::graph::Graph;
///
/// let other: UndirectedCsrGraph<u32> = GraphBuilder::new().edges([(0, 1), (1, 2), (2, 2)]).build();
/// let graph = Graph::try_from(&other)?;
/// assert!(!graph.directed());
/// assert_eq!([0, 1, 2].map(|v| graph.out().row(v)), [&[1][..], &[0, 2], &[1, 2]]);
/// # Ok::<(), pregel_core::graph::BuildError>(())
/// ```
///
/// O(V + E), parallel, then as [`GraphBuilder::build`](crate::graph::GraphBuilder::build), and the
/// check of [`Graph::new`].
///
/// # Errors
/// [`BuildError`] if there are too many vertices, a target is not a vertex, or memory is short;
/// also if the rows do not hold every edge both ways with one value. Those that
/// `CsrLayout::Deduplicated` makes of parallel edges with several values may be such.
impl<NI: Idx, NV: Sync, E: EdgeValue> TryFrom<&UndirectedCsrGraph<NI, NV, E>> for Graph<E> {
    type Error = BuildError;

    fn try_from(other: &UndirectedCsrGraph<NI, NV, E>) -> Result<Self, BuildError> {
        let row = |v| other.neighbors_with_values(v).as_slice();
        let graph = build(other.node_count(), row, |v, row: &[Target<NI, E>]| {
            let (mut loops, mut entries): (Vec<_>, Vec<_>) =
                row.iter().map(entry_of(v)).partition(|([from, to], _)| from == to);
            // A self-loop is in its row twice. Bits tell several apart.
            loops.sort_unstable_by(|(_, a), (_, b)| bytes_of(a).cmp(bytes_of(b)));
            entries.extend(loops.into_iter().step_by(2));
            entries
        })?;
        check_symmetric(graph.outgoing())?;
        let (ids, out) = (Arc::clone(&graph.topology.ids), Arc::clone(graph.topology.out()));
        let topology = Topology::given(false, ids, out);
        Ok(Self { topology: Arc::new(topology), values: graph.values })
    }
}

/// An entry of row `from` as an edge. The builder refuses a target that does not fit.
fn entry_of<NI: Idx, E: Value>(from: VertexId) -> impl Fn(&Target<NI, E>) -> ([VertexId; 2], E) {
    move |to| ([from, VertexId::try_from(to.target.index()).unwrap_or(VertexId::MAX)], to.value)
}

/// The directed graph of the `entries` of all rows.
fn build<'a, NI: Idx, E: EdgeValue>(
    vertices: NI,
    row: impl Fn(NI) -> &'a [Target<NI, E>] + Sync,
    entries: impl Fn(VertexId, &[Target<NI, E>]) -> Vec<([VertexId; 2], E)> + Sync,
) -> Result<Graph<E>, BuildError> {
    let vertices = vertices.index() as u64;
    let vertex_count =
        u32::try_from(vertices).map_err(|_| CsrError::TooManyVertices { vertices })?;
    let entries_of = |v| entries(v, row(NI::new(v as usize)));
    let rows = (0..vertex_count).into_par_iter().with_min_len(1024);
    let (edges, values) = rows.flat_map_iter(entries_of).unzip();
    GraphBuilder::new().with_edge_list(EdgeList { vertex_count, edges, values }).build()
}

/// The `graph_builder` graph with the same edges, neighbours in ascending order. Of an undirected
/// graph it has every edge both ways. O(V + E log D) for rows of at most D edges, parallel.
///
/// ```
/// use graph_builder::{DirectedCsrGraph, DirectedDegrees, DirectedNeighbors};
/// use pregel_core::graph::Graph;
///
/// let graph = Graph::from_edges([(0, 2), (0, 1), (2, 1)])?;
/// let other = DirectedCsrGraph::<u32>::try_from(&graph)?;
/// assert_eq!(other.out_neighbors(0).as_slice(), [1, 2]);
/// assert_eq!(other.in_degree(1), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ConvertError`] if there is no vertex, or `NI` is too small to count vertices or edges.
impl<NI: Idx + TryFrom<u64>, E: Value> TryFrom<&Graph<E>> for DirectedCsrGraph<NI, (), E> {
    type Error = ConvertError;

    fn try_from(graph: &Graph<E>) -> Result<Self, ConvertError> {
        let list = Entries::new(graph, false);
        let vertices = list.check(1)?;
        let rows = |direction| Rows::from((&list, vertices, direction, CsrLayout::Sorted));
        let [outgoing, incoming] = [Direction::Outgoing, Direction::Incoming].map(rows);
        Ok(Self::new(no_values(graph), outgoing, incoming))
    }
}

/// The `graph_builder` graph with the same edges, neighbours in ascending order, for which the
/// direction of an edge does not count. O(V + E log D) for rows of at most D edges, parallel.
///
/// ```
/// use graph_builder::{Graph as _, UndirectedCsrGraph, UndirectedNeighbors};
/// use pregel_core::graph::GraphBuilder;
///
/// let edges = [(0, 2), (0, 1), (2, 1)];
/// let graph = GraphBuilder::new().with_directed(false).with_edges(edges).build()?;
/// let other = UndirectedCsrGraph::<u32>::try_from(&graph)?;
/// assert_eq!((graph.edge_count(), other.edge_count()), (6, 3));
/// assert_eq!(other.neighbors(2).as_slice(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`ConvertError`] if there is no vertex, or `NI` is too small to count vertices or edges, each
/// of which is stored twice.
impl<NI: Idx + TryFrom<u64>, E: Value> TryFrom<&Graph<E>> for UndirectedCsrGraph<NI, (), E> {
    type Error = ConvertError;

    fn try_from(graph: &Graph<E>) -> Result<Self, ConvertError> {
        let list = Entries::new(graph, true);
        let vertices = list.check(2)?;
        let rows = Rows::from((&list, vertices, Direction::Undirected, CsrLayout::Sorted));
        Ok(Self::new(no_values(graph), rows))
    }
}

fn no_values<E: Value>(graph: &Graph<E>) -> NodeValues<()> {
    NodeValues::new(vec![(); graph.vertex_count() as usize])
}

/// The [`entries`] of a graph as edges for `graph_builder`, which reads them several times.
struct Entries<'g, NI, E> {
    graph: &'g Graph<E>,
    once: bool,
    index: PhantomData<fn() -> NI>,
}

impl<'g, NI: Idx + TryFrom<u64>, E: Value> Entries<'g, NI, E> {
    fn new(graph: &'g Graph<E>, once: bool) -> Self {
        Self { graph, once, index: PhantomData }
    }

    /// Refuses what would make `graph_builder` panic, if it stores every edge this many times;
    /// otherwise the number of vertices.
    fn check(&self, stored: u64) -> Result<NI, ConvertError> {
        let vertices = self.graph.vertex_count();
        if vertices == 0 {
            return Err(ConvertError::Empty);
        }
        let index = type_name::<NI>();
        let edges = stored * entry_count(self.graph, self.once);
        NI::try_from(edges).map_err(|_| ConvertError::Edges { edges, index })?;
        NI::try_from(u64::from(vertices)).map_err(|_| ConvertError::Vertices { vertices, index })
    }
}

impl<NI: Idx, E: Value> Edges for Entries<'_, NI, E> {
    type NI = NI;
    type EV = E;
    type EdgeIter<'a>
        = Entries<'a, NI, E>
    where
        Self: 'a;

    fn edges(&self) -> Entries<'_, NI, E> {
        Entries { graph: self.graph, once: self.once, index: PhantomData }
    }

    fn max_node_id(&self) -> NI {
        NI::new(self.graph.vertex_count() as usize - 1)
    }
}

impl<NI: Idx, E: Value> ParallelIterator for Entries<'_, NI, E> {
    type Item = (NI, NI, E);

    fn drive_unindexed<C: UnindexedConsumer<Self::Item>>(self, consumer: C) -> C::Result {
        let Self { graph, once, .. } = self;
        let index = |v: VertexId| NI::new(v as usize);
        let rows = (0..graph.vertex_count()).into_par_iter();
        let edges = rows.flat_map_iter(move |v| {
            entries(graph, v, once).map(move |(target, value)| (index(v), index(target), value))
        });
        edges.drive_unindexed(consumer)
    }
}
