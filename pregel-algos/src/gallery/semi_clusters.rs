//! Semi-clusters: small groups of vertices with heavy edges among themselves and light edges to
//! all others. A vertex can be in several of them.
//!
//! The algorithm of the Pregel paper (Malewicz and others, SIGMOD 2010, section 5.4). A cluster
//! of V members has the score (I − f B) / (V (V − 1) / 2), where I is the weight of the edges
//! between members, B the weight of the edges from members to other vertices, and f the boundary
//! factor. A single vertex has the score 1, so clusters grow only if weights are well above 1.
//! In each round a vertex adds itself to the clusters that its neighbours have sent. It sends the
//! best of these and of the received clusters, and keeps the best that contain it.
//!
//! Directions and self-loops are ignored, and the weights of parallel edges add up. Weights are
//! integers, and sums of up to 2³² of them are exact; so all engines agree on which of two scores
//! is higher. If they are equal, the smaller list of members is better, where the end of a list
//! counts as the greatest member.
//!
//! Idiom: each message carries the sender and the weight of the edge, because a vertex does not
//! see its edges. All vertices send in every superstep, so a vertex finds the weight of each of
//! its edges in its mail, which is sorted by sender. There is one superstep more than rounds.
//! Each costs a message of 128 bytes per edge and direction, and O(E log V).
//!
//! ```
//! use pregel_algos::gallery::semi_clusters::SemiClusters;
//! use pregel_core::prelude::*;
//!
//! // Two triangles, joined by one edge.
//! let edges = [(0, 1), (0, 2), (1, 2), (2, 3), (3, 4), (3, 5), (4, 5)];
//! let graph = Graph::from_edges(edges)?;
//! let graph = graph.map_values(|u, v, ()| if (u, v) == (2, 3) { 1 } else { 2 });
//! let program = SemiClusters { boundary_factor: 0.5, rounds: 4 };
//! let outcome = Cpu::new().run(&graph, &program, &RunOptions::default())?;
//! let best = |v: usize| outcome.states[v].best[0];
//! assert_eq!(best(0).members(), [0, 1, 2]);
//! assert_eq!(best(3).members(), [3, 4, 5]);
//! assert_eq!(best(3).score(0.5), (6.0 - 0.5 * 1.0) / 3.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::cmp::Ordering;
use core::mem;

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Direction, Edge, EdgeCompute, GraphFacts, Mail, Nothing, Program, Sorted,
    VertexCompute, VertexId, Vote,
};

/// The most clusters that a vertex keeps, and the most that it sends.
pub const MOST_CLUSTERS: usize = 3;
/// The most members of a cluster.
pub const MOST_MEMBERS: usize = 6;
/// Fills the places without a member. No vertex has this id.
const NO_VERTEX: VertexId = VertexId::MAX;

/// A cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Cluster {
    /// Weight of the edges between members.
    pub inside: u64,
    /// Weight of the edges from members to others.
    pub boundary: u64,
    /// In ascending order; [`NO_VERTEX`] at the end if there are fewer.
    members: [VertexId; MOST_MEMBERS],
}

impl Cluster {
    /// No cluster.
    pub const NONE: Self = Self { inside: 0, boundary: 0, members: [NO_VERTEX; MOST_MEMBERS] };

    /// The members in ascending order; empty for [`Cluster::NONE`].
    pub fn members(&self) -> &[VertexId] {
        let count = self.members.iter().take_while(|member| **member != NO_VERTEX).count();
        &self.members[..count]
    }

    /// The score; less than that of any cluster for [`Cluster::NONE`].
    pub fn score(&self, boundary_factor: f32) -> f64 {
        match self.members().len() as u32 {
            0 => f64::NEG_INFINITY,
            1 => 1.0,
            n => {
                let boundary = f64::from(boundary_factor) * self.boundary as f64;
                (self.inside as f64 - boundary) / f64::from(n * (n - 1) / 2)
            }
        }
    }

    /// Adds a member: `all` is the weight of its edges, `near` that of its edges to the other
    /// members. `None` if there is no room.
    fn with(mut self, vertex: VertexId, near: u64, all: u64) -> Option<Self> {
        let mut next = vertex;
        for member in self.members.iter_mut().filter(|member| **member > vertex) {
            mem::swap(member, &mut next);
        }
        self.inside += near;
        self.boundary = self.boundary - near + (all - near);
        (next == NO_VERTEX).then_some(self)
    }
}

