//! Supersteps that push, of programs that need only one message.

use super::push::Listed;
use super::{Memory, outbox};
use crate::engine::cpu::bitmap::Bits;
use crate::engine::cpu::scatter::{Receive, Scatter, is_long};
use crate::engine::cpu::sorter::{Sorted, Sorter};
use crate::engine::cpu::vertex::{Env, Outbox, Tally};
use crate::parallel;
use crate::program::{Delivery, Message, VertexCompute, VertexId};

/// With fewer threads than this, messages of long rows are not sorted.
const SORTERS: usize = 5;
/// How many senders show where messages lead to.
const SAMPLE: usize = 64;

impl<P: VertexCompute> Memory<P> {
    /// One superstep by pushing, of a program that needs only one message, while no vertex is
    /// awake: each receiver computes as soon as its message comes.
    pub(super) fn push_at_once(&mut self, env: &Env<'_, P>, parts: u64) -> Tally<P> {
        let Self {
            states,
            signals,
            next_signals,
            frontier,
            next_frontier,
            next_awake,
            open,
            found,
            ..
        } = self;
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let edges = frontier.edges;
        let senders = frontier.as_list();
        let mut found = found.take().unwrap_or_else(|| Box::new(Found::new(0)));
        // SAFETY: the frontier holds vertices of the graph.
        unsafe {
            if parts > 1 {
                *found = Scatter { env, open, signals, to }.share(senders, edges, parts);
            } else {
                found.listed.clear();
                Scatter { env, open, signals, to }.alone(senders, edges, &mut found);
            }
        }
        found.reopen(open);
        let tally = self.now_listed(&mut found.listed);
        self.found = Some(found);
        tally
    }

    /// The same, but receivers compute once all messages are sorted by receiver.
    pub(super) fn push_sorted(&mut self, env: &Env<'_, P>, parts: u64) -> Tally<P> {
        let Self {
            states, signals, next_signals, frontier, next_frontier, next_awake, open, ..
        } = self;
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let sorter = Sorter::new(env.shape.vertex_count);
        let edges = frontier.edges;
        let scatter = Scatter { env, open, signals, to: sorter };
        // SAFETY: the frontier holds vertices of the graph.
        let mut parts = unsafe {
            let messages = scatter.share(frontier.as_list(), edges, parts);
            to.deliver_sorted(env, sorter, &messages)
        };
        let mut tally = Tally::new();
        for part in &mut parts {
            tally = tally.and(part.listed.tally);
            part.reopen(open);
        }
        self.now_awake(parts.iter().map(|part| &part.listed.awake[..]));
        self.next_frontier.now_bits(tally.scattering, tally.offered);
        std::mem::swap(&mut self.frontier, &mut self.next_frontier);
        std::mem::swap(&mut self.signals, &mut self.next_signals);
        tally
    }

    /// Whether sorting messages by receiver pays. The frontier must not be empty.
    pub(super) fn should_sort(&mut self, env: &Env<'_, P>) -> bool {
        let (count, edges) = (self.frontier.count, self.frontier.edges);
        // Many messages of long rows lead to the same vertices. Sorted, each is kept; otherwise all
        // but the first are left out, for which few threads seldom meet at a cache line.
        if is_long(count, edges) && rayon::current_num_threads() < SORTERS {
            return false;
        }
        // If nearly all lead to one range, as in a site of a web crawl, its owner does all the work.
        let (sorter, rows) = (Sorter::new(env.shape.vertex_count), env.shape.scatter.first());
        let senders = self.frontier.as_list();
        let mut counts = [0; Sorter::MOST];
        for i in 0..SAMPLE {
            let row = &rows.targets[rows.range(senders[i * senders.len() / SAMPLE])];
            if let Some(target) = row.get(row.len() / 2) {
                counts[sorter.range_of(*target)] += 1;
            }
        }
        counts.into_iter().all(|count| count <= SAMPLE * 7 / 8)
    }
}

