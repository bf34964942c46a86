//! The emulator as a device of the GPU engine.

use std::alloc::{Layout, alloc, dealloc};
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pregel_core::engine::gpu::{Allocation, Device, DeviceError, DeviceMemory, Grid, Part};
use pregel_gpu_kernels::host::{Kernel, Kernels};

use crate::memory::Memory;
use crate::run::run;

/// Is told the name of each part of the work that begins, and of each that ends.
type Listener = Arc<dyn Fn(&str, PartEvent) + Send + Sync>;

/// Whether a part of the work begins or ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartEvent {
    /// It begins.
    Begins,
    /// It ends.
    Ends,
}

/// A device that runs kernels on the host, one lane at a time.
pub struct Emulator {
    memory: Arc<Memory>,
    capacity: u64,
    shared: u32,
    loads: AtomicU64,
    given: AtomicU32,
    /// Held by whatever reads or writes device memory, as if in the order of one queue.
    queue: Mutex<()>,
    listener: Option<Listener>,
}

impl fmt::Debug for Emulator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emulator")
            .field("memory", &self.memory)
            .field("capacity", &self.capacity)
            .finish_non_exhaustive()
    }
}

impl Emulator {
    /// An emulated device of 1 TiB.
    pub fn new() -> Self {
        Self::with_memory(1 << 40)
    }

    /// An emulated device with this many bytes of memory.
    pub fn with_memory(capacity: u64) -> Self {
        Self {
            memory: Arc::default(),
            capacity,
            shared: SHARED,
            loads: AtomicU64::new(0),
            given: AtomicU32::new(0),
            queue: Mutex::new(()),
            listener: None,
        }
    }

    /// The same, where a launch can give each block this many bytes of shared memory.
    #[must_use]
    pub fn with_shared(self, shared: u32) -> Self {
        Self { shared, ..self }
    }

    /// The same with a listener, which is told of the parts of the work as a profiler would be.
    #[must_use]
    pub fn with_listener(self, listener: impl Fn(&str, PartEvent) + Send + Sync + 'static) -> Self {
        Self { listener: Some(Arc::new(listener)), ..self }
    }

    /// How often kernels were loaded; a real device may have to compile them each time.
    pub fn loads(&self) -> u64 {
        self.loads.load(Relaxed)
    }

    /// The most bytes of shared memory that a launch gave each of its blocks.
    pub fn given(&self) -> u32 {
        self.given.load(Relaxed)
    }

    /// The most bytes that were allocated at the same time.
    pub fn peak(&self) -> u64 {
        self.memory.used().1
    }

    /// Waits for other copies and kernels, so that this one is alone with the memory.
    fn queue(&self) -> MutexGuard<'_, ()> {
        // A kernel that panicked has left device memory as it was at that moment.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Emulator {
    fn default() -> Self {
        Self::new()
    }
}

/// Memory of the emulated device.
#[derive(Debug)]
pub struct Block {
    address: *mut u8,
    layout: Layout,
    memory: Arc<Memory>,
}

// SAFETY: the block is plain memory, owned by this value.
unsafe impl Send for Block {}
// SAFETY: a shared reference reveals the address, and the bytes only to the device that
// allocated them, which accesses them under its lock.
unsafe impl Sync for Block {}

impl Block {
    /// Checks that the device allocated this memory.
    ///
    /// # Panics
    /// If another device did.
    fn belongs_to(&self, device: &Emulator) {
        assert!(Arc::ptr_eq(&self.memory, &device.memory), "this is memory of another device");
    }
}

impl Allocation for Block {
    fn address(&self) -> u64 {
        self.address as u64
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        self.memory.remove(self.address as u64);
        // SAFETY: allocated with this layout, by `allocate`.
        unsafe { dealloc(self.address, self.layout) };
    }
}

/// Blocks that are resident at the same time.
const TOGETHER: u32 = 2;

/// Bytes of shared memory that a launch can give a block: few, so that small graphs do not
/// fit.
const SHARED: u32 = 512;

/// What an unwritten byte holds.
const RUBBISH: u8 = 0xa5;

