//! The programs that every engine has to run; a program joins by one line.

use std::sync::OnceLock;

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::kcore::KCore;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::{Sssp, SsspTree};
use pregel_core::engine::Cpu;
use pregel_core::engine::gpu::Gpu;
use pregel_emulator::Emulator;

use crate::entry::{
    bfs_tree, from_many, from_sources, once, plain, probable, ranks, sssp_tree, teleport, weighted,
};
use crate::suite::{Contender, Entry, Trial, check};
use crate::zoo;
use pregel_test_programs::{
    Chatter, Extent, Farthest, Gossip, Ledger, Letters, Pair, Pulse, SortedLetters, Spread, Sums,
    Trio, Votes,
};

/// The roster. `programs!(define)` defines the trials of every program in this
/// module; `programs!([sampled, contender])` defines one test per program.
///
/// A line reads `name: type = entry`, where the entry gives the kind of graph, the
/// parameters, the superstep limit and the judge.
#[macro_export]
macro_rules! programs {
    ($what:tt) => {
        $crate::program!($what bfs: Bfs = Entry::new(plain, |g| from_sources(g, |source| Bfs { source })));
        $crate::program!($what bfs_with_tree: BfsTree = Entry::new(plain, |g| from_sources(g, |source| BfsTree { source })).judge(bfs_tree));
        $crate::program!($what sssp: Sssp = Entry::new(weighted, |g| from_sources(g, |source| Sssp { source })));
        $crate::program!($what sssp_with_tree: SsspTree = Entry::new(weighted, |g| from_sources(g, |source| SsspTree { source })).judge(sssp_tree));
        $crate::program!($what bfs_from_many: BfsFromMany = Entry::new(plain, from_many));
        $crate::program!($what sssp_from_many: SsspFromMany = Entry::new(weighted, from_many));
        $crate::program!($what hcc: Hcc = Entry::new(plain, |_| once(Hcc)));
        $crate::program!($what kcore: KCore = Entry::new(plain, |_| once(KCore)));
        $crate::program!($what cdlp: Cdlp = Entry::new(plain, |_| once(Cdlp)).limit(12));
        $crate::program!($what pagerank_f32: PageRank<f32> = Entry::new(plain, |_| once(PageRank::new(0.85, 0.0))).limit(10).judge(ranks));
        $crate::program!($what pagerank_f64: PageRank<f64> = Entry::new(plain, |_| once(PageRank::new(0.85, 0.0))).limit(10).judge(ranks));
        $crate::program!($what pagerank_weighted: PageRank<f32, f32> = Entry::new(probable, |_| once(PageRank::new(0.5, 0.0))).limit(7).judge(ranks));
        $crate::program!($what pagerank_personalised: PageRank<f64, f64, f64> = Entry::new(probable, |g| vec![(PageRank::new(0.9, 0.0), teleport(g.vertex_count()))]).limit(7).judge(ranks));
        $crate::program!($what votes_without_messages: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 1 })));
        $crate::program!($what votes_with_messages: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })));
        $crate::program!($what votes_cut_short: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })).limit(4));
        $crate::program!($what votes_on_init_alone: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })).limit(0));
        $crate::program!($what absorbing_or: Gossip = Entry::new(plain, |_| once(Gossip { omniscient: 97 })));
        $crate::program!($what absorbing_or_often: Gossip = Entry::new(plain, |_| once(Gossip { omniscient: 3 })));
        $crate::program!($what aggregates_and_inputs: Ledger = Entry::new(plain, |g| vec![(Ledger { target: 0 }, (0..g.vertex_count()).map(|v| v * 77 % 1013).collect())]).limit(8));
        $crate::program!($what convergence: Ledger = Entry::new(plain, |g| vec![(Ledger { target: 5 }, vec![3; g.vertex_count() as usize])]).limit(25));
        $crate::program!($what everybody_talks: Chatter = Entry::new(plain, |_| once(Chatter { silent: 0 })).limit(9));
        $crate::program!($what some_edges_keep_silent: Chatter = Entry::new(plain, |_| vec![(Chatter { silent: 100 }, Vec::new()), (Chatter { silent: 0 }, Vec::new())]).limit(9));
        $crate::program!($what letters: Letters = Entry::new(weighted, |_| once(Letters::new(6))));
        $crate::program!($what letters_in_order: SortedLetters = Entry::new(weighted, |_| once(SortedLetters::new(6))));
        $crate::program!($what max_in: Spread<Farthest, 1> = Entry::new(weighted, |_| once(Spread::new(6, 5))));
        $crate::program!($what sum_both: Spread<Sums, 2> = Entry::new(weighted, |_| once(Spread::new(6, 1))));
        $crate::program!($what sum_out_sparse: Spread<Sums, 0> = Entry::new(weighted, |_| once(Spread::new(40, 200))).limit(50));
        $crate::program!($what pair_in: Spread<Pair, 1> = Entry::new(weighted, |_| once(Spread::new(6, 2))));
        $crate::program!($what trio_out: Spread<Trio, 0> = Entry::new(weighted, |_| once(Spread::new(6, 2))));
        $crate::program!($what own_monoid_both: Spread<Extent, 2> = Entry::new(weighted, |_| once(Spread::new(6, 3))));
        $crate::program!($what own_monoid_both_sparse: Spread<Extent, 2> = Entry::new(weighted, |_| once(Spread::new(6, 40))));
        $crate::program!($what pulse_in: Spread<Pulse, 1> = Entry::new(weighted, |_| once(Spread::new(6, 1))));
        $crate::program!($what pulse_in_sparse: Spread<Pulse, 1> = Entry::new(weighted, |_| once(Spread::new(6, 50))));
    };
}

