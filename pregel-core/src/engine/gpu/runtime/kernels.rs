//! Loads each kernel once, and launches kernels with the arguments that they take.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Device, DeviceError, Grid};
use crate::device::kernels::{Kernel, Owner, Set};

/// The most blocks of a launch whose blocks divide the work among themselves. No current
/// device holds more at a time.
pub(crate) const MOST_BLOCKS: u32 = 2048;

/// An image, and the kernels that have been loaded from it.
struct Loaded<D: Device> {
    prefix: &'static str,
    image: D::Image,
    kernels: RwLock<HashMap<&'static str, D::Kernel>>,
}

impl<D: Device> Loaded<D> {
    fn has(&self, name: &str) -> bool {
        self.kernels.read().unwrap_or_else(PoisonError::into_inner).contains_key(name)
    }

    /// Loads those of these kernels that are not loaded yet, as one module. The driver
    /// compiles a module that it sees for the first time, which costs about 20 ms per
    /// module in addition to the time per kernel.
    fn load(
        &self,
        device: &D,
        names: impl Iterator<Item = &'static str>,
    ) -> Result<(), DeviceError> {
        let mut missing: Vec<_> = names.filter(|name| !self.has(name)).collect();
        missing.sort_unstable();
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

/// The images of a device, by the type that owns the kernels.
pub(crate) struct Library<D: Device> {
    images: Mutex<HashMap<TypeId, Arc<Loaded<D>>>>,
}

impl<D: Device> Library<D> {
    pub(crate) fn new() -> Self {
        Self { images: Mutex::new(HashMap::new()) }
    }

    /// The kernels of `O`, the entries of `image` that begin with `prefix`. Loads none.
    pub(crate) fn kernels<O: Owner>(
        &self,
        device: &Arc<D>,
        prefix: &'static str,
        image: &D::Image,
    ) -> Kernels<D, O> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        let loaded = images.entry(TypeId::of::<O>()).or_insert_with(|| {
            Arc::new(Loaded { prefix, image: image.clone(), kernels: RwLock::default() })
        });
        Kernels {
            device: Arc::clone(device),
            loaded: Arc::clone(loaded),
            launches: Cell::new(0),
            owner: PhantomData,
        }
    }
}

/// The kernels of one owner, for one session.
///
/// A launch names its kernel by type, so that the type system checks the argument block
/// and the table gives the number of threads per block.
pub(crate) struct Kernels<D: Device, O: Owner> {
    device: Arc<D>,
    loaded: Arc<Loaded<D>>,
    launches: Cell<u64>,
    owner: PhantomData<fn() -> O>,
}

impl<D: Device, O: Owner> Kernels<D, O> {
    /// The device that they run on.
    pub(crate) fn device(&self) -> &Arc<D> {
        &self.device
    }

    /// Loads the kernels of these sets that are not loaded yet.
    pub(crate) fn load(&self, sets: &[Set]) -> Result<(), DeviceError> {
        let wanted = O::KERNELS.iter().filter(|k| k.sets.iter().any(|set| sets.contains(set)));
        self.loaded.load(&self.device, wanted.map(|kernel| kernel.name))
    }

    /// Queues a kernel on at least `items` threads; does nothing if `items` is 0.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn each<K: Kernel<O>>(
        &self,
        items: u64,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        // SAFETY: the caller promises the same.
        unsafe { self.blocks::<K>(items.div_ceil(K::FACTS.threads.into()), arguments) }
    }

    /// Queues a kernel on this many blocks; does nothing if there are none.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn blocks<K: Kernel<O>>(
        &self,
        blocks: u64,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        let blocks = u32::try_from(blocks).ok().filter(|b| *b <= i32::MAX as u32);
        let blocks = blocks.ok_or_else(|| DeviceError::Call {
            call: "a launch",
            reason: "more than 2,147,483,647 blocks".into(),
        })?;
        // SAFETY: the caller promises the same.
        unsafe { self.shared::<K>(blocks, 0, arguments) }
    }

    /// Queues a kernel on this many blocks, each with `shared` bytes of shared memory in
    /// addition to that of the kernel; does nothing if there are none.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn shared<K: Kernel<O>>(
        &self,
        blocks: u32,
        shared: u32,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        if blocks == 0 {
            return Ok(());
        }
        let grid = Grid { blocks, threads: K::FACTS.threads, shared, together: false };
        // SAFETY: the caller promises the same.
        unsafe { self.launch::<K>(grid, arguments) }
    }

    /// Queues a kernel with blocks that wait for each other, on at most `most` blocks, each with
    /// `shared` bytes of shared memory in addition to that of the kernel.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn together<K: Kernel<O>>(
        &self,
        most: u32,
        shared: u32,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        let blocks = self.resident_blocks::<K>(shared)?.min(most).max(1);
        let grid = Grid { blocks, threads: K::FACTS.threads, shared, together: true };
        // SAFETY: the caller promises the same.
        unsafe { self.launch::<K>(grid, arguments) }
    }

    /// Queues a kernel, and counts the launch.
    ///
    /// # Safety
    /// As [`Device::launch`].
    unsafe fn launch<K: Kernel<O>>(
        &self,
        grid: Grid,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel::<K>()?;
        self.launches.set(self.launches.get() + 1);
        // SAFETY: the type `K` says that the kernel takes this argument block; the caller
        // promises that its addresses are valid.
        unsafe { self.device.launch(&kernel, grid, arguments) }
    }

    /// How many blocks of a kernel, with `shared` bytes of shared memory each, the device
    /// holds at a time. Loads the kernel if need be.
    pub(crate) fn resident_blocks<K: Kernel<O>>(&self, shared: u32) -> Result<u32, DeviceError> {
        self.device.together(&self.kernel::<K>()?, K::FACTS.threads, shared)
    }

    fn kernel<K: Kernel<O>>(&self) -> Result<D::Kernel, DeviceError> {
        let name = K::FACTS.name;
        self.loaded.load(&self.device, [name].into_iter())?;
        let kernels = self.loaded.kernels.read().unwrap_or_else(PoisonError::into_inner);
        kernels.get(name).cloned().ok_or_else(|| DeviceError::NoKernel { name: name.into() })
    }

    /// The number of launches so far.
    pub(crate) fn launches(&self) -> u64 {
        self.launches.get()
    }
}
