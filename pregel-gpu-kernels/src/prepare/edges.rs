//! Finds slots for edges, and places for rows.

use pregel_core::device::prepare::{MoveRows, PlaceColumns, PlaceEdges, ROW_TILE};
use pregel_core::device::{CHUNK_LAYERS, Chunk, Global, WARP, columns};

use crate::rows::row_of;
use crate::simt::{
    add_u32, index, lane, load, load_const, load_once, opaque, shuffle, store, warp,
};

/// One value in an array of values whose type the kernel does not know.
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    array: Global<u8>,
    number: u64,
}

impl Bytes {
    /// Value `number` of an array.
    #[inline(always)]
    pub(super) fn of(array: Global<u8>, number: u64) -> Self {
        Self { array, number }
    }
}

/// Copies a value of `width` bytes.
///
/// # Safety
/// Both arrays have the value (I2). No thread writes the source (I7), and this thread owns
/// the target (I6).
#[inline(always)]
pub(super) unsafe fn copy(width: u32, from: Bytes, to: Bytes) {
    let (source, target) = (from.number * u64::from(width), to.number * u64::from(width));
    // Most values are one word: an unrolled loop would only be work for the assembler.
    let one = u64::from(opaque(1));
    if width.is_multiple_of(4) {
        let words = |bytes: Global<u8>| Global::<u32>::at(bytes.address());
        let mut k = 0;
        while k < u64::from(width / 4) {
            // SAFETY: the caller's promise; I3: values of whole words are aligned to them.
            unsafe {
                let word = load_once(words(from.array), source / 4 + k);
                store(words(to.array), target / 4 + k, word);
            }
            k += one;
        }
    } else {
        let mut k = 0;
        while k < u64::from(width) {
            // SAFETY: the caller's promise.
            unsafe { store(to.array, target + k, load_once(from.array, source + k)) };
            k += one;
        }
    }
}

/// Writes what is known of an edge, which is its receiver's message number `label`.
///
/// # Safety
/// `a` is whole (I1); the edge, the places and the layer exist (I2). This thread owns the
/// edge, and no other edge has the slot (I6).
#[inline(always)]
unsafe fn place(a: &PlaceEdges, edge: u64, sender: u32, receiver: u32, label: u32) {
    // SAFETY: the caller's promise: the receiver's group has a base; I7.
    let base = unsafe { load_const(a.bases, columns::group(receiver, a.shift).into()) };
    let slot = columns::slot(base, receiver, label.into(), a.shift);
    // SAFETY: the caller's promise: arrays by edge have the edge, arrays by slot the slot.
    unsafe {
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
            copy(a.width, Bytes::of(a.values, edge), Bytes::of(a.values_by_slot, slot));
        }
    }
}

/// `place_edges`, one thread per edge, in rows by sender: labels the receiver's messages in
/// the order in which edges come (*PregelGPU*, algorithm 4.2.1).
///
/// # Safety
/// `a` is whole (I1); the labels are 0. Each vertex is the target of as many edges as its
/// column has layers (I2).
#[inline(always)]
pub unsafe fn place_edges(a: &PlaceEdges) {
    let edge = index();
    if edge >= a.edges {
        return;
    }
    // SAFETY: I2: the edge exists, its ends are vertices, and the label is below the
    // receiver's degree; I6: the addition gives every edge a label of its own; I7, I8.
    unsafe {
        let sender = load_const(a.place_of, row_of(a.offsets, 0..a.vertices, edge).into());
        let receiver: u32 = load_const(a.place_of, load_once(a.others, edge).into());
        let label = add_u32(a.labels.element(receiver.into()), 1);
        place(a, edge, sender, receiver, label);
    }
}

/// `place_rows`, one thread per edge, in rows by receiver: the edge's rank in its row is the
/// label.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn place_rows(a: &PlaceEdges) {
    let edge = index();
    if edge >= a.edges {
        return;
    }
    // SAFETY: I2: the edge exists, its ends are vertices, and its rank is below the
    // receiver's degree; I6: no other edge of the row has the rank; I7.
    unsafe {
        let row = row_of(a.offsets, 0..a.vertices, edge);
        let label = (edge - load_const(a.offsets, row.into())) as u32;
        let receiver = load_const(a.place_of, row.into());
        let sender = load_const(a.place_of, load_once(a.others, edge).into());
        place(a, edge, sender, receiver, label);
    }
}

