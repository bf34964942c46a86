//! Results of another run or system, to compare with: `--verify-against`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pregel_core::graph::Ids;
use pregel_core::program::VertexId;
use thiserror::Error;

use crate::facts::Matching;
use crate::input::describe_ids;
use crate::output::{Column, NO_VERTEX};
use crate::text::{count, thousands};

/// How far a number may be from the expected one, relative to it: the rule of LDBC
/// Graphalytics.
pub const CLOSE: f64 = 1e-4;

/// A value for every vertex, as text.
#[derive(Debug)]
pub struct Expected {
    path: PathBuf,
    text: String,
    /// Where the value of each vertex stands in the text.
    values: Vec<Range<usize>>,
}

/// Why a result cannot be compared, or what differs.
#[derive(Debug, Error)]
pub enum ExpectedError {
    #[error("cannot read {}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    #[error("{}:{line}: {reason}", path.display())]
    Line { path: PathBuf, line: usize, reason: String },
    #[error("{}: vertex {vertex} is missing", path.display())]
    Missing { path: PathBuf, vertex: String },
    #[error("the result differs from {}: {reason}", path.display())]
    Differs { path: PathBuf, reason: String },
}

impl Expected {
    /// Reads lines of `id<TAB>value`, or with spaces in place of the tab; empty lines and those
    /// that begin with `#` are skipped. Every vertex must have one line.
    pub fn read(path: &Path, ids: &Ids) -> Result<Self, ExpectedError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ExpectedError::Io { path: path.to_owned(), source })?;
        let mut values = vec![0..0; ids.len() as usize];
        for (line, content) in (1..).zip(text.lines()) {
            if content.trim().is_empty() || content.starts_with('#') {
                continue;
            }
            let wrong = |reason| ExpectedError::Line { path: path.to_owned(), line, reason };
            let (vertex, value) = parse(content, ids).map_err(wrong)?;
            let place = &mut values[vertex as usize];
            if is_known(place) {
                return Err(wrong(format!("vertex {} has two lines", ids.get(vertex))));
            }
            let start = value.as_ptr() as usize - text.as_ptr() as usize;
            *place = start..start + value.len();
        }
        if let Some(vertex) = values.iter().position(|value| !is_known(value)) {
            let vertex = ids.get(vertex as VertexId).to_string();
            return Err(ExpectedError::Missing { path: path.to_owned(), vertex });
        }
        Ok(Self { path: path.to_owned(), text, values })
    }

    /// Compares `found`, the result of a run. O(V).
    ///
    /// # Errors
    /// The first vertex that differs, and how many do.
    pub fn compare(
        &self,
        found: &Column,
        ids: &Ids,
        matching: Matching,
    ) -> Result<(), ExpectedError> {
        let differing: Vec<VertexId> = match (matching, found) {
            (Matching::Partition, Column::Vertex(labels)) => self.split_differently(labels),
            _ => {
                let same = |v: &VertexId| same(self.value(*v), found, ids, *v);
                (0..ids.len()).filter(|v| !same(v)).collect()
            }
        };
        let Some(&first) = differing.first() else { return Ok(()) };
        let (id, expected) = (ids.get(first), self.value(first));
        let others = count(u64::from(ids.len()), "vertex differs", "vertices differ");
        let reason = format!(
            "vertex {id} has {}, expected {expected}; {} of {others}",
            print(found, ids, first),
            thousands(differing.len() as u64),
        );
        Err(ExpectedError::Differs { path: self.path.clone(), reason })
    }

    fn value(&self, v: VertexId) -> &str {
        &self.text[self.values[v as usize].clone()]
    }

    /// The vertices whose group is another one than that of the first vertex with the same
    /// label, here or in the file.
    fn split_differently(&self, labels: &[VertexId]) -> Vec<VertexId> {
        let (mut to, mut back) = (HashMap::new(), HashMap::new());
        let mut differing = Vec::new();
        for (v, &label) in (0..).zip(labels) {
            let name = self.value(v);
            let known = *to.entry(label).or_insert(name) == name;
            if *back.entry(name).or_insert(label) != label || !known {
                differing.push(v);
            }
        }
        differing
    }
}

/// Whether a value stands there: none is empty.
fn is_known(value: &Range<usize>) -> bool {
    value.start < value.end
}

/// The vertex and the value of a line.
fn parse<'t>(content: &'t str, ids: &Ids) -> Result<(VertexId, &'t str), String> {
    let parts = content.split_once('\t').or_else(|| content.trim().rsplit_once(' '));
    let parts = parts.map(|(id, value)| (id.trim(), value.trim()));
    let Some((id, value)) = parts.filter(|(_, value)| !value.is_empty()) else {
        return Err(format!("expected `id<TAB>value`, found «{content}»"));
    };
    match ids.find(id) {
        Some(vertex) => Ok((vertex, value)),
        None => {
            Err(format!("vertex «{id}» is not in the graph; its ids are {}", describe_ids(ids)))
        }
    }
}

