//! What a lane has of an item, when hub messages are combined.

use pregel_core::device::{BinArguments, LaneLayers, WARP};
use pregel_core::program::{Message, VertexCompute, Zeroable};

use crate::simt::{lane, load, load_const, store};
use crate::superstep::gather::{group_of_item, layers_of_chunk, partial_slot, store_partial};
use crate::superstep::vertex::{Own, Tally, compute_with_own, state};

/// A part of a column, and the vertex that it belongs to.
pub(super) struct Part<P: VertexCompute> {
    place: u32,
    pub(super) rows: LaneLayers,
    /// How many groups of four layers of messages that are not handled separately lie before the
    /// item.
    pub(super) first: u32,
    /// What those that are, or had an earlier pass, were combined to, if there are any.
    begun: Message<P>,
    own: Own<P>,
    /// The item, if its sum is kept: handed on, or the partial result of a chunk of a heavy group.
    kept: Option<u32>,
}

impl<P: VertexCompute> Part<P> {
    /// This lane's part of an item; without rows if there is no item or no such vertex, or if it
    /// wants no messages. No read waits for another.
    ///
    /// # Safety
    /// `vertices`, `chunks` and `bins` are whole (I1), the item exists (I2), and no other warp
    /// computes its vertices (I6).
    #[inline(always)]
    pub(super) unsafe fn read(a: &BinArguments<P>, item: Option<u32>) -> Self {
        let mut part = Self {
            place: u32::MAX,
            rows: LaneLayers::default(),
            first: 0,
            begun: Zeroable::zeroed(),
            own: Own::none(),
            kept: item.filter(|item| *item < a.pull.chunks.count || a.bins.hands_on != 0),
        };
        let Some(item) = item else { return part };
        // SAFETY: I2: the item exists, with 32 lanes; I7. I10: the sum is used only if the
        // lane has rows apart.
        unsafe {
            part.rows = load_const(a.bins.lanes, partial_slot(item));
            part.first = load_const(a.bins.rows, item.into());
            if a.bins.has_sums() {
                part.begun = load(a.bins.apart_sums, partial_slot(item));
            }
        }
        let wants = match part.kept {
            Some(_) if a.bins.hands_on != 0 => true,
            Some(chunk) => {
                // SAFETY: I2: the chunk is below `chunks.count`.
                let place =
                    unsafe { layers_of_chunk(&a.pull.chunks, chunk.into()) }.group * WARP + lane();
                // SAFETY: I2: the place is checked first.
                place >= a.pull.run.vertices.count
                    || a.pull.run.program.wants_message(&unsafe { state(&a.pull.run, place) })
            }
            None => {
                part.place = group_of_item(&a.pull.chunks, item) * WARP + lane();
                if part.place < a.pull.run.vertices.count {
                    // SAFETY: I2: the place is below `vertices.count`.
                    part.own = unsafe { Own::ahead(&a.pull.run, part.place) };
                }
                a.pull.run.program.wants_message(&part.own.state)
            }
        };
        if !wants {
            part.rows = LaneLayers::default();
        }
        part
    }

    /// What the messages that were handled before were combined to, if there are any.
    #[inline(always)]
    pub(super) fn begun(&self) -> Option<Message<P>> {
        (self.rows.apart() > 0).then_some(self.begun)
    }

    /// Hands the sum of all messages on, keeps it as the partial result of a chunk, or computes the
    /// vertex with it.
    ///
    /// # Safety
    /// `vertices`, `step`, `chunks` and `bins` are whole (I1), the item exists (I2), and no other warp
    /// has it (I6).
    #[inline(always)]
    pub(super) unsafe fn finish(
        self,
        a: &BinArguments<P>,
        sum: Option<Message<P>>,
        tally: &mut Tally<P>,
    ) {
        let run = &a.pull.run;
        if let Some(item) = self.kept {
            // SAFETY: I2: the item exists, and is a chunk if its sum is not handed on; I6: only this
            // warp has it.
            unsafe {
                if a.bins.hands_on == 0 {
                    store_partial(&a.pull.chunks, partial_slot(item), sum);
                } else if self.rows.binned() > 0
                    && let Some(sum) = sum
                {
                    store(a.bins.apart_sums, partial_slot(item), sum);
                }
            }
        } else if self.place < run.vertices.count {
            // SAFETY: I2: checked; I6: only this warp has the group.
            unsafe {
                let own = || self.own.whole(run, self.place);
                compute_with_own(run, self.place, own, sum, tally);
            }
        }
    }
}
