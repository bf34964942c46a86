//! The kernels of the roster's programs, for the emulator.

use pregel_algos::betweenness::{Accumulate, CountPaths};
use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::kcore::KCore;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::pagerank::PageRank;
use pregel_algos::scc::{Collect, Colour, Trim};
use pregel_algos::sssp::{Sssp, SsspTree};
use pregel_core::engine::gpu::Images;
use pregel_emulator::Kernels;
use pregel_emulator::{export, graph};

use pregel_test_programs::{
    Chatter, Extent, Farthest, Gossip, Ledger, Letters, Pair, Pulse, SortedLetters, Spread, Sums,
    Trio, Votes,
};

macro_rules! programs {
    ($($name:ident: $program:ty;)+) => {
        $(export!($name: $program);)+

        /// The kernels of all programs.
        pub fn images() -> Images<Kernels> {
            Images::new().graph(graph::KERNELS)$(.program::<$program>(stringify!($name), $name::KERNELS))+
        }
    };
}

programs! {
    betweenness_count: CountPaths;
    betweenness_accumulate: Accumulate;
    bfs: Bfs;
    bfs_tree: BfsTree;
    bfs_from_many: BfsFromMany;
    sssp: Sssp;
    sssp_tree: SsspTree;
    sssp_from_many: SsspFromMany;
    hcc: Hcc;
    kcore: KCore;
    scc_collect: Collect;
    scc_colour: Colour;
    scc_sinks: Trim<true>;
    scc_sources: Trim<false>;
    cdlp: Cdlp;
    pagerank_f32: PageRank<f32>;
    pagerank_f64: PageRank<f64>;
    pagerank_weighted: PageRank<f32, f32>;
    pagerank_personalised: PageRank<f64, f64, f64>;
    votes: Votes;
    chatter: Chatter;
    gossip: Gossip;
    ledger: Ledger;
    letters: Letters;
    sorted_letters: SortedLetters;
    farthest_in: Spread<Farthest, 1>;
    sums_both: Spread<Sums, 2>;
    sums_out: Spread<Sums, 0>;
    pair_in: Spread<Pair, 1>;
    trio_out: Spread<Trio, 0>;
    extent_both: Spread<Extent, 2>;
    pulse_in: Spread<Pulse, 1>;
}
