//! Messages by way of bins: see [`Bins`].

use pregel_core::device::{
    Arguments, BIN_ROWS, Bins, GRANULE, Global, LaneRows, SHARED, WARP, columns, goes_by_bins,
};
use pregel_core::program::{Delivery, Edge, Message, VertexCompute, Zeroable};

use super::gather::{Sum, at, piece, put_partial, whole_group};
use super::steady::halted;
use super::vertex::{Tally, compute_in, state};
use crate::simt::{
    add_u32, ballot, barrier, block, blocks, copied, hot_copy, hot_wait, lane, load, load_const,
    load_once, prefetch, shared_load_u32, shared_store_u32, store, store_four, thread, threads,
    write_u32,
};

/// Lanes that share a granule: four messages each.
const LANES: u32 = GRANULE / 4;

/// Granules that a block asks for while it copies signals: 160 KiB.
const SOON: u64 = 1 << 13;

/// Where, in shared memory, is written which bin is next.
const NEXT: u32 = SHARED - 4;

/// Whether some edge kept silent, so that bins are of no use. Not for `bin_send`, whose
/// threads could see it turn true one before the other.
#[inline(always)]
unsafe fn silent<P: VertexCompute>(a: &Arguments<P>) -> bool {
    // SAFETY: one value.
    unsafe { load(a.bins.silent, 0) != 0 }
}

/// Whether a plain pull is there for those supersteps alone in which some edge keeps
/// silent, and this is none.
#[inline(always)]
pub(super) unsafe fn spared<P: VertexCompute>(a: &Arguments<P>) -> bool {
    // SAFETY: if there is such a word, it is one.
    unsafe { !a.bins.silent.is_none() && !silent(a) }
}

/// Copies so many bytes, rounded up to 16, to the block's memory, once all its threads
/// are done with what was there.
#[inline(always)]
unsafe fn fetch(address: u64, bytes: u32, meanwhile: impl FnOnce()) {
    barrier();
    let mut offset = thread() * 16;
    while offset < bytes {
        // SAFETY: as the caller promises; arrays have whole copies.
        unsafe { hot_copy(offset, address + u64::from(offset)) };
        offset += threads() * 16;
    }
    meanwhile();
    hot_wait();
    barrier();
}

/// Asks for what lies between two addresses, a line a thread of the block, so that none
/// waits for memory later.
#[inline(always)]
unsafe fn ask_for((from, to): (u64, u64)) {
    /// Bytes that are asked for at a time.
    const LINE: u64 = 128;
    let mut address = from + u64::from(thread()) * LINE;
    while address < to {
        // SAFETY: as the caller promises, something lies there.
        unsafe { prefetch(address) };
        address += u64::from(threads()) * LINE;
    }
}

/// First granule of a range, as `bin_send` goes through them.
#[inline(always)]
unsafe fn of_range<P: VertexCompute>(b: &Bins<P>, range: u32) -> u64 {
    // SAFETY: there is one for each tile, and the end.
    unsafe { load_const(b.by_range, u64::from(range) * u64::from(b.bins)) }
}

/// `bin_send`, on any number of blocks of up to 1,024 threads with room for the
/// signals of a range: each takes as many granules as the others.
///
/// # Safety
/// `bins` is whole, every vertex scattered, and `step.signals` has whole copies of 16
/// bytes.
#[inline(always)]
pub unsafe fn bin_send<P: VertexCompute>(a: &Arguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    // SAFETY: every thread goes the same way but for its granules, which exist.
    unsafe {
        if halted(a) {
            return;
        }
        let all = of_range(b, b.ranges);
        let share = |block: u32| all * u64::from(block) / u64::from(blocks());
        let (mut from, end) = (share(block()), share(block() + 1));
        // The last range that begins there or before.
        let (mut range, mut above) = (0, b.ranges);
        while above - range > 1 {
            let middle = range + (above - range) / 2;
            match of_range(b, middle) <= from {
                true => range = middle,
                false => above = middle,
            }
        }
        let mut spoke = true;
        while from < end {
            let to = of_range(b, range + 1).min(end);
            if from < to {
                let first = range * b.range;
                let signals = (a.vertices.count - first).min(b.range);
                let bytes = signals * size_of::<P::Signal>() as u32;
                fetch(a.step.signals.element(first.into()), bytes, || {
                    let soon = to.min(from + SOON);
                    let senders = |granule: u64| b.senders.element(granule * u64::from(LANES));
                    ask_for((senders(from), senders(soon)));
                    ask_for((b.targets.element(from), b.targets.element(soon)));
                });
                spoke &= send(a, (from, to));
            }
            from = to;
            range += 1;
        }
        if ballot(!spoke) != 0 && lane() == 0 {
            write_u32(b.silent.address(), 1);
        }
    }
}

