//! Edges find their slots, and rows their places.

use pregel_core::device::prepare::{MoveRows, PlaceColumns, PlaceEdges, ROW_TILE};
use pregel_core::device::{CHUNK_ROWS, Chunk, Global, WARP, columns};

use crate::simt::{add_u32, index, lane, load_const, load_once, opaque, shuffle, store, warp};

/// Copies a value of `width` bytes.
///
/// # Safety
/// Both arrays have the element; nobody else touches the target.
#[inline(always)]
pub(super) unsafe fn copy(width: u32, from: (Global<u8>, u64), to: (Global<u8>, u64)) {
    let (source, target) = (from.1 * u64::from(width), to.1 * u64::from(width));
    // Most values are one word: a loop written out would be for the assembler alone.
    let one = u64::from(opaque(1));
    // SAFETY: as the caller promises; arrays begin at multiples of 256.
    unsafe {
        if width.is_multiple_of(4) {
            let words = |bytes: Global<u8>| Global::<u32>::at(bytes.address());
            let mut k = 0;
            while k < u64::from(width / 4) {
                let word = load_once(words(from.0), source / 4 + k);
                store(words(to.0), target / 4 + k, word);
                k += one;
            }
        } else {
            let mut k = 0;
            while k < u64::from(width) {
                store(to.0, target + k, load_once(from.0, source + k));
                k += one;
            }
        }
    }
}

/// The row of an edge, from the first to before the second of `rows`: the last that begins
/// at it or before.
///
/// # Safety
/// The rows exist, and one of them has the edge.
#[inline(always)]
unsafe fn row_of(offsets: Global<u64>, (mut low, mut high): (u32, u32), edge: u64) -> u32 {
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        // SAFETY: `middle` is below the number of rows.
        match unsafe { load_const(offsets, middle.into()) } <= edge {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// Keeps what is known of an edge.
#[inline(always)]
unsafe fn place(a: &PlaceEdges, edge: u64, sender: u32, receiver: u32, label: u32) {
    // SAFETY: as the caller promises.
    unsafe {
        let base = load_const(a.bases, columns::group(receiver, a.shift).into());
        let slot = columns::slot(base, receiver, label.into(), a.shift);
        if !a.sources.is_none() {
            store(a.sources, edge, sender);
        }
        if !a.positions.is_none() {
            store(a.positions, edge, slot as u32);
        }
        if !a.senders.is_none() {
            store(a.senders, slot, sender);
        }
        if !a.receivers.is_none() {
            store(a.receivers, slot, receiver);
        }
        if !a.values_by_slot.is_none() {
            copy(a.width, (a.values, edge), (a.values_by_slot, slot));
        }
    }
}

/// `place_edges`, a thread an edge, in rows by sender: the receiver's messages
/// are labelled in the order in which edges come (*PregelGPU*, algorithm
/// 4.2.1).
///
/// # Safety
/// `a` is whole; the labels are 0.
#[inline(always)]
pub unsafe fn place_edges(a: &PlaceEdges) {
    let edge = index();
    if edge >= a.edges {
        return;
    }
    // SAFETY: the edge exists, and its ends are vertices.
    unsafe {
        let sender = load_const(a.place_of, row_of(a.offsets, (0, a.vertices), edge).into());
        let receiver: u32 = load_const(a.place_of, load_once(a.others, edge).into());
        let label = add_u32(a.labels.element(receiver.into()), 1);
        place(a, edge, sender, receiver, label);
    }
}

/// `place_rows`, a thread an edge, in rows by receiver: the edge's rank in its
/// row is the label.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn place_rows(a: &PlaceEdges) {
    let edge = index();
    if edge >= a.edges {
        return;
    }
    // SAFETY: the edge exists, and its ends are vertices.
    unsafe {
        let row = row_of(a.offsets, (0, a.vertices), edge);
        let label = (edge - load_const(a.offsets, row.into())) as u32;
        let receiver = load_const(a.place_of, row.into());
        let sender = load_const(a.place_of, load_once(a.others, edge).into());
        place(a, edge, sender, receiver, label);
    }
}

/// `place_columns`, a warp for each chunk, and for each group that is not heavy: a lane
/// goes along the row of its receiver, so that the lanes write side by side.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn place_columns(a: &PlaceColumns) {
    let shift = WARP.trailing_zeros();
    let groups = columns::groups(a.vertices, shift);
    if warp() >= u64::from(a.chunk_count + (groups - a.heavy)) {
        return;
    }
    let item = warp() as u32;
    // SAFETY: the item exists; rows have as many edges as columns have rows.
    unsafe {
        let (group, mut row, end) = match item < a.chunk_count {
            true => {
                let Chunk { group, row } = load_const(a.chunks, item.into());
                (group, row, row + CHUNK_ROWS)
            }
            false => (item - a.chunk_count + a.heavy, 0, u32::MAX),
        };
        let place = group * WARP + lane();
        if place >= a.vertices {
            return;
        }
        let end = end.min(load_const(a.degrees, place.into()));
        let vertex: u32 = load_const(a.vertex_at, place.into());
        let first = load_const(a.offsets, vertex.into());
        let base = load_const(a.bases, group.into());
        let slot = |row: u32| columns::slot(base, place, row.into(), shift);
        let of = |row: u32| first + u64::from(row);
        let begin = row;
        while row < end {
            // Written out, since arrays of them would end up in memory: eight neighbours,
            // a sector, and all of their places under way before one is waited for.
            let other = |k: u32| match row + k < end {
                true => load_const::<u32>(a.others, of(row + k)),
                false => 0,
            };
            let (o0, o1, o2, o3) = (other(0), other(1), other(2), other(3));
            let (o4, o5, o6, o7) = (other(4), other(5), other(6), other(7));
            let sender = |k: u32, other: u32| match row + k < end {
                true => load_const::<u32>(a.place_of, other.into()),
                false => 0,
            };
            let (s0, s1, s2, s3) = (sender(0, o0), sender(1, o1), sender(2, o2), sender(3, o3));
            let (s4, s5, s6, s7) = (sender(4, o4), sender(5, o5), sender(6, o6), sender(7, o7));
            let put = |k: u32, sender: u32| {
                if row + k < end {
                    store(a.senders, slot(row + k), sender);
                }
            };
            put(0, s0);
            put(1, s1);
            put(2, s2);
            put(3, s3);
            put(4, s4);
            put(5, s5);
            put(6, s6);
            put(7, s7);
            row += 8;
        }
        if !a.values.is_none() {
            for row in begin..end {
                copy(a.width, (a.values, of(row)), (a.values_by_slot, slot(row)));
            }
        }
    }
}

