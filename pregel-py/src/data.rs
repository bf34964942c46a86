//! The numbers of columns: their types, and where they are.

use std::sync::{Arc, OnceLock};

use pregel_core::engine::gpu::{Allocation, CudaDevice, Device, DeviceError, GpuKept};
use pregel_core::engine::{Kept, RunError};
use pyo3::prelude::*;

use crate::errors::Failure;
use crate::run::interruptible;

/// A type of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dtype {
    I32,
    I64,
    F32,
    F64,
}

impl Dtype {
    /// The name that NumPy uses.
    pub fn name(self) -> &'static str {
        match self {
            Self::I32 => "int32",
            Self::I64 => "int64",
            Self::F32 => "float32",
            Self::F64 => "float64",
        }
    }

    /// The name that the module `struct` uses.
    pub fn format(self) -> &'static std::ffi::CStr {
        match self {
            Self::I32 => c"i",
            Self::I64 => c"q",
            Self::F32 => c"f",
            Self::F64 => c"d",
        }
    }

    /// Bytes per number.
    pub fn size(self) -> usize {
        match self {
            Self::I32 | Self::F32 => 4,
            Self::I64 | Self::F64 => 8,
        }
    }

    pub fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }
}

/// Numbers in memory. Shared, and never changed.
#[derive(Clone, Debug)]
pub enum Data {
    I32(Arc<Vec<i32>>),
    I64(Arc<Vec<i64>>),
    F32(Arc<Vec<f32>>),
    F64(Arc<Vec<f64>>),
}

/// Does the same with the numbers of any type.
macro_rules! each {
    ($data:expr, $numbers:ident => $do:expr) => {
        match $data {
            $crate::data::Data::I32($numbers) => $do,
            $crate::data::Data::I64($numbers) => $do,
            $crate::data::Data::F32($numbers) => $do,
            $crate::data::Data::F64($numbers) => $do,
        }
    };
}
pub(crate) use each;

impl Data {
    /// Ids of vertices or levels; 2³² − 1, which stands for none, becomes −1.
    pub fn of_ids(ids: Vec<u32>, vertex_count: u32) -> Self {
        if fits(vertex_count) {
            Self::I32(Arc::new(bytemuck::allocation::cast_vec(ids)))
        } else {
            let wide = |id: u32| if id == u32::MAX { -1 } else { i64::from(id) };
            Self::I64(Arc::new(ids.into_iter().map(wide).collect()))
        }
    }

    pub fn len(&self) -> usize {
        each!(self, numbers => numbers.len())
    }

    pub fn bytes(&self) -> &[u8] {
        each!(self, numbers => bytemuck::cast_slice(numbers))
    }

    pub fn dtype(&self) -> Dtype {
        match self {
            Self::I32(_) => Dtype::I32,
            Self::I64(_) => Dtype::I64,
            Self::F32(_) => Dtype::F32,
            Self::F64(_) => Dtype::F64,
        }
    }

    /// The same numbers in memory of their own.
    pub fn deep_copy(&self) -> Self {
        match self {
            Self::I32(numbers) => Self::I32(Arc::new(Vec::clone(numbers))),
            Self::I64(numbers) => Self::I64(Arc::new(Vec::clone(numbers))),
            Self::F32(numbers) => Self::F32(Arc::new(Vec::clone(numbers))),
            Self::F64(numbers) => Self::F64(Arc::new(Vec::clone(numbers))),
        }
    }
}

/// Whether ids of this many vertices are `i32`.
fn fits(vertex_count: u32) -> bool {
    vertex_count <= i32::MAX as u32
}

/// The states that a run left behind.
#[derive(Debug)]
pub enum Left<T: pregel_core::program::Value> {
    Host(Vec<T>),
    Gpu(GpuKept<CudaDevice, T>),
}

impl<T: pregel_core::program::Value> Left<T> {
    /// The states in memory.
    pub fn into_vec(self) -> Result<Vec<T>, RunError> {
        match self {
            Self::Host(states) => Ok(states),
            Self::Gpu(kept) => kept.into_vec(),
        }
    }
}

impl Left<u32> {
    /// As ids of vertices or levels. Those of 2³¹ vertices or more come to memory, since they
    /// need wider numbers.
    pub fn ids(self, vertex_count: u32) -> Result<Values, RunError> {
        match self {
            Self::Gpu(kept) if fits(vertex_count) => Ok(OnGpu::new(Numbers::Ids(kept)).into()),
            states => Ok(Data::of_ids(states.into_vec()?, vertex_count).into()),
        }
    }
}

