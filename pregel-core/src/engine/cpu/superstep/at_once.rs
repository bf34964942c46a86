//! Supersteps that push, of programs that need only one message.

use super::push::Listed;
use super::{Memory, outbox};
use crate::engine::cpu::bitmap::Bits;
use crate::engine::cpu::scatter::{Receive, SORTERS, Scatter, is_long};
use crate::engine::cpu::sorter::{Sorted, Sorter};
use crate::engine::cpu::vertex::{Env, Outbox, Tally};
use crate::parallel::{self, Hand, hands};
use crate::program::{Delivery, Message, VertexCompute, VertexId};

/// How many senders show where messages lead to.
const SAMPLE: usize = 64;

impl<P: VertexCompute> Memory<P> {
    /// One superstep by pushing, of a program that needs only one message, while no vertex is
    /// awake: each receiver computes as soon as its message comes. If `shared`, by several threads.
    pub(super) fn push_at_once(&mut self, env: &Env<'_, P>, shared: bool) -> Tally<P> {
        let Self { states, signals, next_signals, frontier, next_frontier, .. } = self;
        let (open, next_awake) = (&self.open, &self.next_awake);
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let scatter = Scatter { env, open, signals, to };
        let (edges, senders) = (frontier.edges, frontier.as_list());
        let found = hands(&mut self.found);
        if shared {
            // SAFETY: the frontier holds vertices of the graph.
            unsafe { scatter.share(senders, edges, found) };
            let count = found.len();
            return self.now_found(count);
        }
        let Hand(found) = &mut found[0];
        // SAFETY: as above.
        unsafe { scatter.alone(senders, edges, found) };
        let tally = self.sum_found(1);
        let Hand(found) = &mut self.found[0];
        self.frontier.now_list(&mut found.listed.scattering, tally.offered);
        tally
    }

    /// Adds up what each of `count` threads has found, and goes to the next superstep but for the
    /// frontier.
    fn sum_found(&mut self, count: usize) -> Tally<P> {
        let found = &mut self.found[..count];
        let tally = found.iter().fold(Tally::new(), |sum, Hand(found)| sum.and(found.listed.tally));
        found.iter_mut().for_each(|Hand(found)| found.reopen(&self.open));
        self.awake.replace(found.iter().map(|Hand(found)| &found.listed.awake[..]));
        std::mem::swap(&mut self.signals, &mut self.next_signals);
        tally
    }

    /// Goes to the next superstep after one in which each of `count` threads has listed what it
    /// found.
    pub(super) fn now_found(&mut self, count: usize) -> Tally<P> {
        let tally = self.sum_found(count);
        self.frontier.now_parts(count, |parts| {
            for (part, Hand(found)) in parts.iter_mut().zip(&mut self.found) {
                std::mem::swap(&mut part.list, &mut found.listed.scattering);
                part.edges = found.listed.tally.offered;
            }
        });
        tally
    }

    /// The same as [`push_at_once`](Self::push_at_once) by several threads, but receivers compute
    /// once all messages are sorted by receiver.
    pub(super) fn push_sorted(&mut self, env: &Env<'_, P>) -> Tally<P> {
        let Self { states, signals, next_signals, frontier, next_frontier, .. } = self;
        let (open, next_awake) = (&self.open, &self.next_awake);
        let to = AtOnce(outbox(states, next_signals, &next_frontier.bits, next_awake, open));
        let sorter = Sorter::new(env.shape.vertex_count);
        let scatter = Scatter { env, open, signals, to: sorter };
        let (edges, senders) = (frontier.edges, frontier.as_list());
        let (sorted, found) = (hands(&mut self.sorted), hands(&mut self.found));
        // SAFETY: the frontier holds vertices of the graph.
        unsafe {
            scatter.share(senders, edges, sorted);
            to.deliver_sorted(env, sorter, sorted, found);
        }
        let count = found.len();
        let tally = self.sum_found(count);
        self.next_frontier.now_bits(tally.scattering, tally.offered);
        std::mem::swap(&mut self.frontier, &mut self.next_frontier);
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
            if let Some(target) = row.get(i * row.len() / SAMPLE) {
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
    /// Delivers messages that are sorted, and notes who scatters as bits. No two threads change the
    /// same words, and what receivers read and write lies close together.
    ///
    /// # Safety
    /// The receivers must be vertices of the graph.
    unsafe fn deliver_sorted(
        self,
        env: &Env<'_, P>,
        sorter: Sorter,
        sorted: &[Hand<Sorted<P>>],
        found: &mut [Hand<Found<P>>],
    ) {
        let scattering = self.0.scattering;
        let begin = |found: &mut Found<P>| self.begin(found);
        parallel::each_with(found, sorter.ranges(), begin, |found, range| {
            let of_range = || sorted.iter().map(|Hand(sorted)| sorted.range(range));
            found.listed.scattering.reserve(of_range().map(<[_]>::len).sum());
            if !env.shape.cancelled() {
                for messages in of_range() {
                    let (count, messages) = (messages.len(), messages.iter().copied());
                    // SAFETY: the caller's promise. Ranges have no word of a bitmap in common.
                    unsafe { self.deliver::<false>(env, messages, count, found) };
                }
            }
            sorter.words(range, env.shape.vertex_count).for_each(|i| scattering.set_word(i, 0));
            for v in found.listed.scattering.drain(..) {
                scattering.insert::<false>(v);
            }
        });
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

impl<P: VertexCompute> Default for Found<P> {
    fn default() -> Self {
        Self { listed: Listed::new(), wanting: Vec::new(), inbox: Vec::new() }
    }
}

impl<P: VertexCompute> Found<P> {
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

    fn begin(self, log: &mut Found<P>) {
        log.listed.clear();
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
