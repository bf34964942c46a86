//! PageRank driven by residuals.

use bytemuck::{Pod, Zeroable};
use pregel_core::program::{
    Context, Edge, EdgeCompute, GraphFacts, Nothing, Program, Sum, VertexCompute, Vote,
};

/// PageRank in which a vertex sends only what its out-neighbours do not know of its rank, and
/// only once that is worth sending.
///
/// Every vertex begins with the guess `1 / V`, and sends it. In superstep 1 it has the rank
/// `(1 − d) / V + d · Σ`, where `d` is the damping; the difference to the guess is its residual.
/// From then on what arrives, multiplied by `d`, is added to the rank and to the residual. A
/// vertex scatters its residual if it is, in absolute value, above `tolerance · (1 − d) / V`. The
/// run ends when no residual is above that bound. Work O(E) per superstep at most; the messages
/// fade out where ranks settle early.
///
/// Whang, Lenharth, Dhillon and Pingali, *Scalable Data-Driven PageRank*, Euro-Par 2015, which
/// Groute implements, begin with nothing but the residual `(1 − d) / V`. All of the rank then
/// has to be sent on, in about `log(tolerance) / log(d)` supersteps whatever the graph. On a
/// power law (`rmat:scale=14,ef=16`) that takes 37 messages per edge for an error of 0.0012,
/// where this takes 5.
///
/// # The ranks
///
/// A vertex without out-edges keeps what it gets, so ranks do not sum to 1. With uniform
/// teleports, sending that rank to all vertices alike, as the bundled `PageRank` does, would
/// multiply all ranks by the same factor: [`share`] divides by [`total`] instead, which needs no
/// aggregate. With `S` the sum that ranks would have without a bound, 1 if all vertices have
/// out-edges, the shares differ from those of `PageRank` run to the end by at most
/// `2 · d · tolerance / S` in total (L1), and by the rounding of sums. Where much of the rank is
/// lost, the guess is too large, and it takes many supersteps to take it back.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ResidualPageRank {
    damping: f32,
    tolerance: f32,
}

impl ResidualPageRank {
    /// Damping is usually 0.85; it must be at least 0 and below 1. The tolerance must be above
    /// 0, since rounding leaves residuals that never vanish.
    pub fn new(damping: f32, tolerance: f32) -> Self {
        Self { damping, tolerance }
    }

    /// The rank that a vertex has without any message.
    fn base(&self, at: &Context<'_, Self>) -> f32 {
        (1.0 - self.damping) / at.vertex_count() as f32
    }

    /// Whether a residual must be sent. From superstep 1 on a vertex has sent its residual if and
    /// only if this is true of its state.
    fn is_due(&self, residual: f32, at: &Context<'_, Self>) -> bool {
        residual.abs() > self.tolerance * self.base(at)
    }

    fn vote(&self, standing: &Standing, at: &Context<'_, Self>) -> Vote {
        if self.is_due(standing.residual, at) { Vote::Scatter } else { Vote::Halt }
    }
}

/// What a vertex of [`ResidualPageRank`] knows.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Standing {
    /// Its rank as far as it knows.
    pub rank: f32,
    /// What was sent last, if that is above the bound; otherwise what waits to be sent.
    pub residual: f32,
}

/// The sum of all ranks.
pub fn total(standings: &[Standing]) -> f64 {
    standings.iter().map(|standing| f64::from(standing.rank)).sum()
}

/// The rank as a share of all ranks, whose [`total`] is given: a number of the distribution that
/// the bundled `PageRank` computes.
pub fn share(standing: Standing, total: f64) -> f64 {
    f64::from(standing.rank) / total
}

impl Program for ResidualPageRank {
    type Input = ();
    type State = Standing;
    type Signal = f32;
    type Edge = ();
    type Combiner = Sum<f32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for ResidualPageRank {
    fn edge_compute(&self, part: &f32, _: Edge<()>) -> Option<f32> {
        Some(*part)
    }
}

impl VertexCompute for ResidualPageRank {
    fn init(&self, at: &mut Context<'_, Self>) -> (Standing, Vote) {
        let guess = 1.0 / at.vertex_count() as f32;
        (Standing { rank: self.base(at), residual: guess }, Vote::Continue)
    }

    fn vertex_compute(
        &self,
        standing: &mut Standing,
        sum: Option<f32>,
        at: &mut Context<'_, Self>,
    ) -> Vote {
        let gained = self.damping * sum.unwrap_or(0.0);
        let waiting = if at.superstep() == 1 {
            // The out-neighbours know the guess.
            standing.rank - standing.residual
        } else if self.is_due(standing.residual, at) {
            0.0
        } else {
            standing.residual
        };
        *standing = Standing { rank: standing.rank + gained, residual: waiting + gained };
        self.vote(standing, at)
    }

    fn signal(&self, standing: &Standing, at: &Context<'_, Self>) -> f32 {
        // As a signed number, which takes one instruction to convert.
        standing.residual / (at.out_degree() as i64) as f32
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        let sound = (0.0..1.0).contains(&self.damping) && self.tolerance > 0.0;
        sound.then_some(()).ok_or("damping must lie in 0..1, the tolerance must be above 0")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pregel_core::engine::{Cpu, Engine, Reference, RunOptions};
    use pregel_core::graph::Graph;

    use super::*;

    #[test]
    fn a_good_guess_is_sent_once() {
        let graph = Graph::from_edges([(0, 1), (1, 2), (2, 0)]).unwrap();
        let program = ResidualPageRank::new(0.85, 1e-4);
        let found = Cpu::new().run(&graph, &program, &RunOptions::default()).unwrap();
        let total = total(&found.states);
        assert!(found.states.iter().all(|of| (share(*of, total) - 1.0 / 3.0).abs() < 1e-6));
        assert_eq!((found.report.supersteps, found.report.messages), (1, 3));
    }

    #[test]
    fn little_is_not_sent() {
        let graph = Graph::from_edges([(0, 1)]).unwrap();
        let run = |tolerance| {
            let program = ResidualPageRank::new(0.5, tolerance);
            let found = Reference.run(&graph, &program, &RunOptions::default()).unwrap();
            let ranks: [f32; 2] = [found.states[0].rank, found.states[1].rank];
            (ranks, found.report.supersteps, found.report.messages)
        };
        // The first vertex has 1/4 less than its guess, as much as the bound.
        assert_eq!(run(1.0), ([0.25, 0.5], 1, 1));
        // Here that is above the bound, and what the other vertex lacks then is not.
        assert_eq!(run(0.5), ([0.25, 0.375], 2, 2));
    }

    #[test]
    fn parameters_are_checked() {
        let graph = Graph::from_edges([(0, 1)]).unwrap();
        for (damping, tolerance) in [(1.0, 0.1), (-0.1, 0.1), (0.5, 0.0), (f32::NAN, 0.1)] {
            let program = ResidualPageRank::new(damping, tolerance);
            assert!(Reference.run(&graph, &program, &RunOptions::default()).is_err());
        }
    }
}
