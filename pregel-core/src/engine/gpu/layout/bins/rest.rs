//! What becomes of messages that are not handled separately.

use super::cells::Cells;
use super::cut::Exchange;
use super::items::Items;
use super::pays::Rest;
use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{BIN_LAYERS, Bins, Global, REST_LAYERS, WARP, granule};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::{Message, Program, Value};

/// Memory for messages that are not handled separately.
pub(super) enum RestMemory<D: Device, P: Program> {
    Binned(Cells<D, P>),
    Exchanged {
        cells: Cells<D, P>,
        exchange: Exchange,
        /// A word for the barrier of the grid.
        arrived: Array<D, u32>,
    },
    /// The senders of this many messages.
    Pulled {
        senders: Array<D, u64>,
        messages: u64,
    },
}

impl<D: Device, P: Program> RestMemory<D, P>
where
    Message<P>: Value,
{
    /// Adds the memory to a plan. Returns the most granules that the cells of `ranges` ranges or shares
    /// can fill.
    pub(super) fn plan(
        planned: &mut Arrays<D>,
        rest: Rest,
        ranges: u32,
        items: &Items,
    ) -> Result<u64, DeviceError> {
        match rest {
            Rest::Binned => Cells::<D, P>::plan(planned, ranges, items, None),
            Rest::Exchanged(exchange) => {
                arrived_room(planned)?;
                Cells::<D, P>::plan(planned, ranges, items, Some(exchange))
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
                Ok(Self::Binned(unsafe { Cells::find(tools, arrays, items, None, a)? }))
            }
            Rest::Exchanged(exchange) => {
                // SAFETY: the caller's promise.
                let cells = unsafe { Cells::find(tools, arrays, items, Some(exchange), a)? };
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

    /// How many bins there are, of `bins` that the items were divided into, and how many messages
    /// they have room for, or are pulled.
    pub(super) fn size(&self, bins: u32) -> (u32, u64) {
        match self {
            Self::Binned(cells) | Self::Exchanged { cells, .. } => {
                (bins, cells.granules * u64::from(granule::<Message<P>>()))
            }
            Self::Pulled { messages, .. } => (0, *messages),
        }
    }

    /// Sets the arrays in the argument block's view of the bins.
    pub(super) fn set(&self, bins: &mut Bins<P>) {
        let mut set = |cells: &Cells<D, P>| {
            bins.senders = cells.senders.global();
            bins.by_range = cells.by_range.global();
            bins.targets = cells.targets.global();
            bins.messages = cells.messages.global();
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
