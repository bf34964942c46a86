//! From a list of edges to a graph.

use thiserror::Error;

use super::csr::first_where;
use super::rows::{Division, Policy, Rows};
use super::{Csr, CsrError, EdgeList, EdgeValue, Graph, IdError, Ids, UserId};
use crate::program::VertexId;

/// What becomes of several edges between the same two vertices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duplicates {
    /// Keeps all of them: a multigraph.
    #[default]
    Keep,
    /// Keeps the first in the list.
    First,
    /// Keeps one, with the smallest value.
    Smallest,
    /// Keeps one, with the sum of the values.
    Sum,
}

/// What happens to edges from a vertex to itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum SelfLoops {
    /// Keeps them.
    #[default]
    Keep,
    /// Drops them.
    Drop,
}

/// What a [`GraphBuilder`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BuildReport {
    /// Edges in the list.
    pub read: u64,
    /// Edges added to make the graph symmetric.
    pub mirrored: u64,
    /// Self-loops dropped.
    pub self_loops: u64,
    /// Duplicates dropped.
    pub duplicates: u64,
}

/// Why a list of edges makes no graph.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// An end point is not a vertex.
    #[error("edge {edge} names vertex {vertex}, but there are {vertices} vertices")]
    Vertex {
        /// Position in the list.
        edge: u64,
        /// The end point.
        vertex: VertexId,
        /// Number of vertices.
        vertices: u32,
    },
    /// The rows do not fit in memory.
    #[error("no memory for {bytes} bytes of the graph")]
    Memory {
        /// How much was asked for.
        bytes: u128,
    },
    /// Values, ids and edges do not match.
    #[error(transparent)]
    Csr(#[from] CsrError),
    /// The user's ids cannot name vertices.
    #[error(transparent)]
    Ids(#[from] IdError),
}

/// Makes a [`Graph`] from edges.
///
/// By default the graph is directed and every edge stays. The vertices are
/// `0..n`, where `n` is the largest end point plus 1 unless
/// [`with_vertex_count`](Self::with_vertex_count) or
/// [`with_ids`](Self::with_ids) says otherwise.
///
/// ```
/// use pregel_core::graph::{Duplicates, GraphBuilder};
///
/// // A triangle without directions, and vertex 3 without edges.
/// let graph = GraphBuilder::new()
///     .with_directed(false)
///     .with_edges([(0, 1), (1, 2), (2, 0)])
///     .with_vertex_count(4)
///     .build()?;
/// assert_eq!(graph.out().row(1), [0, 2]);
/// assert_eq!(graph.vertex_count(), 4);
///
/// // Edges with values; of parallel edges, the one with the smallest value stays.
/// let graph = GraphBuilder::new()
///     .with_weighted_edges([(0, 1, 2.5), (0, 1, 1.5), (1, 2, 4.0)])
///     .with_duplicates(Duplicates::Smallest)
///     .build()?;
/// assert_eq!(graph.out_values(), [1.5, 4.0]);
///
/// // Vertices with ids of your own: names, or 64-bit integers.
/// let graph = GraphBuilder::new().with_edges_by_id([("Ann", "Bob"), ("Bob", "Cid")]).build()?;
/// let bob = graph.ids().find("Bob").expect("Bob is a vertex");
/// assert_eq!(graph.ids().get(graph.out().row(bob)[0]).to_string(), "Cid");
/// # Ok::<(), pregel_core::graph::BuildError>(())
/// ```
#[derive(Debug)]
#[must_use = "a builder does nothing until `build` is called"]
pub struct GraphBuilder<E = ()> {
    undirected: bool,
    duplicates: Duplicates,
    self_loops: SelfLoops,
    vertex_count: Option<u32>,
    ids: Option<Ids>,
    list: EdgeList<E>,
    numbers: Numbers,
}

/// What is known of the vertices from the edges alone.
#[derive(Debug)]
enum Numbers {
    /// There may be more than the edges name.
    Named,
    /// There are as many as the list says.
    Counted,
    /// They have these ids, unless the ids cannot name vertices.
    Ids(Result<Ids, IdError>),
}

impl Default for GraphBuilder {
    fn default() -> Self {
        Self {
            undirected: false,
            duplicates: Duplicates::default(),
            self_loops: SelfLoops::default(),
            vertex_count: None,
            ids: None,
            list: EdgeList::default(),
            numbers: Numbers::Named,
        }
    }
}

impl GraphBuilder {
    /// A directed graph that keeps every edge; without edges so far.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<E> GraphBuilder<E> {
    /// Whether an edge has a direction. If not, every edge is stored both ways,
    /// a self-loop once.
    pub fn with_directed(self, directed: bool) -> Self {
        Self { undirected: !directed, ..self }
    }

    /// What becomes of several edges between the same two vertices.
    pub fn with_duplicates(self, duplicates: Duplicates) -> Self {
        Self { duplicates, ..self }
    }

    /// What becomes of edges from a vertex to itself.
    pub fn with_self_loops(self, self_loops: SelfLoops) -> Self {
        Self { self_loops, ..self }
    }

    /// Number of vertices; those that no edge names have no edges.
    pub fn with_vertex_count(self, vertex_count: u32) -> Self {
        Self { vertex_count: Some(vertex_count), ..self }
    }

    /// The user's ids of the vertices, in the order of the dense ids that the
    /// edges name. There are as many vertices as ids.
    pub fn with_ids(self, ids: Ids) -> Self {
        Self { ids: Some(ids), ..self }
    }

    /// These edges, source and target by dense id, replacing any given
    /// before. A collection of another shape can be mapped:
    /// `list.iter().map(|edge| (edge.from, edge.to))`.
    pub fn with_edges(
        self,
        edges: impl IntoIterator<Item = (VertexId, VertexId)>,
    ) -> GraphBuilder<()> {
        self.with(EdgeList::plain(edges), Numbers::Named)
    }

    /// These edges, each with its value, replacing any given before.
    pub fn with_weighted_edges<F>(
        self,
        edges: impl IntoIterator<Item = (VertexId, VertexId, F)>,
    ) -> GraphBuilder<F> {
        self.with(EdgeList::weighted(edges), Numbers::Named)
    }

    /// These edges, source and target by user id: 64-bit integers, which need
    /// not be dense, or names. Every id that an edge names is a vertex;
    /// [`Graph::ids`] translates. Integers are numbered in ascending order,
    /// names in the order in which they first come.
    ///
    /// O(E log V) for integers, parallel; one pass over the text of all names.
    pub fn with_edges_by_id<I: UserId>(
        self,
        edges: impl IntoIterator<Item = (I, I)>,
    ) -> GraphBuilder<()> {
        self.with_numbered(edges.into_iter().map(<[_; 2]>::from).collect(), Vec::new())
    }

    /// The same for edges with values.
    pub fn with_weighted_edges_by_id<I: UserId, F>(
        self,
        edges: impl IntoIterator<Item = (I, I, F)>,
    ) -> GraphBuilder<F> {
        let (edges, values) = edges.into_iter().map(|(u, v, value)| ([u, v], value)).unzip();
        self.with_numbered(edges, values)
    }

    /// The edges and the number of vertices of this list, which is not copied.
    pub fn with_edge_list<F>(self, list: EdgeList<F>) -> GraphBuilder<F> {
        self.with(list, Numbers::Counted)
    }

    fn with_numbered<I: UserId, F>(self, edges: Vec<[I; 2]>, values: Vec<F>) -> GraphBuilder<F> {
        let (ids, edges) = match I::number(edges) {
            Ok((ids, edges)) => (Ok(ids), edges),
            Err(error) => (Err(error), Vec::new()),
        };
        self.with(EdgeList { vertex_count: 0, edges, values }, Numbers::Ids(ids))
    }

    fn with<F>(self, list: EdgeList<F>, numbers: Numbers) -> GraphBuilder<F> {
        let Self { undirected, duplicates, self_loops, vertex_count, ids, .. } = self;
        GraphBuilder { undirected, duplicates, self_loops, vertex_count, ids, list, numbers }
    }
}

impl<E: EdgeValue> GraphBuilder<E> {
    /// Builds the graph.
    ///
    /// Rows come out sorted by target; duplicates that stay, or are summed,
    /// keep the order in which the edges came. The result does not depend on
    /// the number of threads. O(E log D) work for rows of at most D edges,
    /// parallel. The list is freed as early as possible: peak memory, list and
    /// result included, is about three times that of the graph of all edges
    /// listed.
    ///
    /// # Errors
    /// [`BuildError`] when an end point is not a vertex, values or ids do not
    /// match the edges, user ids cannot name vertices, or memory is short.
    pub fn build(self) -> Result<Graph<E>, BuildError> {
        Ok(self.build_with_report()?.0)
    }

    /// [`build`](Self::build), and how many edges were mirrored or dropped.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn build_with_report(self) -> Result<(Graph<E>, BuildReport), BuildError> {
        let Self { undirected, duplicates, self_loops, vertex_count, ids, mut list, numbers } =
            self;
        let (counted, known) = match numbers {
            Numbers::Named => (None, None),
            Numbers::Counted => (Some(list.vertex_count), None),
            Numbers::Ids(known) => (None, Some(known?)),
        };
        let ids = ids.or(known);
        let given = vertex_count.or(counted).or_else(|| ids.as_ref().map(Ids::len));
        list.vertex_count = given.unwrap_or(list.vertex_count);
        let ids = ids.unwrap_or_else(|| Ids::range(0, list.vertex_count));
        check(&list, &ids)?;
        let drop_loops = self_loops == SelfLoops::Drop;
        let policy = Policy { mirror: undirected, drop_loops, duplicates };
        let division = Division::of(&list, policy);
        let (rows, report) = Rows::sort(list, policy, division)?;
        let csr = Csr::new(rows.offsets.into(), rows.targets.into())?;
        let values = rows.values.into();
        // Every edge was mirrored above, so that nothing needs to be checked.
        let graph = Graph::symmetric_by_construction(!undirected, ids, csr, values)?;
        Ok((graph, report))
    }
}

