//! Pull: the messages of 64 vertices whose rows have few edges.

use std::ops::Range;

use super::cut::{FEW, WordRows};
use super::edges::{Edges, Rows};
use super::gather::Signals;
use super::shape::Shape;
use crate::program::{Delivery, Edge, Message, Value, VertexCompute, VertexId};

/// The messages of up to 64 vertices in a row: one for each, and a bit that says whether there is
/// one.
pub(super) struct WordMail<M> {
    messages: [M; 64],
    any: u64,
}

impl<M: Value> WordMail<M> {
    /// The message of the vertex at place `i % 64` of these.
    #[inline(always)]
    pub(super) fn message(&self, i: usize) -> Option<M> {
        (self.any >> (i % 64) & 1 != 0).then(|| self.messages[i % 64])
    }

    /// Gathers for `vertices`, which share a word of a bitmap, while every vertex scatters, if
    /// their rows are known to have few edges: then no branch depends on how many. If signals lie
    /// `far` away, later ones are prefetched.
    #[inline(always)]
    pub(super) fn gather<P: VertexCompute<Combiner: Delivery<Message = M>>>(
        program: &P,
        shape: &Shape<'_, P>,
        signals: impl Signals<P::Signal>,
        vertices: &Range<VertexId>,
        far: bool,
    ) -> Option<Self> {
        match shape.cut.rows(vertices.start as usize / 64) {
            WordRows::Any => None,
            known => {
                if far {
                    shape.gather.first().later(vertices).iter().for_each(|v| signals.prefetch(*v));
                }
                Some(Self::gather_known(program, shape, signals, vertices, known))
            }
        }
    }

    // A function of its own keeps the loops' variables in registers.
    #[inline(never)]
    fn gather_known<P: VertexCompute<Combiner: Delivery<Message = M>>>(
        program: &P,
        shape: &Shape<'_, P>,
        signals: impl Signals<P::Signal>,
        vertices: &Range<VertexId>,
        known: WordRows,
    ) -> Self {
        let rows = *shape.gather.first();
        let mut messages = [P::Combiner::neutral(); 64];
        let (to, vertices) = (&mut messages, vertices.clone());
        let any = match known {
            WordRows::Each(1) => even::<P, 1>(program, &rows, signals, vertices, to),
            WordRows::Each(2) => even::<P, 2>(program, &rows, signals, vertices, to),
            WordRows::Each(3) => even::<P, 3>(program, &rows, signals, vertices, to),
            WordRows::Each(_) => even::<P, FEW>(program, &rows, signals, vertices, to),
            _ => few(program, &rows, signals, vertices, to),
        };
        Self { messages, any }
    }
}

/// Gathers from rows that all have `N` edges. Returns a bit for each vertex that has a message.
#[inline(always)]
fn even<P: VertexCompute, const N: usize>(
    program: &P,
    rows: &Rows<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    vertices: Range<VertexId>,
    messages: &mut [Message<P>; 64],
) -> u64 {
    let start = rows.range(vertices.start).start;
    let edges = rows.edges(start..start + N * vertices.len());
    let mut all = 0;
    for ((i, targets), place) in edges.targets.as_chunks().0.iter().enumerate().zip(messages) {
        let sums = sums::<P, N>(program, targets, edges, i * N, signals);
        let (message, any) = sums[N - 1];
        *place = message;
        all |= u64::from(any) << i;
    }
    all
}

/// The same from rows that have at most [`FEW`] edges, with as many behind them.
#[inline(always)]
fn few<P: VertexCompute>(
    program: &P,
    rows: &Rows<'_, P::Edge>,
    signals: impl Signals<P::Signal>,
    vertices: Range<VertexId>,
    messages: &mut [Message<P>; 64],
) -> u64 {
    let first = rows.range(vertices.start).start;
    let edges = rows.edges(first..rows.range(vertices.end - 1).end + FEW);
    let (mut at, mut all) = (0, 0);
    for ((i, v), place) in vertices.enumerate().zip(messages) {
        let Some(targets) = edges.targets.get(at..).and_then(|rest| rest.first_chunk()) else {
            break;
        };
        let end = rows.range(v).end - first;
        let mut of_first = [(P::Combiner::neutral(), false); FEW + 1];
        of_first[1..].copy_from_slice(&sums::<P, FEW>(program, targets, edges, at, signals));
        let (message, any) = of_first[end.wrapping_sub(at).min(FEW)];
        *place = message;
        all |= u64::from(any) << i;
        at = end;
    }
    all
}

/// The messages of `N` edges, combined in their order: of the first, the first two and so on,
/// and whether there are any. The edges lead to `targets`, and are those of `edges` from `at` on.
#[inline(always)]
fn sums<P: VertexCompute, const N: usize>(
    program: &P,
    targets: &[VertexId; N],
    edges: Edges<'_, P::Edge>,
    at: usize,
    signals: impl Signals<P::Signal>,
) -> [(Message<P>, bool); N] {
    let mut sum = (P::Combiner::neutral(), false);
    std::array::from_fn(|i| {
        // SAFETY: the targets of a row are vertices.
        let signal = unsafe { signals.read(targets[i]) };
        if let Some(message) = program.edge_compute(&signal, Edge::new(edges.value(at + i))) {
            sum = (P::Combiner::merge(sum.0, message), true);
        }
        sum
    })
}
