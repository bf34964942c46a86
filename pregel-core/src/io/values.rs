//! A value for each vertex, as text: lines of `id<TAB>value`.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::from_utf8;

use thiserror::Error;

use super::input::{Bytes, Input};
use super::text::{Text, shown};
use super::{LoadError, LoadOptions};
use crate::graph::Ids;
use crate::program::VertexId;

/// One value for every vertex of a graph, as the text of a file; what it means is for the
/// caller to say.
pub struct Values {
    path: PathBuf,
    bytes: Bytes<'static>,
    /// Where the value of each vertex stands in the file, always after an id.
    places: Vec<Range<usize>>,
}

/// Why a file has no values for the vertices of a graph.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ValuesError {
    /// The file cannot be read, or is no text.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// A line that is not an id and a value, or a value that was refused.
    #[error("{}:{line}: {reason}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line; the first is 1.
        line: u64,
        /// What was expected and what was found.
        reason: String,
    },
    /// A vertex that the graph does not have.
    #[error("{}:{line}: vertex «{id}» is not in the graph", path.display())]
    Unknown {
        /// The file.
        path: PathBuf,
        /// The line; the first is 1.
        line: u64,
        /// The id in the file.
        id: String,
    },
    /// A vertex without a line.
    #[error("{}: vertex {id} is missing", path.display())]
    Missing {
        /// The file.
        path: PathBuf,
        /// The id of the first such vertex.
        id: String,
    },
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("path", &self.path).field("len", &self.len()).finish()
    }
}

impl Values {
    /// Reads lines as [`read_values`] does. Every vertex must have exactly one. O(bytes), and
    /// O(log V) for each line where ids are sparse integers; takes the file's size and 16 bytes
    /// per vertex.
    ///
    /// # Errors
    /// [`ValuesError`]: as [`read_values`], and if a vertex has two lines or none.
    pub fn read(path: &Path, ids: &Ids) -> Result<Self, ValuesError> {
        Self::of(Input::read(path, &LoadOptions::default())?, ids)
    }

    /// The same from bytes in memory; errors call the file `<bytes>`.
    ///
    /// # Errors
    /// [`ValuesError`], never a panic, whatever the bytes.
    pub fn parse(bytes: &[u8], ids: &Ids) -> Result<Self, ValuesError> {
        Self::of(Input { path: PathBuf::from("<bytes>"), bytes: bytes.to_vec().into() }, ids)
    }

