//! Prefix sums on the device.

use super::device::{Array, Device, DeviceError};
use super::queue::Kernels;
use crate::device::prepare::{SCAN_TILE, Scan};

/// Room for exclusive prefix sums, and for the sum of all behind them.
pub(super) struct Sums<D: Device> {
    count: u64,
    pub(super) sums: Array<D, u64>,
    tiles: Array<D, u64>,
}

impl<D: Device> Sums<D> {
    /// Room for the sums of so many values; 0 until they are queued.
    pub(super) fn new(device: &D, count: u64) -> Result<Self, DeviceError> {
        let sums = Array::filled(device, count + 1, 0)?;
        let tiles = Array::new(device, count.div_ceil(SCAN_TILE))?;
        Ok(Self { count, sums, tiles })
    }

    /// Queues the sums of `values * factor`: three kernels.
    pub(super) fn queue(
        &self,
        device: &D,
        kernels: &Kernels<D>,
        values: &Array<D, u32>,
        factor: u64,
    ) -> Result<(), DeviceError> {
        let a = Scan {
            count: self.count,
            factor,
            values: values.global(),
            sums: self.sums.global(),
            tiles: self.tiles.global(),
        };
        let blocks = self.count.div_ceil(SCAN_TILE);
        // SAFETY: the arrays have the sizes that the kernels ask for.
        unsafe {
            kernels.blocks(device, "scan_sums", blocks, &a)?;
            kernels.blocks(device, "scan_tops", blocks.min(1), &a)?;
            kernels.blocks(device, "scan_places", blocks, &a)
        }
    }
}
