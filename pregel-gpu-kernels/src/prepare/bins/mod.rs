//! Finds bins for messages.

mod placing;

use core::ops::Range;

use pregel_core::device::prepare::BinEdges;
use pregel_core::device::shared::Counter;
use pregel_core::device::{
    ApartLayers, BEGUN, BIN_LAYERS, BLOCK, BinItems, CHUNK_LAYERS, Chunk, ExchangedCell, Global,
    ItemLayers, LaneLayers, REST_LAYERS, WARP, columns,
};

use placing::{Packed, Placing};

use crate::collective::warp_reduce;
use crate::simt::{
    ballot, barrier, block, counter_add, counter_load, counter_store, lane, lanes_before, load,
    load_const, load_once, load_pair, shuffle, store, store_u16, thread, warp, warp_sum,
};

/// Warps of a block.
const WARPS: u32 = BLOCK / WARP;

/// Sets the block's counters, one per range.
///
/// # Safety
/// `a` is whole (I1); all threads of the block take part (I5), and the counters are not in
/// use (I9).
#[inline(always)]
unsafe fn set_counters(a: &BinEdges, count: impl Fn(u32) -> u32) {
    let mut range = thread();
    while range < a.ranges {
        // SAFETY: I9: there is a counter for each range; I6: only this thread has it until
        // the barrier.
        unsafe { counter_store(Counter::of_range(range), count(range)) };
        range += BLOCK;
    }
    barrier();
}

/// Counts a message of each lane that has one, from this range; returns how many of the same
/// range were counted before.
///
/// # Safety
/// The range exists (I2), and its counter is only added to until the next barrier (I8). All
/// lanes of the warp take part (I5).
#[inline(always)]
unsafe fn rank(range: Option<u32>) -> u32 {
    // Most come from the first range, the hubs, and would wait for each other.
    let near = ballot(range == Some(0));
    let mut before = 0;
    if near != 0 {
        if lane() == 0 {
            // SAFETY: I9: there is a first range; I8.
            before = unsafe { counter_add(Counter::of_range(0), near.count_ones()) };
        }
        before = shuffle(before, 0) + (near & lanes_before()).count_ones();
    }
    if let Some(range) = range
        && range != 0
    {
        // SAFETY: I9: the caller's promise; I8.
        before = unsafe { counter_add(Counter::of_range(range), 1) };
    }
    before
}

/// The part of a column that a lane of an item goes along.
struct Column {
    place: u32,
    base: u64,
    layers: Range<u32>,
}

impl Column {
    /// This lane's part of an item; without layers if there is no such vertex.
    ///
    /// # Safety
    /// `a` is whole (I1), and the item exists (I2).
    #[inline(always)]
    unsafe fn of(a: &BinEdges, item: u32) -> Self {
        let (group, first, last) = if item < a.chunk_count {
            // SAFETY: I2: the chunk exists; I7.
            let Chunk { group, layer } = unsafe { load_const(a.chunks, item.into()) };
            (group, layer, layer + CHUNK_LAYERS)
        } else {
            (item - a.chunk_count + a.heavy, 0, u32::MAX)
        };
        let place = group * WARP + lane();
        let mut degree = 0;
        if place < a.vertices {
            // SAFETY: I2: the place is below `vertices`; I7.
            degree = unsafe { load_const(a.degrees, place.into()) };
        }
        // SAFETY: I2: the group has a base; I7.
        let base = unsafe { load_const(a.bases, group.into()) };
        Self { place, base, layers: first..degree.min(last) }
    }

    /// The sender in a layer, if there is one and its messages matter.
    ///
    /// # Safety
    /// `a` is whole (I1), and this is a column of it.
    #[inline(always)]
    unsafe fn sender(&self, a: &BinEdges, layer: u32) -> Option<u32> {
        // SAFETY: the caller's promise.
        unsafe { self.any_sender(a, layer) }.filter(|sender| a.has(*sender))
    }

