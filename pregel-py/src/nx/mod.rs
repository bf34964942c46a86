//! What the NetworkX backend needs: conversion, and searches that visit vertices in the order in
//! which NetworkX does, so that results are equal down to the order of dictionaries and the choice
//! among paths of the same length.

mod answers;
mod bidirectional;
mod convert;
mod engines;
mod ordered;
mod search;

pub use answers::{nx_bfs, nx_bidirectional, nx_bidirectional_dijkstra, nx_dijkstra};
pub use convert::nx_graph;
pub use engines::{nx_components, nx_eccentricities, nx_pagerank, nx_strong, nx_triangles};
pub use ordered::{nx_labeled, nx_strong_in_order};

use pyo3::PyErr;
use pyo3::exceptions::PyNotImplementedError;

/// What the backend leaves to NetworkX itself, and why.
fn not_here(text: impl Into<String>) -> PyErr {
    PyNotImplementedError::new_err(text.into())
}
