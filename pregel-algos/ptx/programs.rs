// Made by pregel-build from the crate pregel-algos; do not edit.

/// The compiled programs of the crate `pregel_algos`, for the GPU engine.
#[must_use]
pub fn images() -> ::pregel_core::engine::gpu::Images {
    ::pregel_core::engine::gpu::Images::new()
        .program::<::pregel_algos::betweenness::Accumulate>("betweenness_accumulate", include_str!("betweenness_accumulate.ptx"))
        .program::<::pregel_algos::betweenness::CountPaths>("betweenness_count", include_str!("betweenness_count.ptx"))
        .program::<::pregel_algos::bfs::Bfs>("bfs", include_str!("bfs.ptx"))
        .program::<::pregel_algos::many::bfs::BfsFromMany>("bfs_from_many", include_str!("bfs_from_many.ptx"))
        .program::<::pregel_algos::bfs::BfsTree>("bfs_tree", include_str!("bfs_tree.ptx"))
        .program::<::pregel_algos::cdlp::Cdlp>("cdlp", include_str!("cdlp.ptx"))
        .program::<::pregel_algos::gallery::colouring::Colouring>("colouring", include_str!("colouring.ptx"))
        .program::<::pregel_algos::gallery::eigenvector::Eigenvector>("eigenvector", include_str!("eigenvector.ptx"))
        .program::<::pregel_algos::hcc::Hcc>("hcc", include_str!("hcc.ptx"))
        .program::<::pregel_algos::gallery::katz::Katz>("katz", include_str!("katz.ptx"))
        .program::<::pregel_algos::kcore::KCore>("kcore", include_str!("kcore.ptx"))
        .program::<::pregel_algos::gallery::mis::IndependentSet>("mis", include_str!("mis.ptx"))
        .program::<::pregel_algos::pagerank::PageRank<f64>>("pagerank", include_str!("pagerank.ptx"))
        .program::<::pregel_algos::pagerank::PageRank<f32>>("pagerank_f32", include_str!("pagerank_f32.ptx"))
        .program::<::pregel_algos::pagerank::Personalised<f64>>("pagerank_personalised", include_str!("pagerank_personalised.ptx"))
        .program::<::pregel_algos::pagerank::Personalised<f32>>("pagerank_personalised_f32", include_str!("pagerank_personalised_f32.ptx"))
        .program::<::pregel_algos::pagerank::Weighted<f64>>("pagerank_weighted", include_str!("pagerank_weighted.ptx"))
        .program::<::pregel_algos::pagerank::Weighted<f32>>("pagerank_weighted_f32", include_str!("pagerank_weighted_f32.ptx"))
        .program::<::pregel_algos::scc::Collect>("scc_collect", include_str!("scc_collect.ptx"))
        .program::<::pregel_algos::scc::Colour>("scc_colour", include_str!("scc_colour.ptx"))
        .program::<::pregel_algos::scc::Trim<true>>("scc_sinks", include_str!("scc_sinks.ptx"))
        .program::<::pregel_algos::scc::Trim<false>>("scc_sources", include_str!("scc_sources.ptx"))
        .program::<::pregel_algos::sssp::Sssp>("sssp", include_str!("sssp.ptx"))
        .program::<::pregel_algos::many::sssp::SsspFromMany>("sssp_from_many", include_str!("sssp_from_many.ptx"))
        .program::<::pregel_algos::sssp::SsspTree>("sssp_tree", include_str!("sssp_tree.ptx"))
        .program::<::pregel_algos::gallery::widest::Widest>("widest", include_str!("widest.ptx"))
        .graph(include_str!("graph.ptx"))
}
