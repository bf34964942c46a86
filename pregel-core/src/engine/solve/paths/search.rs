//! A search from every vertex: Dijkstra's, with a binary heap.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::time::Instant;

use rayon::prelude::*;

use super::{
    Length, Links, Matrix, Method, NO_VERTEX, PathOptions, Paths, PathsError, PathsReport,
};
use crate::engine::Cpu;
use crate::graph::Graph;
use crate::program::{Value, VertexId};

/// How many pairs Floyd–Warshall compares in the time in which a search looks at an edge or
/// orders a vertex by one more bit. Measured on a CPU with 16 lanes per vector; half as many
/// lanes halve it.
const PAIRS_PER_STEP: f64 = 150.0;

/// Whether a search from every vertex is expected to be faster than Floyd–Warshall, for
/// lengths that are not negative.
///
/// A search takes m + n log₂ n steps, and there are n of them; Floyd–Warshall compares n³
/// pairs, of which about 150 take as long as a step.
pub fn prefers_search(vertices: u32, edges: u64) -> bool {
    let n = f64::from(vertices);
    PAIRS_PER_STEP * (edges as f64 + n * n.max(2.0).log2()) < n * n
}

/// How all cores find the distances of a graph soonest: by a [search](Method::Search) where that
/// is [expected](prefers_search) and no length is negative, otherwise by Floyd–Warshall. O(m),
/// parallel.
pub fn best_on_cpu<E: Value, T: Length>(
    graph: &Graph<E>,
    length: impl Fn(&E) -> T + Sync,
) -> Method {
    let signed = || graph.out_values().par_iter().any(|value| length(value) < T::ZERO);
    let searches = prefers_search(graph.vertex_count(), graph.edge_count()) && !signed();
    if searches { Method::Search } else { Method::FloydWarshall }
}

/// A vertex that waits for its turn.
struct Waiting<T> {
    distance: T,
    vertex: VertexId,
}

impl<T: Length> Ord for Waiting<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        // The heap gives the largest first. Lengths are numbers, so they can be compared.
        let nearer = other.distance.partial_cmp(&self.distance).unwrap_or(Ordering::Equal);
        nearer.then_with(|| other.vertex.cmp(&self.vertex))
    }
}

impl<T: Length> PartialOrd for Waiting<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Length> PartialEq for Waiting<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<T: Length> Eq for Waiting<T> {}

/// Distances by a search from every vertex. O(n · (m + n) log n) time, parallel; O(n² + m)
/// memory.
///
/// # Errors
/// [`PathsError::NegativeLength`] if a length is negative, otherwise as
/// [`AllPairs::all_pairs`](super::AllPairs::all_pairs).
pub fn search_all<E: Value, T: Length>(
    engine: &Cpu,
    graph: &Graph<E>,
    length: impl Fn(&E) -> T + Send + Sync,
    options: &PathOptions,
) -> Result<(Paths<T>, PathsReport), PathsError> {
    let start = Instant::now();
    engine.install(|| {
        let n = graph.vertex_count();
        let lengths = lengths_of_edges(graph, length)?;
        let mut distances = Matrix::filled(n, T::INFINITE)?;
        let mut before = options.successors.then(|| Matrix::filled(n, NO_VERTEX)).transpose()?;
        let prepare_time = start.elapsed();
        let start = Instant::now();
        let side = distances.side().max(1);
        let rows = distances.values_mut().par_chunks_mut(side).take(n as usize).enumerate();
        let edges: u64 = match &mut before {
            None => rows
                .take_any_while(|_| !options.cancelled())
                .map_init(BinaryHeap::new, |heap, (v, row)| {
                    search(graph, &lengths, v, row, None, heap)
                })
                .sum(),
            Some(before) => rows
                .zip(before.values_mut().par_chunks_mut(side))
                .take_any_while(|_| !options.cancelled())
                .map_init(BinaryHeap::new, |heap, ((v, row), before)| {
                    search(graph, &lengths, v, row, Some(before), heap)
                })
                .sum(),
        };
        options.check(0)?;
        let report = PathsReport {
            engine: "cpu",
            method: Method::Search,
            passes: n,
            pairs: edges,
            time: start.elapsed(),
            prepare_time,
            device: None,
        };
        Ok((Paths { distances, links: before.map(Links::Before) }, report))
    })
}

/// The lengths of all edges, checked.
fn lengths_of_edges<E: Value, T: Length>(
    graph: &Graph<E>,
    length: impl Fn(&E) -> T + Send + Sync,
) -> Result<Vec<T>, PathsError> {
    let (rows, n) = (graph.out(), graph.vertex_count());
    let lengths: Vec<T> = if graph.out_values().is_empty() {
        (0..graph.out().targets().len()).into_par_iter().map(|_| length(&E::zeroed())).collect()
    } else {
        graph.out_values().par_iter().map(length).collect()
    };
    let is_wrong = |length: &T| length.partial_cmp(&T::ZERO).is_none_or(Ordering::is_lt);
    let wrong = |v: &VertexId| lengths[rows.range(*v)].iter().any(is_wrong);
    if let Some(vertex) = (0..n).into_par_iter().find_first(wrong) {
        let nan = lengths[rows.range(vertex)].iter().any(|length| length.to_f64().is_nan());
        let (not_a_number, negative) =
            (PathsError::NotANumber { vertex }, PathsError::NegativeLength { vertex });
        return Err(if nan { not_a_number } else { negative });
    }
    let finite = lengths.par_iter().filter(|l| **l != T::INFINITE).map(|l| l.to_f64());
    let largest: f64 = finite.reduce(|| 0.0, f64::max);
    if largest * f64::from(n) > T::LARGEST {
        return Err(PathsError::Overflow {
            vertices: n,
            length: largest,
            largest: T::LARGEST,
            name: T::NAME,
        });
    }
    Ok(lengths)
}

/// Fills the row of `source`; returns how many edges it looked at.
fn search<E: Value, T: Length>(
    graph: &Graph<E>,
    lengths: &[T],
    source: usize,
    distances: &mut [T],
    mut before: Option<&mut [u32]>,
    heap: &mut BinaryHeap<Waiting<T>>,
) -> u64 {
    let rows = graph.out();
    let mut edges = 0;
    distances[source] = T::ZERO;
    heap.push(Waiting { distance: T::ZERO, vertex: source as VertexId });
    while let Some(Waiting { distance, vertex }) = heap.pop() {
        // It was nearer when it came up before.
        if distances[vertex as usize] < distance {
            continue;
        }
        let range = rows.range(vertex);
        edges += range.len() as u64;
        for (&target, &length) in rows.row(vertex).iter().zip(&lengths[range]) {
            let found = distance.plus(length);
            let place = &mut distances[target as usize];
            if found < *place {
                *place = found;
                heap.push(Waiting { distance: found, vertex: target });
                if let Some(before) = &mut before {
                    before[target as usize] = vertex;
                }
            }
        }
    }
    edges
}