    /// The sender in a layer, if there is one.
    ///
    /// # Safety
    /// As [`sender`](Self::sender).
    #[inline(always)]
    unsafe fn any_sender(&self, a: &BinEdges, layer: u32) -> Option<u32> {
        let slot = columns::slot(self.base, self.place, layer.into(), WARP.trailing_zeros());
        // SAFETY: I2: checked: the layer is below the degree; I7.
        (layer < self.layers.end).then(|| unsafe { load_once(a.senders, slot) })
    }
}

/// Calls `visit` with the senders of the block's bin, [`BIN_LAYERS`] layers of an item at a
/// time, and with what `begin` made of the item, which `end` gets back. All lanes of a warp
/// call them together.
///
/// # Safety
/// `a` is whole (I1), with a bin for each block; all lanes of the warp take part (I5).
#[inline(always)]
unsafe fn walk<S>(
    a: &BinEdges,
    begin: impl Fn(u32) -> S,
    visit: impl Fn(&mut S, [Option<u32>; BIN_LAYERS as usize]),
    end: impl Fn(S),
) {
    // SAFETY: I2: the next bin has a first item, or there is an end; I7.
    let pair = |array: Global<u32>| unsafe { load_pair(array, block().into()) };
    let lights = if a.shares.count() == 0 { [0, 0] } else { pair(a.lights) };
    let items = BinItems::new(pair(a.firsts), lights);
    let mut number = thread() / WARP;
    let Some(mut item) = items.get(number) else { return };
    // SAFETY: I1; I2: the item is one of the bin.
    let mut next = unsafe { Column::of(a, item) };
    while number < items.count() {
        let (column, mut of_item) = (next, begin(item));
        let read = |layer: u32| {
            // SAFETY: I1.
            let sender = |k: u32| unsafe { column.sender(a, layer + k) };
            [sender(0), sender(1), sender(2), sender(3)]
        };
        let mut layer = column.layers.start;
        let mut senders = read(layer);
        number += WARPS;
        // After the end this item is read again, to avoid a branch.
        item = items.get(number).unwrap_or(item);
        // SAFETY: I1; I2: the item is one of the bin.
        next = unsafe { Column::of(a, item) };
        while ballot(layer < column.layers.end) != 0 {
            let after = read(layer + BIN_LAYERS);
            visit(&mut of_item, senders);
            senders = after;
            layer += BIN_LAYERS;
        }
        end(of_item);
    }
}

/// `bin_split`, one warp per item: how many messages of its lanes are handled separately, of
/// each of the first ranges from which there are enough, or had a pass before this one, and how
/// many are binned.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn bin_split(a: &BinEdges) {
    if warp() >= u64::from(a.item_count()) {
        return;
    }
    let item = warp() as u32;
    // SAFETY: I1; I2: checked: the item exists.
    let column = unsafe { Column::of(a, item) };
    let mut layer = column.layers.start;
    let (mut near, mut before, mut mine) = (ApartLayers::default(), 0, 0);
    let is_plain = a.apart_ranges == 0 && a.places >= a.vertices;
    if is_plain {
        mine = column.layers.end.saturating_sub(layer);
    }
    while layer < column.layers.end && !is_plain {
        let mut count = |k: u32| {
            // SAFETY: I1.
            let Some(sender) = (unsafe { column.any_sender(a, layer + k) }) else { return };
            if sender / a.range < a.apart_ranges {
                near = near.with(sender / a.range, 1);
            }
            before += u32::from(sender < a.first);
            mine += u32::from(a.has(sender));
        };
        count(0);
        count(1);
        count(2);
        count(3);
        layer += BIN_LAYERS;
    }
    let slot = u64::from(item) * u64::from(WARP) + u64::from(lane());
    let lanes = u64::from(a.item_count()) * u64::from(WARP);
    let (mut own, mut apart) = (ApartLayers::default(), ApartLayers::default());
    let mut range = 0;
    while range < a.apart_ranges {
        let layers = near.of(range);
        let messages = shuffle(warp_sum(layers), 0);
        let longest = shuffle(warp_reduce(layers, u32::max), 0);
        let mark = if own.any_before(range) { BEGUN } else { 0 };
        let mut marked = mark;
        if a.is_worth_it(messages, longest) {
            own = own.with(range, layers);
            apart = apart.with(range, longest);
            marked = layers as u8 | mark;
        }
        // SAFETY: I2: each range has the item, with 32 lanes; I6: only this lane has its own.
        unsafe { store(a.apart_lanes, u64::from(range) * lanes + slot, marked) };
        range += 1;
    }
    let binned = mine - own.total();
    let rows = LaneLayers::new(before + own.total(), binned);
    // SAFETY: I2: the item has 32 lanes; I6: only this lane has its own.
    unsafe { store(a.lanes, slot, rows) };
    let messages = warp_sum(binned);
    let binned = warp_reduce(binned, u32::max);
    if lane() == 0 {
        // SAFETY: I2: the item exists; I6: only this warp has it.
        unsafe { store(a.items, item.into(), ItemLayers { apart, binned, messages }) };
    }
}

