//! By soft priority: buckets of width delta, the lowest first (delta-stepping:
//! Meyer and Sanders, J. Algorithms 49, 2003).
//!
//! A vertex that changes is marked and put into the bucket of its priority, and
//! again whenever its priority improves. The thread that takes a vertex out of a
//! bucket unmarks it first, and skips it if it has no mark. So no change is lost
//! and no vertex works twice for one change, in whatever order the priorities
//! come. Within a bucket the order is free: threads share its vertices, and each
//! goes on with the few that it puts back into the same bucket (bucket fusion:
//! Zhang et al., CGO 2020), which saves most barriers on graphs of large diameter.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;

use super::Live;
use crate::engine::cpu::bitmap::{Marks, MarksRef};
use crate::engine::cpu::shape::Shape;
use crate::engine::options::LAST;
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::program::{Program, VertexCompute, VertexId};

/// Buckets that are kept separately; vertices beyond them wait in one list.
const WINDOW: usize = 128;
/// Vertices that a thread takes from the bucket at a time.
const BATCH: usize = 64;
/// A thread goes on with what it put back itself, up to this many vertices.
const FUSE: usize = 1 << 10;
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
pub(super) struct Buckets {
    /// The width of a bucket.
    delta: f32,
    /// Vertices that have not sent their last change yet.
    marks: Marks,
    /// The buckets of this window.
    window: Bins,
    /// The first bucket of this window.
    base: u64,
    /// The bucket that is emptied next, counted from the first of the window.
    ahead: usize,
}

impl Buckets {
    /// `first` are the vertices that scatter first, `delta` is the width of a bucket.
    pub(super) fn new<P: Program>(shape: &Shape<'_, P>, first: Vec<VertexId>, delta: f32) -> Self {
        let marks = Marks::new(shape.vertex_count);
        first.iter().for_each(|v| marks.all().set::<false>(*v));
        let window = Bins { far: first, ..Bins::default() };
        Self { delta, marks, window, base: 0, ahead: 0 }
    }

    /// Whether a vertex has a change to send.
    pub(super) fn is_pending(&self, v: VertexId) -> bool {
        self.marks.all().is_set(v)
    }

    /// Runs up to `at_most` rounds, the first with number `next`. Returns why the run ends,
    /// if it does.
    pub(super) fn run<P: VertexCompute>(
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
            if *next > LAST && !self.is_empty() {
                return Some(StopReason::Limit);
            }
            let delta = self.delta;
            let bucket_of = |v| bucket_of(live.env.program, &live.states.load(v), delta);
            let Some(list) = self.next_bucket(bucket_of) else {
                return Some(StopReason::Halted);
            };
            let start = Instant::now();
            let (base, bucket) = (self.base, self.base + self.ahead as u64);
            let work = Work { live, delta, bucket, base, marks: self.marks.all() };
            let bins = work.round(&list);
            let (active, messages) = (bins.active, bins.messages);
            self.window.append(Bins { active: 0, messages: 0, ..bins });
            let (superstep, strategy, time) = (*next, Strategy::Push, start.elapsed());
            let step = SuperstepReport { superstep, active, messages, strategy, time, taken: None };
            *next += 1;
            if log.step(step) == ControlFlow::Break(()) {
                return Some(StopReason::Cancelled);
            }
        }
        self.is_empty().then_some(StopReason::Halted)
    }

    /// Whether no vertex has a change to send.
    fn is_empty(&self) -> bool {
        let near = self.window.near.iter().flatten();
        !near.chain(&self.window.far).any(|v| self.marks.all().is_set(*v))
    }

    /// Takes out the first bucket that is not empty, if there is one. Begins a new window
    /// of buckets where the last has none left.
    fn next_bucket(&mut self, bucket_of: impl Fn(VertexId) -> u64) -> Option<Vec<VertexId>> {
        loop {
            while let Some(list) = self.window.near.get_mut(self.ahead) {
                if !list.is_empty() {
                    return Some(std::mem::take(list));
                }
                self.ahead += 1;
            }
            let mut far = std::mem::take(&mut self.window.far);
            far.retain(|v| self.marks.all().is_set(*v));
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
    /// Vertices that have not sent their last change yet.
    marks: MarksRef<'a>,
}

impl<P: VertexCompute> Work<'_, P> {
    /// Calls `f` with a copy that nothing else refers to; see `Env::locally`.
    #[inline(always)]
    fn locally<R>(&self, f: impl FnOnce(&Work<'_, P>) -> R) -> R {
        self.live.locally(|live| f(&Work { live, ..*self }))
    }

    fn round(&self, list: &[VertexId]) -> Bins {
        if list.len() < ALONE || rayon::current_num_threads() == 1 {
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

    /// Goes on with what this thread has put into the present bucket.
    fn fuse<const SHARED: bool>(&self, bins: &mut Bins) {
        let here = (self.bucket - self.base) as usize;
        while let Some(list) = bins.near.get_mut(here) {
            if list.is_empty() || list.len() > FUSE || self.live.env.shape.cancelled() {
                return;
            }
            let list = std::mem::take(list);
            self.vertices::<SHARED>(&list, bins);
        }
    }

    fn vertices<const SHARED: bool>(&self, list: &[VertexId], bins: &mut Bins) {
        self.locally(|work| list.iter().for_each(|v| work.vertex::<SHARED>(*v, bins)));
    }

    #[inline(always)]
    fn vertex<const SHARED: bool>(&self, v: VertexId, bins: &mut Bins) {
        let Self { live, delta, bucket, base, marks } = *self;
        if !marks.take::<SHARED>(v) {
            return;
        }
        bins.active += 1;
        bins.messages += live.env.shape.scatter_degree(v);
        let program = *live.env.program;
        live.send::<SHARED, Bins>(
            v,
            bins,
            |bins, v, state| {
                marks.set::<SHARED>(v);
                // A better priority than the present bucket's counts as its own.
                bins.put(bucket_of(&program, state, delta).max(bucket) - base, v);
            },
            |bins, part| bins.append(part),
        );
    }
}
