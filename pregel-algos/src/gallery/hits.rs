//! Hubs and authorities (HITS): a good hub links to good authorities, and a good authority is
//! linked to by good hubs (J. Kleinberg, *J. ACM* 46, 1999).
//!
//! Two programs take turns: authorities are sums over in-edges, hubs are sums over out-edges. The
//! states of one are the inputs of the other, and stay where the engine has them. Each sum is
//! divided by the total of the values that it consists of, which the aggregate of the turn before
//! has.
//!
//! Idiom: an algorithm of several programs. Two supersteps per iteration, O(V + E).
//!
#![cfg_attr(feature = "std", doc = "```")]
#![cfg_attr(not(feature = "std"), doc = "```ignore")]
//! use pregel_algos::gallery::hits::hits;
//! use pregel_core::prelude::*;
//!
//! // 0 and 1 link to 2, which both make an authority.
//! let graph = Graph::from_edges([(0, 2), (1, 2), (0, 3)])?;
//! let found = hits(&Cpu::new(), &graph, &RunOptions::default(), 100, 1e-12)?;
//! let best = |values: &[f64]| (0..4).max_by(|a, b| values[*a].total_cmp(&values[*b]));
//! assert_eq!((best(&found.hubs), best(&found.authorities)), (Some(0), Some(2)));
//! assert!((found.hubs.iter().sum::<f64>() - 1.0).abs() < 1e-9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use bytemuck::{Pod, Zeroable};
#[cfg(feature = "std")]
use pregel_core::engine::{Engine, Kept, Report, Run, RunError, RunOptions, Session};
#[cfg(feature = "std")]
use pregel_core::graph::Graph;
use pregel_core::program::{
    Array, Context, Direction, Edge, EdgeCompute, Program, Sum, VertexCompute, Vote,
};

/// How good a vertex is as a hub and as an authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Scores {
    /// As a hub.
    pub hub: f64,
    /// As an authority.
    pub authority: f64,
}

/// Half an iteration: hubs from authorities, or authorities from hubs.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Half<const HUBS: bool> {
    /// What sums are multiplied by.
    pub scale: f64,
}

impl<const HUBS: bool> Program for Half<HUBS> {
    type Input = Scores;
    type State = Scores;
    type Signal = f64;
    type Edge = ();
    type Combiner = Sum<f64>;
    /// The sum of the new values, and by how much all have changed.
    type Aggregate = Array<Sum<f64>, 2>;
    const DIRECTION: Direction = if HUBS { Direction::In } else { Direction::Out };
}

impl<const HUBS: bool> EdgeCompute for Half<HUBS> {
    fn edge_compute(&self, score: &f64, _: Edge<()>) -> Option<f64> {
        Some(*score)
    }
}

impl<const HUBS: bool> VertexCompute for Half<HUBS> {
    fn init(&self, context: &mut Context<'_, Self>) -> (Scores, Vote) {
        (context.input(), Vote::Continue)
    }

    fn vertex_compute(
        &self,
        scores: &mut Scores,
        sum: Option<f64>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let score = if HUBS { &mut scores.hub } else { &mut scores.authority };
        let new = sum.unwrap_or(0.0) * self.scale;
        let change = new - *score;
        context.contribute([new, if change < 0.0 { -change } else { change }]);
        *score = new;
        Vote::Halt
    }

    fn signal(&self, scores: &Scores, _: &Context<'_, Self>) -> f64 {
        if HUBS { scores.authority } else { scores.hub }
    }
}

/// The result of [`hits`].
#[cfg(feature = "std")]
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hits {
    /// Scores as hubs, which sum to 1, or are all 0 without edges.
    pub hubs: std::vec::Vec<f64>,
    /// Scores as authorities, which sum to 1, or are all 0 without edges.
    pub authorities: std::vec::Vec<f64>,
    /// The reports of all halves, authorities first.
    pub reports: std::vec::Vec<Report>,
}

/// Hubs and authorities, after so many iterations or when all hubs together change by less than
/// `tolerance`. A superstep limit of the options is ignored.
///
/// # Errors
/// Those of [`Engine::prepare`] and [`Session::run_with`].
#[cfg(feature = "std")]
pub fn hits<E: Engine>(
    engine: &E,
    graph: &Graph,
    options: &RunOptions,
    iterations: u32,
    tolerance: f64,
) -> Result<Hits, RunError> {
    let options = options.clone().with_max_supersteps(None);
    let mut authorities = engine.prepare::<Half<false>>(graph, &options)?;
    let mut hubs = engine.prepare::<Half<true>>(graph, &options)?;
    let n = graph.vertex_count();
    let first = std::vec![Scores { hub: 1.0, authority: 0.0 }; n as usize];
    let inverse = |total: f64| if total > 0.0 { 1.0 / total } else { 0.0 };
    let (mut scale, mut kept, mut reports) = (inverse(n.into()), None, std::vec::Vec::new());
    for _ in 0..iterations {
        let program = Half::<false> { scale };
        let mut run = match kept.take() {
            None => authorities.start(&program, &first)?,
            Some(states) => authorities.follow(&program, states)?,
        };
        run.advance_to_end()?;
        let done = run.keep()?;
        let mut run =
            hubs.follow(&Half::<true> { scale: inverse(done.aggregate[0]) }, done.states)?;
        reports.push(done.report);
        run.advance_to_end()?;
        let done = run.keep()?;
        let [total, change] = done.aggregate;
        scale = inverse(total);
        reports.push(done.report);
        kept = Some(done.states);
        if change < tolerance {
            break;
        }
    }
    let states = kept.map_or(Ok(first), |states| states.to_vec())?;
    let shares = |score: fn(&Scores) -> f64| {
        let scale = inverse(states.iter().map(score).sum());
        states.iter().map(|scores| score(scores) * scale).collect()
    };
    Ok(Hits { hubs: shares(|s| s.hub), authorities: shares(|s| s.authority), reports })
}
