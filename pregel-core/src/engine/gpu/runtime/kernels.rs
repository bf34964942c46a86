//! Kernels, loaded once, and their launches, counted.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::{Device, DeviceError, Grid};
use crate::device::kernels::{Kernel, Owner, Set};

/// The most blocks of a launch that divides its work by itself; no device of today holds
/// as many at a time.
pub(crate) const MOST_BLOCKS: u32 = 2048;

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

/// What a device has loaded, by the type that owns the kernels.
pub(crate) struct Library<D: Device> {
    images: Mutex<HashMap<TypeId, Arc<Loaded<D>>>>,
}

impl<D: Device> Library<D> {
    pub(crate) fn new() -> Self {
        Self { images: Mutex::new(HashMap::new()) }
    }

    /// The kernels of `O`, whose entries in `image` begin with `prefix`; none is loaded
    /// yet.
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
/// A launch names its kernel by type, so that the argument block is the one that the
/// kernel takes, and the threads of a block those of the table.
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

    /// Loads those kernels of these sets that are not loaded yet.
    pub(crate) fn load(&self, sets: &[Set]) -> Result<(), DeviceError> {
        let wanted = O::KERNELS.iter().filter(|k| k.sets.iter().any(|set| sets.contains(set)));
        self.loaded.load(&self.device, wanted.map(|kernel| kernel.name))
    }

    /// Queues a kernel on at least one thread for each of `items`.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn each<K: Kernel<O>>(
        &self,
        items: u64,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        // SAFETY: as the caller promises.
        unsafe { self.blocks::<K>(items.div_ceil(K::FACTS.threads.into()), arguments) }
    }

    /// Queues a kernel on this many blocks; on none, does nothing.
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
        // SAFETY: as the caller promises.
        unsafe { self.shared::<K>(blocks, 0, arguments) }
    }

    /// Queues a kernel on this many blocks, each with `shared` bytes of shared memory
    /// beside its own; on none, does nothing.
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
        // SAFETY: as the caller promises.
        unsafe { self.launch::<K>(grid, arguments) }
    }

    /// Queues a kernel whose blocks wait for each other, on at most this many.
    ///
    /// # Safety
    /// As [`Device::launch`].
    pub(crate) unsafe fn together<K: Kernel<O>>(
        &self,
        most: u32,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        let blocks = self.resident_blocks::<K>(0)?.min(most).max(1);
        let grid = Grid { blocks, threads: K::FACTS.threads, shared: 0, together: true };
        // SAFETY: as the caller promises.
        unsafe { self.launch::<K>(grid, arguments) }
    }

    unsafe fn launch<K: Kernel<O>>(
        &self,
        grid: Grid,
        arguments: &K::Arguments,
    ) -> Result<(), DeviceError> {
        let kernel = self.kernel::<K>()?;
        self.launches.set(self.launches.get() + 1);
        // SAFETY: the kernel takes this block, by its type; as for what lies behind the
        // addresses, as the caller promises.
        unsafe { self.device.launch(&kernel, grid, arguments) }
    }

    /// How many blocks of a kernel, with `shared` bytes each, the device holds at a time.
    pub(crate) fn resident_blocks<K: Kernel<O>>(&self, shared: u32) -> Result<u32, DeviceError> {
        self.device.together(&self.kernel::<K>()?, K::FACTS.threads, shared)
    }

    fn kernel<K: Kernel<O>>(&self) -> Result<D::Kernel, DeviceError> {
        let name = K::FACTS.name;
        self.loaded.load(&self.device, [name].into_iter())?;
        let kernels = self.loaded.kernels.read().unwrap_or_else(PoisonError::into_inner);
        kernels.get(name).cloned().ok_or_else(|| DeviceError::NoKernel { name: name.into() })
    }

    /// Launches so far.
    pub(crate) fn launches(&self) -> u64 {
        self.launches.get()
    }
}
