//! Short cuts give the very results of the programs that they stand for, on
//! every graph of the zoo and any number of threads.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::verify;
use pregel_core::engine::{Cpu, RunOptions};
use pregel_tests::oracle;
use pregel_tests::zoo::{ZOO, zoo};

#[test]
fn components_of_every_graph() {
    let cases = zoo();
    assert_eq!(cases.len(), ZOO);
    for threads in [1, 2, 4] {
        let engine = Cpu::with_threads(threads).unwrap();
        for case in &cases {
            let found = engine.components(&case.graph, &RunOptions::default()).unwrap();
            let expected = oracle::hcc::labels(&case.lists);
            assert!(found.labels.iter().map(|label| *label as usize).eq(expected), "{}", case.name);
            verify::hcc::labels(&case.graph, &found.labels).unwrap();
        }
    }
}
