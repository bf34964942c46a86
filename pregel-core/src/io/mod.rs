//! Reading and writing graphs.
//!
//! [`load`] finds the format by content and name, undoes gzip, xz or zstd,
//! parses with all cores and builds a [`Graph`]; [`save`] writes one. The
//! formats are described byte by byte in `docs/formats.md`.
//!
//! A new format is one file with a [`registry::Reader`], one line in
//! [`registry::READERS`] and one fixture in the tests.

mod assemble;
mod detect;
mod error;
pub mod graphalytics;
mod ids;
mod input;
mod options;
mod registry;
mod snapshot;
mod text;
mod write;

use std::path::Path;

pub use error::{LineError, LoadError, ParquetError, PropertyError, SaveError, SnapshotError};
pub use options::{AnyGraph, Format, IdKind, LoadOptions, Loaded, Weights};
pub use write::{save, save_format, write_file};

use input::Input;

/// Reads a graph from `path`.
///
/// For LDBC Graphalytics `path` is the `.properties`, `.v` or `.e` file, or
/// what their names have in common.
///
/// The file is mapped into memory: no other process may cut it short
/// meanwhile, or the system ends this one.
///
/// # Errors
/// [`LoadError`] names the file, the line and what was expected.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let path = &detect::resolve(path);
    let input = Input::open(path, options)?;
    let format = match options.format {
        Some(format) => format,
        None => detect::format(&input)?,
    };
    registry::reader(format, path)?.read(&input, options)
}

/// Reads a graph from bytes in memory, uncompressed; errors call the file
/// `<bytes>`. A format of several files has an entry of its own
/// ([`graphalytics::parse_bytes`]).
///
/// # Errors
/// [`LoadError`], never a panic, whatever the bytes.
pub fn parse_bytes(
    format: Format,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let input = Input::borrowed(Path::new("<bytes>"), bytes);
    registry::reader(format, &input.path)?.read(&input, options)
}
