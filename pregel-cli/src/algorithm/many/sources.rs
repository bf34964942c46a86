//! Where many searches start.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use pregel_core::graph::{Ids, generate};
use pregel_core::program::VertexId;
use thiserror::Error;

use crate::args::SourcesArg;
use crate::input::describe_ids;
use crate::runner::Runner;
use crate::text::count;

/// The seed of the sources of a graph that was not generated: that of a spec without one.
const SEED: u64 = 1;

/// A file of sources that cannot be used.
#[derive(Debug, Error)]
enum SourcesError {
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{}: there is no source in it; expected a vertex id per line", path.display())]
    Empty { path: PathBuf },
}

/// The sources that the user asked for, each once.
pub fn find(wanted: &SourcesArg, runner: &Runner<'_>) -> Result<Vec<VertexId>> {
    let (input, progress) = (runner.input, runner.progress);
    match wanted {
        SourcesArg::File(path) => {
            let (sources, repeated) = read(path, input.ids())?;
            if repeated > 0 {
                let lines = count(repeated, "line repeats", "lines repeat");
                progress.note(&format!("{}: {lines} an earlier source", path.display()));
            }
            Ok(sources)
        }
        SourcesArg::Count(wanted) => {
            let graph = input.plain();
            let sources = match &input.spec {
                Some(spec) => spec.sources(&graph, wanted.get()),
                None => generate::sources(&graph, SEED, wanted.get()),
            };
            if sources.is_empty() {
                bail!("{} has no vertex with an out-edge to start from", input.name);
            }
            if sources.len() < wanted.get() {
                let all = count(sources.len() as u64, "vertex", "vertices");
                progress.note(&format!("only {all} with an out-edge to start from"));
            }
            Ok(sources)
        }
    }
}

/// The sources in a file, and the number of lines that repeat one.
fn read(path: &Path, ids: &Ids) -> Result<(Vec<VertexId>, u64), SourcesError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| SourcesError::Io { path: path.to_owned(), source })?;
    let (mut sources, mut taken, mut repeated) = (Vec::new(), HashSet::new(), 0);
    for (line, content) in (1..).zip(text.lines()) {
        let id = content.trim();
        if id.is_empty() || id.starts_with('#') {
            continue;
        }
        let vertex = ids.find(id).ok_or_else(|| SourcesError::Line {
            path: path.to_owned(),
            line,
            reason: format!("vertex «{id}» is not in the graph; its ids are {}", describe_ids(ids)),
        })?;
        if taken.insert(vertex) {
            sources.push(vertex);
        } else {
            repeated += 1;
        }
    }
    if sources.is_empty() {
        return Err(SourcesError::Empty { path: path.to_owned() });
    }
    Ok((sources, repeated))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read_text(text: &str) -> Result<(Vec<VertexId>, u64), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sources");
        std::fs::write(&path, text).unwrap();
        read(&path, &Ids::range(5, 4)).map_err(|error| error.to_string())
    }

    #[test]
    fn sources_keep_their_order_and_are_taken_once() {
        let text = "# where to start\n7\n\n 5\r\n7\n8\n7\n";
        assert_eq!(read_text(text).unwrap(), (vec![2, 0, 3], 2));
    }

    #[test]
    fn errors_name_the_line() {
        let says = |text, wanted: &str| {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        };
        says("5\n# 6\n9\n", ":3: vertex «9» is not in the graph; its ids are the integers 5 to 8");
        says("5 6\n", ":1: vertex «5 6» is not in the graph");
        says("# 5\n\n", "there is no source in it");
    }
}
