//! Cells: what one range or share sends to one bin.

use super::items::Items;
use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{ExchangedCell, Global, WARP};
use crate::engine::gpu::layout::sums::Sums;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};

/// The cells of a graph.
pub(super) struct Cells<D: Device> {
    /// How many granules they fill.
    pub(super) granules: u64,
    /// First granule of each cell, bin by bin, and the end of the last.
    pub(super) by_bin: Array<D, u64>,
    /// The same, range by range, or by phase and share.
    pub(super) by_range: Array<D, u64>,
    pub(super) senders: Array<D, u64>,
    /// None if messages are exchanged.
    pub(super) targets: Array<D, u32>,
    /// None unless they are.
    pub(super) cells: Array<D, ExchangedCell>,
    /// Where the messages of each item are in their bin.
    pub(super) positions: Array<D, u64>,
}

impl<D: Device> Cells<D> {
    /// Adds the memory for the cells of this many ranges or shares, and for the senders in these
    /// items, to a plan. Returns the most granules of `granule` messages that they can fill.
    pub(super) fn plan(
        planned: &mut Arrays<D>,
        ranges: u32,
        items: &Items,
        granule: u32,
        exchanged: bool,
    ) -> Result<u64, DeviceError> {
        let cells = u64::from(ranges) * u64::from(items.bins());
        let most = (items.messages + cells * u64::from(granule - 1)).div_ceil(granule.into());
        positions_room(planned, items)?;
        CellRoom::new(planned, ranges, items.bins(), exchanged)?;
        GranuleRoom::new(planned, most, granule, exchanged)?;
        Ok(most)
    }

    /// Finds the cell of every binned message and its position there, and lists the senders of all
    /// others. Waits.
    ///
    /// # Safety
    /// `a` has the columns and chunks of a graph, its `items` as they were split and divided into bins,
    /// and room for the numbers of all groups of four layers that are handled separately.
    pub(super) unsafe fn find(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        items: &Items,
        a: &mut BinEdges,
    ) -> Result<Self, DeviceError> {
        let exchanged = a.shares.count() > 0;
        let positions = positions_room(arrays, items)?;
        a.positions = positions.global();
        let cells = u64::from(a.ranges) * u64::from(a.bins);
        let room = CellRoom::new(arrays, a.ranges, a.bins, exchanged)?;
        let CellRoom { bin_counts, range_counts, by_bin, by_range, cells: of_shares } = room;
        a.bin_counts = bin_counts.global();
        a.range_counts = range_counts.global();
        // SAFETY: the caller's promise; there is a count per cell in both orders. One block is
        // launched per bin.
        unsafe { tools.blocks::<k::BinCount>(a.bins.into(), a)? };
        by_bin.queue(tools, &bin_counts, 1)?;
        by_range.queue(tools, &range_counts, 1)?;
        let (by_bin, by_range) = (by_bin.sums, by_range.sums);
        let granules = by_bin.get(cells)?;
        let GranuleRoom { senders, targets } =
            GranuleRoom::new(arrays, granules, 1 << a.granule_shift, exchanged)?;
        a.by_bin = by_bin.global();
        a.by_range = by_range.global();
        a.local = Global::at(senders.global().address());
        a.targets = targets.global();
        a.cells = of_shares.global();
        // SAFETY: as above; the prefix sums are those of the counts, and `senders` and
        // `targets`, if there are targets, have room for as many granules as they add up to.
        unsafe { tools.blocks::<k::BinPlace>(a.bins.into(), a)? };
        tools.device().wait()?;
        Ok(Self { granules, by_bin, by_range, senders, targets, cells: of_shares, positions })
    }
}

/// Room for the positions of all binned layers.
fn positions_room<D: Device>(
    arrays: &mut Arrays<D>,
    items: &Items,
) -> Result<Array<D, u64>, DeviceError> {
    arrays.array("positions in bins", u64::from(items.binned()) * u64::from(WARP))
}

/// Memory for the numbers of granules of cells, and for the first granule of each.
struct CellRoom<D: Device> {
    bin_counts: Array<D, u32>,
    range_counts: Array<D, u32>,
    by_bin: Sums<D>,
    by_range: Sums<D>,
    /// None unless messages are exchanged.
    cells: Array<D, ExchangedCell>,
}

impl<D: Device> CellRoom<D> {
    /// For the cells of this many ranges, or shares if messages are `exchanged`, and bins.
    fn new(
        arrays: &mut Arrays<D>,
        ranges: u32,
        bins: u32,
        exchanged: bool,
    ) -> Result<Self, DeviceError> {
        let cells = u64::from(ranges) * u64::from(bins);
        Ok(Self {
            bin_counts: arrays.array("granules of cells, by bin", cells)?,
            range_counts: arrays.array("granules of cells, by range", cells)?,
            by_bin: Sums::room(arrays, "first granules of cells, by bin", cells)?,
            by_range: Sums::room(arrays, "first granules of cells, by range", cells)?,
            cells: if exchanged {
                arrays.array("cells that are exchanged", cells)?
            } else {
                Array::none()
            },
        })
    }
}

/// Memory for the senders of messages in granules, and for their targets unless messages are exchanged.
struct GranuleRoom<D: Device> {
    senders: Array<D, u64>,
    targets: Array<D, u32>,
}

impl<D: Device> GranuleRoom<D> {
    /// For this many granules of `granule` messages.
    fn new(
        arrays: &mut Arrays<D>,
        granules: u64,
        granule: u32,
        exchanged: bool,
    ) -> Result<Self, DeviceError> {
        let senders = granules * u64::from(granule / 4);
        let senders = arrays.filled("senders, by cell", senders, 0)?;
        let targets = if exchanged {
            Array::none()
        } else {
            arrays.array("where granules are sent", granules)?
        };
        Ok(Self { senders, targets })
    }
}
