//! NVIDIA GPUs, through the CUDA driver.
//!
//! The driver library is loaded at run time. Before anything else is called, we check
//! whether there is a library, whether it is new enough and has every function that we
//! call, and whether it finds a device. Each check has its own error; none panics.

mod driver;
mod kernel;
mod launch;
mod nvtx;
mod post;
mod staging;
mod tape;

use std::borrow::Cow;
use std::ffi::{CString, c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use cudarc::driver::result;
use cudarc::driver::sys::{self, CUresult};

use driver::{capability, describe, devices, driver_version, failed, most_shared, multiprocessors};
pub use kernel::CudaKernel;
use kernel::CudaModule;
use launch::{Function, Text};
use post::Words;
use staging::Copies;
use tape::Tape;

use super::{
    Allocation, Capability, Device, DeviceError, DeviceMemory, EventKind, Grid, Part, Ptx,
    Recording,
};
use crate::device::SHARED;

/// An NVIDIA GPU.
#[derive(Debug)]
pub struct CudaDevice {
    card: Arc<Card>,
    name: String,
    ordinal: u32,
    copies: Copies,
    tape: OnceLock<Arc<Tape>>,
}

/// The primary context of a device, released when dropped.
#[derive(Debug)]
struct Context {
    device: sys::CUdevice,
    handle: sys::CUcontext,
}

impl Context {
    fn retain(device: sys::CUdevice) -> Result<Self, DeviceError> {
        // SAFETY: `device` is a handle from the driver; the context is released when this
        // value is dropped.
        let handle = unsafe { result::primary_ctx::retain(device) };
        Ok(Self { device, handle: handle.map_err(|e| failed("cuDevicePrimaryCtxRetain", e))? })
    }

    /// Makes the context current in this thread.
    fn bind(&self) -> Result<(), DeviceError> {
        // SAFETY: this value has retained the context.
        unsafe { result::ctx::set_current(self.handle) }.map_err(|e| failed("cuCtxSetCurrent", e))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // Nothing can be done if this fails.
        // SAFETY: `retain` retained the context once, and this value is no longer used.
        let _ = unsafe { result::primary_ctx::release(self.device) };
    }
}

/// The context of a device, our stream in it, and the properties of the device.
#[derive(Debug)]
struct Card {
    stream: sys::CUstream,
    /// Released after the stream is destroyed, since the stream is part of it.
    context: Context,
    capability: Capability,
    multiprocessors: u32,
    /// The most bytes of shared memory that a block can have.
    most_shared: u32,
    /// Whether the driver's compiler can use several threads.
    compiles_together: bool,
}

// SAFETY: the driver's handles may be used from any thread that has made the context
// current, as `Card::bind` does.
unsafe impl Send for Card {}
// SAFETY: as above; the driver API is thread-safe, and the other fields never change.
unsafe impl Sync for Card {}

/// The oldest compute capability that the PTX is for.
const OLDEST_DEVICE: Capability = Capability { major: 8, minor: 0 };

/// The first driver version with the option `CU_JIT_SPLIT_COMPILE`, and the number of the
/// option. It says how many threads compile the kernels of a module; 0 is one per core.
/// The number is written out because the bindings for CUDA 12 lack it, although a driver
/// for CUDA 13 accepts it from them.
const SPLIT_COMPILE: (c_int, c_uint) = (13000, 34);

impl CudaDevice {
    /// GPU number `ordinal`, from 0.
    ///
    /// # Errors
    /// [`DeviceError::NoDriver`], [`DeviceError::StubDriver`], [`DeviceError::BrokenDriver`]
    /// and [`DeviceError::OldDriver`] if there is no usable driver;
    /// [`DeviceError::NoDevice`], [`DeviceError::NoSuchDevice`] and
    /// [`DeviceError::OldDevice`] if there is no usable GPU of this number;
    /// [`DeviceError::Call`] if a call of the driver fails.
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
        if capability < OLDEST_DEVICE {
            let (found, needed) = (capability, OLDEST_DEVICE);
            return Err(DeviceError::OldDevice { name, found, needed });
        }
        let multiprocessors = multiprocessors(device)?;
        let most_shared = most_shared(device)?;
        let compiles_together = driver_version()? >= SPLIT_COMPILE.0;
        // If anything fails from here on, dropping the context releases it.
        let context = Context::retain(device)?;
        context.bind()?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking)
            .map_err(|e| failed("cuStreamCreate", e))?;
        let card = Arc::new(Card {
            stream,
            context,
            capability,
            multiprocessors,
            most_shared,
            compiles_together,
        });
        let copies = Copies::new(&card)?;
        Ok(Self { card, name, ordinal, copies, tape: OnceLock::new() })
    }

    /// How many GPUs the driver finds; 0 if there is no usable driver.
    pub fn count() -> u32 {
        devices().unwrap_or(0)
    }

    /// Records from now on what the device is asked to do. This costs some microseconds for
    /// each kernel and copy. Does nothing if it is recorded already.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if a call of the driver fails.
    pub fn record(&self) -> Result<(), DeviceError> {
        if self.tape.get().is_none() {
            // Another thread may have been faster.
            let _ = self.tape.set(Arc::new(Tape::new(&self.card)?));
        }
        Ok(())
    }

    /// What was recorded since [`record`](Self::record), or `None` without that. Waits for what
    /// is queued.
    ///
    /// # Errors
    /// [`DeviceError::Call`] if a call of the driver or queued work fails.
    pub fn recording(&self) -> Result<Option<Recording>, DeviceError> {
        self.tape.get().map(|tape| tape.recording()).transpose()
    }

    /// Calls the driver, and records that if anybody wants to know.
    fn taped<R>(
        &self,
        kind: EventKind,
        name: impl FnOnce() -> Cow<'static, str>,
        bytes: usize,
        call: impl FnOnce() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let Some(tape) = self.tape.get() else { return call() };
        self.card.bind()?;
        let begun = tape.begin(!matches!(kind, EventKind::Load | EventKind::Wait));
        let result = call();
        // A large copy may have made the context of another device current.
        self.card.bind()?;
        tape.end(begun, kind, name(), bytes as u64);
        result
    }
}

