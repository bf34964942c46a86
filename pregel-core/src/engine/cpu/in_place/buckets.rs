//! By soft priority: buckets of width delta, the lowest first (delta-stepping:
//! Meyer and Sanders, J. Algorithms 49, 2003).
//!
//! A vertex that changes is put into the bucket of its priority, and again whenever it
//! changes. The thread that takes a vertex out of a bucket skips it if its state has been
//! sent already (`pending`). So no change is lost and, as a rule, no vertex works twice for
//! one change, in whatever order the priorities come. Within a bucket the order is free:
//! threads share its vertices, and each goes on with the few that it puts back into the same
//! bucket (bucket fusion: Zhang et al., CGO 2020), which saves most barriers on graphs of
//! large diameter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;

use super::Live;
use super::pending::{Pending, PendingRef};
use crate::engine::cpu::cells::CellsRef;
use crate::engine::cpu::shape::SEGMENT;
use crate::engine::options::LAST;
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::program::{Value, VertexCompute, VertexId};

/// Where rounds take fewer vertices than this, buckets become twice as wide with the next
/// window: on a long path more than half of the time would go into finding the next bucket.
const FEW: u64 = 32;
/// Buckets that are kept separately; vertices beyond them wait in one list.
const WINDOW: usize = 128;
/// Vertices that a thread takes from the bucket at a time.
const BATCH: usize = 64;
/// A thread goes on with what it put back itself, up to this many vertices.
const FUSE: usize = 1 << 10;
/// How many vertices ahead a row is prefetched.
const AHEAD: usize = 8;
/// With fewer vertices than this, waking other threads does not pay.
const ALONE: usize = 1 << 7;

/// Vertices by bucket, counted from the first of the window.
#[derive(Default)]
struct Bins {
    near: Vec<Vec<VertexId>>,
    far: Vec<VertexId>,
    /// Vertices that have sent, and their edges.
    active: u64,
    messages: u64,
}

impl Bins {
    #[inline(always)]
    fn put(&mut self, ahead: u64, v: VertexId) {
        match usize::try_from(ahead) {
            Ok(ahead) if ahead < WINDOW => {
                if self.near.len() <= ahead {
                    self.near.resize_with(ahead + 1, Vec::new);
                }
                self.near[ahead].push(v);
            }
            _ => self.far.push(v),
        }
    }

    fn append(&mut self, other: Self) {
        if self.near.len() < other.near.len() {
            self.near.resize_with(other.near.len(), Vec::new);
        }
        for (mine, list) in self.near.iter_mut().zip(other.near) {
            if mine.is_empty() { *mine = list } else { mine.extend(list) }
        }
        self.far.extend(other.far);
        self.active += other.active;
        self.messages += other.messages;
    }
}

/// A run by priority.
pub(super) struct Buckets<S> {
    /// The width of a bucket.
    delta: f32,
    /// Whether the width stays as it is.
    fixed: bool,
    pending: Pending<S>,
    /// The buckets of this window.
    window: Bins,
    /// The first bucket of this window.
    base: u64,
    /// The bucket that is emptied next, counted from the first of the window.
    ahead: usize,
    /// Rounds of this window, and vertices that have sent in them.
    rounds: u64,
    active: u64,
}

impl<S: Value> Buckets<S> {
    /// `first` are the vertices that scatter first, `delta` is the width of a bucket, which
    /// grows where buckets turn out to hold little unless it is `fixed`.
    pub(super) fn new<P: VertexCompute<State = S>>(
        live: &Live<'_, P>,
        first: Vec<VertexId>,
        delta: f32,
        fixed: bool,
    ) -> Self {
        let pending = Pending::new(live.env.shape.vertex_count, live.states, &first);
        let window = Bins { far: first, ..Bins::default() };
        Self { delta, fixed, pending, window, base: 0, ahead: 0, rounds: 0, active: 0 }
    }

    /// The vertices that have something to send. A vertex whose state has changed without a
    /// vote to scatter is not among them.
    pub(super) fn pending(&self, states: CellsRef<'_, S>) -> impl Iterator<Item = VertexId> {
        let listed = self.window.near.iter().flatten().chain(&self.window.far).copied();
        listed.filter(move |v| self.pending.all().contains(*v, &states.load(*v)))
    }

    /// Runs up to `at_most` rounds, the first with number `next`. Returns why the run ends,
    /// if it does.
    pub(super) fn run<P: VertexCompute<State = S>>(
        &mut self,
        live: &Live<'_, P>,
        next: &mut u32,
        at_most: u32,
        log: &mut Log,
    ) -> Option<StopReason> {
        for _ in 0..at_most {
            if live.env.shape.cancelled() {
                return None;
            }
            if *next > LAST && self.pending(live.states).next().is_some() {
                return Some(StopReason::Limit);
            }
            let Some(list) = self.next_bucket(live) else {
                return Some(StopReason::Halted);
            };
            let start = Instant::now();
            let (base, bucket) = (self.base, self.base + self.ahead as u64);
            let pending = self.pending.all();
            let work = Work { live, delta: self.delta, bucket, base, pending };
            let bins = work.round(&list);
            let (active, messages) = (bins.active, bins.messages);
            self.rounds += 1;
            self.active += active;
            self.window.append(Bins { active: 0, messages: 0, ..bins });
            let (superstep, strategy, time) = (*next, Strategy::Push, start.elapsed());
            let step = SuperstepReport { superstep, active, messages, strategy, time, taken: None };
            *next += 1;
            if log.step(step) == ControlFlow::Break(()) {
                return Some(StopReason::Cancelled);
            }
        }
        self.pending(live.states).next().is_none().then_some(StopReason::Halted)
    }

