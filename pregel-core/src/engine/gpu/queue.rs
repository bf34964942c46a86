//! Kernels, loaded once, and their launches, counted.

use std::any::TypeId;
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::device::{Device, DeviceError};
use crate::device::BLOCK;

/// A loaded image.
struct Loaded<D: Device> {
    prefix: &'static str,
    kernels: HashMap<&'static str, D::Kernel>,
    /// Kernels stay valid as long as what they were loaded from.
    _module: D::Module,
}

/// What a device has loaded, by the program's type.
pub(super) struct Library<D: Device> {
    images: Mutex<HashMap<TypeId, Arc<Loaded<D>>>>,
}

impl<D: Device> Library<D> {
    pub(super) fn new() -> Self {
        Self { images: Mutex::new(HashMap::new()) }
    }

    /// The kernels of `owner`, named without their prefix; loaded when they are
    /// first asked for.
    pub(super) fn kernels(
        &self,
        device: &D,
        owner: TypeId,
        (prefix, image): (&'static str, &D::Image),
        names: &[&'static str],
    ) -> Result<Kernels<D>, DeviceError> {
        let mut images = self.images.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(loaded) = images.get(&owner) {
            return Ok(Kernels { loaded: Arc::clone(loaded), launches: Cell::new(0) });
        }
        let module = device.load(image)?;
        let mut kernels = HashMap::new();
        for name in names {
            kernels.insert(*name, device.kernel(&module, &format!("{prefix}__{name}"))?);
        }
        let loaded = Arc::new(Loaded { prefix, kernels, _module: module });
        images.insert(owner, Arc::clone(&loaded));
        Ok(Kernels { loaded, launches: Cell::new(0) })
    }
}

/// The kernels of one image, for one session.
pub(super) struct Kernels<D: Device> {
    loaded: Arc<Loaded<D>>,
    launches: Cell<u64>,
}

impl<D: Device> Kernels<D> {
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
        let prefix = self.loaded.prefix;
        let unknown = || DeviceError::NoKernel { name: format!("{prefix}__{name}") };
        let kernel = self.loaded.kernels.get(name).ok_or_else(unknown)?;
        let blocks = u32::try_from(blocks).ok().filter(|b| *b <= i32::MAX as u32);
        let blocks = blocks.ok_or_else(|| DeviceError::Call {
            call: "a launch",
            reason: "more than 2,147,483,647 blocks".into(),
        })?;
        self.launches.set(self.launches.get() + 1);
        // SAFETY: as the caller promises.
        unsafe { device.launch(kernel, blocks, arguments) }
    }

    /// Launches so far.
    pub(super) fn launches(&self) -> u64 {
        self.launches.get()
    }
}

/// The kernels that no program owns.
pub(super) const GRAPH: &[&str] = &[
    "count",
    "degrees",
    "extremes",
    "assign_region",
    "find_region",
    "order",
    "digit_counts",
    "digit_places",
    "region_counts",
    "region_places",
    "identity",
    "permute",
    "restore",
    "scan_sums",
    "scan_tops",
    "scan_places",
    "group_rows",
    "place_edges",
    "place_rows",
    "move_rows",
    "frontier",
];

/// The kernels of a program.
pub(super) const PROGRAM: &[&str] = &[
    "init",
    "pull",
    "pull_chunks",
    "pull_heavy",
    "push",
    "arrive",
    "send",
    "read",
    "read_chunks",
    "read_heavy",
    "segments",
    "segment_vertices",
    "reduce",
];
