//! The items of a pull, divided into bins.

use crate::device::kernels::{Tools, tools as k};
use crate::device::prepare::BinEdges;
use crate::device::{BIN_LAYERS, EXCHANGE_WARPS, ItemLayers, LaneLayers, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};

/// How large a bin may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Most {
    /// Messages, before cells are padded.
    pub(super) messages: u32,
    /// Items. Groups without messages need no room in a bin, but they are work too; without this
    /// limit they would all fall into the last bin.
    pub(super) items: u32,
}

/// The items of a pull, divided into bins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Items {
    /// First item of each bin, and the end of the last.
    pub(super) firsts: Vec<u32>,
    /// The same for the light items that each bin has too; empty if bins have no others.
    pub(super) lights: Vec<u32>,
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
    /// Divides items with these layers into bins of at most this size. The first `apart` ranges
    /// may have messages that are handled separately.
    pub(super) fn of(layers: &[ItemLayers], most: Most, apart: u32) -> Self {
        let mut firsts = Vec::new();
        let (mut messages, mut count) = (0, 0);
        for (item, layers) in layers.iter().enumerate() {
            messages += layers.messages;
            count += 1;
            if item == 0 || messages > most.messages || count > most.items {
                firsts.push(item as u32);
                (messages, count) = (layers.messages, 1);
            }
        }
        firsts.push(layers.len() as u32);
        Self::divided(layers, firsts, Vec::new(), apart)
    }

    /// Divides items with these layers into bins of at most `most` messages, in phases of `shares` bins
    /// each, as few as possible. A phase takes as long as its longest bin, and items take time apart
    /// from their messages. So the light items at the end are distributed over all bins, and bins have
    /// about as many items as the others. If their vertices do not `compute`, those at the end without
    /// messages are in no bin.
    pub(super) fn in_phases(
        layers: &[ItemLayers],
        most: u32,
        shares: u32,
        apart: u32,
        compute: bool,
    ) -> Self {
        let is_used = |layers: &ItemLayers| layers.messages > 0 || layers.apart.total() > 0;
        let last = layers.iter().rposition(|layers| compute || is_used(layers));
        // Kernels need a bin, even if nothing is to be done there.
        let used = &layers[..last.map_or(layers.len().min(1), |last| last + 1)];
        if used.is_empty() {
            return Self::divided(layers, vec![0], vec![0], apart);
        }
        let light = first_light(used);
        let all: u64 = used.iter().map(|layers| u64::from(layers.messages)).sum();
        let mut bins = all.div_ceil(most.into()).max(1).next_multiple_of(shares.into());
        loop {
            let first = |bin| light as u64 + (used.len() - light) as u64 * bin / bins;
            let lights: Vec<u32> = (0..=bins).map(|bin| first(bin) as u32).collect();
            let most = Most { messages: most, items: most_items(used.len() as u64 / bins) };
            if let Some(firsts) = with_lights(used, &lights, most) {
                return Self::divided(layers, firsts, lights, apart);
            }
            bins += u64::from(shares);
        }
    }

    /// The items with these layers, divided like this.
    fn divided(layers: &[ItemLayers], firsts: Vec<u32>, lights: Vec<u32>, apart: u32) -> Self {
        let mut items = Self {
            firsts,
            lights,
            binned: vec![0],
            apart: vec![0],
            apart_ends: Vec::new(),
            messages: layers.iter().map(|layers| u64::from(layers.messages)).sum(),
        };
        let mut before = 0;
        items.binned.extend(layers.iter().map(|layers| {
            before += layers.binned.div_ceil(BIN_LAYERS);
            before
        }));
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

/// The most messages of an average light item: six for each lane.
const LIGHT: u32 = 6 * WARP;

/// The first item of those at the end that are light, on average over many.
fn first_light(layers: &[ItemLayers]) -> usize {
    /// Items over which messages are averaged.
    const PIECE: usize = 256;
    let mut light = layers.len();
    for piece in layers.rchunks(PIECE) {
        let messages: u32 = piece.iter().map(|layers| layers.messages).sum();
        if messages as usize > LIGHT as usize * piece.len() {
            break;
        }
        light -= piece.len();
    }
    light
}

/// The most items of a bin that has this many on average. The warps of a block pull one each at a
/// time, and the one that speaks for the block one less than the others. If the average is just above
/// one for each, more bins take less time than another turn for a few items.
fn most_items(average: u64) -> u32 {
    let warps = u64::from(EXCHANGE_WARPS);
    let turns = if 4 * average < 5 * warps { 1 } else { (average + average / 16).div_ceil(warps) };
    (turns * warps - 1) as u32
}

/// Divides the items before the light ones into bins of at most this size that have these light items
/// too. `None` if some are left over, or if light items alone are too many.
fn with_lights(layers: &[ItemLayers], lights: &[u32], most: Most) -> Option<Vec<u32>> {
    let heavy = &layers[..*lights.first()? as usize];
    let (mut firsts, mut item) = (vec![0], 0);
    for pair in lights.windows(2) {
        let own = &layers[pair[0] as usize..pair[1] as usize];
        let mut messages = own.iter().map(|layers| layers.messages).sum::<u32>();
        let mut left = most.items.checked_sub(own.len() as u32)?;
        if messages > most.messages {
            return None;
        }
        while let Some(layers) = heavy.get(item)
            && messages + layers.messages <= most.messages
            && left > 0
        {
            messages += layers.messages;
            (item, left) = (item + 1, left - 1);
        }
        firsts.push(item as u32);
    }
    (item == heavy.len()).then_some(firsts)
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
    /// Splits the layers of all items, and divides the items into bins with `divide`, which is given
    /// the layers. The arrays are set in `a`. Waits.
    ///
    /// # Safety
    /// `a` has the columns and chunks of a graph.
    pub(super) unsafe fn of(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        a: &mut BinEdges,
        divide: impl FnOnce(&[ItemLayers]) -> Items,
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
        let items = divide(&layers.to_vec()?);
        Ok(Self { items, layers, lanes, apart_lanes })
    }
}

/// Memory for the items of bins.
pub(super) struct ItemRoom<D: Device> {
    pub(super) firsts: Array<D, u32>,
    pub(super) lights: Array<D, u32>,
    pub(super) rows: Array<D, u32>,
}

impl<D: Device> ItemRoom<D> {
    pub(super) fn new(arrays: &mut Arrays<D>, items: &Items) -> Result<Self, DeviceError> {
        Ok(Self {
            firsts: arrays.array("first items of bins", items.firsts.len() as u64)?,
            lights: arrays.array("first light items of bins", items.lights.len() as u64)?,
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
        room.lights.write(&items.lights)?;
        room.rows.write(&items.binned)?;
        a.bins = items.bins();
        a.firsts = room.firsts.global();
        a.lights = room.lights.global();
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
        let most = Most { messages: 4500, items: 256 };
        let items = Items::of(&layers, most, 2);
        // 4,160 messages, and 1,192.
        assert_eq!(items.firsts, [0, 3, 7]);
        assert_eq!(items.binned, [0, 16, 32, 33, 49, 50, 52, 52]);
        // Rows of the second range follow those of the first.
        assert_eq!(items.apart[..8], [0, 0, 0, 16, 16, 32, 47, 63]);
        assert_eq!(items.apart[8..], [63, 63, 64, 64, 65, 67, 67]);
        assert_eq!(items.apart_ends, [7, 6]);
        assert_eq!((items.bins(), items.count(), items.messages), (2, 7, 5352));
        assert_eq!((items.binned(), items.apart()), (52, 67));
        assert_eq!(Items::of(&layers, most, 0).apart, [0]);
        assert_eq!(Items::of(&[], most, 1).bins(), 0);
        // Groups without messages count as items of a bin too.
        let items = Items::of(&vec![ItemLayers::default(); 600], most, 1);
        assert_eq!(items.firsts, [0, 256, 512, 600]);
    }

    #[test]
    fn light_items_are_distributed() {
        let of = |messages: &[u32], most, shares| {
            let item = |messages: &u32| ItemLayers { messages: *messages, ..ItemLayers::default() };
            let layers: Vec<ItemLayers> = messages.iter().map(item).collect();
            let items = Items::in_phases(&layers, most, shares, 0, true);
            (items.firsts, items.lights)
        };
        // Three bins of two items and a fourth without any; no light items.
        assert_eq!(of(&[500; 6], 1000, 2), (vec![0, 2, 4, 6, 6], vec![6; 5]));
        // As many items as a block has warps would be one too many; and more if there are many more.
        assert_eq!(of(&[200; 48], 4800, 1), (vec![0, 23, 46, 48], vec![48; 4]));
        assert_eq!(of(&[200; 92], 9400, 1), (vec![0, 47, 92], vec![92; 3]));
        // One bin would be enough without the messages of light items.
        let mut messages = vec![500; 4];
        messages.extend([40; 256]);
        assert_eq!(of(&messages, 8000, 1), (vec![0, 4, 4], vec![4, 132, 260]));
        assert_eq!(of(&messages, 12_240, 1), (vec![0, 4], vec![4, 260]));
        // All are light.
        assert_eq!(of(&[0; 92], 1000, 4), (vec![0; 5], vec![0, 23, 46, 69, 92]));
        assert_eq!(of(&[], 1000, 4), (vec![0], vec![0]));
        // Where vertices do not compute, items without messages are left out at the end.
        let mut layers =
            [100, 0, 200, 0, 0].map(|messages| ItemLayers { messages, ..ItemLayers::default() });
        let items = Items::in_phases(&layers, 1000, 1, 0, false);
        assert_eq!((items.firsts, items.lights, items.binned.len()), (vec![0, 0], vec![0, 3], 6));
        let items = Items::in_phases(&layers[3..], 1000, 1, 0, false);
        assert_eq!((items.firsts, items.lights), (vec![0, 0], vec![0, 1]));
        // Those with messages that are handled separately are needed to list the senders of these.
        layers[3].apart = ApartLayers::default().with(0, 2);
        assert_eq!(Items::in_phases(&layers, 1000, 1, 1, false).lights, [0, 4]);
    }
}
