//! Rows laid side by side.

use std::cell::Cell;

use super::edges::Rows;
use crate::program::{Value, VertexId};

/// How many edges are looked at together.
pub(super) const ROOM: usize = 512;
/// The most edges of a row that is laid beside others.
pub(super) const LONG: usize = 64;
/// The most rows that are laid side by side.
const ROWS: usize = 128;
/// How many senders ahead a row is prefetched.
const AHEAD: usize = 32;

/// Places on a [`Stage`], or in a part of a row that is no longer.
pub(super) type Places = [u16; ROOM];

/// Short rows, laid side by side.
pub(super) struct Stage {
    pub(super) targets: [VertexId; ROOM],
    /// Which row each edge belongs to.
    pub(super) origins: [u8; ROOM],
    /// For each row, what the place of an edge must be raised by to be its index.
    pub(super) bases: [usize; ROWS],
    /// Those of the edges whose targets want messages.
    pub(super) wanted: Places,
    /// How many edges there are.
    pub(super) edges: usize,
}

thread_local! {
    /// What a thread has used before. A thread that waits may begin another task, which then
    /// takes a new one.
    static STAGE: Cell<Option<Box<Stage>>> = const { Cell::new(None) };
}

impl Stage {
    pub(super) fn take() -> Box<Self> {
        STAGE.take().unwrap_or_else(|| {
            Box::new(Self {
                targets: [0; ROOM],
                origins: [0; ROOM],
                bases: [0; ROWS],
                wanted: [0; ROOM],
                edges: 0,
            })
        })
    }

    /// Keeps it for the next task of this thread.
    pub(super) fn put_back(self: Box<Self>) {
        STAGE.set(Some(self));
    }

    /// Replaces what is there by the rows of the first of `senders`, at most `most`, up to the first
    /// that is longer than [`LONG`], and returns of how many. Which row an edge belongs to is noted if
    /// it should be `named`. Rows may lie anywhere, so each is prefetched some vertices ahead.
    ///
    /// # Safety
    /// The senders must be vertices of the graph.
    #[inline(never)]
    pub(super) unsafe fn fill<E: Value>(
        &mut self,
        senders: &[VertexId],
        most: usize,
        rows: &Rows<'_, E>,
        named: bool,
    ) -> usize {
        let (rows, mut count, mut at) = (*rows, 0, 0);
        let most = most.min(senders.len()).min(ROWS);
        while count < most && at <= ROOM - LONG {
            // SAFETY: the caller's promise.
            let range = unsafe {
                if let Some(later) = senders.get(count + AHEAD) {
                    rows.prefetch_unchecked(*later);
                }
                rows.range_unchecked(senders[count])
            };
            let len = range.len();
            if len > LONG {
                break;
            }
            if named {
                self.bases[count] = range.start.wrapping_sub(at);
                self.origins[at..at + len].fill(count as u8);
            }
            rows.copy_targets(range, &mut self.targets[at..at + LONG]);
            (count, at) = (count + 1, at + len);
        }
        self.edges = at;
        count
    }
}
