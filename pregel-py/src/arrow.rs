//! Graphs from tables, by Arrow's C stream interface.

use std::collections::HashMap;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::types::{Float32Type, Float64Type, Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchReader};
use arrow_cast::cast;
use arrow_schema::{DataType, Schema};
use pregel_core::engine::Cancel;
use pregel_core::graph::{Duplicates, Ids, SelfLoops};
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyCapsule, PyCapsuleMethods};
use rayon::prelude::*;

use crate::errors::{Failure, wrong_type};
use crate::graph::{Build, Graph};
use crate::inputs::Values;

/// Which columns hold the edges.
pub struct Names<'a> {
    pub source: &'a str,
    pub target: &'a str,
    pub weight: Option<&'a str>,
}

/// Takes the stream of a table.
pub fn open(table: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let Ok(export) = table.getattr("__arrow_c_stream__") else {
        return Err(wrong_type(
            "expected a table with __arrow_c_stream__, such as a data frame of polars or pandas \
             (2.2 or newer), a table of pyarrow or a relation of DuckDB",
        ));
    };
    let capsule = export.call0()?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    // Of several threads with the same capsule, one gets the stream.
    let stream = with_critical_section(&capsule, || {
        // SAFETY: a capsule of this name holds an `ArrowArrayStream`, by Arrow's PyCapsule
        // interface. Taking it leaves a released stream in the capsule, which its destructor then
        // ignores; no other thread that comes this way takes it meanwhile.
        unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) }
    });
    RecordBatchStreamReader::try_new(stream).map_err(|e| Failure::Value(e.to_string()).into())
}

/// Builds a graph from the columns of all batches.
pub fn graph(
    stream: RecordBatchStreamReader,
    names: &Names<'_>,
    directed: bool,
    duplicates: Duplicates,
    cancel: &Cancel,
) -> Result<Graph, Failure> {
    let schema = stream.schema();
    let ends = [column(&schema, names.source)?, column(&schema, names.target)?];
    let weight = names.weight.map(|name| column(&schema, name)).transpose()?;
    let mut weights = weight.map(|at| Weights::of(schema.field(at).data_type()));
    let kind = |at: usize| is_text(schema.field(at).data_type());
    if kind(ends[0]) != kind(ends[1]) {
        return Err(Failure::Value(format!(
            "«{}» and «{}» must both hold integers or both hold text",
            names.source, names.target
        )));
    }
    let mut found = if kind(ends[0]) {
        Ends::Names(HashMap::new(), Vec::new(), Vec::new())
    } else {
        Ends::Integers(Vec::new())
    };
    for batch in stream {
        let batch = batch.map_err(|error| Failure::Value(error.to_string()))?;
        if cancel.is_cancelled() {
            return Err(Failure::Value("the graph was not built".into()));
        }
        found.take(&batch, ends, names)?;
        if let (Some(weights), Some(at)) = (&mut weights, weight) {
            weights.take(batch.column(at), names.weight.unwrap_or_default())?;
        }
    }
    let values = weights.map_or(Values::None, Weights::finish);
    let (ids, edges) = found.finish()?;
    let (ids, self_loops) = (Some(ids), SelfLoops::Keep);
    let build = Build { edges, directed, vertex_count: None, ids, duplicates, self_loops };
    Graph::of_edges(build, values)
}

