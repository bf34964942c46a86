//! Triangles of the distinct pairs of neighbours, by searching the elements of one sorted row in
//! another: the same triangles and credits as on the CPU (`pregel-core`,
//! `engine/solve/search.rs`).
//!
//! A warp takes 32 neighbouring pairs, one per lane. A pair is as much work as the shorter of
//! the rows of its ends has elements, and the warp lays these lists end to end and takes 32
//! elements at a time, whichever pairs they belong to. So short rows, of which most graphs have
//! most, leave no lane idle, and neither do long ones. Each lane searches its element in the
//! longer row (Hu, Liu and Huang, *TriCore: Parallel Triangle Counting on GPUs*, SC 2018, for
//! searches by all lanes).
//!
//! A triangle credits its three corners. The rows of 32 neighbouring pairs lie next to each
//! other, and with them the elements that are credited as third corners. Credits are collected
//! in shared memory, in one word per element of a window of them, and added to those of other
//! warps once per 32 pairs; the credits of elements outside of the window at once. The window
//! holds the rows from their beginning if they fit, and otherwise begins with the 32 pairs, so
//! that these always lie in it.
//!
//! A word holds the credits of 32 pairs at most: 64 of a third corner, and for the two ends of
//! a pair twice the length of a row. With rows no longer than √(2P), 32 bits are enough for all
//! P that fit a memory.

use pregel_core::device::solve::{Corners, UNIT, credits_offset};
use pregel_core::device::{BLOCK, COUNTS, WARP};

use crate::collective::{warp_scan_u32, warp_sum_u64};
use crate::rows::row_of;
use crate::simt::{
    add_staged, add_u64, ballot, blocks, lane, load_const, load_staged, opaque, shuffle,
    shuffle_value, store_staged, thread, warp, warp_barrier,
};

/// What this lane has counted.
#[derive(Clone, Copy, Default)]
struct Seen {
    triangles: u64,
    /// Rows whose first pair was this lane's.
    rows: u64,
    pairs: u64,
}

/// The row of a pair that is not before row `low`, in steps that double.
///
/// # Safety
/// `a` is whole (I1), `low` is below `a.vertices` (I2), and the pair exists.
#[inline(always)]
unsafe fn row_from(a: &Corners, low: u32, pair: u64) -> u32 {
    let (mut low, rows) = (u64::from(low), u64::from(a.vertices));
    let mut step = 1;
    // SAFETY: I2: rows below the number of vertices; I7; every pair is before the end of the
    // last row.
    unsafe {
        while low + step < rows && load_const(a.offsets, low + step) <= pair {
            low += step;
            step *= 2;
        }
        row_of(a.offsets, low as u32..rows.min(low + step) as u32, pair)
    }
}

/// Where `value` is in the row of `length` elements, at least one, that begins at `begin`.
///
/// # Safety
/// `a` is whole (I1), and the elements are pairs (I2).
#[inline(always)]
unsafe fn place_of(a: &Corners, begin: u64, length: u32, value: u32) -> Option<u32> {
    let (mut low, mut rest) = (0, length);
    // SAFETY: I2: the place stays below the length; I7.
    unsafe {
        while rest > 1 {
            let half = rest / 2;
            let middle: u32 = load_const(a.targets, begin + u64::from(low + half));
            if middle <= value {
                low += half;
            }
            rest -= half;
        }
        let last: u32 = load_const(a.targets, begin + u64::from(low));
        (last == value).then_some(low)
    }
}

/// The edges of a pair.
///
/// # Safety
/// `a` is whole (I1), and the pair exists (I2).
#[inline(always)]
unsafe fn weight(a: &Corners, pair: u64) -> u32 {
    if a.weighted == 0 {
        return 1;
    }
    // SAFETY: I1: there are weights; I2, I7.
    let edges: u8 = unsafe { load_const(a.weights, pair) };
    edges.into()
}

/// The lane whose list has this item, if the lists lie end to end and end before item `upto`;
/// the last lane if none has it. All lanes of the warp take part (I5).
#[inline(always)]
fn owner_of(item: u32, upto: u32) -> u32 {
    let mut owner = 0;
    let mut step = opaque(WARP / 2);
    while step > 0 {
        if shuffle(upto, owner + step - 1) <= item {
            owner += step;
        }
        step /= 2;
    }
    owner
}

