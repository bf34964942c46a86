//! The message buffer: edges write, vertices read.

use core::cell::Cell;

use pregel_core::device::{Arguments, columns};
use pregel_core::program::{Delivery, Edge, VertexCompute};

use super::gather::read_light;
use super::vertex::{Tally, compute, vote, wants};
use crate::simt::{block, index, load, load_const, load_once, store};

/// `send`, a thread an edge: writes the edge's message into its slot, or that
/// there is none (*PregelGPU*, §3.2.2).
///
/// # Safety
/// `mailbox` is whole.
#[inline(always)]
pub unsafe fn send<P: VertexCompute>(a: &Arguments<P>) {
    let edge = index();
    if edge >= a.mailbox.edges {
        return;
    }
    // SAFETY: the edge exists, its source is a vertex, and no other edge has
    // its slot.
    unsafe {
        let source = load_once(a.mailbox.sources, edge);
        let slot = u64::from(load_once(a.mailbox.positions, edge));
        let message = match a.step.everyone != 0 || vote(a.step.votes, source).scatters() {
            true => {
                let signal = load_const(a.step.signals, source.into());
                a.program.edge_compute(&signal, Edge::new(load_once(a.mailbox.values, edge)))
            }
            false => None,
        };
        store(a.mailbox.present, slot, u8::from(message.is_some()));
        if let Some(message) = message {
            store(a.mailbox.messages, slot, message);
        }
    }
}

/// `read`, a thread for every `step.each` vertices that are not in a heavy group
/// (a message list: a thread a vertex): reads its column, combines, computes,
/// votes (*PregelGPU*, §3.2.3). A message list is made in place.
///
/// # Safety
/// `columns` and `mailbox` are whole; heavy groups have been done.
#[inline(always)]
pub unsafe fn read<P: VertexCompute>(a: &Arguments<P>) {
    // SAFETY: as the caller promises.
    unsafe {
        match P::Combiner::COMBINES {
            true => read_light(a),
            false => read_list(a),
        }
    }
}

#[inline(always)]
unsafe fn read_list<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    if index() < a.vertices.count.into() {
        let place = index() as u32;
        // SAFETY: the place is that of a vertex, whose slots are its own.
        unsafe {
            let shift = a.columns.shift;
            let base = load_const(a.columns.bases, columns::group(place, shift).into());
            let slot = |row: u32| columns::slot(base, place, row.into(), shift);
            let rows = match wants(a, place) {
                true => load_const(a.columns.degrees, place.into()),
                false => 0,
            };
            let mut len = 0;
            for row in 0..rows {
                if load(a.mailbox.present, slot(row)) == 0 {
                    continue;
                }
                if len != row {
                    store(a.mailbox.messages, slot(len), load(a.mailbox.messages, slot(row)));
                }
                len += 1;
            }
            let inbox = || {
                let span = if len == 0 { 0 } else { ((len as usize - 1) << shift) + 1 };
                let first = a.mailbox.messages.element(slot(0)) as *const Cell<_>;
                // Without messages the slot may lie behind the buffer's end.
                let first = if len == 0 { core::ptr::dangling() } else { first };
                let cells = core::slice::from_raw_parts(first, span);
                P::Combiner::inbox_of_cells(cells, 1 << shift, len as usize)
            };
            compute(a, place, len > 0, inbox, &mut tally);
        }
    }
    // SAFETY: every thread arrives here.
    unsafe { tally.finish(a, block()) };
}
