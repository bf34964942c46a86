//! What a run takes in addition to the graph, foreseen by what `session`, `superstep` and
//! `in_place` allocate.

use super::Cpu;
use super::cells::Cells;
use super::direction::PushOrPull;
use super::in_place;
use super::order::{self, Demand};
use super::rows;
use crate::engine::needs::{ORDER, order_bytes};
use crate::engine::sampled::goes_on_everywhere;
use crate::engine::{Needs, RunError, RunOptions, Strategy, VertexOrder, check_run};
use crate::graph::Graph;
use crate::program::{Delivery, Law, Message, Value, VertexCompute};

impl Cpu {
    /// What a session and its runs take in addition to the graph, before anything of it is
    /// allocated. They may be as many as [`RunOptions::expected_runs`] says.
    ///
    /// Whether the vertices will be renumbered, which takes as much memory again as the graph,
    /// depends on how long runs are, and on whether there is as much. A program whose vertices all
    /// seem to go on scattering is expected to take as many supersteps as it may, or 32 if it may
    /// converge before; others are expected to send one message along each edge. A run that is
    /// much longer may take more.
    ///
    /// O(V), or O(V + E) on a directed graph without rows by target.
    ///
    /// # Errors
    /// [`RunError::Unsupported`], [`RunError::Program`] and [`RunError::Inputs`] as
    /// [`Engine::prepare`](crate::engine::Engine::prepare) and
    /// [`Session::run_with`](crate::engine::Session::run_with).
    pub fn needs<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        inputs: &[P::Input],
        options: &RunOptions,
    ) -> Result<Needs, RunError> {
        PushOrPull::new::<P>(options)?;
        check_run(graph, program, inputs.len())?;
        let strategy = options.strategy_for::<P>()?;
        let (vertices, places) = (graph.vertex_count(), u64::from(graph.vertex_count()));
        let each = |bytes: usize| places * bytes as u64;
        let sets = |count: u64| 8 * count * places.div_ceil(64);
        let states = each(size_of::<P::State>());
        let in_place = in_place::possible(program, options);
        let goes_on = !in_place && goes_on_everywhere(program, graph, inputs);
        let renumbered = self.install(|| {
            renumbered::<P>(graph, options, order::wanted::<P>(graph, options), goes_on)
        });
        // They are renumbered too.
        let gathers = renumbered.is_some() || rows::will_be_there(program, graph, inputs, options);
        let as_it_is = renumbered.is_some() && order::held::<P>(graph).is_some();
        let mut needs = Needs::default();
        if !as_it_is {
            needs = needs.with_given_rows(graph);
            if gathers {
                needs = needs.with_rows_by_target(graph, true);
            }
            if renumbered.is_some() {
                needs = copy_of(needs, graph);
            }
        }
        if in_place {
            return Ok(needs
                .with_host("states", states)
                // Those of the run, and the vertices with an edge.
                .with_host("sets of vertices", sets(4))
                .with_host("lists of vertices", each(in_place::LISTED_BYTES))
                .with_host("states in the user's order", states));
        }

        let pushes = match strategy {
            Strategy::Push => true,
            // Receivers compute as soon as a message comes, unless very many come at a time.
            Strategy::Auto => (P::Combiner::MERGE_LAW != Law::Arbitrary || !gathers) && !goes_on,
            _ => false,
        };
        let lists = matches!(strategy, Strategy::Push | Strategy::Auto) && !goes_on;
        let restored = match renumbered {
            None => 0,
            Some(Renumbered::AtFirst) => states,
            // With the votes.
            Some(Renumbered::OnTheWay) => states + places,
        };
        let inboxes = if pushes { Cells::<Message<P>>::bytes(vertices) + sets(1) } else { 0 };
        Ok(needs
            .with_host("states", states)
            .with_host("signals", 2 * each(size_of::<P::Signal>()))
            .with_host("sets of vertices", sets(6))
            .with_host("inboxes", inboxes)
            .with_host("lists of vertices", if lists { each(LISTED_BYTES) } else { 0 })
            .with_host("states in the user's order", restored))
    }

    /// Whether a session would renumber the vertices of this graph by degree if all of them keep
    /// scattering, and if there is memory for a copy of the graph. A graph that is
    /// [in that order](Graph::into_degree_order) already needs none. [`needs`](Cpu::needs) says
    /// for how long such a program is expected to run. `false` if one message is enough for a
    /// vertex: such programs would have rows in yet another order.
    ///
    /// O(V), or O(V + E) on a directed graph without rows by target.
    pub fn renumbers<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> bool {
        let when = || renumbered::<P>(graph, options, options.order, true);
        P::Combiner::MERGE_LAW != Law::Arbitrary && self.install(when).is_some()
    }
}

/// Bytes that lists take for each vertex, while most vertices are listed: those that scatter in this
/// superstep and in the next, and the receivers, or two messages that are sorted by receiver and
/// carry nothing else.
const LISTED_BYTES: usize = 16;

/// Adds the graph in the engine's order, and that order both ways.
fn copy_of<E: Value>(needs: Needs, graph: &Graph<E>) -> Needs {
    needs
        .with_host("renumbered graph", order::copy_bytes(graph))
        .with_host(ORDER, order_bytes(graph))
}

