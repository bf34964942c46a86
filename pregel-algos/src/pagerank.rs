//! PageRank: the stationary distribution of a random surfer.
//!
//! In each superstep, with damping `d` and teleport distribution `t`
//! (1/V unless personalised):
//!
//! ```text
//! rank(v) = t(v) · (1 − d + d · dangling) + d · Σ rank(u) · p(u, v)
//! ```
//!
//! where `p(u, v)` is 1/out-degree(u), or the edge's value in the weighted
//! variant, and `dangling` is the rank of all vertices without out-edges,
//! which thus goes where the surfer teleports. The run ends when the ranks
//! change by less than `tolerance` in total (L1). Brin, Page, *The Anatomy of a
//! Large-Scale Hypertextual Web Search Engine*, 1998. Work O(V + E) per
//! superstep; about log(tolerance) / log(damping) supersteps.
//!
//! # Example
//!
//! ```
//! use pregel_algos::pagerank::PageRank;
//! use pregel_core::prelude::*;
//!
//! let graph = Graph::from_edges([(0, 2), (1, 2), (2, 0)])?;
//! let program = PageRank::<f64>::new(0.85, 1e-9);
//! let ranks = Cpu::new().run(&graph, &program, &RunOptions::default())?.states;
//! assert!(ranks[2] > ranks[0] && ranks[0] > ranks[1]);
//! assert!((ranks.iter().sum::<f64>() - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use core::marker::PhantomData;

use bytemuck::{Pod, Zeroable};
use num_traits::float::FloatCore;
use pregel_core::program::{
    Array, Context, Edge, EdgeCompute, GraphFacts, Number, Program, Sum, Value, VertexCompute, Vote,
};

/// The number type of the ranks: `f32` or `f64`.
pub trait Real: Number + FloatCore + Into<f64> {
    /// The nearest number of this type.
    fn nearest(value: f64) -> Self;
}

/// Rank of every vertex; the ranks sum to 1.
///
/// `W` is the edge value: `()` splits a vertex's rank evenly, a float is the
/// probability of the edge (a vertex's out-edges sum to 1). `T` is the
/// caller's value of a vertex: `()` teleports evenly, a float is the
/// probability to teleport there (personalised; all vertices sum to 1).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PageRank<F, W = (), T = ()> {
    damping: F,
    tolerance: F,
    kind: PhantomData<fn(W, T)>,
}

/// Ranks as seen from some vertices: the surfer teleports by the caller's
/// probabilities.
pub type Personalised<F> = PageRank<F, (), F>;

/// Personalised ranks, with a probability for each edge.
pub type Weighted<F> = PageRank<F, F, F>;

/// What a caller says of a vertex who chooses all three distributions: where the surfer starts,
/// where it teleports, and where it goes from vertices without out-edges. Each sums to 1 over all
/// vertices.
///
/// Such a run checks whether the ranks have converged after one superstep at the earliest, however
/// large the tolerance is. So, with a tolerance of V · `tol`, it stops when NetworkX does.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(transparent)]
pub struct Odds<F>([F; 3]);

impl<F> Odds<F> {
    /// The rank before the first superstep, the probability to teleport to the vertex, and the
    /// part of the rank of dangling vertices that it gets.
    pub fn new(start: F, teleport: F, dangling: F) -> Self {
        Self([start, teleport, dangling])
    }
}

impl<F: Real, W, T> PageRank<F, W, T> {
    /// Damping is usually 0.85; a tolerance of 0 runs to the superstep limit.
    pub fn new(damping: F, tolerance: F) -> Self {
        Self { damping, tolerance, kind: PhantomData }
    }

    /// The damping factor.
    pub fn damping(&self) -> F {
        self.damping
    }
}

impl<F: Real, W: Transition<F>, T: Teleport<F>> Program for PageRank<F, W, T> {
    type Input = T;
    type State = F;
    type Signal = F;
    type Edge = W;
    type Combiner = Sum<F>;
    /// The rank of the dangling vertices, and the change of the ranks (L1). A sum
    /// over all vertices needs more digits than one rank, hence `f64`.
    type Aggregate = Array<Sum<f64>, 2>;
}

impl<F: Real, W: Transition<F>, T: Teleport<F>> EdgeCompute for PageRank<F, W, T> {
    fn edge_compute(&self, share: &F, edge: Edge<W>) -> Option<F> {
        Some(edge.value.carry(*share))
    }
}

