//! Plain supersteps: push, pull or mailbox, with a barrier after each.

use std::ops::Range;

use rayon::prelude::*;

use super::bitmap::{Bitmap, each_bit};
use super::frontier::Frontier;
use super::gather::{Everyone, HubMessages, Members, Signals, collect, gather};
use super::scatter::{Inboxes, Scatter};
use super::shape::Shape;
use super::vertex::{Env, Outbox, Tally};
use super::votes::{Awake, Votes};
use crate::engine::Saved;
use crate::memory;
use crate::program::{Delivery, Law, Monoid, VertexCompute, VertexId, Vote};
use crate::shared::SharedSlice;

/// The memory of a run in plain supersteps. A superstep reads the arrays of this
/// superstep and writes those of the next one; then they are swapped.
pub(super) struct Memory<P: VertexCompute> {
    pub(super) states: Vec<P::State>,
    signals: Vec<P::Signal>,
    next_signals: Vec<P::Signal>,
    pub(super) frontier: Frontier,
    next_frontier: Frontier,
    awake: Awake,
    next_awake: Bitmap,
    /// See [`Outbox::open`].
    open: Bitmap,
    inboxes: Option<Inboxes<P>>,
}

impl<P: VertexCompute> Memory<P> {
    pub(super) fn new(vertices: u32) -> Self {
        let n = vertices as usize;
        Self {
            states: Vec::new(),
            signals: memory::zeroed(n),
            next_signals: memory::zeroed(n),
            frontier: Frontier::new(vertices),
            next_frontier: Frontier::new(vertices),
            awake: Awake { bits: Bitmap::new(vertices), count: 0 },
            next_awake: Bitmap::new(vertices),
            open: Bitmap::new(vertices),
            inboxes: None,
        }
    }

    /// Whether no vertex would compute in another superstep.
    pub(super) fn halted(&self) -> bool {
        self.frontier.count == 0 && self.awake.count == 0
    }

    /// Takes out the final states; the next run makes its own.
    pub(super) fn take_states(&mut self) -> Vec<P::State> {
        std::mem::take(&mut self.states)
    }

    /// The vote of every vertex if all voted the same. O(1).
    pub(super) fn common_vote(&self) -> Option<Vote> {
        let n = self.states.len() as u64;
        let all = |count: u64| [0, n].contains(&count).then_some(count == n);
        Some(Vote::of(all(self.frontier.count)?, all(self.awake.count)?))
    }

    /// Calls `f` with a function that tells the vote of each vertex.
    pub(super) fn with_votes<R>(
        &self,
        f: impl FnOnce(&(dyn Fn(VertexId) -> Vote + Sync)) -> R,
    ) -> R {
        let n = self.states.len() as u32;
        self.frontier.with_bits(n, |scattering| {
            f(&|v| Vote::of(scattering.contains(v), self.awake.contains(v, n.into())))
        })
    }

    /// Lets every vertex begin: superstep 0, or superstep `env.superstep` of a run that was
    /// saved, of which `env.last` is the aggregate that vertices saw.
    pub(super) fn begin(&mut self, env: &Env<'_, P>, saved: Option<&Saved<P>>) -> Tally<P> {
        self.open.clear();
        self.states = memory::zeroed(env.shape.vertex_count as usize);
        let out = outbox(
            &mut self.states,
            &mut self.next_signals,
            &self.next_frontier.bits,
            &self.next_awake,
            &self.open,
        );
        let tally = dense(env.shape, |span, tally| {
            words(&span, |i, range| {
                let mut votes = Votes::default();
                for v in range {
                    // SAFETY: spans do not overlap, so each vertex is visited once.
                    votes.add(v, unsafe { env.begin(v, saved, &out, tally) });
                }
                votes.store(i, &out);
            });
        });
        self.turn(&tally);
        tally
    }

    /// One superstep by pulling.
    pub(super) fn pull(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let everyone = self.frontier.count == u64::from(env.shape.vertex_count);
        self.frontier.as_bits();
        let tally = if everyone {
            self.pull_from(env, |signals, _| Everyone(signals))
        } else {
            self.pull_from(env, Members)
        };
        self.turn(&tally);
        tally
    }

