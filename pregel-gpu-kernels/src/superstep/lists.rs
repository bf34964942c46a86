//! Message lists, made in place in the columns of the message buffer.

use core::cell::Cell;

use pregel_core::device::shared::tile_messages;
use pregel_core::device::{LONG_LIST, MailboxArguments, columns};
use pregel_core::program::{Delivery, Message, VertexCompute};

use super::gather::group_base;
use super::vertex::{Own, Tally, compute, wants_message};
use crate::collective::block_scan_u64;
use crate::simt::{
    barrier, block, blocks, index, load, load_const, store, thread, threads, tile_load, tile_store,
};

/// The slots of one vertex in the message buffer.
struct Column<'a, P: VertexCompute> {
    a: &'a MailboxArguments<P>,
    base: u64,
    place: u32,
}

impl<'a, P: VertexCompute> Column<'a, P> {
    /// The column of the vertex at `place`. Its methods are safe to call with layers below
    /// the vertex's degree, by the threads that own the column (I6).
    ///
    /// # Safety
    /// `columns` and `mailbox` are whole (I1), and `place` is below `vertices.count` (I2).
    #[inline(always)]
    unsafe fn new(a: &'a MailboxArguments<P>, place: u32) -> Self {
        // SAFETY: the caller's promise.
        Self { a, base: unsafe { group_base(&a.columns, place) }, place }
    }

    #[inline(always)]
    fn slot(&self, layer: u32) -> u64 {
        columns::slot(self.base, self.place, layer.into(), self.a.columns.shift)
    }

    /// Whether there is a message in a layer.
    ///
    /// # Safety
    /// The layer is below the vertex's degree (I2); no other thread writes the slot (I6).
    #[inline(always)]
    unsafe fn is_present(&self, layer: u32) -> bool {
        // SAFETY: the caller's promise.
        unsafe { load(self.a.mailbox.present, self.slot(layer)) != 0 }
    }

    /// Sets whether there is a message in a layer.
    ///
    /// # Safety
    /// The layer is below the vertex's degree (I2); this thread owns the slot (I6).
    #[inline(always)]
    unsafe fn set_present(&self, layer: u32, present: bool) {
        // SAFETY: the caller's promise.
        unsafe { store(self.a.mailbox.present, self.slot(layer), u8::from(present)) }
    }

    /// The message in a layer.
    ///
    /// # Safety
    /// As [`is_present`](Self::is_present).
    #[inline(always)]
    unsafe fn get(&self, layer: u32) -> Message<P> {
        // SAFETY: the caller's promise.
        unsafe { load(self.a.mailbox.messages, self.slot(layer)) }
    }

    /// Puts a message into a layer.
    ///
    /// # Safety
    /// As [`set_present`](Self::set_present).
    #[inline(always)]
    unsafe fn set(&self, layer: u32, message: Message<P>) {
        // SAFETY: the caller's promise.
        unsafe { store(self.a.mailbox.messages, self.slot(layer), message) }
    }
}

/// Whether lists are sorted, long ones by a block.
const fn sorts<P: VertexCompute>() -> bool {
    P::Combiner::SORTED && size_of::<Message<P>>() > 0
}

/// `sort_lists`, one block per vertex, one after the other: moves the messages of those
/// with more than [`LONG_LIST`] layers to the first layers, and sorts them.
///
/// # Safety
/// `vertices`, `columns` and `mailbox` are whole (I1); `send` has run.
#[inline(always)]
pub unsafe fn sort_lists<P: VertexCompute>(a: &MailboxArguments<P>) {
    if !sorts::<P>() {
        return;
    }
    let mut place = block();
    while place < a.run.vertices.count {
        // SAFETY: I2: the place is below `vertices.count`; I7. I5: the place, and so the
        // degree, are the same in the whole block. What a program answers may differ from
        // thread to thread, so the block decides by the sum of all answers.
        unsafe {
            let degree = load_const(a.columns.degrees, place.into());
            if degree > LONG_LIST {
                let (_, wanting) = block_scan_u64(wants_message(&a.run, place).into());
                if wanting > 0 {
                    let column = Column::new(a, place);
                    let len = pack(&column, degree);
                    sort(&column, len);
                }
            }
        }
        place += blocks();
    }
}

