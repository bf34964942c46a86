//! Cells: what one range or share sends to one bin.

use super::cut::Exchange;
use super::items::Items;
use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{ExchangedCell, Global, WARP, granule};
use crate::engine::gpu::layout::sums::Sums;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::{Message, Program, Value};

/// The cells of a graph, and memory for the messages.
pub(super) struct Cells<D: Device, P: Program> {
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
    pub(super) messages: Array<D, Message<P>>,
    /// Where the messages of each item are in their bin.
    pub(super) positions: Array<D, u64>,
}

impl<D: Device, P: Program> Cells<D, P>
where
    Message<P>: Value,
{
    /// Adds the memory for the cells of this many ranges or shares, and for the messages of these
    /// items, to a plan. Returns the most granules that they can fill.
    pub(super) fn plan(
        planned: &mut Arrays<D>,
        ranges: u32,
        items: &Items,
        exchange: Option<Exchange>,
    ) -> Result<u64, DeviceError> {
        let cells = u64::from(ranges) * u64::from(items.bins());
        let granule = u64::from(granule::<Message<P>>());
        let most = (items.messages + cells * (granule - 1)).div_ceil(granule);
        positions_room(planned, items)?;
        CellRoom::new(planned, ranges, items.bins(), exchange)?;
        GranuleRoom::<D, P>::new(planned, most, exchange)?;
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
        exchange: Option<Exchange>,
        a: &mut BinEdges,
    ) -> Result<Self, DeviceError> {
        let positions = positions_room(arrays, items)?;
        a.positions = positions.global();
        let cells = u64::from(a.ranges) * u64::from(a.bins);
        let room = CellRoom::new(arrays, a.ranges, a.bins, exchange)?;
        let CellRoom { bin_counts, range_counts, by_bin, by_range, cells: exchanged } = room;
        a.bin_counts = bin_counts.global();
        a.range_counts = range_counts.global();
        // SAFETY: the caller's promise; there is a count per cell in both orders. One block is
        // launched per bin.
        unsafe { tools.blocks::<k::BinCount>(a.bins.into(), a)? };
        by_bin.queue(tools, &bin_counts, 1)?;
        by_range.queue(tools, &range_counts, 1)?;
        let (by_bin, by_range) = (by_bin.sums, by_range.sums);
        let granules = by_bin.get(cells)?;
        let GranuleRoom { senders, targets, messages } =
            GranuleRoom::<D, P>::new(arrays, granules, exchange)?;
        a.by_bin = by_bin.global();
        a.by_range = by_range.global();
        a.local = Global::at(senders.global().address());
        a.targets = targets.global();
        a.cells = exchanged.global();
        // SAFETY: as above; the prefix sums are those of the counts, and `senders` and
        // `targets`, if there are targets, have room for as many granules as they add up to.
        unsafe { tools.blocks::<k::BinPlace>(a.bins.into(), a)? };
        tools.device().wait()?;
        Ok(Self {
            granules,
            by_bin,
            by_range,
            senders,
            targets,
            cells: exchanged,
            messages,
            positions,
        })
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
    /// For the cells of this many ranges, or of the shares of an exchange, and bins.
    fn new(
        arrays: &mut Arrays<D>,
        ranges: u32,
        bins: u32,
        exchange: Option<Exchange>,
    ) -> Result<Self, DeviceError> {
        let cells = u64::from(ranges) * u64::from(bins);
        Ok(Self {
            bin_counts: arrays.array("granules of cells, by bin", cells)?,
            range_counts: arrays.array("granules of cells, by range", cells)?,
            by_bin: Sums::room(arrays, "first granules of cells, by bin", cells)?,
            by_range: Sums::room(arrays, "first granules of cells, by range", cells)?,
            cells: match exchange {
                Some(_) => arrays.array("cells that are exchanged", cells)?,
                None => Array::none(),
            },
        })
    }
}

/// Memory for messages in granules, with their senders and targets.
struct GranuleRoom<D: Device, P: Program> {
    senders: Array<D, u64>,
    targets: Array<D, u32>,
    messages: Array<D, Message<P>>,
}

impl<D: Device, P: Program> GranuleRoom<D, P>
where
    Message<P>: Value,
{
    fn new(
        arrays: &mut Arrays<D>,
        granules: u64,
        exchange: Option<Exchange>,
    ) -> Result<Self, DeviceError> {
        let granule = granule::<Message<P>>();
        let senders = granules * u64::from(granule / 4);
        let senders = arrays.filled("senders, by cell", senders, 0)?;
        let (targets, messages) = match exchange {
            Some(exchange) => (Array::none(), 2 * exchange.slot()),
            None => {
                let targets = arrays.array("where granules are sent", granules)?;
                (targets, granules * u64::from(granule))
            }
        };
        Ok(Self { senders, targets, messages: arrays.array("messages in bins", messages)? })
    }
}
