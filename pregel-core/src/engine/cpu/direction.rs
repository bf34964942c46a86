//! Whether the next superstep pushes or pulls.

use super::frontier::Frontier;
use crate::engine::{RunError, RunOptions, Strategy};
use crate::program::{Delivery, Law, VertexCompute};

/// Chooses between push and pull, superstep by superstep.
///
/// For programs content with any one message (BFS) the rule is that of
/// Beamer, Asanović and Patterson (SC 2012): pull once the frontier has more
/// than 1/15 of the edges that still matter, push again when it has shrunk to
/// 1/18 of the vertices. Others read every edge of a pull, so they pull only
/// when a good part of the edges carries a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PushOrPull {
    strategy: Strategy,
    pulling: bool,
    /// Vertices in the frontier before.
    before: u64,
}

/// Frontier edges × this > edges that matter: pull (any message will do).
const ALPHA: u64 = 15;
/// Frontier vertices × this < vertices: push again.
const BETA: u64 = 18;
/// Frontier edges × this > edges that matter: pull (every message counts).
const GAMMA: u64 = 4;

impl PushOrPull {
    /// Checks the options against the program.
    pub(super) fn new<P: VertexCompute>(options: &RunOptions) -> Result<Self, RunError> {
        let strategy = options.strategy_for::<P>()?;
        if strategy == Strategy::Medusa {
            return Err(RunError::Unsupported(
                "the strategy medusa is for comparison on a GPU: use --engine cuda",
            ));
        }
        Ok(Self { strategy, pulling: false, before: 0 })
    }

    /// `open` counts the edges to vertices that want messages.
    pub(super) fn next<P: VertexCompute>(
        &mut self,
        frontier: &Frontier,
        open: u64,
        vertices: u32,
    ) -> Strategy {
        if self.strategy != Strategy::Auto {
            return self.strategy;
        }
        let count = frontier.count;
        self.pulling = match P::Combiner::MERGE_LAW {
            Law::Arbitrary if self.pulling => {
                count >= self.before || count * BETA > vertices.into()
            }
            Law::Arbitrary => frontier.edges > open / ALPHA,
            _ => frontier.edges > open / GAMMA,
        };
        self.before = count;
        if self.pulling { Strategy::Pull } else { Strategy::Push }
    }
}