/// Moves the messages that are present to the first layers; returns how many there are.
///
/// # Safety
/// The column has `degree` layers (I2), and the block owns it (I6). All threads of the
/// block take part (I5), and no shared memory is in use (I9).
#[inline(always)]
unsafe fn pack<P: VertexCompute>(column: &Column<'_, P>, degree: u32) -> u32 {
    let (mut len, mut strip) = (0, 0);
    while strip < degree {
        let layer = strip + thread();
        // SAFETY: I2: the layer is below `degree`. I6: a strip is read before the barriers
        // of the scan, and written behind them, to itself or to strips before it.
        let message = unsafe {
            let present = layer < degree && column.is_present(layer);
            if present { Some(column.get(layer)) } else { None }
        };
        let (before, count) = block_scan_u64(message.is_some().into());
        let to = len + before as u32;
        if let Some(message) = message.filter(|_| to != layer) {
            // SAFETY: I2: `to` is at most `layer`; I6: no other thread has it.
            unsafe { column.set(to, message) };
        }
        len += count as u32;
        strip += threads();
    }
    let mut layer = thread();
    while layer < degree {
        // SAFETY: I2; I6: no other thread has this layer.
        unsafe { column.set_present(layer, layer < len) };
        layer += threads();
    }
    barrier();
    len
}

/// Sorts the first `len` messages by bitonic merges. The smaller of two always comes to
/// lie first, so that missing ones after the end stay missing. (K. E. Batcher, *Sorting
/// networks and their applications*, AFIPS 1968.)
///
/// # Safety
/// The column has at least `len` layers (I2), and the block owns it (I6). All threads of
/// the block take part (I5); a barrier lies behind the last access to it (I6).
#[inline(always)]
unsafe fn sort<P: VertexCompute>(column: &Column<'_, P>, len: u32) {
    let tile = tile_messages::<Message<P>>();
    // Parts of this many messages are sorted next, each from two halves.
    let mut part = u64::from(tile);
    loop {
        let mut half = (part / 2) as u32;
        while part > tile.into() && half >= tile {
            let flip = u64::from(half) == part / 2;
            // SAFETY: I2: only called with layers below `len`; I6: a pair has one thread.
            let get = |layer| unsafe { column.get(layer) };
            // SAFETY: the same.
            let set = |layer, message| unsafe { column.set(layer, message) };
            exchange::<P>(Pairs { half, flip, len }, get, set);
            barrier();
            half /= 2;
        }
        let mut first = 0;
        while first < len {
            let tile_len = tile.min(len - first);
            // SAFETY: I2: the layers are below `len`; I5, I6: the caller's promise.
            unsafe { sort_tile(column, first, tile_len, part > tile.into()) };
            first = first.saturating_add(tile);
        }
        if part >= len.into() {
            return;
        }
        part *= 2;
    }
}

/// Sorts `len` messages from layer `first` on in shared memory. With `merge` they have been
/// put in order with messages of other tiles, so that one bitonic merge is enough.
///
/// # Safety
/// As [`sort`], of layers `first` to before `first + len`; `len` is at most
/// [`tile_messages`] (I9).
#[inline(always)]
unsafe fn sort_tile<P: VertexCompute>(column: &Column<'_, P>, first: u32, len: u32, merge: bool) {
    let mut i = thread();
    while i < len {
        // SAFETY: I2, I9: `i` is below `len`; I6: no other thread has it.
        unsafe { tile_store(i, column.get(first + i)) };
        i += threads();
    }
    barrier();
    let whole = if merge { tile_messages::<Message<P>>() } else { len.next_power_of_two() };
    let mut part = if merge { whole } else { 2 };
    let mut half = part / 2;
    while half > 0 {
        let flip = !merge && half == part / 2;
        // SAFETY: I9: only called with messages below `len`; I6: a pair has one thread.
        let get = |i| unsafe { tile_load(i) };
        // SAFETY: the same.
        let set = |i, message| unsafe { tile_store(i, message) };
        exchange::<P>(Pairs { half, flip, len }, get, set);
        barrier();
        half /= 2;
        if half == 0 && part < whole {
            part *= 2;
            half = part / 2;
        }
    }
    i = thread();
    while i < len {
        // SAFETY: I2, I9: `i` is below `len`; I6: no other thread has it.
        unsafe { column.set(first + i, tile_load(i)) };
        i += threads();
    }
    barrier();
}

