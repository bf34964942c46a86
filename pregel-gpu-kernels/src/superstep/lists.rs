//! Message lists, made in place in the columns of the message buffer.

use core::cell::Cell;

use pregel_core::device::{Arguments, LONG_LIST, columns};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::gather::base;
use super::vertex::{Tally, compute, state, wants};
use crate::collective::block_scan_u64;
use crate::simt::{
    barrier, block, blocks, index, load, load_const, store, thread, threads, tile, tile_load,
    tile_store,
};

/// The part of the message buffer that is one vertex's.
struct Column<'a, P: VertexCompute> {
    a: &'a Arguments<P>,
    base: u64,
    place: u32,
}

impl<P: VertexCompute> Column<'_, P> {
    #[inline(always)]
    fn slot(&self, row: u32) -> u64 {
        columns::slot(self.base, self.place, row.into(), self.a.columns.shift)
    }

    #[inline(always)]
    unsafe fn present(&self, row: u32) -> bool {
        // SAFETY: the vertex has such a row.
        unsafe { load(self.a.mailbox.present, self.slot(row)) != 0 }
    }

    #[inline(always)]
    unsafe fn set_present(&self, row: u32, present: bool) {
        // SAFETY: the vertex has such a row, and nobody else touches it.
        unsafe { store(self.a.mailbox.present, self.slot(row), u8::from(present)) }
    }

    #[inline(always)]
    unsafe fn get(&self, row: u32) -> Message<P> {
        // SAFETY: the vertex has such a row.
        unsafe { load(self.a.mailbox.messages, self.slot(row)) }
    }

    #[inline(always)]
    unsafe fn set(&self, row: u32, message: Message<P>) {
        // SAFETY: the vertex has such a row, and nobody else touches it.
        unsafe { store(self.a.mailbox.messages, self.slot(row), message) }
    }
}

/// Whether lists are sorted, and not all of them by their vertex's thread.
const fn sorts<P: VertexCompute>() -> bool {
    P::Combiner::SORTED && size_of::<Message<P>>() > 0
}

/// `sort_lists`, a block a vertex, one after the other: sorts the messages of those
/// with more than [`LONG_LIST`] rows, the first rows then.
///
/// # Safety
/// `columns` and `mailbox` are whole; messages are there.
#[inline(always)]
pub unsafe fn sort_lists<P: VertexCompute>(a: &Arguments<P>) {
    if !sorts::<P>() {
        return;
    }
    let mut place = block();
    while place < a.vertices.count {
        // SAFETY: the place is that of a vertex, whose slots are the block's alone.
        unsafe {
            let rows = load_const(a.columns.degrees, place.into());
            if rows > LONG_LIST && wants(a, place) {
                let column = Column { a, base: base(a, place), place };
                let len = pack(&column, rows);
                sort(&column, len);
            }
        }
        place += blocks();
    }
}

/// Moves the messages that are present to the first rows; how many there are.
#[inline(always)]
unsafe fn pack<P: VertexCompute>(column: &Column<'_, P>, rows: u32) -> u32 {
    let (mut len, mut strip) = (0, 0);
    // SAFETY: rows are those of the column; a strip is read before the barriers of the
    // prefix sum, and written to its own rows or those before.
    unsafe {
        while strip < rows {
            let row = strip + thread();
            let present = row < rows && column.present(row);
            let message = if present { Some(column.get(row)) } else { None };
            let (before, count) = block_scan_u64(present.into());
            let to = len + before as u32;
            if let Some(message) = message.filter(|_| to != row) {
                column.set(to, message);
            }
            len += count as u32;
            strip += threads();
        }
        let mut row = thread();
        while row < rows {
            column.set_present(row, row < len);
            row += threads();
        }
        barrier();
    }
    len
}

/// Sorts the first messages: bitonic merges, in which the smaller of two always comes
/// to lie in front, so that missing ones behind the end may stay missing. (K. E. Batcher,
/// Sorting networks and their applications, AFIPS 1968.)
#[inline(always)]
unsafe fn sort<P: VertexCompute>(column: &Column<'_, P>, len: u32) {
    let tile = tile::<Message<P>>();
    // SAFETY: rows are those of the column, and the block's alone.
    unsafe {
        // Parts of so many messages are sorted next, each out of two halves.
        let mut part = u64::from(tile);
        loop {
            let mut half = (part / 2) as u32;
            while part > tile.into() && half >= tile {
                let flip = u64::from(half) == part / 2;
                let get = |row| column.get(row);
                exchange::<P>(half, flip, len, get, |row, message| column.set(row, message));
                barrier();
                half /= 2;
            }
            let mut first = 0;
            while first < len {
                sort_tile(column, (first, tile.min(len - first)), part > tile.into());
                first = first.saturating_add(tile);
            }
            if part >= len.into() {
                return;
            }
            part *= 2;
        }
    }
}

