//! The builder against an obvious sequential model.

use std::collections::BTreeMap;

use proptest::prelude::*;

use crate::graph::rows::{Division, Policy, Rows};
use crate::graph::{
    BuildError, BuildReport, Csr, CsrError, Duplicates, EdgeList, EdgeValue, Graph, GraphBuilder,
    Ids, SelfLoops,
};
use crate::program::VertexId;

/// Every edge as (source, target, value), in the order of the rows.
fn edges<E: EdgeValue>(rows: &Csr, values: &[E]) -> Vec<(VertexId, VertexId, E)> {
    let row = |u| rows.range(u).map(move |i| (u, rows.targets()[i], values[i]));
    (0..rows.vertex_count()).flat_map(row).collect()
}

fn edges_of<E: EdgeValue>(graph: &Graph<E>) -> Vec<(VertexId, VertexId, E)> {
    edges(graph.out(), graph.out_values())
}

/// What a list makes by a policy: rows in a sorted map, merged one by one.
fn model<E: EdgeValue>(
    list: &EdgeList<E>,
    policy: Policy,
) -> (Vec<(VertexId, VertexId, E)>, BuildReport) {
    let mut report = BuildReport { read: list.edges.len() as u64, ..Default::default() };
    let mut map: BTreeMap<(VertexId, VertexId), Vec<E>> = BTreeMap::new();
    for (&[u, v], &value) in list.edges.iter().zip(&list.values) {
        if u == v && policy.drop_loops {
            report.self_loops += 1;
            continue;
        }
        map.entry((u, v)).or_default().push(value);
        if policy.mirror && u != v {
            report.mirrored += 1;
            map.entry((v, u)).or_default().push(value);
        }
    }
    let mut edges = Vec::new();
    for ((u, v), values) in map {
        let merged = match policy.duplicates {
            Duplicates::Keep => values.clone(),
            Duplicates::First => vec![values[0]],
            Duplicates::Smallest => vec![values.iter().copied().reduce(E::smaller).unwrap()],
            Duplicates::Sum => vec![values.iter().copied().reduce(E::sum).unwrap()],
        };
        report.duplicates += (values.len() - merged.len()) as u64;
        edges.extend(merged.into_iter().map(|value| (u, v, value)));
    }
    (edges, report)
}

/// Values whose sums depend on the order of adding.
fn value() -> impl Strategy<Value = f32> {
    prop::sample::select(vec![0.1, 1e8, -1e8, 3.3, f32::NAN, f32::INFINITY, 0.0])
}

fn list() -> impl Strategy<Value = EdgeList<f32>> {
    (1u32..40).prop_flat_map(|n| {
        prop::collection::vec(([0..n, 0..n], value()), 0..200).prop_map(move |pairs| {
            let (edges, values) = pairs.into_iter().unzip();
            EdgeList { vertex_count: n, edges, values }
        })
    })
}

fn policy() -> impl Strategy<Value = Policy> {
    let duplicates = prop::sample::select(vec![
        Duplicates::Keep,
        Duplicates::First,
        Duplicates::Smallest,
        Duplicates::Sum,
    ]);
    (any::<bool>(), any::<bool>(), duplicates).prop_map(|(mirror, drop_loops, duplicates)| Policy {
        mirror,
        drop_loops,
        duplicates,
    })
}

fn division() -> impl Strategy<Value = Division> {
    (0u32..7, 1usize..60, 1usize..6).prop_map(|(shift, chunk, groups)| Division {
        shift,
        chunk,
        groups,
    })
}

fn builder(policy: Policy) -> GraphBuilder {
    let self_loops = if policy.drop_loops { SelfLoops::Drop } else { SelfLoops::Keep };
    GraphBuilder::new()
        .with_directed(!policy.mirror)
        .with_self_loops(self_loops)
        .with_duplicates(policy.duplicates)
}

fn bits(edges: &[(VertexId, VertexId, f32)]) -> Vec<(VertexId, VertexId, u32)> {
    edges.iter().map(|(u, v, value)| (*u, *v, value.to_bits())).collect()
}

