//! Files that appear complete or not at all.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::Result;
use pregel_core::io::write_file;
use thiserror::Error;

/// A place to write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Standard output, called `-`.
    Stdout,
    /// A file, replaced when the new one is complete; a device or a pipe is
    /// written to directly.
    File(PathBuf),
}

/// A failure to write to standard output.
#[derive(Debug, Error)]
#[error("cannot write to standard output")]
pub struct StdoutError {
    source: io::Error,
}

impl StdoutError {
    /// Whether the reader of the pipe, `head` say, has left.
    pub fn is_closed(&self) -> bool {
        self.source.kind() == io::ErrorKind::BrokenPipe
    }
}

/// A place that cannot be written to.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum TargetError {
    /// A folder of that name exists.
    #[error("cannot write {}: it is a folder; name a file", path.display())]
    Folder {
        /// The folder.
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
    /// When it is a folder, or when its folder does not exist or takes no files.
    pub fn new(path: &Path) -> Result<Self, TargetError> {
        if path == Path::new("-") {
            return Ok(Self::Stdout);
        }
        let refused = |source| TargetError::Io { path: path.to_owned(), source };
        let existing = fs::metadata(path).ok();
        if existing.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(TargetError::Folder { path: path.to_owned() });
        }
        // A pipe is not opened yet: its reader would notice.
        if existing.as_ref().is_none_or(fs::Metadata::is_file) {
            if existing.is_some() {
                OpenOptions::new().append(true).open(path).map_err(refused)?;
            }
            takes_files(folder_of(path)).map_err(refused)?;
        }
        Ok(Self::File(path.to_owned()))
    }

    /// The file, unless it is stdout.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Stdout => None,
        }
    }

    /// Writes a file, which appears when it is complete and is compressed if
    /// its name ends in `.gz`, `.xz` or `.zst`; or writes to stdout.
    ///
    /// # Errors
    /// When the system refuses; a file is then as it was before.
    pub fn write(
        &self,
        write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    ) -> Result<()> {
        match self {
            Self::File(path) => Ok(write_file(path, write)?),
            Self::Stdout => {
                let mut out = BufWriter::with_capacity(1 << 16, io::stdout());
                write(&mut out).and_then(|()| out.flush()).map_err(stdout_error)
            }
        }
    }
}

/// The folder that a file or folder of this name lies in.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// Checks that a folder takes new files, leaving it as it is.
pub fn takes_files(folder: &Path) -> io::Result<()> {
    fs::metadata(folder)?;
    // The only way to know is to make one.
    tempfile::tempfile_in(folder).map(drop)
}

/// Prints to stdout.
pub fn print(text: &str) -> Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).map_err(stdout_error)
}

fn stdout_error(source: io::Error) -> anyhow::Error {
    StdoutError { source }.into()
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
        assert!(refused.ends_with("it is a folder; name a file"), "{refused}");
        let missing = folder.path().join("no/out.tsv");
        assert!(matches!(Target::new(&missing), Err(TargetError::Io { .. })));
    }
}
