//! Where real graphs lie.

use std::path::PathBuf;

/// The file or folder `name` among the real graphs; `None`, said on stderr,
/// when it is not there. They lie in `../shared/data` beside the workspace,
/// or where the environment variable `PREGEL_DATA` says.
pub fn path(name: &str) -> Option<PathBuf> {
    let root = match std::env::var_os("PREGEL_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")),
    };
    let path = root.join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {} (set PREGEL_DATA to the folder of real graphs)", path.display());
        return None;
    }
    Some(path)
}
