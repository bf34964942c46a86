//! Message lists of structs, larger than a word.

use core::marker::PhantomData;

use pregel_core::program::{
    Context, Delivery, Direction, Edge, EdgeCompute, Mail, Pod, Program, Sum, VertexCompute,
    VertexId, Vote, Zeroable,
};

use crate::{Record, mix};

/// What one neighbour says to another: 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Letter {
    /// Who wrote it.
    pub from: VertexId,
    /// When.
    pub superstep: u32,
    /// What the sender knew.
    pub text: u64,
}

/// Vertices write letters, some edges lose them, and every receiver reads
/// each one: it counts, sorts (if they do not come so) and notes them, and writes on
/// the paper.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Letters<D> {
    /// Last superstep in which anybody writes.
    until: u32,
    by: PhantomData<fn() -> D>,
}

impl<D> Letters<D> {
    /// Letters are written up to this superstep.
    pub fn new(until: u32) -> Self {
        Self { until, by: PhantomData }
    }
}

/// Of more letters in no order a receiver takes a sum: one thread of a GPU would sort a
/// million for half a minute.
const SORTED_BY_HAND: usize = 4096;

/// How letters come.
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
            match in_order {
                true => {
                    record.add(head);
                    record.add(letter.text);
                }
                false => all = all.wrapping_add(mix(head ^ mix(letter.text))),
            }
            // The paper is the reader's until the call returns.
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
