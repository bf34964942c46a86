//! Whether the next superstep pushes or pulls.

use super::frontier::Frontier;
use super::scatter::SORTERS;
use crate::engine::{RunError, RunOptions, Strategy};
use crate::program::{Delivery, Law, VertexCompute};

/// Chooses between push and pull for each superstep.
///
/// For programs that need only one message, such as BFS, the rule is that of
/// Beamer, Asanović and Patterson (SC 2012): pull once the frontier has more than
/// 1/6 of the edges that still matter, push again when it has shrunk to 1/18 of the
/// vertices. With many threads, from 1/25 on, a sample tells how much a pull would look at: little
/// where most vertices have few edges, as in social networks, and nearly all where those of a vertex
/// lead to others like it, as in web crawls. Other programs read every edge when they pull, so they pull only if a
/// good part of the edges carries a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct PushOrPull {
    strategy: Strategy,
    pulling: bool,
    /// Number of vertices in the previous frontier.
    before: u64,
}

/// Pull if frontier edges × this > edges that matter (one message is enough).
const ALPHA: u64 = 6;
/// The same from which on a sample decides.
const ALPHA_AT_MOST: u64 = 25;
/// Pull if frontier edges × this > vertices and edges that a pull would look at. With fewer than
/// [`SORTERS`] threads messages cost less.
const LOOKS: u64 = 4;
/// Push again if frontier vertices × this < vertices.
const BETA: u64 = 18;
/// Pull if frontier edges × this > edges that matter (every message counts).
const GAMMA: u64 = 4;

impl PushOrPull {
    /// Checks the options against the program.
    pub(super) fn new<P: VertexCompute>(options: &RunOptions) -> Result<Self, RunError> {
        let strategy = options.strategy_for::<P>()?;
        Ok(Self { strategy, pulling: false, before: 0 })
    }

    /// `open` is the number of edges to vertices that want messages. `looks` tells about how many
    /// vertices and edges a pull would look at, if that is known.
    pub(super) fn next<P: VertexCompute>(
        &mut self,
        frontier: &Frontier,
        open: u64,
        vertices: u32,
        looks: impl FnOnce() -> Option<u64>,
    ) -> Strategy {
        if self.strategy != Strategy::Auto {
            return self.strategy;
        }
        let count = frontier.count;
        self.pulling = match P::Combiner::MERGE_LAW {
            Law::Arbitrary if self.pulling => {
                count >= self.before || count * BETA > vertices.into()
            }
            Law::Arbitrary => {
                // A pull also passes over all vertices.
                let all = open + u64::from(vertices);
                frontier.edges > all / ALPHA
                    || frontier.edges > all / ALPHA_AT_MOST
                        && rayon::current_num_threads() >= SORTERS
                        && looks().is_some_and(|looks| frontier.edges * LOOKS > looks)
            }
            _ => frontier.edges > open / GAMMA,
        };
        self.before = count;
        if self.pulling { Strategy::Pull } else { Strategy::Push }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::engine::cpu::rows::tests::Levels;

    /// What follows a push to a frontier with this many edges, of a graph in which 9,000 edges lead
    /// to open vertices.
    fn next(threads: usize, edges: u64, looks: Option<u64>) -> Strategy {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut frontier = Frontier::new(1000);
        frontier.now_list(&mut vec![3], edges);
        let mut rule = PushOrPull::new::<Levels>(&RunOptions::default()).unwrap();
        pool.install(|| rule.next::<Levels>(&frontier, 9000, 1000, || looks))
    }

    #[test]
    fn many_threads_pull_sooner_if_a_pull_looks_at_little() {
        let expected = [
            // Beamer's bound.
            (1, 1667, None, Strategy::Pull),
            (8, 1667, Some(u64::MAX), Strategy::Pull),
            // A sample decides, for many threads only.
            (8, 1666, Some(6663), Strategy::Pull),
            (8, 1666, Some(6664), Strategy::Push),
            (8, 1666, None, Strategy::Push),
            (4, 1666, Some(0), Strategy::Push),
            // Too few to ask for one.
            (8, 401, Some(0), Strategy::Pull),
            (8, 400, Some(0), Strategy::Push),
        ];
        for (threads, edges, looks, strategy) in expected {
            assert_eq!(next(threads, edges, looks), strategy, "{threads} {edges} {looks:?}");
        }
    }
}