impl From<Left<f32>> for Values {
    fn from(states: Left<f32>) -> Self {
        match states {
            Left::Host(states) => Data::F32(Arc::new(states)).into(),
            Left::Gpu(kept) => OnGpu::new(Numbers::F32(kept)).into(),
        }
    }
}

impl From<Left<f64>> for Values {
    fn from(states: Left<f64>) -> Self {
        match states {
            Left::Host(states) => Data::F64(Arc::new(states)).into(),
            Left::Gpu(kept) => OnGpu::new(Numbers::F64(kept)).into(),
        }
    }
}

/// Numbers in memory or on a GPU.
#[derive(Clone, Debug)]
pub enum Values {
    Host(Data),
    Gpu(Arc<OnGpu>),
}

impl From<Data> for Values {
    fn from(data: Data) -> Self {
        Self::Host(data)
    }
}

impl From<OnGpu> for Values {
    fn from(numbers: OnGpu) -> Self {
        Self::Gpu(Arc::new(numbers))
    }
}

impl Values {
    pub fn len(&self) -> usize {
        match self {
            Self::Host(data) => data.len(),
            Self::Gpu(numbers) => numbers.len(),
        }
    }

    pub fn dtype(&self) -> Dtype {
        match self {
            Self::Host(data) => data.dtype(),
            Self::Gpu(numbers) => numbers.dtype(),
        }
    }

    /// The numbers in memory. Those of a GPU are copied when they are first asked for.
    pub fn host(&self, py: Python<'_>) -> PyResult<&Data> {
        match self {
            Self::Host(data) => Ok(data),
            Self::Gpu(numbers) => numbers.host(py),
        }
    }
}

/// Numbers in the memory of a GPU, which nobody changes, and perhaps a copy of them.
#[derive(Debug)]
pub struct OnGpu {
    numbers: Numbers,
    host: OnceLock<Data>,
}

#[derive(Debug)]
enum Numbers {
    /// Of vertices, or levels, below 2³¹; all bits are set for none.
    Ids(GpuKept<CudaDevice, u32>),
    F32(GpuKept<CudaDevice, f32>),
    F64(GpuKept<CudaDevice, f64>),
}

/// Does the same with what a GPU keeps of any type.
macro_rules! each_kept {
    ($numbers:expr, $kept:ident => $do:expr) => {
        match $numbers {
            Numbers::Ids($kept) => $do,
            Numbers::F32($kept) => $do,
            Numbers::F64($kept) => $do,
        }
    };
}

impl OnGpu {
    fn new(numbers: Numbers) -> Self {
        Self { numbers, host: OnceLock::new() }
    }

    fn len(&self) -> usize {
        each_kept!(&self.numbers, kept => kept.len())
    }

    fn dtype(&self) -> Dtype {
        match self.numbers {
            Numbers::Ids(_) => Dtype::I32,
            Numbers::F32(_) => Dtype::F32,
            Numbers::F64(_) => Dtype::F64,
        }
    }

    fn device(&self) -> &CudaDevice {
        each_kept!(&self.numbers, kept => kept.device())
    }

    /// The number of the GPU.
    pub fn ordinal(&self) -> u32 {
        self.device().ordinal()
    }

    /// The address of the first number, in the memory of the GPU.
    pub fn address(&self) -> u64 {
        each_kept!(&self.numbers, kept => kept.address())
    }

    fn host(&self, py: Python<'_>) -> PyResult<&Data> {
        if let Some(data) = self.host.get() {
            return Ok(data);
        }
        let data = interruptible(py, |_| {
            Ok::<_, Failure>(match &self.numbers {
                Numbers::Ids(kept) => {
                    Data::I32(Arc::new(bytemuck::allocation::cast_vec(kept.to_vec()?)))
                }
                Numbers::F32(kept) => Data::F32(Arc::new(kept.to_vec()?)),
                Numbers::F64(kept) => Data::F64(Arc::new(kept.to_vec()?)),
            })
        })?;
        // Another thread may have been sooner, with the same numbers.
        Ok(self.host.get_or_init(|| data))
    }

    /// A copy on the same GPU, by way of the memory of the host, and its address.
    pub fn copy(&self, py: Python<'_>) -> PyResult<(Box<dyn Allocation>, u64)> {
        let (bytes, device) = (self.host(py)?.bytes(), self.device());
        let copied = py.detach(|| {
            let memory = device.allocate((bytes.len() as u64).max(1))?;
            device.write(&memory, bytes)?;
            device.wait()?;
            Ok::<_, DeviceError>(memory)
        });
        let memory = copied.map_err(|error| Failure::from(RunError::from(error)))?;
        let address = memory.address();
        Ok((Box::new(memory), address))
    }
}
