//! In rounds: in each, all vertices that changed send to their neighbours.
//!
//! If all vertices send at first, most of what they send is outdated soon. So a
//! few rounds use only the first edges of every row, both ways. After these nearly
//! all vertices are close to their final state, and one round along all edges
//! settles most of the others (the neighbour sampling of Afforest: Sutton,
//! Ben-Nun, Barak, IPDPS 2018).

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use super::{LONG, Live, Present, PresentAll};
use crate::engine::cpu::bitmap::Bitmap;
use crate::engine::cpu::gather::{HubMessages, Signals, combine, gather};
use crate::engine::cpu::shape::Shape;
use crate::engine::options::LAST;
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::parallel;
use crate::program::{Program, VertexCompute, VertexId};

/// A round pulls while the changed vertices have more than 1 / `GAMMA` of the
/// edges.
const GAMMA: u64 = 8;
/// With fewer edges than this, waking other threads does not pay.
const ALONE: u64 = 1 << 12;
/// Edges per row that a sampled round uses.
const SAMPLE: usize = 2;
/// The most sampled rounds.
const SAMPLED_ROUNDS: u32 = 4;
/// Vertices that a thread takes at a time.
const BATCH: usize = 128;
/// Messages along each edge after which a program that has priorities goes by them: the graph
/// is so deep that most of what vertices send in rounds is outdated later.
const PATIENCE: u64 = 4;

/// A run in rounds.
#[derive(Default)]
pub(super) struct Rounds {
    /// The vertices that send next.
    changed: Vec<VertexId>,
    /// Whether every vertex scattered in superstep 0.
    everyone: bool,
    /// How many sampled rounds may follow.
    samples: u32,
    /// Vertices that are listed in a round; empty between rounds.
    queued: Bitmap,
    /// Messages that may be sent before the rest is better done by priority.
    patience: u64,
}

impl Rounds {
    /// `changed` are the vertices that scatter first.
    pub(super) fn new<P: Program>(
        shape: &Shape<'_, P>,
        changed: Vec<VertexId>,
        has_priority: bool,
    ) -> Self {
        let n = shape.vertex_count;
        let everyone = changed.len() == n as usize;
        let dense = shape.edge_count() / u64::from(n.max(1)) > 4 * SAMPLE as u64;
        let samples = if everyone && dense { SAMPLED_ROUNDS } else { 0 };
        let patience = if has_priority { PATIENCE * shape.edge_count() } else { u64::MAX };
        Self { changed, everyone, samples, queued: Bitmap::new(n), patience }
    }

    /// Takes out the vertices that have a change to send if the rest is better done by
    /// priority.
    pub(super) fn give_up(&mut self) -> Option<Vec<VertexId>> {
        (self.patience == 0).then(|| std::mem::take(&mut self.changed))
    }

    /// The vertices that have a change to send.
    pub(super) fn pending(&self) -> &[VertexId] {
        &self.changed
    }

    /// Runs up to `at_most` rounds, the first with number `next`, unless patience ends first.
    /// Returns why the run ends, if it does.
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
            if self.changed.is_empty() {
                return Some(StopReason::Halted);
            }
            if self.patience == 0 {
                return None;
            }
            if *next > LAST {
                return Some(StopReason::Limit);
            }
            let start = Instant::now();
            let (strategy, active, messages) =
                if self.samples > 0 { self.sampled(live) } else { self.full(live) };
            if self.patience < u64::MAX {
                self.patience = self.patience.saturating_sub(messages);
            }
            let (superstep, time) = (*next, start.elapsed());
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
        self.changed.is_empty().then_some(StopReason::Halted)
    }

    /// A round over the first edges of every row. Returns how messages travelled, how many
    /// vertices changed, and how many messages there were.
    fn sampled<P: VertexCompute>(&mut self, live: &Live<'_, P>) -> (Strategy, u64, u64) {
        let n = u64::from(live.env.shape.vertex_count);
        let active = sample(live);
        self.samples = if active < n / 64 { 0 } else { self.samples - 1 };
        (Strategy::Push, active, SAMPLE as u64 * 2 * n)
    }

    /// A round over all edges; returns the same.
    fn full<P: VertexCompute>(&mut self, live: &Live<'_, P>) -> (Strategy, u64, u64) {
        let shape = live.env.shape;
        let sum = |part: &[VertexId]| part.iter().map(|v| shape.scatter_degree(*v)).sum::<u64>();
        let messages = parallel::map_chunks(&self.changed, 1 << 12, sum).into_iter().sum();
        let pulls = messages > shape.edge_count() / GAMMA;
        let strategy = if pulls { Strategy::Pull } else { Strategy::Push };
        self.changed = match strategy {
            Strategy::Push => push(live, &self.changed, messages, &self.queued),
            _ if self.everyone => pull(live, PresentAll(live)),
            _ => pull(live, Present(live)),
        };
        (strategy, self.changed.len() as u64, messages)
    }
}

