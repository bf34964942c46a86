//! The interface between the engine and a device.

use std::fmt;
use std::ops::Range;

use super::{Image, Part};

/// The compute capability of an NVIDIA GPU: what its hardware can do. Ordered by age.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Capability {
    /// 9 of 9.0.
    pub major: u32,
    /// 0 of 9.0.
    pub minor: u32,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// The memory of a device, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceMemory {
    /// How much can still be allocated.
    pub free: u64,
    /// How much there is, used or not.
    pub size: u64,
}

/// Something that holds memory and runs kernels: a GPU or the emulator.
///
/// Work is queued and runs asynchronously, in order; [`Device::read`] and [`Device::wait`]
/// wait for it. An error can therefore be that of a kernel that was queued earlier.
pub trait Device: Send + Sync + Sized + 'static {
    /// An allocation; freed when dropped.
    type Memory: Allocation;
    /// Kernels in the form that the device loads.
    type Image: Image;
    /// A kernel, which stays loaded as long as this value lives.
    type Kernel: Clone + Send + Sync;

    /// Name of the device, for reports.
    fn name(&self) -> String;
    /// Number of the device among those of its kind.
    fn ordinal(&self) -> u32;
    /// Compute capability; 0.0 if it has none.
    fn capability(&self) -> Capability {
        Capability::default()
    }
    /// How much memory it has. May wait.
    ///
    /// # Errors
    /// If the device fails.
    fn memory(&self) -> Result<DeviceMemory, DeviceError>;
    /// Allocates at least this many bytes, and at least 1, with arbitrary content, aligned
    /// to 256 bytes.
    ///
    /// # Errors
    /// [`DeviceError::Memory`] if there is not enough memory.
    fn allocate(&self, bytes: u64) -> Result<Self::Memory, DeviceError>;
    /// Queues setting the bytes in this range of `memory` to `byte`.
    ///
    /// # Errors
    /// If the device fails.
    fn fill(&self, memory: &Self::Memory, at: Range<u64>, byte: u8) -> Result<(), DeviceError>;
    /// Copies `bytes` to the start of `memory`, after all work that is already queued.
    ///
    /// # Errors
    /// If the device fails.
    fn write(&self, memory: &Self::Memory, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Waits for all queued work, and copies from `memory`, beginning at byte `start`.
    ///
    /// # Errors
    /// If the device or queued work fails.
    fn read(&self, memory: &Self::Memory, start: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;
    /// Copies as [`read`](Self::read) does, and then queues setting the bytes in the range `zero`
    /// of `memory` to 0.
    ///
    /// # Errors
    /// If the device or queued work fails.
    fn take(
        &self,
        memory: &Self::Memory,
        start: u64,
        bytes: &mut [u8],
        zero: Range<u64>,
    ) -> Result<(), DeviceError> {
        self.read(memory, start, bytes)?;
        self.fill(memory, zero, 0)
    }
    /// Waits for all queued work.
    ///
    /// # Errors
    /// If the device or queued work fails.
    fn wait(&self) -> Result<(), DeviceError>;
    /// Until the returned value is dropped, what the device is asked to do counts as a part of
    /// the work with this name, for profilers and recordings. `name` is called only if there is a
    /// listener.
    fn part(&self, name: impl FnOnce() -> String) -> Part {
        let _ = name;
        Part::UNHEARD
    }
    /// Loads the kernels with these names, at least one, and compiles them if necessary.
    /// Several threads may load kernels at the same time.
    ///
    /// # Errors
    /// [`DeviceError::NoKernel`] if the image lacks one of them, [`DeviceError::Load`] if
    /// they cannot be loaded.
    fn load(&self, image: &Self::Image, names: &[String])
    -> Result<Vec<Self::Kernel>, DeviceError>;
    /// The most bytes of shared memory that a launch can give each block, in addition to
    /// the [`SHARED`](crate::device::SHARED) bytes of its kernel.
    fn shared(&self) -> u32;
    /// How many multiprocessors it has: blocks with all of that memory that it holds at a time.
    fn multiprocessors(&self) -> u32;
    /// How many blocks with this many threads, and this many bytes of shared memory given
    /// at launch, the device holds at a time; at least 1.
    ///
    /// # Errors
    /// If the device fails.
    fn together(
        &self,
        kernel: &Self::Kernel,
        threads: u32,
        shared: u32,
    ) -> Result<u32, DeviceError>;
    /// Queues a kernel with `arguments` as its argument block.
    ///
    /// # Errors
    /// If the device cannot launch the kernel, or has failed before.
    ///
    /// # Safety
    /// The kernel must take an argument block of type `A`. Every address in it must be that
    /// of an allocation on this device that is not freed before the kernel is queued, and
    /// with the size and the content that the kernel's documentation asks for.
    unsafe fn launch<A: Copy>(
        &self,
        kernel: &Self::Kernel,
        grid: Grid,
        arguments: &A,
    ) -> Result<(), DeviceError>;
}

/// The size of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks.
    pub blocks: u32,
    /// Threads per block.
    pub threads: u32,
    /// Bytes of shared memory per block, at most [`Device::shared`].
    pub shared: u32,
    /// Whether blocks wait for each other, so that all must be on the device at the same
    /// time. Then there may be at most [`Device::together`] blocks.
    pub together: bool,
}

