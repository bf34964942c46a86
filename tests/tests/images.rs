//! The committed images are those of the programs and of the library as they are now.
//! Without a compiler for PTX, nothing else notices that an image is out of date.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_algos::betweenness::{Accumulate, CountPaths};
use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::gallery::colouring::Colouring;
use pregel_algos::gallery::eigenvector::Eigenvector;
use pregel_algos::gallery::katz::Katz;
use pregel_algos::gallery::mis::IndependentSet;
use pregel_algos::gallery::widest::Widest;
use pregel_algos::hcc::Hcc;
use pregel_algos::kcore::KCore;
use pregel_algos::many::bfs::BfsFromMany;
use pregel_algos::many::sssp::SsspFromMany;
use pregel_algos::pagerank::{PageRank, Personalised, Weighted};
use pregel_algos::scc::{Collect, Colour, Trim};
use pregel_algos::sssp::{Sssp, SsspTree};
use pregel_core::device::{contract, tools_contract};
use pregel_core::engine::gpu::{Image, Ptx};

macro_rules! contracts {
    ($($name:literal: $contract:expr;)+) => {
        [$((
            $name,
            Ptx(include_str!(concat!("../../pregel-algos/ptx/", $name, ".ptx"))),
            $contract,
        )),+]
    };
}

#[test]
fn committed_images_are_up_to_date() {
    let images = contracts! {
        "betweenness_accumulate": contract::<Accumulate>();
        "betweenness_count": contract::<CountPaths>();
        "bfs": contract::<Bfs>();
        "bfs_from_many": contract::<BfsFromMany>();
        "bfs_tree": contract::<BfsTree>();
        "cdlp": contract::<Cdlp>();
        "colouring": contract::<Colouring>();
        "eigenvector": contract::<Eigenvector>();
        "graph": tools_contract();
        "hcc": contract::<Hcc>();
        "katz": contract::<Katz>();
        "kcore": contract::<KCore>();
        "mis": contract::<IndependentSet>();
        "pagerank": contract::<PageRank<f64>>();
        "pagerank_f32": contract::<PageRank<f32>>();
        "pagerank_personalised": contract::<Personalised<f64>>();
        "pagerank_personalised_f32": contract::<Personalised<f32>>();
        "pagerank_weighted": contract::<Weighted<f64>>();
        "pagerank_weighted_f32": contract::<Weighted<f32>>();
        "scc_collect": contract::<Collect>();
        "scc_colour": contract::<Colour>();
        "scc_sinks": contract::<Trim<true>>();
        "scc_sources": contract::<Trim<false>>();
        "sssp": contract::<Sssp>();
        "sssp_from_many": contract::<SsspFromMany>();
        "sssp_tree": contract::<SsspTree>();
        "widest": contract::<Widest>();
    };
    for (name, image, expected) in images {
        assert_eq!(image.contract(name), Some(expected), "{name}.ptx must be built again");
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../pregel-algos/ptx");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let committed = files.filter(|path| path.extension().is_some_and(|end| end == "ptx")).count();
    assert_eq!(committed, images.len());
}