/// Lets every vertex exchange signals with the first few of its neighbours;
/// returns how many changed.
fn sample<P: VertexCompute>(live: &Live<'_, P>) -> u64 {
    let visit = |live: &Live<'_, P>, span: &Range<VertexId>| {
        let (program, shape) = (live.env.program, live.env.shape);
        let signals = PresentAll(live);
        let mut changed = 0;
        if shape.cancelled() {
            return changed;
        }
        for v in span.clone() {
            for rows in &shape.scatter {
                let signal = live.signal(v, &live.states.load(v));
                let edges = rows.edges(first_edges(rows.range(v)));
                live.edges::<true, u64>(&signal, edges, &mut changed, |n, _, _| *n += 1);
            }
            for rows in &shape.gather {
                let edges = rows.edges(first_edges(rows.range(v)));
                let Some(message) = combine(program, edges, signals).message() else { continue };
                let vote =
                    live.states.update::<true, _>(v, |state| live.compute(v, state, message));
                changed += u64::from(vote.scatters());
            }
        }
        changed
    };
    let spans = &live.env.shape.cut.spans;
    let counts = parallel::map(spans.len(), |i| live.locally(|live| visit(live, &spans[i])));
    counts.into_iter().sum()
}

fn first_edges(row: Range<usize>) -> Range<usize> {
    row.start..row.end.min(row.start + SAMPLE)
}

/// Lets every vertex gather from all that have scattered so far; returns the
/// vertices that will scatter.
fn pull<P: VertexCompute>(live: &Live<'_, P>, signals: impl Signals<P::Signal>) -> Vec<VertexId> {
    let (program, shape) = (live.env.program, live.env.shape);
    let wants = |v| program.wants_message(&live.states.load(v));
    let hubs = HubMessages::gather(program, shape, signals, wants);
    let visit = |span: &Range<VertexId>| {
        let mut changed = Vec::new();
        if shape.cancelled() {
            return changed;
        }
        for v in span.clone() {
            let mut state = live.states.load(v);
            if !program.wants_message(&state) {
                continue;
            }
            // SAFETY: spans cover the vertices of the graph.
            let message = unsafe { gather(program, shape, signals, &hubs, v) };
            let Some(message) = message else { continue };
            let vote = live.compute(v, &mut state, message);
            live.states.store(v, state);
            if vote.scatters() {
                live.sent.insert::<true>(v);
                changed.push(v);
            }
        }
        changed
    };
    let spans = &shape.cut.spans;
    parallel::map(spans.len(), |i| visit(&spans[i])).concat()
}

/// Lets every vertex of `senders` send to its neighbours; returns the vertices that
/// will scatter.
fn push<P: VertexCompute>(
    live: &Live<'_, P>,
    senders: &[VertexId],
    edges: u64,
    queued: &Bitmap,
) -> Vec<VertexId> {
    let changed = if edges < ALONE {
        let mut list = Vec::new();
        for v in senders {
            send::<P, false>(live, *v, &mut list, queued);
        }
        list
    } else {
        let parts = parallel::map_chunks(senders, BATCH, |batch| {
            let (mut list, mut long) = (Vec::new(), Vec::new());
            let batch = if live.env.shape.cancelled() { &[] } else { batch };
            for &v in batch {
                if live.env.shape.scatter_degree(v) > LONG {
                    long.push(v);
                } else {
                    send::<P, true>(live, v, &mut list, queued);
                }
            }
            (list, long)
        });
        let (mut lists, long): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let segments = live.segments(long.into_iter().flatten());
        lists.extend(parallel::map(segments.len(), |i| {
            let mut list = Vec::new();
            live.send_segment(&segments[i], &mut list, |list, v, _| {
                note::<P, true>(live, v, list, queued);
            });
            list
        }));
        lists.concat()
    };
    changed.iter().for_each(|v| queued.remove::<false>(*v));
    changed
}

/// Lets `v` send to its neighbours, and lists those that will scatter.
#[inline(always)]
fn send<P: VertexCompute, const SHARED: bool>(
    live: &Live<'_, P>,
    v: VertexId,
    list: &mut Vec<VertexId>,
    queued: &Bitmap,
) {
    live.send::<SHARED, _>(v, &live.states.load(v), list, |list, v, _| {
        note::<P, SHARED>(live, v, list, queued);
    });
}

/// Lists `v`, which will scatter, unless it is listed.
#[inline(always)]
fn note<P: VertexCompute, const SHARED: bool>(
    live: &Live<'_, P>,
    v: VertexId,
    list: &mut Vec<VertexId>,
    queued: &Bitmap,
) {
    live.sent.insert::<SHARED>(v);
    if queued.insert::<SHARED>(v) {
        list.push(v);
    }
}
