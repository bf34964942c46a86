//! Pull: the messages of a vertex, read from its neighbours' signals.

use super::bitmap::Bits;
use super::cut::{HUB, SEGMENT};
use super::edges::Edges;
use super::shape::Shape;
use crate::memory;
use crate::parallel;
use crate::program::{Delivery, Edge, Law, Message, Value, VertexCompute, VertexId};

/// Where signals are read from.
pub(super) trait Signals<S>: Copy + Send + Sync {
    /// Whether every vertex is known to scatter.
    const ALL: bool = false;

    /// Whether a vertex scatters.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    unsafe fn scatters(self, v: VertexId) -> bool;

    /// The signal of a vertex, or any value if it does not scatter.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph.
    unsafe fn read(self, v: VertexId) -> S;

    /// Prefetches the signal of a vertex.
    #[inline(always)]
    fn prefetch(self, _v: VertexId) {}
}

/// Every vertex scatters.
#[derive(Clone, Copy)]
pub(super) struct Everyone<'a, S>(pub(super) &'a [S]);

/// The vertices of a set scatter.
#[derive(Clone, Copy)]
pub(super) struct Members<'a, S>(pub(super) &'a [S], pub(super) &'a Bits);

impl<S: Copy + Send + Sync> Signals<S> for Everyone<'_, S> {
    const ALL: bool = true;

    #[inline(always)]
    unsafe fn scatters(self, _: VertexId) -> bool {
        true
    }

    #[inline(always)]
    unsafe fn read(self, v: VertexId) -> S {
        // SAFETY: there is a signal for every vertex.
        unsafe { *self.0.get_unchecked(v as usize) }
    }

    #[inline(always)]
    fn prefetch(self, v: VertexId) {
        memory::prefetch(self.0, v as usize);
    }
}

impl<S: Copy + Send + Sync> Signals<S> for Members<'_, S> {
    #[inline(always)]
    unsafe fn scatters(self, v: VertexId) -> bool {
        // SAFETY: there is a bit for every vertex.
        unsafe { self.1.contains_unchecked(v) }
    }

    #[inline(always)]
    unsafe fn read(self, v: VertexId) -> S {
        // SAFETY: there is a signal for every vertex.
        unsafe { *self.0.get_unchecked(v as usize) }
    }
}

/// Messages combined so far; `value` is neutral if there is not `any`.
#[derive(Clone, Copy)]
pub(super) struct Combined<M> {
    value: M,
    any: bool,
}

impl<M> Combined<M> {
    pub(super) fn message(self) -> Option<M> {
        self.any.then_some(self.value)
    }
}

/// The most edges of a row that is combined in turn if signals lie in near caches: the rows of
/// other vertices fill the time that its additions wait.
const SHORT: usize = 12;
/// The same if they do not, where to wait for signals takes longer than to add them.
const SHORT_IF_FAR: usize = 64;
/// The most edges of such a row during which later signals are prefetched. Rows end with a branch
/// that is mispredicted, until which nothing behind it is requested; longer rows keep the memory
/// busy themselves.
const AHEAD: usize = 24;

/// The messages of some edges, combined in a fixed order.
#[inline(always)]
pub(super) fn combine<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
) -> Combined<Message<P>> {
    if P::Combiner::MERGE_LAW == Law::Arbitrary {
        first(program, edges, signals)
    } else if edges.targets.len() <= SHORT {
        in_turn(program, edges, signals, |_| ())
    } else {
        by_lanes(program, edges, signals, |_| ())
    }
}

/// The same if signals lie far away. Those of `later` vertices may be prefetched, one with each
/// edge.
#[inline(always)]
fn combine_far<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    later: &[VertexId],
    signals: impl Signals<P::Signal>,
) -> Combined<Message<P>> {
    let ahead = |i: usize| {
        if let Some(v) = later.get(i) {
            signals.prefetch(*v);
        }
    };
    let count = edges.targets.len();
    if P::Combiner::MERGE_LAW == Law::Arbitrary {
        first(program, edges, signals)
    } else if count <= AHEAD {
        in_turn(program, edges, signals, ahead)
    } else if count <= SHORT_IF_FAR {
        in_turn(program, edges, signals, |_| ())
    } else {
        by_lanes(program, edges, signals, ahead)
    }
}

