//! Where a personalised surfer teleports.

use std::path::{Path, PathBuf};

use anyhow::Result;
use pregel_core::graph::Ids;
use pregel_core::program::VertexId;
use thiserror::Error;

use crate::input::{Input, describe_ids};
use crate::job::Params;

/// A file of teleport weights that cannot be used.
#[derive(Debug, Error)]
enum TeleportError {
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{}: the weights sum to {sum}, but must sum to a number above 0", path.display())]
    Sum { path: PathBuf, sum: f64 },
}

/// The probability of every vertex, summing to 1; `None` if all are equal.
pub fn probabilities(params: &Params, input: &Input) -> Result<Option<Vec<f64>>> {
    if let Some(id) = &params.source {
        let source = input.find(id)?;
        let mut weights = vec![0.0; input.ids().len() as usize];
        weights[source as usize] = 1.0;
        return Ok(Some(weights));
    }
    let Some(path) = &params.personalize else { return Ok(None) };
    Ok(Some(read(path, input.ids())?))
}

fn read(path: &Path, ids: &Ids) -> Result<Vec<f64>, TeleportError> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| TeleportError::Io { path: path.to_owned(), source })?;
    let mut weights = vec![0.0; ids.len() as usize];
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim_end();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let (vertex, weight) = parse(content, ids).map_err(|reason| TeleportError::Line {
            path: path.to_owned(),
            line,
            reason,
        })?;
        weights[vertex as usize] += weight;
    }
    let sum: f64 = weights.iter().sum();
    if !(sum > 0.0 && sum.is_finite()) {
        return Err(TeleportError::Sum { path: path.to_owned(), sum });
    }
    weights.iter_mut().for_each(|weight| *weight /= sum);
    Ok(weights)
}

/// `id<TAB>weight`; in a line without a tab the weight follows the last space.
fn parse(content: &str, ids: &Ids) -> Result<(VertexId, f64), String> {
    let (id, weight) = content
        .rsplit_once('\t')
        .or_else(|| content.rsplit_once(' '))
        .ok_or_else(|| format!("expected `id<TAB>weight`, found «{content}»"))?;
    let id = id.trim();
    let vertex = ids.find(id).ok_or_else(|| {
        format!("vertex «{id}» is not in the graph; its ids are {}", describe_ids(ids))
    })?;
    let number: Option<f64> = weight.parse().ok();
    let number = number.filter(|number| *number >= 0.0 && number.is_finite());
    number
        .map(|number| (vertex, number))
        .ok_or_else(|| format!("expected a weight that is not negative, found «{weight}»"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read_text(text: &str) -> Result<Vec<f64>, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("teleport");
        std::fs::write(&path, text).unwrap();
        read(&path, &Ids::range(5, 4)).map_err(|error| error.to_string())
    }

    #[test]
    fn weights_are_normalised_and_repeated_ones_add_up() {
        let weights = read_text("# who\n5\t1\n\n7 1.5\n7\t1.5\r\n").unwrap();
        assert_eq!(weights, [0.25, 0.0, 0.75, 0.0]);
    }

    #[test]
    fn errors_name_the_line() {
        let says = |text, wanted: &str| {
            let error = read_text(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        };
        says("5\t1\n9\t1\n", ":2: vertex «9» is not in the graph");
        says("5\n", ":1: expected `id<TAB>weight`");
        says("5\t-1\n", ":1: expected a weight that is not negative, found «-1»");
        says("5\tNaN\n", ":1: expected a weight");
        says("5\t0\n", "sum to 0");
        says("", "sum to 0");
    }
}
