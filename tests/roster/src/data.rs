//! Finds real graphs, and says whether slow tests run.

use std::path::PathBuf;

/// The path of the file or folder `name` among the real graphs; `None`, with a
/// note on stderr, if it does not exist. The graphs are in the folder that the
/// environment variable `PREGEL_DATA` names, by default `../shared/data` beside
/// the workspace.
pub fn path(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PREGEL_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
    };
    let path = root.join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {} (set PREGEL_DATA to the folder of real graphs)", path.display());
        return None;
    }
    Some(path)
}

/// Whether tests on large graphs run: in optimised builds, and if the environment
/// variable `PREGEL_THOROUGH` is set.
pub fn thorough() -> bool {
    !cfg!(debug_assertions) || std::env::var_os("PREGEL_THOROUGH").is_some()
}
