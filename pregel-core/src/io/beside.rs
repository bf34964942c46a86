//! Files that belong together, since they have a stem in common.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::input::Compression;

/// The path without its last suffix and without that of a compression.
pub(super) fn stem(path: &Path) -> PathBuf {
    let plain = match Compression::of_name(path) {
        Some(_) => path.with_extension(""),
        None => path.to_owned(),
    };
    plain.with_extension("")
}

/// The file of this stem and suffix, compressed or not.
pub(super) fn existing(stem: &Path, suffix: &str) -> Option<PathBuf> {
    let plain = with_suffix(stem, suffix);
    let compressed = ["gz", "xz", "zst"].map(|kind| with_suffix(&plain, kind));
    std::iter::once(plain).chain(compressed).find(|path| path.is_file())
}

/// The path with a dot and this suffix behind it.
pub(super) fn with_suffix(stem: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(stem);
    name.push(".");
    name.push(suffix);
    PathBuf::from(name)
}
