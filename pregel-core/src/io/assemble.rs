//! From the edges of a file to a graph.

use std::path::{Path, PathBuf};

use super::{AnyGraph, Format, LoadError, LoadOptions, Loaded, Note, Weights};
use crate::graph::{EdgeList, GraphBuilder, Ids};

/// Number of vertices that a header may promise without any edges.
const PROMISED: u64 = 1 << 24;
/// Beyond that, number of vertices per edge that a header may promise.
const PROMISED_PER_EDGE: u64 = 64;

/// Edges between dense vertices, as a file has them.
pub(super) struct Parsed {
    pub edges: Vec<[u32; 2]>,
    /// One per edge; `None` when the file has none or they are not wanted.
    pub weights: Option<Vec<f32>>,
    pub ids: Ids,
    /// Whether an edge of the file means both directions.
    pub undirected: bool,
    /// Files that were read besides the one that was opened.
    pub more_files: Vec<PathBuf>,
    pub notes: Vec<Note>,
}

impl Parsed {
    /// Directed edges of one file, without notes.
    pub fn new(edges: Vec<[u32; 2]>, weights: Option<Vec<f32>>, ids: Ids) -> Self {
        let (more_files, notes) = (Vec::new(), Vec::new());
        Self { edges, weights, ids, undirected: false, more_files, notes }
    }

    /// The edges and ids, before the policies for edges.
    pub fn into_list(
        self,
        path: &Path,
        options: &LoadOptions,
    ) -> Result<(EdgeList<f32>, Ids), LoadError> {
        let Self { edges, weights, ids, .. } = self.chosen(path, options)?;
        let list = EdgeList { vertex_count: ids.len(), edges, values: weights.unwrap_or_default() };
        Ok((list, ids))
    }

    /// With the weights that `options` ask for, if they allow so many vertices.
    fn chosen(self, path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        check_vertices(path, u64::from(self.ids.len()), options)?;
        let weights = match options.weights {
            Weights::Auto => self.weights,
            Weights::None => None,
            Weights::Unit => Some(vec![1.0; self.edges.len()]),
        };
        Ok(Self { weights, ..self })
    }

    /// Builds the graph by the policies of `options`.
    pub fn build(
        self,
        path: &Path,
        format: Format,
        options: &LoadOptions,
    ) -> Result<Loaded, LoadError> {
        let Self { mut edges, mut weights, ids, undirected, more_files, notes } =
            self.chosen(path, options)?;
        let wanted = !options.directed.unwrap_or(!undirected);
        if undirected && !wanted {
            mirror(&mut edges, weights.as_mut());
        }
        let vertex_count = ids.len();
        let builder = GraphBuilder::new()
            .with_directed(!wanted)
            .with_duplicates(options.duplicates)
            .with_self_loops(options.self_loops)
            .with_ids(ids);
        let failed = |source| LoadError::Build { path: path.to_owned(), source };
        let (graph, report) = match weights {
            Some(values) => {
                let list = EdgeList { vertex_count, edges, values };
                let built = builder.with_edge_list(list).build_with_report();
                let (graph, report) = built.map_err(failed)?;
                (AnyGraph::Weighted(graph), report)
            }
            None => {
                let list = EdgeList::<()> { vertex_count, edges, values: Vec::new() };
                let built = builder.with_edge_list(list).build_with_report();
                let (graph, report) = built.map_err(failed)?;
                (AnyGraph::Plain(graph), report)
            }
        };
        let mut files = vec![path.to_owned()];
        for file in more_files {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        Ok(Loaded { graph, format, report, files, notes })
    }
}

/// Adds the other direction of every edge but self-loops.
fn mirror(edges: &mut Vec<[u32; 2]>, weights: Option<&mut Vec<f32>>) {
    let count = edges.len();
    if let Some(weights) = weights {
        let proper = (0..count).filter(|i| edges[*i][0] != edges[*i][1]);
        let mirrored: Vec<f32> = proper.map(|i| weights[i]).collect();
        weights.extend(mirrored);
    }
    let mirrored: Vec<[u32; 2]> =
        edges.iter().filter(|[u, v]| u != v).map(|[u, v]| [*v, *u]).collect();
    edges.extend(mirrored);
}

/// Refuses more vertices than the options allow.
pub(super) fn check_vertices(
    path: &Path,
    vertices: u64,
    options: &LoadOptions,
) -> Result<(), LoadError> {
    let limit = u64::from(options.max_vertices.unwrap_or(u32::MAX));
    if vertices > limit {
        return Err(LoadError::TooManyVertices { path: path.to_owned(), vertices, limit });
    }
    Ok(())
}

/// Refuses a header that promises far more vertices than its edges could
/// join, before memory is set aside for them; returns the count.
pub(super) fn promised_vertices(
    path: &Path,
    vertices: u64,
    edges: u64,
    options: &LoadOptions,
) -> Result<u32, LoadError> {
    check_vertices(path, vertices, options)?;
    let limit = PROMISED.max(edges.saturating_mul(PROMISED_PER_EDGE));
    match u32::try_from(vertices) {
        Ok(count) if options.max_vertices.is_some() || vertices <= limit => Ok(count),
        _ => Err(LoadError::TooManyVertices { path: path.to_owned(), vertices, limit }),
    }
}