impl Card {
    /// Makes the context current in this thread.
    fn bind(&self) -> Result<(), DeviceError> {
        self.context.bind()
    }

    fn wait(&self) -> Result<(), DeviceError> {
        // SAFETY: the stream is destroyed only when the card is dropped.
        unsafe { result::stream::synchronize(self.stream) }
            .map_err(|e| failed("cuStreamSynchronize", e))
    }
}

impl Drop for Card {
    fn drop(&mut self) {
        // Nothing can be done if this fails; memory is freed when the process ends.
        let _ = self.bind();
        // SAFETY: everything that uses the stream holds the card, so nothing uses it any
        // more; it is synchronised before it is destroyed.
        unsafe {
            let _ = result::stream::synchronize(self.stream);
            let _ = result::stream::destroy(self.stream);
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
        // SAFETY: the memory was allocated on this stream and is freed once. The stream
        // frees it after all kernels that were queued before.
        let _ = unsafe { result::free_async(self.address, self.card.stream) };
    }
}

impl Device for CudaDevice {
    type Memory = CudaMemory;
    type Image = Ptx;
    type Kernel = CudaKernel;

    fn name(&self) -> String {
        self.name.clone()
    }

    fn ordinal(&self) -> u32 {
        self.ordinal
    }

    fn capability(&self) -> Capability {
        self.card.capability
    }

    fn memory(&self) -> Result<DeviceMemory, DeviceError> {
        self.card.bind()?;
        // Memory that is freed after a queued kernel counts as free once the kernel is done.
        self.card.wait()?;
        let (free, total) = result::mem_get_info().map_err(|e| failed("cuMemGetInfo", e))?;
        Ok(DeviceMemory { free: free as u64, size: total as u64 })
    }

