//! Independent results from textbook code on adjacency lists.

pub mod betweenness;
pub mod bfs;
pub mod cdlp;
pub mod hcc;
pub mod kcore;
pub mod lcc;
pub mod pagerank;
pub mod scc;
pub mod sssp;
