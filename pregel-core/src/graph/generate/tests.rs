#![allow(clippy::unwrap_used, clippy::expect_used)]

use super::*;
use crate::graph::{edge_hash, weight_sum};

fn spec(text: &str) -> Spec {
    text.parse().unwrap()
}

/// Compares a generated graph with the figures published for it.
fn check(text: &str, vertices: u32, edges: u64, hash: u64, weights: u64, sources: &[VertexId]) {
    let spec = spec(text);
    let graph = spec.weighted().unwrap();
    assert_eq!(graph.vertex_count(), vertices, "{text}");
    assert_eq!(graph.edge_count(), edges, "{text}");
    assert_eq!(edge_hash(&graph), hash, "{text}");
    assert_eq!(weight_sum(&graph), weights, "{text}");
    assert_eq!(spec.sources(&graph, sources.len()), sources, "{text}");
    assert_eq!(graph.directed(), !spec.sym, "{text}");
}

#[test]
fn small_graphs_have_the_published_hashes() {
    check("rmat:scale=10", 1_024, 20_870, 0x759a_0b27_622f_4294, 2_670_016, &[]);
    check(
        "rmat:scale=10,perm=0,dedup=0,sym=0",
        1_024,
        16_384,
        0x6116_ece6_dd4d_be02,
        2_113_620,
        &[],
    );
    check("uniform:n=1000,m=16000", 1_000, 31_454, 0xbf7a_0cde_f67e_f23d, 4_056_276, &[]);
    check(
        "grid:rows=30,cols=40,drop=50,maxw=1000",
        1_200,
        4_418,
        0x9692_cb4a_f492_7fdd,
        2_213_376,
        &[],
    );
    check(
        "rmat:scale=16,seed=7",
        65_536,
        1_818_950,
        0x38bd_f3d7_9ec2_6f3d,
        232_619_552,
        &[24425, 4399, 1562],
    );
}

#[test]
fn rmat_scale_20_has_the_published_hash() {
    check(
        "rmat:scale=20",
        1_048_576,
        31_395_922,
        0xdf5a_5c9e_ef0d_e4d5,
        4_019_733_974,
        &[828_206, 1_045_155, 458_451],
    );
}

#[test]
fn specs_are_written_as_they_are_read() {
    for text in [
        "rmat:scale=20",
        "rmat:scale=0,ef=3,perm=0,seed=0,sym=0,dedup=0,maxw=9,wseed=4",
        "uniform:n=0,m=0",
        "uniform:n=4294967295,m=1,seed=18446744073709551615",
        "grid:rows=3,cols=4,drop=1000,seed=2",
    ] {
        assert_eq!(spec(text).to_string(), text);
    }
    let defaults = spec("rmat:seed=1,wseed=1,maxw=255,perm=1,dedup=1,sym=1,ef=16,scale=20");
    assert_eq!(defaults, spec("rmat:scale=20"));
}

#[test]
fn wrong_specs_say_what_was_expected() {
    for (text, reason) in [
        ("", "unknown kind «», expected rmat, uniform or grid"),
        ("ring:n=3", "unknown kind «ring», expected rmat, uniform or grid"),
        ("rmat:", "the option scale=NUMBER is missing"),
        (
            "rmat:scal=10",
            "unknown option «scal», expected one of scale, ef, perm, seed, sym, dedup, maxw, \
             wseed; did you mean scale?",
        ),
        (
            "grid:rows=3,columns=4",
            "unknown option «columns», expected one of rows, cols, drop, seed, sym, dedup, maxw, \
             wseed",
        ),
        ("rmat:scale", "«scale» is not KEY=VALUE"),
        ("rmat:scale=10,", "«» is not KEY=VALUE"),
        ("rmat:scale=10,scale=11", "scale is given twice"),
        ("rmat:scale=32", "scale=32: expected a whole number from 0 to 31"),
        ("rmat:scale=-1", "scale=-1: expected a whole number from 0 to 31"),
        ("rmat:scale=10,sym=2", "sym=2: expected a whole number from 0 to 1"),
        ("rmat:scale=10,maxw=0", "maxw=0: expected a whole number from 1 to 16777216"),
        ("uniform:n=4294967296,m=1", "n=4294967296: expected a whole number from 0 to 4294967295"),
        (
            "uniform:n=1,m=1,perm=1",
            "unknown option «perm», expected one of n, m, seed, sym, dedup, maxw, wseed",
        ),
        (
            "grid:rows=65536,cols=65536",
            "4294967296 vertices are more than 32-bit ids can name (4294967295)",
        ),
    ] {
        let error = text.parse::<Spec>().unwrap_err();
        assert_eq!((error.spec.as_str(), error.reason.as_str()), (text, reason));
    }
}

#[test]
fn impossible_graphs_are_refused() {
    for text in [
        "uniform:n=0,m=1",
        "rmat:scale=31,ef=18446744073709551615",
        "uniform:n=1,m=1152921504606846976",
    ] {
        assert!(spec(text).plain().is_err(), "{text}");
    }
}

#[test]
fn specs_are_told_from_file_names() {
    assert!(Spec::recognises("rmat:scale=3") && Spec::recognises("grid:"));
    assert!(!Spec::recognises("rmat.txt") && !Spec::recognises("data/uniform:1"));
}

#[test]
fn kept_duplicates_are_mirrored_with_their_self_loops() {
    let graph = spec("rmat:scale=6,dedup=0").plain().unwrap();
    assert_eq!(graph.edge_count(), 2 * 16 * 64);
    let one_way = spec("rmat:scale=6,dedup=0,sym=0").plain().unwrap();
    for v in 0..64 {
        let both = one_way.out().degree(v) + one_way.incoming().degree(v);
        assert_eq!(graph.out().degree(v), both);
    }
}

#[test]
fn weights_have_a_seed_of_their_own() {
    let (graph, other) = (spec("uniform:n=9,m=50"), spec("uniform:n=9,m=50,wseed=2"));
    let (graph, other) = (graph.weighted().unwrap(), other.weighted().unwrap());
    assert_eq!(graph.out().targets(), other.out().targets());
    assert_ne!(graph.out_values(), other.out_values());
}

#[test]
fn weights_stay_in_bounds() {
    let weights = |text| spec(text).weighted().unwrap().out_values().to_vec();
    assert!(weights("uniform:n=99,m=500,maxw=3").iter().all(|w| [1.0, 2.0, 3.0].contains(w)));
}

#[test]
fn sources_end_when_there_are_no_more() {
    // Few edges, and many vertices without any.
    let grid = spec("grid:rows=1,cols=2000,drop=990");
    let graph = grid.plain().unwrap();
    let candidates: Vec<_> = (0..2000).filter(|v| graph.out().degree(*v) > 0).collect();
    let mut sources = grid.sources(&graph, usize::MAX);
    assert!(!candidates.is_empty());
    sources.sort_unstable();
    assert_eq!(sources, candidates);
    let none = spec("uniform:n=5,m=0");
    assert!(none.sources(&none.plain().unwrap(), 3).is_empty());
    let nothing = spec("uniform:n=0,m=0");
    assert!(nothing.sources(&nothing.plain().unwrap(), 3).is_empty());
}
