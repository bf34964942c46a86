//! Message lists of structs, larger than a word.

use core::marker::PhantomData;

use pregel_core::program::{
    Context, Delivery, Direction, Edge, EdgeCompute, Mail, Pod, Program, Sum, VertexCompute,
    VertexId, Vote, Zeroable,
};

use crate::{Record, mix};

/// A message of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Letter {
    /// The sender.
    pub from: VertexId,
    /// The superstep in which it was sent.
    pub superstep: u32,
    /// The sender's fingerprint.
    pub text: u64,
}

/// Vertices send letters, some of which edges lose. A receiver counts its letters,
/// sorts them unless they arrive sorted, records each, and overwrites it.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Letters<D> {
    /// The last superstep in which a vertex sends.
    until: u32,
    by: PhantomData<fn() -> D>,
}

impl<D> Letters<D> {
    /// Letters are sent up to this superstep.
    pub fn new(until: u32) -> Self {
        Self { until, by: PhantomData }
    }
}

/// A receiver adds up more unsorted letters than this instead of sorting them: one
/// thread of a GPU would take half a minute to sort a million.
const SORTED_BY_HAND: usize = 4096;

/// A list of letters, sorted or not.
pub trait Post: for<'a> Delivery<Message = Letter, Inbox<'a> = Mail<'a, Letter>> {}

impl<D> Post for D where D: for<'a> Delivery<Message = Letter, Inbox<'a> = Mail<'a, Letter>> {}

impl<D: Post> Program for Letters<D> {
    type Input = ();
    type State = Record;
    type Signal = Letter;
    type Edge = f32;
    type Combiner = D;
    /// Letters received.
    type Aggregate = Sum<u64>;
    const DIRECTION: Direction = Direction::Both;
}

impl<D: Post> EdgeCompute for Letters<D> {
    fn edge_compute(&self, letter: &Letter, edge: Edge<f32>) -> Option<Letter> {
        let text = letter.text ^ u64::from(edge.value.to_bits());
        (!mix(text).is_multiple_of(4)).then_some(Letter { text, ..*letter })
    }
}

impl<D: Post> VertexCompute for Letters<D> {
    fn init(&self, context: &mut Context<'_, Self>) -> (Record, Vote) {
        let fingerprint = mix(u64::from(context.vertex()));
        let vote = if fingerprint.is_multiple_of(3) { Vote::Halt } else { Vote::Scatter };
        (Record { computed: 0, woken: 0, fingerprint }, vote)
    }

    fn vertex_compute(
        &self,
        record: &mut Record,
        mut mail: Mail<'_, Letter>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        context.contribute(mail.len() as u64);
        let some = (!mail.is_empty()).then_some(mail.len() as u64);
        record.see(context.superstep(), some);
        let in_order = D::SORTED || mail.len() <= SORTED_BY_HAND;
        if in_order && !D::SORTED {
            mail.sort();
        }
        let mut all = 0u64;
        for i in 0..mail.len() {
            let letter = mail.get(i);
            let head = u64::from(letter.from) << 32 | u64::from(letter.superstep);
            if in_order {
                record.add(head);
                record.add(letter.text);
            } else {
                all = all.wrapping_add(mix(head ^ mix(letter.text)));
            }
            // The receiver may write to its messages until the call returns.
            mail.set(i, Letter { text: 0, ..letter });
        }
        record.add(all);
        match record.fingerprint % 8 {
            _ if context.superstep() > self.until => Vote::Halt,
            0 | 1 => Vote::Halt,
            2 => Vote::Wait,
            3 => Vote::Continue,
            _ => Vote::Scatter,
        }
    }

    fn signal(&self, record: &Record, context: &Context<'_, Self>) -> Letter {
        let (from, superstep) = (context.vertex(), context.superstep());
        Letter { from, superstep, text: record.fingerprint }
    }
}
