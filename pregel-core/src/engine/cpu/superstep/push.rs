//! Supersteps that push.

use super::{Memory, dense, outbox, words};
use crate::engine::cpu::bitmap::{each_bit, full};
use crate::engine::cpu::scatter::{Inboxes, Scatter, should_share};
use crate::engine::cpu::vertex::{Env, Outbox, Tally};
use crate::engine::cpu::votes::Votes;
use crate::parallel::{self, Hand, hands};
use crate::program::{Delivery, Law, Monoid, VertexCompute, VertexId};

/// Receivers are listed while they, or the edges to them, are less than 1 / `FEW` of all. Each
/// lies somewhere else in memory: to wait for many of them takes longer than a pass over all
/// vertices.
const FEW: u64 = 16;
/// The same for messages that are sorted by receiver, of which there are at most two for each
/// vertex, so that they need no more memory than other lists.
pub(super) const FEW_SORTED: u64 = 5;
/// With at least this many messages, sorting costs less than threads lose by writing to the same
/// cache lines.
pub(super) const MANY: u64 = 1 << 13;
/// There is a message for this many vertices at least: sorting passes over the bits of all.
const SPARSE: u64 = 16;

impl<P: VertexCompute> Memory<P> {
    /// One superstep by pushing. If `ordered`, the vertices compute in the order of
    /// their ids, so that a rounded aggregate does not vary.
    pub(in crate::engine::cpu) fn push(&mut self, env: &Env<'_, P>, ordered: bool) -> Tally<P> {
        let n = env.shape.vertex_count;
        let ordered = ordered && P::Aggregate::LAW != Law::Exact;
        let free = self.awake.count == 0 && !ordered;
        let (edges, all) = (self.frontier.edges, env.shape.edge_count());
        let shared = should_share(self.frontier.count, edges);
        if free && P::Combiner::MERGE_LAW == Law::Arbitrary {
            let few = edges < all / FEW_SORTED && edges <= 2 * u64::from(n);
            let many = edges >= MANY && edges * SPARSE >= n.into();
            if few && many && shared && self.should_sort(env) {
                return self.push_sorted(env);
            }
            if edges < all / FEW {
                return match self.team() {
                    Some(size) => self.push_by_team(env, size),
                    None => self.push_at_once(env, shared),
                };
            }
        }
        let inboxes = self.inboxes.get_or_insert_with(|| Inboxes::new(n));
        let scatter = Scatter { env, open: &self.open, signals: &self.signals, to: &*inboxes };
        let senders = self.frontier.as_list();
        let mut receivers = Vec::new();
        // SAFETY: the frontier holds vertices of the graph.
        unsafe {
            if shared {
                let mut lists = Vec::new();
                scatter.share(senders, edges, hands(&mut lists));
                lists.iter_mut().for_each(|Hand(list)| receivers.append(list));
            } else {
                scatter.alone(senders, edges, &mut receivers);
            }
        }
        if free && (receivers.len() as u64) < u64::from(n) / FEW {
            return self.compute_listed(env, &receivers);
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
            let parts = parallel::map_chunks(receivers, BATCH, |list| run(list, true));
            parts.into_iter().for_each(|part| all.append(part));
        }
        self.frontier.now_list(&mut all.scattering, all.tally.offered);
        self.awake.replace(std::iter::once(&all.awake[..]));
        std::mem::swap(&mut self.signals, &mut self.next_signals);
        all.tally
    }
}

/// What receivers did that computed in no particular order.
pub(super) struct Listed<P: VertexCompute> {
    pub(super) tally: Tally<P>,
    pub(super) scattering: Vec<VertexId>,
    pub(super) awake: Vec<VertexId>,
}

impl<P: VertexCompute> Listed<P> {
    pub(super) fn new() -> Self {
        Self { tally: Tally::new(), scattering: Vec::new(), awake: Vec::new() }
    }

    /// Keeps only the room for lists.
    pub(super) fn clear(&mut self) {
        self.tally = Tally::new();
        self.scattering.clear();
        self.awake.clear();
    }

    pub(super) fn append(&mut self, other: Self) {
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
