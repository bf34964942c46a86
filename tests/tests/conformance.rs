//! Every engine and strategy against the reference, on every program and
//! every graph of the zoo.
//!
//! A program joins by one line in `programs!`, an engine or a strategy by one
//! line in `conformance!`.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::sync::OnceLock;

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::{Sssp, SsspTree};
use pregel_core::engine::Strategy::{Auto, Mailbox, Pull, Push};
use pregel_tests::entry::{
    bfs_tree, from_sources, once, plain, probable, ranks, sssp_tree, teleport, weighted,
};
use pregel_tests::programs::{
    Extent, Farthest, Gossip, Ledger, Letters, Pulse, Spread, Sums, Trio, Votes,
};
use pregel_tests::suite::{Entry, Trial, check, cpu, reference};

/// name: type = where it runs, how, and who judges.
macro_rules! programs {
    ($what:tt) => {
        program!($what bfs: Bfs = Entry::new(plain, |g| from_sources(g, |source| Bfs { source })));
        program!($what bfs_with_tree: BfsTree = Entry::new(plain, |g| from_sources(g, |source| BfsTree { source })).judge(bfs_tree));
        program!($what sssp: Sssp = Entry::new(weighted, |g| from_sources(g, |source| Sssp { source })));
        program!($what sssp_with_tree: SsspTree = Entry::new(weighted, |g| from_sources(g, |source| SsspTree { source })).judge(sssp_tree));
        program!($what hcc: Hcc = Entry::new(plain, |_| once(Hcc)));
        program!($what cdlp: Cdlp = Entry::new(plain, |_| once(Cdlp)).limit(12));
        program!($what pagerank_f32: PageRank<f32> = Entry::new(plain, |_| once(PageRank::new(0.85, 0.0))).limit(10).judge(ranks));
        program!($what pagerank_f64: PageRank<f64> = Entry::new(plain, |_| once(PageRank::new(0.85, 0.0))).limit(10).judge(ranks));
        program!($what pagerank_weighted: PageRank<f32, f32> = Entry::new(probable, |_| once(PageRank::new(0.5, 0.0))).limit(7).judge(ranks));
        program!($what pagerank_personalised: PageRank<f64, f64, f64> = Entry::new(probable, |g| vec![(PageRank::new(0.9, 0.0), teleport(g.vertex_count()))]).limit(7).judge(ranks));
        program!($what votes_without_messages: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 1 })));
        program!($what votes_with_messages: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })));
        program!($what votes_cut_short: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })).limit(4));
        program!($what votes_on_init_alone: Votes = Entry::new(plain, |_| once(Votes { until: 9, silent: 0 })).limit(0));
        program!($what absorbing_or: Gossip = Entry::new(plain, |_| once(Gossip { omniscient: 97 })));
        program!($what absorbing_or_often: Gossip = Entry::new(plain, |_| once(Gossip { omniscient: 3 })));
        program!($what aggregates_and_inputs: Ledger = Entry::new(plain, |g| vec![(Ledger { target: 0 }, (0..g.vertex_count()).map(|v| v * 77 % 1013).collect())]).limit(8));
        program!($what convergence: Ledger = Entry::new(plain, |g| vec![(Ledger { target: 5 }, vec![3; g.vertex_count() as usize])]).limit(25));
        program!($what letters: Letters = Entry::new(weighted, |_| once(Letters { until: 6 })));
        program!($what max_in: Spread<Farthest, 1> = Entry::new(weighted, |_| once(Spread::new(6, 5))));
        program!($what sum_both: Spread<Sums, 2> = Entry::new(weighted, |_| once(Spread::new(6, 1))));
        program!($what sum_out_sparse: Spread<Sums, 0> = Entry::new(weighted, |_| once(Spread::new(40, 200))).limit(50));
        program!($what trio_out: Spread<Trio, 0> = Entry::new(weighted, |_| once(Spread::new(6, 2))));
        program!($what own_monoid_both: Spread<Extent, 2> = Entry::new(weighted, |_| once(Spread::new(6, 3))));
        program!($what own_monoid_both_sparse: Spread<Extent, 2> = Entry::new(weighted, |_| once(Spread::new(6, 40))));
        program!($what pulse_in: Spread<Pulse, 1> = Entry::new(weighted, |_| once(Spread::new(6, 1))));
        program!($what pulse_in_sparse: Spread<Pulse, 1> = Entry::new(weighted, |_| once(Spread::new(6, 50))));
    };
}

/// Defines a program's trials, or a test of them.
macro_rules! program {
    (define $name:ident: $program:ty = $entry:expr) => {
        pub fn $name() -> &'static [Trial<$program>] {
            static TRIALS: OnceLock<Vec<Trial<$program>>> = OnceLock::new();
            TRIALS.get_or_init(|| $entry.trials())
        }
    };
    ([$contender:expr] $name:ident: $program:ty = $entry:expr) => {
        #[test]
        fn $name() {
            check(&$contender, expected::$name());
        }
    };
}

/// One module of tests for each contender.
macro_rules! conformance {
    ($($name:ident: $contender:expr;)+) => {$(
        mod $name {
            use super::*;
            programs!([$contender]);
        }
    )+};
}

/// What the reference makes of every program, once for all contenders.
mod expected {
    use super::*;
    programs!(define);
}

conformance! {
    reference_again: reference(Auto);
    cpu_1_auto: cpu(1, Auto, false);
    cpu_1_push: cpu(1, Push, false);
    cpu_1_pull: cpu(1, Pull, false);
    cpu_1_mailbox: cpu(1, Mailbox, false);
    cpu_1_auto_deterministic: cpu(1, Auto, true);
    cpu_1_push_deterministic: cpu(1, Push, true);
    cpu_1_pull_deterministic: cpu(1, Pull, true);
    cpu_1_mailbox_deterministic: cpu(1, Mailbox, true);
    cpu_2_auto: cpu(2, Auto, false);
    cpu_2_push: cpu(2, Push, false);
    cpu_2_pull: cpu(2, Pull, false);
    cpu_2_mailbox: cpu(2, Mailbox, false);
    cpu_2_auto_deterministic: cpu(2, Auto, true);
    cpu_2_push_deterministic: cpu(2, Push, true);
    cpu_2_pull_deterministic: cpu(2, Pull, true);
    cpu_2_mailbox_deterministic: cpu(2, Mailbox, true);
    cpu_4_auto: cpu(4, Auto, false);
    cpu_4_push: cpu(4, Push, false);
    cpu_4_pull: cpu(4, Pull, false);
    cpu_4_mailbox: cpu(4, Mailbox, false);
    cpu_4_auto_deterministic: cpu(4, Auto, true);
    cpu_4_push_deterministic: cpu(4, Push, true);
    cpu_4_pull_deterministic: cpu(4, Pull, true);
    cpu_4_mailbox_deterministic: cpu(4, Mailbox, true);
}
