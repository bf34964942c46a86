//! Columns and distances as DLPack tensors, in memory or on a GPU.
//!
//! The structures are those of DLPack 1.0, `dlpack.h`.

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use pregel_core::engine::gpu::Allocation;
use pyo3::exceptions::PyBufferError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3::{Bound, ffi};

use crate::algorithms::AllPaths;
use crate::data::{Data, Dtype, Values};

/// `kDLCPU`, device 0.
pub const HOST: (i32, i32) = (1, 0);

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
    shape: Box<[i64]>,
    strides: Box<[i64]>,
}

/// Who has the numbers of a tensor.
pub enum Owner {
    Values(#[expect(dead_code, reason = "only dropped")] Values),
    Distances(#[expect(dead_code, reason = "only dropped")] Arc<AllPaths>),
    Copy(#[expect(dead_code, reason = "only dropped")] Box<dyn Allocation>),
}

/// Numbers that are handed out.
pub struct Numbers {
    /// Where the first is, on `device`.
    pub address: u64,
    pub device: (i32, i32),
    pub dtype: Dtype,
    pub shape: Box<[i64]>,
    /// Counted in numbers.
    pub strides: Box<[i64]>,
    pub owner: Owner,
}

impl Numbers {
    /// Those of a column in memory.
    pub fn of_data(data: Data) -> Self {
        Self {
            address: data.bytes().as_ptr().expose_provenance() as u64,
            device: HOST,
            dtype: data.dtype(),
            shape: Box::new([data.len() as i64]),
            strides: Box::new([1]),
            owner: Owner::Values(data.into()),
        }
    }

    /// The same numbers as rows of `columns` each.
    pub fn in_rows(self, columns: usize) -> Self {
        let rows = self.shape.iter().product::<i64>().checked_div(columns as i64).unwrap_or(0);
        let columns = columns as i64;
        Self { shape: Box::new([rows, columns]), strides: Box::new([columns, 1]), ..self }
    }
}

/// What a consumer asks for.
pub struct Request {
    /// Whether it names a stream.
    pub on_stream: bool,
    pub max_version: Option<(u32, u32)>,
    pub dl_device: Option<(i32, i32)>,
    pub copy: Option<bool>,
}

/// What a consumer gets.
pub struct Terms {
    versioned: bool,
    /// Whether it gets a copy, which it may write to.
    pub copied: bool,
    /// Whether it gets numbers in memory.
    pub on_host: bool,
}

impl Request {
    /// Those who know version 1 are told that numbers are read-only, and get them without a copy;
    /// others get a copy. `here` is where the numbers are.
    pub fn terms(&self, here: (i32, i32)) -> PyResult<Terms> {
        let wanted = self.dl_device.unwrap_or(here);
        let refuse = |why: &'static str| Err(PyBufferError::new_err(why));
        if self.on_stream && wanted == HOST {
            return refuse("host memory has no stream");
        }
        if wanted != here && wanted != HOST {
            return refuse("the numbers are elsewhere; they can be exported there, or to the host");
        }
        let versioned = self.max_version.is_some_and(|(major, _)| major >= 1);
        if self.copy == Some(false) && wanted != here {
            return refuse("the numbers are on a GPU; the host needs a copy");
        }
        if self.copy == Some(false) && !versioned {
            return refuse("without a copy, numbers are read-only, which only DLPack 1.0 can say");
        }
        let copied = self.copy == Some(true) || !versioned;
        Ok(Terms { versioned, copied, on_host: wanted == HOST })
    }
}

/// The device of these numbers.
pub fn device(values: &Values) -> (i32, i32) {
    match values {
        Values::Host(_) => HOST,
        Values::Gpu(numbers) => (CUDA, numbers.ordinal() as i32),
    }
}

/// A capsule with the numbers of a column. What is on a GPU is complete, so that any stream may
/// read it at once.
pub fn export<'py>(
    py: Python<'py>,
    values: &Values,
    request: &Request,
) -> PyResult<Bound<'py, PyCapsule>> {
    let here = device(values);
    let terms = request.terms(here)?;
    let numbers = match values {
        Values::Gpu(numbers) if !terms.on_host => {
            let (address, owner) = if terms.copied {
                let (memory, address) = numbers.copy(py)?;
                (address, Owner::Copy(memory))
            } else {
                (numbers.address(), Owner::Values(values.clone()))
            };
            let (dtype, shape) = (values.dtype(), Box::new([values.len() as i64]));
            Numbers { address, device: here, dtype, shape, strides: Box::new([1]), owner }
        }
        _ => {
            let data = values.host(py)?;
            Numbers::of_data(if terms.copied { data.deep_copy() } else { data.clone() })
        }
    };
    hand_out(py, numbers, &terms)
}

/// A capsule with these numbers.
pub fn hand_out<'py>(
    py: Python<'py>,
    numbers: Numbers,
    terms: &Terms,
) -> PyResult<Bound<'py, PyCapsule>> {
    let Numbers { address, device, dtype, shape, strides, owner } = numbers;
    let ndim = shape.len() as i32;
    let kept = Box::into_raw(Box::new(Kept { shape, strides, _owner: owner }));
    // SAFETY: this is the box that was just made.
    let (shape, strides) = unsafe { ((*kept).shape.as_mut_ptr(), (*kept).strides.as_mut_ptr()) };
    let tensor = Tensor {
        data: std::ptr::with_exposed_provenance_mut(address as usize),
        device_type: device.0,
        device_id: device.1,
        ndim,
        code: if dtype.is_float() { 2 } else { 0 },
        bits: 8 * dtype.size() as u8,
        lanes: 1,
        shape,
        strides,
        byte_offset: 0,
    };
    let context = kept.cast::<c_void>();
    if terms.versioned {
        let flags = if terms.copied { IS_COPIED } else { READ_ONLY };
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