/// When a session renumbers its vertices.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Renumbered {
    /// Before a run.
    AtFirst,
    /// In the midst of one, which is saved and resumed.
    OnTheWay,
}

/// Whether a session will renumber its vertices, as far as one can tell, if it is to have this
/// order; `goes_on` if it may do so in the midst of a run in which all vertices always scatter.
fn renumbered<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    wanted: VertexOrder,
    goes_on: bool,
) -> Option<Renumbered> {
    let (demand, edges) = (Demand::default(), graph.edge_count());
    let shows = order::shows::<P>(options);
    if !shows && wanted != VertexOrder::Given && order::held::<P>(graph).is_some() {
        return Some(Renumbered::AtFirst);
    }
    let at_first = match options.order {
        VertexOrder::Degree => u64::MAX,
        _ if shows => order::most::<P>(edges, options),
        _ => demand.ahead(edges, options),
    };
    let on_the_way = if goes_on && !shows {
        demand.ahead_in_run::<P>(edges, options, (1, edges), true)
    } else {
        0
    };
    let when = if order::pays::<P>(at_first, graph) {
        Renumbered::AtFirst
    } else if order::pays::<P>(on_the_way, graph) {
        Renumbered::OnTheWay
    } else {
        return None;
    };
    order::would_choose(graph, wanted).then_some(when)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::engine::needs::rows_bytes;
    use crate::engine::{Engine, Session};
    use crate::graph::generate::Spec;
    use crate::program::{Context, Edge, EdgeCompute, Min, Nothing, Program, Vote};

    /// The smallest number of a component, which is spread by those who learn of a smaller one.
    #[derive(Clone, Copy)]
    struct Least;

    impl Program for Least {
        type Input = ();
        type State = u32;
        type Signal = u32;
        type Edge = ();
        type Combiner = Min<u32>;
        type Aggregate = Nothing;
    }

    impl EdgeCompute for Least {
        fn edge_compute(&self, least: &u32, _: Edge<()>) -> Option<u32> {
            Some(*least)
        }
    }

    impl VertexCompute for Least {
        fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
            (context.vertex(), Vote::Scatter)
        }

        fn vertex_compute(
            &self,
            least: &mut u32,
            message: Option<u32>,
            _: &mut Context<'_, Self>,
        ) -> Vote {
            let before = *least;
            *least = message.unwrap_or(before).min(before);
            Vote::of(*least < before, false)
        }

        fn signal(&self, least: &u32, _: &Context<'_, Self>) -> u32 {
            *least
        }
    }

    fn bytes_of(needs: &Needs, name: &str) -> u64 {
        needs.host.iter().find(|need| need.name == name).map_or(0, |need| need.bytes)
    }

    #[test]
    fn rows_by_target_are_needed_once() {
        let graph = "rmat:scale=8,sym=0".parse::<Spec>().unwrap().plain().unwrap();
        let options = RunOptions::default();
        let needs = || Cpu::new().needs(&graph, &Least, &[], &options).unwrap();
        let rows = rows_bytes(&graph);
        assert_eq!(bytes_of(&needs(), "rows by target"), rows);
        assert!(!graph.has_incoming(), "foreseeing them has made them");
        let mut session = Cpu::new().prepare::<Least>(&graph, &options).unwrap();
        session.run(&Least).unwrap();
        assert_eq!(bytes_of(&needs(), "rows by target"), 0);
    }

    #[test]
    fn the_arrays_of_plain_supersteps_are_counted() {
        let graph = "grid:rows=64,cols=64".parse::<Spec>().unwrap().plain().unwrap();
        let needs = |strategy| {
            let options = RunOptions::default().with_strategy(strategy);
            Cpu::new().needs(&graph, &Least, &[], &options).unwrap()
        };
        for (strategy, inboxes) in [(Strategy::Push, true), (Strategy::Pull, false)] {
            let needs = needs(strategy);
            assert_eq!(bytes_of(&needs, "states"), 4 * 4096);
            assert_eq!(bytes_of(&needs, "signals"), 2 * 4 * 4096);
            // With a bit for each that has arrived.
            let expected = if inboxes { 4 * 4096 + 4096 / 8 } else { 0 };
            assert_eq!(bytes_of(&needs, "inboxes"), expected);
        }
        let refused = Cpu::new().needs(&graph, &Least, &[()], &RunOptions::default());
        assert!(matches!(refused, Err(RunError::Inputs { .. })));
    }

    #[test]
    fn a_graph_that_is_renumbered_is_there_twice() {
        let options = RunOptions::default().with_order(VertexOrder::Degree);
        for (spec, sides) in [("rmat:scale=8", 1), ("rmat:scale=8,sym=0", 2)] {
            let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
            let needs = Cpu::new().needs(&graph, &Least, &[], &options).unwrap();
            let rows = rows_bytes(&graph);
            assert_eq!(bytes_of(&needs, "renumbered graph"), sides * rows);
            let n = u64::from(graph.vertex_count());
            assert_eq!(bytes_of(&needs, "order of the vertices"), 8 * n);
            // A copy in the order of the user.
            assert_eq!(bytes_of(&needs, "states in the user's order"), 4 * n);
        }
    }
}
