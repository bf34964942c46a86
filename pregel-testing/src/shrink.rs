//! Makes a graph on which something fails as small as it can.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Debug, Write};
use std::time::{Duration, Instant};

use fastrand::Rng;
use pregel_core::graph::{EdgeList, Graph, GraphBuilder};
use pregel_core::program::{Value, VertexId};

/// How long shrinking may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Vertices of the largest graph of which a part keeps all vertices.
const SMALL: u32 = 4096;

/// Edges that a description lists at most.
const LISTED: usize = 24;

/// A graph in words, for the message of a test: the number of its vertices, whether its edges have a
/// direction, and the first of its edges with their values.
///
/// ```
/// use pregel_core::graph::Graph;
///
/// let graph = Graph::from_edges([(0, 1), (1, 2)])?;
/// let text = pregel_testing::described(&graph);
/// assert_eq!(text, "a graph of 3 vertices, directed, with the edges 0 → 1, 1 → 2");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn described<E: Value + Debug>(graph: &Graph<E>) -> String {
    Case::<E, ()>::new(graph, &[]).describe()
}

/// A graph with one input per vertex, as a list that can be cut.
#[derive(Clone)]
pub(crate) struct Case<E, I> {
    directed: bool,
    vertices: u32,
    edges: Vec<(VertexId, VertexId, E)>,
    inputs: Vec<I>,
}

impl<E: Value + Debug, I: Value> Case<E, I> {
    /// `inputs` may be empty, if the program takes none.
    pub(crate) fn new(graph: &Graph<E>, inputs: &[I]) -> Self {
        let vertices = graph.vertex_count();
        let row = |u: VertexId| {
            let range = graph.out().range(u);
            let targets = graph.out().targets()[range.clone()].iter().copied();
            targets.zip(range).map(move |(v, i)| (u, v, value(graph.out_values(), i)))
        };
        let edges = (0..vertices).flat_map(row);
        // An undirected graph holds both directions of an edge.
        let edges = edges.filter(|(u, v, _)| graph.directed() || u <= v).collect();
        Self { directed: graph.directed(), vertices, edges, inputs: inputs.to_vec() }
    }

    /// A part of a graph, the edges between up to `most` vertices: one of `starts`, if there are
    /// any, and neighbours of those that are there already. In a small graph the vertices keep
    /// their numbers, so that a source remains one; in a larger one they are numbered anew.
    pub(crate) fn sample(
        graph: &Graph<E>,
        inputs: &[I],
        starts: &[VertexId],
        most: u32,
        random: &mut Rng,
    ) -> Self {
        let n = graph.vertex_count();
        let mut chosen = BTreeSet::new();
        let mut last = 0;
        // Now and then it goes on elsewhere, so that a dead end does not stop it.
        for step in 0..4 * most {
            let near = [graph.out().row(last), graph.incoming().row(last)].concat();
            last = if step == 0 && !starts.is_empty() {
                starts[random.usize(0..starts.len())]
            } else if step == 0 || near.is_empty() || random.u8(0..8) == 0 {
                random.u32(0..n)
            } else {
                near[random.usize(0..near.len())]
            };
            chosen.insert(last);
            if chosen.len() >= most.min(n) as usize {
                break;
            }
        }
        let all = n <= SMALL;
        let number = |(new, old): (u32, &VertexId)| (*old, if all { *old } else { new });
        let numbers: BTreeMap<VertexId, u32> = (0..).zip(&chosen).map(number).collect();
        let mut edges = Vec::new();
        for (&vertex, &u) in &numbers {
            for edge in graph.out().range(vertex) {
                let Some(&v) = numbers.get(&graph.out().targets()[edge]) else { continue };
                if graph.directed() || u <= v {
                    edges.push((u, v, value(graph.out_values(), edge)));
                }
            }
        }
        let inputs = if all || inputs.is_empty() {
            inputs.to_vec()
        } else {
            chosen.iter().map(|v| inputs[*v as usize]).collect()
        };
        let vertices = if all { n } else { numbers.len() as u32 };
        Self { directed: graph.directed(), vertices, edges, inputs }
    }

