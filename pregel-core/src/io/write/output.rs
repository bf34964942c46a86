//! Files that appear whole or not at all.

mod past_cache;
mod temporary;

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use temporary::Temporary;
pub(crate) use temporary::is_temporary;
pub use temporary::remove_temporary_files;

use crate::io::SaveError;
use crate::io::input::Compression;

/// Bytes collected before the system is called.
const BUFFER: usize = 1 << 20;

/// Writes a file through a temporary one in the same folder, which takes its
/// place at the end; compressed if the name ends in `.gz`, `.xz` or `.zst`.
/// Anything that is not a regular file (a pipe, a device) is written directly.
///
/// On Linux the temporary file has no name while it is written, where the
/// file system supports that: whatever ends the process, nothing is left
/// behind. Elsewhere it is named `.pregel-…`; see
/// [`remove_temporary_files`].
///
/// # Errors
/// [`SaveError`]; a regular file is then as it was before.
pub fn write_file(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), SaveError> {
    let compression = Compression::of_name(path);
    if let Some(kind) = compression.filter(|kind| !kind.is_built_in()) {
        return Err(SaveError::Feature { path: path.to_owned(), what: kind.name() });
    }
    fill(path, |file| compress(compression, file, write))
}

/// As [`write_file`], for a large file that is not read soon: writes it past the system's page
/// cache where possible. Does not compress.
///
/// # Errors
/// As [`write_file`].
pub(crate) fn write_file_past_cache(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> Result<(), SaveError> {
    fill(path, |file| past_cache::write(file, write))
}

fn fill(path: &Path, write: impl FnOnce(&File) -> io::Result<()>) -> Result<(), SaveError> {
    let failed = |source| SaveError::Io { path: path.to_owned(), source };
    let place = Place::of(path).map_err(failed)?;
    let piped = matches!(place, Place::Direct(_));
    let filled = place.fill(write);
    filled.map_err(|source| match source.kind() {
        io::ErrorKind::BrokenPipe if piped => SaveError::ReaderLeft { path: path.to_owned() },
        _ => failed(source),
    })
}

/// Where the bytes go.
enum Place {
    Direct(File),
    Renamed(Temporary, PathBuf),
}

impl Place {
    fn of(path: &Path) -> io::Result<Self> {
        let target = end_of_links(path)?;
        let existing = fs::metadata(&target).ok();
        if existing.as_ref().is_some_and(|known| !known.is_file()) {
            return OpenOptions::new().write(true).open(&target).map(Self::Direct);
        }
        let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let file = Temporary::new(folder.unwrap_or(Path::new(".")))?;
        if let Some(known) = existing {
            file.as_file().set_permissions(known.permissions())?;
        }
        Ok(Self::Renamed(file, target))
    }

    fn fill(self, write: impl FnOnce(&File) -> io::Result<()>) -> io::Result<()> {
        match self {
            Self::Direct(file) => write(&file),
            Self::Renamed(file, target) => {
                write(file.as_file())?;
                file.persist(&target)
            }
        }
    }
}

/// The most links that are followed, as on Linux.
const LINKS: usize = 40;

/// What `path` leads to, whether it exists or not: a link stays, and its target is
/// replaced or made.
fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let mut target = path.to_owned();
    for _ in 0..LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("")).join(next),
            // No link, or nothing at all.
            Err(_) => return Ok(target),
        }
    }
    // The links form a circle; the system says so.
    fs::canonicalize(path)
}

/// Runs `write` with a compressor between it and the file.
fn compress(
    kind: Option<Compression>,
    file: &File,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    let mut buffer = BufWriter::with_capacity(BUFFER, file);
    match kind {
        None => write(&mut buffer)?,
        #[cfg(feature = "gzip")]
        Some(Compression::Gzip) => {
            let mut encoder = flate2::write::GzEncoder::new(&mut buffer, Default::default());
            write(&mut encoder)?;
            encoder.finish()?;
        }
        #[cfg(feature = "xz")]
        Some(Compression::Xz) => {
            let mut encoder = liblzma::write::XzEncoder::new(&mut buffer, 6);
            write(&mut encoder)?;
            encoder.finish()?;
        }
        #[cfg(feature = "zstd")]
        Some(Compression::Zstd) => {
            let mut encoder = zstd::Encoder::new(&mut buffer, 0)?;
            write(&mut encoder)?;
            encoder.finish()?;
        }
        #[allow(unreachable_patterns, reason = "reached when a feature is off")]
        Some(_) => return Err(io::ErrorKind::Unsupported.into()),
    }
    buffer.flush()
}
