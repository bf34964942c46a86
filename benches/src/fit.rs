//! Fits the planner's costs to measured times of supersteps: pure arithmetic, for the
//! benchmark `costs`.

use pregel_core::engine::gpu::Costs;

/// A superstep that the host launched, measured as push and as pull. Times are in
/// nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Hosted {
    /// Vertices of the graph.
    pub vertices: f64,
    /// Edges of the graph.
    pub edges: f64,
    /// Edges of the frontier.
    pub frontier: f64,
    /// Time of the pull.
    pub pull_ns: f64,
    /// Time of the push.
    pub push_ns: f64,
}

/// A resident launch.
#[derive(Clone, Copy, Debug)]
pub struct Stayed {
    /// Number of supersteps.
    pub supersteps: f64,
    /// Sum of the edges of their frontiers.
    pub edges: f64,
    /// Time in nanoseconds.
    pub ns: f64,
}

/// The non-negative `x` for which `rows · x` fits the times best, by least squares of
/// relative errors. `None` if the rows do not determine it.
pub fn nearest<const K: usize>(rows: &[([f64; K], f64)]) -> Option<[f64; K]> {
    let mut free = [true; K];
    loop {
        let found = solve(rows, &free)?;
        // Fix the most negative element at 0 and solve for the others again.
        let scale = |i: usize| rows.iter().fold(0.0, |most: f64, (row, _)| most.max(row[i].abs()));
        let worst = (0..K)
            .filter(|i| found[*i] < 0.0)
            .min_by(|a, b| (found[*a] * scale(*a)).total_cmp(&(found[*b] * scale(*b))));
        match worst {
            None => return Some(found),
            Some(i) => free[i] = false,
        }
    }
}

/// The same with any signs; elements that are not free are 0.
fn solve<const K: usize>(rows: &[([f64; K], f64)], free: &[bool; K]) -> Option<[f64; K]> {
    // Scale the columns to about the same size; 53 bits are not enough otherwise.
    let mut scales = [0.0f64; K];
    for (row, time) in rows {
        for i in 0..K {
            scales[i] = scales[i].max((row[i] / time).abs());
        }
    }
    // Normal equations, with the right-hand side in the last column.
    let mut a = vec![vec![0.0; K + 1]; K];
    for (row, time) in rows {
        let x: Vec<f64> =
            (0..K).map(|i| row[i] / time / scales[i].max(f64::MIN_POSITIVE)).collect();
        for i in 0..K {
            for j in 0..K {
                a[i][j] += x[i] * x[j];
            }
            a[i][K] += x[i];
        }
    }
    for i in (0..K).filter(|i| !free[*i]) {
        a[i].fill(0.0);
        for row in &mut a {
            row[i] = 0.0;
        }
        a[i][i] = 1.0;
    }
    let smallest = 1e-12 * rows.len() as f64;
    for i in 0..K {
        let pivot = (i..K).max_by(|p, q| a[*p][i].abs().total_cmp(&a[*q][i].abs()))?;
        a.swap(i, pivot);
        if a[i][i].abs() <= smallest {
            return None;
        }
        for other in (0..K).filter(|other| *other != i) {
            let factor = a[other][i] / a[i][i];
            let row = a[i].clone();
            for (left, right) in a[other].iter_mut().zip(&row) {
                *left -= factor * right;
            }
        }
    }
    let mut found = [0.0; K];
    for i in (0..K).filter(|i| free[*i]) {
        found[i] = a[i][K] / a[i][i] / scales[i];
    }
    Some(found)
}

/// `present` with all costs that the measurements determine. `None` if they do not
/// determine them: they must be of several sizes of graphs and lengths of launches.
pub fn costs(hosted: &[Hosted], stayed: &[Stayed], present: Costs) -> Option<Costs> {
    let pulls = hosted.iter().map(|s| ([1.0, s.vertices, s.edges, 0.0], s.pull_ns));
    // The launches of a push are not fitted: hosted supersteps share the constant part.
    let launches = present.push_launches_ns;
    let pushes = hosted.iter().map(|s| ([1.0, s.vertices, 0.0, s.frontier], s.push_ns - launches));
    let found = nearest(&pulls.chain(pushes).collect::<Vec<_>>())?;
    let [hosted_ns, vertex_ns, pulled_edge_ns, pushed_edge_ns] = found;
    let launches: Vec<_> = stayed.iter().map(|s| ([1.0, s.supersteps, s.edges], s.ns)).collect();
    let [resident_launch_ns, resident_ns, resident_edge_ns] = nearest(&launches)?;
    let mut costs = present;
    (costs.hosted_ns, costs.vertex_ns) = (hosted_ns, vertex_ns);
    (costs.pulled_edge_ns, costs.pushed_edge_ns) = (pulled_edge_ns, pushed_edge_ns);
    (costs.resident_ns, costs.resident_edge_ns) = (resident_ns, resident_edge_ns);
    costs.resident_launch_ns = resident_launch_ns;
    // The frontier for which a resident superstep takes as long as a push.
    let spared = (hosted_ns - resident_ns).max(0.0);
    let dearer = resident_edge_ns - pushed_edge_ns;
    costs.resident_edges = if dearer > 0.0 { (spared / dearer) as u64 } else { u64::MAX };
    Some(costs)
}

