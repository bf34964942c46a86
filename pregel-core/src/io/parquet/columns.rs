//! Columns of a table of edges.

use std::sync::atomic::{AtomicU64, Ordering};

use ::parquet::basic::{ConvertedType, Type};
use ::parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use ::parquet::data_type::{ByteArray, DataType};
use ::parquet::file::reader::RowGroupReader;
use ::parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use super::damaged;
use super::pages::Checked;
use crate::io::columns::{Picked, WEIGHTS, key, pair, single};
use crate::io::text::shown;
use crate::io::{self, Note, ParquetError};

/// Values read at a time.
const BATCH: usize = 1 << 16;

/// Where a column is and how to read it.
pub(super) struct Column {
    pub index: usize,
    pub name: String,
    descriptor: ColumnDescPtr,
    /// Integers are unsigned.
    unsigned: bool,
    /// The most bytes that its values may take, in all row groups together.
    limit: u64,
    /// The bytes that the values read so far take, in all row groups together.
    taken: AtomicU64,
}

/// The columns of interest.
pub(super) struct Columns {
    pub source: Column,
    pub target: Column,
    pub weight: Option<Column>,
    /// Both ends are names.
    pub named: bool,
    /// What the user should hear about the choice.
    pub note: Option<Note>,
}

/// Finds the columns that the caller chose, otherwise those whose names say
/// what they are, otherwise takes the first two. The values of each may take
/// `limit` bytes.
pub(super) fn find_columns(
    schema: &SchemaDescriptor,
    chosen: Option<&io::Columns>,
    limit: u64,
) -> Result<Columns, ParquetError> {
    let names: Vec<String> = schema.columns().iter().map(|column| column.path().string()).collect();
    let keys: Vec<String> = names.iter().map(|name| key(name)).collect();
    let Picked { from, to, weight } = match chosen {
        Some(chosen) => chosen.find(Some(&names)).map_err(ParquetError::Chosen)?,
        None => {
            let first = (names.len() >= 2).then_some([0, 1]);
            let Some([from, to]) = pair(&keys).or(first) else {
                return Err(ParquetError::Columns { found: names });
            };
            let weight = single(&keys, |name| WEIGHTS.contains(&name));
            Picked { from, to, weight: weight.filter(|weight| ![from, to].contains(weight)) }
        }
    };
    // The obvious needs no note.
    let obvious =
        chosen.is_some() || pair(&keys).is_some() && names.len() == 2 + weight.iter().count();
    let note = (!obvious).then(|| Note::ColumnsByName {
        from: names[from].clone(),
        to: names[to].clone(),
        weight: weight.map(|weight| names[weight].clone()),
    });
    let column = |index: usize, expected, types: &[Type]| {
        let column = schema.column(index);
        let found = column.physical_type();
        if !types.contains(&found) || column.max_rep_level() != 0 || column.max_def_level() > 1 {
            let (column, found) = (column.path().string(), found.to_string());
            return Err(ParquetError::Type { column, expected, found });
        }
        let unsigned = matches!(
            column.converted_type(),
            ConvertedType::UINT_64
                | ConvertedType::UINT_32
                | ConvertedType::UINT_16
                | ConvertedType::UINT_8
        );
        let name = column.path().string();
        let taken = AtomicU64::new(0);
        Ok((Column { index, name, descriptor: column, unsigned, limit, taken }, found))
    };
    let ids = [Type::INT32, Type::INT64, Type::BYTE_ARRAY];
    let (source, kind) = column(from, "integers or strings", &ids)?;
    let named = kind == Type::BYTE_ARRAY;
    let (target, _) = if named {
        column(to, "strings, as in the other column", &ids[2..])?
    } else {
        column(to, "integers, as in the other column", &ids[..2])?
    };
    let numbers = [Type::FLOAT, Type::DOUBLE, Type::INT32, Type::INT64];
    let weight = weight.map(|index| column(index, "numbers", &numbers)).transpose()?;
    Ok(Columns { source, target, weight: weight.map(|(column, _)| column), named, note })
}

/// Ids of one row group.
pub(super) enum Ids {
    Integers(Vec<u64>),
    Names(Vec<ByteArray>),
}

impl Ids {
    fn len(&self) -> usize {
        match self {
            Self::Integers(ids) => ids.len(),
            Self::Names(names) => names.len(),
        }
    }
}

/// The columns of interest of one row group.
pub(super) struct Group {
    pub source: Ids,
    pub target: Ids,
    pub weights: Option<Vec<f32>>,
}