/// Sorts so many messages from row `first` on in shared memory; to `merge`, those that
/// were put in order with messages of other tiles.
#[inline(always)]
unsafe fn sort_tile<P: VertexCompute>(
    column: &Column<'_, P>,
    (first, len): (u32, u32),
    merge: bool,
) {
    let mut row = thread();
    // SAFETY: as the caller promises; the tile is the block's.
    unsafe {
        while row < len {
            tile_store(row, column.get(first + row));
            row += threads();
        }
        barrier();
        let whole = if merge { tile::<Message<P>>() } else { len.next_power_of_two() };
        let mut part = if merge { whole } else { 2 };
        let mut half = part / 2;
        while half > 0 {
            let flip = !merge && half == part / 2;
            let get = |i| tile_load(i);
            exchange::<P>(half, flip, len, get, |i, message| tile_store(i, message));
            barrier();
            half /= 2;
            if half == 0 && part < whole {
                part *= 2;
                half = part / 2;
            }
        }
        row = thread();
        while row < len {
            column.set(first + row, tile_load(row));
            row += threads();
        }
        barrier();
    }
}

/// Puts pairs in order: each message of a run of `half` and the one so much further; to
/// `flip`, the one as far from the end of the next run as it is from the begin of its.
#[inline(always)]
fn exchange<P: VertexCompute>(
    half: u32,
    flip: bool,
    len: u32,
    get: impl Fn(u32) -> Message<P>,
    set: impl Fn(u32, Message<P>),
) {
    let mut pair = thread();
    loop {
        let rank = pair & (half - 1);
        let run = (pair - rank).saturating_mul(2);
        if run >= len {
            return;
        }
        let low = run + rank;
        let high = run.saturating_add(if flip { 2 * half - 1 - rank } else { half + rank });
        if high < len {
            let (a, b) = (get(low), get(high));
            if !P::Combiner::in_order(&a, &b) {
                set(low, b);
                set(high, a);
            }
        }
        pair += threads();
    }
}

/// `read` of a program that takes every message.
///
/// # Safety
/// As that of `read`.
#[inline(always)]
pub(super) unsafe fn read_list<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.vertices.count.into() {
        let place = index() as u32;
        // SAFETY: the place is that of a vertex, whose slots are its own.
        unsafe {
            let column = Column { a, base: base(a, place), place };
            let rows = match wants(a, place) {
                true => load_const(a.columns.degrees, place.into()),
                false => 0,
            };
            let sorted = sorts::<P>() && rows > LONG_LIST;
            let len = if sorted { packed(&column, rows) } else { pack_alone(&column, rows) };
            let inbox = || {
                let stride = 1 << a.columns.shift;
                let span = if len == 0 { 0 } else { (len as usize - 1) * stride + 1 };
                let first = a.mailbox.messages.element(column.slot(0)) as *const Cell<_>;
                // Without messages the slot may lie behind the buffer's end.
                let first = if len == 0 { core::ptr::dangling() } else { first };
                let cells = core::slice::from_raw_parts(first, span);
                P::Combiner::inbox_of_cells(cells, stride, len as usize, sorted)
            };
            compute(a, (place, || state(a, place)), len > 0, inbox, &mut tally);
        }
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, block()) };
}

/// How many messages `sort_lists` left in a column.
#[inline(always)]
unsafe fn packed<P: VertexCompute>(column: &Column<'_, P>, rows: u32) -> u32 {
    let (mut low, mut high) = (0, rows);
    while low < high {
        let middle = low + (high - low) / 2;
        // SAFETY: the row is one of the column.
        match unsafe { column.present(middle) } {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    low
}

/// Moves the messages that are present to the first rows, by one thread; how many there
/// are.
#[inline(always)]
unsafe fn pack_alone<P: VertexCompute>(column: &Column<'_, P>, rows: u32) -> u32 {
    let mut len = 0;
    // SAFETY: rows are those of the column.
    unsafe {
        for row in 0..rows {
            if !column.present(row) {
                continue;
            }
            if len != row {
                column.set(len, column.get(row));
            }
            len += 1;
        }
    }
    len
}
