//! Graphs of other crates become ours and are the same again on the way back.
#![cfg(any(feature = "graph_builder", feature = "petgraph"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_core::graph::{Graph, GraphBuilder, Id};
use proptest::prelude::*;

/// An edge with an end, another end, and a value.
type Edge = (u32, u32, u64);

/// Up to 12 vertices, of which some have no edge, and edges with parallel ones and self-loops.
fn edges() -> impl Strategy<Value = (u32, Vec<Edge>)> {
    (1..12u32).prop_flat_map(|n| (Just(n), prop::collection::vec((0..n, 0..n, 0..4u64), 0..40)))
}

fn ours(directed: bool, n: u32, edges: &[Edge]) -> Graph<u64> {
    let builder = GraphBuilder::new().with_directed(directed).with_vertex_count(n);
    builder.with_weighted_edges(edges.iter().copied()).build().unwrap()
}

/// What a graph consists of: its user ids, and the entries of its rows, sorted.
fn parts(graph: &Graph<u64>) -> (bool, Vec<u64>, Vec<Edge>) {
    let id = |v| match graph.ids().get(v) {
        Id::Integer(id) => id,
        Id::Name(name) => panic!("a name: {name}"),
    };
    let ids: Vec<u64> = (0..graph.vertex_count()).map(id).collect();
    let mut entries = Vec::new();
    for v in 0..graph.vertex_count() {
        for edge in graph.out().range(v) {
            entries.push((v, graph.out().targets()[edge], graph.out_values()[edge]));
        }
    }
    entries.sort_unstable();
    (graph.directed(), ids, entries)
}

/// The same edges without directions: the smaller end first, sorted.
fn undirected(edges: &[Edge]) -> Vec<Edge> {
    let mut edges: Vec<Edge> = edges.iter().map(|(u, v, x)| (*u.min(v), *u.max(v), *x)).collect();
    edges.sort_unstable();
    edges
}

/// The edges that an undirected graph consists of in directed ones.
fn both_ways(edges: &[Edge]) -> Vec<Edge> {
    let mirrored = edges.iter().filter(|(u, v, _)| u != v).map(|(u, v, x)| (*v, *u, *x));
    let mut all: Vec<Edge> = edges.iter().copied().chain(mirrored).collect();
    all.sort_unstable();
    all
}

fn sorted(edges: &[Edge]) -> Vec<Edge> {
    let mut edges = edges.to_vec();
    edges.sort_unstable();
    edges
}

#[cfg(feature = "petgraph")]
mod petgraph {
    use ::petgraph::algo::connected_components;
    use ::petgraph::graph::{DiGraph, NodeIndex, UnGraph};
    use ::petgraph::graphmap::GraphMap;
    use ::petgraph::matrix_graph::MatrixGraph;
    use ::petgraph::stable_graph::StableGraph;
    use ::petgraph::visit::EdgeRef;
    use ::petgraph::{Directed, EdgeType, Undirected, csr};
    use pregel_core::engine::{ConnectedComponents, Cpu, Solve, SolveOptions};
    use pregel_core::graph::interop::ConvertError;

    use super::*;

    fn theirs<Ty: EdgeType>(n: u32, edges: &[Edge]) -> ::petgraph::Graph<u32, u64, Ty> {
        let mut graph = ::petgraph::Graph::with_capacity(0, 0);
        let nodes: Vec<NodeIndex> = (0..n).map(|v| graph.add_node(v)).collect();
        for (u, v, value) in edges {
            graph.add_edge(nodes[*u as usize], nodes[*v as usize], *value);
        }
        graph
    }

