//! Tables of results.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::Compression;
use ::parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::parser::parse_message_type;

use crate::graph::{Id, IdParts, Ids};
use crate::program::VertexId;

/// Rows that are compressed together.
const GROUP: usize = 1 << 20;

/// The values of all vertices, in the order of the dense ids.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Values<'a> {
    /// Signed integers of 32 bits.
    I32(&'a [i32]),
    /// Signed integers of 64 bits.
    I64(&'a [i64]),
    /// Unsigned integers of 32 bits.
    U32(&'a [u32]),
    /// Unsigned integers of 64 bits.
    U64(&'a [u64]),
    /// Floats of 32 bits.
    F32(&'a [f32]),
    /// Floats of 64 bits.
    F64(&'a [f64]),
    /// Vertices, written by their ids; null where there is no such vertex.
    Vertices(&'a [VertexId]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::I32(values) => values.len(),
            Self::I64(values) => values.len(),
            Self::U32(values) => values.len(),
            Self::U64(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
            Self::Vertices(values) => values.len(),
        }
    }

    /// The type of the column, as a schema has it, with its `name`.
    fn schema(&self, name: &str, ids: &Ids) -> String {
        let (physical, logical) = match self {
            Self::I32(_) => ("int32", ""),
            Self::I64(_) => ("int64", ""),
            Self::U32(_) => ("int32", " (INTEGER(32,false))"),
            Self::U64(_) => ("int64", " (INTEGER(64,false))"),
            Self::F32(_) => ("float", ""),
            Self::F64(_) => ("double", ""),
            Self::Vertices(_) => return format!("optional {}", id_schema(name, ids)),
        };
        format!("required {physical} {name}{logical}")
    }
}

fn has_names(ids: &Ids) -> bool {
    matches!(ids.parts(), IdParts::Names { .. })
}

fn id_schema(name: &str, ids: &Ids) -> String {
    if has_names(ids) {
        format!("binary {name} (STRING)")
    } else {
        format!("int64 {name} (INTEGER(64,false))")
    }
}

/// Writes the column `id` and the `columns` by their names (letters, digits,
/// underscores), one row per vertex.
///
/// # Errors
/// If `to` cannot be written, a name is not allowed, or a column does not have
/// as many values as there are ids.
pub fn write_columns(
    to: impl io::Write + Send,
    ids: &Ids,
    columns: &[(&str, Values<'_>)],
) -> io::Result<()> {
    let count = ids.len() as usize;
    let mut schema = format!("message results {{ required {};", id_schema("id", ids));
    for (name, values) in columns {
        if values.len() != count {
            return Err(io::Error::other(format!(
                "column {name} does not have one value per vertex"
            )));
        }
        schema += &format!(" {};", values.schema(name, ids));
    }
    let schema = Arc::new(parse_message_type(&(schema + " }")).map_err(as_io)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut writer = SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(as_io)?;
    for start in (0..count).step_by(GROUP) {
        let rows = start..count.min(start + GROUP);
        let mut group = writer.next_row_group().map_err(as_io)?;
        let all: Vec<VertexId> = rows.clone().map(|v| v as VertexId).collect();
        vertices(&mut group, ids, &all, false)?;
        for (_, values) in columns {
            write(&mut group, ids, *values, rows.clone())?;
        }
        group.close().map_err(as_io)?;
    }
    writer.close().map(drop).map_err(as_io)
}

/// Writes some rows of one column.
fn write<W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    ids: &Ids,
    values: Values<'_>,
    rows: Range<usize>,
) -> io::Result<()> {
    match values {
        Values::I32(all) => column::<Int32Type, _>(group, &all[rows], None),
        Values::I64(all) => column::<Int64Type, _>(group, &all[rows], None),
        Values::U32(all) => column::<Int32Type, _>(group, bytemuck::cast_slice(&all[rows]), None),
        Values::U64(all) => column::<Int64Type, _>(group, bytemuck::cast_slice(&all[rows]), None),
        Values::F32(all) => column::<FloatType, _>(group, &all[rows], None),
        Values::F64(all) => column::<DoubleType, _>(group, &all[rows], None),
        Values::Vertices(all) => vertices(group, ids, &all[rows], true),
    }
}

/// Writes the ids of `vertices`; with `optional` some may be no vertices.
fn vertices<W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    ids: &Ids,
    vertices: &[VertexId],
    optional: bool,
) -> io::Result<()> {
    let is_vertex = |v: &VertexId| *v < ids.len();
    let present: Vec<i16> = vertices.iter().map(|v| i16::from(is_vertex(v))).collect();
    let present = optional.then_some(&present[..]);
    let there = vertices.iter().copied().filter(is_vertex).map(|v| ids.get(v));
    if has_names(ids) {
        let names: Vec<ByteArray> = there.map(|id| id.to_string().into_bytes().into()).collect();
        return column::<ByteArrayType, _>(group, &names, present);
    }
    let integer = |id| match id {
        Id::Integer(id) => id as i64, // the same 64 bits, read as unsigned
        Id::Name(_) => 0,
    };
    column::<Int64Type, _>(group, &there.map(integer).collect::<Vec<_>>(), present)
}

/// Writes the next column of a row group; `present` says which rows are not
/// null, if any may be.
fn column<T: DataType, W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> io::Result<()> {
    let column = group.next_column().map_err(as_io)?;
    let mut column = column.ok_or_else(|| io::Error::other("more columns than the schema has"))?;
    column.typed::<T>().write_batch(values, present, None).map_err(as_io)?;
    column.close().map_err(as_io)
}

fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
