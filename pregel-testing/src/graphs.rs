//! Small graphs to test programs on.

use fastrand::Rng;
use pregel_core::graph::{EdgeList, Graph, GraphBuilder};

/// Directed and undirected graphs of up to a hundred vertices, the same in every run: single
/// vertices, paths, cycles, stars, complete and bipartite graphs, several components, self-loops
/// and parallel edges, and random graphs. Each has at least one vertex. Edge values are the
/// integers 1 to 9.
///
/// [`Graph::without_values`] and [`Graph::map_values`] make graphs for programs that take other
/// values.
pub fn small_graphs() -> Vec<Graph<f32>> {
    let mut random = Rng::with_seed(2013);
    let mut shapes = shapes();
    for _ in 0..10 {
        let vertices = random.u32(2..=24);
        let edges = random.u32(0..3 * vertices);
        let end = |random: &mut Rng| random.u32(0..vertices);
        let edges = (0..edges).map(|_| [end(&mut random), end(&mut random)]).collect();
        shapes.push((vertices, edges));
    }
    let mut graphs = Vec::new();
    for (vertex_count, edges) in shapes {
        for directed in [true, false] {
            let values = edges.iter().map(|_| f32::from(random.u8(1..=9))).collect();
            let list = EdgeList { vertex_count, edges: edges.clone(), values };
            let builder = GraphBuilder::new().with_directed(directed).with_edge_list(list);
            // Every end point above is a vertex, so that no graph is left out.
            graphs.extend(builder.build());
        }
    }
    graphs
}

/// Vertices and edges.
fn shapes() -> Vec<(u32, Vec<[u32; 2]>)> {
    let pairs = |n: u32| (0..n).flat_map(move |u| (0..n).map(move |v| [u, v]));
    vec![
        (1, vec![]),
        (1, vec![[0, 0]]),
        (2, vec![[1, 0]]),
        (3, vec![]),
        (7, (1..7).map(|v| [v - 1, v]).collect()),
        (9, (0..9).map(|v| [v, (v + 1) % 9]).collect()),
        (40, (1..40).map(|v| [0, v]).collect()),
        (70, (0..69).map(|v| [v, 69]).collect()),
        (6, pairs(6).filter(|[u, v]| u != v).collect()),
        (8, pairs(4).map(|[u, v]| [u, 4 + v]).collect()),
        (31, (1..31).map(|v| [(v - 1) / 2, v]).collect()),
        (12, (0..6).flat_map(|v| [[v, (v + 1) % 6], [6 + v, 6 + (5 * v + 1) % 6]]).collect()),
        (5, vec![[0, 1], [0, 1], [1, 1], [1, 2], [2, 1], [2, 1], [4, 4], [2, 4], [4, 0]]),
        (100, (0..100).map(|v| [v, v * 37 % 100]).collect()),
    ]
}
