//! Plain supersteps, with a barrier after each: here those that pull or fill mailboxes, in
//! `push` those that push.

mod push;

use std::ops::Range;

use rayon::prelude::*;

use super::bitmap::{Bitmap, Bits, each_bit, full};
use super::frontier::Frontier;
use super::gather::{Everyone, HubMessages, Members, Signals, collect, gather};
use super::scatter::Inboxes;
use super::vertex::{Env, Outbox, Tally};
use super::votes::{Awake, Votes};
use crate::engine::Saved;
use crate::memory;
use crate::program::{Delivery, Law, Message, VertexCompute, VertexId, Vote};
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
        self.states = memory::zeroed(env.shape.vertex_count as usize);
        let out = outbox(
            &mut self.states,
            &mut self.next_signals,
            &self.next_frontier.bits,
            &self.next_awake,
            &self.open,
        );
        // Two loops, so that a new run does not ask for each vertex whether it was saved.
        let tally = match saved {
            None => dense(env, |env, span, tally| begin(env, &span, None, &out, tally)),
            Some(_) => dense(env, |env, span, tally| begin(env, &span, saved, &out, tally)),
        };
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
        source: impl FnOnce(&'s [P::Signal], &'s Bits) -> S,
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
        let hubs = HubMessages::gather(env.program, env.shape, signals, |v| open.contains(v));
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let (awake, n) = (&*awake, u64::from(env.shape.vertex_count));
        dense(env, |env, span, tally| {
            let pull = Pull { env, signals, hubs: &hubs, out };
            if P::Combiner::MERGE_LAW != Law::Arbitrary {
                words(&span, |i, vertices| {
                    let (wanting, wakes) = (open.word(i), awake.word(i, n));
                    let mut votes = Votes::default();
                    each_bit(i, (wanting | wakes) & full(&vertices), |v| {
                        let has = |word: u64| word >> (v % 64) & 1 != 0;
                        // SAFETY: spans cover the vertices of the graph and do not overlap.
                        let vote = unsafe { pull.visit(v, has(wanting), has(wakes), tally) };
                        if let Some(vote) = vote {
                            votes.add(v, vote);
                        }
                    });
                    votes.store(&vertices, env.shape, &out, tally);
                });
                return;
            }
            // A vertex that needs only one message reads little of its row, and
            // the rows of the vertices that still want one lie far apart. So
            // these vertices are listed first, and their rows are prefetched.
            let mut candidates = Vec::with_capacity(span.len());
            words(&span, |i, vertices| {
                out.scattering.set_word(i, 0);
                out.awake.set_word(i, 0);
                let may = (open.word(i) | awake.word(i, n)) & full(&vertices);
                each_bit(i, may, |v| candidates.push(v));
            });
            for (k, &v) in candidates.iter().enumerate() {
                if let Some(later) = candidates.get(k + AHEAD) {
                    env.shape.prefetch(*later);
                }
                let (wants, wakes) = (open.contains(v), awake.contains(v, n));
                // SAFETY: spans cover the vertices of the graph and do not overlap.
                let vote = unsafe { pull.visit(v, wants, wakes, tally) };
                if let Some(vote) = vote {
                    tally.count(env.shape, v, vote);
                    if vote.scatters() {
                        out.scattering.insert::<false>(v);
                    }
                    if vote.awake() {
                        out.awake.insert::<false>(v);
                    }
                }
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
        let (awake, n) = (&*awake, u64::from(env.shape.vertex_count));
        let tally = dense(env, |env, span, tally| {
            let mut mail = Vec::new();
            words(&span, |i, vertices| {
                let mut votes = Votes::default();
                let wakes = awake.word(i, n);
                for v in vertices.clone() {
                    mail.clear();
                    if open.contains(v) {
                        collect(env.program, env.shape, signals, v, &mut mail);
                    }
                    if mail.is_empty() && wakes >> (v % 64) & 1 == 0 {
                        continue;
                    }
                    let inbox = P::Combiner::inbox_of_all(&mut mail);
                    // SAFETY: spans do not overlap.
                    votes.add(v, unsafe { env.compute::<false>(v, inbox, &out, tally) });
                }
                votes.store(&vertices, env.shape, &out, tally);
            });
        });
        self.turn(&tally);
        tally
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

fn outbox<'a, P: VertexCompute>(
    states: &'a mut [P::State],
    signals: &'a mut [P::Signal],
    scattering: &'a Bits,
    awake: &'a Bits,
    open: &'a Bits,
) -> Outbox<'a, P> {
    Outbox {
        states: SharedSlice::new(states),
        signals: SharedSlice::new(signals),
        scattering,
        awake,
        open,
    }
}

/// Lets the vertices of a span begin; see [`Memory::begin`].
#[inline(always)]
fn begin<P: VertexCompute>(
    env: &Env<'_, P>,
    span: &Range<VertexId>,
    saved: Option<&Saved<P>>,
    out: &Outbox<'_, P>,
    tally: &mut Tally<P>,
) {
    words(span, |i, vertices| {
        let (mut votes, mut wanting) = (Votes::of_all(&vertices), 0);
        for v in vertices.clone() {
            // SAFETY: spans do not overlap, so each vertex is visited once.
            let (vote, wants) = unsafe { env.begin(v, saved, out, tally) };
            votes.vote(v, vote);
            wanting |= u64::from(wants) << (v % 64);
        }
        votes.store(&vertices, env.shape, out, tally);
        out.open.set_word(i, wanting & env.shape.cut.linked(i));
        tally.open += env.shape.gather.edges_of(&vertices, wanting) as i64;
    });
}

/// Runs `work` on every span of the graph, in parallel, and adds up the tallies
/// in the order of the spans.
fn dense<P: VertexCompute>(
    env: &Env<'_, P>,
    work: impl Fn(&Env<'_, P>, Range<VertexId>, &mut Tally<P>) + Sync,
) -> Tally<P> {
    let run = |range: &Range<VertexId>| {
        let mut tally = Tally::new();
        let range = if env.shape.cancelled() { 0..0 } else { range.clone() };
        env.locally(|env| work(env, range, &mut tally));
        tally
    };
    let spans = &env.shape.cut.spans;
    let tallies: Vec<Tally<P>> = match spans.len() {
        0 | 1 => spans.iter().map(run).collect(),
        _ => spans.par_iter().map(run).collect(),
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

/// What a vertex reads when it pulls, and where it writes.
struct Pull<'a, P: VertexCompute, S> {
    env: &'a Env<'a, P>,
    signals: S,
    hubs: &'a HubMessages<Message<P>>,
    out: Outbox<'a, P>,
}

impl<P: VertexCompute, S: Signals<P::Signal>> Pull<'_, P, S> {
    /// Lets `v` compute if it is woken, or if it wants messages and there is one.
    ///
    /// # Safety
    /// `v` must be a vertex of the graph, and no other thread may touch its places in the
    /// outbox.
    #[inline(always)]
    unsafe fn visit(
        &self,
        v: VertexId,
        wants: bool,
        wakes: bool,
        tally: &mut Tally<P>,
    ) -> Option<Vote> {
        let mut message = None;
        if wants {
            let Env { program, shape, .. } = self.env;
            // SAFETY: the caller's promise.
            message = unsafe { gather(*program, shape, self.signals, self.hubs, v) };
        }
        if message.is_none() && !wakes {
            return None;
        }
        let inbox = P::Combiner::inbox_of_one(&mut message);
        // SAFETY: the caller's promise.
        Some(unsafe { self.env.compute::<false>(v, inbox, &self.out, tally) })
    }
}
