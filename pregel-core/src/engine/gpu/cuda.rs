//! A real device, by the CUDA driver.
//!
//! The driver library is loaded at run time. Before anything else is called we
//! ask whether it is there, whether it is new enough to have all that we call,
//! and whether it finds a device; each has its own error, and none a panic.

use std::ffi::{CString, c_int, c_uint, c_void};
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::sys::{self, CUresult};
use rayon::prelude::*;

use super::device::{Allocation, Device, DeviceError};
use super::images::Ptx;
use crate::device::BLOCK;

/// An NVIDIA GPU.
#[derive(Debug)]
pub struct CudaDevice {
    card: Arc<Card>,
    name: String,
    ordinal: u32,
    staging: Mutex<Staging>,
    /// For copies of at most [`TINY`] bytes from the device.
    scratch: Mutex<Staging>,
}

/// A context and a stream of our own.
#[derive(Debug)]
struct Card {
    device: sys::CUdevice,
    context: sys::CUcontext,
    stream: sys::CUstream,
}

// SAFETY: the driver's handles may be used from any thread that makes the
// context current first, as `Card::bind` does.
unsafe impl Send for Card {}
// SAFETY: as above; the driver synchronises its own state.
unsafe impl Sync for Card {}

/// The oldest driver that loads PTX 7.8 for all that we support, and that has
/// every function of the bindings for CUDA 12.0.
const OLDEST_DRIVER: (c_int, &str) = (12000, "12.0");

/// The PTX is for compute capability 8.0 and later.
const OLDEST_DEVICE: ((c_int, c_int), &str) = ((8, 0), "8.0");

impl CudaDevice {
    /// GPU number `ordinal`, from 0.
    ///
    /// # Errors
    /// [`DeviceError`] says what is missing.
    pub fn open(ordinal: u32) -> Result<Self, DeviceError> {
        let found = devices()?;
        if found == 0 {
            return Err(DeviceError::NoDevice);
        }
        if ordinal >= found {
            return Err(DeviceError::NoSuchDevice { wanted: ordinal, found });
        }
        let device = result::device::get(ordinal as c_int).map_err(|e| failed("cuDeviceGet", e))?;
        let name = result::device::get_name(device).map_err(|e| failed("cuDeviceGetName", e))?;
        let capability = capability(device)?;
        if capability < OLDEST_DEVICE.0 {
            let found = format!("{}.{}", capability.0, capability.1);
            return Err(DeviceError::OldDevice { name, found, needed: OLDEST_DEVICE.1 });
        }
        // SAFETY: the device exists; the context is released with the card.
        let context = unsafe { result::primary_ctx::retain(device) };
        let context = context.map_err(|e| failed("cuDevicePrimaryCtxRetain", e))?;
        // SAFETY: the context was just retained.
        unsafe { result::ctx::set_current(context) }.map_err(|e| failed("cuCtxSetCurrent", e))?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking)
            .map_err(|e| failed("cuStreamCreate", e))?;
        let card = Arc::new(Card { device, context, stream });
        let staging =
            |part| Mutex::new(Staging { card: Arc::clone(&card), part, buffers: Vec::new() });
        let (staging, scratch) = (staging(PART), staging(TINY));
        Ok(Self { card, name, ordinal, staging, scratch })
    }

    /// How many GPUs the driver finds; 0 when there is no driver or it is
    /// unusable.
    pub fn count() -> u32 {
        devices().unwrap_or(0)
    }
}

/// Every function of the driver that is called here. The bindings look them up
/// one by one and panic where one is missing, so they are looked for before.
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
    "cuMemFreeHost",
    "cuMemsetD8Async",
    "cuMemcpyHtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuModuleLoadDataEx",
    "cuModuleGetFunction",
    "cuModuleUnload",
    "cuLaunchKernel",
];