/// The messages of some edges, combined one by one. Calls `before` with the number of each edge.
#[inline(always)]
fn in_turn<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    before: impl Fn(usize),
) -> Combined<Message<P>> {
    let (mut value, mut any) = (P::Combiner::neutral(), false);
    let (mut i, step) = (0, edges.step());
    while let Some(target) = edges.targets.get(i) {
        before(i);
        if let Some(message) = message_of(program, edges, signals, i, *target) {
            (value, any) = (P::Combiner::merge(value, message), true);
            if P::Combiner::settled(&value) {
                break;
            }
        }
        i += step;
    }
    Combined { value, any }
}

/// How many partial results a long row is combined in, so that one addition need not
/// wait for the previous one.
const LANES: usize = 4;

/// The messages of some edges, combined in [`LANES`] partial results. Calls `before` with the
/// number of each edge.
#[inline(always)]
fn by_lanes<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    before: impl Fn(usize),
) -> Combined<Message<P>> {
    let mut lanes = [P::Combiner::neutral(); LANES];
    let mut any = false;
    let mut take = |lane: &mut Message<P>, i: usize, target: VertexId| {
        before(i);
        if let Some(message) = message_of(program, edges, signals, i, target) {
            *lane = P::Combiner::merge(*lane, message);
            any = true;
        }
        P::Combiner::settled(lane)
    };
    let (groups, rest) = edges.targets.as_chunks::<LANES>();
    'row: {
        for (group, targets) in groups.iter().enumerate() {
            let mut settled = false;
            for (k, lane) in lanes.iter_mut().enumerate() {
                settled |= take(lane, group * LANES + k, targets[k]);
            }
            if settled {
                break 'row;
            }
        }
        for (k, target) in rest.iter().enumerate() {
            take(&mut lanes[k], groups.len() * LANES + k, *target);
        }
    }
    let value = lanes.into_iter().reduce(P::Combiner::merge);
    Combined { value: value.unwrap_or(P::Combiner::neutral()), any }
}

/// The message of edge `i`, whose other end is `target`, if that scatters.
#[inline(always)]
fn message_of<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    i: usize,
    target: VertexId,
) -> Option<Message<P>> {
    // SAFETY: the targets of a row are vertices.
    let scatters = unsafe { signals.scatters(target) };
    if scatters { sent(program, edges, signals, i, target) } else { None }
}

/// The message of edge `i`, whose other end is `target`, which scatters.
#[inline(always)]
fn sent<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    i: usize,
    target: VertexId,
) -> Option<Message<P>> {
    // SAFETY: the targets of a row are vertices.
    let signal = unsafe { signals.read(target) };
    program.edge_compute(&signal, Edge::new(edges.value(i)))
}

/// The first message of some edges. Looks at [`LANES`] senders at a time, which
/// takes one unpredictable branch instead of several.
#[inline(always)]
fn first<P: VertexCompute>(
    program: &P,
    edges: Edges<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
) -> Combined<Message<P>> {
    for (group, targets) in edges.targets.chunks(LANES).enumerate() {
        let mut senders = 0u32;
        for (k, target) in targets.iter().enumerate() {
            // SAFETY: the targets of a row are vertices.
            senders |= u32::from(unsafe { signals.scatters(*target) }) << k;
        }
        while senders != 0 {
            let i = group * LANES + senders.trailing_zeros() as usize;
            if let Some(value) = sent(program, edges, signals, i, edges.targets[i]) {
                return Combined { value, any: true };
            }
            senders &= senders - 1;
        }
    }
    Combined { value: P::Combiner::neutral(), any: false }
}

/// The result of [`combine`] for the row of every hub, made before the vertices
/// compute; empty if the graph has no hub.
pub(super) struct HubMessages<M>(Vec<(VertexId, Combined<M>)>);