/// Lets each receiver compute as soon as its first message comes, which is all that it gets.
///
/// Whoever takes the vertex out of the open ones delivers that message. Vertices that want
/// another one are put back after the superstep. The receivers of a batch of messages are
/// collected and compute one after another: their states are on the way by then, and no branch
/// depends on who came first.
#[derive(Clone, Copy)]
pub(super) struct AtOnce<'a, P: VertexCompute>(pub(super) Outbox<'a, P>);

impl<P: VertexCompute> AtOnce<'_, P> {
    /// Delivers messages that are sorted, and notes who scatters. No two threads change the same
    /// words, and what receivers read and write lies close together.
    ///
    /// # Safety
    /// The receivers must be vertices of the graph.
    unsafe fn deliver_sorted(
        self,
        env: &Env<'_, P>,
        sorter: Sorter,
        sorted: &Sorted<P>,
    ) -> Vec<Found<P>> {
        let scattering = self.0.scattering;
        parallel::map(sorter.ranges(), |range| {
            let count = sorted.range(range).map(<[_]>::len).sum();
            let mut found = Found::new(0);
            found.listed.scattering.reserve(count);
            if !env.shape.cancelled() {
                for messages in sorted.range(range) {
                    let (count, messages) = (messages.len(), messages.iter().copied());
                    // SAFETY: the caller's promise. Ranges have no word of a bitmap in common.
                    unsafe { self.deliver::<false>(env, messages, count, &mut found) };
                }
            }
            sorter.words(range, env.shape.vertex_count).for_each(|i| scattering.set_word(i, 0));
            for v in std::mem::take(&mut found.listed.scattering) {
                scattering.insert::<false>(v);
            }
            found
        })
    }
}

/// How many of the vertices found have their rows prefetched: they are likely to send next, and
/// until then the rows stay in the second-level cache.
const SOON: usize = 1024;

/// What a thread notes of these receivers.
pub(super) struct Found<P: VertexCompute> {
    pub(super) listed: Listed<P>,
    /// Those that want messages again.
    wanting: Vec<VertexId>,
    /// Room for those that will compute next, and their messages.
    inbox: Vec<(VertexId, Message<P>)>,
}

impl<P: VertexCompute> Found<P> {
    /// `expected` is about how many vertices it will list.
    pub(super) fn new(expected: usize) -> Self {
        // Room for what is usually found, so that the list does not grow step by step.
        let listed = Listed::new(expected + expected / 4);
        Self { listed, wanting: Vec::new(), inbox: Vec::new() }
    }

    fn append(&mut self, mut other: Self) {
        self.listed.append(other.listed);
        self.wanting.append(&mut other.wanting);
    }

    /// Puts the vertices that want messages again back among the open ones.
    pub(super) fn reopen(&mut self, open: &Bits) {
        for v in self.wanting.drain(..) {
            open.insert::<false>(v);
        }
    }

    /// Computes the first `pending` vertices of the inbox.
    ///
    /// # Safety
    /// They must be vertices of the graph, and no other thread may touch their places in the
    /// outbox.
    // A function of its own keeps the loop's variables in registers.
    #[inline(never)]
    unsafe fn compute(&mut self, env: &Env<'_, P>, pending: usize, out: Outbox<'_, P>) {
        let Self { listed: Listed { tally: all, scattering, awake }, wanting, inbox } = self;
        let (mut tally, mut scatters) = (Tally::new(), scattering.len());
        let soon = scatters < SOON;
        scattering.resize(scatters + pending, 0);
        env.locally(|env| {
            for &(v, message) in &inbox[..pending] {
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
        scattering.truncate(scatters);
        *all = all.and(tally);
    }
}

impl<P: VertexCompute> Receive<P> for AtOnce<'_, P> {
    type Log = Found<P>;

    fn log(expected: usize) -> Found<P> {
        Found::new(expected)
    }

    fn append(log: &mut Found<P>, other: Found<P>) {
        log.append(other);
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
        unsafe { log.compute(env, pending, out) };
    }
}
