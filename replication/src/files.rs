//! The files of real graphs.

use std::path::{Path, PathBuf};

/// The file of this name in a folder, perhaps compressed.
pub fn find(folder: &Path, name: &str) -> Option<PathBuf> {
    let suffixes = ["", ".gz", ".xz", ".zst"];
    suffixes.iter().map(|suffix| folder.join(format!("{name}{suffix}"))).find(|path| path.is_file())
}
