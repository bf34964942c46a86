//! Power iterations on all cores. Sums have the order of NetworkX: the terms of a vertex are added
//! in the order of the vertices that they come from.

use pregel_algos::gallery::shuffled;
use pregel_core::engine::Cancel;
use pregel_core::graph::Csr;
use pyo3::prelude::*;
use rayon::prelude::*;

use super::not_here;
use crate::errors::{Failure, value};
use crate::graph::{Graph, Weights};
use crate::run::interruptible;

/// The fewest rows that a thread takes at once.
const ROWS: usize = 1 << 10;
/// How many numbers are added before their sum is added to that of the others, so that sums do not
/// depend on the number of threads.
const CHUNK: usize = 1 << 12;

/// Weights of edges, in the order of the rows.
#[derive(Clone, Copy)]
enum Values<'a> {
    Ones,
    F64(&'a [f64]),
    I64(&'a [i64]),
}

/// Rows, and the weights of their edges.
#[derive(Clone, Copy)]
struct Matrix<'a> {
    rows: &'a Csr,
    values: Values<'a>,
}

impl<'a> Matrix<'a> {
    /// Rows by source.
    fn out(graph: &'a Graph) -> PyResult<Self> {
        let values = match &graph.weights {
            Weights::None => Values::Ones,
            Weights::F64(weighted) => Values::F64(weighted.out_values()),
            Weights::I64(weighted) => Values::I64(weighted.out_values()),
            Weights::F32(_) => return Err(not_here("weights are float32")),
        };
        Ok(Self { rows: graph.rows.out(), values })
    }

    /// Rows by target, whose edges are in the order of their sources. The first call makes them.
    fn incoming(graph: &'a Graph) -> Self {
        let values = match &graph.weights {
            Weights::None | Weights::F32(_) => Values::Ones,
            Weights::F64(weighted) => Values::F64(weighted.incoming_values()),
            Weights::I64(weighted) => Values::I64(weighted.incoming_values()),
        };
        Self { rows: graph.rows.incoming(), values }
    }

    /// Sets each number of `result` to `first` and the sum of `x` along the row, times the weights.
    fn multiply<T: Lane>(&self, x: &[T], result: &mut [T], first: impl Fn(usize) -> T + Sync) {
        let targets = self.rows.targets();
        result.par_iter_mut().enumerate().with_min_len(ROWS).for_each(|(v, sum)| {
            let row = self.rows.range(v as u32);
            let terms = row.map(|edge| (x[targets[edge] as usize], edge));
            *sum = match self.values {
                Values::Ones => terms.fold(first(v), |sum, (x, _)| sum.plus(x, 1.0)),
                Values::F64(w) => terms.fold(first(v), |sum, (x, edge)| sum.plus(x, w[edge])),
                Values::I64(w) => {
                    terms.fold(first(v), |sum, (x, edge)| sum.plus(x, w[edge] as f64))
                }
            };
        });
    }
}

/// A number, or several that are multiplied alike.
trait Lane: Copy + Send + Sync {
    fn plus(self, x: Self, weight: f64) -> Self;
}

impl Lane for f64 {
    fn plus(self, x: Self, weight: f64) -> Self {
        self + x * weight
    }
}

impl Lane for [f64; 2] {
    fn plus(self, [x, y]: Self, weight: f64) -> Self {
        [self[0] + x * weight, self[1] + y * weight]
    }
}

/// The sum of something of each place, the same on any number of threads.
fn sum(n: usize, term: impl Fn(usize) -> f64 + Sync) -> f64 {
    let chunk = |i: usize| (i * CHUNK..n.min((i + 1) * CHUNK)).map(&term).sum();
    let sums: Vec<f64> = (0..n.div_ceil(CHUNK)).into_par_iter().map(chunk).collect();
    sums.iter().sum()
}

/// The root of the sum of squares, which neither overflows nor vanishes on the way.
fn length(n: usize, number: impl Fn(usize) -> f64 + Sync) -> f64 {
    let largest = (0..n).into_par_iter().map(|v| number(v).abs()).reduce(|| 0.0, f64::max);
    if largest == 0.0 || !largest.is_finite() {
        return largest;
    }
    largest * sum(n, |v| (number(v) / largest).powi(2)).sqrt()
}

fn check_length(graph: &Graph, numbers: &[f64]) -> PyResult<()> {
    let (n, found) = (graph.rows.vertex_count() as usize, numbers.len());
    if n == found { Ok(()) } else { Err(value(format!("{found} values for {n} nodes"))) }
}

