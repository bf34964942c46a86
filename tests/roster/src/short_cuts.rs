//! Graphs and a judge for results that are computed without a program.

use pregel_algos::verify;
use pregel_core::device::solve::{LIGHT_EDGES, PIECE_EDGES};
use pregel_core::engine::{Clustering, Solution, TriangleCounts};
use pregel_core::program::VertexId;

use crate::oracle;
use crate::zoo::{Case, case};

/// Compares components with the oracle's, and verifies them.
///
/// # Panics
/// If they are wrong.
pub fn judge(case: &Case, found: &Solution<Vec<VertexId>>) {
    let Case { name, graph, lists } = case;
    let labels = found.answer.iter().map(|label| *label as usize);
    assert!(labels.eq(oracle::hcc::labels(lists)), "{name}");
    verify::hcc::labels(graph, &found.answer).unwrap_or_else(|e| panic!("{name}: {e}"));
    // The GPU reads no edge twice, and it must read every edge that is stored at
    // one end only.
    let (seen, edges) = (found.report.edges(), graph.edge_count());
    let all = seen == edges || !graph.directed();
    assert!(found.report.engine != "cuda" || seen <= edges && all, "{name}: {seen} of {edges}");
}

/// Compares clustering coefficients with the oracle's, bit for bit, since both divide the same
/// whole numbers; and verifies them.
///
/// # Panics
/// If they are wrong.
pub fn judge_clustering(case: &Case, found: &Solution<Clustering>) {
    let Case { name, graph, lists } = case;
    let (coefficients, triangles) = oracle::lcc::coefficients(lists);
    assert_eq!(found.answer.triangles, triangles, "{name}");
    assert!(found.answer.coefficients == coefficients, "{name}");
    let verdict = verify::lcc::coefficients(graph, &found.answer.coefficients, u64::MAX);
    assert_eq!(verdict, Ok(graph.vertex_count()), "{name}");
}

/// Compares triangles with the oracle's, and verifies them.
///
/// # Panics
/// If they are wrong.
pub fn judge_triangles(case: &Case, found: &TriangleCounts) {
    let Case { name, graph, lists } = case;
    let pairs = found.of_vertices.iter().copied().zip(found.degrees.iter().copied());
    assert!(pairs.eq(oracle::lcc::triangles(lists)), "{name}");
    let verdict = verify::triangles::counts(graph, &found.of_vertices, found.total, u64::MAX);
    assert_eq!(verdict, Ok(graph.vertex_count()), "{name}");
}

/// Hubs with degrees around the limits at which a row passes from a thread to a
/// warp and from one warp to several; only the row of the hub, the last vertex,
/// joins anything. And long paths.
pub fn long_rows() -> Vec<Case> {
    let mut cases = Vec::new();
    for rest in [LIGHT_EDGES, PIECE_EDGES, 2 * PIECE_EDGES] {
        for degree in rest as usize + 1..rest as usize + 5 {
            let edges: Vec<_> = (0..degree).map(|v| (degree, v)).collect();
            cases.push(case(&format!("hub of {degree}"), true, degree + 1, &edges, |_| 1.0));
        }
    }
    for directed in [true, false] {
        let n = 3000;
        // Neighbours on the path have ids that are far apart; n and 7 are coprime.
        let edges: Vec<_> = (1..n).map(|i| ((i - 1) * 7 % n, i * 7 % n)).collect();
        cases.push(case("far path", directed, n, &edges, |_| 1.0));
        // A path with two leaves at each vertex. The leaves come first in the rows,
        // so every edge of the path is joined after them.
        let (n, leaves) = (500, 1000);
        let spine = (1..n).map(|i| (leaves + i - 1, leaves + i));
        let edges: Vec<_> =
            (0..leaves).map(|leaf| (leaves + leaf / 2, leaf)).chain(spine).collect();
        cases.push(case("caterpillar", directed, n + leaves, &edges, |_| 1.0));
    }
    cases
}

/// A fan: two joined vertices, all of whose other neighbours, the blades, are common to both and
/// form a path, so that the two have rows of about as many pairs, and triangles all along them.
/// Blades have leaves, which make their degrees higher. If directed, every edge is there twice, a
/// third of them in both directions.
pub fn fan(blades: usize, directed: bool) -> Case {
    let leaves = 2 + blades;
    let mut edges = vec![(0, 1)];
    for blade in 2..leaves {
        edges.extend([(0, blade), (blade, 1)]);
        edges.extend((blade + 1 < leaves).then_some((blade, blade + 1)));
        edges.extend((0..blades).map(|leaf| (blade, leaves + (blade - 2) * blades + leaf)));
    }
    if directed {
        edges.extend_from_within(..);
        let half = edges.len() / 2;
        edges[half..].iter_mut().step_by(3).for_each(|(u, v)| std::mem::swap(u, v));
    }
    let n = leaves + blades * blades;
    case(&format!("fan of {blades}, directed: {directed}"), directed, n, &edges, |_| 1.0)
}