    fn listed<Ty: EdgeType>(graph: &::petgraph::Graph<u32, u64, Ty>) -> Vec<Edge> {
        let ends = |edge: ::petgraph::graph::EdgeReference<'_, u64>| {
            (edge.source().index() as u32, edge.target().index() as u32, *edge.weight())
        };
        sorted(&graph.edge_references().map(ends).collect::<Vec<_>>())
    }

    /// Of every two ends the first edge alone, as in graphs without parallel edges.
    fn simple(directed: bool, edges: &[Edge]) -> Vec<Edge> {
        let ends = |(u, v, _): &Edge| if directed { (*u, *v) } else { (*u.min(v), *u.max(v)) };
        let mut kept: Vec<Edge> = Vec::new();
        for edge in edges {
            if !kept.iter().any(|known| ends(known) == ends(edge)) {
                kept.push(*edge);
            }
        }
        kept
    }

    /// Converts and compares every type with the same edges as `Graph` has.
    fn check_all_types<Ty: EdgeType>(n: u32, edges: &[Edge]) {
        let directed = Ty::is_directed();
        let expected = parts(&ours(directed, n, edges));
        let graph = theirs::<Ty>(n, edges);
        assert_eq!(parts(&Graph::from_petgraph(&graph, |x| *x).unwrap()), expected);
        let stable = StableGraph::from(graph);
        assert_eq!(parts(&Graph::from_petgraph(&stable, |x| *x).unwrap()), expected);

        let edges = simple(directed, edges);
        let expected = parts(&ours(directed, n, &edges));
        let mut map = GraphMap::<u32, u64, Ty>::new();
        let mut matrix = MatrixGraph::<u32, u64, std::hash::RandomState, Ty>::with_capacity(0);
        let mut rows = csr::Csr::<u32, u64, Ty>::new();
        for v in 0..n {
            map.add_node(v);
            matrix.add_node(v);
            rows.add_node(v);
        }
        for (u, v, value) in edges {
            map.add_edge(u, v, value);
            matrix.add_edge((u as u16).into(), (v as u16).into(), value);
            assert!(rows.add_edge(u, v, value));
        }
        assert_eq!(parts(&Graph::from_petgraph(&map, |x| *x).unwrap()), expected);
        assert_eq!(parts(&Graph::from_petgraph(&matrix, |x| *x).unwrap()), expected);
        assert_eq!(parts(&Graph::from_petgraph(&rows, |x| *x).unwrap()), expected);
    }

    proptest! {
        #[test]
        fn every_type_makes_the_graph_of_its_edges((n, edges) in edges()) {
            check_all_types::<Directed>(n, &edges);
            check_all_types::<Undirected>(n, &edges);
        }

        #[test]
        fn a_round_trip_changes_nothing((n, edges) in edges()) {
            let graph = ours(true, n, &edges);
            let other: DiGraph<u32, u64> = graph.to_petgraph().unwrap();
            prop_assert_eq!(listed(&other), sorted(&edges));
            prop_assert!(other.node_indices().all(|v| other[v] as usize == v.index()));
            prop_assert_eq!(parts(&Graph::from_petgraph(&other, |x| *x).unwrap()), parts(&graph));

            let graph = ours(false, n, &edges);
            let other: UnGraph<u32, u64> = graph.to_petgraph().unwrap();
            prop_assert_eq!(listed(&other), undirected(&edges));
            prop_assert_eq!(parts(&Graph::from_petgraph(&other, |x| *x).unwrap()), parts(&graph));
        }

        #[test]
        fn directions_are_lost_or_doubled((n, edges) in edges()) {
            let other: UnGraph<u32, u64> = ours(true, n, &edges).to_petgraph().unwrap();
            prop_assert_eq!(undirected(&listed(&other)), undirected(&edges));
            let other: DiGraph<u32, u64> = ours(false, n, &edges).to_petgraph().unwrap();
            prop_assert_eq!(listed(&other), both_ways(&edges));
        }

        #[test]
        fn ids_are_the_indices_of_nodes_that_remain(
            (n, edges) in edges(),
            removed in prop::collection::vec(any::<bool>(), 12),
        ) {
            let mut stable = StableGraph::from(theirs::<Directed>(n, &edges));
            for v in (0..n).filter(|v| removed[*v as usize]) {
                stable.remove_node(v.into());
            }
            let graph = Graph::from_petgraph(&stable, |x| *x).unwrap();
            let ids: Vec<u64> = stable.node_indices().map(|v| v.index() as u64).collect();
            let (_, found, entries) = parts(&graph);
            prop_assert_eq!(&found, &ids);
            let by_index = |(u, v, x): Edge| (ids[u as usize] as u32, ids[v as usize] as u32, x);
            let is_left = |(u, v, _): &&Edge| !removed[*u as usize] && !removed[*v as usize];
            let left: Vec<Edge> = edges.iter().filter(is_left).copied().collect();
            let entries: Vec<Edge> = entries.into_iter().map(by_index).collect();
            prop_assert_eq!(sorted(&entries), sorted(&left));
        }

        #[test]
        fn components_are_as_many((n, edges) in edges()) {
            let graph = theirs::<Directed>(n, &edges);
            let ours = Graph::from_petgraph(&graph, |_| ()).unwrap();
            let options = SolveOptions::default();
            let mut found = Cpu::new().solve(ConnectedComponents, &ours, &options).unwrap().answer;
            found.sort_unstable();
            found.dedup();
            prop_assert_eq!(found.len(), connected_components(&graph));
        }
    }

    #[test]
    fn small_index_types_are_refused() {
        let graph = Graph::from_edges((0..254).map(|v| (v, v + 1))).unwrap();
        assert_eq!(graph.to_petgraph::<Directed, u8>().unwrap().node_count(), 255);
        let graph = Graph::from_edges((0..255).map(|v| (v, v + 1))).unwrap();
        let error = graph.to_petgraph::<Directed, u8>().unwrap_err();
        assert_eq!(error, ConvertError::Vertices { vertices: 256, index: "u8" });
        let graph = GraphBuilder::new().with_directed(false).with_edges([(0, 1); 256]);
        let error = graph.build().unwrap().to_petgraph::<Undirected, u8>().unwrap_err();
        assert_eq!(error.to_string(), "256 edges are more than indices of the type u8 can name");
    }

    #[test]
    fn no_vertices_are_no_problem() {
        let graph = Graph::from_petgraph(&DiGraph::<(), ()>::new(), |()| ()).unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (0, 0));
        assert_eq!(graph.to_petgraph::<Undirected, u32>().unwrap().node_count(), 0);
    }
}