/// The layers of an item that are handled separately.
///
/// # Safety
/// `a` is whole (I1), the item exists (I2), and `bin_split` has run (I7).
#[inline(always)]
unsafe fn apart_of(a: &BinEdges, item: u32) -> ApartLayers {
    // SAFETY: the caller's promise.
    let layers: ItemLayers = unsafe { load_const(a.items, item.into()) };
    layers.apart
}

/// `bin_count`, one block per bin: how many granules each range fills.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn bin_count(a: &BinEdges) {
    // SAFETY: I1, I9; I5: every thread of the block arrives here.
    unsafe { set_counters(a, |_| 0) };
    let visit = |apart: &mut ApartLayers, [s0, s1, s2, s3]: [Option<u32>; 4]| {
        let count = |sender: Option<u32>| {
            let binned = sender.filter(|sender| apart.of(sender / a.range) == 0);
            // SAFETY: I2: a sender is a place, which is in a range; I5: all lanes call it.
            unsafe { rank(binned.map(|sender| a.origin(sender).0)) };
        };
        // Written out: a loop would put them into local memory.
        count(s0);
        count(s1);
        count(s2);
        count(s3);
    };
    // SAFETY: I1; I5: every thread of the block arrives here.
    unsafe { walk(a, |item| apart_of(a, item), visit, |_| ()) };
    barrier();
    let mut range = thread();
    while range < a.ranges {
        // SAFETY: I9: there is a counter for each range, written before the barrier; I2:
        // there is a count for each cell; I6: only this thread has the range.
        unsafe {
            let granules = a.granules(counter_load(Counter::of_range(range)));
            let in_bin = u64::from(block()) * u64::from(a.ranges) + u64::from(range);
            store(a.bin_counts, in_bin, granules);
            store(a.range_counts, a.listed(range, block()), granules);
        }
        range += BLOCK;
    }
}

