//! What things cost on a device: the figures that the planner goes by.

/// What things cost on a device, and from when on something pays.
///
/// The planner predicts each way of running a superstep from them and takes the
/// cheapest. Figures that are wrong lead to slow runs, never to other results.
///
/// ```
/// use pregel_core::engine::gpu::{Costs, GpuOptions};
///
/// let mut costs = Costs::of((9, 0));
/// costs.pushed_edge_ns = 8.0 * costs.pulled_edge_ns;
/// let options = GpuOptions::default().with_costs(costs);
/// assert_eq!(options.costs, Some(costs));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Costs {
    /// Nanoseconds of a superstep that the host begins, and waits for, beside what
    /// its edges and vertices take.
    pub hosted_ns: f64,
    /// Nanoseconds for each vertex of the graph in such a superstep: all are looked
    /// at, by push and by pull.
    pub vertex_ns: f64,
    /// Nanoseconds for each edge of a pull; it reads every edge of the graph.
    pub pulled_edge_ns: f64,
    /// Nanoseconds for each edge of a push: those of the frontier alone.
    pub pushed_edge_ns: f64,
    /// Nanoseconds of a superstep that stays on the device, beside what its edges
    /// take.
    pub resident_ns: f64,
    /// Nanoseconds for each edge of the frontier in such a superstep.
    pub resident_edge_ns: f64,
    /// Nanoseconds that coming and going of a launch that stays costs: supersteps
    /// that could have stayed are waited for until as much has gone into beginning
    /// them, since then more of them may be expected.
    pub stay_ns: f64,
    /// A superstep of more edges does not stay, whatever it is predicted to cost.
    pub resident_edges: u64,
    /// In a push on a graph of so many vertices a thread looks after four of them: most
    /// have nothing to do. In a smaller one they would wait for each other.
    pub four_vertices: u64,
    /// Blocks of 256 threads that stay for supersteps: the fewer, the sooner all have
    /// come to a barrier. At most as many as the device holds.
    pub resident_blocks: u32,
    /// Blocks that stay for rounds by priority, whose lists are longer.
    pub rounds_blocks: u32,
    /// Lanes of a warp that share a row in supersteps that stay, for each edge of an
    /// average one: few leave more rows to a warp, many wait less often for one row.
    pub resident_lanes: f64,
    /// The same in rounds by priority.
    pub rounds_lanes: f64,
    /// Copies of the hot signals pay if they serve so large a part of the edges, 0
    /// to 1.
    pub hot_share: f64,
    /// And if the graph has so many edges for each of them: in a smaller one what is
    /// read often stays in the first caches by itself.
    pub hot_reads: u64,
    /// Nanoseconds for each edge of a superstep whose messages, of 4 bytes, go by bins,
    /// for each vertex, and for each edge when a graph is cut into bins, once. It is
    /// cut when the supersteps so far show that this pays.
    pub binned_edge_ns: f64,
    /// See [`binned_edge_ns`](Self::binned_edge_ns).
    pub binned_vertex_ns: f64,
    /// See [`binned_edge_ns`](Self::binned_edge_ns).
    pub cut_edge_ns: f64,
    /// What the first range of places sends, those of the hubs, is pulled apart from bins
    /// if it is so large a part of all messages, 0 to 1; above 1 never.
    pub apart_share: f64,
    /// Nanoseconds for each edge that is.
    pub apart_edge_ns: f64,
    /// Graphs of fewer edges are not cut: a superstep is more launches than work.
    pub binned_edges: u64,
    /// Messages of more bytes do not go by bins: fewer fit one, so that its warps have
    /// less to do.
    pub binned_bytes: u32,
    /// On a graph of fewer edges, and no fewer than
    /// [`rounds_degree`](Self::rounds_degree) a vertex, a program with priorities runs
    /// in plain supersteps: they are few there, and cost less than what they send in
    /// vain.
    pub rounds_edges: u64,
    /// See [`rounds_edges`](Self::rounds_edges).
    pub rounds_degree: f64,
    /// Width of the near list: how far apart the priorities are that run together, in
    /// what an average edge adds, divided by the square of the average degree.
    pub near_width: f64,
}

/// Measured on an H200 (docs/src/performance.md). Those down to `resident_edges` are the
/// fit of the `costs` benchmark, rounded, edges and vertices to sums of powers of two, so
/// that two ways that cost the same are predicted to; but that fit finds nothing that an
/// edge of a pull costs on graphs up to `rmat:scale=22`, where hot signals and early exits
/// hide it, and on larger ones it is not nothing. The others are from comparisons of
/// runs: blocks, lanes, the shares of hot signals, bins, the width on graphs of 4 to 64
/// edges a vertex.
const SM_90: Costs = Costs {
    hosted_ns: 22_000.0,
    vertex_ns: 11.0 / 2048.0,
    pulled_edge_ns: 1.0 / 1024.0,
    pushed_edge_ns: 42.0 / 1024.0,
    resident_ns: 4_000.0,
    resident_edge_ns: 5.0 / 64.0,
    stay_ns: 132_000.0,
    resident_edges: 1 << 19,
    four_vertices: 1 << 20,
    resident_blocks: 128,
    rounds_blocks: u32::MAX,
    resident_lanes: 1.0,
    rounds_lanes: 2.0,
    hot_share: 0.25,
    hot_reads: 32,
    binned_edge_ns: 0.0045,
    binned_vertex_ns: 0.016,
    cut_edge_ns: 0.032,
    apart_share: 0.25,
    apart_edge_ns: 0.001,
    binned_edges: 1 << 25,
    binned_bytes: 4,
    rounds_edges: 1 << 26,
    rounds_degree: 8.0,
    near_width: 128.0,
};

/// Figures by compute capability, newest first. Only 9.0 has been measured; an older
/// device takes the figures of the oldest here.
const TABLE: [((u32, u32), Costs); 1] = [((9, 0), SM_90)];

impl Costs {
    /// The figures for devices of this compute capability, major and minor. Those of
    /// 9.0 (H100, H200) were measured; all others take the same.
    pub fn of(capability: (u32, u32)) -> Self {
        let known = TABLE.iter().find(|(oldest, _)| capability >= *oldest);
        known.map_or(TABLE[TABLE.len() - 1].1, |(_, costs)| *costs)
    }
}

impl Default for Costs {
    fn default() -> Self {
        SM_90
    }
}
