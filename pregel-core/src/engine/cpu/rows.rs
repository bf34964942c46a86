//! Whether the rows by target of a directed graph should be made, and when.
//!
//! A pull reads them, a push does not. To make them takes five to ten times as long as a push
//! along all edges, so a single search is over before: it pushes to its end, even where a pull
//! would be faster. As for the [order](super::order), they are made once the messages that
//! were, and are known to be, pushed instead pay for them. The graph keeps both the rows and
//! the count, for all sessions.

use super::{in_place, order};
use crate::engine::sampled::{begins_everywhere, has_priority};
use crate::engine::{RunOptions, Strategy};
use crate::graph::Graph;
use crate::program::{Delivery, Direction, Law, Value, VertexCompute};

/// To make the rows takes about as long as this many pushes along every edge take longer than
/// pulls: 2 on uniform graphs, 15 on R-MAT (BFS, two cores).
const PAYS: u64 = 2;

/// Whether the graph has all that a pull reads.
pub(super) fn are_there<E: Value>(graph: &Graph<E>) -> bool {
    graph.has_incoming() && graph.has_incoming_values()
}

/// Whether a run may begin without rows by target: its messages go along the rows by source,
/// and it may push them, at least at first. Not if results may show how the graph is cut, though
/// they must be equal in every bit: that depends on these rows.
pub(super) fn can_wait<P: VertexCompute>(options: &RunOptions) -> bool {
    // If every message counts, a push of many takes about as long as to make the rows.
    let may_push = match options.strategy_for::<P>() {
        Ok(Strategy::Push) => true,
        Ok(Strategy::Auto) => {
            P::Combiner::MERGE_LAW == Law::Arbitrary || in_place::permitted::<P>(options)
        }
        _ => false,
    };
    may_push && P::DIRECTION == Direction::Out && !order::shows::<P>(options)
}

/// Whether the rows by target pay if `ahead` messages lie ahead that would be pulled, or pushed
/// instead.
pub(super) fn pay<P: VertexCompute>(graph: &Graph<P::Edge>, ahead: u64) -> bool {
    P::Combiner::MERGE_LAW != Law::Arbitrary
        || graph.pushed_instead().saturating_add(ahead) > graph.edge_count().saturating_mul(PAYS)
}

