#![allow(clippy::unwrap_used)]

use super::*;
use crate::graph::GraphBuilder;

/// Pseudo-random numbers (Marsaglia, *Xorshift RNGs*, 2003).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// Edges of a random graph with integer lengths. With `potentials`, every length is changed
/// by the difference of two numbers of its ends: many get negative, but no cycle does.
fn random_edges(n: u32, edges: u64, potentials: bool, seed: u64) -> Vec<(u32, u32, i32)> {
    let mut random = Random(seed * 2 + 0x9e37_79b9_7f4a_7c15);
    let levels: Vec<i32> = (0..n).map(|_| random.below(200) as i32).collect();
    (0..edges)
        .map(|_| {
            let [u, v] = [0; 2].map(|_| random.below(n.into()) as u32);
            let length = random.below(100) as i32;
            let shift = levels[u as usize] - levels[v as usize];
            (u, v, if potentials { length + shift } else { length })
        })
        .collect()
}

fn matrix<T: Length>(n: u32, edges: &[(u32, u32, i32)], of: fn(i32) -> T) -> Matrix<T> {
    let mut matrix = Matrix::unconnected(n).unwrap();
    edges.iter().for_each(|(u, v, length)| matrix.shorten(*u, *v, of(*length)));
    matrix
}

/// Bellman–Ford from every source, over the list of edges: knows nothing of matrices.
fn oracle(n: u32, edges: &[(u32, u32, i32)]) -> Vec<Vec<Option<i64>>> {
    let from = |source: u32| {
        let mut distances = vec![None; n as usize];
        distances[source as usize] = Some(0);
        loop {
            let mut changed = false;
            for (u, v, length) in edges {
                let Some(distance) = distances[*u as usize] else { continue };
                let found = distance + i64::from(*length);
                if distances[*v as usize].is_none_or(|old| found < old) {
                    distances[*v as usize] = Some(found);
                    changed = true;
                }
            }
            if !changed {
                return distances;
            }
        }
    };
    (0..n).map(from).collect()
}

fn check<T: Length>(found: &Matrix<T>, expected: &[Vec<Option<i64>>]) {
    for (u, row) in (0..).zip(expected) {
        for (v, distance) in (0..).zip(row) {
            let found = found.distance(u, v).map(Length::to_f64);
            assert_eq!(found, distance.map(|d| d as f64), "{u} to {v}");
        }
    }
}

/// Sizes on both sides of those of tiles and granules, and sparse and dense graphs.
fn cases() -> impl Iterator<Item = (u32, Vec<(u32, u32, i32)>)> {
    let sizes = [1, 2, 10, 63, 64, 65, 127, 129, 200];
    sizes.into_iter().flat_map(|n: u32| {
        let some = [u64::from(n), u64::from(n * n) / 3];
        some.into_iter().flat_map(move |edges| {
            [false, true].map(|potentials| (n, random_edges(n, edges, potentials, n.into())))
        })
    })
}

#[test]
fn both_methods_agree_with_bellman_ford() {
    for (n, edges) in cases() {
        let expected = oracle(n, &edges);
        for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
            let options = PathOptions::default().with_method(method);
            for engine in [Cpu::new(), Cpu::with_threads(1).unwrap()] {
                let found = engine.all_pairs(matrix(n, &edges, |x| x as f32), &options).unwrap();
                check(&found.0.distances, &expected);
                let found = engine.all_pairs(matrix(n, &edges, |x| x), &options).unwrap();
                check(&found.0.distances, &expected);
            }
        }
    }
}

/// Lengths of paths add up to the distances; zeros and parallel paths are frequent.
#[test]
fn successors_lead_along_shortest_paths() {
    let ties = |n: u32| {
        let mut random = Random(n.into());
        let ends = |random: &mut Random| random.below(n.into()) as u32;
        let edges = (0..4 * n).map(|_| {
            let [u, v] = [0; 2].map(|_| ends(&mut random));
            (u, v, random.below(2) as i32)
        });
        (n, edges.collect())
    };
    for (n, edges) in cases().chain([50, 100, 130].map(ties)) {
        let lengths = matrix(n, &edges, |x| x);
        let options = PathOptions::default().with_successors(true);
        let (paths, _) = Cpu::new().all_pairs(lengths.clone(), &options).unwrap();
        check_paths(n, &lengths, &paths);
        check(&paths.distances, &oracle(n, &edges));
    }
}

