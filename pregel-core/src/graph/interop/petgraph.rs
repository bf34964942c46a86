//! From graphs of `petgraph`, and to its `Graph`.

use std::any::type_name;

use petgraph::EdgeType;
use petgraph::graph::IndexType;
use petgraph::visit::{
    EdgeCount, EdgeRef, GraphProp, IntoEdgeReferences, IntoNodeIdentifiers, NodeIndexable,
};

use super::{ConvertError, entries, entry_count};
use crate::graph::{BuildError, EdgeList, EdgeValue, Graph, GraphBuilder, Ids};
use crate::program::{Value, VertexId};

impl<E: EdgeValue> Graph<E> {
    /// The graph of a `petgraph::Graph`, `StableGraph`, `GraphMap`, `MatrixGraph` or `Csr`,
    /// given by reference. It is directed if theirs is; `value` makes the value of an edge out
    /// of its weight. The weights of nodes stay behind.
    ///
    /// The user ids of the vertices are the indices of their nodes (`to_index` of
    /// `petgraph::visit::NodeIndexable`), which have gaps where nodes were removed:
    /// [`Ids::get`] leads from a vertex to its node, [`Ids::find_integer`] back.
    ///
    /// ```
    /// use petgraph::graph::UnGraph;
    /// use pregel_core::graph::Graph;
    ///
    /// let mut streets = UnGraph::<&str, f64>::new_undirected();
    /// let [park, station, museum] = ["park", "station", "museum"].map(|name| streets.add_node(name));
    /// streets.extend_with_edges([(park, station, 0.5), (station, museum, 1.25)]);
    ///
    /// let graph = Graph::from_petgraph(&streets, |length| *length as f32)?;
    /// assert_eq!((graph.directed(), graph.vertex_count(), graph.edge_count()), (false, 3, 4));
    /// assert_eq!(graph.out_values(), [0.5, 0.5, 1.25, 1.25]);
    ///
    /// let station = graph.ids().find_integer(station.index() as u64).expect("no node was removed");
    /// assert_eq!(graph.out().row(station), [0, 2]);
    /// # Ok::<(), pregel_core::graph::BuildError>(())
    /// ```
    ///
    /// O(V + E), and O(log V) more per edge if indices have gaps, on one thread; then as
    /// [`GraphBuilder::build`].
    ///
    /// # Errors
    /// As [`GraphBuilder::build`], if there are too many vertices, or memory is short.
    pub fn from_petgraph<G>(
        graph: G,
        mut value: impl FnMut(&G::EdgeWeight) -> E,
    ) -> Result<Self, BuildError>
    where
        G: IntoEdgeReferences + IntoNodeIdentifiers + NodeIndexable + GraphProp + EdgeCount,
    {
        let index = |node| graph.to_index(node) as u64;
        let mut indices: Vec<u64> = graph.node_identifiers().map(index).collect();
        indices.sort_unstable();
        let ids = Ids::integers(indices.into())?;
        // The builder refuses an end that is not a node.
        let vertex = |node| ids.find_integer(index(node)).unwrap_or(VertexId::MAX);
        let directed = graph.is_directed();
        // `Csr` lists an undirected edge from both of its ends, the others from one.
        let listed_twice = !directed && graph.edge_references().count() != graph.edge_count();
        let mut list = EdgeList { vertex_count: ids.len(), edges: Vec::new(), values: Vec::new() };
        for edge in graph.edge_references() {
            let [from, to] = [vertex(edge.source()), vertex(edge.target())];
            if !listed_twice || from <= to {
                list.edges.push([from, to]);
                list.values.push(value(edge.weight()));
            }
        }
        GraphBuilder::new().with_directed(directed).with_ids(ids).with_edge_list(list).build()
    }
}

impl<E: Value> Graph<E> {
    /// The `petgraph::Graph` of this graph. Its nodes have the indices of the vertices, which
    /// are also their weights; edges have their values as weights. It is directed or not as its
    /// type says: [`interop`](crate::graph::interop) says what becomes of the directions. O(V + E).
    ///
    /// ```
    /// use petgraph::graph::UnGraph;
    /// use pregel_core::graph::GraphBuilder;
    ///
    /// let edges = [(0, 1, 2.5), (1, 2, 0.5)];
    /// let graph = GraphBuilder::new().with_directed(false).with_weighted_edges(edges).build()?;
    /// let other: UnGraph<u32, f64> = graph.to_petgraph()?;
    /// assert_eq!((other.node_count(), other.edge_count()), (3, 2));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ConvertError`] if there are more vertices or edges than the index type can name.
    pub fn to_petgraph<Ty: EdgeType, Ix: IndexType>(
        &self,
    ) -> Result<petgraph::Graph<VertexId, E, Ty, Ix>, ConvertError> {
        let once = !Ty::is_directed();
        let (vertices, edges) = (self.vertex_count(), entry_count(self, once));
        // The largest index means that there is none.
        let largest = <Ix as IndexType>::max().index() as u64;
        let index = type_name::<Ix>();
        if u64::from(vertices) > largest {
            return Err(ConvertError::Vertices { vertices, index });
        }
        if edges > largest {
            return Err(ConvertError::Edges { edges, index });
        }
        let mut other = petgraph::Graph::with_capacity(vertices as usize, edges as usize);
        for v in 0..vertices {
            other.add_node(v);
        }
        for v in 0..vertices {
            for (target, value) in entries(self, v, once) {
                let [from, to] = [v, target].map(|v| Ix::new(v as usize).into());
                other.add_edge(from, to, value);
            }
        }
        Ok(other)
    }
}
