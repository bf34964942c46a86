// Made by pregel-build from the crate pregel-replication-programs; do not edit.

/// The compiled programs of the crate `pregel_replication_programs`, for the GPU engine.
#[must_use]
pub fn images() -> ::pregel_core::engine::gpu::Images {
    ::pregel_core::engine::gpu::Images::new()
        .program::<::pregel_replication_programs::HccOut>("hcc_out", include_str!("hcc_out.ptx"))
        .program::<::pregel_replication_programs::Levels>("levels", include_str!("levels.ptx"))
        .program::<::pregel_replication_programs::ResidualPageRank>("residual_pagerank", include_str!("residual_pagerank.ptx"))
        .program::<::pregel_replication_programs::ThesisPageRank>("thesis_pagerank", include_str!("thesis_pagerank.ptx"))
        .graph(include_str!("graph.ptx"))
}
