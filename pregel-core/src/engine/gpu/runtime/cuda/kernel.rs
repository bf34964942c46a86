//! Kernels, and the modules that hold them.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::{result, sys};

use super::Card;
use super::driver::failed;
use super::launch::Function;
use crate::engine::gpu::DeviceError;

/// A loaded module, which its kernels keep alive.
#[derive(Debug)]
pub(super) struct CudaModule {
    pub(super) card: Arc<Card>,
    pub(super) module: sys::CUmodule,
}

// SAFETY: as `Card`.
unsafe impl Send for CudaModule {}
// SAFETY: as `Card`.
unsafe impl Sync for CudaModule {}

impl Drop for CudaModule {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let _ = self.card.wait();
        // SAFETY: every `CudaKernel` of the module is dropped, so no more can be queued, and
        // after the wait none runs.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// A kernel.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    pub(super) function: Function,
    pub(super) name: Arc<str>,
    /// The most bytes of shared memory that launches may ask for so far; shared, as the
    /// driver's own setting is, by all sessions that use the kernel.
    pub(super) permitted: Arc<Mutex<u32>>,
    /// Keeps the function loaded.
    pub(super) _module: Arc<CudaModule>,
}

// SAFETY: as `Card`.
unsafe impl Send for CudaKernel {}
// SAFETY: as `Card`.
unsafe impl Sync for CudaKernel {}

impl CudaKernel {
    /// Permits launches to give each block this many bytes of shared memory. The driver
    /// requires this for large amounts. The permission never shrinks, since another session
    /// may be about to launch with more.
    pub(super) fn permit(&self, shared: u32) -> Result<(), DeviceError> {
        if shared == 0 {
            return Ok(());
        }
        let mut permitted = self.permitted.lock().unwrap_or_else(PoisonError::into_inner);
        if shared <= *permitted {
            return Ok(());
        }
        let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        // SAFETY: `_module` keeps the kernel loaded.
        unsafe {
            let function = self.function.handle;
            result::function::set_function_attribute(function, attribute, shared as c_int)
        }
        .map_err(|e| failed("cuFuncSetAttribute", e))?;
        *permitted = shared;
        Ok(())
    }
}
