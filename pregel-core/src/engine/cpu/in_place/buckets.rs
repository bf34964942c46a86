//! By soft priority: buckets of width delta, the lowest first (delta-stepping:
//! Meyer and Sanders, J. Algorithms 49, 2003).
//!
//! A change is put into the bucket of the vertex' priority. The thread that takes it out skips
//! it if the vertex has changed again since (`pending`). So no change is lost and, as a rule, no
//! vertex works twice for one change, in whatever order the priorities come. Within a bucket the
//! order is free: threads share its changes, and each goes on with the few that it puts back into
//! the same bucket (bucket fusion: Zhang et al., CGO 2020), which saves most barriers on graphs of
//! large diameter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use super::pending::Change;
use super::{After, Live};
use crate::engine::cpu::cut::SEGMENT;
use crate::engine::options::LAST;
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::parallel;
use crate::program::{Value, VertexCompute, VertexId};

/// Where rounds take fewer vertices than this, buckets become twice as wide with the next
/// window: on a long path more than half of the time would go into finding the next bucket.
const FEW: u64 = 32;
/// Buckets that are kept separately; changes beyond them wait in one list.
const WINDOW: usize = 128;
/// Changes that a thread takes from the bucket at a time.
const BATCH: usize = 64;
/// A thread goes on with what it put back itself, up to this many changes.
const FUSE: usize = 1 << 10;
/// How many changes ahead a row is prefetched.
const AHEAD: usize = 8;
/// With fewer changes than this, waking other threads does not pay.
const ALONE: usize = 1 << 7;

/// Changes by bucket, counted from the first of the window.
struct Bins<S> {
    near: Vec<Vec<Change<S>>>,
    far: Vec<Change<S>>,
    /// Vertices that have sent, and their edges.
    active: u64,
    messages: u64,
}

impl<S> Default for Bins<S> {
    fn default() -> Self {
        Self { near: Vec::new(), far: Vec::new(), active: 0, messages: 0 }
    }
}

impl<S> Bins<S> {
    #[inline(always)]
    fn put(&mut self, ahead: u64, change: Change<S>) {
        match usize::try_from(ahead) {
            Ok(ahead) if ahead < WINDOW => {
                if self.near.len() <= ahead {
                    self.near.resize_with(ahead + 1, Vec::new);
                }
                self.near[ahead].push(change);
            }
            _ => self.far.push(change),
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
    /// The buckets of this window.
    window: Bins<S>,
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
        live.pending.forget();
        let listed = |vertex| Change { vertex, state: live.states.load(vertex) };
        let far = first.into_iter().map(listed).collect();
        let window = Bins { far, ..Bins::default() };
        Self { delta, fixed, window, base: 0, ahead: 0, rounds: 0, active: 0 }
    }

    /// The vertices that have something to send, some of them more than once. A vertex whose
    /// state has changed without a vote to scatter is not among them.
    pub(super) fn pending(
        &self,
        holds: impl Fn(&Change<S>) -> bool,
    ) -> impl Iterator<Item = VertexId> {
        let listed = self.window.near.iter().flatten().chain(&self.window.far);
        listed.filter(move |change| holds(change)).map(|change| change.vertex)
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
            if *next > LAST && self.pending(|change| live.holds(change)).next().is_some() {
                return Some(StopReason::Limit);
            }
            let Some(list) = self.next_bucket(live) else {
                return Some(StopReason::Halted);
            };
            let start = Instant::now();
            let (base, bucket) = (self.base, self.base + self.ahead as u64);
            let work = Work { live, delta: self.delta, bucket, base };
            let bins = work.round(&list);
            let (active, messages) = (bins.active, bins.messages);
            self.rounds += 1;
            self.active += active;
            self.window.append(Bins { active: 0, messages: 0, ..bins });
            let (superstep, strategy, time) = (*next, Strategy::Push, start.elapsed());
            let step = SuperstepReport {
                superstep,
                active,
                messages,
                strategy,
                in_place: true,
                time,
                taken: None,
            };
            *next += 1;
            if log.step(step) == ControlFlow::Break(()) {
                return Some(StopReason::Cancelled);
            }
        }
        self.pending(|change| live.holds(change)).next().is_none().then_some(StopReason::Halted)
    }

