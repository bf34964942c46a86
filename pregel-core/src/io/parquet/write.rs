//! Tables of results.

use std::io;
use std::path::Path;
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
use crate::io::{SaveError, write_file};

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
        }
    }

    fn schema(&self) -> &'static str {
        match self {
            Self::I32(_) => "int32 value",
            Self::I64(_) => "int64 value",
            Self::U32(_) => "int32 value (INTEGER(32,false))",
            Self::U64(_) => "int64 value (INTEGER(64,false))",
            Self::F32(_) => "float value",
            Self::F64(_) => "double value",
        }
    }
}

/// Writes the columns `id` and `value`, one row a vertex.
///
/// # Errors
/// [`SaveError`] when there are not as many values as ids or the file cannot
/// be written; `path` is then as it was before.
pub fn write_table(path: &Path, ids: &Ids, values: Values<'_>) -> Result<(), SaveError> {
    let (count, found) = (ids.len() as usize, values.len());
    if count != found {
        let (ids, values) = (count as u64, found as u64);
        return Err(SaveError::Rows { path: path.to_owned(), ids, values });
    }
    let named = matches!(ids.parts(), IdParts::Names { .. });
    let id = if named { "binary id (STRING)" } else { "int64 id (INTEGER(64,false))" };
    let schema = format!("message results {{ required {id}; required {}; }}", values.schema());
    write_file(path, |to| {
        let schema = Arc::new(parse_message_type(&schema).map_err(as_io)?);
        let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
        let mut writer =
            SerializedFileWriter::new(to, schema, Arc::new(properties)).map_err(as_io)?;
        for start in (0..count).step_by(GROUP) {
            let range = start..count.min(start + GROUP);
            let mut group = writer.next_row_group().map_err(as_io)?;
            let rows = range.clone().map(|v| ids.get(v as u32));
            match named {
                true => {
                    let names: Vec<ByteArray> =
                        rows.map(|id| id.to_string().into_bytes().into()).collect();
                    column::<ByteArrayType, _>(&mut group, &names)?;
                }
                false => {
                    let integer = |id| match id {
                        Id::Integer(id) => id as i64,
                        Id::Name(_) => 0,
                    };
                    column::<Int64Type, _>(&mut group, &rows.map(integer).collect::<Vec<_>>())?;
                }
            }
            match values {
                Values::I32(all) => column::<Int32Type, _>(&mut group, &all[range]),
                Values::I64(all) => column::<Int64Type, _>(&mut group, &all[range]),
                Values::U32(all) => {
                    column::<Int32Type, _>(&mut group, bytemuck::cast_slice(&all[range]))
                }
                Values::U64(all) => {
                    column::<Int64Type, _>(&mut group, bytemuck::cast_slice(&all[range]))
                }
                Values::F32(all) => column::<FloatType, _>(&mut group, &all[range]),
                Values::F64(all) => column::<DoubleType, _>(&mut group, &all[range]),
            }?;
            group.close().map_err(as_io)?;
        }
        writer.close().map(drop).map_err(as_io)
    })
}

/// Writes the next column of a row group.
fn column<T: DataType, W: io::Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: &[T::T],
) -> io::Result<()> {
    let column = group.next_column().map_err(as_io)?;
    let mut column = column.ok_or_else(|| io::Error::other("a column too many"))?;
    column.typed::<T>().write_batch(values, None, None).map_err(as_io)?;
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
