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

    fn log() -> Self::Log;

    /// Adds what another thread has noted.
    fn append(log: &mut Self::Log, other: Self::Log);

    /// Delivers `message` to `v`, which wanted one when it was asked last. With `SHARED` other
    /// threads may deliver at the same time.
    fn deliver<const SHARED: bool>(
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

    fn log() -> Vec<VertexId> {
        Vec::new()
    }

    fn append(log: &mut Vec<VertexId>, other: Vec<VertexId>) {
        log.extend(other);
    }

    #[inline(always)]
    fn deliver<const SHARED: bool>(
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

/// What all senders of a superstep have in common.
pub(super) struct Scatter<'a, P: VertexCompute, R> {
    pub(super) env: &'a Env<'a, P>,
    /// Vertices that want messages.
    pub(super) open: &'a Bits,
    pub(super) signals: &'a [P::Signal],
    pub(super) to: R,
}

/// With fewer edges than this, waking other threads does not pay.
const ALONE: u64 = 768;
/// Senders that a thread takes at a time.
const BATCH: usize = 192;
/// How many senders ahead a row is prefetched.
const AHEAD: usize = 8;

impl<P: VertexCompute, R: Receive<P>> Scatter<'_, P, R> {
    /// Sends for every vertex of `senders`, which have `edges` edges together. Returns what
    /// each thread has noted.
    pub(super) fn send(&self, senders: &[VertexId], edges: u64) -> Vec<R::Log> {
        if edges < ALONE || rayon::current_num_threads() == 1 {
            let mut log = R::log();
            for batch in senders.chunks(ALONE as usize) {
                if !self.env.shape.cancelled() {
                    self.vertices::<false>(batch, &mut log);
                }
            }
            return vec![log];
        }
        senders
            .par_chunks(BATCH)
            .fold(R::log, |mut log, batch| {
                if !self.env.shape.cancelled() {
                    self.vertices::<true>(batch, &mut log);
                }
                log
            })
            .collect()
    }

    /// Sends for some vertices. Their rows may lie anywhere, so each is prefetched a
    /// few vertices ahead.
    #[inline(always)]
    fn vertices<const SHARED: bool>(&self, senders: &[VertexId], log: &mut R::Log) {
        self.env.locally(|env| {
            let here = Scatter { env, ..*self };
            for (k, v) in senders.iter().enumerate() {
                if let Some(later) = senders.get(k + AHEAD) {
                    env.shape.prefetch_scatter(*later);
                }
                here.vertex::<SHARED>(*v, log);
            }
        });
    }

    #[inline(always)]
    fn vertex<const SHARED: bool>(&self, v: VertexId, log: &mut R::Log) {
        let (signal, sides) = (self.signals[v as usize], &self.env.shape.scatter);
        self.row::<SHARED>(v, signal, sides.first(), log);
        if let Some(rows) = sides.second() {
            self.row::<SHARED>(v, signal, rows, log);
        }
    }

    #[inline(always)]
    fn row<const SHARED: bool>(
        &self,
        v: VertexId,
        signal: P::Signal,
        rows: &Rows<'_, P::Edge>,
        log: &mut R::Log,
    ) {
        let range = rows.range(v);
        if SHARED && range.len() > SEGMENT {
            let rows = *rows;
            self.env.locally(|env| Scatter { env, ..*self }.hub(signal, &rows, range, log));
        } else {
            self.edges::<SHARED>(signal, rows.edges(range), log);
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
                let mut log = R::log();
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
            if !self.open.contains(target) {
                continue;
            }
            let edge = Edge::new(edges.value(i));
            if let Some(message) = self.env.program.edge_compute(&signal, edge) {
                self.to.deliver::<SHARED>(self.env, target, message, log);
            }
        }
    }
}
