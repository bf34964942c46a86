//! Values as a Parquet table: `id`, `value`, perhaps `parent`.
//!
//! Integer ids are unsigned 64-bit, names are strings. An unreached level is
//! −1, as in text; a missing parent is null.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{
    ByteArray, ByteArrayType, DataType, DoubleType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::types::{Type, TypePtr};
use pregel_core::graph::{Id, Ids};
use pregel_core::program::VertexId;

use super::{Column, NO_VERTEX};

/// Rows of a row group.
const GROUP: usize = 1 << 20;

/// Writes the table.
pub fn write(out: &mut (dyn Write + Send), ids: &Ids, columns: &[Column]) -> io::Result<()> {
    table(out, ids, columns).map_err(io::Error::other)
}

fn table(out: &mut (dyn Write + Send), ids: &Ids, columns: &[Column]) -> Result<()> {
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut file = SerializedFileWriter::new(out, schema(ids, columns)?, Arc::new(properties))?;
    let n = ids.len() as usize;
    for first in (0..n).step_by(GROUP) {
        let rows = first..n.min(first + GROUP);
        let mut group = file.next_row_group()?;
        let all: Vec<VertexId> = rows.clone().map(|v| v as VertexId).collect();
        write_ids(&mut group, ids, &all, false)?;
        for column in columns {
            write_column(&mut group, ids, column, rows.clone())?;
        }
        group.close()?;
    }
    file.close().map(drop)
}

fn schema(ids: &Ids, columns: &[Column]) -> Result<TypePtr> {
    let mut fields = vec![id_field("id", ids, Repetition::REQUIRED)?];
    for (place, column) in columns.iter().enumerate() {
        let name = Column::heading(place);
        let physical = match column {
            Column::F32(_) => Physical::FLOAT,
            Column::F64(_) => Physical::DOUBLE,
            Column::Level(_) => Physical::INT32,
            Column::Vertex(_) => {
                fields.push(id_field(name, ids, Repetition::OPTIONAL)?);
                continue;
            }
        };
        let field = Type::primitive_type_builder(name, physical);
        fields.push(Arc::new(field.with_repetition(Repetition::REQUIRED).build()?));
    }
    Type::group_type_builder("result").with_fields(fields).build().map(Arc::new)
}

fn id_field(name: &str, ids: &Ids, repetition: Repetition) -> Result<TypePtr> {
    let (physical, logical) = match has_names(ids) {
        true => (Physical::BYTE_ARRAY, LogicalType::String),
        false => (Physical::INT64, LogicalType::integer(64, false)),
    };
    let field = Type::primitive_type_builder(name, physical).with_logical_type(Some(logical));
    field.with_repetition(repetition).build().map(Arc::new)
}

fn has_names(ids: &Ids) -> bool {
    !ids.is_empty() && matches!(ids.get(0), Id::Name(_))
}

type Group<'a, W> = SerializedRowGroupWriter<'a, W>;

/// Writes one column; `present` says which rows are not null, if any may be.
fn put<W: Write + Send, T: DataType>(
    group: &mut Group<'_, W>,
    values: &[T::T],
    present: Option<&[i16]>,
) -> Result<()> {
    let Some(mut column) = group.next_column()? else { return Ok(()) };
    column.typed::<T>().write_batch(values, present, None)?;
    column.close()
}

fn write_ids<W: Write + Send>(
    group: &mut Group<'_, W>,
    ids: &Ids,
    vertices: &[VertexId],
    optional: bool,
) -> Result<()> {
    let present: Vec<i16> = vertices.iter().map(|v| i16::from(*v != NO_VERTEX)).collect();
    let present = optional.then_some(&present[..]);
    let there = vertices.iter().filter(|v| **v != NO_VERTEX).map(|v| ids.get(*v));
    if has_names(ids) {
        let names: Vec<ByteArray> = there.map(|id| id.to_string().into_bytes().into()).collect();
        return put::<W, ByteArrayType>(group, &names, present);
    }
    let number = |id| match id {
        Id::Integer(id) => id as i64, // the same 64 bits, read as unsigned
        Id::Name(_) => 0,
    };
    put::<W, Int64Type>(group, &there.map(number).collect::<Vec<_>>(), present)
}

fn write_column<W: Write + Send>(
    group: &mut Group<'_, W>,
    ids: &Ids,
    column: &Column,
    rows: Range<usize>,
) -> Result<()> {
    match column {
        Column::F32(numbers) => put::<W, FloatType>(group, &numbers[rows], None),
        Column::F64(numbers) => put::<W, DoubleType>(group, &numbers[rows], None),
        Column::Level(levels) => {
            let levels: Vec<i32> = levels[rows].iter().map(|level| *level as i32).collect();
            put::<W, Int32Type>(group, &levels, None)
        }
        Column::Vertex(vertices) => write_ids(group, ids, &vertices[rows], true),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use parquet::file::reader::{FileReader, SerializedFileReader};

    use super::*;

    fn rows(ids: &Ids, columns: &[Column]) -> Vec<String> {
        let mut bytes = Vec::new();
        write(&mut bytes, ids, columns).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result.parquet");
        std::fs::write(&path, bytes).unwrap();
        let reader = SerializedFileReader::new(std::fs::File::open(path).unwrap()).unwrap();
        reader.get_row_iter(None).unwrap().map(|row| row.unwrap().to_string()).collect()
    }

    #[test]
    fn numbers_and_nulls() {
        let ids = Ids::range(u64::MAX - 2, 2);
        let level = Column::Level(vec![0, NO_VERTEX]);
        let parent = Column::Vertex(vec![NO_VERTEX, 0]);
        let expected = [
            "{id: 18446744073709551613, value: 0, parent: null}",
            "{id: 18446744073709551614, value: -1, parent: 18446744073709551613}",
        ];
        assert_eq!(rows(&ids, &[level, parent]), expected);
    }

    #[test]
    fn names() {
        let ids = Ids::names(b"ab".to_vec().into(), vec![1, 2].into()).unwrap();
        let table = rows(&ids, &[Column::F64(vec![0.5, f64::INFINITY])]);
        assert_eq!(table[0], "{id: \"a\", value: 0.5}");
        assert_eq!(table.len(), 2);
    }
}
