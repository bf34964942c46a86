//! Local clustering coefficients, counted again.

use std::format;
use std::iter::Chain;
use std::slice::Iter;
use std::string::String;
use std::vec;
use std::vec::Vec;

use pregel_core::graph::Graph;
use pregel_core::program::{Value, VertexId};

use super::{Violation, one_each};

/// How far a coefficient may be from the one that is counted here.
const ROUNDING: f64 = 1e-9;

/// Whether every value is between 0 and 1, and those of some vertices are their local
/// clustering coefficients, as [`LocalClustering`](pregel_core::engine::LocalClustering)
/// defines them. Returns the number of these vertices.
///
/// The rows of all neighbours of a vertex are read and compared with the set of neighbours,
/// O(Σ d²) for all vertices. If that is more than `steps`, only every k-th vertex is
/// checked, which takes about as many steps; at least one vertex is.
///
/// # Errors
/// The first [`Violation`].
pub fn coefficients<E: Value>(
    graph: &Graph<E>,
    coefficients: &[f64],
    steps: u64,
) -> Result<u32, Violation> {
    one_each(graph, coefficients)?;
    for (v, value) in (0..).zip(coefficients) {
        if !(0.0..=1.0).contains(value) {
            let fact = format!("its coefficient is {value}, which is not between 0 and 1");
            return Err(Violation::vertex(graph, v, fact));
        }
    }
    check_some(graph, steps, |counter, v| {
        let (edges, neighbours) = counter.count(graph, v);
        let pairs = neighbours * neighbours.saturating_sub(1);
        let expected = if pairs == 0 { 0.0 } else { edges as f64 / pairs as f64 };
        let value = coefficients[v as usize];
        if (value - expected).abs() > ROUNDING {
            return Err(format!(
                "its coefficient is {value}, but {edges} edges between its {neighbours} \
                 neighbours make {expected}"
            ));
        }
        Ok(())
    })
}

/// Checks vertices so spread that counting edges among the neighbours of each takes about this
/// many steps, O(Σ d²) for all vertices; at least one if there are any. Returns their number, or
/// what is wrong with the first that `check` refuses.
pub(super) fn check_some<E: Value>(
    graph: &Graph<E>,
    steps: u64,
    mut check: impl FnMut(&mut Counter, VertexId) -> Result<(), String>,
) -> Result<u32, Violation> {
    let n = graph.vertex_count();
    // Every vertex has its row read for each of its neighbours.
    let both = |v| graph.out().degree(v) + graph.incoming().degree(v);
    let all: u64 =
        (0..n).map(|v| graph.out().degree(v).saturating_mul(both(v))).fold(0, u64::saturating_add);
    let stride = all.div_ceil(steps.max(1)).clamp(1, u64::from(n.max(1)));
    let mut counter = Counter::new(graph);
    let mut checked = 0;
    for v in (0..n).step_by(stride as usize) {
        check(&mut counter, v).map_err(|fact| Violation::vertex(graph, v, fact))?;
        checked += 1;
    }
    Ok(checked)
}

/// No vertex has this number.
const NONE: VertexId = VertexId::MAX;

pub(super) struct Counter {
    /// The vertex that this one was last found to be a neighbour of.
    neighbour_of: Vec<VertexId>,
    /// The vertex in whose row this one was last counted, for the vertex being checked.
    seen: Vec<VertexId>,
}

impl Counter {
    fn new<E: Value>(graph: &Graph<E>) -> Self {
        let none = vec![NONE; graph.vertex_count() as usize];
        Self { neighbour_of: none.clone(), seen: none }
    }

    /// The edges among the neighbours of `v`, and the number of neighbours.
    fn count<E: Value>(&mut self, graph: &Graph<E>, v: VertexId) -> (u64, u64) {
        self.count_along(graph, v, |u| graph.out().row(u).iter().chain(&[]))
    }

    /// The pairs of neighbours of `v` that are neighbours themselves, each from both of its
    /// vertices.
    pub(super) fn pairs<E: Value>(&mut self, graph: &Graph<E>, v: VertexId) -> u64 {
        self.count_along(graph, v, |u| graph.out().row(u).iter().chain(graph.incoming().row(u))).0
    }

    /// The distinct neighbours of `v` along the rows of each of them, and their number.
    fn count_along<'g, E: Value>(
        &mut self,
        graph: &Graph<E>,
        v: VertexId,
        rows: impl Fn(VertexId) -> Chain<Iter<'g, VertexId>, Iter<'g, VertexId>>,
    ) -> (u64, u64) {
        let mut neighbours = vec![];
        for &u in graph.out().row(v).iter().chain(graph.incoming().row(v)) {
            if u != v && self.neighbour_of[u as usize] != v {
                self.neighbour_of[u as usize] = v;
                neighbours.push(u);
            }
        }
        let mut edges = 0;
        for &u in &neighbours {
            for &w in rows(u) {
                let new = w != u && self.seen[w as usize] != u;
                if new && self.neighbour_of[w as usize] == v {
                    self.seen[w as usize] = u;
                    edges += 1;
                }
            }
        }
        // For the next vertex, whose neighbours may be the same.
        neighbours.iter().for_each(|u| self.seen[*u as usize] = NONE);
        (edges, neighbours.len() as u64)
    }
}
