//! Columns as DLPack tensors, in memory or on a GPU.
//!
//! The structures are those of DLPack 1.0, `dlpack.h`.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

use pregel_core::engine::gpu::Allocation;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::{Bound, ffi};

use crate::data::Values;

/// `kDLCPU`, device 0.
const HOST: (i32, i32) = (1, 0);

/// `kDLCUDA`.
const CUDA: i32 = 2;

const READ_ONLY: u64 = 1;
const IS_COPIED: u64 = 2;

#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    ndim: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

/// `DLManagedTensor`, before version 1.
#[repr(C)]
struct Unversioned {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
}

/// `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Self)>,
    flags: u64,
    tensor: Tensor,
}

/// What a tensor keeps alive.
struct Kept {
    /// Only dropped.
    _owner: Owner,
    shape: [i64; 1],
    strides: [i64; 1],
}

/// Who has the numbers of a tensor.
enum Owner {
    Values(#[expect(dead_code, reason = "only dropped")] Values),
    Copy(#[expect(dead_code, reason = "only dropped")] Box<dyn Allocation>),
}

/// What a consumer asks for.
pub struct Request {
    /// Whether it names a stream.
    pub on_stream: bool,
    pub max_version: Option<(u32, u32)>,
    pub dl_device: Option<(i32, i32)>,
    pub copy: Option<bool>,
}

/// The device of these numbers.
pub fn device(values: &Values) -> (i32, i32) {
    match values {
        Values::Host(_) => HOST,
        Values::Gpu(numbers) => (CUDA, numbers.ordinal() as i32),
    }
}

/// A capsule with the numbers. Those who know version 1 are told that the column is read-only,
/// and get it without a copy; others get a copy, which they may write to. What is on a GPU is
/// complete, so that any stream may read it at once.
pub fn export<'py>(
    py: Python<'py>,
    values: &Values,
    request: Request,
) -> PyResult<Bound<'py, PyCapsule>> {
    let Request { on_stream, max_version, dl_device, copy } = request;
    let (here, wanted) = (device(values), dl_device.unwrap_or(device(values)));
    if on_stream && wanted == HOST {
        return Err(PyBufferError::new_err("host memory has no stream"));
    }
    if wanted != here && wanted != HOST {
        return Err(PyBufferError::new_err(
            "the column is on another device; it can be exported there, or to the host",
        ));
    }
    let versioned = max_version.is_some_and(|(major, _)| major >= 1);
    if copy == Some(false) && wanted != here {
        return Err(PyBufferError::new_err("the column is on a GPU; the host needs a copy"));
    }
    if copy == Some(false) && !versioned {
        return Err(PyBufferError::new_err(
            "without a copy, the column is read-only, which only DLPack 1.0 can say",
        ));
    }
    let copied = copy == Some(true) || !versioned;
    let (address, owner) = match values {
        Values::Gpu(numbers) if wanted == here => {
            if copied {
                let (memory, address) = numbers.copy(py)?;
                (address, Owner::Copy(memory))
            } else {
                (numbers.address(), Owner::Values(values.clone()))
            }
        }
        _ => {
            let data = values.host(py)?;
            let data = if copied { data.deep_copy() } else { data.clone() };
            (data.bytes().as_ptr().expose_provenance() as u64, Owner::Values(data.into()))
        }
    };
    let kept = Kept { shape: [values.len() as i64], strides: [1], _owner: owner };
    let kept = Box::into_raw(Box::new(kept));
    // SAFETY: this is the box that was just made.
    let (shape, strides) = unsafe { (&raw mut (*kept).shape, &raw mut (*kept).strides) };
    let dtype = values.dtype();
    let tensor = Tensor {
        data: std::ptr::with_exposed_provenance_mut(address as usize),
        device_type: wanted.0,
        device_id: wanted.1,
        ndim: 1,
        code: if dtype.is_float() { 2 } else { 0 },
        bits: 8 * dtype.size() as u8,
        lanes: 1,
        shape: shape.cast(),
        strides: strides.cast(),
        byte_offset: 0,
    };
    let context = kept.cast::<c_void>();
    if versioned {
        let flags = if copied { IS_COPIED } else { READ_ONLY };
        let deleter = Some(delete_versioned as _);
        let managed = Versioned { major: 1, minor: 0, context, deleter, flags, tensor };
        capsule(py, Box::into_raw(Box::new(managed)), c"dltensor_versioned", drop_versioned)
    } else {
        let managed = Unversioned { tensor, context, deleter: Some(delete_unversioned as _) };
        capsule(py, Box::into_raw(Box::new(managed)), c"dltensor", drop_unversioned)
    }
}

fn capsule<'py, T>(
    py: Python<'py>,
    managed: *mut T,
    name: &'static CStr,
    destructor: unsafe extern "C" fn(*mut ffi::PyObject),
) -> PyResult<Bound<'py, PyCapsule>> {
    let pointer = NonNull::new(managed.cast::<c_void>())
        .ok_or_else(|| PyBufferError::new_err("no memory for a tensor"))?;
    // SAFETY: the pointer is that of a tensor of this name, which stays valid until its deleter
    // is called; the destructor does so unless a consumer has taken the tensor.
    unsafe { PyCapsule::new_with_pointer_and_destructor(py, pointer, name, Some(destructor)) }
}

/// # Safety
/// `managed` must be one that [`export`] made, and not deleted yet.
unsafe extern "C" fn delete_unversioned(managed: *mut Unversioned) {
    // SAFETY: both are boxes of `export`, which the caller gives up.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

/// # Safety
/// `managed` must be one that [`export`] made, and not deleted yet.
unsafe extern "C" fn delete_versioned(managed: *mut Versioned) {
    // SAFETY: both are boxes of `export`, which the caller gives up.
    unsafe {
        let managed = Box::from_raw(managed);
        drop(Box::from_raw(managed.context.cast::<Kept>()));
    }
}

/// # Safety
/// Python calls it with a capsule of [`export`].
unsafe extern "C" fn drop_unversioned(capsule: *mut ffi::PyObject) {
    // SAFETY: a consumer renames the capsule whose tensor it takes.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, c"dltensor".as_ptr()) == 1 {
            delete_unversioned(ffi::PyCapsule_GetPointer(capsule, c"dltensor".as_ptr()).cast());
        }
    }
}

/// # Safety
/// Python calls it with a capsule of [`export`].
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: a consumer renames the capsule whose tensor it takes.
    unsafe {
        let name = c"dltensor_versioned".as_ptr();
        if ffi::PyCapsule_IsValid(capsule, name) == 1 {
            delete_versioned(ffi::PyCapsule_GetPointer(capsule, name).cast());
        }
    }
}
