//! Push: scattering vertices send along their edges.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use super::bitmap::{Bitmap, Bits};
use super::cells::Cells;
use super::edges::{Edges, Rows};
use super::stage::{LONG, Places, ROOM, Stage};
use super::vertex::Env;
use crate::parallel::{self, Hand};
use crate::program::{Delivery, Edge, Law, Message, VertexCompute, VertexId, Zeroable};

/// Where messages go.
pub(super) trait Receive<P: VertexCompute>: Copy + Send + Sync {
    /// What a thread notes of the messages that it has delivered.
    type Log: Send;

    /// Makes a log ready for another superstep.
    fn begin(self, log: &mut Self::Log);

    /// Delivers at most `count` messages, each to a vertex that wanted one when it was asked
    /// last.
    ///
    /// # Safety
    /// The receivers must be vertices of the graph. Without `SHARED`, no other thread may deliver
    /// to vertices at the same time that share a word of a bitmap with one of them.
    unsafe fn deliver<const SHARED: bool>(
        self,
        env: &Env<'_, P>,
        messages: impl Iterator<Item = (VertexId, Message<P>)>,
        count: usize,
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

    /// Adds a message for `v`; returns whether it is the first.
    #[inline(always)]
    fn put<const SHARED: bool>(&self, v: VertexId, message: Message<P>) -> bool {
        let slots = self.slots.all();
        if P::Combiner::MERGE_LAW == Law::Arbitrary {
            let first = self.arrived.insert::<SHARED>(v);
            if first {
                slots.store(v, message);
            }
            return first;
        }
        slots.update::<SHARED, _>(v, |slot| *slot = P::Combiner::merge(*slot, message));
        self.arrived.insert::<SHARED>(v)
    }
}

/// Combines the messages of a vertex in its slot.
impl<P: VertexCompute> Receive<P> for &Inboxes<P> {
    /// The vertices whose first message this thread has delivered.
    type Log = Vec<VertexId>;

    fn begin(self, log: &mut Vec<VertexId>) {
        log.clear();
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        _: &Env<'_, P>,
        messages: impl Iterator<Item = (VertexId, Message<P>)>,
        _: usize,
        log: &mut Vec<VertexId>,
    ) {
        messages.for_each(|(v, message)| {
            if self.put::<SHARED>(v, message) {
                log.push(v);
            }
        });
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

/// With fewer edges than this, waking the other one of two threads does not pay.
const ALONE: u64 = 3072;
/// The same for more threads, which take longer to wake, and of which each has only a part of
/// what was written last in its caches.
const ALONE_OF_MANY: u64 = 1 << 13;
/// The same for long rows and fewer than [`SORTERS`] threads. Many of their edges lead to the same
/// vertices, so that each takes a quarter of the time, and threads would often write to the same
/// places.
const ALONE_LONG: u64 = 1 << 16;
/// With this many threads, messages of long rows are shared and sorted as others are.
pub(super) const SORTERS: usize = 5;

/// Whether several threads should share the work of sending for `senders` vertices with `edges`
/// edges in all.
pub(super) fn should_share(senders: u64, edges: u64) -> bool {
    // What is looked at first leaves out most supersteps, which may take no longer than the rest.
    edges >= ALONE
        && match rayon::current_num_threads() {
            1 => false,
            ..SORTERS if is_long(senders, edges) => edges >= ALONE_LONG,
            2 => true,
            _ => edges >= ALONE_OF_MANY,
        }
}

/// Whether most edges are in long rows, if this many senders have this many edges.
pub(super) fn is_long(senders: u64, edges: u64) -> bool {
    edges > senders.saturating_mul(LONG as u64)
}

/// The fewest edges of a batch, about.
const LEAST: u64 = 1 << 8;
/// The most.
const MOST: u64 = 1 << 12;
/// How many batches there are for each thread, if they are neither too small nor too large.
const BATCHES: u64 = 16;

/// About how many edges make a batch, if `threads` threads share this many.
fn batch(edges: u64, threads: usize) -> u64 {
    (edges / (BATCHES * threads as u64)).clamp(LEAST, MOST)
}

/// How many of `senders` vertices with `edges` edges make a batch, if `threads` threads share them.
fn senders_of_batch(senders: usize, edges: u64, threads: usize) -> usize {
    (senders as u64 * batch(edges, threads)).div_ceil(edges.max(1)).max(1) as usize
}

/// A part of a long row, and the signal of its vertex.
struct Segment<'a, P: VertexCompute> {
    signal: P::Signal,
    edges: Edges<'a, P::Edge>,
}

/// Rows that threads meet and leave for later, to share each of them.
pub(super) struct Later<'a, P: VertexCompute> {
    /// The most edges of a segment. Rows of more than twice as many are left.
    size: usize,
    segments: Mutex<Vec<Segment<'a, P>>>,
}

impl<'a, P: VertexCompute> Later<'a, P> {
    /// For rows that are sent along together with `edges` others by `threads` threads.
    pub(super) fn new(edges: u64, threads: usize) -> Self {
        Self { size: batch(edges, threads) as usize, segments: Mutex::default() }
    }