    fn pull_from<'s, S: Signals<P::Signal>>(
        &'s mut self,
        env: &Env<'_, P>,
        source: impl FnOnce(&'s [P::Signal], &'s Bitmap) -> S,
    ) -> Tally<P> {
        let Self {
            states,
            signals,
            next_signals,
            frontier,
            next_frontier,
            awake,
            next_awake,
            open,
            ..
        } = self;
        let signals = source(signals, &frontier.bits);
        let (program, shape) = (env.program, env.shape);
        let hubs = HubMessages::gather(program, shape, signals, |v| open.contains(v));
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let (awake, n) = (&*awake, u64::from(shape.vertex_count));
        dense(shape, |span, tally| {
            let mut visit = |v: VertexId, wakes: bool| {
                let mut message =
                    if open.contains(v) { gather(program, shape, signals, &hubs, v) } else { None };
                if message.is_none() && !wakes {
                    return;
                }
                let inbox = P::Combiner::inbox_of_one(&mut message);
                // SAFETY: spans do not overlap.
                let vote = unsafe { env.compute::<false>(v, inbox, &out, tally) };
                out.vote(v, vote);
            };
            if P::Combiner::MERGE_LAW != Law::Arbitrary {
                words(&span, |i, range| {
                    Votes::default().store(i, &out);
                    let wakes = awake.word(i, n);
                    let may = (open.word(i) | wakes) & !0 >> (64 - range.len());
                    each_bit(i, may, |v| visit(v, wakes >> (v % 64) & 1 != 0));
                });
                return;
            }
            // A vertex that needs only one message reads little of its row, and
            // the rows of the vertices that still want one lie far apart. So
            // these vertices are listed first, and their rows are prefetched.
            let mut candidates = Vec::with_capacity(span.len());
            words(&span, |i, range| {
                Votes::default().store(i, &out);
                let may = (open.word(i) | awake.word(i, n)) & !0 >> (64 - range.len());
                each_bit(i, may, |v| candidates.push(v));
            });
            for (k, &v) in candidates.iter().enumerate() {
                if let Some(later) = candidates.get(k + AHEAD) {
                    shape.prefetch(*later);
                }
                visit(v, awake.contains(v, n));
            }
        })
    }

    /// One superstep that keeps every message until its vertex computes.
    pub(super) fn mailbox(&mut self, env: &Env<'_, P>) -> Tally<P> {
        self.frontier.as_bits();
        let Self {
            states,
            signals,
            next_signals,
            frontier,
            next_frontier,
            awake,
            next_awake,
            open,
            ..
        } = self;
        let signals = Members(signals, &frontier.bits);
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let (program, shape) = (env.program, env.shape);
        let (awake, n) = (&*awake, u64::from(shape.vertex_count));
        let tally = dense(shape, |span, tally| {
            let mut mail = Vec::new();
            words(&span, |i, range| {
                let mut votes = Votes::default();
                let wakes = awake.word(i, n);
                for v in range {
                    mail.clear();
                    if open.contains(v) {
                        collect(program, shape, signals, v, &mut mail);
                    }
                    if mail.is_empty() && wakes >> (v % 64) & 1 == 0 {
                        continue;
                    }
                    let inbox = P::Combiner::inbox_of_all(&mut mail);
                    // SAFETY: spans do not overlap.
                    votes.add(v, unsafe { env.compute::<false>(v, inbox, &out, tally) });
                }
                votes.store(i, &out);
            });
        });
        self.turn(&tally);
        tally
    }

    /// One superstep by pushing. If `ordered`, the vertices compute in the order of
    /// their ids, so that a rounded aggregate does not vary.
    pub(super) fn push(&mut self, env: &Env<'_, P>, ordered: bool) -> Tally<P> {
        let n = env.shape.vertex_count;
        let inboxes = self.inboxes.get_or_insert_with(|| Inboxes::new(n));
        let edges = self.frontier.edges;
        let receivers = Scatter {
            program: env.program,
            shape: env.shape,
            open: &self.open,
            signals: &self.signals,
            inboxes,
        }
        .send(self.frontier.as_list(), edges);
        let count: usize = receivers.iter().map(Vec::len).sum();
        let ordered = ordered && P::Aggregate::LAW != Law::Exact;
        if self.awake.count == 0 && !ordered && count < n as usize / 16 {
            return self.compute_listed(env, receivers, count);
        }
        self.compute_arrived(env)
    }

    /// After a push: computes the receivers and the awake, in bit order.
    fn compute_arrived(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let Self { states, next_signals, next_frontier, awake, next_awake, open, inboxes, .. } =
            self;
        let Some(inboxes) = inboxes else { return Tally::new() };
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let (awake, n) = (&*awake, u64::from(env.shape.vertex_count));
        let tally = dense(env.shape, |span, tally| {
            words(&span, |i, range| {
                let arrived = inboxes.arrived.word(i);
                inboxes.arrived.set_word(i, 0);
                let mut votes = Votes::default();
                let here = !0 >> (64 - range.len());
                each_bit(i, arrived | awake.word(i, n) & here, |v| {
                    let came = arrived >> (v % 64) & 1 != 0;
                    let mut message = came.then(|| inboxes.take(v));
                    let inbox = P::Combiner::inbox_of_one(&mut message);
                    // SAFETY: spans do not overlap.
                    votes.add(v, unsafe { env.compute::<false>(v, inbox, &out, tally) });
                });
                votes.store(i, &out);
            });
        });
        self.turn(&tally);
        tally
    }

    /// After a push to few receivers while no vertex is awake: computes those.
    fn compute_listed(
        &mut self,
        env: &Env<'_, P>,
        receivers: Vec<Vec<VertexId>>,
        count: usize,
    ) -> Tally<P> {
        let Self { states, next_signals, next_frontier, next_awake, open, inboxes, .. } = self;
        let Some(inboxes) = inboxes else { return Tally::new() };
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let run = |list: &[VertexId], shared: bool| {
            let mut done = Listed::new();
            let list = if env.shape.cancelled() { &[] } else { list };
            for &v in list {
                // SAFETY: the lists name every receiver once.
                unsafe {
                    if shared {
                        done.compute::<true>(env, v, inboxes, &out);
                    } else {
                        done.compute::<false>(env, v, inboxes, &out);
                    }
                }
            }
            done
        };
        const BATCH: usize = 1024;
        let parts: Vec<Listed<P>> = if count <= BATCH {
            receivers.iter().map(|list| run(list, false)).collect()
        } else {
            let batches = receivers.par_iter().flat_map(|list| list.par_chunks(BATCH));
            batches.map(|list| run(list, true)).collect()
        };
        let mut all = Listed::new();
        for part in parts {
            all.tally = all.tally.and(part.tally);
            all.scattering.extend(part.scattering);
            all.awake.extend(part.awake);
        }
        self.awake.count = all.awake.len() as u64;
        if self.awake.count > 0 {
            self.awake.bits.clear();
            for v in &all.awake {
                self.awake.bits.insert::<false>(*v);
            }
        }
        self.frontier.now_list(all.scattering, all.tally.offered);
        std::mem::swap(&mut self.signals, &mut self.next_signals);
        all.tally
    }

    /// Goes to the next superstep: swaps the arrays.
    fn turn(&mut self, tally: &Tally<P>) {
        self.next_frontier.now_bits(tally.scattering, tally.offered);
        std::mem::swap(&mut self.frontier, &mut self.next_frontier);
        std::mem::swap(&mut self.awake.bits, &mut self.next_awake);
        self.awake.count = tally.awake;
        std::mem::swap(&mut self.signals, &mut self.next_signals);
    }
}

