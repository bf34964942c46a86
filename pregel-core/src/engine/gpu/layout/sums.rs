//! Prefix sums on the device.

use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{SCAN_TILE, Scan};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};

/// Memory for exclusive prefix sums, followed by the sum of all values.
pub(crate) struct Sums<D: Device> {
    count: u64,
    pub(crate) sums: Array<D, u64>,
    tiles: Array<D, u64>,
}

impl<D: Device> Sums<D> {
    /// Memory for the sums of `count` values; all 0 until they are computed.
    pub(crate) fn room(
        arrays: &mut Arrays<D>,
        name: &'static str,
        count: u64,
    ) -> Result<Self, DeviceError> {
        let sums = arrays.filled(name, count + 1, 0)?;
        let tiles = arrays.array("sums of tiles", count.div_ceil(SCAN_TILE))?;
        Ok(Self { count, sums, tiles })
    }

    /// Queues computing the sums of `values * factor`: three kernels.
    pub(crate) fn queue(
        &self,
        tools: &Kernels<D, Tools>,
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
        // SAFETY: callers pass `count` values; there is room for `count + 1` sums and for
        // every tile, and the kernels run in the order in which they depend on each other.
        unsafe {
            tools.blocks::<k::ScanSums>(blocks, &a)?;
            tools.blocks::<k::ScanTops>(blocks.min(1), &a)?;
            tools.blocks::<k::ScanPlaces>(blocks, &a)
        }
    }
}