/// `place_columns`, one warp per chunk, and per group that is not heavy: a lane goes along
/// the row of its receiver, so that neighbouring lanes write neighbouring slots.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn place_columns(a: &PlaceColumns) {
    let shift = WARP.trailing_zeros();
    let groups = columns::groups(a.vertices, shift);
    if warp() >= u64::from(a.chunk_count + (groups - a.heavy)) {
        return;
    }
    let item = warp() as u32;
    let (group, mut layer, end) = if item < a.chunk_count {
        // SAFETY: I2: the chunk exists; I7.
        let Chunk { group, layer } = unsafe { load_const(a.chunks, item.into()) };
        (group, layer, layer + CHUNK_LAYERS)
    } else {
        (item - a.chunk_count + a.heavy, 0, u32::MAX)
    };
    let place = group * WARP + lane();
    if place >= a.vertices {
        return;
    }
    // SAFETY: I2: the place and its group exist, the vertex has a row; I7.
    let (end, first, base) = unsafe {
        let end = end.min(load_const(a.degrees, place.into()));
        let vertex: u32 = load_const(a.vertex_at, place.into());
        let first = load_const(a.offsets, vertex.into());
        (end, first, load_const(a.bases, group.into()))
    };
    let slot = |layer: u32| columns::slot(base, place, layer.into(), shift);
    // The row has as many edges as the column has layers.
    let edge = |layer: u32| first + u64::from(layer);
    let begin = layer;
    // The sender at the first place so far, and its layer.
    let (mut best, mut best_layer) = (u32::MAX, begin);
    while layer < end {
        // Written out: arrays would end up in local memory. Eight neighbours are a sector,
        // and all their places are requested before one is waited for.
        let other = |k: u32| {
            if layer + k < end {
                // SAFETY: I2: the edge is in the row; I7.
                unsafe { load_const::<u32>(a.others, edge(layer + k)) }
            } else {
                0
            }
        };
        let (o0, o1, o2, o3) = (other(0), other(1), other(2), other(3));
        let (o4, o5, o6, o7) = (other(4), other(5), other(6), other(7));
        let sender = |k: u32, other: u32| {
            if layer + k < end {
                // SAFETY: I2: the other end is a vertex; I7.
                unsafe { load_const::<u32>(a.place_of, other.into()) }
            } else {
                0
            }
        };
        let (s0, s1, s2, s3) = (sender(0, o0), sender(1, o1), sender(2, o2), sender(3, o3));
        let (s4, s5, s6, s7) = (sender(4, o4), sender(5, o5), sender(6, o6), sender(7, o7));
        let mut put = |k: u32, sender: u32| {
            if layer + k < end {
                if sender < best {
                    (best, best_layer) = (sender, layer + k);
                }
                // SAFETY: I2: the layer is below the degree; I6: only this lane has the slot.
                unsafe { store(a.senders, slot(layer + k), sender) };
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
        layer += 8;
    }
    if a.best_first == 0 {
        best_layer = begin;
    }
    if best_layer > begin {
        // SAFETY: I2: both layers are below the degree; I6: only this lane has their slots.
        unsafe {
            let first: u32 = load(a.senders, slot(begin));
            store(a.senders, slot(best_layer), first);
            store(a.senders, slot(begin), best);
        }
    }
    if !a.values.is_none() {
        for layer in begin..end {
            // The two that changed places.
            let to = match layer {
                layer if layer == best_layer => begin,
                layer if layer == begin => best_layer,
                layer => layer,
            };
            let (from, to) =
                (Bytes::of(a.values, edge(layer)), Bytes::of(a.values_by_slot, slot(to)));
            // SAFETY: I2: the edge and the slot exist; I6: only this lane has the slot; I7.
            unsafe { copy(a.width, from, to) };
        }
    }
}

/// `move_rows`, one warp per [`ROW_TILE`] edges, whatever their rows: 32 neighbours per
/// step, with four steps under way.
///
/// # Safety
/// `a` is whole (I1).
#[inline(always)]
pub unsafe fn move_rows(a: &MoveRows) {
    let first = warp() * u64::from(ROW_TILE);
    // I5: the whole warp returns, or no lane of it.
    if first >= a.edges {
        return;
    }
    let last = a.edges - 1;
    // A lane has the row of the first edge of the step with its number.
    let own = first + u64::from(lane() * WARP);
    // SAFETY: I2: the rows exist, and one has the edge; I7.
    let row = unsafe { row_of(a.new_offsets, 0..a.vertices, own.min(last)) };
    let edge = |step: u32| (first + u64::from(step * WARP + lane())).min(last);
    let row_in_step = |step: u32| {
        let rows = shuffle(row, step)..shuffle(row, step + 1) + 1;
        // SAFETY: I2: the rows exist, and one has the edge; I7.
        unsafe { row_of(a.new_offsets, rows, edge(step)) }
    };
    let from = |step: u32, row: u32| {
        // SAFETY: I2: the row exists in both orders, with as many edges; I7.
        unsafe {
            let vertex: u32 = load_const(a.vertex_at, row.into());
            let rank = edge(step) - load_const(a.new_offsets, row.into());
            load_const(a.offsets, vertex.into()) + rank
        }
    };
    // SAFETY: I2: the edge exists; I7.
    let other = |from: u64| unsafe { load_once::<u32>(a.others, from) };
    // SAFETY: I2: the other end is a vertex; I7.
    let place = |other: u32| unsafe { load_const::<u32>(a.place_of, other.into()) };
    let put = |step: u32, from: u64, place: u32| {
        if first + u64::from(step * WARP + lane()) > last {
            return;
        }
        // SAFETY: I2: the edge exists in both orders; I6: only this lane has it; I7.
        unsafe {
            store(a.new_others, edge(step), place);
            if !a.values.is_none() {
                copy(a.width, Bytes::of(a.values, from), Bytes::of(a.new_values, edge(step)));
            }
        }
    };
    let mut i = 0;
    while i < ROW_TILE / WARP {
        let (r0, r1, r2, r3) =
            (row_in_step(i), row_in_step(i + 1), row_in_step(i + 2), row_in_step(i + 3));
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