/// `bin_place`, one block per bin, after `bin_count` and the prefix sums: gives each message
/// a position, and says where its receiver finds it.
///
/// # Safety
/// `a` is whole (I1); `by_bin` and `by_range` are the prefix sums of the counts.
#[inline(always)]
pub unsafe fn bin_place(a: &BinEdges) {
    let bin = u64::from(block());
    let ranges = u64::from(a.ranges);
    // SAFETY: I2: the bin has a first granule; I7.
    let of_bin = unsafe { load_const(a.by_bin, bin * ranges) };
    // Where a cell is among those by bin, and among those by range.
    let cell = |range: u32| bin * ranges + u64::from(range);
    let listed = |range: u32| a.listed(range, block());
    let first_position = |range: u32| {
        // SAFETY: I2: the cell exists; I6: only this thread has the range until the barrier;
        // I7 for the sums.
        unsafe {
            let first = (load_const(a.by_bin, cell(range)) - of_bin) as u32;
            let list = load_const(a.by_range, listed(range)) as u32;
            store(a.bin_counts, cell(range), list.wrapping_sub(first));
            first << a.granule_shift
        }
    };
    // SAFETY: I1, I9; I5: every thread of the block arrives here.
    unsafe { set_counters(a, first_position) };
    let place = |sender: Option<u32>| {
        let origin = sender.map(|sender| a.origin(sender));
        // SAFETY: I2: a sender is a place, which is in a range; I5: all lanes call it.
        let position = unsafe { rank(origin.map(|(range, _)| range)) };
        let (range, number) = origin?;
        // SAFETY: I2: the cell exists; it was written before the barrier.
        let between: u32 = unsafe { load(a.bin_counts, cell(range)) };
        let granule = between.wrapping_add(position >> a.granule_shift);
        let within = position & ((1 << a.granule_shift) - 1);
        let list = (u64::from(granule) << a.granule_shift) + u64::from(within);
        // SAFETY: I2: the cell has room for its messages; I6: only this one has the position.
        unsafe { store_u16(a.local, list, a.staged_sender(number)) };
        Some(a.staged_position(position))
    };
    // SAFETY: I1; I2: only called with items, each of which has a first row; I7.
    let begin = |item: u32| unsafe {
        (Placing::begin(a, item), Packed::at(load_const(a.rows, item.into())))
    };
    let visit = |(own, binned): &mut (Placing, Packed), [s0, s1, s2, s3]: [Option<u32>; 4]| {
        // SAFETY: I2: `bin_split` counted the lane's numbers; I6: the lane's own.
        let mut one = |sender: Option<u32>| unsafe {
            let sender = own.put(a, sender);
            binned.put(a.positions, place(sender));
        };
        one(s0);
        one(s1);
        one(s2);
        one(s3);
    };
    // SAFETY: I2, I6, as above.
    let end = |(own, binned): (Placing, Packed)| unsafe {
        binned.finish(a.positions);
        own.nearest.finish(a.apart_senders);
    };
    // SAFETY: I1; I5: every thread of the block arrives here.
    unsafe { walk(a, begin, visit, end) };
    let mut range = thread();
    while range < a.ranges {
        // SAFETY: I2: the cell and its granules exist; I6: no other cell has them; I7.
        unsafe {
            let granule = load_const(a.by_range, listed(range));
            let first = load_const(a.by_bin, cell(range));
            let len = load_const(a.by_bin, cell(range) + 1) - first;
            if a.shares.count() == 0 {
                for k in 0..len {
                    store(a.targets, granule + k, (first + k) as u32);
                }
            } else {
                let phase = a.listed(0, block() - block() % a.shares.count());
                let from: u64 = granule - load_const::<u64>(a.by_range, phase);
                let within = ExchangedCell::new(from as u32, (first - of_bin) as u32, len as u32);
                store(a.cells, listed(range), within);
            }
        }
        range += BLOCK;
    }
}

/// `rest_place`, one block per bin: lists the senders of all messages for their receivers.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn rest_place(a: &BinEdges) {
    // SAFETY: I1; I2: only called with items, each of which has a first row; I7.
    let begin = |item: u32| unsafe {
        let first: u32 = load_const(a.rows, item.into());
        (Placing::begin(a, item), first * (BIN_LAYERS / REST_LAYERS), 0)
    };
    let visit = |(own, first, len): &mut (Placing, u32, u32), senders: [Option<u32>; 4]| {
        let [s0, s1, s2, s3] = senders;
        // SAFETY: I2: `bin_split` counted the lane's numbers; I6: the lane's own.
        let mut one = |sender: Option<u32>| unsafe {
            if let Some(sender) = own.put(a, sender) {
                let row = u64::from(*first + *len / REST_LAYERS) * u64::from(WARP);
                let at = (row + u64::from(lane())) * u64::from(REST_LAYERS);
                store(a.rest, at + u64::from(*len % REST_LAYERS), sender);
                *len += 1;
            }
        };
        one(s0);
        one(s1);
        one(s2);
        one(s3);
    };
    // SAFETY: I2, I6, as above.
    let end = |(own, _, _): (Placing, u32, u32)| unsafe { own.nearest.finish(a.apart_senders) };
    // SAFETY: I1; I5: every thread of the block arrives here.
    unsafe { walk(a, begin, visit, end) };
}
