//! Samples what rounds by priority depend on: by how much edges change priorities.

use super::rounds::Given;
use crate::engine::gpu::policy::{ByPriority, Costs, WhyNot};
use crate::engine::sampled::facts;
use crate::graph::Graph;
use crate::program::{Context, Delivery, Edge, Monoid, Value, VertexCompute, VertexId, Zeroable};

/// The most edges that are sampled.
const SAMPLE: u64 = 1 << 10;

/// Up to this average degree the best width falls with the square of the degree, and then with
/// the degree, as in Meyer and Sanders.
const EVIDENT: f64 = 8.0;

/// The same among hubs.
const EVIDENT_HUBS: f64 = 64.0;

/// Messages find many more edges to go on along if they find this many times as many as an
/// average vertex has.
const CROWDED: f64 = 8.0;

/// What a sample of the edges adds to priorities.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    sum: f64,
    count: u32,
    least: f32,
    /// Whether messages find many more edges to go on along than an average vertex has.
    crowded: bool,
}

impl Steps {
    /// Samples how much edges change priorities if `sender` in state `sent` sends along
    /// them. O(1).
    pub(super) fn sample<P: VertexCompute>(
        given: &Given<'_, P>,
        sender: VertexId,
        sent: &P::State,
    ) -> Self {
        let Given { program, graph, inputs, .. } = *given;
        let facts = |vertex| facts::<P>(graph, inputs, vertex);
        let (last, mut total) = (P::Aggregate::identity(), P::Aggregate::identity());
        let from = program.priority(sent).unwrap_or(0.0);
        let signal = program.signal(sent, &Context::new(facts(sender), &last, &mut total));
        let (targets, values) = (graph.out().targets(), graph.out_values());
        let mut steps = Self::none();
        let sample = (0..targets.len()).step_by((targets.len() as u64 / SAMPLE + 1) as usize);
        let onward: u64 = sample.clone().map(|edge| graph.out().degree(targets[edge])).sum();
        steps.crowded = onward as f64 >= CROWDED * average_degree(graph) * sample.len() as f64;
        for edge in sample {
            let value = values.get(edge).copied().unwrap_or_else(Zeroable::zeroed);
            let Some(message) = program.edge_compute(&signal, Edge::new(value)) else { continue };
            let mut context = Context::new(facts(targets[edge]), &last, &mut total);
            let (mut state, _) = program.init(&mut context);
            let mut message = Some(message);
            let inbox = P::Combiner::inbox_of_one(&mut message);
            if program.vertex_compute(&mut state, inbox, &mut context).scatters() {
                steps.note(program.priority(&state).unwrap_or(from) - from);
            }
        }
        steps
    }

    fn none() -> Self {
        Self { sum: 0.0, count: 0, least: f32::INFINITY, crowded: false }
    }

    fn note(&mut self, step: f32) {
        if step > 0.0 && step.is_finite() {
            self.sum += f64::from(step);
            self.count += 1;
            self.least = self.least.min(step);
        }
    }

    fn average(&self) -> f64 {
        self.sum / f64::from(self.count.max(1))
    }

    /// Why plain supersteps are faster than rounds, if these are planned only for priorities
    /// that spread. They are among hubs alone.
    pub(super) fn why_steps(&self, planned: ByPriority) -> Option<WhyNot> {
        let ByPriority::IfSpread(needed) = planned else { return None };
        let spread = self.spread();
        (self.crowded && spread < needed).then_some(WhyNot::EvenSteps { spread, needed })
    }

    /// What an average edge adds, relative to the least one; 1 if no edge adds anything.
    fn spread(&self) -> f64 {
        if self.count == 0 { 1.0 } else { self.average() / f64::from(self.least) }
    }