    fn allocate(&self, bytes: u64) -> Result<CudaMemory, DeviceError> {
        self.card.bind()?;
        let bytes = bytes.max(1);
        // SAFETY: the context is current, and dropping the `CudaMemory` frees the memory on
        // the same stream.
        let address = unsafe { result::malloc_async(self.card.stream, bytes as usize) };
        let address = match address {
            Ok(address) => address,
            Err(e) if e.0 == CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                let free = self.memory()?.free;
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
        self.taped(
            EventKind::Fill,
            || "fill".into(),
            bytes,
            || {
                // SAFETY: the range lies within the allocation, as asserted.
                unsafe { result::memset_d8_async(address, byte, bytes, stream) }
                    .map_err(|e| failed("cuMemsetD8Async", e))
            },
        )
    }

    fn write(&self, memory: &CudaMemory, bytes: &[u8]) -> Result<(), DeviceError> {
        let copy = || self.copies.write(memory, bytes);
        self.taped(EventKind::Write, || "copy to the device".into(), bytes.len(), copy)
    }

    fn read(&self, memory: &CudaMemory, start: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let count = bytes.len();
        let copy = || self.copies.read(memory, start, bytes);
        self.taped(EventKind::Read, || "copy from the device".into(), count, copy)
    }

    fn take(
        &self,
        memory: &CudaMemory,
        start: u64,
        bytes: &mut [u8],
        zero: Range<u64>,
    ) -> Result<(), DeviceError> {
        let count = bytes.len();
        let Some(words) = Words::of(memory, start..start + count as u64, zero.clone()) else {
            self.read(memory, start, bytes)?;
            return self.fill(memory, zero, 0);
        };
        let copy = || self.copies.take(&words, bytes);
        self.taped(EventKind::Read, || "copy from the device".into(), count, copy)
    }

    fn wait(&self) -> Result<(), DeviceError> {
        self.card.bind()?;
        self.taped(EventKind::Wait, || "wait".into(), 0, || self.card.wait())
    }

    fn part(&self, name: impl FnOnce() -> String) -> Part {
        let tape = self.tape.get().cloned();
        if tape.is_none() && !nvtx::listened_to() {
            return Part::UNHEARD;
        }
        let name = name();
        let range = nvtx::range(&name);
        let begun = tape.map(|tape| (tape.begin(false), tape));
        Part::new(move || {
            drop(range);
            if let Some((begun, tape)) = begun {
                tape.end(begun, EventKind::Part, name.into(), 0);
            }
        })
    }

    fn load(&self, image: &Ptx, names: &[String]) -> Result<Vec<CudaKernel>, DeviceError> {
        self.card.bind()?;
        let missing = |name: &str| DeviceError::NoKernel { name: name.into() };
        let refuse = |reason: String| DeviceError::Load { names: names.join(", "), reason };
        let text = image.only(names).map_err(missing)?;
        let Text { ptx, waits } = Text::new(text, self.card.capability);
        let text = CString::new(ptx).map_err(|_| refuse("a zero byte in the PTX".into()))?;
        let mut log = [0u8; 2048];
        let mut options: [c_uint; 3] = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER as c_uint,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES as c_uint,
            SPLIT_COMPILE.1,
        ];
        let mut values = [log.as_mut_ptr().cast(), log.len() as *mut c_void, std::ptr::null_mut()];
        let given = options.len() - usize::from(!self.card.compiles_together);
        let mut module = std::ptr::null_mut();
        let described = || format!("load {}", names.join(", ")).into();
        let code = self.taped(EventKind::Load, described, text.count_bytes(), || {
            // SAFETY: the text ends with a zero byte. Each option has its value, and the driver
            // knows all `given` options. The log outlives the call, and its length is given.
            Ok(unsafe {
                sys::cuModuleLoadDataEx(
                    &raw mut module,
                    text.as_ptr().cast(),
                    given as c_uint,
                    options.as_mut_ptr().cast(),
                    values.as_mut_ptr(),
                )
            })
        })?;
        if code != CUresult::CUDA_SUCCESS {
            let said = log.split(|byte| *byte == 0).next().unwrap_or(&[]);
            let said = String::from_utf8_lossy(said);
            let said = said.lines().next().unwrap_or("");
            let between = if said.is_empty() { "" } else { ": " };
            return Err(refuse(format!("{}{between}{said}", describe(code))));
        }
        let module = Arc::new(CudaModule { card: Arc::clone(&self.card), module });
        let kernel = |name: &String| {
            let symbol = CString::new(name.as_str()).map_err(|_| missing(name))?;
            // SAFETY: `module` is loaded, and the kernel keeps it.
            let handle = unsafe { result::module::get_function(module.module, symbol) };
            let handle = handle.map_err(|e| match e.0 {
                CUresult::CUDA_ERROR_NOT_FOUND => missing(name),
                _ => failed("cuModuleGetFunction", e),
            })?;
            let function = Function { handle, waits };
            let (permitted, module) = (Arc::default(), Arc::clone(&module));
            Ok(CudaKernel { function, name: name.as_str().into(), permitted, _module: module })
        };
        names.iter().map(kernel).collect()
    }

    fn shared(&self) -> u32 {
        self.card.most_shared.saturating_sub(SHARED)
    }

    fn multiprocessors(&self) -> u32 {
        self.card.multiprocessors
    }

    fn together(&self, kernel: &CudaKernel, threads: u32, shared: u32) -> Result<u32, DeviceError> {
        self.card.bind()?;
        kernel.permit(shared)?;
        // SAFETY: the kernel keeps its module loaded.
        let each = unsafe {
            result::occupancy::max_active_block_per_multiprocessor(
                kernel.function.handle,
                threads as c_int,
                shared as usize,
            )
        };
        let each = each.map_err(|e| failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", e))?;
        Ok((each.max(1) as u32).saturating_mul(self.card.multiprocessors))
    }

    unsafe fn launch<A: Copy>(
        &self,
        kernel: &CudaKernel,
        grid: Grid,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        self.card.bind()?;
        let mut parameters = [std::ptr::from_ref(arguments).cast_mut().cast::<c_void>()];
        let stream = self.card.stream;
        kernel.permit(grid.shared)?;
        let named = || kernel.name.to_string().into();
        self.taped(EventKind::Kernel, named, 0, || {
            // SAFETY: the caller promises that the kernel takes this argument block and that its
            // addresses are valid. The kernel keeps its module loaded, and the card its stream.
            unsafe { kernel.function.launch(stream, grid, &mut parameters) }
        })
    }
}
