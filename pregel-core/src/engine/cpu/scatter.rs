//! Push: scattering vertices send along their edges.

use std::ops::Range;

use super::bitmap::{Bitmap, Bits};
use super::cells::Cells;
use super::cut::SEGMENT;
use super::edges::{Edges, Rows};
use super::stage::{LONG, Places, ROOM, Stage};
use super::vertex::Env;
use crate::parallel;
use crate::program::{Delivery, Edge, Law, Message, VertexCompute, VertexId, Zeroable};

/// Where messages go.
pub(super) trait Receive<P: VertexCompute>: Copy + Send + Sync {
    /// What a thread notes of the messages that it has delivered.
    type Log: Send;

    /// The most edges that a thread takes at a time.
    const LARGEST: u64 = 1 << 12;

    /// `expected` is about how many vertices it will name.
    fn log(expected: usize) -> Self::Log;

    /// Ends the log of a part of the senders.
    fn close(self, _log: &mut Self::Log) {}

    /// Adds what another thread has noted.
    fn append(log: &mut Self::Log, other: Self::Log);

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
/// The same for long rows. Many of their edges lead to the same vertices, so that each takes a
/// quarter of the time, and threads would often write to the same places.
const ALONE_LONG: u64 = 1 << 16;
/// The fewest edges of a part.
const SMALLEST: u64 = 1024;
/// The same for more than two threads.
const SMALLEST_OF_MANY: u64 = 2048;

/// Into how many parts to cut the work of sending for `senders` vertices with `edges` edges in
/// all: one where a single thread is faster, two for each thread otherwise.
pub(super) fn parts(senders: u64, edges: u64) -> u64 {
    let threads = rayon::current_num_threads() as u64;
    let (alone, smallest) = match threads {
        ..=2 => (ALONE, SMALLEST),
        _ => (ALONE_OF_MANY, SMALLEST_OF_MANY),
    };
    if threads == 1 || edges < if is_long(senders, edges) { ALONE_LONG } else { alone } {
        return 1;
    }
    (edges / smallest).min(2 * threads)
}

/// Whether most edges are in long rows, if this many senders have this many edges.
pub(super) fn is_long(senders: u64, edges: u64) -> bool {
    edges > senders.saturating_mul(LONG as u64)
}

/// How many of the senders make a part.
fn batch<R: Receive<P>, P: VertexCompute>(senders: &[VertexId], edges: u64, parts: u64) -> usize {
    let part = (edges / parts).clamp(1, R::LARGEST);
    (senders.len() as u64 * part).div_ceil(edges.max(1)).max(1) as usize
}

/// A part of a long row, and the signal of its vertex.
struct Segment<'a, P: VertexCompute> {
    signal: P::Signal,
    edges: Edges<'a, P::Edge>,
}

impl<'a, P: VertexCompute> Segment<'a, P> {
    /// The row at `range`, in segments of `size`.
    fn cut(
        signal: P::Signal,
        rows: &Rows<'a, P::Edge>,
        range: Range<usize>,
        size: usize,
    ) -> impl Iterator<Item = Self> {
        range.clone().step_by(size).map(move |start| Self {
            signal,
            edges: rows.edges(start..range.end.min(start + size)),
        })
    }
}