/// How many GPUs there are, by a driver that is there, whole, and new enough.
fn devices() -> Result<u32, DeviceError> {
    // SAFETY: looks for a library.
    if !unsafe { sys::is_culib_present() } {
        return Err(DeviceError::NoDriver);
    }
    let version = driver_version()?;
    if version < OLDEST_DRIVER.0 {
        let found = format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(DeviceError::OldDriver { found, needed: OLDEST_DRIVER.1 });
    }
    // SAFETY: the library is there; the functions are not called.
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
/// Asked of the library itself: an old one, or one that is none, must not get
/// as far as the bindings.
fn driver_version() -> Result<c_int, DeviceError> {
    type Ask = unsafe extern "C" fn(*mut c_int) -> c_int;
    const SUCCESS: c_int = CUresult::CUDA_SUCCESS as c_int;
    const STUB: c_int = CUresult::CUDA_ERROR_STUB_LIBRARY as c_int;
    let mut version = 0;
    // SAFETY: the library is there; the function has had this type since it
    // was first released.
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

fn capability(device: sys::CUdevice) -> Result<(c_int, c_int), DeviceError> {
    use sys::CUdevice_attribute as A;
    let ask = |attribute| {
        // SAFETY: the device exists.
        let value = unsafe { result::device::get_attribute(device, attribute) };
        value.map_err(|e| failed("cuDeviceGetAttribute", e))
    };
    Ok((
        ask(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
        ask(A::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
    ))
}

/// Says what failed. The driver's own words are not asked for: a broken driver
/// may lack them.
fn failed(call: &'static str, error: DriverError) -> DeviceError {
    if error.0 == CUresult::CUDA_ERROR_STUB_LIBRARY {
        return DeviceError::StubDriver;
    }
    DeviceError::Call { call, reason: describe(error.0) }
}

fn describe(code: CUresult) -> String {
    use CUresult as R;
    let words = match code {
        R::CUDA_ERROR_OUT_OF_MEMORY => "out of memory",
        R::CUDA_ERROR_INVALID_VALUE => "an invalid value",
        R::CUDA_ERROR_ILLEGAL_ADDRESS => "a kernel touched memory that is not its own",
        R::CUDA_ERROR_MISALIGNED_ADDRESS => "a kernel touched memory at an odd address",
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

impl Card {
    /// Makes the context current in this thread.
    fn bind(&self) -> Result<(), DeviceError> {
        // SAFETY: the context lives as long as the card.
        unsafe { result::ctx::set_current(self.context) }.map_err(|e| failed("cuCtxSetCurrent", e))
    }

    fn wait(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream lives as long as the card.
        unsafe { result::stream::synchronize(self.stream) }
            .map_err(|e| failed("cuStreamSynchronize", e))
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // What fails here cannot be mended, and memory returns with the process.
        let _ = self.bind();
        // SAFETY: nobody else has the stream, and all work on it is done.
        unsafe {
            let _ = result::stream::synchronize(self.stream);
            let _ = result::stream::destroy(self.stream);
            let _ = result::primary_ctx::release(self.device);
        }
    }
}

/// Memory of a GPU.
#[derive(Debug)]
pub struct CudaMemory {
    card: Arc<Card>,
    address: sys::CUdeviceptr,
    bytes: u64,
}

impl Allocation for CudaMemory {
    fn address(&self) -> u64 {
        self.address
    }
}

impl Drop for CudaMemory {
    fn drop(&mut self) {
        let _ = self.card.bind();
        // SAFETY: allocated on this stream; kernels queued before still have it.
        let _ = unsafe { result::free_async(self.address, self.card.stream) };
    }
}

/// Loaded kernels.
pub struct CudaModule {
    card: Arc<Card>,
    module: sys::CUmodule,
}

impl fmt::Debug for CudaModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CudaModule").finish_non_exhaustive()
    }
}

// SAFETY: as `Card`.
unsafe impl Send for CudaModule {}
// SAFETY: as `Card`.
unsafe impl Sync for CudaModule {}

impl Drop for CudaModule {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let _ = self.card.wait();
        // SAFETY: no kernel of the module runs any more.
        let _ = unsafe { result::module::unload(self.module) };
    }
}

/// A kernel; its session keeps the module.
#[derive(Clone, Copy, Debug)]
pub struct CudaKernel(sys::CUfunction);

// SAFETY: as `Card`.
unsafe impl Send for CudaKernel {}
// SAFETY: as `Card`.
unsafe impl Sync for CudaKernel {}

/// Page-locked memory through which large copies go, one part being copied
/// while the next is filled.
#[derive(Debug)]
struct Staging {
    card: Arc<Card>,
    /// Bytes of a buffer.
    part: usize,
    buffers: Vec<Pinned>,
}

/// One part.
#[derive(Debug)]
struct Pinned {
    address: *mut u8,
    /// The last copy that used it.
    copied: sys::CUevent,
}

// SAFETY: the memory is reached through the mutex around `Staging` only.
unsafe impl Send for Pinned {}

/// Bytes of a part.
const PART: usize = 16 << 20;

/// Copies below this go directly.
const SMALL: usize = 1 << 20;

/// What every superstep reads back fits this.
const TINY: usize = 4096;

impl Staging {
    fn buffers(&mut self) -> Result<&[Pinned], DeviceError> {
        while self.buffers.len() < 2 {
            // SAFETY: allocates; freed on drop.
            let address = unsafe { result::malloc_host(self.part, 0) };
            let address = address.map_err(|e| failed("cuMemHostAlloc", e))?.cast::<u8>();
            let copied = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
                .map_err(|e| failed("cuEventCreate", e))?;
            self.buffers.push(Pinned { address, copied });
        }
        Ok(&self.buffers)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let _ = self.card.wait();
        for buffer in &self.buffers {
            // SAFETY: made by `buffers`, and no copy uses them any more.
            unsafe {
                let _ = result::free_host(buffer.address.cast());
                let _ = result::event::destroy(buffer.copied);
            }
        }
    }
}

/// Copies with all cores.
fn copy(from: &[u8], to: &mut [u8]) {
    const EACH: usize = 1 << 20;
    let pairs = to.par_chunks_mut(EACH).zip(from.par_chunks(EACH));
    pairs.for_each(|(to, from)| to.copy_from_slice(from));
}

impl Device for CudaDevice {
    type Memory = CudaMemory;
    type Image = Ptx;
    type Module = CudaModule;
    type Kernel = CudaKernel;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn ordinal(&self) -> u32 {
        self.ordinal
    }

    fn memory(&self) -> Result<(u64, u64), DeviceError> {
        self.card.bind()?;
        // Memory freed behind a kernel counts once that is done.
        self.card.wait()?;
        let (free, total) = result::mem_get_info().map_err(|e| failed("cuMemGetInfo", e))?;
        Ok((free as u64, total as u64))
    }

    fn allocate(&self, bytes: u64) -> Result<CudaMemory, DeviceError> {
        self.card.bind()?;
        let bytes = bytes.max(1);
        // SAFETY: the allocation is freed on the same stream.
        let address = unsafe { result::malloc_async(self.card.stream, bytes as usize) };
        let address = match address {
            Ok(address) => address,
            Err(e) if e.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let (free, _) = self.memory()?;
                return Err(DeviceError::Memory { needed: bytes, free });
            }
            Err(e) => return Err(failed("cuMemAllocAsync", e)),
        };
        Ok(CudaMemory { card: Arc::clone(&self.card), address, bytes })
    }

    fn fill(&self, memory: &CudaMemory, at: Range<u64>, byte: u8) -> Result<(), DeviceError> {
        assert!(at.start <= at.end && at.end <= memory.bytes);
        self.card.bind()?;
        let (address, bytes) = (memory.address + at.start, (at.end - at.start) as usize);
        let stream = self.card.stream;
        if bytes == 0 {
            return Ok(());
        }
        // SAFETY: as asserted, the range lies within the allocation.
        unsafe { result::memset_d8_async(address, byte, bytes, stream) }
            .map_err(|e| failed("cuMemsetD8Async", e))
    }

    fn write(&self, memory: &CudaMemory, bytes: &[u8]) -> Result<(), DeviceError> {
        assert!(bytes.len() as u64 <= memory.bytes);
        self.card.bind()?;
        let stream = self.card.stream;
        if bytes.len() <= SMALL {
            // SAFETY: the allocation has room; the bytes are not needed after
            // the call, since they are not page-locked.
            return unsafe { result::memcpy_htod_async(memory.address, bytes, stream) }
                .map_err(|e| failed("cuMemcpyHtoDAsync", e));
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let buffers = staging.buffers()?;
        for (i, part) in bytes.chunks(PART).enumerate() {
            let buffer = &buffers[i % 2];
            // SAFETY: the buffer has `PART` bytes and, after the event, no
            // copy uses it; the target lies within the allocation.
            unsafe {
                result::event::synchronize(buffer.copied)
                    .map_err(|e| failed("cuEventSynchronize", e))?;
                let room = std::slice::from_raw_parts_mut(buffer.address, part.len());
                copy(part, room);
                let target = memory.address + (i * PART) as u64;
                result::memcpy_htod_async(target, room, stream)
                    .map_err(|e| failed("cuMemcpyHtoDAsync", e))?;
                result::event::record(buffer.copied, stream)
                    .map_err(|e| failed("cuEventRecord", e))?;
            }
        }
        Ok(())
    }

    fn read(&self, memory: &CudaMemory, start: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        assert!(start + bytes.len() as u64 <= memory.bytes);
        self.card.bind()?;
        let (from, stream) = (memory.address + start, self.card.stream);
        if bytes.len() <= TINY {
            let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
            let buffer = &scratch.buffers()?[0];
            // SAFETY: the buffer has `TINY` bytes, nobody else uses it while it
            // is locked, and the copy is done after the wait.
            unsafe {
                let room = std::slice::from_raw_parts_mut(buffer.address, bytes.len());
                result::memcpy_dtoh_async(room, from, stream)
                    .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
                self.card.wait()?;
                bytes.copy_from_slice(room);
            }
            return Ok(());
        }
        if bytes.len() <= SMALL {
            // SAFETY: the source lies within the allocation; we wait for the
            // copy before the borrow ends.
            unsafe { result::memcpy_dtoh_async(bytes, from, stream) }
                .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
            return self.card.wait();
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let buffers = staging.buffers()?;
        // SAFETY: the buffers have `PART` bytes each; a part is copied out once
        // its event has passed, and only then used again; sources lie within
        // the allocation.
        unsafe {
            let fetch = |i: usize, len: usize| {
                let room = std::slice::from_raw_parts_mut(buffers[i % 2].address, len);
                result::memcpy_dtoh_async(room, from + (i * PART) as u64, stream)
                    .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
                result::event::record(buffers[i % 2].copied, stream)
                    .map_err(|e| failed("cuEventRecord", e))
            };
            let lengths: Vec<usize> = bytes.chunks(PART).map(<[u8]>::len).collect();
            fetch(0, lengths[0])?;
            for (i, part) in bytes.chunks_mut(PART).enumerate() {
                if let Some(next) = lengths.get(i + 1) {
                    fetch(i + 1, *next)?;
                }
                let buffer = &buffers[i % 2];
                result::event::synchronize(buffer.copied)
                    .map_err(|e| failed("cuEventSynchronize", e))?;
                copy(std::slice::from_raw_parts(buffer.address, part.len()), part);
            }
        }
        Ok(())
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.card.bind()?;
        self.card.wait()
    }

    fn load(&self, image: &Ptx) -> Result<CudaModule, DeviceError> {
        self.card.bind()?;
        let name = || {
            let entry = image.0.split(".entry ").nth(1).unwrap_or("?");
            entry.split("__").next().unwrap_or("?").to_owned()
        };
        let refuse = |reason: String| DeviceError::Load { image: name(), reason };
        let text = CString::new(image.0).map_err(|_| refuse("a zero byte in the PTX".into()))?;
        let mut log = [0u8; 2048];
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        let mut values = [log.as_mut_ptr().cast::<c_void>(), log.len() as *mut c_void];
        let mut module = std::ptr::null_mut();
        // SAFETY: the text ends with a zero; options and values agree.
        let code = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut module,
                text.as_ptr().cast(),
                options.len() as c_uint,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        if code != CUresult::CUDA_SUCCESS {
            let said = log.split(|byte| *byte == 0).next().unwrap_or(&[]);
            let said = String::from_utf8_lossy(said);
            let said = said.lines().next().unwrap_or("");
            let between = if said.is_empty() { "" } else { ": " };
            return Err(refuse(format!("{}{between}{said}", describe(code))));
        }
        Ok(CudaModule { card: Arc::clone(&self.card), module })
    }

    fn kernel(&self, module: &CudaModule, name: &str) -> Result<CudaKernel, DeviceError> {
        self.card.bind()?;
        let missing = || DeviceError::NoKernel { name: name.into() };
        let symbol = CString::new(name).map_err(|_| missing())?;
        // SAFETY: the module is loaded.
        let kernel = unsafe { result::module::get_function(module.module, symbol) };
        kernel.map(CudaKernel).map_err(|e| match e.0 {
            CUresult::CUDA_ERROR_NOT_FOUND => missing(),
            _ => failed("cuModuleGetFunction", e),
        })
    }

    unsafe fn launch<A: Copy>(
        &self,
        kernel: &CudaKernel,
        blocks: u32,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        self.card.bind()?;
        let mut parameters = [std::ptr::from_ref(arguments).cast_mut().cast::<c_void>()];
        // SAFETY: the caller promises the right argument block, which the
        // driver copies before it returns.
        unsafe {
            result::launch_kernel(
                kernel.0,
                (blocks, 1, 1),
                (BLOCK, 1, 1),
                0,
                self.card.stream,
                &mut parameters,
            )
        }
        .map_err(|e| failed("cuLaunchKernel", e))
    }
}
