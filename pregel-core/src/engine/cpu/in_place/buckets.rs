//! By soft priority: buckets of width delta, the lowest first (delta-stepping:
//! Meyer and Sanders, J. Algorithms 49, 2003).
//!
//! A change is put into the bucket of the vertex' priority. The thread that takes it out skips
//! it if the vertex has changed again since (`pending`). So no change is lost and, as a rule, no
//! vertex works twice for one change, in whatever order the priorities come. Within a bucket the
//! order is free: each thread begins with the changes that it has put there itself, then takes
//! some of others', and goes on with the few that it puts back into the same bucket (bucket fusion:
//! Zhang et al., CGO 2020), which saves most barriers on graphs of large diameter.

use std::ops::ControlFlow;
use std::time::Instant;

use super::pending::Change;
use super::{After, LONG, Live};
use crate::engine::options::LAST;
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::parallel::{self, Hand, Share, hands, own_first};
use crate::program::{Value, VertexCompute, VertexId};
use crate::shared::SharedSlice;

/// Where rounds take fewer vertices than this, buckets become twice as wide: on a long path more
/// than half of the time would go into finding the next bucket.
const FEW: u64 = 32;
/// The same for each thread if there are more than two, as long as buckets are not [`WIDER`] times as
/// wide as at first: most of the time threads would wait for each other.
const FEW_OF_EACH: u64 = 1 << 9;
/// See [`FEW_OF_EACH`].
const WIDER: f32 = 8.0;
/// This many rounds show that threads would wait: then buckets become wider at once, otherwise with
/// the next window.
const SHOWN: u64 = 32;
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

/// Changes that one thread has found, by bucket, counted from the first of the window.
struct Bins<S> {
    near: Vec<Vec<Change<S>>>,
    far: Vec<Change<S>>,
    /// Vertices that have something to send along a long row. Empty between rounds.
    long: Vec<VertexId>,
    /// Vertices that have sent, and their edges.
    active: u64,
    messages: u64,
}

impl<S> Default for Bins<S> {
    fn default() -> Self {
        Self { near: Vec::new(), far: Vec::new(), long: Vec::new(), active: 0, messages: 0 }
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
}

/// Changes of one bucket that one thread has found.
struct List<S> {
    changes: Vec<Change<S>>,
    /// Those that have not been taken yet.
    left: Share,
}

impl<S> List<S> {
    /// Takes the next few.
    fn take(&self) -> Option<&[Change<S>]> {
        self.left.take(BATCH).map(|range| &self.changes[range])
    }
}

/// A run by priority.
pub(super) struct Buckets<S> {
    /// The width of a bucket.
    delta: f32,
    /// The width from which on many threads do not count.
    wide: f32,
    /// Whether the width stays as it is.
    fixed: bool,
    /// What each thread has found for the buckets of this window.
    bins: Vec<Hand<Bins<S>>>,
    /// The bucket that is being emptied: what each thread has found for it.
    lists: Vec<List<S>>,
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
        let mut bins: Vec<Hand<Bins<S>>> = Vec::new();
        let listed = |vertex| Change { vertex, state: live.states.load(vertex) };
        hands(&mut bins)[0].0.far = first.into_iter().map(listed).collect();
        let list = |_: &_| List { changes: Vec::new(), left: Share::default() };
        let lists = bins.iter().map(list).collect();
        let wide = WIDER * delta;
        Self { delta, wide, fixed, bins, lists, base: 0, ahead: 0, rounds: 0, active: 0 }
    }

