//! What the NetworkX backend needs: conversion, and searches that visit vertices in the order in
//! which NetworkX does, so that results are equal down to the order of dictionaries and the choice
//! among paths of the same length.

mod answers;
mod bellman_ford;
mod bidirectional;
mod colours;
mod convert;
mod dense;
mod engines;
mod iterate;
mod ordered;
mod search;

pub use answers::{nx_bfs, nx_bidirectional, nx_bidirectional_dijkstra, nx_dijkstra};
pub use bellman_ford::nx_bellman_ford;
pub use colours::nx_greedy_colours;
pub use convert::nx_graph;
pub use dense::nx_matrix;
pub use engines::{nx_components, nx_eccentricities, nx_pagerank, nx_strong, nx_triangles};
pub use iterate::{nx_eigenvector, nx_hits, nx_katz};
pub use ordered::{nx_labeled, nx_strong_in_order};

use pyo3::PyErr;
use pyo3::exceptions::PyNotImplementedError;

/// What the backend leaves to NetworkX itself, and why.
fn not_here(text: impl Into<String>) -> PyErr {
    PyNotImplementedError::new_err(text.into())
}
