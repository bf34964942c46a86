//! What the engine needs of a device.

use std::ops::Range;

use super::Image;

/// Something that holds memory and runs kernels: a GPU, or an emulation.
///
/// Work is queued in order and runs behind the caller's back; [`Device::read`]
/// and [`Device::wait`] wait for it.
pub trait Device: Send + Sync + Sized + 'static {
    /// An allocation; freed when dropped.
    type Memory: Allocation;
    /// Kernels in the form that the device loads.
    type Image: Image;
    /// One kernel, loaded as long as it is kept.
    type Kernel: Clone + Send + Sync;

    /// The device in a few words, for reports.
    fn name(&self) -> String;
    /// Number of the device among those of its kind.
    fn ordinal(&self) -> u32;
    /// Compute capability, major and minor; (0, 0) if it has none.
    fn capability(&self) -> (u32, u32) {
        (0, 0)
    }
    /// Bytes of memory that are free, and that there are.
    fn memory(&self) -> Result<(u64, u64), DeviceError>;
    /// So many bytes, of any content, aligned for any type. At least 1.
    fn allocate(&self, bytes: u64) -> Result<Self::Memory, DeviceError>;
    /// Queues writing the same byte into this range of bytes.
    fn fill(&self, memory: &Self::Memory, at: Range<u64>, byte: u8) -> Result<(), DeviceError>;
    /// Copies to the device, to the beginning of `memory`.
    fn write(&self, memory: &Self::Memory, bytes: &[u8]) -> Result<(), DeviceError>;
    /// Waits for all queued work and copies from the device, from byte `start`.
    fn read(&self, memory: &Self::Memory, start: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;
    /// Waits for all queued work.
    fn wait(&self) -> Result<(), DeviceError>;
    /// Loads the kernels of these names, one or more, compiling them if need
    /// be. Several threads may do so at a time.
    fn load(&self, image: &Self::Image, names: &[String])
    -> Result<Vec<Self::Kernel>, DeviceError>;
    /// The most bytes of shared memory that a launch can give each block, beside the
    /// [`SHARED`](crate::device::SHARED) of its kernel.
    fn shared(&self) -> u32;
    /// How many blocks of so many threads, and so many bytes given at launch, the
    /// device holds at a time; at least 1.
    fn together(
        &self,
        kernel: &Self::Kernel,
        threads: u32,
        shared: u32,
    ) -> Result<u32, DeviceError>;
    /// Queues a kernel, with `arguments` as its argument block.
    ///
    /// # Safety
    /// The kernel takes a block of this type, whose addresses are of live
    /// allocations of the sizes that the kernel's documentation asks for.
    unsafe fn launch<A: Copy>(
        &self,
        kernel: &Self::Kernel,
        grid: Grid,
        arguments: &A,
    ) -> Result<(), DeviceError>;
}

/// On how many threads a kernel runs, and what they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    /// Blocks.
    pub blocks: u32,
    /// Threads of each block.
    pub threads: u32,
    /// Bytes of shared memory for each block, at most [`Device::shared`].
    pub shared: u32,
    /// Whether the blocks wait for each other, so that all must be on the device
    /// at a time; no more than [`Device::together`] then.
    pub together: bool,
}

/// Memory on a device.
pub trait Allocation {
    /// Its address.
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
    /// The driver library lacks something that every driver of the version has.
    #[error("the NVIDIA driver library is incomplete; install the driver anew, or run on the CPU")]
    BrokenDriver,
    /// The library is the one of the CUDA toolkit that programs are linked with,
    /// and does nothing.
    #[error(
        "the library libcuda that was found is the stub of the CUDA toolkit, not a driver; take \
         its folder out of LD_LIBRARY_PATH, install the driver, or run on the CPU"
    )]
    StubDriver,
    /// The driver cannot run what we need.
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
    /// There are fewer devices.
    #[error("there is no GPU number {wanted}: the driver finds {found}, numbered from 0")]
    NoSuchDevice {
        /// The number asked for.
        wanted: u32,
        /// How many there are.
        found: u32,
    },
    /// Too old a device.
    #[error("{name} has compute capability {found}, but {needed} is needed")]
    OldDevice {
        /// Its name.
        name: String,
        /// What it can do.
        found: String,
        /// What it would have to.
        needed: &'static str,
    },
    /// An allocation that does not fit.
    #[error("no room for {needed} bytes on the GPU: {free} bytes are free")]
    Memory {
        /// Bytes asked for.
        needed: u64,
        /// Bytes free then.
        free: u64,
    },
    /// Kernels cannot be loaded.
    #[error("the kernels «{names}» do not load: {reason}")]
    Load {
        /// Their names.
        names: String,
        /// What the driver says.
        reason: String,
    },
    /// A kernel is not there.
    #[error("the image has no kernel «{name}»; was it built for this version?")]
    NoKernel {
        /// Its name.
        name: String,
    },
    /// A call failed, or a kernel before it.
    #[error("{call} failed on the GPU: {reason}")]
    Call {
        /// What was called.
        call: &'static str,
        /// What the driver says.
        reason: String,
    },
}