/// The credits that a warp collects.
#[derive(Clone, Copy)]
struct Window {
    /// Byte offset of the words of the warp: one per lane, for its row; then those of pairs.
    words: u32,
    /// The first pair that has a word.
    begin: u64,
    /// How many have.
    length: u32,
}

impl Window {
    /// Byte offset of the word of a lane's row.
    #[inline(always)]
    fn row(self, lane: u32) -> u32 {
        self.words + 4 * lane
    }

    /// Byte offset of the word of a pair of the window, counted from its beginning.
    #[inline(always)]
    fn pair(self, i: u32) -> u32 {
        self.words + 4 * (WARP + i)
    }

    /// Takes what was collected in a word, and credits a vertex with it.
    ///
    /// # Safety
    /// `a` is whole (I1), the vertex exists (I2), and this lane owns the word (I6, I9).
    #[inline(always)]
    unsafe fn hand_over(a: &Corners, word: u32, vertex: impl FnOnce() -> u64) {
        // SAFETY: the caller's promise; I8: credits are only added to.
        unsafe {
            let credits: u32 = load_staged(word / 4);
            if credits > 0 {
                store_staged(word, 0);
                add_u64(a.credits.element(vertex()), credits.into());
            }
        }
    }
}

/// Finds the triangles of the pairs from `first` on, one per lane, and credits their corners.
/// The words of the warp are 0 before and after.
///
/// # Safety
/// `a` is whole (I1), pair `first` exists (I2), and this warp has the words (I6, I9). All lanes
/// of the warp take part (I5).
#[inline(always)]
unsafe fn find(a: &Corners, words: u32, first: u64, seen: &mut Seen) {
    let count = (a.pairs - first).min(UNIT) as u32;
    let is_pair = lane() < count;
    // SAFETY: I2: the pair and its ends exist, and their rows; items are below the length of a
    // row; I5: `total` and the results of votes are the same in the warp; I6: lanes own the
    // words between two barriers, except where I8: they are only added to; I7.
    unsafe {
        // Lanes beyond the last pair read it as well, and have no items.
        let pair = first + u64::from(lane().min(count - 1));
        let row = row_from(a, row_of(a.offsets, 0..a.vertices, first), pair);
        let row = u64::from(row);
        let target: u32 = load_const(a.targets, pair);
        let target = u64::from(target);
        let begins: [u64; 2] = [load_const(a.offsets, row), load_const(a.offsets, target)];
        let end: u64 = load_const(a.offsets, row + 1);
        let end_of_target: u64 = load_const(a.offsets, target + 1);
        let lengths = [(end - begins[0]) as u32, (end_of_target - begins[1]) as u32];
        seen.rows += u64::from(is_pair && pair == begins[0]);
        seen.pairs += u64::from(is_pair);

        // A triangle takes two pairs of the row.
        let items = if is_pair && lengths[0] > 1 { lengths[0].min(lengths[1]) } else { 0 };
        let upto = warp_scan_u32(items);
        let total = shuffle(upto, WARP - 1);
        if total == 0 {
            return;
        }
        let (begin, end) = (shuffle_value(begins[0], 0), shuffle_value(end, WARP - 1));
        let begin = if end - begin <= a.window.into() { begin } else { first };
        let length = (end - begin).min(a.window.into()) as u32;
        let window = Window { words, begin, length };
        let before = seen.triangles;
        find_items(a, window, first, Lists { begins, lengths, upto, total }, seen);
        if ballot(seen.triangles > before) == 0 {
            return;
        }
        warp_barrier();
        Window::hand_over(a, window.row(lane()), || row);
        let mut i = lane();
        while i < length {
            let vertex = || {
                let vertex: u32 = load_const(a.targets, begin + u64::from(i));
                vertex.into()
            };
            Window::hand_over(a, window.pair(i), vertex);
            i += WARP;
        }
        warp_barrier();
    }
}

/// The rows of both ends of this lane's pair, and the lists of all lanes: the elements of the
/// shorter of the two, the first if they are equal.
struct Lists {
    begins: [u64; 2],
    lengths: [u32; 2],
    /// Where the list of this lane ends if all lie end to end.
    upto: u32,
    /// Where the last ends.
    total: u32,
}