impl<M: Value> HubMessages<M> {
    /// Gathers for every hub for which `wanted` holds. Its row is cut into segments
    /// that threads share. The order of combining is fixed.
    pub(super) fn gather<P: VertexCompute<Combiner: Delivery<Message = M>>>(
        program: &P,
        shape: &Shape<'_, P>,
        signals: impl Signals<P::Signal>,
        wanted: impl Fn(VertexId) -> bool,
    ) -> Self {
        let hubs = shape.cut.hubs.iter().copied().filter(|v| wanted(*v));
        Self(hubs.map(|v| (v, Self::one(program, shape, signals, v))).collect())
    }

    fn one<P: VertexCompute<Combiner: Delivery<Message = M>>>(
        program: &P,
        shape: &Shape<'_, P>,
        signals: impl Signals<P::Signal>,
        v: VertexId,
    ) -> Combined<M> {
        let mut all = Combined { value: P::Combiner::neutral(), any: false };
        for rows in &shape.gather {
            let range = rows.range(v);
            let segments = range.len().div_ceil(SEGMENT);
            let parts = parallel::map(segments, |i| {
                let start = range.start + i * SEGMENT;
                combine(program, rows.edges(start..range.end.min(start + SEGMENT)), signals)
            });
            all = parts.into_iter().fold(all, both::<P>);
        }
        all
    }

    fn of(&self, v: VertexId) -> Option<Combined<M>> {
        let i = self.0.binary_search_by_key(&v, |(hub, _)| *hub).ok()?;
        Some(self.0[i].1)
    }
}

#[inline(always)]
fn both<P: VertexCompute>(
    a: Combined<Message<P>>,
    b: Combined<Message<P>>,
) -> Combined<Message<P>> {
    match (a.any, b.any) {
        (true, true) => Combined { value: P::Combiner::merge(a.value, b.value), any: true },
        (false, _) => b,
        (_, false) => a,
    }
}

/// The combined message of vertex `v`.
///
/// # Safety
/// `v` must be a vertex of the graph.
#[inline(always)]
pub(super) unsafe fn gather<P: VertexCompute>(
    program: &P,
    shape: &Shape<'_, P>,
    signals: impl Signals<P::Signal>,
    hubs: &HubMessages<Message<P>>,
    v: VertexId,
) -> Option<Message<P>> {
    // SAFETY: the caller's promise.
    let row = unsafe { shape.gather.first().row(v) };
    // SAFETY: the caller's promise.
    unsafe { gather_with(program, shape, signals, hubs, v, row, None) }
}

/// [`gather`] for a vertex whose first `row` is at hand. If signals lie far away, those of `later`
/// vertices may be prefetched meanwhile, at most as many as the row has edges.
///
/// # Safety
/// `v` must be a vertex of the graph.
#[inline(always)]
pub(super) unsafe fn gather_with<P: VertexCompute>(
    program: &P,
    shape: &Shape<'_, P>,
    signals: impl Signals<P::Signal>,
    hubs: &HubMessages<Message<P>>,
    v: VertexId,
    row: Edges<'_, P::Edge>,
    later: Option<&[VertexId]>,
) -> Option<Message<P>> {
    // SAFETY: the caller's promise.
    let other = shape.gather.second().map(|rows| unsafe { rows.row(v) });
    let degree = row.targets.len() + other.map_or(0, |row| row.targets.len());
    if degree as u64 > HUB {
        return hubs.of(v).and_then(Combined::message);
    }
    let mut all = match later {
        Some(later) => combine_far(program, row, later, signals),
        None => combine(program, row, signals),
    };
    if let Some(row) = other
        && !(all.any && P::Combiner::settled(&all.value))
    {
        all = both::<P>(all, combine(program, row, signals));
    }
    all.message()
}

/// Collects every message of vertex `v` in `mail`, in the order of its edges.
pub(super) fn collect<P: VertexCompute>(
    program: &P,
    shape: &Shape<'_, P>,
    signals: impl Signals<P::Signal>,
    v: VertexId,
    mail: &mut Vec<Message<P>>,
) {
    mail.clear();
    for rows in &shape.gather {
        let edges = rows.edges(rows.range(v));
        let targets = edges.targets.iter().enumerate();
        mail.extend(targets.filter_map(|(i, v)| message_of(program, edges, signals, i, *v)));
    }
}
