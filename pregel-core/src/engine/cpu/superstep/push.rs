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
        let all = unsafe { scatter.send(frontier.as_list(), edges) };
        all.wanting.iter().for_each(|v| {
            open.insert::<false>(*v);
        });
        self.now_listed(all)
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
    /// Vertices that want messages again: only of those that [compute at once](AtOnce).
    wanting: Vec<VertexId>,
}

impl<P: VertexCompute> Listed<P> {
    fn new() -> Self {
        let [scattering, awake, wanting] = [const { Vec::new() }; 3];
        Self { tally: Tally::new(), scattering, awake, wanting }
    }

    fn append(&mut self, other: Self) {
        self.tally = self.tally.and(other.tally);
        append(&mut self.scattering, other.scattering);
        append(&mut self.awake, other.awake);
        append(&mut self.wanting, other.wanting);
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
        unsafe { self.note(env, v, (vote, wants)) };
    }

    /// # Safety
    /// `v` must be a vertex of the graph.
    #[inline(always)]
    unsafe fn note(&mut self, env: &Env<'_, P>, v: VertexId, (vote, wants): (Vote, bool)) {
        // SAFETY: the caller's promise.
        unsafe { self.tally.count(env.shape, v, (vote, wants)) };
        if vote.scatters() {
            self.scattering.push(v);
        }
        if vote.awake() {
            self.awake.push(v);
        }
    }
}

/// Appends a list, which costs nothing if there was none before.
fn append<T>(list: &mut Vec<T>, mut other: Vec<T>) {
    if list.is_empty() { *list = other } else { list.append(&mut other) }
}

/// Lets each receiver compute as soon as its first message comes, which is all that it gets.
///
/// Whoever takes the vertex out of the open ones delivers that message. Vertices that want
/// another one are put back after the superstep.
#[derive(Clone, Copy)]
struct AtOnce<'a, P: VertexCompute>(Outbox<'a, P>);

impl<P: VertexCompute> Receive<P> for AtOnce<'_, P> {
    type Log = Listed<P>;

    fn log(expected: usize) -> Listed<P> {
        // Room for what is usually found, so that the list does not grow step by step.
        Listed { scattering: Vec::with_capacity(expected + expected / 4), ..Listed::new() }
    }

    fn append(log: &mut Listed<P>, other: Listed<P>) {
        log.append(other);
    }

    #[inline(always)]
    unsafe fn deliver<const SHARED: bool>(
        self,
        env: &Env<'_, P>,
        v: VertexId,
        message: Message<P>,
        log: &mut Listed<P>,
    ) {
        // SAFETY: there is a bit for every vertex, which `v` is, as the caller promises.
        if !unsafe { self.0.open.take_unchecked::<SHARED>(v) } {
            return;
        }
        let mut message = Some(message);
        let inbox = P::Combiner::inbox_of_one(&mut message);
        // SAFETY: `v` is a vertex. Only one thread takes it out of the open vertices, and none
        // puts it back before all have finished. Until then nothing else touches its places in
        // the outbox.
        let (vote, wants) = unsafe { env.compute(v, inbox, &self.0, &mut log.tally) };
        if wants {
            log.wanting.push(v);
        }
        // SAFETY: as above.
        unsafe { log.note(env, v, (vote, wants)) };
    }
}
