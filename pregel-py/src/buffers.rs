//! Numbers for Python's buffer protocol.

use std::ffi::{c_int, c_void};

use pyo3::exceptions::PyBufferError;
use pyo3::ffi;
use pyo3::prelude::*;

use crate::data::Dtype;

/// How the numbers of a buffer lie: in a row, or in rows that begin `strides[0]` bytes apart.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    dtype: Dtype,
    ndim: usize,
    shape: [ffi::Py_ssize_t; 2],
    /// In bytes.
    strides: [ffi::Py_ssize_t; 2],
}

impl Layout {
    /// This many numbers, one after the other.
    pub fn row(len: usize, dtype: Dtype) -> Self {
        let size = dtype.size() as ffi::Py_ssize_t;
        Self { dtype, ndim: 1, shape: [len as ffi::Py_ssize_t, 1], strides: [size, size] }
    }

    /// `n` rows of `n` numbers, of which each begins `stride` numbers after the one before.
    pub fn square(n: usize, stride: usize, dtype: Dtype) -> Self {
        let (size, n) = (dtype.size() as ffi::Py_ssize_t, n as ffi::Py_ssize_t);
        let strides = [stride as ffi::Py_ssize_t * size, size];
        Self { dtype, ndim: 2, shape: [n, n], strides }
    }

    /// Fills a view with read-only numbers, the first of which is at `first`.
    ///
    /// # Safety
    /// `view` and `flags` must be those that Python passes to `bf_getbuffer`. The numbers must lie
    /// there as long as `owner` lives, to which the view gets a reference, and never change.
    pub unsafe fn fill(
        self,
        view: *mut ffi::Py_buffer,
        flags: c_int,
        first: *const u8,
        owner: Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let asks_for = |flag: c_int| flags & flag == flag;
        if asks_for(ffi::PyBUF_WRITABLE) {
            return Err(PyBufferError::new_err("this is read-only; copy it to change it"));
        }
        let size = self.dtype.size() as ffi::Py_ssize_t;
        let in_one_piece = self.ndim == 1 || self.strides[0] == self.shape[1] * size;
        let needs_one_piece = !asks_for(ffi::PyBUF_STRIDES)
            || asks_for(ffi::PyBUF_C_CONTIGUOUS)
            || asks_for(ffi::PyBUF_ANY_CONTIGUOUS);
        let by_columns = self.ndim == 2 && self.shape[0] > 1 && asks_for(ffi::PyBUF_F_CONTIGUOUS);
        if by_columns || needs_one_piece && !in_one_piece {
            return Err(PyBufferError::new_err(
                "there is padding between the rows; copy the array",
            ));
        }
        let layout = Box::into_raw(Box::new(self));
        // SAFETY: the caller's promise. The layout lives until `free`, the format for ever.
        unsafe {
            (*view).internal = layout.cast::<c_void>();
            (*view).buf = first.cast_mut().cast();
            (*view).len = self.shape[..self.ndim].iter().product::<ffi::Py_ssize_t>() * size;
            (*view).itemsize = size;
            (*view).readonly = 1;
            (*view).ndim = self.ndim as c_int;
            (*view).format = if asks_for(ffi::PyBUF_FORMAT) {
                self.dtype.format().as_ptr().cast_mut()
            } else {
                std::ptr::null_mut()
            };
            (*view).shape = (&raw mut (*layout).shape).cast();
            (*view).strides = (&raw mut (*layout).strides).cast();
            (*view).suboffsets = std::ptr::null_mut();
            (*view).obj = owner.into_ptr();
        }
        Ok(())
    }

    /// Frees what [`fill`](Self::fill) allocated.
    ///
    /// # Safety
    /// `view` must be one that it has filled, and not freed yet.
    pub unsafe fn free(view: *mut ffi::Py_buffer) {
        // SAFETY: `internal` is the box of `fill`.
        drop(unsafe { Box::from_raw((*view).internal.cast::<Self>()) });
    }
}