/// Memory on a device.
pub trait Allocation: Send + Sync {
    /// Its device address.
    fn address(&self) -> u64;
}

/// What goes wrong on a device.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no driver library.
    #[error(
        "there is no NVIDIA driver: the library libcuda was not found; install the driver, or \
         run on the CPU"
    )]
    NoDriver,
    /// The driver library lacks a function that every driver of its version has.
    #[error("the NVIDIA driver library is incomplete; reinstall the driver, or run on the CPU")]
    BrokenDriver,
    /// The library is the stub of the CUDA toolkit, which programs are only linked with.
    #[error(
        "the library libcuda that was found is the stub of the CUDA toolkit, not a driver; take \
         its directory out of LD_LIBRARY_PATH, install the driver, or run on the CPU"
    )]
    StubDriver,
    /// The driver is too old.
    #[error(
        "the NVIDIA driver supports CUDA {found}, but {needed} is needed; update the driver, or \
         run on the CPU"
    )]
    OldDriver {
        /// The driver's CUDA version.
        found: String,
        /// The oldest that works.
        needed: &'static str,
    },
    /// There is a driver, but no device.
    #[error("the NVIDIA driver finds no GPU; check `nvidia-smi`, or run on the CPU")]
    NoDevice,
    /// There is no device with this number.
    #[error("there is no GPU number {wanted}: the driver finds {found}, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        wanted: u32,
        /// How many there are.
        found: u32,
    },
    /// The device is too old.
    #[error("{name} has compute capability {found}, but {needed} is needed")]
    OldDevice {
        /// Its name.
        name: String,
        /// Its compute capability.
        found: Capability,
        /// The oldest compute capability that will do.
        needed: Capability,
    },
    /// There is not enough free memory for an allocation.
    #[error("no room for {needed} bytes on the GPU: {free} bytes are free")]
    Memory {
        /// The size of the allocation in bytes.
        needed: u64,
        /// Bytes that were free.
        free: u64,
    },
    /// The kernels cannot be loaded.
    #[error("the kernels «{names}» do not load: {reason}")]
    Load {
        /// Their names.
        names: String,
        /// What the driver says.
        reason: String,
    },
    /// The image lacks a kernel.
    #[error("the image has no kernel «{name}»; was it built for this version?")]
    NoKernel {
        /// Its name.
        name: String,
    },
    /// A call failed, or a kernel that was queued before it.
    #[error("{call} failed on the GPU: {reason}")]
    Call {
        /// The function that was called.
        call: &'static str,
        /// What the driver says.
        reason: String,
    },
}
