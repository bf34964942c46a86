//! Tables of results, and columns of any table.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use ::parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use ::parquet::errors::ParquetError;
use ::parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::{Type, TypePtr};

use crate::graph::{Id, IdParts, Ids};
use crate::program::VertexId;

/// Rows that are compressed together.
pub(super) const GROUP: usize = 1 << 20;

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

    /// The type of the column, with its `name`.
    fn schema(&self, name: &str, ids: &Ids) -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match self {
            Self::I32(_) => (Physical::INT32, None),
            Self::I64(_) => (Physical::INT64, None),
            Self::U32(_) => (Physical::INT32, Some(LogicalType::integer(32, false))),
            Self::U64(_) => (Physical::INT64, Some(LogicalType::integer(64, false))),
            Self::F32(_) => (Physical::FLOAT, None),
            Self::F64(_) => (Physical::DOUBLE, None),
            Self::Vertices(_) => return id_schema(name, ids, Repetition::OPTIONAL),
        };
        primitive(name, physical, logical, Repetition::REQUIRED)
    }
}

fn has_names(ids: &Ids) -> bool {
    matches!(ids.parts(), IdParts::Names { .. })
}

pub(super) fn id_schema(
    name: &str,
    ids: &Ids,
    repetition: Repetition,
) -> Result<TypePtr, ParquetError> {
    let (physical, logical) = if has_names(ids) {
        (Physical::BYTE_ARRAY, LogicalType::String)
    } else {
        (Physical::INT64, LogicalType::integer(64, false))
    };
    primitive(name, physical, Some(logical), repetition)
}

pub(super) fn primitive(
    name: &str,
    physical: Physical,
    logical: Option<LogicalType>,
    repetition: Repetition,
) -> Result<TypePtr, ParquetError> {
    let builder = Type::primitive_type_builder(name, physical);
    builder.with_logical_type(logical).with_repetition(repetition).build().map(Arc::new)
}

/// The schema of a table with these columns.
pub(super) fn schema(name: &str, fields: Vec<TypePtr>) -> io::Result<TypePtr> {
    let schema = Type::group_type_builder(name).with_fields(fields).build();
    schema.map(Arc::new).map_err(as_io)
}

/// How tables are written.
pub(super) fn properties() -> WriterPropertiesBuilder {
    WriterProperties::builder().set_compression(Compression::SNAPPY)
}

/// Writes the column `id` and the `columns` by their names, one row per vertex.
///
/// # Errors
/// If `to` cannot be written, or a column does not have as many values as there are ids.
pub fn write_columns(
    to: impl io::Write + Send,
    ids: &Ids,
    columns: &[(&str, Values<'_>)],
) -> io::Result<()> {
    let count = ids.len() as usize;
    let mut fields = vec![id_schema("id", ids, Repetition::REQUIRED).map_err(as_io)?];
    for (name, values) in columns {
        if values.len() != count {
            return Err(io::Error::other(format!(
                "column {name} does not have one value per vertex"
            )));
        }
        fields.push(values.schema(name, ids).map_err(as_io)?);
    }
    let (schema, properties) = (schema("results", fields)?, Arc::new(properties().build()));
    let mut writer = SerializedFileWriter::new(to, schema, properties).map_err(as_io)?;
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
pub(super) fn vertices<W: io::Write + Send>(
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
pub(super) fn column<T: DataType, W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> io::Result<()> {
    let column = group.next_column().map_err(as_io)?;
    let mut column = column.ok_or_else(|| io::Error::other("more columns than the schema has"))?;
    column.typed::<T>().write_batch(values, present, None).map_err(as_io)?;
    column.close().map_err(as_io)
}

pub(super) fn as_io(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => match source.downcast::<io::Error>() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    }
}
