//! What becomes of messages that are not handled separately.

use super::cells::Cells;
use super::cut::Exchange;
use super::items::Items;
use super::pays::Rest;
use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{BIN_LAYERS, Bins, Global, REST_LAYERS, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::Program;

/// Memory for what a pass needs to know of messages that are not handled separately.
pub(super) enum RestMemory<D: Device> {
    Binned(Cells<D>),
    Exchanged {
        cells: Cells<D>,
        exchange: Exchange,
        /// A word for the barrier of the grid.
        arrived: Array<D, u32>,
    },
    Pulled {
        senders: Array<D, u64>,
        /// How many messages.
        messages: u64,
    },
}

impl<D: Device> RestMemory<D> {
    /// Adds the memory to a plan. Returns the most granules of `granule` messages that the cells of
    /// `ranges` ranges or shares can fill.
    pub(super) fn plan(
        planned: &mut Arrays<D>,
        rest: Rest,
        ranges: u32,
        items: &Items,
        granule: u32,
    ) -> Result<u64, DeviceError> {
        match rest {
            Rest::Binned => Cells::plan(planned, ranges, items, granule, false),
            Rest::Exchanged(_) => {
                arrived_room(planned)?;
                Cells::plan(planned, ranges, items, granule, true)
            }
            Rest::Pulled => senders_room(planned, items).map(|_| 0),
        }
    }

    /// Lists the senders of all messages, for the cells of bins or for their receivers. Waits.
    ///
    /// # Safety
    /// As for [`Cells::find`].
    pub(super) unsafe fn find(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        rest: Rest,
        items: &Items,
        a: &mut BinEdges,
    ) -> Result<Self, DeviceError> {
        match rest {
            Rest::Binned => {
                // SAFETY: the caller's promise.
                Ok(Self::Binned(unsafe { Cells::find(tools, arrays, items, a)? }))
            }
            Rest::Exchanged(exchange) => {
                // SAFETY: the caller's promise.
                let cells = unsafe { Cells::find(tools, arrays, items, a)? };
                Ok(Self::Exchanged { cells, exchange, arrived: arrived_room(arrays)? })
            }
            Rest::Pulled => {
                let senders = senders_room(arrays, items)?;
                a.rest = Global::at(senders.global().address());
                // SAFETY: the caller's promise; there is room for the senders of all groups of
                // layers. One block is launched per bin.
                unsafe { tools.blocks::<k::RestPlace>(a.bins.into(), a)? };
                tools.device().wait()?;
                Ok(Self::Pulled { senders, messages: items.messages })
            }
        }
    }

    /// How many granules the cells fill; 0 if there are none.
    pub(super) fn granules(&self) -> u64 {
        match self {
            Self::Binned(cells) | Self::Exchanged { cells, .. } => cells.granules,
            Self::Pulled { .. } => 0,
        }
    }

    /// Sets the arrays in the argument block's view of the bins.
    pub(super) fn set<P: Program>(&self, bins: &mut Bins<P>) {
        let mut set = |cells: &Cells<D>| {
            bins.senders = cells.senders.global();
            bins.by_range = cells.by_range.global();
            bins.targets = cells.targets.global();
            bins.by_bin = cells.by_bin.global();
            bins.cells = cells.cells.global();
            bins.positions = cells.positions.global();
        };
        match self {
            Self::Binned(cells) => set(cells),
            Self::Exchanged { cells, exchange, arrived } => {
                set(cells);
                bins.shares = exchange.shares;
                (bins.share, bins.slot) = (exchange.share, exchange.slot());
                bins.arrived = arrived.global();
            }
            Self::Pulled { senders, .. } => bins.rest = senders.global(),
        }
    }
}

/// A word for the barrier of the grid, 0 at first.
fn arrived_room<D: Device>(arrays: &mut Arrays<D>) -> Result<Array<D, u32>, DeviceError> {
    arrays.filled("blocks that have arrived", 1, 0)
}

/// Room for the senders of as many layers as binned ones would have.
fn senders_room<D: Device>(
    arrays: &mut Arrays<D>,
    items: &Items,
) -> Result<Array<D, u64>, DeviceError> {
    let elements = u64::from(items.binned()) * u64::from(BIN_LAYERS / REST_LAYERS);
    arrays.array("senders that are pulled", elements * u64::from(WARP))
}