    /// Takes out the first bucket that is not empty, if there is one. Begins a new window
    /// of buckets where the last has none left.
    fn next_bucket<P: VertexCompute<State = S>>(
        &mut self,
        live: &Live<'_, P>,
    ) -> Option<Vec<Change<S>>> {
        loop {
            while let Some(list) = self.window.near.get_mut(self.ahead) {
                if !list.is_empty() {
                    return Some(std::mem::take(list));
                }
                self.ahead += 1;
            }
            let mut far = std::mem::take(&mut self.window.far);
            far.retain(|change| live.holds(change));
            if !self.fixed && self.active < FEW * self.rounds {
                self.delta *= 2.0;
            }
            (self.rounds, self.active) = (0, 0);
            let bucket_of = |change: &Change<S>| {
                bucket_of(live.env.program, &live.states.load(change.vertex), self.delta)
            };
            self.base = far.iter().map(bucket_of).min()?;
            (self.window, self.ahead) = (Bins::default(), 0);
            for change in far {
                self.window.put(bucket_of(&change) - self.base, change);
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
}

impl<P: VertexCompute> Work<'_, P> {
    /// Calls `f` with a copy that nothing else refers to; see `Env::locally`.
    #[inline(always)]
    fn locally<R>(&self, f: impl FnOnce(&Work<'_, P>) -> R) -> R {
        self.live.locally(|live| f(&Work { live, ..*self }))
    }

    fn round(&self, list: &[Change<P::State>]) -> Bins<P::State> {
        if self.is_for_one(list, ALONE) {
            let mut bins = Bins::default();
            self.changes::<false>(list, &mut bins);
            self.fuse::<false>(&mut bins);
            return bins;
        }
        let next = AtomicUsize::new(0);
        let threads = rayon::current_num_threads();
        let all = parallel::map(threads, |_| {
            let mut bins = Bins::default();
            while !self.live.env.shape.cancelled() {
                let start = next.fetch_add(BATCH, Relaxed);
                let Some(rest) = list.get(start..).filter(|rest| !rest.is_empty()) else {
                    break;
                };
                self.changes::<true>(&rest[..rest.len().min(BATCH)], &mut bins);
            }
            self.fuse::<true>(&mut bins);
            bins
        });
        all.into_iter().fold(Bins::default(), |mut sum, bins| {
            sum.append(bins);
            sum
        })
    }

    /// Whether one thread takes these changes by itself: there is no other thread, or there
    /// are `fewer` changes than this, and no row that is long enough to be shared.
    fn is_for_one(&self, list: &[Change<P::State>], fewer: usize) -> bool {
        let shape = self.live.env.shape;
        let is_short = |change: &Change<_>| shape.scatter_degree(change.vertex) <= SEGMENT as u64;
        rayon::current_num_threads() == 1 || list.len() < fewer && list.iter().all(is_short)
    }

    /// Goes on with what this thread has put into the present bucket.
    fn fuse<const SHARED: bool>(&self, bins: &mut Bins<P::State>) {
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
            self.changes::<SHARED>(&list, bins);
        }
    }

    fn changes<const SHARED: bool>(&self, list: &[Change<P::State>], bins: &mut Bins<P::State>) {
        self.locally(|work| {
            for (i, change) in list.iter().enumerate() {
                work.prefetch(&list[i..]);
                work.change::<SHARED>(change, bins);
            }
        });
    }

    /// Prefetches what later changes of a list need: first the states and where the rows
    /// begin, then the rows.
    #[inline(always)]
    fn prefetch(&self, list: &[Change<P::State>]) {
        let shape = self.live.env.shape;
        if let Some(later) = list.get(2 * AHEAD) {
            self.live.states.prefetch(later.vertex);
            shape.prefetch_scatter_offset(later.vertex);
        }
        if let Some(later) = list.get(AHEAD) {
            shape.prefetch_scatter(later.vertex);
        }
    }

    #[inline(always)]
    fn change<const SHARED: bool>(&self, change: &Change<P::State>, bins: &mut Bins<P::State>) {
        let Self { live, delta, bucket, base } = *self;
        let v = change.vertex;
        let state = live.states.load(v);
        let (program, pending) = (*live.env.program, live.pending);
        if !pending.holds(&program, change, &state) {
            return;
        }
        pending.sends::<SHARED>(v);
        bins.active += 1;
        bins.messages += live.env.shape.scatter_degree(v);
        live.send::<SHARED, Bins<P::State>>(
            v,
            &state,
            bins,
            |bins, vertex, After { state, altered }| {
                if altered || pending.again::<SHARED>(vertex) {
                    // A better priority than the present bucket's counts as its own.
                    let bucket = bucket_of(&program, &state, delta).max(bucket);
                    bins.put(bucket - base, Change { vertex, state });
                }
            },
            |bins, part| bins.append(part),
        );
    }
}