    fn of(input: Input<'static>, ids: &Ids) -> Result<Self, ValuesError> {
        let mut places = vec![0..0; ids.len() as usize];
        each(&input, ids, |v, at, value| {
            let place = &mut places[v as usize];
            if place.end > 0 {
                return Err(format!("vertex {} has two lines", ids.get(v)));
            }
            *place = at..at + value.len();
            Ok(())
        })?;
        if let Some(v) = places.iter().position(|place| place.end == 0) {
            let id = ids.get(v as VertexId).to_string();
            return Err(ValuesError::Missing { path: input.path, id });
        }
        Ok(Self { path: input.path, bytes: input.bytes, places })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The value of a vertex, never empty.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn get(&self, v: VertexId) -> &str {
        // It was text when it was read.
        from_utf8(&self.bytes[self.places[v as usize].clone()]).unwrap_or_default()
    }
}

/// Calls `use_value` with the vertex and the value of every line of `path`, which may be
/// compressed, from the first to the last. What follows the first tab of a line is the value, up to
/// the next tab, if there are more columns; in a line without a tab it is what follows the last
/// space. Empty lines and those that begin with `#` are skipped.
///
/// # Errors
/// [`ValuesError`] if the file cannot be read, for a line of another form, for an unknown
/// vertex, and for a value that `use_value` refuses: it says why.
pub fn read_values(
    path: &Path,
    ids: &Ids,
    mut use_value: impl FnMut(VertexId, &str) -> Result<(), String>,
) -> Result<(), ValuesError> {
    let input = Input::read(path, &LoadOptions::default())?;
    each(&input, ids, |v, _, value| use_value(v, value))
}

/// The same for a file in memory; `use_value` also hears at which byte the value begins.
fn each(
    input: &Input<'_>,
    ids: &Ids,
    mut use_value: impl FnMut(VertexId, usize, &str) -> Result<(), String>,
) -> Result<(), ValuesError> {
    const EXPECTED: &str = "`id<TAB>value`";
    let text = Text::new(input, "lines of `id<TAB>value`")?;
    let base = input.bytes.len() - text.bytes.len();
    for (line, (_, content)) in (1..).zip(text.lines(0)) {
        if content.is_empty() || content[0] == b'#' {
            continue;
        }
        let wrong = |reason| ValuesError::Line { path: input.path.clone(), line, reason };
        let position = |wanted: u8| content.iter().position(|byte| *byte == wanted);
        let split = position(b'\t').or_else(|| content.iter().rposition(|byte| *byte == b' '));
        let parts = split.and_then(|at| {
            let rest = &content[at + 1..];
            let end = rest.iter().position(|byte| *byte == b'\t').unwrap_or(rest.len());
            let id = from_utf8(&content[..at]).ok()?.trim();
            let value = from_utf8(&rest[..end]).ok()?.trim();
            (!value.is_empty()).then_some((id, value))
        });
        let Some((id, value)) = parts else {
            return Err(wrong(format!("expected {EXPECTED}, found «{}»", shown(content))));
        };
        let Some(v) = ids.find(id) else {
            let id = shown(id.as_bytes());
            return Err(ValuesError::Unknown { path: input.path.clone(), line, id });
        };
        let at = base + (value.as_ptr() as usize - text.bytes.as_ptr() as usize);
        use_value(v, at, value).map_err(wrong)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn read(text: &[u8]) -> Result<Vec<String>, String> {
        let values = Values::parse(text, &Ids::range(5, 3)).map_err(|error| error.to_string())?;
        assert_eq!((values.len(), values.is_empty()), (3, false));
        Ok((0..3).map(|v| values.get(v).to_owned()).collect())
    }

    #[test]
    fn the_value_follows_the_first_tab_or_the_last_space() {
        let text = "\u{feff}# values\n6\tone two\n5 0\r\n\n  7   infinity\n";
        assert_eq!(read(text.as_bytes()).unwrap(), ["0", "one two", "infinity"]);
        assert_eq!(read(b"7 2\n6\t1\n5\tx y\t0\t4").unwrap(), ["x y", "1", "2"]);
        assert!(read(b"7 2\n6\t\t1\n5 0").unwrap_err().contains(":2: expected"));
    }

    #[test]
    fn errors_name_the_line() {
        let says: [(&[u8], &str); 7] = [
            (b"5 0\n6 1\n", "vertex 7 is missing"),
            (b"5 0\n6 1\n7 2\n7 2\n", ":4: vertex 7 has two lines"),
            (b"5 0\n6\n7 2\n", ":2: expected `id<TAB>value`, found «6»"),
            (b"5\t\n6 1\n7 2\n", ":1: expected `id<TAB>value`"),
            (b"5 0\n6 \xff\n7 2\n", ":2: expected `id<TAB>value`, found «6 "),
            (b"5 0\n6 1\n8 2\n", ":3: vertex «8» is not in the graph"),
            (b"5 0\n6 \x001\n", "found binary data"),
        ];
        for (text, wanted) in says {
            let error = read(text).unwrap_err();
            assert!(error.contains(wanted), "{error}");
        }
    }

    #[test]
    fn files_are_read_and_values_may_be_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("values");
        std::fs::write(&path, "5 1\n5 2\n").unwrap();
        let mut sum = 0;
        let ids = Ids::range(5, 3);
        assert_eq!(
            Values::read(&path, &Ids::range(5, 1)).err().map(|e| e.to_string()),
            Some(format!("{}:2: vertex 5 has two lines", path.display()))
        );
        read_values(&path, &ids, |_, value| {
            sum += value.parse::<u32>().map_err(|error| error.to_string())?;
            Ok(())
        })
        .unwrap();
        assert_eq!(sum, 3);
        let refused = read_values(&path, &ids, |_, value| match value {
            "2" => Err("no 2".to_owned()),
            _ => Ok(()),
        });
        assert!(refused.unwrap_err().to_string().ends_with("values:2: no 2"));
    }
}
