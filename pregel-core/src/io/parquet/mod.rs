//! Parquet tables of edges, and tables of results.

mod columns;
mod edges;
mod pages;
mod write;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use ::parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use bytes::Bytes;
use memmap2::Mmap;
use rayon::prelude::*;

use columns::{Group, Ids as IdColumn, find_columns};
use edges::DIRECTED;
pub(super) use edges::write_edges;
pub use write::{Values, write_columns};

use super::assemble::Parsed;
use super::ids::compact;
use super::input::{Bytes as FileBytes, Input, decompressed_limit};
use super::registry::{Content, Reader};
use super::text::NameTable;
use super::{Format, LoadError, LoadOptions, Note, ParquetError, Weights};

/// Reads [`Format::Parquet`].
pub(super) struct Parquet;

/// A mapped file as an owner of bytes.
struct Mapped(Arc<Mmap>);

impl AsRef<[u8]> for Mapped {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// A file in memory as an owner of bytes.
struct Owned(Arc<Vec<u8>>);

impl AsRef<[u8]> for Owned {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Reader for Parquet {
    fn format(&self) -> Format {
        Format::Parquet
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["parquet"]
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let bytes = match &input.bytes {
            FileBytes::Mapped(map) => Bytes::from_owner(Mapped(Arc::clone(map))),
            FileBytes::Owned(bytes) => Bytes::from_owner(Owned(Arc::clone(bytes))),
            FileBytes::Borrowed(bytes) => Bytes::copy_from_slice(bytes),
        };
        let failed = |problem| LoadError::Parquet { path: input.path.clone(), problem };
        // The crate parquet panics on some damaged files (60.1.0, found by
        // our fuzz target); nothing that it touched is used afterwards.
        let table = catch_unwind(AssertUnwindSafe(|| read_table(bytes, options)));
        let table = table.unwrap_or_else(|panic| Err(given_up(&*panic))).map_err(failed)?;
        let (edges, ids) = match table.ends {
            Ends::Integers(edges) => compact(&input.path, edges, &[])?,
            Ends::Names([sources, targets]) => {
                let mut names = NameTable::default();
                let mut edges = Vec::with_capacity(sources.len());
                for (source, target) in sources.iter().zip(&targets) {
                    // Checked when the column was read.
                    let ends = [source, target].map(|name| names.vertex(name.data().into()));
                    if let [Ok(source), Ok(target)] = ends {
                        edges.push([source, target]);
                    }
                }
                (edges, names.finish(&input.path)?)
            }
        };
        let mut parsed = Parsed::new(edges, table.weights, ids);
        parsed.undirected = table.undirected;
        parsed.notes.extend(table.note);
        Ok(Content::Edges(parsed))
    }
}

/// The columns of interest of all row groups.
struct Table {
    ends: Ends,
    weights: Option<Vec<f32>>,
    /// The file says so; those of other programs say nothing.
    undirected: bool,
    note: Option<Note>,
}

enum Ends {
    Integers(Vec<[u64; 2]>),
    Names([Vec<::parquet::data_type::ByteArray>; 2]),
}

/// The error of a panic in the crate parquet.
fn given_up(panic: &(dyn Any + Send)) -> ParquetError {
    let message = panic.downcast_ref::<&str>().copied();
    let message = message.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    ParquetError::Damaged(message.unwrap_or("the decoder gave up").to_owned())
}

fn damaged(error: ::parquet::errors::ParquetError) -> ParquetError {
    ParquetError::Damaged(error.to_string())
}

fn read_table<R: ChunkReader + 'static>(
    file: R,
    options: &LoadOptions,
) -> Result<Table, ParquetError> {
    let limit = decompressed_limit(file.len(), options);
    let reader = SerializedFileReader::new(file).map_err(damaged)?;
    let metadata = reader.metadata();
    let schema = metadata.file_metadata().schema_descr();
    let mut columns = find_columns(schema, options.columns.as_ref(), limit)?;
    let note = columns.note.take();
    let weights = columns.weight.as_ref().filter(|_| options.weights == Weights::Auto);

    let mut next = 0u64;
    let groups: Vec<(usize, u64)> = (0..metadata.num_row_groups())
        .map(|group| {
            let first = next;
            // Only for messages, and not to be trusted.
            let rows = metadata.row_group(group).num_rows().unsigned_abs();
            next = next.saturating_add(rows).min(u64::MAX >> 1);
            (group, first)
        })
        .collect();
    let parts: Vec<Result<Group, ParquetError>> = groups
        .into_par_iter()
        .map(|(group, first)| {
            let rows = reader.get_row_group(group).map_err(damaged)?;
            Group::read(&*rows, &columns, weights, first)
        })
        .collect();

    let (ends, kept) = (Ends::Integers(Vec::new()), weights.map(|_| Vec::new()));
    let said = metadata.file_metadata().key_value_metadata().into_iter().flatten();
    let mut directed = said.filter(|said| said.key == DIRECTED).map(|said| said.value.as_deref());
    let undirected = directed.next() == Some(Some("false"));
    let mut all = Table { ends, weights: kept, undirected, note };
    if columns.named {
        all.ends = Ends::Names([Vec::new(), Vec::new()]);
    }
    for part in parts {
        let part = part?;
        match (&mut all.ends, part.source, part.target) {
            (Ends::Integers(edges), IdColumn::Integers(source), IdColumn::Integers(target)) => {
                edges.extend(source.into_iter().zip(target).map(|(u, v)| [u, v]));
            }
            (Ends::Names(names), IdColumn::Names(source), IdColumn::Names(target)) => {
                names[0].extend(source);
                names[1].extend(target);
            }
            _ => return Err(ParquetError::Damaged("columns of different kinds".to_owned())),
        }
        if let (Some(all), Some(part)) = (&mut all.weights, part.weights) {
            all.extend(part);
        }
    }
    Ok(all)
}
