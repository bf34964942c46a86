//! The items of a pull, divided into bins.

use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{BIN_LAYERS, ItemLayers, LaneLayers, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};

/// The most items of a bin. Groups without messages need no room in a bin, but they are
/// work too; without this limit they would all fall into the last bin.
const MOST_ITEMS: u32 = 1 << 8;

/// The items of a pull, divided into bins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Items {
    /// First item of each bin, and the end of the last.
    pub(super) firsts: Vec<u32>,
    /// How many groups of four binned layers lie before each item, and how many there are
    /// in all.
    pub(super) binned: Vec<u32>,
    /// The same for layers that are handled separately, range by range.
    pub(super) apart: Vec<u32>,
    /// For each range with such layers, the end of the last item that has any.
    pub(super) apart_ends: Vec<u32>,
    /// Binned messages.
    pub(super) messages: u64,
}

impl Items {
    /// Divides items with these layers into bins of at most `bin` messages. The first
    /// `apart` ranges may have messages that are handled separately.
    pub(super) fn of(layers: &[ItemLayers], bin: u32, apart: u32) -> Self {
        let mut binned = 0;
        let mut items = Self {
            firsts: Vec::new(),
            binned: vec![0],
            apart: vec![0],
            apart_ends: Vec::new(),
            messages: layers.iter().map(|layers| u64::from(layers.messages)).sum(),
        };
        let (mut messages, mut count) = (0, 0);
        for (item, layers) in layers.iter().enumerate() {
            messages += layers.messages;
            count += 1;
            if item == 0 || messages > bin || count > MOST_ITEMS {
                items.firsts.push(item as u32);
                (messages, count) = (layers.messages, 1);
            }
            binned += layers.binned.div_ceil(BIN_LAYERS);
            items.binned.push(binned);
        }
        let mut before = 0;
        for range in 0..apart {
            let rows = layers.iter().map(|layers| layers.apart.of(range));
            let last = rows.clone().rposition(|rows| rows > 0);
            items.apart_ends.push(last.map_or(0, |last| last as u32 + 1));
            items.apart.extend(rows.map(|rows| {
                before += rows.div_ceil(BIN_LAYERS);
                before
            }));
        }
        items.firsts.push(layers.len() as u32);
        items
    }

    pub(super) fn bins(&self) -> u32 {
        self.firsts.len() as u32 - 1
    }

    pub(super) fn count(&self) -> u32 {
        self.binned.len() as u32 - 1
    }

    /// Groups of four binned layers in all items.
    pub(super) fn binned(&self) -> u32 {
        self.binned.last().copied().unwrap_or(0)
    }

    /// Groups of four layers that are handled separately, in all items.
    pub(super) fn apart(&self) -> u32 {
        self.apart.last().copied().unwrap_or(0)
    }
}

/// The items of a pull, with their layers split into those that are handled separately and
/// those that are binned.
pub(super) struct Split<D: Device> {
    pub(super) items: Items,
    /// The layers of each item.
    pub(super) layers: Array<D, ItemLayers>,
    pub(super) lanes: Array<D, LaneLayers>,
    /// The layers of each lane that are handled separately, range by range.
    pub(super) apart_lanes: Array<D, u8>,
}

impl<D: Device> Split<D> {
    /// Splits the layers of all items, and divides the items into bins of at most `bin`
    /// messages. The arrays are set in `a`. Waits.
    ///
    /// # Safety
    /// `a` has the columns and chunks of a graph.
    pub(super) unsafe fn of(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        a: &mut BinEdges,
        bin: u32,
    ) -> Result<Self, DeviceError> {
        let items = u64::from(a.item_count());
        let of_lanes = items * u64::from(WARP);
        let layers = arrays.array::<ItemLayers>("layers of items", items)?;
        let lanes = arrays.array("layers of lanes", of_lanes)?;
        let apart_lanes = match a.apart_ranges {
            0 => Array::none(),
            ranges => arrays.array("hub layers of lanes", of_lanes * u64::from(ranges))?,
        };
        (a.lanes, a.items, a.apart_lanes) = (lanes.global(), layers.global(), apart_lanes.global());
        // SAFETY: the caller's promise; there is room for every item and for 32 lanes of each, in
        // each range that is handled separately.
        unsafe { tools.each::<k::BinSplit>(of_lanes, a)? };
        let items = Items::of(&layers.to_vec()?, bin, a.apart_ranges);
        Ok(Self { items, layers, lanes, apart_lanes })
    }
}

/// Memory for the items of bins.
pub(super) struct ItemRoom<D: Device> {
    pub(super) firsts: Array<D, u32>,
    pub(super) rows: Array<D, u32>,
}

impl<D: Device> ItemRoom<D> {
    pub(super) fn new(arrays: &mut Arrays<D>, items: &Items) -> Result<Self, DeviceError> {
        Ok(Self {
            firsts: arrays.array("first items of bins", items.firsts.len() as u64)?,
            rows: arrays.array("binned layers before items", items.binned.len() as u64)?,
        })
    }

    /// The same, filled as far as the items say, and set in `a`.
    pub(super) fn filled(
        arrays: &mut Arrays<D>,
        items: &Items,
        a: &mut BinEdges,
    ) -> Result<Self, DeviceError> {
        let room = Self::new(arrays, items)?;
        room.firsts.write(&items.firsts)?;
        room.rows.write(&items.binned)?;
        a.bins = items.bins();
        a.firsts = room.firsts.global();
        a.rows = room.rows.global();
        Ok(room)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::ApartLayers;

    #[test]
    fn items_fill_bins() {
        let layers = [(64, 2048), (64, 2048), (2, 64), (64, 1000), (1, 32), (5, 160), (0, 0)];
        let layers = layers.map(|(binned, messages)| {
            let apart = ApartLayers::default().with(0, 64 - binned).with(1, binned % 64);
            ItemLayers { apart, binned, messages }
        });
        let items = Items::of(&layers, 4500, 2);
        // 4,160 messages, and 1,192.
        assert_eq!(items.firsts, [0, 3, 7]);
        assert_eq!(items.binned, [0, 16, 32, 33, 49, 50, 52, 52]);
        // Rows of the second range follow those of the first.
        assert_eq!(items.apart[..8], [0, 0, 0, 16, 16, 32, 47, 63]);
        assert_eq!(items.apart[8..], [63, 63, 64, 64, 65, 67, 67]);
        assert_eq!(items.apart_ends, [7, 6]);
        assert_eq!((items.bins(), items.count(), items.messages), (2, 7, 5352));
        assert_eq!((items.binned(), items.apart()), (52, 67));
        assert_eq!(Items::of(&layers, 4500, 0).apart, [0]);
        assert_eq!(Items::of(&[], 4500, 1).bins(), 0);
        // Groups without messages count as items of a bin too.
        let items = Items::of(&vec![ItemLayers::default(); 600], 4500, 1);
        assert_eq!(items.firsts, [0, 256, 512, 600]);
    }
}