#[cfg(feature = "graph_builder")]
mod graph_builder {
    use ::graph_builder::{
        CsrLayout, DirectedCsrGraph, DirectedNeighborsWithValues, Graph as _, UndirectedCsrGraph,
        UndirectedNeighborsWithValues,
    };
    use pregel_core::graph::interop::ConvertError;
    use pregel_core::graph::{BuildError, CsrError};

    use super::*;

    type Directed = DirectedCsrGraph<u32, (), u64>;
    type Undirected = UndirectedCsrGraph<usize, (), u64>;

    /// Makes vertex `n - 1` known, since `graph_builder` knows only vertices with edges.
    fn closed(n: u32, mut edges: Vec<Edge>) -> Vec<Edge> {
        edges.push((n - 1, 0, 1));
        edges
    }

    fn entries(graph: &Undirected) -> Vec<Edge> {
        let row = |v: usize| {
            graph.neighbors_with_values(v).map(move |to| (v as u32, to.target as u32, to.value))
        };
        sorted(&(0..graph.node_count()).flat_map(row).collect::<Vec<_>>())
    }

    proptest! {
        #[test]
        fn directed_rows_survive((n, edges) in edges()) {
            let edges = closed(n, edges);
            for layout in [CsrLayout::Sorted, CsrLayout::Unsorted] {
                let builder = ::graph_builder::GraphBuilder::new().csr_layout(layout);
                let other: Directed = builder.edges_with_values(edges.iter().copied()).build();
                let graph = Graph::try_from(&other).unwrap();
                prop_assert_eq!(parts(&graph), parts(&ours(true, n, &edges)));
            }
        }

        #[test]
        fn undirected_rows_survive((n, edges) in edges()) {
            let edges = closed(n, edges);
            for layout in [CsrLayout::Sorted, CsrLayout::Unsorted] {
                let builder = ::graph_builder::GraphBuilder::new().csr_layout(layout);
                let ends = edges.iter().map(|(u, v, x)| (*u as usize, *v as usize, *x));
                let other: Undirected = builder.edges_with_values(ends).build();
                let graph = Graph::try_from(&other).unwrap();
                prop_assert_eq!(parts(&graph), parts(&ours(false, n, &edges)));
                // And back, as `graph_builder` itself has it.
                prop_assert_eq!(entries(&Undirected::try_from(&graph).unwrap()), entries(&other));
            }
        }

        #[test]
        fn a_round_trip_changes_nothing((n, edges) in edges()) {
            let graph = ours(true, n, &edges);
            let other = Directed::try_from(&graph).unwrap();
            prop_assert_eq!(u64::from(other.edge_count()), graph.edge_count());
            prop_assert_eq!(parts(&Graph::try_from(&other).unwrap()), parts(&graph));
            let mirrored = (0..n).flat_map(|v| {
                let row = other.in_neighbors_with_values(v);
                row.map(move |from| (from.target, v, from.value))
            });
            prop_assert_eq!(sorted(&mirrored.collect::<Vec<_>>()), sorted(&edges));

            let graph = ours(false, n, &edges);
            let other = Undirected::try_from(&graph).unwrap();
            prop_assert_eq!(other.edge_count(), edges.len());
            prop_assert_eq!(parts(&Graph::try_from(&other).unwrap()), parts(&graph));
        }

        #[test]
        fn directions_are_lost_or_doubled((n, edges) in edges()) {
            let other = Undirected::try_from(&ours(true, n, &edges)).unwrap();
            let graph = Graph::try_from(&other).unwrap();
            prop_assert_eq!(parts(&graph), parts(&ours(false, n, &edges)));
            let other = Directed::try_from(&ours(false, n, &edges)).unwrap();
            let graph = Graph::try_from(&other).unwrap();
            prop_assert_eq!(parts(&graph).2, both_ways(&edges));
        }
    }

