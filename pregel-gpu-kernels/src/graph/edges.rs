//! Edges find their slots, and rows their places.

use pregel_core::device::prepare::{MoveRows, PlaceColumns, PlaceEdges};
use pregel_core::device::{CHUNK_ROWS, Chunk, Global, WARP, columns};

use crate::simt::{add_u32, index, lane, load_const, load_once, opaque, store, warp};

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

/// The row of an edge: the last that begins at it or before.
///
/// # Safety
/// `offsets` holds `rows + 1` values, and `edge` is below the last.
#[inline(always)]
unsafe fn row_of(offsets: Global<u64>, rows: u32, edge: u64) -> u32 {
    let (mut low, mut high) = (0, rows);
    // The row is in low..high.
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
        let sender = load_const(a.place_of, row_of(a.offsets, a.vertices, edge).into());
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
        let row = row_of(a.offsets, a.vertices, edge);
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
        let put = |row: u32, other: u32| {
            let slot = columns::slot(base, place, row.into(), shift);
            store(a.senders, slot, load_const::<u32>(a.place_of, other.into()));
            if !a.values.is_none() {
                copy(a.width, (a.values, first + u64::from(row)), (a.values_by_slot, slot));
            }
        };
        let other = |row: u32| load_const::<u32>(a.others, first + u64::from(row));
        while row + 3 < end {
            let (o0, o1, o2, o3) = (other(row), other(row + 1), other(row + 2), other(row + 3));
            put(row, o0);
            put(row + 1, o1);
            put(row + 2, o2);
            put(row + 3, o3);
            row += 4;
        }
        while row < end {
            put(row, other(row));
            row += 1;
        }
    }
}

/// `move_rows`, a warp a row.
///
/// # Safety
/// `a` is whole.
#[inline(always)]
pub unsafe fn move_rows(a: &MoveRows) {
    let row = warp();
    if row >= a.vertices.into() {
        return;
    }
    // SAFETY: the row exists in both orders, and has as many edges in both.
    unsafe {
        let vertex: u32 = load_const(a.vertex_at, row);
        let begin = load_const(a.offsets, vertex.into());
        let end = load_const(a.offsets, u64::from(vertex) + 1);
        let target = load_const(a.new_offsets, row);
        let mut rank = u64::from(lane());
        while begin + rank < end {
            let other: u32 = load_once(a.others, begin + rank);
            let place: u32 = load_const(a.place_of, other.into());
            store(a.new_others, target + rank, place);
            if !a.values.is_none() {
                copy(a.width, (a.values, begin + rank), (a.new_values, target + rank));
            }
            rank += u64::from(WARP);
        }
    }
}
