//! Writing graphs.

mod output;
mod text;

use std::path::Path;

pub(crate) use output::{is_temporary, write_file_past_cache};
pub use output::{remove_temporary_files, write_file};
use text::View;

use super::{AnyGraph, Format, Note, SaveError, Written, detect, snapshot};
use crate::graph::{Id, IdParts, first_where};

/// Writes a graph to `path`, first to a temporary file beside it; the format
/// is found by the name if `None`: `.pregel` is a snapshot, `.mtx` Matrix
/// Market, `.parquet` a table of edges, `.txt`, `.tsv`, `.csv` and the like an
/// edge list. A suffix `.gz`, `.xz` or `.zst` after it compresses.
///
/// # Errors
/// [`SaveError`]; `path` is then as it was before.
pub fn save(path: &Path, graph: &AnyGraph, format: Option<Format>) -> Result<Written, SaveError> {
    let format = save_format(path, format)?;
    check_weights(path, graph)?;
    let mut saved = Written::default();
    match format {
        Format::Snapshot => write_file(path, |to| snapshot::write(graph, to))?,
        Format::EdgeList => {
            let comma = detect::suffix(path).is_some_and(|suffix| suffix == "csv");
            let separator = if comma { b',' } else { b'\t' };
            check_names(path, graph, |name| {
                let comment = name.starts_with(['#', '%']) || name.starts_with("//");
                let separated = name.contains(['\t', separator as char]);
                comment || separated || name.trim_ascii() != name
            })?;
            match graph {
                AnyGraph::Plain(graph) => {
                    write_file(path, |to| View { graph, weights: None }.edge_list(separator, to))?;
                }
                AnyGraph::Weighted(graph) => {
                    let view = View { graph, weights: Some(graph.out_values()) };
                    write_file(path, |to| view.edge_list(separator, to))?;
                }
            }
        }
        Format::MatrixMarket => {
            match graph.ids().parts() {
                IdParts::Names { .. } => {
                    return Err(SaveError::Names { path: path.to_owned(), format });
                }
                IdParts::Range { first: 1 } => {}
                _ if graph.ids().is_empty() => {}
                _ => saved.notes.push(Note::Renumbered),
            }
            match graph {
                AnyGraph::Plain(graph) => {
                    write_file(path, |to| View { graph, weights: None }.matrix_market(to))?;
                }
                AnyGraph::Weighted(graph) => {
                    let view = View { graph, weights: Some(graph.out_values()) };
                    write_file(path, |to| view.matrix_market(to))?;
                }
            }
        }
        #[cfg(feature = "parquet")]
        Format::Parquet => {
            check_names(path, graph, |_| false)?;
            write_file(path, |to| super::parquet::write_edges(to, graph))?;
            let rows = match graph {
                AnyGraph::Plain(graph) => graph.out(),
                AnyGraph::Weighted(graph) => graph.out(),
            };
            let vertices = text::isolated(rows).len() as u64;
            saved.notes.extend((vertices > 0).then_some(Note::Isolated { vertices }));
        }
        _ => return Err(SaveError::Unsupported { path: path.to_owned(), format }),
    }
    Ok(saved)
}

/// The format that [`save`] takes for `path`: `format`, or what the name says.
/// For callers that need to know before they make the graph.
///
/// # Errors
/// [`SaveError`] if the name belongs to no format, or the format can only be
/// read or is left out of this build.
pub fn save_format(path: &Path, format: Option<Format>) -> Result<Format, SaveError> {
    let unknown = || SaveError::UnknownFormat {
        path: path.to_owned(),
        expected: ".pregel, .mtx, .parquet, .txt, .tsv, .csv",
    };
    let format = format.or_else(|| detect::by_name(path)).ok_or_else(unknown)?;
    match format {
        Format::EdgeList | Format::MatrixMarket => Ok(format),
        Format::Parquet if cfg!(feature = "parquet") => Ok(format),
        Format::Parquet => Err(SaveError::Feature { path: path.to_owned(), what: format.name() }),
        Format::Snapshot if cfg!(target_endian = "little") => Ok(format),
        _ => Err(SaveError::Unsupported { path: path.to_owned(), format }),
    }
}

/// Refuses weights that no reader would take.
fn check_weights(path: &Path, graph: &AnyGraph) -> Result<(), SaveError> {
    let AnyGraph::Weighted(graph) = graph else { return Ok(()) };
    match first_where(graph.out_values(), |weight| !weight.is_finite()) {
        Some(edge) => Err(SaveError::Weight { path: path.to_owned(), edge: edge as u64 }),
        None => Ok(()),
    }
}

/// Refuses names that would not be read back: what no format takes as a name,
/// and what is `refused` by this one.
fn check_names(
    path: &Path,
    graph: &AnyGraph,
    refused: impl Fn(&str) -> bool,
) -> Result<(), SaveError> {
    let ids = graph.ids();
    if !matches!(ids.parts(), IdParts::Names { .. }) {
        return Ok(());
    }
    for v in 0..ids.len() {
        let Id::Name(name) = ids.get(v) else { continue };
        if name.is_empty() || name.chars().any(char::is_control) || refused(name) {
            let name = name.to_owned();
            return Err(SaveError::Name { path: path.to_owned(), name });
        }
    }
    Ok(())
}
