//! Supersteps that push.

use rayon::prelude::*;

use super::{Memory, dense, outbox, words};
use crate::engine::cpu::bitmap::{each_bit, full};
use crate::engine::cpu::scatter::{Inboxes, Receive, Scatter};
use crate::engine::cpu::vertex::{Env, Outbox, Tally};
use crate::engine::cpu::votes::Votes;
use crate::program::{Delivery, Law, Message, Monoid, VertexCompute, VertexId, Vote};

/// Receivers are listed while they, or the edges to them, are less than 1 / `FEW` of all. Each
/// lies somewhere else in memory: to wait for many of them takes longer than a pass over all
/// vertices.
const FEW: u64 = 16;

impl<P: VertexCompute> Memory<P> {
    /// One superstep by pushing. If `ordered`, the vertices compute in the order of
    /// their ids, so that a rounded aggregate does not vary.
    pub(in crate::engine::cpu) fn push(&mut self, env: &Env<'_, P>, ordered: bool) -> Tally<P> {
        let n = env.shape.vertex_count;
        let ordered = ordered && P::Aggregate::LAW != Law::Exact;
        let free = self.awake.count == 0 && !ordered;
        let edges = self.frontier.edges;
        let few = edges < env.shape.edge_count() / FEW;
        if free && few && P::Combiner::MERGE_LAW == Law::Arbitrary {
            return self.push_at_once(env);
        }
        let inboxes = self.inboxes.get_or_insert_with(|| Inboxes::new(n));
        let scatter = Scatter { env, open: &self.open, signals: &self.signals, to: &*inboxes };
        // SAFETY: the frontier holds vertices of the graph.
        let receivers = unsafe { scatter.send(self.frontier.as_list(), edges) };
        if free && (receivers.len() as u64) < u64::from(n) / FEW {
            return self.compute_listed(env, &receivers);
        }
        self.compute_arrived(env)
    }

    /// One superstep by pushing, of a program that needs only one message, while no vertex is
    /// awake: each receiver computes as soon as its message comes.
    fn push_at_once(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let Self {
            states, signals, next_signals, frontier, next_frontier, next_awake, open, ..
        } = self;
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let edges = frontier.edges;
        let scatter = Scatter { env, open, signals, to: AtOnce(out) };
        // SAFETY: the frontier holds vertices of the graph.
        let Found { listed, wanting, .. } = unsafe { scatter.send(frontier.as_list(), edges) };
        wanting.iter().for_each(|v| {
            open.insert::<false>(*v);
        });
        self.now_listed(listed)
    }

    /// After a push: computes the receivers and the awake, in bit order.
    fn compute_arrived(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let Self { states, next_signals, next_frontier, awake, next_awake, open, inboxes, .. } =
            self;
        let Some(inboxes) = inboxes else { return Tally::new() };
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let (awake, n) = (&*awake, u64::from(env.shape.vertex_count));
        let tally = dense(env, |env, span, tally| {
            words(&span, |i, vertices| {
                let arrived = inboxes.arrived.word(i);
                inboxes.arrived.set_word(i, 0);
                let may = (arrived | awake.word(i, n)) & full(&vertices);
                let mut votes = Votes::of(may);
                each_bit(i, may, |v, bit| {
                    let mut message = (arrived & bit != 0).then(|| inboxes.take(v));
                    let inbox = P::Combiner::inbox_of_one(&mut message);
                    // SAFETY: spans cover the vertices of the graph and do not overlap.
                    votes.add(bit, unsafe { env.compute(v, inbox, &out, tally) });
                });
                votes.store(&vertices, out.open.word(i), env.shape, &out, tally);
            });
        });
        self.turn(&tally);
        tally
    }

