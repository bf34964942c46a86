//! Finds out whether there is a usable driver, asks it about devices, and describes its
//! errors.

use std::ffi::{c_int, c_void};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUresult};

use crate::engine::gpu::{Capability, DeviceError};

/// The oldest driver that loads PTX 7.8 for all supported devices and has every function
/// of the bindings for CUDA 12.0.
const OLDEST_DRIVER: (c_int, &str) = (12000, "12.0");

/// Every driver function that this crate calls. The bindings panic when they are asked to
/// call a function that the library lacks, so all are looked up first.
const FUNCTIONS: &[&str] = &[
    "cuInit",
    "cuDeviceGetCount",
    "cuDeviceGet",
    "cuDeviceGetName",
    "cuDeviceGetAttribute",
    "cuDevicePrimaryCtxRetain",
    "cuDevicePrimaryCtxRelease_v2",
    "cuCtxSetCurrent",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuStreamDestroy_v2",
    "cuEventCreate",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuEventDestroy_v2",
    "cuMemGetInfo_v2",
    "cuMemAllocAsync",
    "cuMemFreeAsync",
    "cuMemHostAlloc",
    "cuMemHostGetDevicePointer_v2",
    "cuMemFreeHost",
    "cuMemsetD8Async",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadDataEx",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuFuncSetAttribute",
    "cuLaunchKernelEx",
    "cuOccupancyMaxActiveBlocksPerMultiprocessor",
];

/// The number of GPUs, after checking that there is a driver, that it is complete, and
/// that it is new enough.
pub(super) fn devices() -> Result<u32, DeviceError> {
    // SAFETY: loading the library of a driver runs only its initialisers, which have no
    // preconditions.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    let version = driver_version()?;
    if version < OLDEST_DRIVER.0 {
        let found = format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(DeviceError::OldDriver { found, needed: OLDEST_DRIVER.1 });
    }
    // SAFETY: the library is present, as checked above; the functions are looked up but not
    // called, so their type does not matter.
    let has = |name: &&str| unsafe { sys::culib().get::<*const c_void>(name.as_bytes()).is_ok() };
    if !FUNCTIONS.iter().all(has) {
        return Err(DeviceError::BrokenDriver);
    }
    match result::init() {
        Err(e) if e.0 == CUresult::CUDA_ERROR_NO_DEVICE => return Ok(0),
        Err(e) => return Err(failed("cuInit", e)),
        Ok(()) => {}
    }
    let count = result::device::get_count().map_err(|e| failed("cuDeviceGetCount", e))?;
    Ok(count.max(0) as u32)
}

/// The CUDA version that the driver supports, 1000 · major + 10 · minor.
///
/// This asks the library directly, since the bindings would panic on an old library or on
/// a stub. The library must be present.
pub(super) fn driver_version() -> Result<c_int, DeviceError> {
    type Ask = unsafe extern "C" fn(*mut c_int) -> c_int;
    const SUCCESS: c_int = CUresult::CUDA_SUCCESS as c_int;
    const STUB: c_int = CUresult::CUDA_ERROR_STUB_LIBRARY as c_int;
    let mut version = 0;
    // SAFETY: callers have checked that the library is present. The function has had this
    // type in every release, and `version` outlives the call.
    let code = unsafe {
        let ask = sys::culib().get::<Ask>(b"cuDriverGetVersion\0");
        ask.map_err(|_| DeviceError::BrokenDriver)?(&raw mut version)
    };
    match code {
        SUCCESS => Ok(version),
        STUB => Err(DeviceError::StubDriver),
        _ => Err(DeviceError::BrokenDriver),
    }
}

/// The value of one attribute of a device.
fn attribute(
    device: sys::CUdevice,
    attribute: sys::CUdevice_attribute,
) -> Result<c_int, DeviceError> {
    // SAFETY: `device` is a handle from the driver, which is initialised.
    let value = unsafe { result::device::get_attribute(device, attribute) };
    value.map_err(|e| failed("cuDeviceGetAttribute", e))
}

pub(super) fn capability(device: sys::CUdevice) -> Result<Capability, DeviceError> {
    use sys::CUdevice_attribute as A;
    let major = attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(device, A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    Ok(Capability { major: major.unsigned_abs(), minor: minor.unsigned_abs() })
}

pub(super) fn multiprocessors(device: sys::CUdevice) -> Result<u32, DeviceError> {
    use sys::CUdevice_attribute as A;
    Ok(attribute(device, A::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?.max(1) as u32)
}

/// The most bytes of shared memory that a block can have.
pub(super) fn most_shared(device: sys::CUdevice) -> Result<u32, DeviceError> {
    use sys::CUdevice_attribute as A;
    let most = attribute(device, A::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
    Ok(most.max(0) as u32)
}

/// The error of a failed call. The text is ours, since a broken driver may lack the
/// function that describes errors.
pub(super) fn failed(call: &'static str, error: DriverError) -> DeviceError {
    if error.0 == CUresult::CUDA_ERROR_STUB_LIBRARY {
        return DeviceError::StubDriver;
    }
    DeviceError::Call { call, reason: describe(error.0) }
}

pub(super) fn describe(code: CUresult) -> String {
    use CUresult as R;
    let words = match code {
        R::CUDA_ERROR_OUT_OF_MEMORY => "out of memory",
        R::CUDA_ERROR_INVALID_VALUE => "an invalid value",
        R::CUDA_ERROR_ILLEGAL_ADDRESS => "a kernel accessed an invalid address",
        R::CUDA_ERROR_MISALIGNED_ADDRESS => "a kernel accessed a misaligned address",
        R::CUDA_ERROR_ILLEGAL_INSTRUCTION => "a kernel panicked",
        R::CUDA_ERROR_LAUNCH_FAILED => "a kernel failed",
        R::CUDA_ERROR_LAUNCH_TIMEOUT => "a kernel took longer than the display allows",
        R::CUDA_ERROR_INVALID_PTX => "the driver refuses the PTX",
        R::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => "the PTX is newer than the driver",
        R::CUDA_ERROR_NO_BINARY_FOR_GPU => "there is no code for this GPU",
        R::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => "the driver's PTX compiler is missing",
        R::CUDA_ERROR_ECC_UNCORRECTABLE => "an uncorrectable memory error",
        R::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => "driver and library do not belong together",
        _ => return format!("CUDA error {}", code as u32),
    };
    format!("{words} (CUDA error {})", code as u32)
}
