//! Tar archives that hold a Matrix Market file, as the SuiteSparse Matrix
//! Collection ships them: one member is read, and nothing is written to disk.

use std::path::{Path, PathBuf};

#[cfg(feature = "tar")]
use super::ArchiveError;
use super::input::Input;
use super::{LoadError, Note};

/// Length of a header, in bytes.
pub(super) const BLOCK: usize = 512;
/// Where a header says that it is one.
const MAGIC: std::ops::Range<usize> = 257..262;
/// The most members that an error lists.
#[cfg(feature = "tar")]
const LISTED: usize = 20;

/// Whether a file that begins with `head` is a tar archive.
pub(super) fn is_tar(head: &[u8]) -> bool {
    head.get(MAGIC).is_some_and(|magic| magic == b"ustar")
}

/// The member of an archive that is read.
pub(super) struct Member {
    /// Its path is that of the archive, followed by the name of the member.
    pub input: Input<'static>,
    pub archive: PathBuf,
    /// There are others like it.
    pub note: Option<Note>,
}

/// Why there is no member.
pub(super) enum Failure {
    /// The archive is damaged or cannot be read.
    Damaged(std::io::Error),
    Other(LoadError),
}

#[cfg(not(feature = "tar"))]
pub(super) fn read(path: &Path, _from: &mut dyn std::io::Read) -> Result<Member, Failure> {
    Err(Failure::Other(LoadError::Feature { path: path.to_owned(), what: "tar" }))
}

/// Reads the archive to its end, one member after the other, and keeps the
/// one that holds the matrix: the `.mtx` file with the name of its folder or
/// of the archive, otherwise the only `.mtx` file. At most one member is in
/// memory, and memory grows with what comes out of `from`, never with a
/// length in a header. Links, folders, devices and sparse files are not looked
/// into.
#[cfg(feature = "tar")]
pub(super) fn read(path: &Path, from: &mut dyn std::io::Read) -> Result<Member, Failure> {
    use std::io::Read;

    let mut search = Search::new(path);
    let mut archive = tar::Archive::new(&mut *from);
    for entry in archive.entries().map_err(Failure::Damaged)? {
        let mut entry = entry.map_err(Failure::Damaged)?;
        if !matches!(entry.header().entry_type(), tar::EntryType::Regular) {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        if search.wants(&name) {
            let mut bytes = Vec::new();
            entry.read_to_end(&mut bytes).map_err(Failure::Damaged)?;
            if bytes.len() as u64 != entry.size() {
                return Err(Failure::Damaged(std::io::ErrorKind::UnexpectedEof.into()));
            }
            search.kept = Some((name, bytes));
        }
    }
    // The checksum of compressed data comes after the archive.
    std::io::copy(from, &mut std::io::sink()).map_err(Failure::Damaged)?;
    search.finish().map_err(Failure::Other)
}

/// Which member to keep, decided as they come.
#[cfg(feature = "tar")]
struct Search<'a> {
    path: &'a Path,
    /// The archive's name without suffixes.
    stem: Option<String>,
    kept: Option<(String, Vec<u8>)>,
    /// Number of regular files, and the names of the first.
    files: u64,
    listed: Vec<String>,
    /// Number of `.mtx` files, and of those with a name that says which.
    matrices: u64,
    named: u64,
}

#[cfg(feature = "tar")]
impl<'a> Search<'a> {
    fn new(path: &'a Path) -> Self {
        let name = path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase());
        let stem = name.map(|mut name| {
            for suffix in [".gz", ".xz", ".zst", ".tgz", ".tar"] {
                name.truncate(name.strip_suffix(suffix).unwrap_or(&name).len());
            }
            name
        });
        let (kept, listed) = (None, Vec::new());
        Self { path, stem, kept, files: 0, listed, matrices: 0, named: 0 }
    }

    /// Counts a regular file; true if it is the best candidate so far.
    fn wants(&mut self, name: &str) -> bool {
        self.files += 1;
        if self.listed.len() < LISTED {
            self.listed.push(super::text::shown(name.as_bytes()));
        }
        let mut parts = name.rsplit('/');
        let file = parts.next().unwrap_or_default().to_ascii_lowercase();
        let Some(stem) = file.strip_suffix(".mtx") else { return false };
        self.matrices += 1;
        let is_folder = parts.next().is_some_and(|folder| folder.to_ascii_lowercase() == stem);
        if is_folder || self.stem.as_deref() == Some(stem) {
            self.named += 1;
            return self.named == 1;
        }
        self.matrices == 1
    }

    fn finish(self) -> Result<Member, LoadError> {
        let Self { path, kept, files, listed, matrices, named, .. } = self;
        let listed = listed.join(", ");
        let members = match files.saturating_sub(LISTED as u64) {
            _ if files == 0 => "no file".to_owned(),
            0 => listed,
            more => format!("{listed} and {more} more"),
        };
        let failed = |problem| LoadError::Archive { path: path.to_owned(), problem };
        if matrices > 1 && named != 1 {
            return Err(failed(ArchiveError::Ambiguous { members }));
        }
        let Some((name, bytes)) = kept else {
            return Err(failed(ArchiveError::NoMatrix { members }));
        };
        let member = super::text::shown(name.as_bytes());
        let note = (matrices > 1).then(|| Note::Member { member: member.clone(), matrices });
        let mut shown = path.as_os_str().to_owned();
        shown.push("/");
        shown.push(member);
        let input = Input { path: shown.into(), bytes: bytes.into() };
        Ok(Member { input, archive: path.to_owned(), note })
    }
}
