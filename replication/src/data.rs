//! Real graphs, where their files are at hand.

use std::path::{Path, PathBuf};

/// The file of one of these names in a folder, or in the folder `within` of it, perhaps
/// compressed.
pub fn find(folder: &Path, within: &str, names: &[impl AsRef<str>]) -> Option<PathBuf> {
    let folders = [folder.to_path_buf(), folder.join(within)];
    let mut paths = folders.iter().flat_map(|folder| {
        names.iter().flat_map(move |name| {
            let name = name.as_ref();
            ["", ".gz", ".xz", ".zst"].map(|suffix| folder.join(format!("{name}{suffix}")))
        })
    });
    paths.find(|path| path.is_file())
}

/// Where a graph comes from that was read from this file.
pub fn origin(path: &Path) -> String {
    format!("file {}", path.file_name().unwrap_or_default().to_string_lossy())
}
