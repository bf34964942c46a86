//! One program for every combiner, direction and size of message.

use core::marker::PhantomData;

use pregel_core::program::{
    Any, Array, Context, Direction, Edge, EdgeCompute, Law, Max, Monoid, Nothing, Pod, Program,
    Sum, VertexCompute, Vote, Zeroable,
};

use crate::{Record, mix};

/// A kind of message: how to make one from a number and read it back.
pub trait Kind: Monoid {
    /// The message that represents `number`.
    fn write(number: u64, weight: f32) -> Self::Value;
    /// The whole message as a number.
    fn read(message: &Self::Value) -> u64;
}

/// Vertices send numbers to each other and record what they receive. Some edges carry
/// no message, and some vertices want none for a while.
#[derive(Clone, Copy, Debug)]
pub struct Spread<K, const WAY: u8> {
    /// The last superstep in which a vertex sends.
    pub until: u32,
    /// One in `sparse` vertices sends in superstep 0.
    pub sparse: u32,
    kind: PhantomData<fn() -> K>,
}

impl<K, const WAY: u8> Spread<K, WAY> {
    /// Sends up to superstep `until`, in superstep 0 from one in `sparse` vertices.
    pub fn new(until: u32, sparse: u32) -> Self {
        Self { until, sparse, kind: PhantomData }
    }
}

impl<K: Kind, const WAY: u8> Program for Spread<K, WAY> {
    type Input = ();
    type State = [Record; 3];
    type Signal = u64;
    type Edge = f32;
    type Combiner = K;
    type Aggregate = Nothing;
    const DIRECTION: Direction = match WAY {
        0 => Direction::Out,
        1 => Direction::In,
        _ => Direction::Both,
    };
}

impl<K: Kind, const WAY: u8> EdgeCompute for Spread<K, WAY> {
    fn edge_compute(&self, number: &u64, edge: Edge<f32>) -> Option<K::Value> {
        let number = mix(*number ^ u64::from(edge.value.to_bits()));
        // No message differs from the identity, which wakes its receiver.
        match number % 8 {
            0 => None,
            1 => Some(K::identity()).filter(|_| K::LAW != Law::Arbitrary),
            _ => Some(K::write(number, edge.value)),
        }
    }
}

impl<K: Kind, const WAY: u8> VertexCompute for Spread<K, WAY> {
    fn init(&self, context: &mut Context<'_, Self>) -> ([Record; 3], Vote) {
        let random = mix(u64::from(context.vertex()) + 1);
        let vote =
            if random.is_multiple_of(u64::from(self.sparse)) { Vote::Scatter } else { Vote::Halt };
        ([Record { computed: 0, woken: 0, fingerprint: random }; 3], vote)
    }

    fn vertex_compute(
        &self,
        records: &mut [Record; 3],
        message: Option<K::Value>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let place = context.superstep() as usize % 3;
        records[place].see(context.superstep(), message.as_ref().map(K::read));
        match records[place].fingerprint % 4 {
            _ if context.superstep() > self.until => Vote::Halt,
            0 => Vote::Halt,
            1 => Vote::Continue,
            _ => Vote::Scatter,
        }
    }

    fn signal(&self, records: &[Record; 3], context: &Context<'_, Self>) -> u64 {
        records[context.superstep() as usize % 3].fingerprint
    }

    /// False for about one in 16 values of the first fingerprint.
    fn wants_message(&self, [first, ..]: &[Record; 3]) -> bool {
        first.fingerprint % 16 != 5
    }
}

/// `Max<i64>`, mostly below zero: 8 bytes.
pub type Farthest = Max<i64>;

impl Kind for Farthest {
    fn write(number: u64, _: f32) -> i64 {
        -((number >> 2) as i64)
    }
    fn read(message: &i64) -> u64 {
        *message as u64
    }
}

/// `Sum<u64>`, wrapping: 8 bytes.
pub type Sums = Sum<u64>;

impl Kind for Sums {
    fn write(number: u64, _: f32) -> u64 {
        number
    }
    fn read(message: &u64) -> u64 {
        *message
    }
}

/// Two sums of 32 bits: 8 bytes that an atomic instruction can swap but not add.
pub type Pair = Array<Sum<u32>, 2>;

impl Kind for Pair {
    fn write(number: u64, weight: f32) -> [u32; 2] {
        [number as u32, (number >> 32) as u32 ^ weight as u32]
    }
    fn read([a, b]: &[u32; 2]) -> u64 {
        mix(u64::from(*a) << 32 | u64::from(*b))
    }
}

/// Three sums of 32 bits: 12 bytes, more than any atomic word.
pub type Trio = Array<Sum<u32>, 3>;

impl Kind for Trio {
    fn write(number: u64, weight: f32) -> [u32; 3] {
        [number as u32, (number >> 32) as u32, weight as u32]
    }
    fn read([a, b, c]: &[u32; 3]) -> u64 {
        mix(u64::from(*a) << 32 | u64::from(*b)) ^ u64::from(*c)
    }
}

/// A message of no bytes: only its arrival counts.
pub type Pulse = Any<()>;

impl Kind for Pulse {
    fn write(_: u64, _: f32) {}
    fn read((): &()) -> u64 {
        1
    }
}

/// A monoid that is not built in: smallest value, largest value and count; 24 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Extent;

/// A value of [`Extent`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Band {
    /// Smallest value.
    pub low: i64,
    /// Largest value.
    pub high: i64,
    /// Number of values.
    pub count: u64,
}

impl Monoid for Extent {
    type Value = Band;
    const LAW: Law = Law::Exact;
    fn identity() -> Band {
        Band { low: i64::MAX, high: i64::MIN, count: 0 }
    }
    fn combine(a: Band, b: Band) -> Band {
        Band { low: a.low.min(b.low), high: a.high.max(b.high), count: a.count + b.count }
    }
}

impl Kind for Extent {
    fn write(number: u64, _: f32) -> Band {
        Band { low: number as i64, high: number as i64, count: 1 }
    }
    fn read(band: &Band) -> u64 {
        mix(band.low as u64) ^ band.high as u64 ^ band.count << 7
    }
}