/// Sends the messages of these granules; whether there was one of each edge.
#[inline(always)]
unsafe fn send<P: VertexCompute>(a: &Arguments<P>, (from, to): (u64, u64)) -> bool {
    let b = &a.bins;
    let own = u64::from(thread() % LANES);
    let stride = u64::from(threads() / LANES);
    let mut granule = from + u64::from(thread() / LANES);
    let mut spoke = true;
    // SAFETY: the granules exist, and their senders are in the range copied.
    unsafe {
        let read = |granule: u64| {
            // Behind the end the last is read once more, rather than none: no branch.
            let granule = granule.min(to - 1);
            let senders: u64 = load_once(b.senders, granule * u64::from(LANES) + own);
            let target: u32 = load_once(b.targets, granule);
            (senders, target)
        };
        let mut put = |granule: u64, (senders, target): (u64, u32)| {
            if granule >= to {
                return;
            }
            let mut message = |k: u32| {
                let signal: P::Signal = copied((senders >> (16 * k)) as u32 & 0xffff);
                let message = a.program.edge_compute(&signal, Edge::new(Zeroable::zeroed()));
                spoke &= message.is_some();
                message.unwrap_or(P::Combiner::neutral())
            };
            let four = [message(0), message(1), message(2), message(3)];
            store_four(b.messages, u64::from(target) * u64::from(GRANULE) + 4 * own, four);
        };
        let batch = |granule: u64| {
            (
                read(granule),
                read(granule + stride),
                read(granule + 2 * stride),
                read(granule + 3 * stride),
            )
        };
        let mut next = batch(granule);
        while granule < to {
            let (g0, g1, g2, g3) = next;
            let after = granule + 4 * stride;
            next = batch(after);
            put(granule, g0);
            put(granule + stride, g1);
            put(granule + 2 * stride, g2);
            put(granule + 3 * stride, g3);
            granule = after;
        }
    }
    spoke
}

/// `bin_apart`, on any number of blocks of up to 1,024 threads with room for the signals
/// of the first range: what its messages come to, for each lane of each item.
///
/// # Safety
/// `bins`, `columns` and `chunks` are whole, every vertex scattered, and `step.signals`
/// has whole copies of 16 bytes.
#[inline(always)]
pub unsafe fn bin_apart<P: VertexCompute>(a: &Arguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let b = &a.bins;
    let groups = columns::groups(a.vertices.count, WARP.trailing_zeros());
    let items = a.chunks.count + (groups - a.chunks.heavy);
    // SAFETY: every thread goes the same way but for its items, which exist.
    unsafe {
        if halted(a) {
            return;
        }
        let signals = a.vertices.count.min(b.apart) * size_of::<P::Signal>() as u32;
        fetch(a.step.signals.address(), signals, || ());
        let read = |item: u32| match item < items {
            true => (load_const(b.lanes, at(item)), load_const(b.apart_firsts, item.into())),
            false => (LaneRows::default(), 0),
        };
        // Neighbours are about as much work: they go to different multiprocessors.
        let mut item = thread() / WARP * blocks() + block();
        let stride = threads() / WARP * blocks();
        let mut next: (LaneRows, u32) = read(item);
        let mut spoke = true;
        while item < items {
            let (rows, from) = next;
            next = read(item + stride);
            let sum = gather(b.apart_senders, (rows.apart(), from), Sum::<P>::new(), |sender| {
                let edge = Edge::new(Zeroable::zeroed());
                let message = a.program.edge_compute(&copied(sender), edge);
                spoke &= message.is_some();
                message
            });
            if let Some(sum) = sum.get() {
                store(b.apart_sums, at(item), sum);
            }
            item += stride;
        }
        if ballot(!spoke) != 0 && lane() == 0 {
            write_u32(b.silent.address(), 1);
        }
    }
}

/// `bin_pull`, after `bin_send`, on any number of blocks of up to 512 threads with
/// room for the messages of a bin: as [`pull`](super::pull), where each block takes
/// the next bin.
///
/// # Safety
/// `bins` is whole, and so are `columns` and `chunks`.
#[inline(always)]
pub unsafe fn bin_pull<P: VertexCompute>(a: &Arguments<P>) {
    if !goes_by_bins::<P>() {
        return;
    }
    let (b, n) = (&a.bins, a.vertices.count);
    let mut tally = Tally::<P>::new();
    // SAFETY: every thread arrives here, or none; the block's turns are its own, and
    // items are chunks or groups, whose places are those of vertices.
    unsafe {
        if halted(a) || silent(a) {
            return;
        }
        let of_bin = |bin: u32| load_const(b.by_bin, u64::from(bin) * u64::from(b.ranges));
        let mut bin = block();
        while bin < b.bins {
            let first = of_bin(bin) * u64::from(GRANULE);
            let count = of_bin(bin + 1) * u64::from(GRANULE) - first;
            let bytes = count as u32 * size_of::<Message<P>>() as u32;
            let (begin, end) = load_pair(b.firsts, bin);
            fetch(b.messages.element(first), bytes, || {
                if thread() == 0 {
                    shared_store_u32(NEXT, blocks() + add_u32(a.step.next.address(), 1));
                }
                let of = |item: u32| {
                    let fours: u32 = load_const(b.rows, item.into());
                    b.positions.element(u64::from(fours) * u64::from(WARP))
                };
                ask_for((of(begin), of(end)));
            });
            let mut item = begin + thread() / WARP;
            bin = shared_load_u32(NEXT);
            let mut part = Part::<P>::read(a, item, end);
            while item < end {
                item += threads() / WARP;
                let next = Part::read(a, item, end);
                let mut sum = Sum::<P>::new();
                sum.add((part.rows.apart() > 0).then_some(part.begun));
                let of = (part.rows.binned(), part.from);
                let sum = gather(b.positions, of, sum, |i| Some(copied(i)));
                if let Some(chunk) = part.chunk {
                    put_partial(a, at(chunk), sum.get());
                } else if part.place < n {
                    compute_in(a, (part.place, || part.state), sum.get(), &mut tally);
                }
                part = next;
            }
        }
        barrier();
        tally.finish(a, a.chunks.joiners + block());
    }
}

