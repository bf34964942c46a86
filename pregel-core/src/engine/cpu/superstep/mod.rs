//! Plain supersteps, with a barrier after each: here those that fill mailboxes, in `pull` and
//! `push` the others.

mod at_once;
mod by_team;
mod pull;
mod push;
#[cfg(test)]
mod tests;

use std::ops::Range;

use self::at_once::Found;
use super::bitmap::{Bitmap, Bits, each_bit, full};
use super::frontier::Frontier;
use super::gather::{Members, collect};
use super::scatter::Inboxes;
use super::sorter::Sorted;
use super::vertex::{Env, Outbox, Tally};
use super::votes::{Awake, VoteList, Votes};
use crate::engine::Saved;
use crate::memory;
use crate::parallel::{self, Hand, hands};
use crate::program::{Context, Delivery, Law, Monoid, VertexCompute, VertexId, Vote};
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
    /// What each thread has found in an earlier superstep, to be filled again.
    found: Vec<Hand<Found<P>>>,
    /// What each thread has sent in one.
    sorted: Vec<Hand<Sorted<P>>>,
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
            found: Vec::new(),
            sorted: Vec::new(),
        }
    }

    /// Whether no vertex would compute in another superstep.
    pub(super) fn halted(&self) -> bool {
        self.frontier.count == 0 && self.awake.count == 0
    }

    /// About how many vertices and edges the next superstep would look at if it pulled, for a
    /// program that needs one message: judged by some of the vertices.
    pub(super) fn looks(&self, env: &Env<'_, P>) -> u64 {
        /// How many.
        const SAMPLE: u64 = 1 << 7;
        /// The most edges to look at for each of them.
        const MOST: usize = 1 << 8;
        let (rows, n) = (env.shape.gather.first(), u64::from(env.shape.vertex_count));
        let sample = || (0..SAMPLE).map(|i| (i * n / SAMPLE) as VertexId);
        let open = || sample().filter(|v| self.open.contains(*v));
        open().for_each(|v| rows.prefetch(v));
        let looks = open().map(|v| {
            let row = rows.edges(rows.range(v)).targets;
            let row = &row[..row.len().min(MOST)];
            // Those that want no message have one, and have sent. Had they done so before the last
            // superstep, then this vertex would want none either.
            let before = row.iter().position(|sender| !self.open.contains(*sender));
            before.unwrap_or(row.len()) as u64 + 2
        });
        looks.sum::<u64>() * n / SAMPLE
    }

    /// Takes out the final states; the next run makes room for its own.
    pub(super) fn take_states(&mut self) -> Vec<P::State> {
        std::mem::take(&mut self.states)
    }

    /// The final states. The memory of all signals is the system's before they are copied.
    pub(super) fn into_states(mut self) -> Vec<P::State> {
        memory::give_back(&mut self.signals);
        memory::give_back(&mut self.next_signals);
        self.states
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
        let count = env.shape.vertex_count as usize;
        // What the last run has left is written over: every vertex begins with a state.
        if self.states.len() != count {
            self.states = parallel::zeroed(count);
        }
        let out = outbox(
            &mut self.states,
            &mut self.next_signals,
            &self.next_frontier.bits,
            &self.next_awake,
            &self.open,
        );
        // Two loops, so that a new run does not ask for each vertex whether it was saved.
        let tally = match saved {
            None => dense(env, |env, span, tally| {
                begin(env, &span, |program, context| program.init(context), &out, tally);
            }),
            Some(saved) => dense(env, |env, span, tally| {
                let first = |_: &P, context: &mut Context<'_, P>| {
                    let vertex = context.vertex() as usize;
                    (saved.states[vertex], saved.votes[vertex])
                };
                begin(env, &span, first, &out, tally);
            }),
        };
        self.turn(&tally);
        tally
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
                let (open, wakes) = (out.open.word(i), awake.word(i, n));
                let may = (open | wakes) & full(&vertices);
                let mut votes = Votes::of(may);
                each_bit(i, may, |v, bit| {
                    mail.clear();
                    if open & bit != 0 {
                        collect(env.program, env.shape, signals, v, &mut mail);
                    }
                    if mail.is_empty() && wakes & bit == 0 {
                        return votes.skip(bit);
                    }
                    let inbox = P::Combiner::inbox_of_all(&mut mail);
                    // SAFETY: spans cover the vertices of the graph and do not overlap.
                    votes.add(bit, unsafe { env.compute(v, inbox, &out, tally) });
                });
                votes.store(&vertices, open, env.shape, &out, tally);
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
    first: impl Fn(&P, &mut Context<'_, P>) -> (P::State, Vote),
    out: &Outbox<'_, P>,
    tally: &mut Tally<P>,
) {
    // What nothing else refers to need not be loaded again after each state.
    let out = *out;
    words(span, |i, vertices| {
        let mut list = VoteList::new();
        let mut begin = |v: VertexId, vertex: VertexId, vote: &mut u8| {
            // SAFETY: spans cover the vertices of the graph and do not overlap, so each vertex
            // is visited once.
            *vote = VoteList::entry(unsafe { env.begin(v, vertex, &first, &out, tally) });
        };
        let votes = vertices.clone().zip(list.places());
        // Two loops, each of which can handle several vertices at a time.
        match env.shape.vertices_at(&vertices) {
            None => votes.for_each(|(v, vote)| begin(v, v, vote)),
            Some(names) => {
                votes.zip(names).for_each(|((v, vote), vertex)| begin(v, *vertex, vote));
            }
        }
        out.open.set_word(i, 0);
        list.votes(full(&vertices)).store(&vertices, 0, env.shape, &out, tally);
    });
}

/// Runs `work` on every span of the graph, in parallel, and adds up the tallies, in the order of the
/// spans if that shows.
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
    if P::Aggregate::LAW == Law::Exact {
        // What few threads have written is read sooner.
        let mut sums: Vec<Hand<Tally<P>>> = Vec::new();
        parallel::each_with(
            hands(&mut sums),
            spans.len(),
            |_| (),
            |sum, i| {
                *sum = sum.and(run(&spans[i]));
            },
        );
        return sums.into_iter().fold(Tally::new(), |sum, Hand(tally)| sum.and(tally));
    }
    let tallies = parallel::map(spans.len(), |i| run(&spans[i]));
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
