//! Reads and writes whole files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::SystemTime;

use crate::error::BuildError;

/// The text of a file.
pub(crate) fn read(path: &Path) -> Result<String, BuildError> {
    fs::read_to_string(path).map_err(BuildError::io("read", path))
}

/// Creates a folder and those above it.
pub(crate) fn make_folder(path: &Path) -> Result<(), BuildError> {
    fs::create_dir_all(path).map_err(BuildError::io("make the folder", path))
}

/// Writes a file if its contents differ, all of it or nothing; returns whether it was
/// written.
pub(crate) fn write(path: &Path, text: &str) -> Result<bool, BuildError> {
    if fs::read(path).is_ok_and(|old| old == text.as_bytes()) {
        return Ok(false);
    }
    let folder = path.parent().unwrap_or(Path::new("."));
    make_folder(folder)?;
    let failed = || BuildError::io("write", path);
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pregel-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder).map_err(failed())?;
    file.write_all(text.as_bytes()).map_err(failed())?;
    file.persist(path).map_err(|error| failed()(error.error))?;
    Ok(true)
}

/// Sets the time of a file's last change to now.
pub(crate) fn touch(path: &Path) -> Result<(), BuildError> {
    let file = fs::File::options().append(true).open(path);
    file.and_then(|file| file.set_modified(SystemTime::now()))
        .map_err(BuildError::io("touch", path))
}

/// Makes a file executable; does nothing on systems without such a mark.
pub(crate) fn make_executable(path: &Path) -> Result<(), BuildError> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::Permissions::from_mode(0o755);
        fs::set_permissions(path, mode).map_err(BuildError::io("make executable", path))?;
    }
    Ok(())
}
