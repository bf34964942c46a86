//! The tutorial's program does what the tutorial says.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::path::Path;

use nearest::{FAR, nearest, on_a_file, on_a_grid};
use pregel_core::engine::{Cpu, Reference};
use pregel_core::graph::generate::Spec;

#[allow(dead_code)]
#[path = "../examples/nearest.rs"]
mod nearest;

const PAGE: &str = include_str!("../src/tutorial.md");

#[test]
fn engines_agree() {
    for spec in ["rmat:scale=8", "uniform:n=300,m=900,sym=0", "grid:rows=20,cols=30,drop=200"] {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let slow = nearest(&Reference, &graph, &[5, 17], 9).unwrap();
        let fast = nearest(&Cpu::new(), &graph, &[5, 17], 9).unwrap();
        assert_eq!(slow.states, fast.states, "{spec}");
        assert_eq!(slow.report.supersteps, fast.report.supersteps, "{spec}");
    }
}

#[test]
fn no_edge_leaps() {
    for spec in ["rmat:scale=8", "uniform:n=300,m=900,sym=0", "grid:rows=20,cols=30,drop=200"] {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let hops = nearest(&Cpu::new(), &graph, &[5, 17], 9).unwrap().states;
        assert!(hops.iter().filter(|hops| **hops != FAR).count() > 20, "{spec}");
        for v in 0..graph.vertex_count() {
            for next in graph.out().row(v) {
                let (here, there) = (hops[v as usize], hops[*next as usize]);
                assert!(here >= 9 || there <= here + 1, "{spec}: {v} to {next}");
            }
        }
    }
}

#[test]
fn a_limit_of_nothing_is_refused() {
    let graph = "grid:rows=2,cols=2".parse::<Spec>().unwrap().plain().unwrap();
    let error = nearest(&Cpu::new(), &graph, &[0], 0).err().unwrap();
    assert_eq!(error.to_string(), "the limit must be at least 1 hop");
}

#[test]
fn prints_what_the_page_shows() {
    let grid = on_a_grid().unwrap();
    assert!(PAGE.contains(&format!("```text\n{grid}```")), "{grid}");
    let metro = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/metro.csv"));
    let sites = ["Town Hall", "Zoo"].map(str::to_owned);
    let stations = on_a_file(metro, 3, &sites).unwrap();
    assert!(PAGE.contains(&format!("Zoo\n{stations}```")), "{stations}");
    let head: Vec<&str> = include_str!("../examples/metro.csv").lines().take(4).collect();
    assert!(PAGE.contains(&head.join("\n")));
    let unknown = on_a_file(metro, 3, &["Moon".to_owned()]).unwrap_err();
    assert_eq!(unknown.to_string(), "no vertex «Moon»");
}

#[test]
fn every_block_of_the_page_is_a_piece_of_the_program() {
    let program = include_str!("../examples/nearest.rs");
    let here = include_str!("tutorial.rs");
    let mut blocks = 0;
    for block in PAGE.split("```rust,ignore\n").skip(1) {
        let block = block.split("```").next().unwrap();
        assert!(program.contains(block) || here.contains(block), "not in the program:\n{block}");
        blocks += 1;
    }
    assert!(blocks >= 10, "only {blocks} blocks found");
}
