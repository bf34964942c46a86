//! Temporary files, without a name where the system can do that.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{NamedTempFile, TempPath};

/// How the name of a temporary file begins.
const PREFIX: &str = ".pregel-";

/// Temporary files that have a name now.
static NAMED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the temporary files of all writes that are under way, which then
/// fail. For a program that is about to end by a signal; it need not be
/// called on Linux, unless for file systems without files that have no name.
pub fn remove_temporary_files() {
    let named = std::mem::take(&mut *NAMED.lock().unwrap_or_else(PoisonError::into_inner));
    for path in named {
        // What is gone already needs no removing.
        let _ = std::fs::remove_file(path);
    }
}

/// Whether this is the name of a temporary file.
pub(crate) fn is_temporary(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// A file that is removed unless it gets its place.
pub(super) enum Temporary {
    #[cfg(target_os = "linux")]
    Unnamed {
        file: File,
        folder: PathBuf,
    },
    Named(Named),
}

impl Temporary {
    pub fn new(folder: &Path) -> io::Result<Self> {
        #[cfg(target_os = "linux")]
        if let Some(file) = linux::unnamed(folder) {
            return Ok(Self::Unnamed { file, folder: folder.to_owned() });
        }
        Named::new(folder).map(Self::Named)
    }

    pub fn as_file(&self) -> &File {
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed { file, .. } => file,
            Self::Named(named) => named.file.as_file(),
        }
    }

    /// Puts the file in the place of `target`, once its bytes are on the disk: some
    /// file systems report a failed write only then.
    pub fn persist(self, target: &Path) -> io::Result<()> {
        self.as_file().sync_all()?;
        match self {
            #[cfg(target_os = "linux")]
            Self::Unnamed { file, folder } => linux::persist(&file, &folder, target),
            Self::Named(named) => named.persist(target),
        }
    }
}

/// A temporary file with a name that [`remove_temporary_files`] knows.
pub(super) struct Named {
    file: NamedTempFile,
    registered: Registered,
}

/// A name in [`NAMED`]; it is taken out at the end.
struct Registered(PathBuf);

impl Registered {
    fn new(path: &Path) -> Self {
        NAMED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
        Self(path.to_owned())
    }
}

impl Drop for Registered {
    fn drop(&mut self) {
        NAMED.lock().unwrap_or_else(PoisonError::into_inner).retain(|path| *path != self.0);
    }
}

impl Named {
    fn new(folder: &Path) -> io::Result<Self> {
        let mut builder = tempfile::Builder::new();
        builder.prefix(PREFIX);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // What the process may not give away is masked by the system.
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder)?;
        let registered = Registered::new(file.path());
        Ok(Self { file, registered })
    }

    fn persist(self, target: &Path) -> io::Result<()> {
        let Self { file, registered } = self;
        let persisted = file.persist(target).map_err(|error| error.error);
        drop(registered);
        persisted.map(drop)
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::OpenOptions;
    use std::io::Seek;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{AtFlags, CWD, linkat};

    use super::*;

    /// A file in `folder` that has no name; `None` where the file system has
    /// no such files, or `/proc`, by which it gets one, is not there.
    pub fn unnamed(folder: &Path) -> Option<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).mode(0o666).custom_flags(libc::O_TMPFILE);
        let file = options.open(folder).ok()?;
        path_of(&file).exists().then_some(file)
    }

    fn path_of(file: &File) -> PathBuf {
        PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
    }

    /// Gives the file the name `target`. Where there is such a file already,
    /// it first gets another name for a moment, which is then renamed.
    pub fn persist(file: &File, folder: &Path, target: &Path) -> io::Result<()> {
        let link = |name: &Path| linkat(CWD, path_of(file), CWD, name, AtFlags::SYMLINK_FOLLOW);
        if link(target).is_ok() {
            return Ok(());
        }
        let named = tempfile::Builder::new().prefix(PREFIX).make_in(folder, |name| Ok(link(name)?));
        let Ok(named) = named else { return copy(file, folder, target) };
        let path: TempPath = named.into_temp_path();
        let registered = Registered::new(&path);
        let persisted = path.persist(target).map_err(|error| error.error);
        drop(registered);
        persisted
    }

    /// The way where the system gives the file no name after all.
    fn copy(mut file: &File, folder: &Path, target: &Path) -> io::Result<()> {
        let named = Named::new(folder)?;
        named.file.as_file().set_permissions(file.metadata()?.permissions())?;
        file.rewind()?;
        io::copy(&mut file, &mut named.file.as_file())?;
        named.file.as_file().sync_all()?;
        named.persist(target)
    }
}
