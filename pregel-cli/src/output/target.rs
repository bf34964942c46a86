//! Files that are whole or not there.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use pregel_core::io::{SaveError, write_file};
use thiserror::Error;

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output, called `-`.
    Stdout,
    /// A file, to be replaced as a whole; a device or a pipe is written to.
    File(PathBuf),
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
        let refused = |source| TargetError::Io { path: path.to_owned(), source };
        let found = fs::metadata(path).ok();
        if found.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(TargetError::Folder { path: path.to_owned() });
        }
        // Opening a pipe would already tell its reader something.
        if found.as_ref().is_none_or(fs::Metadata::is_file) {
            if found.is_some() {
                OpenOptions::new().append(true).open(path).map_err(refused)?;
            }
            // Only trying tells whether the folder takes new files.
            let folder = path.parent().filter(|folder| *folder != Path::new(""));
            let folder = folder.unwrap_or(Path::new("."));
            fs::metadata(folder).map_err(refused)?;
            tempfile::tempfile_in(folder).map_err(refused)?;
        }
        Ok(Self::File(path.to_owned()))
    }

    /// Writes a file that appears only when it is complete, compressed if its
    /// name ends in `.gz`, `.xz` or `.zst`; stdout as it comes.
    ///
    /// # Errors
    /// When the system refuses; a file is then as it was before.
    pub fn write(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<(), SaveError> {
        match self {
            Self::File(path) => write_file(path, write),
            Self::Stdout => {
                let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
                write(&mut out)
                    .and_then(|()| out.flush())
                    .map_err(|source| SaveError::Io { path: "standard output".into(), source })
            }
        }
    }
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
}