impl<P: VertexCompute, R: Receive<P>> Scatter<'_, P, R> {
    /// Whether a message can depend on its sender or on its edge.
    const NAMED: bool = size_of::<P::Signal>() + size_of::<P::Edge>() > 0;

    /// Sends for every vertex of `senders`, which have `edges` edges together. They are cut into
    /// about as many parts as `parts` says, which threads share. Returns what was noted.
    ///
    /// # Safety
    /// They must be vertices of the graph.
    pub(super) unsafe fn share(&self, senders: &[VertexId], edges: u64, parts: u64) -> R::Log {
        // Threads of a team share no loop within a loop, so long rows are cut here.
        let segments = if is_long(senders.len() as u64, edges) {
            self.segments(senders, (edges / parts).clamp(1, R::LARGEST) as usize)
        } else {
            Vec::new()
        };
        let most = if segments.is_empty() { usize::MAX } else { SEGMENT };
        let size = batch::<R, P>(senders, edges, parts);
        let batches = senders.len().div_ceil(size);
        let logs = parallel::map(segments.len() + batches, |i| {
            if let Some(segment) = segments.get(i) {
                return self.segment(segment);
            }
            let start = (i - segments.len()) * size;
            let batch = &senders[start..senders.len().min(start + size)];
            let mut log = R::log(batch.len());
            // SAFETY: the caller's promise.
            unsafe { self.part::<true>(batch, most, &mut log) };
            log
        });
        let mut logs = logs.into_iter();
        let mut all = logs.next().unwrap_or_else(|| R::log(0));
        logs.for_each(|log| R::append(&mut all, log));
        all
    }

    /// The rows of more than [`SEGMENT`] edges along which `senders` send, in segments of `size`.
    fn segments(&self, senders: &[VertexId], size: usize) -> Vec<Segment<'_, P>> {
        let mut segments = Vec::new();
        for rows in &self.env.shape.scatter {
            for v in senders {
                let range = rows.range(*v);
                if range.len() > SEGMENT {
                    segments.extend(Segment::cut(self.signals[*v as usize], rows, range, size));
                }
            }
        }
        segments
    }

    /// Sends along a part of a long row, unless the run is cancelled.
    fn segment(&self, Segment { signal, edges }: &Segment<'_, P>) -> R::Log {
        let (mut log, mut stage) = (R::log(0), Stage::take());
        if !self.env.shape.cancelled() {
            // SAFETY: shared.
            unsafe { self.row::<true>(*signal, *edges, &mut stage.wanted, &mut log) };
        }
        stage.put_back();
        self.to.close(&mut log);
        log
    }

    /// Sends for every vertex of `senders`, which have `edges` edges together, on this thread.
    ///
    /// # Safety
    /// They must be vertices of the graph. No other thread may deliver messages.
    pub(super) unsafe fn alone(&self, senders: &[VertexId], edges: u64, log: &mut R::Log) {
        for senders in senders.chunks(batch::<R, P>(senders, edges, 1)) {
            // SAFETY: the caller's promise.
            unsafe { self.part::<false>(senders, usize::MAX, log) };
        }
    }

    /// Sends for a part of the vertices along their rows of at most `most` edges, unless the run is
    /// cancelled.
    ///
    /// # Safety
    /// They must be vertices of the graph, and `SHARED` as for [`Receive::deliver`].
    pub(super) unsafe fn part<const SHARED: bool>(
        &self,
        senders: &[VertexId],
        most: usize,
        log: &mut R::Log,
    ) {
        if !self.env.shape.cancelled() {
            let sides = &self.env.shape.scatter;
            // SAFETY: the caller's promise.
            unsafe {
                self.along::<SHARED>(senders, sides.first(), most, log);
                if let Some(rows) = sides.second() {
                    self.along::<SHARED>(senders, rows, most, log);
                }
            }
        }
        self.to.close(log);
    }

    /// Sends along one set of rows. Short rows are first laid side by side on a [`Stage`], so
    /// that no branch depends on where each of them ends.
    ///
    /// # Safety
    /// As for [`part`](Self::part).
    unsafe fn along<const SHARED: bool>(
        &self,
        mut senders: &[VertexId],
        rows: &Rows<'_, P::Edge>,
        most: usize,
        log: &mut R::Log,
    ) {
        let mut stage = Stage::take();
        while let Some(&first) = senders.first() {
            // SAFETY: the caller's promise; there is a signal for every vertex.
            unsafe {
                let range = rows.range_unchecked(first);
                if range.len() > LONG {
                    if range.len() <= most {
                        let signal = *self.signals.get_unchecked(first as usize);
                        self.long::<SHARED>(signal, rows, range, &mut stage.wanted, log);
                    }
                    senders = &senders[1..];
                    continue;
                }
                let count = stage.fill(senders, rows, Self::NAMED);
                let (staged, later) = senders.split_at(count);
                self.staged::<SHARED>(staged, rows, &mut stage, log);
                senders = later;
            }
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

    /// Sends along a long row.
    ///
    /// # Safety
    /// `SHARED` as for [`Receive::deliver`].
    unsafe fn long<const SHARED: bool>(
        &self,
        signal: P::Signal,
        rows: &Rows<'_, P::Edge>,
        range: Range<usize>,
        wanted: &mut Places,
        log: &mut R::Log,
    ) {
        if SHARED && range.len() > SEGMENT {
            self.hub(signal, rows, range, log);
        } else {
            // SAFETY: the caller's promise.
            unsafe { self.row::<SHARED>(signal, rows.edges(range), wanted, log) };
        }
    }

    /// Sends along the row of a hub, cut into segments that threads share.
    #[cold]
    fn hub(
        &self,
        signal: P::Signal,
        rows: &Rows<'_, P::Edge>,
        range: Range<usize>,
        log: &mut R::Log,
    ) {
        let segments: Vec<_> = Segment::cut(signal, rows, range, SEGMENT).collect();
        let logs = parallel::map(segments.len(), |i| self.segment(&segments[i]));
        logs.into_iter().for_each(|part| R::append(log, part));
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
