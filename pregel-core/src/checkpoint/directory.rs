//! A folder of checkpoints, and the lock on it.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{self, Entry, superstep_of};
use super::{CheckpointError, Damage};
use crate::io::{SaveError, is_temporary};

/// The file that is locked.
const LOCK: &str = "lock";

/// A folder that no other process writes to while this value lives.
#[derive(Debug)]
pub(super) struct Directory {
    path: PathBuf,
    /// The locked file; `None` if there is no such file or the file system has no locks. The
    /// system releases the lock when the file is closed, however the process ends.
    _lock: Option<File>,
}

impl Directory {
    /// A folder to write to. Created if missing; its parent must exist.
    ///
    /// # Errors
    /// [`CheckpointError::Directory`] if no file can be created in it,
    /// [`CheckpointError::Busy`] if another process uses it.
    pub fn to_write(path: &Path) -> Result<Self, CheckpointError> {
        let failed = |source| CheckpointError::Directory { path: path.to_owned(), source };
        match fs::create_dir(path) {
            Err(error) if !path.is_dir() => {
                let exists = error.kind() == io::ErrorKind::AlreadyExists;
                // "File exists" is not what is wrong: the path may be a file, or a link that
                // leads nowhere. Listing it gives that reason.
                let why = fs::read_dir(path).err().filter(|_| exists);
                return Err(failed(why.unwrap_or(error)));
            }
            _ => {}
        }
        // Creating a file is the only reliable test of whether the folder is writable.
        tempfile::tempfile_in(path).map_err(failed)?;
        let lock = path.join(LOCK);
        let file = check_regular(&lock)
            .and_then(|()| OpenOptions::new().create(true).truncate(false).write(true).open(&lock));
        let file = file.map_err(|source| CheckpointError::Directory { path: lock, source })?;
        let lock = locked(file, File::try_lock).map_err(|error| refusal(path, error))?;
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    /// A folder to read from, which may be read-only.
    ///
    /// # Errors
    /// [`CheckpointError::Directory`] if the lock cannot be opened or taken,
    /// [`CheckpointError::Busy`] if another process writes to it.
    pub fn to_read(path: &Path) -> Result<Self, CheckpointError> {
        let lock = path.join(LOCK);
        let lock = match check_regular(&lock).and_then(|()| File::open(&lock)) {
            Ok(file) => {
                locked(file, File::try_lock_shared).map_err(|error| refusal(path, error))?
            }
            // Checkpoints may have been copied without the lock.
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            // The folder itself may be the problem: it may be a file.
            Err(source) => {
                let path = if path.is_dir() { lock } else { path.to_owned() };
                return Err(CheckpointError::Directory { path, source });
            }
        };
        Ok(Self { path: path.to_owned(), _lock: lock })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Refuses a folder whose checkpoints a new run would destroy. Those that no manifest
    /// lists do not count: a run that was killed early left them, and nothing can resume them.
    pub fn check_free(&self) -> Result<(), CheckpointError> {
        match fs::symlink_metadata(self.path.join(manifest::NAME)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            _ => Err(CheckpointError::Occupied { path: self.path.clone() }),
        }
    }

    /// The complete checkpoints, the newest first; never empty.
    pub fn entries(&self) -> Result<Vec<Entry>, CheckpointError> {
        let empty = || CheckpointError::Empty { path: self.path.clone() };
        manifest::read(&self.path)?.ok_or_else(empty)
    }

    /// Makes these the checkpoints that the manifest lists, then removes all others and any
    /// temporary files.
    pub fn publish(&self, entries: &[Entry]) -> Result<(), SaveError> {
        self.sync()?;
        manifest::write(&self.path, entries)?;
        self.sync()?;
        let listed = |file: &str| entries.iter().any(|entry| entry.file() == file);
        let failed = |source| SaveError::Io { path: self.path.clone(), source };
        for file in self.files().map_err(failed)? {
            let unlisted = superstep_of(&file).is_some() && !listed(&file);
            if unlisted || is_temporary(&file) {
                let path = self.path.join(file);
                fs::remove_file(&path).map_err(|source| SaveError::Io { path, source })?;
            }
        }
        Ok(())
    }

    /// Syncs the folder itself, so that renamed files survive a power failure.
    fn sync(&self) -> Result<(), SaveError> {
        // On other systems a folder cannot be opened as a file.
        if cfg!(unix) {
            let synced = File::open(&self.path).and_then(|folder| folder.sync_all());
            return synced.map_err(|source| SaveError::Io { path: self.path.clone(), source });
        }
        Ok(())
    }

    /// The names of all files, except those that are not UTF-8.
    fn files(&self) -> io::Result<impl Iterator<Item = String> + use<>> {
        let files: io::Result<Vec<fs::DirEntry>> = fs::read_dir(&self.path)?.collect();
        Ok(files?.into_iter().filter_map(|file| file.file_name().into_string().ok()))
    }

    /// The path of a checkpoint.
    pub fn path_of(&self, entry: &Entry) -> PathBuf {
        self.path.join(entry.file())
    }
}

/// Refuses anything that exists and is not a regular file: opening a pipe would block until its
/// other end is opened.
pub(super) fn check_regular(path: &Path) -> io::Result<()> {
    match fs::metadata(path) {
        Ok(known) if !known.is_file() => Err(io::Error::other("this is not a regular file")),
        // A missing file may be created, and opening it reports any other problem.
        _ => Ok(()),
    }
}

/// The file, locked; `None` if its file system has no locks.
fn locked(
    file: File,
    lock: impl FnOnce(&File) -> Result<(), TryLockError>,
) -> Result<Option<File>, TryLockError> {
    match lock(&file) {
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(None),
        result => result.map(|()| Some(file)),
    }
}

fn refusal(path: &Path, error: TryLockError) -> CheckpointError {
    let path = path.to_owned();
    match error {
        TryLockError::WouldBlock => CheckpointError::Busy { path },
        TryLockError::Error(source) => CheckpointError::Directory { path, source },
    }
}

/// Whether the checkpoint is damaged for good, so that an older one may be used. A checkpoint
/// of another version is not damaged, and one that cannot be read now may be readable later.
pub(super) fn is_damage(error: &CheckpointError) -> bool {
    let CheckpointError::Damaged { problem, .. } = error else { return false };
    match problem {
        Damage::Version { .. } => false,
        Damage::Io(error) => error.kind() == io::ErrorKind::NotFound,
        _ => true,
    }
}
