//! Messages find their bins.

use pregel_core::device::prepare::BinEdges;
use pregel_core::device::{
    BIN_ROWS, BLOCK, CHUNK_ROWS, Chunk, GRANULE, Global, ItemRows, LaneRows, WARP, columns,
};

use crate::collective::warp_reduce;
use crate::simt::{
    ballot, barrier, block, counter_add, counter_load, counter_store, lane, lanes_before, load,
    load_const, load_once, shuffle, store, store_u16, thread, warp, warp_sum,
};

/// Warps of a block.
const WARPS: u32 = BLOCK / WARP;

/// Sets the block's counters, one a range.
#[inline(always)]
unsafe fn begin(a: &BinEdges, count: impl Fn(u32) -> u32) {
    let mut range = thread();
    while range < a.ranges {
        // SAFETY: there are counters for each range.
        unsafe { counter_store(range, count(range)) };
        range += BLOCK;
    }
    barrier();
}

/// Counts the message of each lane that has one, from this range; how many of the
/// same range were counted before. All lanes of the warp take part.
#[inline(always)]
unsafe fn rank(range: Option<u32>) -> u32 {
    // Most come from the first range, the hubs, and would wait for each other.
    let near = ballot(range == Some(0));
    let mut before = 0;
    // SAFETY: there are counters for each range.
    unsafe {
        if near != 0 {
            if lane() == 0 {
                before = counter_add(0, near.count_ones());
            }
            before = shuffle(before, 0) + (near & lanes_before()).count_ones();
        }
        if let Some(range) = range
            && range != 0
        {
            before = counter_add(range, 1);
        }
    }
    before
}

/// What a lane of an item goes along.
struct Column {
    place: u32,
    base: u64,
    rows: (u32, u32),
}

impl Column {
    /// Without rows, if there is no such vertex.
    #[inline(always)]
    unsafe fn of(a: &BinEdges, item: u32) -> Self {
        // SAFETY: the item exists, and so do the vertices of its group.
        unsafe {
            let (group, first, last) = match item < a.chunk_count {
                true => {
                    let Chunk { group, row } = load_const(a.chunks, item.into());
                    (group, row, row + CHUNK_ROWS)
                }
                false => (item - a.chunk_count + a.heavy, 0, u32::MAX),
            };
            let place = group * WARP + lane();
            let mut degree = 0;
            if place < a.vertices {
                degree = load_const(a.degrees, place.into());
            }
            let base = load_const(a.bases, group.into());
            Self { place, base, rows: (first, degree.min(last)) }
        }
    }

    /// The sender in a row, if there is one.
    #[inline(always)]
    unsafe fn sender(&self, a: &BinEdges, row: u32) -> Option<u32> {
        let slot = columns::slot(self.base, self.place, row.into(), WARP.trailing_zeros());
        // SAFETY: a row before the last has a slot.
        (row < self.rows.1).then(|| unsafe { load_once(a.senders, slot) })
    }
}

/// Shows each lane the senders of its bin, [`BIN_ROWS`] rows of an item at a time; what
/// `begin` makes of an item is with them, and `end` gets it back. All lanes of the warp
/// take part.
#[inline(always)]
unsafe fn walk<S>(
    a: &BinEdges,
    begin: impl Fn(u32) -> S,
    visit: impl Fn(&mut S, [Option<u32>; BIN_ROWS as usize]),
    end: impl Fn(S),
) {
    // SAFETY: the items of the bin exist.
    unsafe {
        let last: u32 = load_const(a.firsts, u64::from(block()) + 1);
        let mut item = load_const(a.firsts, block().into()) + thread() / WARP;
        if item >= last {
            return;
        }
        let mut next = Column::of(a, item);
        while item < last {
            let (column, mut of_item) = (next, begin(item));
            let read = |row: u32| {
                let sender = |k: u32| column.sender(a, row + k);
                [sender(0), sender(1), sender(2), sender(3)]
            };
            let mut row = column.rows.0;
            let mut senders = read(row);
            item += WARPS;
            // The last is read once more, rather than none: no branch.
            next = Column::of(a, item.min(last - 1));
            while ballot(row < column.rows.1) != 0 {
                let after = read(row + BIN_ROWS);
                visit(&mut of_item, senders);
                senders = after;
                row += BIN_ROWS;
            }
            end(of_item);
        }
    }
}

/// Numbers of 16 bits that a lane puts one behind the other, four to an element.
struct Packed {
    at: u64,
    len: u32,
    word: u64,
}

impl Packed {
    /// Begins `fours` elements of each lane behind the first.
    #[inline(always)]
    fn at(fours: u32) -> Self {
        Self { at: u64::from(fours) * u64::from(WARP) + u64::from(lane()), len: 0, word: 0 }
    }

    #[inline(always)]
    unsafe fn put(&mut self, array: Global<u64>, number: Option<u16>) {
        let Some(number) = number else { return };
        self.word |= u64::from(number) << (16 * (self.len % BIN_ROWS));
        self.len += 1;
        if self.len.is_multiple_of(BIN_ROWS) {
            // SAFETY: the lane has so many elements.
            unsafe { store(array, self.at, self.word) };
            self.at += u64::from(WARP);
            self.word = 0;
        }
    }