/// One module of tests per contender: `conformance! { whole: name: contender; }`.
/// The first word says on which graphs they run: `whole` is the zoo and `large` the large
/// and real graphs; `sampled` and `large_sampled` are samples of them unless
/// `PREGEL_ROSTER=whole` is set.
#[macro_export]
macro_rules! conformance {
    ($graphs:ident: $($name:ident: $contender:expr;)+) => {$(
        mod $name {
            use super::*;
            $crate::programs!([$graphs, $contender]);
        }
    )+};
}

/// One line of the roster: the trials, or a test that runs them.
#[macro_export]
#[doc(hidden)]
macro_rules! program {
    (define $name:ident: $program:ty = $entry:expr) => {
        /// The reference's results of this program, computed once for all contenders.
        pub mod $name {
            use super::*;

            /// [`check`] on the CPU. Named so that the compiler instantiates the engine
            /// for this program here, once, rather than in every executable.
            pub static CPU: fn(&Contender<Cpu>, &[Trial<$program>]) = check;

            /// The same under the emulator.
            pub static EMULATED: fn(&Contender<Gpu<Emulator>>, &[Trial<$program>]) = check;

            /// On the zoo.
            pub fn whole() -> &'static [Trial<$program>] {
                static TRIALS: OnceLock<Vec<Trial<$program>>> = OnceLock::new();
                TRIALS.get_or_init(|| $entry.trials(&zoo::zoo()))
            }

            /// On a sample of the zoo, or all of it.
            pub fn sampled() -> &'static [Trial<$program>] {
                static TRIALS: OnceLock<Vec<Trial<$program>>> = OnceLock::new();
                TRIALS.get_or_init(|| $entry.trials(&zoo::sampled()))
            }

            /// On large and real graphs.
            pub fn large() -> &'static [Trial<$program>] {
                static TRIALS: OnceLock<Vec<Trial<$program>>> = OnceLock::new();
                TRIALS.get_or_init(|| $entry.trials(zoo::large_graphs()))
            }

            /// On a sample of them, or all.
            pub fn large_sampled() -> &'static [Trial<$program>] {
                static TRIALS: OnceLock<Vec<Trial<$program>>> = OnceLock::new();
                TRIALS.get_or_init(|| $entry.trials(zoo::large_sampled()))
            }
        }
    };
    ([$graphs:ident, $contender:expr] $name:ident: $program:ty = $entry:expr) => {
        #[test]
        fn $name() {
            $crate::suite::check(&$contender, $crate::roster::$name::$graphs());
        }
    };
}

programs!(define);