    #[test]
    fn rows_of_one_direction_are_not_undirected() {
        use ::graph_builder::graph::csr::Csr;
        use ::graph_builder::input::Direction;
        use ::graph_builder::input::edgelist::EdgeList;

        let list = EdgeList::new(vec![(0, 1, 5u64)]);
        let rows = Csr::from((&list, 2u32, Direction::Outgoing, CsrLayout::Sorted));
        let other = UndirectedCsrGraph::<u32, (), u64>::from(rows);
        let error = Graph::try_from(&other).unwrap_err();
        assert!(matches!(error, BuildError::Csr(CsrError::Asymmetric { .. })), "{error}");
    }

    #[test]
    fn small_index_types_and_no_vertices_are_refused() {
        let graph = GraphBuilder::new().with_edges([(0, 1); 128]).build().unwrap();
        assert_eq!(DirectedCsrGraph::<u8>::try_from(&graph).unwrap().edge_count(), 128);
        let refused = |error: Option<ConvertError>| error.unwrap().to_string();
        assert_eq!(
            refused(UndirectedCsrGraph::<u8>::try_from(&graph).err()),
            "256 edges are more than indices of the type u8 can name"
        );
        let graph = GraphBuilder::new().with_vertex_count(256).build().unwrap();
        assert_eq!(
            refused(DirectedCsrGraph::<u8>::try_from(&graph).err()),
            "256 vertices are more than indices of the type u8 can name"
        );
        let graph = GraphBuilder::new().build().unwrap();
        let error = DirectedCsrGraph::<usize>::try_from(&graph).err();
        assert_eq!(error, Some(ConvertError::Empty));
    }
}
