//! Reading and writing graphs.
//!
//! [`load`] finds the format by content and name, undoes gzip, xz or zstd,
//! parses with all cores and builds a graph; [`save`] writes one. The
//! formats are described byte by byte in `docs/formats.md`.
//!
//! To add a format, follow the steps in `ARCHITECTURE.md`.

mod archive;
mod assemble;
mod beside;
pub mod bvgraph;
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
mod values;
mod write;

use std::path::Path;

pub use columns::{Column, Columns, ColumnsError, Header};
pub use error::{
    ArchiveError, BvGraphError, LineError, LoadError, ParquetError, PropertyError, SaveError,
    SnapshotError,
};
pub use note::Note;
pub use options::{AnyGraph, Format, IdKind, LoadOptions, Loaded, Weights, Written};
pub(crate) use snapshot::checksum;
pub use values::{Values, ValuesError, read_values};
pub(crate) use write::{is_temporary, write_file_past_cache};
pub use write::{remove_temporary_files, save, save_format, write_file};

use input::Opened;
use registry::Content;

use crate::graph::{EdgeList, Ids};

/// Reads a graph from `path`.
///
/// Of a tar archive, compressed or not, the Matrix Market file is read that
/// has the name of its folder or of the archive, otherwise the only one.
///
/// For LDBC Graphalytics `path` is the `.properties`, `.v` or `.e` file, for a
/// BVGraph the `.properties` or `.graph` file, for both also what their names
/// have in common.
///
/// The file is read into memory, a snapshot into the arrays of the graph.
/// [`load_mapped`] saves that copy.
///
/// # Errors
/// [`LoadError`] names the file, the line and what was expected.
///
/// ```
/// use pregel_core::io::{self, LoadOptions};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("roads.csv");
/// std::fs::write(&path, "from,to,km\nRome,Ostia,30\nOstia,Anzio,45\n")?;
///
/// let loaded = io::load(&path, &LoadOptions::default().with_directed(false))?;
/// let graph = loaded.graph.weighted(); // or `plain()`, without the kilometres
/// assert_eq!((graph.vertex_count(), graph.out_values()[0]), (3, 30.0));
/// assert_eq!(graph.ids().find("Anzio"), Some(2));
/// // What the reader had to decide: that the first line is a header, for example.
/// assert!(loaded.notes.iter().any(|note| note.to_string().contains("header")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn load(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    load_opened(Opened::open(&detect::resolve(path), options)?, options)
}

/// Reads a graph from `path`, which is mapped into memory instead of read.
///
/// A snapshot then takes no memory of its own: its rows are used where they
/// lie in the file, which several processes can share. Text, Parquet and
/// snapshots are mapped; compressed files, pipes and graphs of several
/// files are read, as by [`load`].
///
/// # Errors
/// [`LoadError`], as [`load`].
///
/// # Safety
/// No process may change the file or cut it short during the call and, if it
/// is a snapshot, as long as the graph or a part of it lives: what was
/// checked once is read without checks afterwards. Replacing the file by
/// renaming another over it, as [`save`] does, is no change.
pub unsafe fn load_mapped(path: &Path, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let opened = Opened::open(&detect::resolve(path), options)?;
    let format = find_format(&opened, options);
    if matches!(format, Format::Graphalytics | Format::BvGraph) {
        return load_opened(opened, options);
    }
    // SAFETY: the caller promises that the file does not change.
    load_opened(unsafe { opened.mapped() }?, options)
}

fn load_opened(opened: Opened<'_>, options: &LoadOptions) -> Result<Loaded, LoadError> {
    let format = find_format(&opened, options);
    let path = opened.path().to_owned();
    let member = opened.member();
    let mut loaded = registry::read(format, opened, options)?.build(&path, format, options)?;
    if let Some((archive, note)) = member {
        loaded.files = vec![archive];
        loaded.notes.extend(note);
    }
    Ok(loaded)
}

/// Reads the edges of a file and the ids of its vertices, without building a
/// graph and before the policies for direction, duplicates and self-loops.
/// The list has no values if the file has no weights or they are not wanted;
/// with [`Weights::Unit`] each value is 1.
///
/// # Errors
/// [`LoadError`], as [`load`]; a snapshot holds no list and is
/// [`LoadError::NoEdgeList`].
pub fn load_edges(path: &Path, options: &LoadOptions) -> Result<(EdgeList<f32>, Ids), LoadError> {
    let opened = Opened::open(&detect::resolve(path), options)?;
    let format = find_format(&opened, options);
    let path = opened.path().to_owned();
    match registry::read(format, opened, options)? {
        Content::Edges(parsed) => parsed.into_list(&path, options),
        Content::Graph(..) => Err(LoadError::NoEdgeList { path }),
    }
}

/// The format in the options, otherwise the one that the file shows.
fn find_format(opened: &Opened<'_>, options: &LoadOptions) -> Format {
    options.format.unwrap_or_else(|| detect::format(opened.path(), opened.head()))
}

/// Reads a graph from bytes in memory, uncompressed; errors call the file
/// `<bytes>`. Of a tar archive the same member is read as by [`load`]. Formats
/// of several files have entries of their own ([`graphalytics::parse_bytes`],
/// [`bvgraph::parse_bytes`]).
///
/// # Errors
/// [`LoadError`], never a panic, whatever the bytes.
pub fn parse_bytes(
    format: Format,
    bytes: &[u8],
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let options = options.clone().with_format(format);
    load_opened(Opened::borrowed(Path::new("<bytes>"), bytes)?, &options)
}
