//! Which format a file has.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::input::Compression;
use super::registry::{READERS, Reader};
use super::{Format, bvgraph};

/// The format of a file that begins with `head`: what the first bytes prove,
/// otherwise what the name says, otherwise what the first lines look like,
/// otherwise an edge list.
pub(super) fn format(path: &Path, head: &[u8]) -> Format {
    // Here and below, known in a build without Parquet too, which then says what it lacks.
    if head.starts_with(b"PAR1") || suffix(path).as_deref() == Some("parquet") {
        return Format::Parquet;
    }
    if bvgraph::is_part(path, head) {
        return Format::BvGraph;
    }
    let format = |reader: &&dyn Reader| reader.format();
    let claimed = READERS.iter().find(|reader| reader.claims(head)).map(format);
    let resembling = || READERS.iter().find(|reader| reader.resembles(head)).map(format);
    claimed.or_else(|| by_name(path)).or_else(resembling).unwrap_or(Format::EdgeList)
}

/// The format that the suffix of a name belongs to.
pub(super) fn by_name(path: &Path) -> Option<Format> {
    let suffix = suffix(path)?;
    if suffix == "parquet" {
        return Some(Format::Parquet);
    }
    let found = READERS.iter().find(|reader| reader.suffixes().contains(&suffix.as_str()));
    found.map(|reader| reader.format())
}

/// The last suffix in lower case, without that of a compression.
pub(super) fn suffix(path: &Path) -> Option<String> {
    let stem = match Compression::of_name(path) {
        Some(_) => Path::new(path.file_stem()?),
        None => path,
    };
    Some(stem.extension()?.to_str()?.to_ascii_lowercase())
}

/// The file itself, or the file of Graphalytics or of a BVGraph of which `path` is
/// the stem.
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
