//! Push: scattering vertices send along their edges.

use std::ops::Range;

use rayon::prelude::*;

use super::bitmap::{Bitmap, Bits};
use super::cells::Cells;
use super::shape::{Edges, Rows, SEGMENT};
use super::vertex::Env;
use crate::program::{Delivery, Edge, Law, Message, VertexCompute, VertexId};

/// Where messages go.
pub(super) trait Receive<P: VertexCompute>: Copy + Send + Sync {
    /// What a thread notes of the messages that it has delivered.
    type Log: Send;

    /// `expected` is about how many vertices it will name.
    fn log(expected: usize) -> Self::Log;

    /// Adds what another thread has noted.
    fn append(log: &mut Self::Log, other: Self::Log);

    /// Delivers `message` to `v`, which wanted one when it was asked last. With `SHARED` other
    /// threads may deliver at the same time.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    unsafe fn deliver<const SHARED: bool>(
        self,
        env: &Env<'_, P>,
        v: VertexId,
        message: Message<P>,
        log: &mut Self::Log,
    );
}

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

    /// Takes the message of `v`, which must have arrived, and makes the slot neutral
    /// again. The caller clears the bit.
    #[inline(always)]
    pub(super) fn take(&self, v: VertexId) -> Message<P> {
        let message = self.slots.all().load(v);
        self.slots.all().store(v, P::Combiner::neutral());
        message
    }
}

/// Combines the messages of a vertex in its slot.
impl<P: VertexCompute> Receive<P> for &Inboxes<P> {
    /// The vertices whose first message this thread has delivered.
    type Log = Vec<VertexId>;

    fn log(_: usize) -> Vec<VertexId> {
        Vec::new()
    }

    fn append(log: &mut Vec<VertexId>, other: Vec<VertexId>) {
        log.extend(other);
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        _: &Env<'_, P>,
        v: VertexId,
        message: Message<P>,
        log: &mut Vec<VertexId>,
    ) {
        let first = if P::Combiner::MERGE_LAW == Law::Arbitrary {
            let first = self.arrived.insert::<SHARED>(v);
            if first {
                self.slots.all().store(v, message);
            }
            first
        } else {
            self.slots
                .all()
                .update::<SHARED, _>(v, |slot| *slot = P::Combiner::merge(*slot, message));
            self.arrived.insert::<SHARED>(v)
        };
        if first {
            log.push(v);
        }
    }
}

/// What all senders of a superstep have in common. `open` and `signals` have a place for every
/// vertex.
pub(super) struct Scatter<'a, P: VertexCompute, R> {
    pub(super) env: &'a Env<'a, P>,
    /// Vertices that want messages.
    pub(super) open: &'a Bits,
    pub(super) signals: &'a [P::Signal],
    pub(super) to: R,
}

/// With fewer edges than this, waking other threads does not pay.
const ALONE: u64 = 768;
/// The edges that a thread takes at a time: so many that each thread has two parts, but not
/// fewer than `SMALLEST`, nor more than `LARGEST`.
const SMALLEST: u64 = 256;
const LARGEST: u64 = 1 << 12;
/// How many senders ahead a row is prefetched.
const AHEAD: usize = 8;