    /// Leaves no row.
    fn never() -> Self {
        Self { size: usize::MAX / 2, segments: Mutex::default() }
    }

    /// Whether to leave a row of this many edges.
    fn leaves(&self, edges: usize) -> bool {
        edges > 2 * self.size
    }

    #[cold]
    fn leave(&self, signal: P::Signal, rows: &Rows<'a, P::Edge>, range: Range<usize>) {
        let starts = range.clone().step_by(self.size);
        let segments = starts.map(|start| {
            let edges = rows.edges(start..range.end.min(start + self.size));
            Segment { signal, edges }
        });
        self.segments.lock().unwrap_or_else(PoisonError::into_inner).extend(segments);
    }
}

impl<'a, P: VertexCompute, R: Receive<P>> Scatter<'a, P, R> {
    /// Whether a message can depend on its sender or on its edge.
    const NAMED: bool = size_of::<P::Signal>() + size_of::<P::Edge>() > 0;

    /// Sends for every vertex of `senders`, which have `edges` edges together. Threads share them,
    /// each with one of the `logs`.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    pub(super) unsafe fn share(&self, senders: &[VertexId], edges: u64, logs: &mut [Hand<R::Log>]) {
        let size = senders_of_batch(senders.len(), edges, logs.len());
        let later = Later::new(edges, logs.len());
        let (begin, count) = (|log: &mut R::Log| self.to.begin(log), senders.len().div_ceil(size));
        parallel::each_with(logs, count, begin, |log, i| {
            // SAFETY: the caller's promise.
            unsafe { self.part::<true>(&senders[i * size..], size, &later, log) };
        });
        self.share_later(later, logs);
    }

    /// Sends along the rows that were left. The logs go on.
    pub(super) fn share_later(&self, later: Later<'a, P>, logs: &mut [Hand<R::Log>]) {
        let mut segments = later.segments.into_inner().unwrap_or_else(PoisonError::into_inner);
        if segments.is_empty() {
            return;
        }
        // Rows are sorted, and may lead to the same vertices: so each thread begins with others.
        segments.sort_unstable_by_key(|segment| segment.edges.targets.first().copied());
        let goes_on = |_: &mut R::Log| ();
        parallel::each_with(logs, segments.len(), goes_on, |log, i| {
            let Segment { signal, edges } = segments[i];
            if !self.env.shape.cancelled() {
                let mut stage = Stage::take();
                // SAFETY: shared.
                unsafe { self.row::<true>(signal, edges, &mut stage.wanted, log) };
                stage.put_back();
            }
        });
    }

    /// Sends for every vertex of `senders`, which have `edges` edges together, on this thread.
    ///
    /// # Safety
    /// They must be vertices of the graph. No other thread may deliver messages.
    pub(super) unsafe fn alone(&self, senders: &[VertexId], edges: u64, log: &mut R::Log) {
        self.to.begin(log);
        let (size, later) = (senders_of_batch(senders.len(), edges, 1), Later::never());
        for start in (0..senders.len()).step_by(size) {
            // SAFETY: the caller's promise.
            unsafe { self.part::<false>(&senders[start..], size, &later, log) };
        }
    }

    /// Sends for the first `count` of these vertices, unless the run is cancelled. The others are
    /// likely to be next.
    ///
    /// # Safety
    /// They must be vertices of the graph, and `SHARED` as for [`Receive::deliver`].
    pub(super) unsafe fn part<const SHARED: bool>(
        &self,
        senders: &[VertexId],
        count: usize,
        later: &Later<'a, P>,
        log: &mut R::Log,
    ) {
        if self.env.shape.cancelled() {
            return;
        }
        for rows in &self.env.shape.scatter {
            // SAFETY: the caller's promise.
            unsafe { self.along::<SHARED>(senders, count, rows, later, log) };
        }
    }

