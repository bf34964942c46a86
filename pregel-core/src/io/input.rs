//! Files in memory: read, decompressed, or mapped where the caller asks.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytemuck::Pod;
use memmap2::Mmap;
use rayon::prelude::*;

use super::archive::{self, Failure, Member};
use super::{LoadError, LoadOptions, Note};
use crate::memory;

/// What a compressed file may always grow to, in bytes.
const DECOMPRESSED_FLOOR: u64 = 64 << 20;
/// How many times its size a compressed file may grow to; graphs as text shrink
/// 3 to 30 times.
const DECOMPRESSED_RATIO: u64 = 256;
/// How much of a file its format is found by, in bytes.
const HEAD: u64 = 64 << 10;
/// Bytes of a file that one task reads.
const READ_TOGETHER: usize = 4 << 20;

/// The bytes of a file, uncompressed.
pub(super) struct Input<'a> {
    pub path: PathBuf,
    pub bytes: Bytes<'a>,
}

/// Where the bytes are.
pub(super) enum Bytes<'a> {
    Mapped(Arc<Mmap>),
    Owned(Arc<Vec<u8>>),
    Borrowed(&'a [u8]),
}

impl Deref for Bytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Owned(bytes) => bytes,
            Self::Borrowed(bytes) => bytes,
        }
    }
}

impl From<Vec<u8>> for Bytes<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Owned(Arc::new(bytes))
    }
}

/// A regular file that is not compressed, of which only the head is read.
pub(super) struct Unread {
    pub path: PathBuf,
    pub length: u64,
    pub head: Vec<u8>,
    file: File,
}

/// A file that was opened.
pub(super) enum Opened<'a> {
    Unread(Unread),
    Whole(Input<'a>),
    Member(Member),
}

impl Opened<'static> {
    /// Opens a file. One that is compressed, and anything that is not a regular
    /// file (a pipe), is read to its end.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        if !metadata.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(io)?;
            let length = bytes.len() as u64;
            return match Compression::of(&bytes) {
                Some(kind) => kind.undo(path, &bytes[..], length, options),
                None if archive::is_tar(&bytes) => Self::unpack(path, &mut &bytes[..]),
                None => Ok(Self::Whole(Input { path: path.to_owned(), bytes: bytes.into() })),
            };
        }
        let length = metadata.len();
        let mut head = Vec::new();
        file.by_ref().take(HEAD).read_to_end(&mut head).map_err(io)?;
        if let Some(kind) = Compression::of(&head) {
            file.rewind().map_err(io)?;
            return kind.undo(path, file, length, options);
        }
        if archive::is_tar(&head) {
            file.rewind().map_err(io)?;
            return Self::unpack(path, &mut BufReader::with_capacity(1 << 16, file));
        }
        Ok(Self::Unread(Unread { path: path.to_owned(), length, head, file }))
    }

    /// The member of an archive that is not compressed.
    fn unpack(path: &Path, from: &mut dyn Read) -> Result<Self, LoadError> {
        archive::read(path, from).map(Self::Member).map_err(|failure| match failure {
            Failure::Damaged(source) => {
                LoadError::Compressed { path: path.to_owned(), kind: "tar", source }
            }
            Failure::Other(error) => error,
        })
    }

    /// Maps a regular file that is not compressed instead of reading it.
    ///
    /// # Safety
    /// No process may change the file or cut it short while the map lives.
    pub unsafe fn mapped(self) -> Result<Self, LoadError> {
        match self {
            Self::Unread(unread) if unread.length > 0 => {
                // SAFETY: the caller promises that the file does not change.
                let map = unsafe { Mmap::map(&unread.file) };
                let map = map.map_err(|source| unread.error(source))?;
                Ok(Self::Whole(Input { path: unread.path, bytes: Bytes::Mapped(Arc::new(map)) }))
            }
            other => Ok(other),
        }
    }
}

impl<'a> Opened<'a> {
    /// Bytes that are in memory already.
    pub fn borrowed(path: &Path, bytes: &'a [u8]) -> Result<Self, LoadError> {
        if archive::is_tar(bytes) {
            return Opened::unpack(path, &mut &bytes[..]);
        }
        Ok(Self::Whole(Input::borrowed(path, bytes)))
    }

    /// The archive that it is a member of, and what to say about that.
    pub fn member(&self) -> Option<(PathBuf, Option<Note>)> {
        match self {
            Self::Member(member) => Some((member.archive.clone(), member.note.clone())),
            _ => None,
        }
    }

    pub fn path(&self) -> &Path {
        match self {
            Self::Unread(unread) => &unread.path,
            Self::Whole(input) => &input.path,
            Self::Member(member) => &member.input.path,
        }
    }

    /// The first bytes, as far as the format is found by them.
    pub fn head(&self) -> &[u8] {
        let head: &[u8] = match self {
            Self::Unread(unread) => &unread.head,
            Self::Whole(input) => &input.bytes,
            Self::Member(member) => &member.input.bytes,
        };
        &head[..head.len().min(HEAD as usize)]
    }

    /// Reads what is not read yet.
    pub fn into_input(self) -> Result<Input<'a>, LoadError> {
        match self {
            Self::Unread(unread) => {
                let bytes = unread.section::<u8>(0, unread.length)?;
                Ok(Input { path: unread.path, bytes: bytes.into() })
            }
            Self::Whole(input) => Ok(input),
            Self::Member(member) => Ok(member.input),
        }
    }
}