fn check_paths(n: u32, lengths: &Matrix<i32>, paths: &Paths<i32>) {
    for (u, v) in (0..n).flat_map(|u| (0..n).map(move |v| (u, v))) {
        let path = paths.path(u, v);
        assert_eq!(path.is_some(), paths.distances.distance(u, v).is_some(), "{u} to {v}");
        let Some(path) = path else { continue };
        let steps = path.windows(2).map(|step| lengths.distance(step[0], step[1]).unwrap());
        assert_eq!(Some(steps.sum()), paths.distances.distance(u, v), "{u} to {v}: {path:?}");
        assert_eq!((path.first(), path.last()), (Some(&u), Some(&v)));
        assert_eq!(paths.successor(u, v), path.get(1).copied());
    }
}

#[test]
fn searches_agree_with_bellman_ford() {
    for n in [1, 2, 65, 200] {
        let edges = random_edges(n, 3 * u64::from(n), false, 7);
        let list = edges.iter().map(|(u, v, w)| (*u, *v, *w as f32));
        let graph =
            GraphBuilder::new().with_vertex_count(n).with_weighted_edges(list).build().unwrap();
        let options = PathOptions::default().with_successors(true);
        let found = search_all(&Cpu::new(), &graph, |w: &f32| *w as i32, &options).unwrap();
        check(&found.0.distances, &oracle(n, &edges));
        check_paths(n, &matrix(n, &edges, |x| x), &found.0);
    }
}

#[test]
fn an_edge_whose_length_is_not_a_number_is_refused() {
    // Alone, and beside another edge before or after it.
    for lengths in [vec![f32::NAN], vec![1.0, f32::NAN], vec![f32::NAN, 1.0]] {
        let edges = lengths.iter().map(|length| (1, 0, *length));
        let graph = GraphBuilder::new().with_weighted_edges(edges.clone()).build().unwrap();
        let read = lengths_of(&graph, |length| *length).unwrap();
        let mut drawn = Matrix::unconnected(2).unwrap();
        edges.for_each(|(u, v, length)| drawn.shorten(u, v, length));
        for matrix in [read, drawn] {
            let found = Cpu::new().all_pairs(matrix, &PathOptions::default());
            let refused = matches!(found, Err(PathsError::NotANumber { vertex: 1 }));
            assert!(refused, "{lengths:?}: {found:?}");
        }
    }
}

#[test]
fn a_run_can_be_cancelled() {
    let cancel = Cancel::new();
    let edges = random_edges(200, 900, false, 7);
    let list = edges.iter().map(|(u, v, w)| (*u, *v, *w as f32));
    let graph = GraphBuilder::new().with_vertex_count(200).with_weighted_edges(list).build();
    let graph = graph.unwrap();
    let run = |method| {
        let options = PathOptions::default().with_method(method).with_cancel(cancel.clone());
        let found = match method {
            Method::Search => search_all(&Cpu::new(), &graph, |w: &f32| *w as i32, &options),
            _ => Cpu::new().all_pairs(matrix(200, &edges, |x| x), &options),
        };
        found.map(|(paths, _)| check(&paths.distances, &oracle(200, &edges)))
    };
    let methods = [Method::FloydWarshall, Method::RepeatedSquaring, Method::Search];
    methods.into_iter().for_each(|method| run(method).unwrap());
    cancel.cancel();
    for method in methods {
        let ended = run(method);
        assert!(
            matches!(ended, Err(PathsError::Run(RunError::Cancelled { .. }))),
            "{method:?}: {ended:?}"
        );
    }
}

#[test]
fn a_negative_cycle_is_found_and_named() {
    for n in [3, 64, 65, 130, 300] {
        // One cycle of all vertices, negative by 1, in a graph of positive edges.
        let mut edges = random_edges(n, u64::from(n), false, 3);
        edges.iter_mut().for_each(|edge| edge.2 += 2_000);
        edges.extend((1..n).map(|v| (v - 1, v, 1)));
        edges.push((n - 1, 0, -(n as i32)));
        for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
            let options = PathOptions::default().with_method(method);
            let found = Cpu::new().all_pairs(matrix(n, &edges, |x| x), &options);
            assert!(matches!(found, Err(PathsError::NegativeCycle { .. })), "{n}: {found:?}");
            let found = Cpu::new().all_pairs(matrix(n, &edges, |x| x as f32), &options);
            assert!(matches!(found, Err(PathsError::NegativeCycle { .. })), "{n}: {found:?}");
        }
    }
    let mut one = Matrix::unconnected(3).unwrap();
    one.shorten(2, 2, -1);
    let found = Cpu::new().all_pairs(one, &PathOptions::default());
    assert!(matches!(found, Err(PathsError::NegativeCycle { vertex: 2 })));
}

