//! Vertex programs that stress the contract: each uses a part of it that the bundled
//! algorithms do not, and records what it saw.
//!
//! `no_std` and without `unsafe`, as programs for a GPU must be.
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

/// PageRank along edges with probabilities, teleporting evenly.
pub type PageRankByEdge = PageRank<f32, f32>;
/// In both directions, with a combiner of its own.
pub type ExtentBoth = Spread<Extent, 2>;
/// Against the edges, with `Max`.
pub type FarthestIn = Spread<Farthest, 1>;
/// Against the edges, with messages that have no content.
pub type PulseIn = Spread<Pulse, 1>;
/// Message lists in any order.
pub type Letters = letters::Letters<List<Letter>>;
/// Message lists in order.
pub type SortedLetters = letters::Letters<Sorted<Letter>>;
/// Against the edges, with two combiners at once.
pub type PairIn = Spread<Pair, 1>;
/// In both directions, with `Sum`.
pub type SumsBoth = Spread<Sums, 2>;
/// Along the edges, with `Sum`.
pub type SumsOut = Spread<Sums, 0>;
/// Along the edges, with three combiners at once.
pub type TrioOut = Spread<Trio, 0>;

/// What a vertex saw. Equal fingerprints mean that it saw the same supersteps, messages
/// and aggregates, in the same order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Record {
    /// How often the vertex computed.
    pub computed: u32,
    /// How often it did so with a message.
    pub woken: u32,
    /// A hash of everything that the vertex saw.
    pub fingerprint: u64,
}

impl Record {
    /// Records a superstep and the message that arrived in it, if one did.
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

/// A hash of `x`.
pub fn mix(x: u64) -> u64 {
    let x = (x ^ x >> 31).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (x ^ x >> 27).wrapping_mul(0x94D0_49BB_1331_11EB) ^ x >> 33
}