impl Unread {
    /// Reads `length` bytes from byte `start` on as an array.
    ///
    /// # Errors
    /// When the file is shorter by now, the system refuses, or memory is out.
    pub fn section<T: Pod>(&self, start: u64, length: u64) -> Result<Vec<T>, LoadError> {
        let count = usize::try_from(length / size_of::<T>() as u64).ok();
        let values = count.and_then(memory::try_zeroed::<T>);
        let mut values = values.ok_or_else(|| self.error(io::ErrorKind::OutOfMemory.into()))?;
        let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut values);
        self.fill(bytes, start).map_err(|source| self.error(source))?;
        Ok(values)
    }

    /// Reads in parallel: copying from the system's cache takes longer than
    /// one core of it.
    #[cfg(unix)]
    fn fill(&self, bytes: &mut [u8], start: u64) -> io::Result<()> {
        use std::os::unix::fs::FileExt;
        bytes.par_chunks_mut(READ_TOGETHER).enumerate().try_for_each(|(i, part)| {
            self.file.read_exact_at(part, start + (i * READ_TOGETHER) as u64)
        })
    }

    #[cfg(not(unix))]
    fn fill(&self, bytes: &mut [u8], start: u64) -> io::Result<()> {
        let mut file = &self.file;
        file.seek(io::SeekFrom::Start(start))?;
        file.read_exact(bytes)
    }

    fn error(&self, source: io::Error) -> LoadError {
        LoadError::Io { path: self.path.clone(), source }
    }
}

impl Input<'static> {
    /// Opens a file and reads it.
    pub fn read(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        Opened::open(path, options)?.into_input()
    }
}

impl<'a> Input<'a> {
    /// Bytes that are in memory already.
    pub fn borrowed(path: &Path, bytes: &'a [u8]) -> Self {
        Self { path: path.to_owned(), bytes: Bytes::Borrowed(bytes) }
    }
}

/// How much may come out of a compressed file of `length` bytes.
pub(super) fn decompressed_limit(length: u64, options: &LoadOptions) -> u64 {
    let allowed = DECOMPRESSED_RATIO.saturating_mul(length).saturating_add(DECOMPRESSED_FLOOR);
    options.max_decompressed.unwrap_or(allowed)
}

/// How a file is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compression {
    Gzip,
    Xz,
    Zstd,
}

impl Compression {
    /// By the first bytes.
    fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ => None,
        }
    }

    /// By the last suffix of a name, in upper or lower case.
    pub fn of_name(path: &Path) -> Option<Self> {
        match &path.extension()?.to_str()?.to_ascii_lowercase()[..] {
            "gz" => Some(Self::Gzip),
            "xz" => Some(Self::Xz),
            "zst" => Some(Self::Zstd),
            _ => None,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
        }
    }

    /// Whether this build has it.
    pub fn is_built_in(self) -> bool {
        match self {
            Self::Gzip => cfg!(feature = "gzip"),
            Self::Xz => cfg!(feature = "xz"),
            Self::Zstd => cfg!(feature = "zstd"),
        }
    }

    /// Decompresses everything, up to the limit; of an archive, one member is kept.
    fn undo(
        self,
        path: &Path,
        from: impl Read,
        length: u64,
        options: &LoadOptions,
    ) -> Result<Opened<'static>, LoadError> {
        let limit = decompressed_limit(length, options);
        let damaged = |source| {
            let path = path.to_owned();
            LoadError::Compressed { path, kind: self.name(), source }
        };
        let mut from = match self.decoder(from).map_err(damaged)? {
            Some(decoder) => decoder.take(limit.saturating_add(1)),
            None => return Err(LoadError::Feature { path: path.to_owned(), what: self.name() }),
        };
        let mut bytes = Vec::new();
        from.by_ref().take(archive::BLOCK as u64).read_to_end(&mut bytes).map_err(damaged)?;
        let opened = if archive::is_tar(&bytes) {
            archive::read(path, &mut (&bytes[..]).chain(&mut from)).map(Opened::Member)
        } else {
            let read = from.read_to_end(&mut bytes).map_err(Failure::Damaged);
            read.map(|_| Opened::Whole(Input { path: path.to_owned(), bytes: bytes.into() }))
        };
        // What is cut off at the limit also looks damaged.
        if from.limit() == 0 {
            return Err(LoadError::TooLong { path: path.to_owned(), limit });
        }
        opened.map_err(|failure| match failure {
            Failure::Damaged(source) => damaged(source),
            Failure::Other(error) => error,
        })
    }

    /// A reader of the uncompressed bytes; `None` if this build lacks it.
    fn decoder<'r>(
        self,
        from: impl Read + 'r,
    ) -> Result<Option<Box<dyn Read + 'r>>, std::io::Error> {
        let from = BufReader::with_capacity(1 << 16, from);
        match self {
            #[cfg(feature = "gzip")]
            Self::Gzip => Ok(Some(Box::new(flate2::bufread::MultiGzDecoder::new(from)))),
            #[cfg(feature = "xz")]
            Self::Xz => Ok(Some(Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(from)))),
            #[cfg(feature = "zstd")]
            Self::Zstd => Ok(Some(Box::new(zstd::Decoder::with_buffer(from)?))),
            #[allow(unreachable_patterns, reason = "reached when a feature is off")]
            _ => {
                drop(from);
                Ok(None)
            }
        }
    }
}
