//! Push: scattering vertices send along their edges into combined slots.

use std::ops::Range;

use rayon::prelude::*;

use super::bitmap::Bitmap;
use super::cells::Cells;
use super::shape::{Rows, SEGMENT, Shape};
use crate::program::{Delivery, Edge, Law, Message, VertexCompute, VertexId};

/// One slot per vertex for the combined message, and a bit that says whether any
/// has arrived.
pub(super) struct Inboxes<P: VertexCompute> {
    slots: Cells<Message<P>>,
    pub(super) arrived: Bitmap,
}

impl<P: VertexCompute> Inboxes<P> {
    pub(super) fn new(vertices: u32) -> Self {
        Self {
            slots: Cells::new(vertices, |_| P::Combiner::neutral()),
            arrived: Bitmap::new(vertices),
        }
    }

    /// Combines `message` into the slot of `v`; returns whether it is the first.
    #[inline(always)]
    fn deliver<const SHARED: bool>(&self, v: VertexId, message: Message<P>) -> bool {
        if P::Combiner::MERGE_LAW == Law::Arbitrary {
            let first = self.arrived.insert::<SHARED>(v);
            if first {
                self.slots.store(v, message);
            }
            return first;
        }
        self.slots.update::<SHARED, _>(v, |slot| *slot = P::Combiner::merge(*slot, message));
        self.arrived.insert::<SHARED>(v)
    }

    /// Takes the message of `v`, which must have arrived, and makes the slot neutral
    /// again. The caller clears the bit.
    #[inline(always)]
    pub(super) fn take(&self, v: VertexId) -> Message<P> {
        let message = self.slots.load(v);
        self.slots.store(v, P::Combiner::neutral());
        message
    }
}

/// What all senders of a superstep have in common.
pub(super) struct Scatter<'a, P: VertexCompute> {
    pub(super) program: &'a P,
    pub(super) shape: &'a Shape<'a, P::Edge>,
    /// Vertices that want messages.
    pub(super) open: &'a Bitmap,
    pub(super) signals: &'a [P::Signal],
    pub(super) inboxes: &'a Inboxes<P>,
}

/// With fewer edges than this, waking other threads does not pay.
const ALONE: u64 = 1 << 12;
/// Senders that a thread takes at a time.
const BATCH: usize = 128;
/// How many senders ahead a row is prefetched.
const AHEAD: usize = 8;

impl<P: VertexCompute> Scatter<'_, P> {
    /// Sends for every vertex of `senders`, which have `edges` edges together.
    /// Returns the receivers, each once, in lists of no particular order.
    pub(super) fn send(&self, senders: &[VertexId], edges: u64) -> Vec<Vec<VertexId>> {
        if edges < ALONE || rayon::current_num_threads() == 1 {
            let mut receivers = Vec::new();
            for batch in senders.chunks(ALONE as usize) {
                if !self.shape.cancelled() {
                    self.vertices::<false>(batch, &mut receivers);
                }
            }
            return vec![receivers];
        }
        senders
            .par_chunks(BATCH)
            .fold(Vec::new, |mut receivers, batch| {
                if !self.shape.cancelled() {
                    self.vertices::<true>(batch, &mut receivers);
                }
                receivers
            })
            .collect()
    }

    /// Sends for some vertices. Their rows may lie anywhere, so each is prefetched a
    /// few vertices ahead.
    #[inline(always)]
    fn vertices<const SHARED: bool>(&self, senders: &[VertexId], receivers: &mut Vec<VertexId>) {
        for (k, v) in senders.iter().enumerate() {
            if let Some(later) = senders.get(k + AHEAD) {
                self.shape.prefetch_scatter(*later);
            }
            self.vertex::<SHARED>(*v, receivers);
        }
    }

    #[inline(always)]
    fn vertex<const SHARED: bool>(&self, v: VertexId, receivers: &mut Vec<VertexId>) {
        for rows in &self.shape.scatter {
            let range = rows.range(v);
            if SHARED && range.len() > SEGMENT {
                self.hub(v, rows, range, receivers);
            } else {
                self.edges::<SHARED>(v, rows, range, receivers);
            }
        }
    }

    /// A long row, cut into segments that threads share.
    #[cold]
    fn hub(
        &self,
        v: VertexId,
        rows: &Rows<'_, P::Edge>,
        range: Range<usize>,
        receivers: &mut Vec<VertexId>,
    ) {
        let lists: Vec<Vec<VertexId>> = (0..range.len().div_ceil(SEGMENT))
            .into_par_iter()
            .map(|i| {
                let start = range.start + i * SEGMENT;
                let mut receivers = Vec::new();
                let segment = start..range.end.min(start + SEGMENT);
                self.edges::<true>(v, rows, segment, &mut receivers);
                receivers
            })
            .collect();
        receivers.extend(lists.into_iter().flatten());
    }

    #[inline(always)]
    fn edges<const SHARED: bool>(
        &self,
        v: VertexId,
        rows: &Rows<'_, P::Edge>,
        range: Range<usize>,
        receivers: &mut Vec<VertexId>,
    ) {
        let signal = self.signals[v as usize];
        let edges = rows.edges(range);
        for (i, &target) in edges.targets.iter().enumerate() {
            if !self.open.contains(target) {
                continue;
            }
            let Some(message) = self.program.edge_compute(&signal, Edge::new(edges.value(i)))
            else {
                continue;
            };
            if self.inboxes.deliver::<SHARED>(target, message) {
                receivers.push(target);
            }
        }
    }
}