/// How many vertices ahead a row is prefetched.
const AHEAD: usize = 12;

/// The result of computing a list of receivers.
struct Listed<P: VertexCompute> {
    tally: Tally<P>,
    scattering: Vec<VertexId>,
    awake: Vec<VertexId>,
}

impl<P: VertexCompute> Listed<P> {
    fn new() -> Self {
        Self { tally: Tally::new(), scattering: Vec::new(), awake: Vec::new() }
    }

    /// Computes `v`, which has received a message. With `SHARED` other threads
    /// compute other vertices at the same time.
    ///
    /// # Safety
    /// No other thread may compute `v`.
    #[inline(always)]
    unsafe fn compute<const SHARED: bool>(
        &mut self,
        env: &Env<'_, P>,
        v: VertexId,
        inboxes: &Inboxes<P>,
        out: &Outbox<'_, P>,
    ) {
        inboxes.arrived.remove::<SHARED>(v);
        let mut message = Some(inboxes.take(v));
        let inbox = P::Combiner::inbox_of_one(&mut message);
        // SAFETY: the caller's promise.
        let vote = unsafe { env.compute::<SHARED>(v, inbox, out, &mut self.tally) };
        if vote.scatters() {
            self.scattering.push(v);
        }
        if vote.awake() {
            self.awake.push(v);
        }
    }
}

fn outbox<'a, P: VertexCompute>(
    states: &'a mut [P::State],
    signals: &'a mut [P::Signal],
    scattering: &'a Bitmap,
    awake: &'a Bitmap,
    open: &'a Bitmap,
) -> Outbox<'a, P> {
    Outbox {
        states: SharedSlice::new(states),
        signals: SharedSlice::new(signals),
        scattering,
        awake,
        open,
    }
}

/// Runs `work` on every span of the graph, in parallel, and adds up the tallies
/// in the order of the spans.
fn dense<P: VertexCompute>(
    shape: &Shape<'_, P::Edge>,
    work: impl Fn(Range<VertexId>, &mut Tally<P>) + Sync,
) -> Tally<P> {
    let run = |range: &Range<VertexId>| {
        let mut tally = Tally::new();
        let range = if shape.cancelled() { 0..0 } else { range.clone() };
        work(range, &mut tally);
        tally
    };
    let tallies: Vec<Tally<P>> = match shape.cut.spans.len() {
        0 | 1 => shape.cut.spans.iter().map(run).collect(),
        _ => shape.cut.spans.par_iter().map(run).collect(),
    };
    tallies.into_iter().fold(Tally::new(), Tally::and)
}

/// Calls `f` with the index and the vertices of every bitmap word of a span.
#[inline(always)]
fn words(span: &Range<VertexId>, mut f: impl FnMut(usize, Range<VertexId>)) {
    let mut start = span.start;
    while start < span.end {
        let end = span.end.min(start.saturating_add(64));
        f(start as usize / 64, start..end);
        start = end;
    }
}
