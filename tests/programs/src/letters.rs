//! Message lists of structs, larger than a word.

use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, List, Mail, Pod, Program, Sum, VertexCompute, VertexId,
    Vote, Zeroable,
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
/// each one: it counts, sorts and notes them, and writes on the paper.
#[derive(Clone, Copy, Debug)]
pub struct Letters {
    /// Last superstep in which anybody writes.
    pub until: u32,
}

impl Program for Letters {
    type Input = ();
    type State = Record;
    type Signal = Letter;
    type Edge = f32;
    type Combiner = List<Letter>;
    /// Letters received.
    type Aggregate = Sum<u64>;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for Letters {
    fn edge_compute(&self, letter: &Letter, edge: Edge<f32>) -> Option<Letter> {
        let text = letter.text ^ u64::from(edge.value.to_bits());
        (!mix(text).is_multiple_of(4)).then_some(Letter { text, ..*letter })
    }
}

impl VertexCompute for Letters {
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
        mail.sort();
        for i in 0..mail.len() {
            let letter = mail.get(i);
            record.add(u64::from(letter.from) << 32 | u64::from(letter.superstep));
            record.add(letter.text);
            // The paper is the reader's until the call returns.
            mail.set(i, Letter { text: 0, ..letter });
        }
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