/// The element with this number, and the one after it.
#[inline(always)]
unsafe fn load_pair(array: Global<u32>, number: u32) -> (u32, u32) {
    // SAFETY: as the caller promises.
    unsafe { (load_const(array, number.into()), load_const(array, u64::from(number) + 1)) }
}

/// A part of a column, and whose.
struct Part<P: VertexCompute> {
    place: u32,
    rows: LaneRows,
    /// Where the positions of the messages in bins begin.
    from: u32,
    /// What the others came to, if there are any.
    begun: Message<P>,
    state: P::State,
    /// Where the partial result goes, for a chunk.
    chunk: Option<u32>,
}

impl<P: VertexCompute> Part<P> {
    /// The lane's part of an item; without rows if the item is not before `end`, or
    /// there is no such vertex, or it wants no messages. No read waits for another.
    #[inline(always)]
    unsafe fn read(a: &Arguments<P>, item: u32, end: u32) -> Self {
        let mut part = Self {
            place: u32::MAX,
            rows: LaneRows::default(),
            from: 0,
            begun: Zeroable::zeroed(),
            state: Zeroable::zeroed(),
            chunk: (item < a.chunks.count).then_some(item),
        };
        if item >= end {
            return part;
        }
        // SAFETY: the item exists.
        unsafe {
            part.rows = load_const(a.bins.lanes, at(item));
            part.from = load_const(a.bins.rows, item.into());
            if a.bins.apart > 0 {
                part.begun = load_const(a.bins.apart_sums, at(item));
            }
            let wants = match part.chunk {
                Some(chunk) => {
                    let place = piece(a, chunk).0 * WARP + lane();
                    place >= a.vertices.count || a.program.wants_message(&state(a, place))
                }
                None => {
                    part.place = whole_group(a, item) * WARP + lane();
                    if part.place < a.vertices.count {
                        part.state = state(a, part.place);
                        // The vertex is about to ask how many neighbours it has.
                        prefetch(a.vertices.send_degrees.element(part.place.into()));
                    }
                    a.program.wants_message(&part.state)
                }
            };
            if !wants {
                part.rows = LaneRows::default();
            }
        }
        part
    }
}

/// Adds to `sum` what lies in so many rows of the lane, four numbers to an element of
/// `packed`, `from` elements behind its first: what `message` makes of each number.
#[inline(always)]
unsafe fn gather<P: VertexCompute>(
    packed: Global<u64>,
    (rows, from): (u32, u32),
    mut sum: Sum<P>,
    mut message: impl FnMut(u32) -> Option<Message<P>>,
) -> Sum<P> {
    /// Rows in four reads.
    const BATCH: u32 = 4 * BIN_ROWS;
    // SAFETY: there are so many rows.
    unsafe {
        let mut at = u64::from(from) * u64::from(WARP) + u64::from(lane());
        let mut left = rows;
        while left > 0 {
            let read = |k: u32| match left > k * BIN_ROWS {
                true => load_once(packed, at + u64::from(k * WARP)),
                false => 0,
            };
            let (p0, p1, p2, p3): (u64, u64, u64, u64) = (read(0), read(1), read(2), read(3));
            let mut take = |numbers: u64, before: u32| {
                let mut one = |k: u32| {
                    if left > before + k {
                        sum.add(message((numbers >> (16 * k)) as u32 & 0xffff));
                    }
                };
                one(0);
                one(1);
                one(2);
                one(3);
            };
            take(p0, 0);
            take(p1, BIN_ROWS);
            take(p2, 2 * BIN_ROWS);
            take(p3, 3 * BIN_ROWS);
            left = left.saturating_sub(BATCH);
            at += u64::from(4 * WARP);
        }
    }
    sum
}
