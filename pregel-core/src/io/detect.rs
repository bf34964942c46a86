//! Which format a file has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Format;
use super::input::{Compression, Input};
use super::registry::READERS;

/// How much of a file is looked at, in bytes.
const HEAD: usize = 64 << 10;

/// The format: what the first bytes prove, else what the name says, else what
/// the first lines look like, else an edge list.
pub(super) fn format(input: &Input<'_>) -> Format {
    let head = &input.bytes[..input.bytes.len().min(HEAD)];
    let suffix = suffix(&input.path);
    // Known in a build without Parquet too, which then says what it lacks.
    if head.starts_with(b"PAR1") || suffix.as_deref() == Some("parquet") {
        return Format::Parquet;
    }
    let claimed = READERS.iter().find(|reader| reader.claims(head));
    let named = || {
        let suffix = suffix.as_deref()?;
        READERS.iter().find(|reader| reader.suffixes().contains(&suffix))
    };
    let resembling = || READERS.iter().find(|reader| reader.resembles(head));
    let found = claimed.or_else(named).or_else(resembling);
    found.map_or(Format::EdgeList, |reader| reader.format())
}

/// The format whose suffix a name has.
pub(super) fn by_name(path: &Path) -> Option<Format> {
    let suffix = suffix(path)?;
    let found = READERS.iter().find(|reader| reader.suffixes().contains(&suffix.as_str()));
    found.map(|reader| reader.format())
}

/// The last suffix in lower case, that of a compression left out.
pub(super) fn suffix(path: &Path) -> Option<String> {
    let stem = match Compression::of_name(path) {
        Some(_) => Path::new(path.file_stem()?),
        None => path,
    };
    Some(stem.extension()?.to_str()?.to_ascii_lowercase())
}

/// The file itself, or the Graphalytics file of which `path` is the stem.
pub(super) fn resolve(path: &Path) -> PathBuf {
    if !path.exists() {
        for suffix in [".properties", ".e", ".v"] {
            let mut name = OsString::from(path);
            name.push(suffix);
            let candidate = PathBuf::from(name);
            if candidate.is_file() {
                return candidate;
            }
        }
    }
    path.to_owned()
}