/// Which of `len` messages are compared: each of a run of `half` with the one `half`
/// further. With `flip`, with the one as far from the end of the next run as it is from
/// the start of its own.
struct Pairs {
    half: u32,
    flip: bool,
    len: u32,
}

/// Puts pairs in order. `get` and `set` are called with numbers below `pairs.len`, each of
/// them by one thread of the block.
#[inline(always)]
fn exchange<P: VertexCompute>(
    pairs: Pairs,
    get: impl Fn(u32) -> Message<P>,
    set: impl Fn(u32, Message<P>),
) {
    let Pairs { half, flip, len } = pairs;
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
/// As [`read`](super::read).
#[inline(always)]
pub(super) unsafe fn read_list<P: VertexCompute>(a: &MailboxArguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.run.vertices.count.into() {
        let place = index() as u32;
        // SAFETY: I1; I2: the place is below `vertices.count`.
        let column = unsafe { Column::new(a, place) };
        // SAFETY: I2, as above; I6: this thread owns the vertex and its column; I7.
        let degree = unsafe {
            if wants_message(&a.run, place) {
                load_const(a.columns.degrees, place.into())
            } else {
                0
            }
        };
        let sorted = sorts::<P>() && degree > LONG_LIST;
        // SAFETY: I2, I6, as above; a long sorted list has been packed by `sort_lists`.
        let len =
            unsafe { if sorted { packed(&column, degree) } else { pack_alone(&column, degree) } };
        let inbox = || {
            let stride = 1 << a.columns.shift;
            let span = if len == 0 { 0 } else { (len as usize - 1) * stride + 1 };
            let first = a.mailbox.messages.element(column.slot(0)) as *const Cell<_>;
            // Without messages the slot may lie after the end of the buffer; messages
            // without a size have no buffer.
            let nowhere = len == 0 || size_of::<Message<P>>() == 0;
            let first = if nowhere { core::ptr::dangling() } else { first };
            // SAFETY: I2: the last layer has slot `span - 1` from the first on. I6: other
            // threads touch only the slots between this column's, which `inbox_of_cells`
            // skips.
            let cells = unsafe { core::slice::from_raw_parts(first, span) };
            P::Combiner::inbox_of_cells(cells, stride, len as usize, sorted)
        };
        // SAFETY: I2, I6, as above.
        unsafe { compute(&a.run, place, || Own::of(&a.run, place), len > 0, inbox, &mut tally) };
    }
    // SAFETY: I5: every thread arrives here; I9: shared memory was not used before.
    unsafe { tally.finish(&a.run, block()) };
}

/// How many messages `sort_lists` left in a column.
///
/// # Safety
/// The column has `degree` layers (I2), and this thread owns it (I6).
#[inline(always)]
unsafe fn packed<P: VertexCompute>(column: &Column<'_, P>, degree: u32) -> u32 {
    let (mut low, mut high) = (0, degree);
    while low < high {
        let middle = low + (high - low) / 2;
        // SAFETY: the caller's promise: the layer is below `degree`.
        if unsafe { column.is_present(middle) } {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

/// Moves the messages that are present to the first layers, by one thread; returns how many
/// there are.
///
/// # Safety
/// As [`packed`].
#[inline(always)]
unsafe fn pack_alone<P: VertexCompute>(column: &Column<'_, P>, degree: u32) -> u32 {
    let mut len = 0;
    for layer in 0..degree {
        // SAFETY: the caller's promise: both layers are below `degree`.
        unsafe {
            if !column.is_present(layer) {
                continue;
            }
            if len != layer {
                column.set(len, column.get(layer));
            }
        }
        len += 1;
    }
    len
}
