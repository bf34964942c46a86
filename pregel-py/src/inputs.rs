//! The arrays that make a graph: where rows begin, where edges lead, and weights.

use pregel_core::graph::Buffer;
use pregel_core::program::Value;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrays::{Copying, Numbers, take};
use crate::errors::{value, wrong_type};

/// How many numbers a thread tests at a time.
const TESTED: usize = 1 << 14;

/// Weights on their way to a graph.
pub enum Values {
    None,
    F32(Buffer<f32>),
    F64(Buffer<f64>),
    I64(Buffer<i64>),
}

impl Values {
    /// Reads weights. Integers become `int64`.
    pub fn read(object: Option<&Bound<'_, PyAny>>, copying: Copying) -> PyResult<Self> {
        let Some(object) = object else { return Ok(Self::None) };
        let py = object.py();
        Ok(match Numbers::read(object, "weights")? {
            Numbers::Empty => Self::F64(Vec::new().into()),
            Numbers::F32(array) => Self::F32(take(py, array, copying)?),
            Numbers::F64(array) => Self::F64(take(py, array, copying)?),
            Numbers::I64(array) => Self::I64(take(py, array, copying)?),
            Numbers::I32(array) => Self::I64(converted(array.to_vec(py)?, "weights")?),
            Numbers::U32(array) => Self::I64(converted(array.to_vec(py)?, "weights")?),
            Numbers::U64(array) => Self::I64(converted(array.to_vec(py)?, "weights")?),
        })
    }
}

/// The numbers as another type.
fn converted<T, U>(array: Vec<T>, name: &str) -> PyResult<Buffer<U>>
where
    T: Copy + Sync + std::fmt::Display,
    U: TryFrom<T> + Send + Value,
{
    let converted: Option<Vec<U>> = array.par_iter().map(|x| U::try_from(*x).ok()).collect();
    match converted {
        Some(converted) => Ok(converted.into()),
        None => {
            let bad = array.iter().find(|x| U::try_from(**x).is_err());
            let bad = bad.map_or_else(String::new, ToString::to_string);
            Err(value(format!("{name} holds {bad}, which is out of range")))
        }
    }
}

/// Ids of vertices, which are not negative and below 2³².
pub fn vertices(object: &Bound<'_, PyAny>, name: &str, copying: Copying) -> PyResult<Buffer<u32>> {
    let py = object.py();
    match Numbers::read(object, name)? {
        Numbers::Empty => Ok(Vec::new().into()),
        // A negative number becomes one of 2³¹ or more, which only a larger graph has.
        Numbers::I32(array) => {
            let ids = take::<i32, u32>(py, array, copying)?;
            // One bit says it, so that many are tested at a time.
            let bits = |chunk: &[u32]| chunk.iter().fold(0, |bits, id| bits | id);
            if ids.par_chunks(TESTED).map(bits).reduce(|| 0, |a, b| a | b) <= i32::MAX as u32 {
                return Ok(ids);
            }
            let negative = ids.iter().map(|id| *id as i32).find(|id| *id < 0).unwrap_or(-1);
            Err(value(format!("{name} holds {negative}, which is negative")))
        }
        Numbers::U32(array) => take(py, array, copying),
        Numbers::I64(array) => converted(array.to_vec(py)?, name),
        Numbers::U64(array) => converted(array.to_vec(py)?, name),
        Numbers::F32(_) | Numbers::F64(_) => {
            Err(wrong_type(format!("{name} holds floats, expected integers")))
        }
    }
}

/// Where rows begin.
pub fn offsets(object: &Bound<'_, PyAny>, copying: Copying) -> PyResult<Buffer<u64>> {
    let (py, name) = (object.py(), "indptr");
    match Numbers::read(object, name)? {
        Numbers::Empty => Ok(Vec::new().into()),
        // A negative number becomes a large one, which is beyond the edges.
        Numbers::I64(array) => take(py, array, copying),
        Numbers::U64(array) => take(py, array, copying),
        Numbers::I32(array) => converted(array.to_vec(py)?, name),
        Numbers::U32(array) => {
            Ok(array.to_vec(py)?.into_iter().map(u64::from).collect::<Vec<_>>().into())
        }
        Numbers::F32(_) | Numbers::F64(_) => {
            Err(wrong_type("indptr holds floats, expected integers"))
        }
    }
}