/// Whether vertex `v` has the value that `expected` names.
fn same(expected: &str, found: &Column, ids: &Ids, v: VertexId) -> bool {
    let close = |found: f64| {
        expected.parse().is_ok_and(|expected: f64| {
            // Infinities are equal, and nothing is close to one.
            found == expected || (found - expected).abs() <= CLOSE * expected.abs().min(f64::MAX)
        })
    };
    match found {
        Column::F32(numbers) => close(numbers[v as usize].into()),
        Column::F64(numbers) => close(numbers[v as usize]),
        // LDBC Graphalytics writes the largest 64-bit integer for a vertex that is not reached.
        Column::Level(levels) if levels[v as usize] == NO_VERTEX => {
            ["-1", "9223372036854775807", "inf", "infinity"].contains(&expected)
        }
        Column::Level(levels) => expected.parse() == Ok(levels[v as usize]),
        Column::Count(counts) => expected.parse() == Ok(counts[v as usize]),
        Column::Vertex(_) => expected == print(found, ids, v),
    }
}

/// The value of vertex `v`, as it is written.
fn print(column: &Column, ids: &Ids, v: VertexId) -> String {
    let mut text = String::new();
    // Writing to a string never fails.
    let _ = column.print(&mut text, ids, v);
    text
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Compares with a file of this text; the ids are 5 to 7.
    fn compare(text: &str, found: Column, matching: Matching) -> Result<(), String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("expected");
        std::fs::write(&path, text).unwrap();
        let ids = Ids::range(5, 3);
        let expected = Expected::read(&path, &ids).map_err(|error| error.to_string())?;
        expected.compare(&found, &ids, matching).map_err(|error| error.to_string())
    }

    #[track_caller]
    fn differs(found: Result<(), String>, says: &str) {
        let error = found.unwrap_err();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn levels_must_be_equal() {
        let levels = || Column::Level(vec![0, 1, NO_VERTEX]);
        for unreached in ["-1", "9223372036854775807", "infinity"] {
            let text = format!("# levels\n6\t1\n5 0\r\n\n7   {unreached}\n");
            assert_eq!(compare(&text, levels(), Matching::Value), Ok(()));
        }
        let differing = compare("5 0\n6 2\n7 3\n", levels(), Matching::Value);
        differs(differing, "vertex 6 has 1, expected 2; 2 of 3 vertices differ");
    }

    #[test]
    fn numbers_may_be_rounded() {
        let numbers = || Column::F64(vec![0.0, 2.0, f64::INFINITY]);
        assert_eq!(compare("5 0\n6 2.0001\n7 infinity\n", numbers(), Matching::Value), Ok(()));
        let says = [
            ("5 0\n6 2.001\n7 inf\n", "vertex 6 has 2, expected 2.001; 1 of 3"),
            ("5 1e-300\n6 2\n7 inf\n", "vertex 5"),
            ("5 0\n6 inf\n7 inf\n", "vertex 6"),
            ("5 0\n6 2\n7 1e308\n", "vertex 7"),
            ("5 0\n6 NaN\n7 inf\n", "vertex 6"),
            ("5 0\n6 two\n7 inf\n", "vertex 6"),
        ];
        for (text, wanted) in says {
            differs(compare(text, numbers(), Matching::Value), wanted);
        }
        let nan = Column::F64(vec![f64::NAN; 3]);
        differs(compare("5 0\n6 NaN\n7 0\n", nan, Matching::Value), "3 of 3");
    }

    #[test]
    fn labels_are_vertices_or_stand_for_groups() {
        let labels = || Column::Vertex(vec![0, 0, 2]);
        assert_eq!(compare("5 5\n6 5\n7 7\n", labels(), Matching::Value), Ok(()));
        differs(compare("5 6\n6 6\n7 7\n", labels(), Matching::Value), "2 of 3");
        assert_eq!(compare("5 b\n6 b\n7 a\n", labels(), Matching::Partition), Ok(()));
        differs(compare("5 b\n6 b\n7 b\n", labels(), Matching::Partition), "vertex 7");
        differs(compare("5 b\n6 a\n7 c\n", labels(), Matching::Partition), "vertex 6");
    }

    #[test]
    fn every_vertex_has_one_line() {
        let levels = || Column::Level(vec![0, 1, 2]);
        let says = [
            ("5 0\n6 1\n", "vertex 7 is missing"),
            ("5 0\n6 1\n7 2\n7 2\n", ":4: vertex 7 has two lines"),
            ("5 0\n6\n7 2\n", ":2: expected `id<TAB>value`, found «6»"),
            ("5\t\n6 1\n7 2\n", ":1: expected `id<TAB>value`"),
            ("5 0\n6 1\n8 2\n", ":3: vertex «8» is not in the graph; its ids are"),
        ];
        for (text, wanted) in says {
            differs(compare(text, levels(), Matching::Value), wanted);
        }
    }
}
