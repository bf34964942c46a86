//! Passes over the items of a pull: one, or, where messages are exchanged, one for each part of the
//! senders whose messages fit the shared memories at the same time. The last part may be pulled instead.

use super::cut::{Cut, Exchange};
use super::items::{ItemRoom, Items, Most, Split};
use super::pays::{Rest, Size};
use super::rest::RestMemory;
use crate::device::kernels::Tools;
use crate::device::prepare::BinEdges;
use crate::device::{Bins, LaneLayers, Shares};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::Program;

/// The most items of a bin.
const MOST_ITEMS: u32 = 1 << 8;

/// A pass whose items have been divided into bins.
pub(super) struct Divided<D: Device> {
    pub(super) split: Split<D>,
    /// The arguments of the kernels that find its cells.
    pub(super) edges: BinEdges,
    /// What becomes of its messages.
    rest: Rest,
}

impl<D: Device> Divided<D> {
    /// Divides the items of all passes over a graph into bins. `edges` is the same for all of them.
    /// Waits.
    ///
    /// # Safety
    /// `edges` has the columns and chunks of a graph.
    pub(super) unsafe fn all(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        edges: BinEdges,
        size: Size,
        cut: Cut,
    ) -> Result<Vec<Self>, DeviceError> {
        let (passes, places) = match size.rest {
            Rest::Exchanged(exchange) if exchange.passes > 1 => {
                (exchange.passes, exchange.places())
            }
            _ => (1, edges.vertices),
        };
        let divide = |pass: u32| {
            let mut edges = BinEdges { first: pass * places, places, ..edges };
            if pass > 0 {
                // All hubs were in the first.
                edges.apart_ranges = 0;
            }
            let (apart, is_last) = (edges.apart_ranges, pass + 1 == passes);
            let rest = match size.rest {
                Rest::Exchanged(exchange) if exchange.pulls_last && is_last => Rest::Pulled,
                rest => rest,
            };
            if rest == Rest::Pulled {
                (edges.shares, edges.share) = (Shares::default(), 0);
                edges.places = edges.vertices - edges.first.min(edges.vertices);
            }
            // SAFETY: the caller's promise.
            let split = unsafe {
                Split::of(tools, arrays, &mut edges, |layers| match rest {
                    Rest::Exchanged(Exchange { shares, bin, .. }) => {
                        Items::in_phases(layers, bin, shares.count(), apart, is_last)
                    }
                    _ => Items::of(layers, Most { messages: cut.bin, items: MOST_ITEMS }, apart),
                })?
            };
            Ok(Self { split, edges, rest })
        };
        (0..passes).map(divide).collect()
    }

    /// Adds the memory of the pass to a plan. Returns the most granules of its cells.
    pub(super) fn plan(&self, planned: &mut Arrays<D>) -> Result<u64, DeviceError> {
        ItemRoom::new(planned, &self.split.items)?;
        let granule = 1 << self.edges.granule_shift;
        RestMemory::plan(planned, self.rest, self.edges.ranges, &self.split.items, granule)
    }

    /// Finds the cells of the pass, or the senders that are pulled. Waits.
    ///
    /// # Safety
    /// As for [`all`](Self::all); in `edges` there is room for what the items handle separately.
    pub(super) unsafe fn find(
        self,
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
    ) -> Result<Pass<D>, DeviceError> {
        let Self { split: Split { items, lanes, layers, apart_lanes: _ }, mut edges, rest } = self;
        let room = ItemRoom::filled(arrays, &items, &mut edges)?;
        // SAFETY: the caller's promise; the items are set, and there is room for what they say.
        let rest = unsafe { RestMemory::find(tools, arrays, rest, &items, &mut edges)? };
        drop(layers);
        Ok(Pass { first: edges.first, bins: edges.bins, items: room, lanes, rest })
    }
}

/// Memory of a pass over the items.
pub(super) struct Pass<D: Device> {
    /// The first place of its senders.
    first: u32,
    /// How many bins the items are divided into.
    pub(super) bins: u32,
    items: ItemRoom<D>,
    lanes: Array<D, LaneLayers>,
    pub(super) rest: RestMemory<D>,
}

impl<D: Device> Pass<D> {
    /// Sets the arrays in the argument block's view of the bins.
    pub(super) fn set<P: Program>(&self, bins: &mut Bins<P>) {
        (bins.first, bins.bins) = (self.first, self.bins);
        bins.firsts = self.items.firsts.global();
        bins.lights = self.items.lights.global();
        bins.lanes = self.lanes.global();
        bins.rows = self.items.rows.global();
        self.rest.set(bins);
    }
}