impl<F: Real, W: Transition<F>, T: Teleport<F>> VertexCompute for PageRank<F, W, T> {
    fn init(&self, at: &mut Context<'_, Self>) -> (F, Vote) {
        let rank = at.input().start(at.vertex_count());
        (rank, Self::settle(T::before(rank), rank, at))
    }

    fn vertex_compute(&self, rank: &mut F, sum: Option<F>, at: &mut Context<'_, Self>) -> Vote {
        let [dangling, _] = *at.aggregate();
        let base = at.input().base(at.vertex_count(), self.damping, F::nearest(dangling));
        let new = base + self.damping * sum.unwrap_or(F::zero());
        Self::settle(core::mem::replace(rank, new), new, at)
    }

    fn signal(&self, rank: &F, at: &Context<'_, Self>) -> F {
        W::share(*rank, at.out_degree())
    }

    fn converged(&self, [_, change]: &[f64; 2]) -> bool {
        *change < self.tolerance.into()
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        let sound = (F::zero()..=F::one()).contains(&self.damping) && self.tolerance >= F::zero();
        sound.then_some(()).ok_or("damping must lie in 0..=1, the tolerance must not be negative")
    }
}

impl<F: Real, W: Transition<F>, T: Teleport<F>> PageRank<F, W, T> {
    /// Adds the vertex to the aggregate.
    fn settle(old: F, new: F, at: &mut Context<'_, Self>) -> Vote {
        let dangling = if at.out_degree() == 0 { new } else { F::zero() };
        at.contribute([dangling.into(), (new - old).abs().into()]);
        Vote::Continue
    }
}

/// How an edge value carries rank: `()` or a probability.
pub trait Transition<F>: Value {
    /// What a vertex of rank `rank` shows its out-edges.
    fn share(rank: F, out_degree: u64) -> F;
    /// What arrives of `share` at the other end.
    fn carry(self, share: F) -> F;
}

/// How a caller's value teleports: `()`, a probability, or [`Odds`].
pub trait Teleport<F: Real>: Value {
    /// Probability to teleport to the vertex.
    fn probability(self, vertex_count: u32) -> F;

    /// The rank before the first superstep.
    #[inline(always)]
    fn start(self, vertex_count: u32) -> F {
        self.probability(vertex_count)
    }

    /// The rank from which the first change is counted, given the rank at the start.
    #[inline(always)]
    fn before(_: F) -> F {
        F::zero()
    }

    /// The part of the rank that does not come along edges, when all dangling vertices together
    /// have the rank `dangling`.
    #[inline(always)]
    fn base(self, vertex_count: u32, damping: F, dangling: F) -> F {
        self.probability(vertex_count) * (F::one() - damping + damping * dangling)
    }
}

impl<F: Real> Teleport<F> for Odds<F>
where
    Self: Value,
{
    #[inline(always)]
    fn probability(self, _: u32) -> F {
        self.0[1]
    }

    #[inline(always)]
    fn start(self, _: u32) -> F {
        self.0[0]
    }

    /// An infinite change has not converged.
    #[inline(always)]
    fn before(_: F) -> F {
        F::infinity()
    }

    #[inline(always)]
    fn base(self, _: u32, damping: F, dangling: F) -> F {
        let [_, teleport, share] = self.0;
        teleport * (F::one() - damping) + damping * dangling * share
    }
}

macro_rules! real {
    ($($f:ty),+) => {$(
        impl Real for $f {
            #[inline(always)]
            fn nearest(value: f64) -> Self {
                value as $f
            }
        }

        impl Transition<$f> for () {
            #[inline(always)]
            fn share(rank: $f, out_degree: u64) -> $f {
                // As a signed number, which takes one instruction to convert.
                rank / (out_degree as i64) as $f
            }
            #[inline(always)]
            fn carry(self, share: $f) -> $f {
                share
            }
        }

        impl Transition<$f> for $f {
            #[inline(always)]
            fn share(rank: $f, _: u64) -> $f {
                rank
            }
            #[inline(always)]
            fn carry(self, share: $f) -> $f {
                share * self
            }
        }

        impl Teleport<$f> for () {
            #[inline(always)]
            fn probability(self, vertex_count: u32) -> $f {
                1.0 / vertex_count as $f
            }
        }

        impl Teleport<$f> for $f {
            #[inline(always)]
            fn probability(self, _: u32) -> $f {
                self
            }
        }
    )+};
}

real!(f32, f64);
