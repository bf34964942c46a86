//! The costs and thresholds from which the planner predicts times.

use crate::engine::gpu::runtime::Capability;

/// What work costs on a device, and the thresholds at which an optimisation pays.
///
/// The planner predicts the time of each way to run a superstep from them, and takes the
/// fastest. Wrong numbers make runs slow; they do not make results wrong.
///
/// ```
/// use pregel_core::engine::gpu::{Capability, Costs, GpuOptions};
///
/// let mut costs = Costs::of(Capability { major: 9, minor: 0 });
/// costs.pushed_edge_ns = 8.0 * costs.pulled_edge_ns;
/// let options = GpuOptions::default().with_costs(costs);
/// assert_eq!(options.costs, Some(costs));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Costs {
    /// Nanoseconds of a superstep that the host launches and waits for, in addition to the
    /// time for its edges and vertices.
    pub hosted_ns: f64,
    /// Nanoseconds per vertex of the graph in such a superstep. Push and pull both visit
    /// every vertex.
    pub vertex_ns: f64,
    /// Nanoseconds per edge of the graph in a pull, which reads every edge.
    pub pulled_edge_ns: f64,
    /// Nanoseconds that a push takes longer than a pull even without messages: it lists
    /// the frontier, sends, and receives, in a launch each.
    pub push_launches_ns: f64,
    /// Nanoseconds that a pull takes longer on a graph with hubs if the program needs every
    /// message and reads edge values: warps read chunks of columns layer by layer.
    pub chunk_ns: f64,
    /// Nanoseconds per edge of the frontier in a push.
    pub pushed_edge_ns: f64,
    /// Nanoseconds of a resident superstep, in addition to the time for its edges.
    pub resident_ns: f64,
    /// Nanoseconds per edge of the frontier in a resident superstep.
    pub resident_edge_ns: f64,
    /// Nanoseconds to start and end a resident launch. Supersteps become resident where
    /// those that are expected to follow save as much.
    pub resident_launch_ns: f64,
    /// Supersteps with more edges than this are never resident, whatever their predicted
    /// time.
    pub resident_edges: u64,
    /// The supersteps of a search on a graph that branches unevenly, relative to those on
    /// one with the same average branching everywhere. On a graph where even these do not
    /// save a resident launch, only a long streak of small frontiers starts one.
    pub shallow_power: f64,
    /// The supersteps of a typical search on a graph with hubs. A graph is small, and all
    /// supersteps of a search on it are resident, if a resident launch that sends along
    /// every edge once takes no longer than the host needs to launch these. 0 means that no
    /// graph is small.
    pub small_graph_launches: f64,
    /// In a push on a graph with at least this many vertices, each thread handles four
    /// vertices, since most have nothing to do. In a smaller graph, vertices with work
    /// would wait for each other.
    pub multi_vertex_threshold: u64,
    /// Vertices that no message reaches are left out of a superstep if there are at least this
    /// many. Clearing their votes, twice in a run, takes longer than visiting fewer.
    pub left_out: u64,
    /// On a graph with at least this many vertices, a pull reads votes that were packed, eight
    /// to a byte, unless one message is enough and there are hubs: then few votes are read, and
    /// those of hubs.
    pub packed_votes: u64,
    /// The most blocks of 256 threads in a launch for resident supersteps. Fewer blocks
    /// reach a barrier sooner. The device may hold fewer still.
    pub resident_blocks: u32,
    /// The same for rounds by priority, which have longer lists. After rounds with few
    /// messages there are fewer blocks, down to [`resident_blocks`](Self::resident_blocks).
    pub rounds_blocks: u32,
    /// Lanes that share a row in resident supersteps, per edge of an average row. With
    /// fewer lanes per row a warp works on more rows at a time; with more it waits less
    /// often for a long row.
    pub resident_lanes: f64,
    /// The same in rounds by priority.
    pub rounds_lanes: f64,
    /// Hot signals are tried in shared memory only if they serve at least this share of the
    /// edges, 0 to 1.
    pub hot_part: f64,
    /// In deterministic runs, where nothing is tried, they are kept if they serve at least
    /// this share of the edges, 0 to 1.
    pub hot_share: f64,
    /// They are tried and kept only if the graph has at least this many edges per hot
    /// signal. In a smaller graph, signals that are read often stay in the L1 caches anyway.
    pub edges_per_hot_signal: u64,
    /// Bytes of each multiprocessor's memory that hot signals leave to its L1 cache, unless all
    /// signals fit: reads of the others wait there for what they have asked for. At most a quarter
    /// of what a block can have.
    pub l1_bytes: u32,
    /// On graphs with at least this many vertices, none of which gets more than 16 messages, warps of a plain pull
    /// read ahead where every vertex scattered. On smaller ones a warp has too few groups.
    pub even_vertices: u64,
    /// Nanoseconds per edge of a binned superstep, for messages of 4 bytes. For wider ones it
    /// is more, in proportion to the bytes that are moved.
    pub binned_edge_ns: f64,
    /// Nanoseconds per vertex of a binned superstep, whether messages are binned, exchanged or pulled.
    pub binned_vertex_ns: f64,
    /// The same per byte of a message: states and signals are mostly as wide.
    pub binned_vertex_byte_ns: f64,
    /// Nanoseconds of a binned superstep without messages: its launches.
    pub binned_ns: f64,
    /// Nanoseconds per edge to cut a graph into bins with at most one range of hubs; with
    /// several ranges it is twice that, unless other messages are pulled. It is done once, when the
    /// supersteps so far show that it pays.
    pub cut_edge_ns: f64,
    /// Messages from the first range of places, that of the hubs, are handled separately
    /// from bins if they are at least this share of all messages, 0 to 1. Above 1, none
    /// are.
    pub hub_share: f64,
    /// Nanoseconds per edge with a message that is handled separately.
    pub hub_edge_ns: f64,
    /// Nanoseconds for the first range of places that is handled separately, besides those per edge.
    pub hub_ns: f64,
    /// Nanoseconds for each further range of places that is handled separately. There are
    /// as many, at most 8 in all, as are expected to save more. If it is 0, there are as many
    /// as possible, even where few of their messages go to the same receivers.
    pub hub_range_ns: f64,
    /// [`binned_edge_ns`](Self::binned_edge_ns) where multiprocessors exchange messages. They do if
    /// that is expected to take less time.
    pub exchanged_edge_ns: f64,
    /// The most bytes of the messages of two phases, which are to stay in the L2 cache.
    pub exchanged_bytes: u64,
    /// [`binned_ns`](Self::binned_ns) where messages are exchanged.
    pub exchanged_ns: f64,
    /// [`hub_ns`](Self::hub_ns) where messages are exchanged.
    pub exchanged_hub_ns: f64,
    /// [`hub_range_ns`](Self::hub_range_ns) where messages are exchanged.
    pub exchanged_range_ns: f64,
    /// Nanoseconds for each group of 32 vertices that get messages, and each 64 messages of each, in each
    /// part of the senders after the first, if their messages do not fit the shared memories at the same
    /// time: if each of the 32 gets one message that is not handled separately, and proportionally less if
    /// they get more. For messages of 4 bytes, as [`binned_edge_ns`](Self::binned_edge_ns).
    pub exchanged_item_ns: f64,
    /// Nanoseconds for each vertex that gets messages, and each 64 messages of each, if only messages of the
    /// first part of the senders are exchanged, and those of all others are pulled. For messages of 4 bytes,
    /// as above.
    pub exchanged_lane_ns: f64,
    /// Nanoseconds per edge with a message that is pulled beside those of hubs: a sector of 32 bytes. Where
    /// hub messages are handled separately, the others are pulled instead of binned if that is expected to
    /// take less time.
    pub rest_edge_ns: f64,
    /// What it takes more for a signal that is not near: for each message that is pulled, times the share of
    /// the signals beyond [`rest_near_bytes`](Self::rest_near_bytes).
    pub rest_far_ns: f64,
    /// How many bytes of the signals of all vertices that send any are near.
    pub rest_near_bytes: u64,
    /// [`hub_range_ns`](Self::hub_range_ns) where other messages are pulled.
    pub rest_range_ns: f64,
    /// [`binned_ns`](Self::binned_ns) and [`hub_ns`](Self::hub_ns) where other messages are pulled.
    pub rest_ns: f64,
    /// Graphs with fewer edges are not cut into bins, since launches would take longer
    /// than the work.
    pub binned_edges: u64,
    /// Wider messages, in bytes, are not binned: fewer fit a bin, so that its warps have
    /// too little work and its cells are too small.
    pub binned_bytes: u32,
    /// A program with priorities runs in rounds on graphs with at least this many edges,
    /// where messages that need not be sent are worth more than barriers. Among hubs only if
    /// priorities spread by [`rounds_spread`](Self::rounds_spread).
    pub rounds_edges: u64,
    /// On graphs with fewer edges that are neither deep nor small, it runs in rounds if they
    /// have fewer edges per vertex than this: a superstep visits every vertex, a round only
    /// those that change.
    pub rounds_degree: f64,
    /// What an average edge adds to a priority relative to what the least one adds, for
    /// rounds to pay on graphs with at least [`rounds_edges`](Self::rounds_edges) edges that
    /// are neither deep nor sparse, if messages find many more edges to go on along than an
    /// average vertex has. With less spread, few vertices change twice in plain supersteps.
    pub rounds_spread: f64,
    /// The width of the near list, that is, the range of priorities that run together. It
    /// is multiplied by what an average edge adds to a priority, and divided by the square
    /// of the average degree, or by 8 times the degree if that is less. The width is at least
    /// what the least edge adds.
    pub near_width: f64,
    /// The width is multiplied by this where searches reach few vertices for the average degree,
    /// as in lattices and road networks: priorities spread so far that even a wide list
    /// sends few messages in vain.
    pub near_slow: f64,
    /// On graphs with fewer vertices it is not: in a small lattice all would be near at once.
    pub slow_vertices: u32,
    /// On graphs with at least [`rounds_edges`](Self::rounds_edges) edges the width is
    /// multiplied by this instead where messages find many more edges to go on along than an
    /// average vertex has, and divided by the square of the average degree up to 64: among hubs
    /// most of a search happens within a small range of priorities, and all of it would be near
    /// at once. On smaller graphs the additional rounds would take longer than the messages that
    /// they save.
    pub near_hubs: f64,
    /// The near list becomes this many times as wide whenever fewer vertices wait than at
    /// the pass before, and going through them costs more than the messages since then. 1
    /// keeps its width.
    pub near_growth: f64,
    /// What going through a waiting vertex costs, in messages.
    pub near_pass_messages: f64,
    /// How often a warp goes ahead in a round on graphs where frontiers stay small, as on lattices
    /// and roads: it sends at once from a few of the vertices that it has changed, before it waits
    /// for the others. There a round takes most of its time to wait.
    pub ahead: u32,
    /// With how many vertices a warp goes ahead each time, at most 32.
    pub ahead_vertices: u32,
    /// On graphs with at least this number of vertices, a warp gathers the vertices that it lists in
    /// a round, and lists many at a time, since the length of a list is one word, which all warps
    /// add to.
    pub bulk_vertices: u32,
}