/// Whether there will be rows by target at the end of the runs ahead, as far as one can tell.
pub(super) fn will_be_there<P: VertexCompute>(
    program: &P,
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
    options: &RunOptions,
) -> bool {
    if are_there(graph) || !can_wait::<P>(options) {
        return true;
    }
    if options.strategy == Strategy::Push {
        return false;
    }
    if in_place::possible(program, options) {
        // Otherwise it goes by buckets, which only send.
        return begins_everywhere(program, graph, inputs) || !has_priority(program, graph, inputs);
    }
    let runs = options.expected_runs.unwrap_or(1);
    pay::<P>(graph, graph.edge_count().saturating_mul(runs.into()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(super) mod tests {
    use super::*;
    use crate::engine::{Cpu, Engine, Outcome, Reference, Session};
    use crate::graph::generate::Spec;
    use crate::program::{Any, Context, Edge, EdgeCompute, Min, Nothing, Program, Vote};

    const NEVER: u32 = u32::MAX;

    /// Levels from vertex 0, and in-degrees if they are asked for.
    #[derive(Clone, Copy)]
    pub(in crate::engine::cpu) struct Levels {
        pub(in crate::engine::cpu) in_degrees: bool,
    }

    impl Program for Levels {
        type Input = ();
        type State = [u32; 2];
        type Signal = ();
        type Edge = ();
        type Combiner = Any<()>;
        type Aggregate = Nothing;
    }

    impl EdgeCompute for Levels {
        fn edge_compute(&self, (): &(), _: Edge<()>) -> Option<()> {
            Some(())
        }
    }

    impl VertexCompute for Levels {
        fn init(&self, context: &mut Context<'_, Self>) -> ([u32; 2], Vote) {
            let first = context.vertex() == 0;
            let level = if first { 0 } else { NEVER };
            let degree = if self.in_degrees { context.in_degree() as u32 } else { 0 };
            ([level, degree], Vote::of(first, false))
        }

        fn vertex_compute(
            &self,
            state: &mut [u32; 2],
            came: Option<()>,
            context: &mut Context<'_, Self>,
        ) -> Vote {
            if came.is_none() || state[0] != NEVER {
                return Vote::Halt;
            }
            state[0] = context.superstep();
            Vote::Scatter
        }

        fn signal(&self, _: &[u32; 2], _: &Context<'_, Self>) {}

        fn wants_message(&self, [level, _]: &[u32; 2]) -> bool {
            *level == NEVER
        }
    }

    /// Distances from vertex 0, by priority if `ordered`.
    #[derive(Clone, Copy)]
    struct Distances {
        ordered: bool,
    }

    impl Program for Distances {
        type Input = ();
        type State = u32;
        type Signal = u32;
        type Edge = f32;
        type Combiner = Min<u32>;
        type Aggregate = Nothing;
        const MONOTONE: bool = true;
    }

    impl EdgeCompute for Distances {
        fn edge_compute(&self, distance: &u32, edge: Edge<f32>) -> Option<u32> {
            Some(distance + edge.value as u32)
        }
    }

    impl VertexCompute for Distances {
        fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
            let first = context.vertex() == 0;
            (if first { 0 } else { NEVER }, Vote::of(first, false))
        }

        fn vertex_compute(
            &self,
            distance: &mut u32,
            came: Option<u32>,
            _: &mut Context<'_, Self>,
        ) -> Vote {
            match came.filter(|came| came < distance) {
                Some(shorter) => {
                    *distance = shorter;
                    Vote::Scatter
                }
                None => Vote::Halt,
            }
        }

        fn signal(&self, distance: &u32, _: &Context<'_, Self>) -> u32 {
            *distance
        }

        fn priority(&self, distance: &u32) -> Option<f32> {
            self.ordered.then_some(*distance as f32)
        }
    }

    /// A directed graph with short paths and far more edges than vertices.
    fn spec() -> Spec {
        "uniform:n=3000,m=60000,sym=0".parse().unwrap()
    }

    /// What a run pulled and pushed.
    fn strategies<P: VertexCompute>(outcome: &Outcome<P>) -> [bool; 2] {
        [Strategy::Pull, Strategy::Push].map(|strategy| {
            // Superstep 0 has no messages.
            let later = outcome.report.steps.iter().skip(1);
            later.clone().any(|step| step.strategy == strategy)
        })
    }

    #[test]
    fn a_single_search_makes_no_rows_and_many_do() {
        let (graph, options) = (spec().plain().unwrap(), RunOptions::default());
        let program = Levels { in_degrees: false };
        let expected = Reference.run(&graph, &program, &options).unwrap().states;
        // The reference has made the rows of its graph.
        let graph = spec().plain().unwrap();
        let foreseen = |graph: &Graph, runs| {
            let options = options.clone().with_expected_runs(runs);
            will_be_there(&program, graph, &[], &options)
        };
        assert_eq!([1, 2, 3].map(|runs| foreseen(&graph, runs)), [false, false, true]);
        let mut pulled = Vec::new();
        for _ in 0..5 {
            let outcome = Cpu::new().run(&graph, &program, &options).unwrap();
            assert_eq!(outcome.states, expected);
            let [pull, push] = strategies(&outcome);
            assert!(push);
            // They are made in the middle of the run that pays for them.
            assert_eq!(pull, graph.has_incoming());
            assert!(!outcome.report.prepare_time.is_zero());
            pulled.push(pull);
        }
        assert!(!pulled[0] && !pulled[1] && pulled[4], "{pulled:?}");
    }

    #[test]
    fn announced_runs_make_the_rows_in_the_first() {
        for (runs, makes) in [(1, false), (9, true)] {
            let graph = spec().plain().unwrap();
            let options = RunOptions::default().with_expected_runs(runs);
            let mut session = Cpu::new().prepare::<Levels>(&graph, &options).unwrap();
            assert!(!graph.has_incoming());
            session.run(&Levels { in_degrees: false }).unwrap();
            assert_eq!(graph.has_incoming(), makes, "{runs} runs");
        }
    }

    #[test]
    fn a_program_that_asks_for_in_degrees_gets_them() {
        let (graph, options) = (spec().plain().unwrap(), RunOptions::default());
        let program = Levels { in_degrees: true };
        let found = Cpu::new().run(&graph, &program, &options).unwrap().states;
        assert!(graph.has_incoming());
        assert_eq!(found, Reference.run(&graph, &program, &options).unwrap().states);
    }

    #[test]
    fn a_run_by_priority_needs_no_rows_and_one_by_rounds_does() {
        for ordered in [true, false] {
            let (graph, options) = (spec().weighted().unwrap(), RunOptions::default());
            let program = Distances { ordered };
            assert_eq!(will_be_there(&program, &graph, &[], &options), !ordered);
            let found = Cpu::new().run(&graph, &program, &options).unwrap().states;
            assert_eq!(graph.has_incoming(), !ordered);
            assert_eq!(found, Reference.run(&graph, &program, &options).unwrap().states);
        }
    }

    #[test]
    fn whoever_only_pushes_needs_no_rows_and_whoever_pulls_does() {
        let program = Levels { in_degrees: false };
        for (strategy, makes) in [(Strategy::Push, false), (Strategy::Pull, true)] {
            let graph = spec().plain().unwrap();
            let options = RunOptions::default().with_strategy(strategy);
            for _ in 0..5 {
                Cpu::new().run(&graph, &program, &options).unwrap();
            }
            assert_eq!(graph.has_incoming(), makes);
        }
    }

    #[test]
    fn results_that_must_be_equal_in_every_bit_do_not_depend_on_what_ran_before() {
        let options = RunOptions::default().with_deterministic(true);
        assert!(can_wait::<Levels>(&options));
        assert!(!can_wait::<Distances>(&options));
        assert!(can_wait::<Distances>(&RunOptions::default()));
    }
}
