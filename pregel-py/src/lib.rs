//! The native part of the Python package `pregel`: graphs over arrays, tables and NetworkX'
//! dictionaries, and the bundled algorithms on every engine.
//!
//! `python/pregel` wraps what is here in functions with types and documentation.

mod algorithms;
mod arrays;
mod arrow;
mod buffers;
mod column;
mod data;
mod dlpack;
mod engine;
mod errors;
mod graph;
mod inputs;
mod nodes;
mod nx;
mod options;
mod report;
mod run;
mod sources;

/// What `python/pregel` imports.
#[pyo3::pymodule(gil_used = false)]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::algorithms::{
        Distances, apsp, betweenness, bfs, cdlp, colouring, eigenvector, hcc, hits, katz, kcore,
        lcc, mis, nearest, nearness, pagerank, scc, sssp, triangles, wcc, widest,
    };
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::engine::gpus;
    #[pymodule_export]
    use crate::errors::EngineError;
    #[pymodule_export]
    use crate::graph::Graph;
    #[pymodule_export]
    use crate::nx::{
        nx_bellman_ford, nx_bfs, nx_bidirectional, nx_bidirectional_dijkstra, nx_components,
        nx_dijkstra, nx_eccentricities, nx_eigenvector, nx_graph, nx_greedy_colours, nx_hits,
        nx_katz, nx_labeled, nx_matrix, nx_pagerank, nx_strong, nx_strong_in_order, nx_triangles,
    };
    #[pymodule_export]
    use crate::options::Options;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::run::note_process();
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