impl Group {
    /// Reads a row group, whose first row is row `first` of the file, from 0.
    pub fn read(
        group: &dyn RowGroupReader,
        columns: &Columns,
        weight: Option<&Column>,
        first: u64,
    ) -> Result<Self, ParquetError> {
        let source = columns.source.ids(group, first)?;
        let target = columns.target.ids(group, first)?;
        let weights = weight.map(|column| column.weights(group, first)).transpose()?;
        let equal = weights.as_ref().is_none_or(|weights| weights.len() == source.len());
        if source.len() != target.len() || !equal {
            return Err(ParquetError::Damaged("columns of different lengths".to_owned()));
        }
        Ok(Self { source, target, weights })
    }
}

impl Column {
    fn reader(&self, group: &dyn RowGroupReader) -> Result<ColumnReader, ParquetError> {
        let pages = group.get_column_page_reader(self.index).map_err(damaged)?;
        Ok(get_column_reader(self.descriptor.clone(), Box::new(Checked(pages))))
    }

    fn ids(&self, group: &dyn RowGroupReader, first: u64) -> Result<Ids, ParquetError> {
        let integers = |values: Vec<i64>, mask: u64| {
            let id = |(row, value): (u64, i64)| match value {
                value if value < 0 && !self.unsigned => {
                    Err(ParquetError::Negative { column: self.name.clone(), row, found: value })
                }
                value => Ok(value as u64 & mask),
            };
            (first + 1..).zip(values).map(id).collect::<Result<_, _>>().map(Ids::Integers)
        };
        match self.reader(group)? {
            ColumnReader::Int32ColumnReader(reader) => {
                let values = self.values(reader, first)?;
                integers(values.into_iter().map(i64::from).collect(), u64::from(u32::MAX))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                integers(self.values(reader, first)?, u64::MAX)
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let names = self.values(reader, first)?;
                let wrong = |name: &ByteArray| {
                    let name = std::str::from_utf8(name.data()).unwrap_or_default();
                    name.is_empty() || name.chars().any(char::is_control)
                };
                match names.iter().position(wrong) {
                    None => Ok(Ids::Names(names)),
                    Some(wrong) => Err(ParquetError::Name {
                        column: self.name.clone(),
                        row: first + wrong as u64 + 1,
                        found: shown(names[wrong].data()),
                    }),
                }
            }
            _ => Err(self.mismatch()),
        }
    }

    fn weights(&self, group: &dyn RowGroupReader, first: u64) -> Result<Vec<f32>, ParquetError> {
        let weights: Vec<f32> = match self.reader(group)? {
            ColumnReader::FloatColumnReader(reader) => self.values(reader, first)?,
            ColumnReader::DoubleColumnReader(reader) => {
                self.values(reader, first)?.into_iter().map(|weight| weight as f32).collect()
            }
            ColumnReader::Int32ColumnReader(reader) => {
                self.values(reader, first)?.into_iter().map(|weight| weight as f32).collect()
            }
            ColumnReader::Int64ColumnReader(reader) => {
                self.values(reader, first)?.into_iter().map(|weight| weight as f32).collect()
            }
            _ => return Err(self.mismatch()),
        };
        match weights.iter().position(|weight| !weight.is_finite()) {
            None => Ok(weights),
            Some(wrong) => {
                let row = first + wrong as u64 + 1;
                Err(ParquetError::NotFinite { column: self.name.clone(), row })
            }
        }
    }

    fn mismatch(&self) -> ParquetError {
        ParquetError::Damaged(format!("column {} is not of the type in the schema", self.name))
    }

    /// All values of a column in a row group; none may be null. The limit is
    /// checked when a batch has been read; the crate parquet has by then
    /// decompressed a page, of up to 2 GiB if its header says so, and does not
    /// show that header before.
    fn values<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        first: u64,
    ) -> Result<Vec<T::T>, ParquetError> {
        let (mut values, mut levels) = (Vec::new(), Vec::new());
        loop {
            levels.clear();
            let read = reader.read_records(BATCH, Some(&mut levels), None, &mut values);
            let (records, _, _) = read.map_err(damaged)?;
            if let Some(null) = levels.iter().position(|level| *level == 0) {
                // Where nulls are allowed there is one level per row.
                let row = first + (values.len() + null - present(&levels) + 1) as u64;
                return Err(ParquetError::Null { column: self.name.clone(), row });
            }
            if records == 0 {
                return Ok(values);
            }
            // Other row groups of the column are read at the same time.
            let bytes = (records * size_of::<T::T>()) as u64;
            if self.taken.fetch_add(bytes, Ordering::Relaxed) + bytes > self.limit {
                let (column, limit) = (self.name.clone(), self.limit);
                return Err(ParquetError::TooLong { column, limit });
            }
        }
    }
}

/// Number of levels that mean a value.
fn present(levels: &[i16]) -> usize {
    levels.iter().filter(|level| **level != 0).count()
}
