//! Round by round: every vertex that changed tells its neighbours.
//!
//! When all vertices have something to tell, most of what they tell along most
//! edges will be outdated before long. So first a few rounds use only the
//! first edges of every row, both ways: nearly all vertices then are close to
//! their final state, and one round over all edges settles most of the rest
//! (the neighbour sampling of Afforest: Sutton, Ben-Nun, Barak, IPDPS 2018).

use std::ops::ControlFlow;
use std::time::Instant;

use rayon::prelude::*;

use super::{Live, Present, PresentAll};
use crate::engine::cpu::bitmap::Bitmap;
use crate::engine::cpu::gather::{HubMessages, Signals, combine, gather};
use crate::engine::{Log, StopReason, Strategy, SuperstepReport};
use crate::program::{VertexCompute, VertexId};

/// A round pulls while the changed vertices have more than one in this many
/// of the edges.
const GAMMA: u64 = 8;
/// Fewer edges than this are not worth waking other threads for.
const ALONE: u64 = 1 << 12;
/// Edges of a row that a sampled round uses.
const SAMPLE: usize = 2;
/// Sampled rounds at most.
const SAMPLED_ROUNDS: u32 = 4;
/// Vertices that a thread takes at a time.
const BATCH: usize = 128;

/// Runs until no vertex changes. `changed` are the vertices that scatter
/// first.
pub(in crate::engine::cpu) fn run<P: VertexCompute>(
    live: &Live<'_, P>,
    mut changed: Vec<VertexId>,
    log: &mut Log,
) -> StopReason {
    let shape = live.env.shape;
    let everyone = changed.len() == shape.vertex_count as usize;
    let queued = Bitmap::new(shape.vertex_count);
    let mut round = 0;
    if everyone && shape.edge_count() / u64::from(shape.vertex_count.max(1)) > 4 * SAMPLE as u64 {
        let mut few = false;
        while !few && round < SAMPLED_ROUNDS {
            round += 1;
            let start = Instant::now();
            let active = sample(live);
            few = active < u64::from(shape.vertex_count) / 64;
            let messages = SAMPLE as u64 * 2 * u64::from(shape.vertex_count);
            let (strategy, time) = (Strategy::Push, start.elapsed());
            let step = SuperstepReport { superstep: round, active, messages, strategy, time };
            if log.step(step) == ControlFlow::Break(()) {
                return StopReason::Cancelled;
            }
        }
    }
    while !changed.is_empty() {
        round += 1;
        let start = Instant::now();
        let messages = changed.par_iter().map(|v| shape.scatter_degree(*v)).sum();
        let strategy = match messages > shape.edge_count() / GAMMA {
            true => Strategy::Pull,
            false => Strategy::Push,
        };
        changed = match strategy {
            Strategy::Push => push(live, &changed, messages, &queued),
            _ if everyone => pull(live, PresentAll(live)),
            _ => pull(live, Present(live)),
        };
        let (active, time) = (changed.len() as u64, start.elapsed());
        let step = SuperstepReport { superstep: round, active, messages, strategy, time };
        if log.step(step) == ControlFlow::Break(()) {
            return StopReason::Cancelled;
        }
    }
    StopReason::Halted
}

/// Every vertex exchanges signals with the first few of its neighbours;
/// returns how many changed.
fn sample<P: VertexCompute>(live: &Live<'_, P>) -> u64 {
    let (program, shape) = (live.env.program, live.env.shape);
    let signals = PresentAll(live);
    let visit = |span: &std::ops::Range<VertexId>| {
        let mut changed = 0;
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
    shape.cut.spans.par_iter().map(visit).sum()
}

fn first_edges(row: std::ops::Range<usize>) -> std::ops::Range<usize> {
    row.start..row.end.min(row.start + SAMPLE)
}

/// Every vertex gathers from all that ever scattered; returns the vertices
/// that will scatter.
fn pull<P: VertexCompute>(live: &Live<'_, P>, signals: impl Signals<P::Signal>) -> Vec<VertexId> {
    let (program, shape) = (live.env.program, live.env.shape);
    let wants = |v| program.wants_message(&live.states.load(v));
    let hubs = HubMessages::gather(program, shape, signals, wants);
    let visit = |span: &std::ops::Range<VertexId>| {
        let mut changed = Vec::new();
        for v in span.clone() {
            let mut state = live.states.load(v);
            if !program.wants_message(&state) {
                continue;
            }
            let Some(message) = gather(program, shape, signals, &hubs, v) else { continue };
            let vote = live.compute(v, &mut state, message);
            live.states.store(v, state);
            if vote.scatters() {
                live.sent.insert::<true>(v);
                changed.push(v);
            }
        }
        changed
    };
    let lists: Vec<Vec<VertexId>> = shape.cut.spans.par_iter().map(visit).collect();
    lists.concat()
}

/// Every vertex of `senders` tells its neighbours; returns the vertices that
/// will scatter.
fn push<P: VertexCompute>(
    live: &Live<'_, P>,
    senders: &[VertexId],
    edges: u64,
    queued: &Bitmap,
) -> Vec<VertexId> {
    let merge = |log: &mut Vec<VertexId>, part: Vec<VertexId>| log.extend(part);
    let changed = if edges < ALONE {
        let mut list = Vec::new();
        for v in senders {
            live.send::<false, Vec<VertexId>>(
                *v,
                &mut list,
                |list, v, _| {
                    if queued.insert::<false>(v) {
                        list.push(v);
                    }
                },
                merge,
            );
        }
        list
    } else {
        let batches = senders.par_chunks(BATCH);
        let lists = batches.fold(Vec::new, |mut list, batch| {
            for v in batch {
                live.send::<true, Vec<VertexId>>(
                    *v,
                    &mut list,
                    |list, v, _| {
                        if queued.insert::<true>(v) {
                            list.push(v);
                        }
                    },
                    merge,
                );
            }
            list
        });
        lists.collect::<Vec<_>>().concat()
    };
    changed.iter().for_each(|v| queued.remove::<false>(*v));
    changed
}