impl Graph {
    /// A directed graph of these edges, each from its first vertex to its
    /// second. The vertices are `0..n`, where `n` is the largest end point
    /// plus 1; every edge is kept. [`GraphBuilder`] makes undirected graphs,
    /// graphs with user ids, and all others, at the same cost.
    ///
    /// ```
    /// use pregel_core::graph::Graph;
    ///
    /// let graph = Graph::from_edges([(0, 1), (1, 2)])?;
    /// assert_eq!((graph.vertex_count(), graph.edge_count()), (3, 2));
    /// # Ok::<(), pregel_core::graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] when an end point is 2³² − 1, or memory is short.
    pub fn from_edges(
        edges: impl IntoIterator<Item = (VertexId, VertexId)>,
    ) -> Result<Self, BuildError> {
        GraphBuilder::new().with_edges(edges).build()
    }
}

impl<E: EdgeValue> Graph<E> {
    /// [`from_edges`](Graph::from_edges) for edges with values.
    ///
    /// ```
    /// use pregel_core::graph::Graph;
    ///
    /// let graph = Graph::from_weighted_edges([(0, 1, 2.5), (1, 2, 0.5)])?;
    /// assert_eq!(graph.out_values(), [2.5, 0.5]);
    /// # Ok::<(), pregel_core::graph::BuildError>(())
    /// ```
    ///
    /// # Errors
    /// [`BuildError`] when an end point is 2³² − 1, or memory is short.
    pub fn from_weighted_edges(
        edges: impl IntoIterator<Item = (VertexId, VertexId, E)>,
    ) -> Result<Self, BuildError> {
        GraphBuilder::new().with_weighted_edges(edges).build()
    }
}

/// Refuses what cannot make a graph before any work. O(E), parallel.
fn check<E: EdgeValue>(list: &EdgeList<E>, ids: &Ids) -> Result<(), BuildError> {
    let (edges, values) = (list.edges.len() as u64, list.values.len() as u64);
    if size_of::<E>() != 0 && values != edges {
        return Err(CsrError::Values { edges, values }.into());
    }
    let vertices = list.vertex_count;
    if ids.len() != vertices {
        return Err(CsrError::Ids { vertices, ids: ids.len() }.into());
    }
    let stray = |ends: &[VertexId; 2]| ends[0].max(ends[1]) >= vertices;
    match first_where(&list.edges, stray) {
        None => Ok(()),
        Some(edge) => {
            let [u, v] = list.edges[edge];
            let vertex = if u >= vertices { u } else { v };
            Err(BuildError::Vertex { edge: edge as u64, vertex, vertices })
        }
    }
}