/// Measured on an H200 (docs/src/performance.md). The costs down to `resident_edges` are
/// the fit of the `costs` benchmark. Those per edge and per vertex are rounded to sums of
/// powers of two, so that two ways of equal cost have exactly equal predictions. One cost
/// is not from the fit: on graphs up to `rmat:scale=22` hot signals and early exits hide
/// what an edge of a pull costs, but on larger graphs it matters. `push_launches_ns` is less
/// than three launches take, since a pull that finds few messages does not end early; it and
/// the thresholds below are from comparisons of runs. `near_width` is from graphs of 2 to 320
/// edges per vertex.
const SM_90: Costs = Costs {
    hosted_ns: 22_000.0,
    vertex_ns: 11.0 / 2048.0,
    pulled_edge_ns: 1.0 / 1024.0,
    push_launches_ns: 2_560.0,
    chunk_ns: 8_000.0,
    pushed_edge_ns: 42.0 / 1024.0,
    resident_ns: 4_000.0,
    resident_edge_ns: 5.0 / 64.0,
    resident_launch_ns: 132_000.0,
    resident_edges: 1 << 19,
    shallow_power: 1.5,
    small_graph_launches: 8.0,
    multi_vertex_threshold: 1 << 20,
    left_out: 1 << 20,
    packed_votes: 1 << 20,
    resident_blocks: 128,
    rounds_blocks: u32::MAX,
    resident_lanes: 1.0,
    rounds_lanes: 2.0,
    hot_part: 0.05,
    hot_share: 0.25,
    edges_per_hot_signal: 256,
    l1_bytes: 32 << 10,
    even_vertices: 1 << 18,
    binned_edge_ns: 0.0039,
    binned_vertex_ns: 0.006,
    binned_vertex_byte_ns: 0.002_14,
    binned_ns: 14_000.0,
    cut_edge_ns: 0.045,
    hub_share: 0.25,
    hub_edge_ns: 0.001_24,
    hub_ns: 32_000.0,
    hub_range_ns: 20_000.0,
    exchanged_edge_ns: 0.0031,
    exchanged_bytes: 27_000_000,
    exchanged_ns: 1_200.0,
    exchanged_hub_ns: 22_800.0,
    exchanged_range_ns: 6_000.0,
    exchanged_item_ns: 1.9,
    exchanged_lane_ns: 0.002,
    rest_edge_ns: 0.004_65,
    rest_far_ns: 0.0046,
    rest_near_bytes: 2_590_000,
    rest_range_ns: 3_000.0,
    rest_ns: 22_900.0,
    binned_edges: 1 << 23,
    binned_bytes: 8,
    rounds_edges: 7 << 20,
    rounds_degree: 4.0,
    rounds_spread: 4.0,
    near_width: 128.0,
    near_slow: 4.0,
    slow_vertices: 1 << 15,
    near_hubs: 0.25,
    near_growth: 2.0,
    near_pass_messages: 4.0,
    ahead: 4,
    ahead_vertices: 16,
    bulk_vertices: 5 << 18,
};

/// Costs by compute capability, newest first. Only 9.0 has been measured; older devices
/// take the last entry.
const TABLE: [(Capability, Costs); 1] = [(Capability { major: 9, minor: 0 }, SM_90)];

impl Costs {
    /// The costs for devices of this compute capability. They were measured on 9.0 (H100,
    /// H200); all other devices take the same.
    pub fn of(capability: Capability) -> Self {
        let known = TABLE.iter().find(|(oldest, _)| capability >= *oldest);
        known.map_or(TABLE[TABLE.len() - 1].1, |(_, costs)| *costs)
    }
}

impl Default for Costs {
    fn default() -> Self {
        SM_90
    }
}
