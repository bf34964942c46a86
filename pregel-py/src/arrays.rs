//! Arrays that Python owns, by the buffer protocol: borrowed or copied.

use pregel_core::graph::Buffer;
use pregel_core::program::Value;
use pyo3::buffer::{Element, PyBuffer, PyUntypedBuffer};
use pyo3::prelude::*;

use crate::errors::{value, wrong_type};

/// Whether an array is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Copying {
    /// Unless it is read-only, so that its owner has said that it does not change.
    UnlessReadOnly,
    /// Always.
    Always,
    /// Only if its type has to be converted.
    Never,
}

impl From<Option<bool>> for Copying {
    fn from(copy: Option<bool>) -> Self {
        match copy {
            None => Self::UnlessReadOnly,
            Some(true) => Self::Always,
            Some(false) => Self::Never,
        }
    }
}

/// A one-dimensional array of numbers, read and not yet copied.
pub enum Numbers {
    /// None, of any type. An empty array may have no place in memory that suits its type.
    Empty,
    I32(PyBuffer<i32>),
    U32(PyBuffer<u32>),
    I64(PyBuffer<i64>),
    U64(PyBuffer<u64>),
    F32(PyBuffer<f32>),
    F64(PyBuffer<f64>),
}

impl Numbers {
    /// Reads an array. A list or another sequence becomes an array by `array.array`.
    pub fn read(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Self> {
        let py = object.py();
        let buffer = match PyUntypedBuffer::get(object) {
            Ok(buffer) => buffer,
            Err(_) => PyUntypedBuffer::get(&of_sequence(object, name)?)?,
        };
        if buffer.dimensions() != 1 {
            let dimensions = buffer.dimensions();
            return Err(value(format!("{name} has {dimensions} dimensions, expected one")));
        }
        let buffer = if buffer.is_c_contiguous() {
            buffer
        } else {
            // The buffer keeps the copy.
            let copy = py.import("numpy")?.call_method1("ascontiguousarray", (object,))?;
            PyUntypedBuffer::get(&copy)?
        };
        if buffer.item_count() == 0 {
            return Ok(Self::Empty);
        }
        let format = buffer.format().to_string_lossy().into_owned();
        let typed = Self::typed(buffer);
        typed.ok_or_else(|| {
            wrong_type(format!(
                "{name} is an array of type «{format}»; expected int32, int64, uint32, uint64, \
                 float32 or float64"
            ))
        })
    }

    fn typed(buffer: PyUntypedBuffer) -> Option<Self> {
        Some(match (kind(buffer.format().to_bytes())?, buffer.item_size()) {
            (b'i', 4) => Self::I32(buffer.into_typed().ok()?),
            (b'i', 8) => Self::I64(buffer.into_typed().ok()?),
            (b'u', 4) => Self::U32(buffer.into_typed().ok()?),
            (b'u', 8) => Self::U64(buffer.into_typed().ok()?),
            (b'f', 4) => Self::F32(buffer.into_typed().ok()?),
            (b'f', 8) => Self::F64(buffer.into_typed().ok()?),
            _ => return None,
        })
    }
}

/// Signed, unsigned or floating, of a format of the module `struct`.
fn kind(format: &[u8]) -> Option<u8> {
    let native = format.strip_prefix(b"@").or(format.strip_prefix(b"=")).unwrap_or(format);
    #[cfg(target_endian = "little")]
    let native = native.strip_prefix(b"<").unwrap_or(native);
    match native {
        [b'i' | b'l' | b'q' | b'n'] => Some(b'i'),
        [b'I' | b'L' | b'Q' | b'N'] => Some(b'u'),
        [b'f' | b'd'] => Some(b'f'),
        _ => None,
    }
}

/// An array of the numbers in a sequence: integers if all are, otherwise floats.
fn of_sequence<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    let make = object.py().import("array")?.getattr("array")?;
    let list = object
        .try_iter()
        .map_err(|_| wrong_type(format!("{name} is neither an array nor a sequence of numbers")))?;
    let list = list.collect::<PyResult<Vec<_>>>()?;
    make.call1(("q", &list)).or_else(|_| make.call1(("d", &list)))
}

/// An array of Python's, which it keeps for as long as this lives.
struct Held<T: Element>(PyBuffer<T>);

impl<T: Element> AsRef<[T]> for Held<T> {
    fn as_ref(&self) -> &[T] {
        match self.0.as_slice_ptr() {
            // SAFETY: the buffer is contiguous and holds this memory until it is released. Its
            // owner does not write to it: `lend` asks for an array that is read-only, or whose
            // owner promised that it does not change.
            Some(slice) => unsafe { slice.as_ref() },
            None => &[],
        }
    }
}

/// The same bits as numbers of another type of the same size.
struct Cast<T: Element>(Held<T>);

impl<T: Element + Value, U: Value> AsRef<[U]> for Cast<T> {
    fn as_ref(&self) -> &[U] {
        // Both have the same size and alignment, and any bits are numbers of either.
        bytemuck::cast_slice(self.0.as_ref())
    }
}

/// The array as it is, borrowed or copied; integers keep their bits.
pub fn take<T, U>(py: Python<'_>, array: PyBuffer<T>, copying: Copying) -> PyResult<Buffer<U>>
where
    T: Element + Value,
    U: Value,
{
    let lend = match copying {
        Copying::UnlessReadOnly => array.readonly(),
        Copying::Always => false,
        Copying::Never => true,
    };
    if lend {
        return Ok(Buffer::from_owner(Cast(Held(array))));
    }
    let copy = array.to_vec(py)?;
    Ok(Buffer::from(bytemuck::allocation::cast_vec::<T, U>(copy)))
}