    /// The width of the near list at first: [`near_width`](Costs::near_width) times what an
    /// average edge adds, divided by the square of the average degree, or by [`EVIDENT`] times
    /// the degree if that is less. Among the hubs of a large graph [`near_hubs`](Costs::near_hubs)
    /// times that, with [`EVIDENT_HUBS`]; elsewhere, if the graph is slow to search,
    /// [`near_slow`](Costs::near_slow) times. At least what the least edge adds: among priorities
    /// that are closer together, no vertex can change another, and so a narrower list only takes
    /// more rounds.
    pub(super) fn width<E: Value>(&self, graph: &Graph<E>, costs: &Costs, slow: bool) -> f32 {
        if self.count == 0 {
            return 1.0;
        }
        let (degree, edges) = (average_degree(graph), graph.out().targets().len() as u64);
        let (factor, evident) = if self.crowded && edges >= costs.rounds_edges {
            (costs.near_hubs, EVIDENT_HUBS)
        } else if slow {
            (costs.near_slow, EVIDENT)
        } else {
            (1.0, EVIDENT)
        };
        let width = costs.near_width * factor * self.average();
        let estimated = (width / (degree.max(1.0) * degree.clamp(1.0, evident))) as f32;
        if estimated > self.least { estimated } else { self.least }
    }
}

/// Edges in an average row.
fn average_degree<E: Value>(graph: &Graph<E>) -> f64 {
    graph.out().targets().len() as f64 / f64::from(graph.vertex_count().max(1))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn steps(each: &[f32]) -> Steps {
        let mut steps = Steps::none();
        each.iter().for_each(|step| steps.note(*step));
        steps
    }

    fn costs(near_width: f64) -> Costs {
        Costs { near_width, ..Costs::default() }
    }

    /// The width on a graph that is not slow to search.
    fn width(steps: &Steps, graph: &Graph, costs: &Costs) -> f32 {
        steps.width(graph, costs, false)
    }

    #[test]
    fn widths_are_estimated_down_to_the_least_step() {
        // Two edges per vertex.
        let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]).unwrap();
        let mixed = steps(&[1.0, 5.0, f32::INFINITY, -1.0]);
        assert_eq!((width(&mixed, &graph, &costs(128.0)), mixed.spread()), (96.0, 3.0));
        assert_eq!(mixed.width(&graph, &costs(128.0), true), 384.0);
        assert_eq!(width(&mixed, &graph, &costs(0.5)), 1.0);
        let equal = steps(&[0.25; 3]);
        assert_eq!((width(&equal, &graph, &costs(0.0)), equal.spread()), (0.25, 1.0));
        let none = steps(&[]);
        assert_eq!((width(&none, &graph, &costs(128.0)), none.spread()), (1.0, 1.0));
        assert_eq!(width(&mixed, &graph, &costs(f64::NAN)), 1.0);
    }

    #[test]
    fn on_dense_graphs_the_width_falls_with_the_degree() {
        // 99 edges per vertex, of which 8 count twice.
        let dense = (0..100).flat_map(|u| (0..100).map(move |v| (u, v))).filter(|(u, v)| u != v);
        let dense = Graph::from_edges(dense).unwrap();
        assert_eq!(width(&steps(&[99.0]), &dense, &costs(128.0)), 99.0);
        assert_eq!(width(&steps(&[99.0, 0.5]), &dense, &costs(128.0)), 8.040_404);
        // Among hubs, 64 do.
        let among_hubs = Steps { crowded: true, ..steps(&[99.0, 0.5]) };
        let costs = Costs { near_hubs: 1.0, rounds_edges: 0, ..costs(128.0) };
        assert_eq!(among_hubs.width(&dense, &costs, true), 1.005_050_5);
    }

    #[test]
    fn the_list_is_narrower_where_messages_meet_hubs() {
        let graph = Graph::from_edges([(0, 1), (0, 2), (1, 2), (1, 0), (2, 0), (2, 1)]).unwrap();
        let mut steps = steps(&[1.0, 5.0]);
        let mut costs = Costs { near_hubs: 0.25, rounds_edges: 6, ..costs(128.0) };
        for (crowded, expected) in [(false, 96.0), (true, 24.0)] {
            steps.crowded = crowded;
            assert_eq!(width(&steps, &graph, &costs), expected, "{crowded}");
        }
        costs.rounds_edges = 7;
        assert_eq!(width(&steps, &graph, &costs), 96.0);
    }
}