    /// Sends along one set of rows. Short rows are first laid side by side on a [`Stage`], so
    /// that no branch depends on where each of them ends.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    unsafe fn along<const SHARED: bool>(
        &self,
        mut senders: &[VertexId],
        mut count: usize,
        rows: &Rows<'a, P::Edge>,
        later: &Later<'a, P>,
        log: &mut R::Log,
    ) {
        let mut stage = Stage::take();
        count = count.min(senders.len());
        while count > 0 {
            let first = senders[0];
            // SAFETY: the caller's promise; there is a signal for every vertex.
            let sent = unsafe {
                let range = rows.range_unchecked(first);
                if range.len() > LONG {
                    let signal = *self.signals.get_unchecked(first as usize);
                    if later.leaves(range.len()) {
                        later.leave(signal, rows, range);
                    } else {
                        let edges = rows.edges(range);
                        self.row::<SHARED>(signal, edges, &mut stage.wanted, log);
                    }
                    1
                } else {
                    let filled = stage.fill(senders, count, rows, Self::NAMED);
                    self.staged::<SHARED>(&senders[..filled], rows, &mut stage, log);
                    filled
                }
            };
            (senders, count) = (&senders[sent..], count - sent);
        }
        stage.put_back();
    }

    /// Sends along the rows on `stage`, which are those of `senders`.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    // Functions of their own keep the loops' variables in registers.
    #[inline(never)]
    unsafe fn staged<const SHARED: bool>(
        &self,
        senders: &[VertexId],
        rows: &Rows<'_, P::Edge>,
        stage: &mut Stage,
        log: &mut R::Log,
    ) {
        let Stage { targets, origins, bases, wanted, edges } = stage;
        let edge = |i: usize| {
            if !Self::NAMED {
                return (P::Signal::zeroed(), P::Edge::zeroed());
            }
            let origin = usize::from(origins[i]);
            // SAFETY: the caller's promise; there is a signal for every vertex.
            let signal = unsafe { self.signals.get_unchecked(senders[origin] as usize) };
            (*signal, rows.value(bases[origin].wrapping_add(i)))
        };
        // SAFETY: the caller's promise.
        unsafe { self.some::<SHARED>(&targets[..*edges], wanted, log, edge) };
    }

    /// Sends along edges of one vertex.
    ///
    /// # Safety
    /// `SHARED` as for [`Receive::deliver`].
    #[inline(never)]
    unsafe fn row<const SHARED: bool>(
        &self,
        signal: P::Signal,
        edges: Edges<'_, P::Edge>,
        wanted: &mut Places,
        log: &mut R::Log,
    ) {
        for (part, targets) in edges.targets.chunks(ROOM).enumerate() {
            let edge = |i: usize| (signal, edges.value(part * ROOM + i));
            // SAFETY: the caller's promise.
            unsafe { self.some::<SHARED>(targets, wanted, log, edge) };
        }
    }

    /// Sends along edges to at most [`ROOM`] targets. `edge` gives the signal of the sender and
    /// the value of each. Those to targets that want no message are left out first, without a
    /// branch: none could be predicted.
    ///
    /// # Safety
    /// `SHARED` as for [`Receive::deliver`].
    #[inline(always)]
    unsafe fn some<const SHARED: bool>(
        &self,
        targets: &[VertexId],
        wanted: &mut Places,
        log: &mut R::Log,
        edge: impl Fn(usize) -> (P::Signal, P::Edge),
    ) {
        let (open, to, mut count) = (self.open, self.to, 0);
        for (i, target) in targets[..targets.len().min(ROOM)].iter().enumerate() {
            // SAFETY: `count` is at most `i`, which is less than `ROOM`. Edges lead to vertices
            // (`Csr`'s invariant), each of which has a bit.
            unsafe {
                *wanted.get_unchecked_mut(count) = i as u16;
                count += usize::from(open.contains_unchecked(*target));
            }
        }
        self.env.locally(|env| {
            let messages = wanted[..count].iter().filter_map(|i| {
                let (signal, value) = edge(usize::from(*i));
                let message = env.program.edge_compute(&signal, Edge::new(value))?;
                Some((targets[usize::from(*i)], message))
            });
            // SAFETY: edges lead to vertices; the caller's promise.
            unsafe { to.deliver::<SHARED>(env, messages, count, log) };
        });
    }
}