impl Device for Emulator {
    type Memory = Block;
    type Image = Kernels;
    type Kernel = Kernel;

    fn name(&self) -> String {
        "emulator".into()
    }

    fn ordinal(&self) -> u32 {
        0
    }

    fn memory(&self) -> Result<DeviceMemory, DeviceError> {
        let free = self.capacity.saturating_sub(self.memory.used().0);
        Ok(DeviceMemory { free, size: self.capacity })
    }

    fn allocate(&self, bytes: u64) -> Result<Block, DeviceError> {
        let free = self.memory()?.free;
        let refuse = || DeviceError::Memory { needed: bytes, free };
        if bytes > free {
            return Err(refuse());
        }
        let size = usize::try_from(bytes.max(1)).map_err(|_| refuse())?;
        let layout = Layout::from_size_align(size, 256).map_err(|_| refuse())?;
        // SAFETY: the size is not 0.
        let address = unsafe { alloc(layout) };
        if address.is_null() {
            return Err(refuse());
        }
        // SAFETY: these bytes were just allocated.
        unsafe { address.write_bytes(RUBBISH, size) };
        self.memory.add(address as u64, bytes);
        Ok(Block { address, layout, memory: Arc::clone(&self.memory) })
    }

    fn fill(&self, memory: &Block, at: Range<u64>, byte: u8) -> Result<(), DeviceError> {
        let (start, end) = (at.start as usize, at.end as usize);
        assert!(start <= end && end <= memory.layout.size());
        memory.belongs_to(self);
        let _alone = self.queue();
        // SAFETY: in bounds, as asserted; the queue is locked.
        unsafe { memory.address.add(start).write_bytes(byte, end - start) };
        Ok(())
    }

    fn write(&self, memory: &Block, bytes: &[u8]) -> Result<(), DeviceError> {
        assert!(bytes.len() <= memory.layout.size());
        memory.belongs_to(self);
        let _alone = self.queue();
        // SAFETY: in bounds, as asserted; the queue is locked.
        unsafe { memory.address.copy_from(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    fn read(&self, memory: &Block, start: u64, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let end = start.checked_add(bytes.len() as u64);
        assert!(end.is_some_and(|end| end <= memory.layout.size() as u64));
        memory.belongs_to(self);
        let _alone = self.queue();
        // SAFETY: in bounds, as asserted; the queue is locked.
        unsafe { memory.address.add(start as usize).copy_to(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    fn wait(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    fn part(&self, name: impl FnOnce() -> String) -> Part {
        let Some(listener) = self.listener.clone() else { return Part::UNHEARD };
        let name = name();
        listener(&name, PartEvent::Begins);
        Part::new(move || listener(&name, PartEvent::Ends))
    }

    fn load(&self, image: &Kernels, names: &[String]) -> Result<Vec<Kernel>, DeviceError> {
        self.loads.fetch_add(1, Relaxed);
        let find = |name: &String| {
            let found = image.entries.iter().find(|(known, _)| known == name);
            let missing = || DeviceError::NoKernel { name: name.clone() };
            found.map(|(_, kernel)| *kernel).ok_or_else(missing)
        };
        names.iter().map(find).collect()
    }

    fn shared(&self) -> u32 {
        self.shared
    }

    fn multiprocessors(&self) -> u32 {
        TOGETHER
    }

    fn together(&self, _: &Kernel, _: u32, _: u32) -> Result<u32, DeviceError> {
        Ok(TOGETHER)
    }

    unsafe fn launch<A: Copy>(
        &self,
        kernel: &Kernel,
        grid: Grid,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        assert!(!grid.together || grid.blocks <= TOGETHER);
        assert!(grid.shared <= self.shared);
        self.given.fetch_max(grid.shared, Relaxed);
        let _alone = self.queue();
        // SAFETY: the caller promises a block of the kernel's type; lanes only read it.
        let lane = || unsafe { kernel(std::ptr::from_ref(arguments).cast()) };
        run(&self.memory, grid, &lane);
        Ok(())
    }
}
