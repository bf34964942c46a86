//! Launches, counted.

use std::cell::Cell;
use std::collections::HashMap;

use super::device::{Device, DeviceError};
use crate::device::BLOCK;

/// The kernels of one image.
pub(super) struct Kernels<D: Device> {
    prefix: &'static str,
    kernels: HashMap<&'static str, D::Kernel>,
    /// Kernels stay valid as long as what they were loaded from.
    _module: D::Module,
    launches: Cell<u64>,
}

impl<D: Device> Kernels<D> {
    /// Loads an image and looks up its kernels, named without their prefix.
    pub(super) fn load(
        device: &D,
        prefix: &'static str,
        image: &D::Image,
        names: &[&'static str],
    ) -> Result<Self, DeviceError> {
        let module = device.load(image)?;
        let mut kernels = HashMap::new();
        for name in names {
            kernels.insert(*name, device.kernel(&module, &format!("{prefix}__{name}"))?);
        }
        Ok(Self { prefix, kernels, _module: module, launches: Cell::new(0) })
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
        let unknown = || DeviceError::NoKernel { name: format!("{}__{name}", self.prefix) };
        let kernel = self.kernels.get(name).ok_or_else(unknown)?;
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