/// What a vertex knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Clusters {
    /// The best clusters that contain the vertex, the best first, and [`Cluster::NONE`] if there
    /// are fewer.
    pub best: [Cluster; MOST_CLUSTERS],
    /// The best of those that it has just received or formed.
    news: [Cluster; MOST_CLUSTERS],
}

/// What a vertex sends along an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Letter {
    from: VertexId,
    weight: u32,
    clusters: [Cluster; MOST_CLUSTERS],
}

/// Semi-clusters. Edge values are the weights.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SemiClusters {
    /// How much the weight of edges that leave a cluster counts against it, usually 0 to 1.
    pub boundary_factor: f32,
    /// Number of supersteps in which clusters can grow by one vertex.
    pub rounds: u32,
}

impl SemiClusters {
    /// Inserts a cluster among the best, which are in order, unless it is one of them. Drops
    /// the last.
    fn enter(&self, best: &mut [Cluster; MOST_CLUSTERS], mut cluster: Cluster) {
        for place in best {
            // Not `==`, which for arrays is a function of the C library that GPUs do not have.
            match self.order(&cluster, place) {
                Ordering::Less => mem::swap(place, &mut cluster),
                Ordering::Equal => return,
                Ordering::Greater => {}
            }
        }
    }

    /// Less if `a` is better, and equal only if both have the same members.
    fn order(&self, a: &Cluster, b: &Cluster) -> Ordering {
        let score = |cluster: &Cluster| cluster.score(self.boundary_factor);
        score(b).total_cmp(&score(a)).then_with(|| a.members.cmp(&b.members))
    }
}

/// The weight of the edges to `sender`, whose letters are side by side.
fn weight_to(sender: VertexId, mail: &Mail<'_, Letter>) -> u64 {
    let (mut first, mut end) = (0, mail.len());
    while first < end {
        let middle = first.midpoint(end);
        if mail.get(middle).from < sender { first = middle + 1 } else { end = middle }
    }
    let letters = (first..mail.len()).map(|i| mail.get(i));
    letters.take_while(|letter| letter.from == sender).map(|letter| u64::from(letter.weight)).sum()
}

impl Program for SemiClusters {
    type Input = ();
    type State = Clusters;
    type Signal = Letter;
    type Edge = u32;
    type Combiner = Sorted<Letter>;
    type Aggregate = Nothing;
    const DIRECTION: Direction = Direction::Both;
}

impl EdgeCompute for SemiClusters {
    fn edge_compute(&self, letter: &Letter, edge: Edge<u32>) -> Option<Letter> {
        Some(Letter { weight: edge.value, ..*letter })
    }
}

impl VertexCompute for SemiClusters {
    fn init(&self, _: &mut Context<'_, Self>) -> (Clusters, Vote) {
        let none = [Cluster::NONE; MOST_CLUSTERS];
        (Clusters { best: none, news: none }, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        state: &mut Clusters,
        mail: Mail<'_, Letter>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let me = context.vertex();
        let others = || mail.iter().filter(|letter| letter.from != me);
        let all = others().map(|letter| u64::from(letter.weight)).sum();
        state.news = [Cluster::NONE; MOST_CLUSTERS];
        if context.superstep() == 1 {
            // Only now is the boundary of a single vertex known.
            let alone = Cluster::NONE.with(me, 0, all).unwrap_or(Cluster::NONE);
            self.enter(&mut state.news, alone);
            self.enter(&mut state.best, alone);
        }
        let received = others().flat_map(|letter| letter.clusters);
        for cluster in received.filter(|cluster| !cluster.members().is_empty()) {
            self.enter(&mut state.news, cluster);
            let members = cluster.members();
            let mine = if members.contains(&me) {
                Some(cluster)
            } else {
                let near = members.iter().map(|member| weight_to(*member, &mail)).sum();
                cluster.with(me, near, all)
            };
            if let Some(mine) = mine {
                self.enter(&mut state.news, mine);
                self.enter(&mut state.best, mine);
            }
        }
        if context.superstep() > self.rounds { Vote::Halt } else { Vote::Continue }
    }

    fn signal(&self, state: &Clusters, context: &Context<'_, Self>) -> Letter {
        Letter { from: context.vertex(), weight: 0, clusters: state.news }
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        let fits = self.boundary_factor.is_finite() && self.boundary_factor >= 0.0;
        if fits { Ok(()) } else { Err("the boundary factor must be finite and not negative") }
    }
}
