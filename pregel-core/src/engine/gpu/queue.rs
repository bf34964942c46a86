//! Kernels, loaded once, and their launches, counted.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::device::{Device, DeviceError, Grid};
use crate::device::BLOCK;

/// An image, and what has been loaded of it.
struct Loaded<D: Device> {
    prefix: &'static str,
    image: D::Image,
    kernels: RwLock<HashMap<&'static str, D::Kernel>>,
}

impl<D: Device> Loaded<D> {
    fn has(&self, name: &str) -> bool {
        self.kernels.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    /// Loads those of these kernels that are not loaded yet, as one module: a
    /// driver that sees a module for the first time compiles it, which costs some
    /// 20 ms beside what each kernel takes.
    fn load(&self, device: &D, names: &[&'static str]) -> Result<(), DeviceError> {
        let mut missing: Vec<_> = names.iter().copied().filter(|name| !self.has(name)).collect();
        missing.sort_unstable();
        missing.dedup();
        if missing.is_empty() {
            return Ok(());
        }
        let entry = |name: &&str| format!("{}__{name}", self.prefix);
        let entries: Vec<String> = missing.iter().map(entry).collect();
        let loaded = missing.into_iter().zip(device.load(&self.image, &entries)?);
        self.kernels.write().unwrap_or_else(PoisonError::into_inner).extend(loaded);
        Ok(())
    }
}

/// What a device has loaded, by the program's type.
pub(super) struct Library<D: Device> {
    images: Mutex<HashMap<TypeId, Arc<Loaded<D>>>>,
}

impl<D: Device> Library<D> {
    pub(super) fn new() -> Self {
        Self { images: Mutex::new(HashMap::new()) }
    }

    /// The kernels of `owner`, named without their prefix; none is loaded yet.
    pub(super) fn kernels(
        &self,
        owner: TypeId,
        (prefix, image): (&'static str, &D::Image),
    ) -> Kernels<D> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = images.entry(owner).or_insert_with(|| {
            Arc::new(Loaded { prefix, image: image.clone(), kernels: RwLock::default() })
        });
        Kernels { loaded: Arc::clone(loaded), launches: Cell::new(0) }
    }
}

/// The kernels of one image, for one session.
pub(super) struct Kernels<D: Device> {
    loaded: Arc<Loaded<D>>,
    launches: Cell<u64>,
}

impl<D: Device> Kernels<D> {
    /// Loads those of these names that are not loaded yet.
    pub(super) fn load(&self, device: &D, names: &[&'static str]) -> Result<(), DeviceError> {
        self.loaded.load(device, names)
    }

    /// Queues a kernel on one thread for each of `items`.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(super) unsafe fn each<A: Copy>(
        &self,
        device: &D,
        name: &'static str,
        items: u64,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.blocks(device, name, items.div_ceil(BLOCK.into()), arguments) }
    }

    /// Queues a kernel on so many blocks; on none, does nothing.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(super) unsafe fn blocks<A: Copy>(
        &self,
        device: &D,
        name: &'static str,
        blocks: u64,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let blocks = u32::try_from(blocks).ok().filter(|b| *b <= i32::MAX as u32);
        let blocks = blocks.ok_or_else(|| DeviceError::Call {
            call: "a launch",
            reason: "more than 2,147,483,647 blocks".into(),
        })?;
        // SAFETY: as the caller promises.
        unsafe { self.grid(device, name, Grid::of(blocks), arguments) }
    }

    /// Queues a kernel on this grid.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(super) unsafe fn grid<A: Copy>(
        &self,
        device: &D,
        name: &'static str,
        grid: Grid,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel(device, name)?;
        self.launches.set(self.launches.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { device.launch(&kernel, grid, arguments) }
    }

    /// Queues a kernel whose blocks wait for each other, on at most so many.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(super) unsafe fn together<A: Copy>(
        &self,
        device: &D,
        name: &'static str,
        most: u32,
        arguments: &A,
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel(device, name)?;
        let blocks = device.together(&kernel, BLOCK, 0)?.min(most).max(1);
        let grid = Grid { together: true, ..Grid::of(blocks) };
        // SAFETY: as the caller promises.
        unsafe { self.grid(device, name, grid, arguments) }
    }

    pub(super) fn kernel(&self, device: &D, name: &'static str) -> Result<D::Kernel, DeviceError> {
        self.loaded.load(device, &[name])?;
        let kernels = self.loaded.kernels.read().unwrap_or_else(PoisonError::into_inner);
        kernels.get(name).cloned().ok_or_else(|| DeviceError::NoKernel { name: name.into() })
    }

    /// Launches so far.
    pub(super) fn launches(&self) -> u64 {
        self.launches.get()
    }
}