/// Katz centrality before normalisation; `None` if it has not converged after `max_iter`
/// iterations.
#[pyfunction]
pub fn nx_katz(
    py: Python<'_>,
    graph: &Bound<'_, Graph>,
    alpha: f64,
    beta: Vec<f64>,
    start: Vec<f64>,
    max_iter: i64,
    tol: f64,
) -> PyResult<Option<Vec<f64>>> {
    let graph = graph.get();
    check_length(graph, &beta)?;
    check_length(graph, &start)?;
    // For its error.
    Matrix::out(graph)?;
    interruptible(py, |cancel: &Cancel| {
        let matrix = Matrix::incoming(graph);
        let n = start.len();
        let (mut x, mut sums) = (start, vec![0.0; n]);
        for _ in 0..max_iter {
            matrix.multiply(&x, &mut sums, |_| 0.0);
            sums.par_iter_mut().zip(&beta).for_each(|(sum, beta)| *sum = alpha * *sum + beta);
            std::mem::swap(&mut x, &mut sums);
            let change = sum(n, |v| (x[v] - sums[v]).abs());
            if change < n as f64 * tol {
                return Ok(Some(x));
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        Ok::<_, Failure>(None)
    })
}

/// Eigenvector centrality; `None` if it has not converged after `max_iter` iterations.
#[pyfunction]
pub fn nx_eigenvector(
    py: Python<'_>,
    graph: &Bound<'_, Graph>,
    start: Vec<f64>,
    max_iter: i64,
    tol: f64,
) -> PyResult<Option<Vec<f64>>> {
    let graph = graph.get();
    check_length(graph, &start)?;
    Matrix::out(graph)?;
    interruptible(py, |cancel: &Cancel| {
        let matrix = Matrix::incoming(graph);
        let n = start.len();
        let (mut x, mut next) = (start, vec![0.0; n]);
        for _ in 0..max_iter {
            matrix.multiply(&x, &mut next, |v| x[v]);
            let norm = length(n, |v| next[v]);
            let norm = if norm == 0.0 { 1.0 } else { norm };
            next.par_iter_mut().for_each(|value| *value /= norm);
            std::mem::swap(&mut x, &mut next);
            let change = sum(n, |v| (x[v] - next[v]).abs());
            if change < n as f64 * tol {
                return Ok(Some(x));
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        Ok::<_, Failure>(None)
    })
}

/// How often hubs and authorities are computed from each other at most.
const TURNS: u32 = 1000;
/// How much two vectors of length 1 may differ that count as equal.
const AGREED: f64 = 1e-12;

/// Hubs and authorities: singular vectors of the largest singular value, of length 1. `None` if
/// they depend on where the iteration begins, because other singular values are as large or almost
/// so: two vectors, of which one has random entries, must become the same.
#[pyfunction]
pub fn nx_hits(py: Python<'_>, graph: &Bound<'_, Graph>) -> PyResult<Option<(Vec<f64>, Vec<f64>)>> {
    let graph = graph.get();
    let out = Matrix::out(graph)?;
    interruptible(py, |cancel: &Cancel| {
        let incoming = Matrix::incoming(graph);
        let n = graph.rows.vertex_count();
        let random = |v| 0.5 + f64::from(shuffled(1, v)) / f64::from(u32::MAX);
        let mut authorities: Vec<[f64; 2]> = (0..n).map(|v| [1.0, random(v)]).collect();
        let n = n as usize;
        let (mut hubs, mut next) = (vec![[0.0; 2]; n], vec![[0.0; 2]; n]);
        for _ in 0..TURNS {
            out.multiply(&authorities, &mut hubs, |_| [0.0; 2]);
            incoming.multiply(&hubs, &mut next, |_| [0.0; 2]);
            let norms = [0, 1].map(|at| length(n, |v| next[v][at]));
            if norms.contains(&0.0) {
                return Ok(None);
            }
            next.par_iter_mut().for_each(|[x, y]| (*x, *y) = (*x / norms[0], *y / norms[1]));
            std::mem::swap(&mut authorities, &mut next);
            let apart = length(n, |v| authorities[v][0] - authorities[v][1]);
            let changed = length(n, |v| authorities[v][0] - next[v][0]);
            if apart < AGREED && changed < AGREED {
                out.multiply(&authorities, &mut hubs, |_| [0.0; 2]);
                let first = |lanes: Vec<[f64; 2]>| lanes.iter().map(|[x, _]| *x).collect();
                return Ok(Some((first(hubs), first(authorities))));
            }
            if cancel.is_cancelled() {
                break;
            }
        }
        Ok::<_, Failure>(None)
    })
}
