//! Inputs that must survive, and outputs that must not replace each other.

use std::path::{Path, PathBuf};

use crate::usage::UsageError;

/// Refuses to write over a file that is read, or to write one file twice.
pub fn refuse_overwriting(
    inputs: &[impl AsRef<Path>],
    outputs: &[&Path],
) -> Result<(), UsageError> {
    let read: Vec<PathBuf> =
        inputs.iter().filter_map(|path| path.as_ref().canonicalize().ok()).collect();
    let mut written = Vec::new();
    for path in outputs {
        let Some(place) = canonical(path) else { continue };
        if read.contains(&place) {
            return Err(UsageError::new(format!(
                "{} is an input of this command and would be overwritten; write to another file",
                path.display()
            )));
        }
        if written.contains(&place) {
            let name = path.display().to_string();
            let what = if name == "-" { "standard output".to_owned() } else { name };
            return Err(UsageError::new(format!(
                "{what} would be written twice; write to different files"
            )));
        }
        written.push(place);
    }
    Ok(())
}

/// The absolute path, without links, of a file that need not exist yet.
fn canonical(path: &Path) -> Option<PathBuf> {
    path.canonicalize().ok().or_else(|| {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().ok()?;
        Some(folder.join(path.file_name()?))
    })
}