proptest! {
    #[test]
    fn rows_equal_the_model_however_the_work_is_cut(
        list in list(), policy in policy(), division in division(),
    ) {
        let (expected, counts) = model(&list, policy);
        let plain = EdgeList {
            vertex_count: list.vertex_count,
            edges: list.edges.clone(),
            values: Vec::<()>::new(),
        };
        let (rows, report) = Rows::sort(list, policy, division).unwrap();
        let csr = Csr::new(rows.offsets.into(), rows.targets.into()).unwrap();
        prop_assert_eq!(bits(&edges(&csr, &rows.values)), bits(&expected));
        prop_assert_eq!(report, counts);

        let (rows, report) = Rows::sort(plain, policy, division).unwrap();
        prop_assert_eq!(&rows.offsets[..], csr.offsets());
        prop_assert_eq!(&rows.targets[..], csr.targets());
        prop_assert_eq!(report, counts);
    }

    #[test]
    fn graphs_equal_the_model(list in list(), policy in policy()) {
        let (expected, counts) = model(&list, policy);
        let ids = Ids::range(0, list.vertex_count);
        let builder = builder(policy).with_edge_list(list).with_ids(ids);
        let (graph, report) = builder.build_with_report().unwrap();
        prop_assert_eq!(bits(&edges_of(&graph)), bits(&expected));
        prop_assert_eq!(report, counts);
        prop_assert_eq!(graph.directed(), !policy.mirror);
        if policy.mirror {
            let transposed = graph.clone().into_directed();
            let back = edges(transposed.incoming(), transposed.incoming_values());
            prop_assert_eq!(bits(&back), bits(&expected));
        }
    }
}

/// A list large enough for many buckets and chunks.
fn large() -> EdgeList<f32> {
    let edges: Vec<_> = (0..600_000u32)
        .map(|i| {
            let hash = i.wrapping_mul(0x9E37_79B1) ^ i >> 3;
            [hash % 5_000, (hash >> 13) % 5_000 % (1 + hash % 97)]
        })
        .collect();
    let values = (0..edges.len()).map(|i| 1.0 / (i as f32 + 1.0)).collect();
    EdgeList { vertex_count: 5_000, edges, values }
}

#[test]
fn the_number_of_threads_never_shows() {
    let build = |threads| -> Graph<f32> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let builder = GraphBuilder::new().with_directed(false).with_duplicates(Duplicates::Sum);
        pool.install(|| builder.with_edge_list(large()).build().unwrap())
    };
    let (one, three) = (build(1), build(3));
    let policy = Policy { mirror: true, drop_loops: false, duplicates: Duplicates::Sum };
    let expected = bits(&model(&large(), policy).0);
    assert_eq!(bits(&edges_of(&one)), expected);
    assert_eq!(bits(&edges_of(&three)), expected);
}

#[test]
fn long_rows_keep_the_order_of_the_list() {
    let edges: Vec<_> = (0..300_000u32).map(|i| [7, i * 31 % 1_000]).collect();
    let values: Vec<_> = (0..300_000u32).collect();
    let list = EdgeList { vertex_count: 1_000, edges, values };
    let builder = GraphBuilder::new().with_duplicates(Duplicates::First);
    let (graph, report) = builder.with_edge_list(list).build_with_report().unwrap();
    assert_eq!(report.duplicates, 299_000);
    assert!(graph.out().row(7).iter().copied().eq(0..1_000));
    assert!(graph.out_values().iter().all(|first| *first < 1_000));
    assert!((0..1_000).all(|v| graph.out_values()[v as usize] * 31 % 1_000 == v));
}

#[test]
fn few_edges_may_lie_far_apart() {
    let n = 3_000_001;
    let edges = vec![[n - 1, 0], [0, n - 1], [1_500_000, 2_999_999], [n - 1, n - 1]];
    let list = EdgeList { vertex_count: n, edges, values: vec![1, 2, 3, 4] };
    let graph = GraphBuilder::new().with_edge_list(list).build().unwrap();
    let expected = [(0, n - 1, 2), (1_500_000, 2_999_999, 3), (n - 1, 0, 1), (n - 1, n - 1, 4)];
    assert_eq!(edges_of(&graph), expected);
}

#[test]
fn empty_lists_make_graphs_without_edges() {
    for n in [0, 3] {
        let list = EdgeList { vertex_count: n, edges: Vec::new(), values: Vec::<f64>::new() };
        let (graph, report) = GraphBuilder::new().with_edge_list(list).build_with_report().unwrap();
        assert_eq!((graph.vertex_count(), graph.edge_count()), (n, 0));
        assert_eq!(report, BuildReport::default());
    }
}