    #[inline(always)]
    unsafe fn finish(self, array: Global<u64>) {
        if !self.len.is_multiple_of(BIN_ROWS) {
            // SAFETY: as in `put`.
            unsafe { store(array, self.at, self.word) };
        }
    }
}

/// `bin_split`, a warp an item: how many rows of its lanes are pulled apart, and how many
/// go by bins.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn bin_split(a: &BinEdges) {
    let groups = columns::groups(a.vertices, WARP.trailing_zeros());
    if warp() >= u64::from(a.chunk_count + (groups - a.heavy)) {
        return;
    }
    let item = warp() as u32;
    // SAFETY: the item exists.
    unsafe {
        let column = Column::of(a, item);
        let (mut row, end) = column.rows;
        let mut binned = end.saturating_sub(row);
        let mut apart = 0;
        while row < end && a.apart > 0 {
            let near = |k: u32| {
                u32::from(column.sender(a, row + k).is_some_and(|sender| sender < a.apart))
            };
            apart += near(0) + near(1) + near(2) + near(3);
            row += BIN_ROWS;
        }
        binned -= apart;
        let rows = LaneRows::new(apart, binned);
        store(a.lanes, u64::from(item) * u64::from(WARP) + u64::from(lane()), rows);
        let messages = warp_sum(binned);
        let (apart, binned) = (warp_reduce(apart, u32::max), warp_reduce(binned, u32::max));
        if lane() == 0 {
            store(a.items, item.into(), ItemRows { apart, binned, messages });
        }
    }
}

/// `bin_count`, a block a bin: how many granules each range fills.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn bin_count(a: &BinEdges) {
    // SAFETY: there are counters for each range, and counts for each tile.
    unsafe {
        begin(a, |_| 0);
        let range = |sender: Option<u32>| {
            sender.filter(|sender| *sender >= a.apart).map(|sender| sender / a.range)
        };
        let visit = |_: &mut (), [s0, s1, s2, s3]: [Option<u32>; 4]| {
            // Written out, since a loop over them would put them into memory.
            rank(range(s0));
            rank(range(s1));
            rank(range(s2));
            rank(range(s3));
        };
        walk(a, |_| (), visit, |()| ());
        barrier();
        let mut range = thread();
        while range < a.ranges {
            let granules = counter_load(range).div_ceil(GRANULE);
            let (range_at, bin_at) = (u64::from(range), u64::from(block()));
            store(a.bin_counts, bin_at * u64::from(a.ranges) + range_at, granules);
            store(a.range_counts, range_at * u64::from(a.bins) + bin_at, granules);
            range += BLOCK;
        }
    }
}

/// `bin_place`, a block a bin, after `bin_count` and the prefix sums: a place for each
/// message, and where its receiver finds it.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn bin_place(a: &BinEdges) {
    let bin = u64::from(block());
    let ranges = u64::from(a.ranges);
    // SAFETY: each tile has room for its granules, and every message a place of its
    // own.
    unsafe {
        let of_bin = load_const(a.by_bin, bin * ranges);
        let tile = |range: u32| bin * ranges + u64::from(range);
        let listed = |range: u32| u64::from(range) * u64::from(a.bins) + bin;
        begin(a, |range| {
            let first = (load_const(a.by_bin, tile(range)) - of_bin) as u32;
            let list = load_const(a.by_range, listed(range)) as u32;
            store(a.bin_counts, tile(range), list.wrapping_sub(first));
            first * GRANULE
        });
        let place = |sender: Option<u32>| {
            let range = sender.map(|sender| sender / a.range);
            let position = rank(range);
            let (sender, range) = sender.zip(range)?;
            let between: u32 = load(a.bin_counts, tile(range));
            let granule = between.wrapping_add(position / GRANULE);
            let list = u64::from(granule) * u64::from(GRANULE) + u64::from(position % GRANULE);
            store_u16(a.local, list, (sender - range * a.range) as u16);
            Some(position as u16)
        };
        let begin = |item: u32| {
            let apart = match a.apart {
                0 => 0,
                _ => load_const(a.apart_firsts, item.into()),
            };
            (Packed::at(load_const(a.rows, item.into())), Packed::at(apart))
        };
        let visit = |(binned, apart): &mut (Packed, Packed), [s0, s1, s2, s3]: [Option<u32>; 4]| {
            let mut one = |sender: Option<u32>| {
                let near = sender.filter(|sender| *sender < a.apart);
                apart.put(a.apart_senders, near.map(|sender| sender as u16));
                binned.put(a.positions, place(sender.filter(|_| near.is_none())));
            };
            one(s0);
            one(s1);
            one(s2);
            one(s3);
        };
        walk(a, begin, visit, |(binned, apart)| {
            binned.finish(a.positions);
            apart.finish(a.apart_senders);
        });
        let mut range = thread();
        while range < a.ranges {
            let granule = load_const(a.by_range, listed(range));
            let first = load_const(a.by_bin, tile(range));
            let end = load_const(a.by_bin, tile(range) + 1);
            for k in 0..end - first {
                store(a.targets, granule + k, (first + k) as u32);
            }
            range += BLOCK;
        }
    }
}