    /// The vertices that have something to send, some of them more than once. A vertex whose
    /// state has changed without a vote to scatter is not among them.
    pub(super) fn pending(
        &self,
        holds: impl Fn(&Change<S>) -> bool,
    ) -> impl Iterator<Item = VertexId> {
        let bins = self.bins.iter();
        let listed = bins.flat_map(|Hand(bins)| bins.near.iter().flatten().chain(&bins.far));
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
            if !self.next_bucket(live) {
                return Some(StopReason::Halted);
            }
            let start = Instant::now();
            let (base, bucket) = (self.base, self.base + self.ahead as u64);
            let shares = self.bins.len() > 1;
            let work = Work { live, delta: self.delta, bucket, base, shares };
            work.round(&self.lists, &mut self.bins);
            let (mut active, mut messages) = (0, 0);
            for Hand(bins) in &mut self.bins {
                active += std::mem::take(&mut bins.active);
                messages += std::mem::take(&mut bins.messages);
            }
            self.rounds += 1;
            self.active += active;
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

    /// Takes out the first bucket that is not empty; returns whether there is one. Begins a new
    /// window of buckets where the last has none left, or where they are too narrow.
    fn next_bucket<P: VertexCompute<State = S>>(&mut self, live: &Live<'_, P>) -> bool {
        loop {
            let for_all = self.bins.len() > 2 && self.delta < self.wide;
            let few = if for_all { FEW_OF_EACH * self.bins.len() as u64 } else { FEW };
            let narrow = !self.fixed && self.active < few * self.rounds;
            if !(narrow && for_all && self.rounds >= SHOWN) && self.take_next() {
                return true;
            }
            if narrow {
                self.delta *= 2.0;
            }
            (self.rounds, self.active, self.ahead) = (0, 0, 0);
            let bucket_of = |change: &Change<S>| {
                bucket_of(live.env.program, &live.states.load(change.vertex), self.delta)
            };
            let first = each_bins(&mut self.bins, |bins| {
                bins.near.drain(..).for_each(|list| bins.far.extend(list));
                bins.far.retain(|change| live.holds(change));
                bins.far.iter().map(bucket_of).min()
            });
            let Some(base) = first.into_iter().flatten().min() else { return false };
            self.base = base;
            each_bins(&mut self.bins, |bins| {
                for change in std::mem::take(&mut bins.far) {
                    bins.put(bucket_of(&change) - base, change);
                }
            });
        }
    }

    /// Takes out the next bucket of the window that holds anything; returns whether there is one.
    fn take_next(&mut self) -> bool {
        while self.bins.iter().any(|Hand(bins)| self.ahead < bins.near.len()) {
            let mut any = false;
            for (list, Hand(bins)) in self.lists.iter_mut().zip(&mut self.bins) {
                list.changes.clear();
                if let Some(bucket) = bins.near.get_mut(self.ahead) {
                    std::mem::swap(&mut list.changes, bucket);
                }
                list.left = Share::new(0..list.changes.len());
                any |= !list.changes.is_empty();
            }
            if any {
                return true;
            }
            self.ahead += 1;
        }
        false
    }
}

/// With fewer changes than this in all, a thread looks through them faster than others are called.
const CALL: usize = 1 << 11;

/// Calls `f` with what each thread has found.
fn each_bins<S: Value, R: Send>(
    all: &mut [Hand<Bins<S>>],
    f: impl Fn(&mut Bins<S>) -> R + Sync,
) -> Vec<R> {
    if all.iter().map(|Hand(bins)| bins.far.len()).sum::<usize>() < CALL {
        return all.iter_mut().map(|Hand(bins)| f(bins)).collect();
    }
    let count = all.len();
    let shared = SharedSlice::new(all);
    // SAFETY: each number is given to one thread.
    parallel::map(count, |i| f(unsafe { &mut shared.get_unchecked_mut(i).0 }))
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
    /// Whether there are threads to share long rows.
    shares: bool,
}

impl<P: VertexCompute> Work<'_, P> {
    /// Calls `f` with a copy that nothing else refers to; see `Env::locally`.
    #[inline(always)]
    fn locally<R>(&self, f: impl FnOnce(&Work<'_, P>) -> R) -> R {
        self.live.locally(|live| f(&Work { live, ..*self }))
    }

    fn round(&self, lists: &[List<P::State>], all: &mut [Hand<Bins<P::State>>]) {
        let count: usize = lists.iter().map(|list| list.changes.len()).sum();
        if self.shares && count >= ALONE {
            let hands = SharedSlice::new(all);
            parallel::each(lists.len(), &|own| {
                // SAFETY: there are as many as lists, and each number is given to one thread.
                let Hand(bins) = unsafe { hands.get_unchecked_mut(own) };
                for list in own_first(lists, own) {
                    while let Some(changes) = list.take() {
                        if self.live.env.shape.cancelled() {
                            return;
                        }
                        self.changes::<true>(changes, bins);
                    }
                }
                self.fuse::<true>(bins);
            });
        } else {
            let Hand(bins) = &mut all[0];
            lists.iter().for_each(|list| self.changes::<false>(&list.changes, bins));
            self.fuse::<false>(bins);
        }
        self.long_rows(all);
    }

    /// Sends along the long rows that have been left, which threads share.
    fn long_rows(&self, all: &mut [Hand<Bins<P::State>>]) {
        let left = all.iter_mut().flat_map(|Hand(bins)| bins.long.drain(..));
        let segments = self.live.segments(left);
        if !segments.is_empty() {
            parallel::each_with(
                all,
                segments.len(),
                |_| (),
                |bins, i| {
                    self.locally(|work| {
                        work.live.send_segment(&segments[i], bins, |bins, vertex, after| {
                            work.put::<true>(bins, vertex, after);
                        });
                    });
                },
            );
        }
    }

    /// Goes on with what this thread has put into the present bucket, until it leaves a long row:
    /// what that leads to comes first.
    fn fuse<const SHARED: bool>(&self, bins: &mut Bins<P::State>) {
        let here = (self.bucket - self.base) as usize;
        let mut list = Vec::new();
        while let Some(next) = bins.near.get_mut(here) {
            let more = !next.is_empty() && next.len() <= FUSE && bins.long.is_empty();
            if !more || self.live.env.shape.cancelled() {
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
        let live = self.live;
        let v = change.vertex;
        let state = live.states.load(v);
        let pending = live.pending;
        if !pending.holds(live.env.program, change, &state) {
            return;
        }
        pending.sends::<SHARED>(v);
        let edges = live.env.shape.scatter_degree(v);
        bins.active += 1;
        bins.messages += edges;
        if self.shares && edges > LONG {
            return bins.long.push(v);
        }
        live.send::<SHARED, Bins<P::State>>(v, &state, bins, |bins, vertex, after| {
            self.put::<SHARED>(bins, vertex, after);
        });
    }

    /// Lists a vertex that will scatter, if it is to be listed.
    #[inline(always)]
    fn put<const SHARED: bool>(
        &self,
        bins: &mut Bins<P::State>,
        vertex: VertexId,
        After { state, altered }: After<P::State>,
    ) {
        if altered || self.live.pending.again::<SHARED>(vertex) {
            // A better priority than the present bucket's counts as its own.
            let bucket = bucket_of(self.live.env.program, &state, self.delta).max(self.bucket);
            bins.put(bucket - self.base, Change { vertex, state });
        }
    }
}
