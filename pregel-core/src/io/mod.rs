//! Reading and writing graphs.
//!
//! [`load`] finds the format by content and name, undoes gzip, xz or zstd,
//! parses with all cores and builds a graph; [`save`] writes one. The
//! formats are described byte by byte in `docs/formats.md`.
//!
//! A new format is one file that implements `registry::Reader`, one line in
//! `registry::READERS` and one fixture in the tests.

mod assemble;
mod columns;
mod detect;
mod error;
pub mod graphalytics;
mod ids;
mod input;
mod note;
mod options;
#[cfg(feature = "parquet")]
pub mod parquet;
mod registry;
mod snapshot;
mod text;
mod write;

use std::path::Path;

pub use columns::{Column, Columns, ColumnsError, Header};
pub use error::{LineError, LoadError, ParquetError, PropertyError, SaveError, SnapshotError};
pub use note::Note;
pub use options::{AnyGraph, Format, IdKind, LoadOptions, Loaded, Saved, Weights};
pub use write::{save, save_format, write_file};

use input::Input;
use registry::Content;

use crate::graph::{EdgeList, Ids};

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
    let (input, format) = open(path, options)?;
    registry::reader(format, &input.path)?.read(&input, options)?.build(
        &input.path,
        format,
        options,
    )
}

/// Reads the edges of a file and the ids of its vertices, without building a
/// graph and before the policies for direction, duplicates and self-loops.
/// The list has no values if the file has no weights or they are not wanted.
///
/// # Errors
/// [`LoadError`], as [`load`]; a snapshot holds no list and is
/// [`LoadError::NoEdgeList`].
pub fn load_edges(path: &Path, options: &LoadOptions) -> Result<(EdgeList<f32>, Ids), LoadError> {
    let (input, format) = open(path, options)?;
    match registry::reader(format, &input.path)?.read(&input, options)? {
        Content::Edges(parsed) => Ok(parsed.into_list()),
        Content::Graph(..) => Err(LoadError::NoEdgeList { path: input.path }),
    }
}

/// The file in memory and its format.
fn open(path: &Path, options: &LoadOptions) -> Result<(Input<'static>, Format), LoadError> {
    let input = Input::open(&detect::resolve(path), options)?;
    let format = options.format.unwrap_or_else(|| detect::format(&input));
    Ok((input, format))
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
    let content = registry::reader(format, &input.path)?.read(&input, options)?;
    content.build(&input.path, format, options)
}