    /// After a push to few receivers while no vertex is awake: computes those.
    fn compute_listed(&mut self, env: &Env<'_, P>, receivers: &[VertexId]) -> Tally<P> {
        let Self { states, next_signals, next_frontier, next_awake, open, inboxes, .. } = self;
        let Some(inboxes) = inboxes else { return Tally::new() };
        let out = outbox(states, next_signals, &next_frontier.bits, next_awake, open);
        let run = |list: &[VertexId], shared: bool| {
            let mut done = Listed::new();
            let list = if env.shape.cancelled() { &[] } else { list };
            for &v in list {
                // SAFETY: the list names every receiver once.
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
        let mut all = Listed::new();
        if receivers.len() <= BATCH {
            all = run(receivers, false);
        } else {
            let batches = receivers.par_chunks(BATCH);
            let parts: Vec<Listed<P>> = batches.map(|list| run(list, true)).collect();
            parts.into_iter().for_each(|part| all.append(part));
        }
        self.now_listed(all)
    }

    /// Goes to the next superstep after one whose vertices were listed.
    fn now_listed(&mut self, all: Listed<P>) -> Tally<P> {
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
}

/// What receivers did that computed in no particular order.
struct Listed<P: VertexCompute> {
    tally: Tally<P>,
    scattering: Vec<VertexId>,
    awake: Vec<VertexId>,
}

impl<P: VertexCompute> Listed<P> {
    fn new() -> Self {
        Self { tally: Tally::new(), scattering: Vec::new(), awake: Vec::new() }
    }

    fn append(&mut self, other: Self) {
        self.tally = self.tally.and(other.tally);
        append(&mut self.scattering, other.scattering);
        append(&mut self.awake, other.awake);
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
        let (vote, wants) = unsafe { env.compute(v, inbox, out, &mut self.tally) };
        if !wants {
            out.open.remove::<SHARED>(v);
        }
        // SAFETY: it has computed, so it is a vertex.
        unsafe { self.tally.count(env.shape, v, (vote, wants)) };
        list(v, vote, &mut self.scattering, &mut self.awake);
    }

    /// Computes vertices that have received one message each, and adds those that want another
    /// to `wanting`.
    ///
    /// # Safety
    /// They must be vertices of the graph, and no other thread may touch their places in the
    /// outbox.
    #[inline(never)]
    unsafe fn compute_all(
        &mut self,
        env: &Env<'_, P>,
        inbox: &[(VertexId, Message<P>)],
        out: Outbox<'_, P>,
        wanting: &mut Vec<VertexId>,
    ) {
        // In variables of their own, which can stay in registers.
        let (mut tally, mut scatters) = (Tally::new(), self.scattering.len());
        let soon = scatters < SOON;
        self.scattering.resize(scatters + inbox.len(), 0);
        let Self { scattering, awake, .. } = self;
        env.locally(|env| {
            for &(v, message) in inbox {
                let mut message = Some(message);
                let inbox = P::Combiner::inbox_of_one(&mut message);
                // SAFETY: the caller's promise.
                let (vote, wants) = unsafe {
                    if soon {
                        env.shape.prefetch_scatter_unchecked(v);
                    }
                    let votes = env.compute(v, inbox, &out, &mut tally);
                    tally.count(env.shape, v, votes);
                    votes
                };
                if wants {
                    wanting.push(v);
                }
                if vote.awake() {
                    awake.push(v);
                }
                scattering[scatters] = v;
                scatters += usize::from(vote.scatters());
            }
        });
        self.scattering.truncate(scatters);
        self.tally = self.tally.and(tally);
    }
}

/// Lists a vertex by its vote.
#[inline(always)]
fn list(v: VertexId, vote: Vote, scattering: &mut Vec<VertexId>, awake: &mut Vec<VertexId>) {
    if vote.scatters() {
        scattering.push(v);
    }
    if vote.awake() {
        awake.push(v);
    }
}

/// Appends a list, which costs nothing if there was none before.
fn append<T>(list: &mut Vec<T>, mut other: Vec<T>) {
    if list.is_empty() { *list = other } else { list.append(&mut other) }
}

/// Lets each receiver compute as soon as its first message comes, which is all that it gets.
///
/// Whoever takes the vertex out of the open ones delivers that message. Vertices that want
/// another one are put back after the superstep. The receivers of a batch of messages are
/// collected and compute one after another: their states are on the way by then, and no branch
/// depends on who came first.
#[derive(Clone, Copy)]
struct AtOnce<'a, P: VertexCompute>(Outbox<'a, P>);

/// What a thread notes of these receivers.
struct Found<P: VertexCompute> {
    listed: Listed<P>,
    /// Those that want messages again.
    wanting: Vec<VertexId>,
    /// Room for those that will compute next, and their messages.
    inbox: Vec<(VertexId, Message<P>)>,
}

/// The rows of so many vertices that were found are requested, since they are likely to send
/// next. They stay in the second-level cache until then.
const SOON: usize = 1024;

impl<P: VertexCompute> Receive<P> for AtOnce<'_, P> {
    type Log = Found<P>;

    fn log(expected: usize) -> Found<P> {
        // Room for what is usually found, so that the list does not grow step by step.
        let scattering = Vec::with_capacity(expected + expected / 4);
        let listed = Listed { scattering, ..Listed::new() };
        Found { listed, wanting: Vec::new(), inbox: Vec::new() }
    }

    fn append(log: &mut Found<P>, other: Found<P>) {
        log.listed.append(other.listed);
        append(&mut log.wanting, other.wanting);
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        env: &Env<'_, P>,
        messages: impl Iterator<Item = (VertexId, Message<P>)>,
        count: usize,
        log: &mut Found<P>,
    ) {
        let (out, shape) = (self.0, env.shape);
        if log.inbox.len() < count {
            log.inbox.resize(count, (0, P::Combiner::neutral()));
        }
        let (inbox, mut pending) = (&mut log.inbox[..count], 0);
        messages.for_each(|(v, message)| {
            // SAFETY: there is a bit for every vertex, which `v` is, as the caller promises.
            let first = unsafe {
                // To look first is cheaper than to lock a word in vain.
                (!SHARED || out.open.contains_unchecked(v)) && out.open.take_unchecked::<SHARED>(v)
            };
            if SHARED && !first {
                return;
            }
            out.states.prefetch(v as usize);
            shape.prefetch_scatter_offset(v);
            inbox[pending] = (v, message);
            pending += usize::from(first);
        });
        // SAFETY: they are vertices. Only one thread takes a vertex out of the open ones, and
        // none puts it back before all have finished. Until then nothing else touches its
        // places in the outbox.
        unsafe { log.listed.compute_all(env, &inbox[..pending], out, &mut log.wanting) };
    }
}