/// `move_rows`, a warp for [`ROW_TILE`] edges, whatever rows they are of: 32 neighbours at
/// a time, and four such steps under way.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn move_rows(a: &MoveRows) {
    let first = warp() * u64::from(ROW_TILE);
    if first >= a.edges {
        return;
    }
    let last = a.edges - 1;
    // SAFETY: the edges exist, and each row has as many in both orders.
    unsafe {
        // A lane has the row of the first edge of the step with its number.
        let own = first + u64::from(lane() * WARP);
        let row = row_of(a.new_offsets, (0, a.vertices), own.min(last));
        let edge = |step: u32| (first + u64::from(step * WARP + lane())).min(last);
        let of = |step: u32| {
            let rows = (shuffle(row, step), shuffle(row, step + 1) + 1);
            row_of(a.new_offsets, rows, edge(step))
        };
        let from = |step: u32, row: u32| {
            let vertex: u32 = load_const(a.vertex_at, row.into());
            let rank = edge(step) - load_const(a.new_offsets, row.into());
            load_const(a.offsets, vertex.into()) + rank
        };
        let other = |from: u64| load_once::<u32>(a.others, from);
        let place = |other: u32| load_const::<u32>(a.place_of, other.into());
        let put = |step: u32, from: u64, place: u32| {
            if first + u64::from(step * WARP + lane()) > last {
                return;
            }
            store(a.new_others, edge(step), place);
            if !a.values.is_none() {
                copy(a.width, (a.values, from), (a.new_values, edge(step)));
            }
        };
        let mut i = 0;
        while i < ROW_TILE / WARP {
            let (r0, r1, r2, r3) = (of(i), of(i + 1), of(i + 2), of(i + 3));
            let (f0, f1, f2, f3) = (from(i, r0), from(i + 1, r1), from(i + 2, r2), from(i + 3, r3));
            let (o0, o1, o2, o3) = (other(f0), other(f1), other(f2), other(f3));
            let (p0, p1, p2, p3) = (place(o0), place(o1), place(o2), place(o3));
            put(i, f0, p0);
            put(i + 1, f1, p1);
            put(i + 2, f2, p2);
            put(i + 3, f3, p3);
            i += 4;
        }
    }
}
