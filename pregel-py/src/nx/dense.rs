//! The adjacency matrix with all its zeros.

use pregel_core::graph::Csr;
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

use super::not_here;
use crate::graph::{Graph, Weights};

/// The matrix of weights, row by row, as bytes of `f64`; those of parallel edges are added.
/// O(V²).
#[pyfunction]
pub fn nx_matrix<'py>(
    py: Python<'py>,
    graph: &Bound<'py, Graph>,
) -> PyResult<Bound<'py, PyByteArray>> {
    let graph = graph.get();
    let (rows, n) = (graph.rows.out(), graph.rows.vertex_count() as usize);
    let bytes = n.checked_mul(n).and_then(|cells| cells.checked_mul(size_of::<f64>()));
    let bytes = bytes.ok_or_else(|| not_here("the matrix is larger than the memory"))?;
    PyByteArray::new_with(py, bytes, |matrix| match &graph.weights {
        Weights::None => fill(py, rows, matrix, |_| 1i128, |sum| *sum as f64),
        Weights::F64(weighted) => {
            let values = weighted.out_values();
            fill(py, rows, matrix, |edge| values[edge], |sum| *sum)
        }
        Weights::I64(weighted) => {
            // As Python does, integers are added before they become floats.
            let values = weighted.out_values();
            fill(py, rows, matrix, |edge| i128::from(values[edge]), |sum| *sum as f64)
        }
        Weights::F32(_) => Err(not_here("weights are float32")),
    })
}

fn fill<T: Copy + Default + std::ops::AddAssign>(
    py: Python<'_>,
    rows: &Csr,
    matrix: &mut [u8],
    value: impl Fn(usize) -> T,
    float: impl Fn(&T) -> f64,
) -> PyResult<()> {
    let n = rows.vertex_count();
    let mut row = vec![T::default(); n as usize];
    let parts = matrix.chunks_exact_mut((size_of::<f64>() * row.len()).max(1));
    for (v, bytes) in (0..n).zip(parts) {
        for edge in rows.range(v) {
            row[rows.targets()[edge] as usize] += value(edge);
        }
        for (cell, sum) in bytes.chunks_exact_mut(size_of::<f64>()).zip(&mut row) {
            cell.copy_from_slice(&float(sum).to_ne_bytes());
            *sum = T::default();
        }
        if v % 256 == 0 {
            py.check_signals()?;
        }
    }
    Ok(())
}