impl<P: VertexCompute, R: Receive<P>> Scatter<'_, P, R> {
    /// Sends for every vertex of `senders`, which have `edges` edges together. Returns what
    /// was noted.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    pub(super) unsafe fn send(&self, senders: &[VertexId], edges: u64) -> R::Log {
        let threads = rayon::current_num_threads() as u64;
        if edges < ALONE || threads == 1 {
            let mut log = R::log(senders.len());
            for batch in senders.chunks(ALONE as usize) {
                if !self.env.shape.cancelled() {
                    // SAFETY: the caller's promise.
                    unsafe { self.vertices::<false>(batch, &mut log) };
                }
            }
            return log;
        }
        let part = (edges / (2 * threads)).clamp(SMALLEST, LARGEST);
        let batch = (senders.len() as u64 * part).div_ceil(edges) as usize;
        // SAFETY: the caller's promise.
        unsafe { self.share(senders, batch.max(1)) }
    }

    /// Sends for every vertex of `senders`, which are halved until there are at most `batch`.
    /// Where they are few, that costs less than a parallel iterator, which allocates lists of
    /// what its threads note.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    unsafe fn share(&self, senders: &[VertexId], batch: usize) -> R::Log {
        if senders.len() <= batch {
            let mut log = R::log(senders.len());
            if !self.env.shape.cancelled() {
                // SAFETY: the caller's promise.
                unsafe { self.vertices::<true>(senders, &mut log) };
            }
            return log;
        }
        let (left, right) = senders.split_at(senders.len() / 2);
        // SAFETY: the caller's promise.
        let half = |senders| move || unsafe { self.share(senders, batch) };
        let (mut log, other) = rayon::join(half(left), half(right));
        R::append(&mut log, other);
        log
    }

    /// Sends for some vertices. Their rows may lie anywhere, so each is prefetched a
    /// few vertices ahead.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    #[inline(always)]
    unsafe fn vertices<const SHARED: bool>(&self, senders: &[VertexId], log: &mut R::Log) {
        self.env.locally(|env| {
            let here = Scatter { env, ..*self };
            for (k, v) in senders.iter().enumerate() {
                if let Some(later) = senders.get(k + AHEAD) {
                    env.shape.prefetch_scatter(*later);
                }
                // SAFETY: the caller's promise.
                unsafe { here.vertex::<SHARED>(*v, log) };
            }
        });
    }

    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn vertex<const SHARED: bool>(&self, v: VertexId, log: &mut R::Log) {
        let sides = &self.env.shape.scatter;
        // SAFETY: the caller's promise; there is a signal for every vertex.
        unsafe {
            let signal = *self.signals.get_unchecked(v as usize);
            self.row::<SHARED>(v, signal, sides.first(), log);
            if let Some(rows) = sides.second() {
                self.row::<SHARED>(v, signal, rows, log);
            }
        }
    }

    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn row<const SHARED: bool>(
        &self,
        v: VertexId,
        signal: P::Signal,
        rows: &Rows<'_, P::Edge>,
        log: &mut R::Log,
    ) {
        // SAFETY: the caller's promise.
        let edges = unsafe { rows.row(v) };
        if SHARED && edges.targets.len() > SEGMENT {
            let (rows, range) = (*rows, rows.range(v));
            self.env.locally(|env| Scatter { env, ..*self }.hub(signal, &rows, range, log));
        } else {
            self.edges::<SHARED>(signal, edges, log);
        }
    }

    /// A long row, cut into segments that threads share.
    #[cold]
    fn hub(
        &self,
        signal: P::Signal,
        rows: &Rows<'_, P::Edge>,
        range: Range<usize>,
        log: &mut R::Log,
    ) {
        let logs: Vec<R::Log> = (0..range.len().div_ceil(SEGMENT))
            .into_par_iter()
            .map(|i| {
                let start = range.start + i * SEGMENT;
                let segment = rows.edges(start..range.end.min(start + SEGMENT));
                let mut log = R::log(0);
                self.edges::<true>(signal, segment, &mut log);
                log
            })
            .collect();
        logs.into_iter().for_each(|part| R::append(log, part));
    }

    #[inline(always)]
    fn edges<const SHARED: bool>(
        &self,
        signal: P::Signal,
        edges: Edges<'_, P::Edge>,
        log: &mut R::Log,
    ) {
        for (i, &target) in edges.targets.iter().enumerate() {
            // SAFETY: edges lead to vertices (`Csr`'s invariant), each of which has a bit.
            if !unsafe { self.open.contains_unchecked(target) } {
                continue;
            }
            let edge = Edge::new(edges.value(i));
            if let Some(message) = self.env.program.edge_compute(&signal, edge) {
                // SAFETY: as above.
                unsafe { self.to.deliver::<SHARED>(self.env, target, message, log) };
            }
        }
    }
}
