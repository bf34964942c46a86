//! Files that are whole or not there.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output, called `-`.
    Stdout,
    /// A regular file, new or to be replaced as a whole.
    File(PathBuf),
    /// A device or a pipe, written in place.
    Device(PathBuf),
}

/// A place that cannot be written to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// It is a folder.
    #[error("cannot write {}: it is a folder", path.display())]
    Folder {
        /// The place.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot write {}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Target {
    /// Checks that `path` can be written, leaving it as it is.
    ///
    /// # Errors
    /// When it is a folder, or its folder does not exist or takes no files.
    pub fn new(path: &Path) -> Result<Self, TargetError> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        // A link is followed, so that the file behind it is replaced.
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&path) {
            Ok(found) if found.is_dir() => return Err(TargetError::Folder { path }),
            Ok(found) if !found.is_file() => return Ok(Self::Device(path)),
            _ => {}
        }
        match temporary(&path) {
            Ok(_removed) => Ok(Self::File(path)),
            Err(source) => Err(TargetError::Io { path, source }),
        }
    }

    /// Writes a file that appears only when it is complete.
    ///
    /// # Errors
    /// When the system refuses; a file is then as it was before.
    pub fn write(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), TargetError> {
        let buffered = |out: &mut (dyn Write + Send)| {
            let mut out = BufWriter::with_capacity(1 << 16, out);
            write(&mut out)?;
            out.flush()
        };
        let (path, result) = match self {
            Self::Stdout => (Path::new("standard output"), buffered(&mut io::stdout())),
            Self::Device(path) => (
                path.as_path(),
                File::options().write(true).open(path).and_then(|mut file| buffered(&mut file)),
            ),
            Self::File(path) => (
                path.as_path(),
                temporary(path).and_then(|mut file| {
                    buffered(file.as_file_mut())?;
                    file.persist(path).map(drop).map_err(|refused| refused.error)
                }),
            ),
        };
        result.map_err(|source| TargetError::Io { path: path.to_owned(), source })
    }
}

/// What the system said, without the name of the temporary file.
fn plain(error: io::Error) -> io::Error {
    let cause = error.get_ref().and_then(|wrapped| wrapped.source());
    let code = cause.and_then(|cause| cause.downcast_ref::<io::Error>()?.raw_os_error());
    code.map_or(error, io::Error::from_raw_os_error)
}

/// A temporary file beside `path`, with the permissions of any new file.
fn temporary(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(".pregel-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let permissions = fs::metadata(path).map(|found| found.permissions());
        builder.permissions(permissions.unwrap_or_else(|_| Permissions::from_mode(0o666)));
    }
    builder.tempfile_in(folder).map_err(plain)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn files(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn checking_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.tsv");
        assert_eq!(Target::new(&path).unwrap(), Target::File(path));
        assert_eq!(files(folder.path()), 0);
    }

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.tsv");
        fs::write(&path, "old").unwrap();
        let failed = Target::new(&path).unwrap().write(|out| {
            out.write_all(b"half a")?;
            Err(io::ErrorKind::StorageFull.into())
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(files(folder.path()), 1);
        Target::new(&path).unwrap().write(|out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
    }

    #[test]
    fn folders_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let refused = Target::new(folder.path()).unwrap_err().to_string();
        assert!(refused.ends_with("it is a folder"), "{refused}");
        let missing = folder.path().join("no/out.tsv");
        assert!(matches!(Target::new(&missing), Err(TargetError::Io { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn links_lead_to_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Target::new(&link).unwrap().write(|out| out.write_all(b"new")).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