    /// Takes out the first bucket that is not empty, if there is one. Begins a new window
    /// of buckets where the last has none left.
    fn next_bucket<P: VertexCompute<State = S>>(
        &mut self,
        live: &Live<'_, P>,
    ) -> Option<Vec<VertexId>> {
        loop {
            while let Some(list) = self.window.near.get_mut(self.ahead) {
                if !list.is_empty() {
                    return Some(std::mem::take(list));
                }
                self.ahead += 1;
            }
            let mut far = std::mem::take(&mut self.window.far);
            far.retain(|v| self.pending.all().contains(*v, &live.states.load(*v)));
            if !self.fixed && self.active < FEW * self.rounds {
                self.delta *= 2.0;
            }
            (self.rounds, self.active) = (0, 0);
            let bucket_of = |v| bucket_of(live.env.program, &live.states.load(v), self.delta);
            self.base = far.iter().map(|v| bucket_of(*v)).min()?;
            (self.window, self.ahead) = (Bins::default(), 0);
            for v in far {
                self.window.put(bucket_of(v) - self.base, v);
            }
        }
    }
}

/// The bucket of a vertex in this state.
#[inline(always)]
fn bucket_of<P: VertexCompute>(program: &P, state: &P::State, delta: f32) -> u64 {
    // The cast saturates: NaN and negative priorities come first, and huge ones share the
    // last bucket.
    (program.priority(state).unwrap_or(0.0) / delta) as u64
}

/// The bucket that is being emptied.
struct Work<'a, P: VertexCompute> {
    live: &'a Live<'a, P>,
    delta: f32,
    bucket: u64,
    base: u64,
    pending: PendingRef<'a, P::State>,
}

impl<P: VertexCompute> Work<'_, P> {
    /// Calls `f` with a copy that nothing else refers to; see `Env::locally`.
    #[inline(always)]
    fn locally<R>(&self, f: impl FnOnce(&Work<'_, P>) -> R) -> R {
        self.live.locally(|live| f(&Work { live, ..*self }))
    }

    fn round(&self, list: &[VertexId]) -> Bins {
        if self.is_for_one(list, ALONE) {
            let mut bins = Bins::default();
            self.vertices::<false>(list, &mut bins);
            self.fuse::<false>(&mut bins);
            return bins;
        }
        let next = AtomicUsize::new(0);
        let threads = rayon::current_num_threads();
        let all: Vec<Bins> = (0..threads)
            .into_par_iter()
            .with_max_len(1)
            .map(|_| {
                let mut bins = Bins::default();
                while !self.live.env.shape.cancelled() {
                    let start = next.fetch_add(BATCH, Relaxed);
                    let Some(rest) = list.get(start..).filter(|rest| !rest.is_empty()) else {
                        break;
                    };
                    self.vertices::<true>(&rest[..rest.len().min(BATCH)], &mut bins);
                }
                self.fuse::<true>(&mut bins);
                bins
            })
            .collect();
        all.into_iter().fold(Bins::default(), |mut sum, bins| {
            sum.append(bins);
            sum
        })
    }

    /// Whether one thread takes these vertices by itself: there is no other thread, or there
    /// are `fewer` vertices than this, and no row that is long enough to be shared.
    fn is_for_one(&self, list: &[VertexId], fewer: usize) -> bool {
        let shape = self.live.env.shape;
        let is_short = |v: &VertexId| shape.scatter_degree(*v) <= SEGMENT as u64;
        rayon::current_num_threads() == 1 || list.len() < fewer && list.iter().all(is_short)
    }

    /// Goes on with what this thread has put into the present bucket.
    fn fuse<const SHARED: bool>(&self, bins: &mut Bins) {
        let here = (self.bucket - self.base) as usize;
        let mut list = Vec::new();
        while let Some(next) = bins.near.get_mut(here) {
            if next.is_empty() || next.len() > FUSE || self.live.env.shape.cancelled() {
                return;
            }
            if !SHARED && !self.is_for_one(next, FUSE + 1) {
                return;
            }
            list.clear();
            std::mem::swap(&mut list, next);
            self.vertices::<SHARED>(&list, bins);
        }
    }

    fn vertices<const SHARED: bool>(&self, list: &[VertexId], bins: &mut Bins) {
        self.locally(|work| {
            for (i, v) in list.iter().enumerate() {
                work.prefetch(&list[i..]);
                work.vertex::<SHARED>(*v, bins);
            }
        });
    }

    /// Prefetches what later vertices of a list need: first their states and where their rows
    /// begin, then the rows.
    #[inline(always)]
    fn prefetch(&self, list: &[VertexId]) {
        let shape = self.live.env.shape;
        if let Some(v) = list.get(2 * AHEAD) {
            self.live.states.prefetch(*v);
            self.pending.prefetch(*v);
            shape.prefetch_scatter_offset(*v);
        }
        if let Some(v) = list.get(AHEAD) {
            shape.prefetch_scatter(*v);
        }
    }

    #[inline(always)]
    fn vertex<const SHARED: bool>(&self, v: VertexId, bins: &mut Bins) {
        let Self { live, delta, bucket, base, ref pending } = *self;
        let state = live.states.load(v);
        if !pending.take::<SHARED>(v, &state) {
            return;
        }
        bins.active += 1;
        bins.messages += live.env.shape.scatter_degree(v);
        let program = *live.env.program;
        live.send::<SHARED, Bins>(
            v,
            &state,
            bins,
            |bins, v, after| {
                if !after.altered {
                    pending.insert::<SHARED>(v);
                }
                // A better priority than the present bucket's counts as its own.
                bins.put(bucket_of(&program, &after.state, delta).max(bucket) - base, v);
            },
            |bins, part| bins.append(part),
        );
    }
}
