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
