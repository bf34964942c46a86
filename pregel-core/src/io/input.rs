//! Files in memory: mapped, or decompressed.

use std::fs::File;
use std::io::{BufReader, Read, Seek};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;

use super::{LoadError, LoadOptions};

/// What a compressed file may always grow to, in bytes.
const DECOMPRESSED_FLOOR: u64 = 64 << 20;
/// What a compressed file may grow by; graphs as text shrink 3 to 30 times.
const DECOMPRESSED_RATIO: u64 = 256;

/// The bytes of a file, uncompressed.
pub(super) struct Input<'a> {
    pub path: PathBuf,
    pub bytes: Bytes<'a>,
}

/// Where the bytes are.
pub(super) enum Bytes<'a> {
    Mapped(Arc<Mmap>),
    Owned(Vec<u8>),
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

impl Input<'static> {
    /// Maps a file, or decompresses it if its first bytes say that it is
    /// compressed; what cannot be mapped (a pipe) is read.
    pub fn open(path: &Path, options: &LoadOptions) -> Result<Self, LoadError> {
        let io = |source| LoadError::Io { path: path.to_owned(), source };
        let mut file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        let bytes = if !metadata.is_file() {
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(io)?;
            match Compression::of(&bytes) {
                Some(kind) => {
                    let length = bytes.len() as u64;
                    Bytes::Owned(kind.undo(path, &bytes[..], length, options)?)
                }
                None => Bytes::Owned(bytes),
            }
        } else if metadata.len() == 0 {
            Bytes::Owned(Vec::new())
        } else {
            let mut head = Vec::new();
            file.by_ref().take(6).read_to_end(&mut head).map_err(io)?;
            file.rewind().map_err(io)?;
            match Compression::of(&head) {
                Some(kind) => Bytes::Owned(kind.undo(path, file, metadata.len(), options)?),
                // SAFETY: the map is only read. That no process changes the
                // file meanwhile is what `load` asks of its caller.
                None => Bytes::Mapped(Arc::new(unsafe { Mmap::map(&file) }.map_err(io)?)),
            }
        };
        Ok(Self { path: path.to_owned(), bytes })
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

    /// By the last suffix of a name.
    pub fn of_name(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
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

    /// Decompresses everything, up to the limit.
    fn undo(
        self,
        path: &Path,
        from: impl Read,
        length: u64,
        options: &LoadOptions,
    ) -> Result<Vec<u8>, LoadError> {
        let limit = decompressed_limit(length, options);
        let damaged = |source| {
            let path = path.to_owned();
            LoadError::Compressed { path, kind: self.name(), source }
        };
        let mut bytes = Vec::new();
        let mut from = match self.decoder(from).map_err(damaged)? {
            Some(decoder) => decoder.take(limit.saturating_add(1)),
            None => return Err(LoadError::Feature { path: path.to_owned(), what: self.name() }),
        };
        from.read_to_end(&mut bytes).map_err(damaged)?;
        if bytes.len() as u64 > limit {
            return Err(LoadError::TooLong { path: path.to_owned(), limit });
        }
        Ok(bytes)
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
            _ => Ok(None),
        }
    }
}