/// The cycle is on two vertices only; others lead to it, and others it leads to.
#[test]
fn the_named_vertex_lies_on_the_cycle() {
    let mut lengths = Matrix::unconnected(200).unwrap();
    (1..200).for_each(|v| lengths.shorten(v - 1, v, 1));
    lengths.shorten(151, 150, -2);
    let found = Cpu::new().all_pairs(lengths, &PathOptions::default());
    let Err(PathsError::NegativeCycle { vertex }) = found else { panic!("{found:?}") };
    assert!(vertex == 150 || vertex == 151, "{vertex}");
}

/// Values fall as fast as they can: without the checks, `i32` would wrap around.
#[test]
fn many_negative_cycles_do_not_wrap_around() {
    let mut lengths = Matrix::unconnected(500).unwrap();
    let long = (i32::LARGEST / 500.0) as i32;
    for (u, v) in (0..500).flat_map(|u| (0..500).map(move |v| (u, v))).filter(|(u, v)| u != v) {
        lengths.shorten(u, v, -long);
    }
    for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
        let options = PathOptions::default().with_method(method);
        let found = Cpu::new().all_pairs(lengths.clone(), &options);
        assert!(matches!(found, Err(PathsError::NegativeCycle { .. })));
    }
}

/// The longest path that the check lets pass, in both directions.
#[test]
fn the_longest_lengths_do_not_overflow() {
    for n in [2, 3, 100, 200] {
        let long = (i32::LARGEST / f64::from(n)) as i32;
        for length in [long, -long] {
            let mut lengths = Matrix::unconnected(n).unwrap();
            (1..n).for_each(|v| lengths.shorten(v - 1, v, length));
            for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
                let options = PathOptions::default().with_method(method);
                let (paths, _) = Cpu::new().all_pairs(lengths.clone(), &options).unwrap();
                assert_eq!(paths.distances.distance(0, n - 1), Some(length * (n as i32 - 1)));
                assert_eq!(paths.distances.distance(n - 1, 0), None);
            }
        }
        let mut lengths = Matrix::unconnected(n).unwrap();
        lengths.shorten(0, 1, long + 1);
        let refused = Cpu::new().all_pairs(lengths, &PathOptions::default());
        assert!(matches!(refused, Err(PathsError::Overflow { name: "i32", .. })), "{refused:?}");
    }
    for wrong in [f32::NAN, f32::NEG_INFINITY] {
        let mut lengths = Matrix::unconnected(3).unwrap();
        lengths.for_each_row(|v, row| row[2] = if v == 1 { wrong } else { row[2] });
        let refused = Cpu::new().all_pairs(lengths, &PathOptions::default());
        assert!(matches!(refused, Err(PathsError::NotANumber { vertex: 1 })), "{refused:?}");
    }
}

#[test]
fn what_does_not_fit_the_memory_is_refused_with_both_figures() {
    let refused = Matrix::<f32>::unconnected(u32::MAX).unwrap_err();
    let PathsError::Memory { vertices, needed, available } = refused else { panic!("{refused}") };
    assert_eq!((vertices, needed), (u32::MAX, u64::MAX));
    assert!(available < needed);
}

#[test]
fn sparse_graphs_are_searched() {
    assert!(prefers_search(10_000, 30_000));
    assert!(!prefers_search(10_000, 50_000_000));
    assert!(!prefers_search(300, 90_000));
}

#[test]
fn an_empty_graph_has_no_distances() {
    for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
        let options = PathOptions::default().with_method(method);
        let (paths, _) =
            Cpu::new().all_pairs(Matrix::<f32>::unconnected(0).unwrap(), &options).unwrap();
        assert_eq!(paths.distances.vertex_count(), 0);
    }
}