/// The time of all supersteps if each is pushed or pulled as these costs say, relative
/// to the time if each takes the faster way: 1 is best.
pub fn regret(hosted: &[Hosted], costs: &Costs) -> f64 {
    let chosen = |s: &Hosted| {
        let push_ns = costs.push_launches_ns + s.frontier * costs.pushed_edge_ns;
        let push = push_ns <= s.edges * costs.pulled_edge_ns;
        if push { s.push_ns } else { s.pull_ns }
    };
    let best: f64 = hosted.iter().map(|s| s.push_ns.min(s.pull_ns)).sum();
    hosted.iter().map(chosen).sum::<f64>() / best.max(f64::MIN_POSITIVE)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Supersteps that take what these costs say, up to `noise`.
    fn hosted(costs: &Costs, noise: f64) -> Vec<Hosted> {
        let graphs = [(1e3, 8e3), (6e4, 1.8e6), (1e6, 3.1e7), (1.6e7, 6.4e7), (4e6, 1.3e8)];
        let frontiers = [0.0, 0.001, 0.03, 0.2, 0.6, 1.0];
        let mut sign = 1.0;
        let mut samples = Vec::new();
        for (vertices, edges) in graphs {
            for frontier in frontiers.map(|part| part * edges) {
                sign = -sign;
                let both = costs.hosted_ns + vertices * costs.vertex_ns;
                let pull_ns = (both + edges * costs.pulled_edge_ns) * (1.0 + sign * noise);
                let push_ns = both + costs.push_launches_ns + frontier * costs.pushed_edge_ns;
                let push_ns = push_ns * (1.0 - sign * noise);
                samples.push(Hosted { vertices, edges, frontier, pull_ns, push_ns });
            }
        }
        samples
    }

    fn stayed(costs: &Costs) -> Vec<Stayed> {
        let launches = [(1.0, 1e3), (6.0, 4e5), (40.0, 1e5), (1024.0, 4e6), (1024.0, 4e3)];
        let time = |(supersteps, edges)| Stayed {
            supersteps,
            edges,
            ns: costs.resident_launch_ns
                + supersteps * costs.resident_ns
                + edges * costs.resident_edge_ns,
        };
        launches.map(time).to_vec()
    }

    fn others() -> Costs {
        let mut costs = Costs::default();
        (costs.hosted_ns, costs.vertex_ns) = (21_000.0, 0.002);
        (costs.pulled_edge_ns, costs.pushed_edge_ns) = (0.005, 0.04);
        (costs.resident_ns, costs.resident_edge_ns, costs.resident_launch_ns) =
            (4_000.0, 0.2, 50_000.0);
        costs
    }

    fn close(found: f64, expected: f64, part: f64) {
        assert!((found - expected).abs() <= part * expected, "{found}, expected {expected}");
    }

    #[test]
    fn known_costs_are_recovered() {
        let expected = others();
        for (noise, part) in [(0.0, 1e-6), (0.03, 0.1)] {
            let found = costs(&hosted(&expected, noise), &stayed(&expected), Costs::default());
            let found = found.unwrap();
            close(found.hosted_ns, expected.hosted_ns, part);
            close(found.vertex_ns, expected.vertex_ns, part);
            close(found.pulled_edge_ns, expected.pulled_edge_ns, part);
            close(found.pushed_edge_ns, expected.pushed_edge_ns, part);
            close(found.resident_ns, expected.resident_ns, 1e-6);
            close(found.resident_edge_ns, expected.resident_edge_ns, 1e-6);
            close(found.resident_launch_ns, expected.resident_launch_ns, 1e-6);
            // 17,000 ns at 0.16 ns per edge.
            close(found.resident_edges as f64, 106_250.0, 2.0 * part + 1e-4);
            // Not measured, so unchanged.
            assert_eq!(found.near_width, Costs::default().near_width);
        }
    }

    #[test]
    fn no_cost_is_negative() {
        // Three points of 5 - x: the best line that does not fall is level.
        let rows = [([1.0, 1.0], 4.0), ([1.0, 2.0], 3.0), ([1.0, 3.0], 2.0)];
        let [level, slope] = nearest(&rows).unwrap();
        assert_eq!(slope, 0.0);
        assert!((2.0..4.0).contains(&level), "{level}");
    }

    #[test]
    fn undetermined_costs_are_not_made_up() {
        // With one graph, the cost of its vertices cannot be told from the host's.
        let one: Vec<_> = hosted(&others(), 0.0).into_iter().take(6).collect();
        assert!(costs(&one, &stayed(&others()), Costs::default()).is_none());
        assert!(nearest::<2>(&[]).is_none());
    }

    #[test]
    fn regret_is_the_cost_of_wrong_choices() {
        let right = others();
        let samples = hosted(&right, 0.0);
        close(regret(&samples, &right), 1.0, 1e-12);
        let mut wrong = right;
        wrong.pushed_edge_ns *= 100.0;
        assert!(regret(&samples, &wrong) > 1.01);
    }
}