    /// The graph; `None` if it cannot be built.
    pub(crate) fn graph(&self) -> Option<Graph<E>> {
        let list = EdgeList {
            vertex_count: self.vertices,
            edges: self.edges.iter().map(|(u, v, _)| [*u, *v]).collect(),
            values: (0..self.edges.len() as u32).collect(),
        };
        let builder = GraphBuilder::new().with_directed(self.directed).with_edge_list(list);
        let numbered = builder.build().ok()?;
        Some(numbered.map_values(|_, _, edge| self.edges[edge as usize].2))
    }

    pub(crate) fn inputs(&self) -> &[I] {
        &self.inputs
    }

    /// The smallest case found for which `fails` holds, as it must for this one. Vertices and
    /// edges are left out, half of them at first, in the end one by one.
    pub(crate) fn shrink(self, fails: impl Fn(&Self) -> bool) -> Self {
        let start = Instant::now();
        let fails = |case: &Self| start.elapsed() < PATIENCE && fails(case);
        let mut case = self;
        loop {
            let size = (case.vertices, case.edges.len());
            case = shrink_by(case, |case| case.vertices as usize, Self::without_vertices, &fails);
            case = shrink_by(case, |case| case.edges.len(), Self::without_edges, &fails);
            if (case.vertices, case.edges.len()) == size {
                return case;
            }
        }
    }

    fn without_edges(&self, from: usize, to: usize) -> Self {
        let mut case = self.clone();
        case.edges.drain(from..to);
        case
    }

    /// Without these vertices and their edges; those that follow move up.
    fn without_vertices(&self, from: usize, to: usize) -> Self {
        let gone = from as u32..to as u32;
        let moved = |v: u32| if v < gone.start { v } else { v - gone.len() as u32 };
        let mut case = self.clone();
        case.vertices -= gone.len() as u32;
        case.edges.retain(|(u, v, _)| !gone.contains(u) && !gone.contains(v));
        for (u, v, _) in &mut case.edges {
            (*u, *v) = (moved(*u), moved(*v));
        }
        if !case.inputs.is_empty() {
            case.inputs.drain(from..to);
        }
        case
    }

    /// The graph in words.
    pub(crate) fn describe(&self) -> String {
        let kind = if self.directed { "directed" } else { "undirected" };
        let vertices = if self.vertices == 1 { "vertex" } else { "vertices" };
        let mut text = format!("a graph of {} {vertices}, {kind}", self.vertices);
        text += match self.edges.len() {
            0 => ", without edges",
            1 => ", with the edge",
            _ => ", with the edges",
        };
        let arrow = if self.directed { "→" } else { "–" };
        for (u, v, value) in self.edges.iter().take(LISTED) {
            // Writing to a string never fails.
            let _ = match size_of::<E>() {
                0 => write!(text, " {u} {arrow} {v},"),
                _ => write!(text, " {u} {arrow} {v} ({value:?}),"),
            };
        }
        match self.edges.len().saturating_sub(LISTED) {
            0 => text.trim_end_matches(',').to_owned(),
            more => text + &format!(" and {more} more"),
        }
    }
}

/// Leaves out stretches of what `len` counts, of half the length down to one.
fn shrink_by<C>(
    mut case: C,
    len: impl Fn(&C) -> usize,
    without: impl Fn(&C, usize, usize) -> C,
    fails: &impl Fn(&C) -> bool,
) -> C {
    let mut stretch = len(&case).div_ceil(2);
    while stretch > 0 {
        let mut from = 0;
        while from < len(&case) {
            let smaller = without(&case, from, (from + stretch).min(len(&case)));
            if fails(&smaller) {
                case = smaller;
            } else {
                from += stretch;
            }
        }
        stretch /= 2;
    }
    case
}

/// Value `i`; values without a size are not stored.
pub(crate) fn value<V: Value>(values: &[V], i: usize) -> V {
    values.get(i).copied().unwrap_or_else(V::zeroed)
}