/// Searches all elements of the lists, and collects the credits of those that are found.
///
/// # Safety
/// As [`find`]; the lists are those of the pairs from `first` on, which lie in the window.
#[inline(always)]
unsafe fn find_items(a: &Corners, window: Window, first: u64, lists: Lists, seen: &mut Seen) {
    let (mut begins, mut lengths) = ([0; 2], [0; 2]);
    // The pair of this lane's item: which lane's, its edges, and where its list ends.
    let (mut owner, mut edges, mut until) = (0, 0, 0);
    // What the two ends of that pair are credited with.
    let mut ends = [0; 2];
    // SAFETY: as in `find`; I8: the words are only added to.
    unsafe {
        let collect = |begins: [u64; 2], owner: u32, ends: [u32; 2]| {
            if ends[0] > 0 {
                // The first lane that has a pair of the same row.
                let lane = begins[0].saturating_sub(first) as u32;
                add_staged(window.row(lane), ends[0]);
                add_staged(window.pair((first - window.begin) as u32 + owner), ends[1]);
            }
        };
        let mut start = 0;
        while start < lists.total {
            let item = start + lane();
            // Consecutive items of a lane are often of the same long list.
            if ballot(item >= until && item < lists.total) != 0 {
                collect(begins, owner, ends);
                ends = [0; 2];
                owner = owner_of(item, lists.upto);
                until = shuffle(lists.upto, owner);
                begins = shuffle_value(lists.begins, owner);
                lengths = shuffle_value(lists.lengths, owner);
                edges = if item < until { weight(a, first + u64::from(owner)) } else { 0 };
            }
            if item < until {
                let is_first = lengths[0] <= lengths[1];
                let (list, row) = if is_first { (0, 1) } else { (1, 0) };
                let length = if is_first { lengths[0] } else { lengths[1] };
                let i = length - (until - item);
                let begin = |which: usize| if which == 0 { begins[0] } else { begins[1] };
                let value: u32 = load_const(a.targets, begin(list) + u64::from(i));
                let longer = if is_first { lengths[1] } else { lengths[0] };
                if let Some(j) = place_of(a, begin(row), longer, value) {
                    let (i, j) = if is_first { (i, j) } else { (j, i) };
                    let pairs = [begins[0] + u64::from(i), begins[1] + u64::from(j)];
                    seen.triangles += 1;
                    ends = [ends[0] + weight(a, pairs[1]), ends[1] + weight(a, pairs[0])];
                    let place = pairs[0].wrapping_sub(window.begin);
                    if place < window.length.into() {
                        add_staged(window.pair(place as u32), edges);
                    } else {
                        add_u64(a.credits.element(value.into()), edges.into());
                    }
                }
            }
            start += WARP;
        }
        collect(begins, owner, ends);
    }
}

/// `triangles`, on any number of blocks: finds every triangle once, from its lowest pair, and
/// credits each corner with the edges that join the other two.
///
/// # Safety
/// `a` is whole (I1). The launch gave the block room for the credits of its warps (I4).
#[inline(always)]
pub unsafe fn triangles(a: &Corners) {
    let words = credits_offset(thread() / WARP, a.window);
    let mut seen = Seen::default();
    // SAFETY: I2: units begin with a pair, and there are `COUNTS` parts of each count; I5: the
    // unit is that of the warp; I6, I9: the warp has these words; I8: counts are only added to.
    unsafe {
        let mut i = lane();
        while i < WARP + a.window {
            store_staged(words + 4 * i, 0);
            i += WARP;
        }
        warp_barrier();
        let warps = u64::from(blocks()) * u64::from(BLOCK / WARP);
        let mut unit = warp();
        while unit * UNIT < a.pairs {
            find(a, words, unit * UNIT, &mut seen);
            unit += warps;
        }
        let sums = [seen.triangles, seen.rows, seen.pairs].map(warp_sum_u64);
        if lane() == 0 {
            let mut part = warp() % u64::from(COUNTS);
            for sum in sums {
                if sum > 0 {
                    add_u64(a.seen.element(part), sum);
                }
                part += u64::from(COUNTS);
            }
        }
    }
}