fn column(schema: &Schema, name: &str) -> Result<usize, Failure> {
    schema.index_of(name).map_err(|_| {
        let known: Vec<&str> = schema.fields().iter().map(|f| f.name().as_str()).collect();
        Failure::Value(format!("there is no column «{name}»; there are {}", known.join(", ")))
    })
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// The column as another type; it must have no nulls.
fn converted(array: &ArrayRef, kind: &DataType, name: &str) -> Result<ArrayRef, Failure> {
    if array.null_count() > 0 {
        return Err(Failure::Value(format!(
            "the column «{name}» has nulls; drop their rows before"
        )));
    }
    let found = array.data_type();
    let refuse = || Failure::Value(format!("the column «{name}» holds {found}, expected {kind}"));
    let number = found.is_numeric() || is_text(found) && is_text(kind);
    let integers = !kind.is_integer() || found.is_integer();
    if !number || !integers {
        return Err(refuse());
    }
    let array = cast(array, kind).map_err(|_| refuse())?;
    if array.null_count() > 0 {
        return Err(Failure::Value(format!(
            "the column «{name}» holds numbers that are negative or too large for {kind}"
        )));
    }
    Ok(array)
}

/// The ends of the edges so far.
enum Ends {
    Integers(Vec<[u64; 2]>),
    /// The number of each name, the names in this order, and edges between them.
    Names(HashMap<String, u32>, Vec<u64>, Vec<[u32; 2]>),
}

impl Ends {
    fn take(&mut self, batch: &RecordBatch, at: [usize; 2], by: &Names<'_>) -> Result<(), Failure> {
        let ends = |kind: &DataType| -> Result<[ArrayRef; 2], Failure> {
            Ok([
                converted(batch.column(at[0]), kind, by.source)?,
                converted(batch.column(at[1]), kind, by.target)?,
            ])
        };
        match self {
            Self::Integers(edges) => {
                let [from, to] = ends(&DataType::UInt64)?;
                let [from, to] = [&from, &to].map(|a| a.as_primitive::<UInt64Type>().values());
                edges.par_extend(from.par_iter().zip(&to[..]).map(|(u, v)| [*u, *v]));
            }
            Self::Names(known, ends_of_names, edges) => {
                let [from, to] = ends(&DataType::LargeUtf8)?;
                let [from, to] = [&from, &to].map(|a| a.as_string::<i64>());
                let mut length = ends_of_names.last().copied().unwrap_or(0);
                let mut number = |name: &str| {
                    if let Some(v) = known.get(name) {
                        return *v;
                    }
                    // Too many names are refused when they become ids.
                    let v = known.len() as u32;
                    length += name.len() as u64;
                    ends_of_names.push(length);
                    known.insert(name.to_owned(), v);
                    v
                };
                for edge in 0..from.len() {
                    edges.push([number(from.value(edge)), number(to.value(edge))]);
                }
            }
        }
        Ok(())
    }

    /// The ids, in ascending order or in that of their first occurrence, and the edges.
    fn finish(self) -> Result<(Ids, Vec<[u32; 2]>), Failure> {
        match self {
            Self::Integers(edges) => {
                let mut distinct = edges.as_flattened().to_vec();
                distinct.par_sort_unstable();
                distinct.dedup();
                let ids = Ids::integers(distinct.into())?;
                let dense = |id: u64| ids.find_integer(id).unwrap_or_default();
                let edges = edges.into_par_iter().map(|ends| ends.map(dense)).collect();
                Ok((ids, edges))
            }
            Self::Names(known, ends, edges) => {
                let mut text = vec![0; ends.last().copied().unwrap_or(0) as usize];
                for (name, v) in known {
                    let end = ends[v as usize] as usize;
                    text[end - name.len()..end].copy_from_slice(name.as_bytes());
                }
                Ok((Ids::names(text.into(), ends.into())?, edges))
            }
        }
    }
}

/// The weights so far.
enum Weights {
    F32(Vec<f32>),
    F64(Vec<f64>),
    I64(Vec<i64>),
}

impl Weights {
    fn of(kind: &DataType) -> Self {
        match kind {
            DataType::Float32 | DataType::Float16 => Self::F32(Vec::new()),
            kind if kind.is_integer() => Self::I64(Vec::new()),
            _ => Self::F64(Vec::new()),
        }
    }

    fn take(&mut self, array: &ArrayRef, name: &str) -> Result<(), Failure> {
        match self {
            Self::F32(values) => {
                let array = converted(array, &DataType::Float32, name)?;
                values.extend_from_slice(array.as_primitive::<Float32Type>().values());
            }
            Self::F64(values) => {
                let array = converted(array, &DataType::Float64, name)?;
                values.extend_from_slice(array.as_primitive::<Float64Type>().values());
            }
            Self::I64(values) => {
                let array = converted(array, &DataType::Int64, name)?;
                values.extend_from_slice(array.as_primitive::<Int64Type>().values());
            }
        }
        Ok(())
    }

    fn finish(self) -> Values {
        match self {
            Self::F32(values) => Values::F32(values.into()),
            Self::F64(values) => Values::F64(values.into()),
            Self::I64(values) => Values::I64(values.into()),
        }
    }
}