#[test]
fn wrong_lists_are_refused() {
    let list = |edges, values| EdgeList::<f32> { vertex_count: 2, edges, values };
    let build = |list, ids| {
        let ids = Ids::range(0, ids);
        GraphBuilder::new().with_edge_list(list).with_ids(ids).build().unwrap_err()
    };
    assert_eq!(
        build(list(vec![[0, 1], [1, 2]], vec![1.0; 2]), 2),
        BuildError::Vertex { edge: 1, vertex: 2, vertices: 2 }
    );
    assert_eq!(
        build(list(vec![[0, 1]], Vec::new()), 2),
        CsrError::Values { edges: 1, values: 0 }.into()
    );
    assert_eq!(
        build(list(vec![[0, 1]], vec![1.0]), 3),
        CsrError::Ids { vertices: 2, ids: 3 }.into()
    );
}

#[test]
fn edges_say_how_many_vertices_there_are() {
    let graph = Graph::from_edges([(0, 4), (2, 1)]).unwrap();
    assert_eq!((graph.vertex_count(), graph.directed()), (5, true));
    assert_eq!((graph.out().row(0), graph.out().row(4)), (&[4][..], &[][..]));
    assert_eq!(Graph::from_edges([]).unwrap().vertex_count(), 0);
    let graph = Graph::from_weighted_edges(vec![(1, 0, 5u64), (0, 1, 3)]).unwrap();
    assert_eq!(edges_of(&graph), [(0, 1, 3), (1, 0, 5)]);
}

#[test]
fn a_count_or_ids_overrule_the_edges() {
    let edges = [(0, 1), (1, 2)];
    let counted = GraphBuilder::new().with_vertex_count(9).with_edges(edges).build().unwrap();
    assert_eq!((counted.vertex_count(), counted.ids().len()), (9, 9));
    let ids = || Ids::integers(vec![3, 5, 8, 13].into()).unwrap();
    let named = GraphBuilder::new().with_ids(ids()).with_edges(edges).build().unwrap();
    assert_eq!((named.vertex_count(), named.ids().find_integer(13)), (4, Some(3)));
    assert_eq!(
        GraphBuilder::new().with_edges(edges).with_vertex_count(2).build().unwrap_err(),
        BuildError::Vertex { edge: 1, vertex: 2, vertices: 2 }
    );
    assert_eq!(
        GraphBuilder::new()
            .with_edges(edges)
            .with_ids(ids())
            .with_vertex_count(3)
            .build()
            .unwrap_err(),
        CsrError::Ids { vertices: 3, ids: 4 }.into()
    );
}

#[test]
fn the_largest_number_names_no_vertex() {
    assert_eq!(
        Graph::from_edges([(0, 1), (u32::MAX, 0)]).unwrap_err(),
        BuildError::Vertex { edge: 1, vertex: u32::MAX, vertices: u32::MAX }
    );
}

#[test]
fn edges_may_go_by_the_users_ids() {
    let pairs = [(900, 7), (7, 1 << 40), (7, 900)];
    let graph = GraphBuilder::new().with_edges_by_id(pairs).with_directed(false).build().unwrap();
    let user = |v| graph.ids().get(v).to_string();
    assert_eq!([user(0), user(1), user(2)], ["7", "900", "1099511627776"]);
    assert_eq!(graph.out().row(0), [1, 1, 2]);

    let names = [("Bob", "Ann", 2.0f32), ("Ann", "Cid", 1.0), ("Bob", "Ann", 3.0)];
    let summed = GraphBuilder::new().with_duplicates(Duplicates::Sum);
    let graph = summed.with_weighted_edges_by_id(names).build().unwrap();
    assert_eq!(edges_of(&graph), [(0, 1, 5.0), (1, 2, 1.0)]);
    assert_eq!((graph.ids().find("Ann"), graph.ids().find("Dan")), (Some(1), None));

    let owned = names.map(|(u, v, _)| (u.to_owned(), v.to_owned()));
    let graph = GraphBuilder::new().with_edges_by_id(owned).build().unwrap();
    assert_eq!(graph.ids().find("Cid"), Some(2));

    // Edges given later do not keep the ids of those before.
    let graph = GraphBuilder::new().with_edges_by_id(pairs).with_edges([(0, 1)]).build().unwrap();
    assert_eq!((graph.vertex_count(), graph.ids().find_integer(1)), (2, Some(1)));
}
