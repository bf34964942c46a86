//! Vertex programs that stress the contract: each uses a part of it that the
//! bundled algorithms leave alone, and keeps a record of what it saw.
//!
//! `no_std` and without `unsafe`, as a GPU wants it.
#![no_std]
#![forbid(unsafe_code)]

mod chatter;
mod gossip;
mod ledger;
mod letters;
mod spread;
mod votes;

pub use chatter::Chatter;
pub use gossip::Gossip;
pub use ledger::Ledger;
pub use letters::Letter;
pub use spread::{Band, Extent, Farthest, Pair, Pulse, Spread, Sums, Trio};
pub use votes::Votes;

use pregel_algos::pagerank::PageRank;
use pregel_core::program::{List, Pod, Sorted, Zeroable};

/// Ranks along edges of different probabilities, teleporting evenly.
pub type PageRankByEdge = PageRank<f32, f32>;
/// Both ways, a combiner of its own.
pub type ExtentBoth = Spread<Extent, 2>;
/// Against the edges, `Max`.
pub type FarthestIn = Spread<Farthest, 1>;
/// Against the edges, no message but that there is one.
pub type PulseIn = Spread<Pulse, 1>;
/// Messages in no order.
pub type Letters = letters::Letters<List<Letter>>;
/// Messages in order.
pub type SortedLetters = letters::Letters<Sorted<Letter>>;
/// Against the edges, two combiners at once.
pub type PairIn = Spread<Pair, 1>;
/// Both ways, `Sum`.
pub type SumsBoth = Spread<Sums, 2>;
/// Along the edges, `Sum`.
pub type SumsOut = Spread<Sums, 0>;
/// Along the edges, three combiners at once.
pub type TrioOut = Spread<Trio, 0>;

/// What a vertex saw: equal fingerprints mean equal messages, supersteps and
/// aggregates, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// How often the vertex computed.
    pub computed: u32,
    /// How often it did so with a message.
    pub woken: u32,
    /// Everything it saw.
    pub fingerprint: u64,
}

impl Record {
    /// Adds what the vertex saw in a superstep.
    pub fn see(&mut self, superstep: u32, message: Option<u64>) {
        self.computed += 1;
        self.woken += u32::from(message.is_some());
        self.add(u64::from(superstep));
        self.add(message.map_or(u64::MAX, |m| m ^ 0x5DEE_CE66));
    }

    /// Adds a number to the fingerprint.
    pub fn add(&mut self, number: u64) {
        self.fingerprint = mix(self.fingerprint ^ number);
    }
}

/// A number that looks random.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB) ^ x >> 33
}
