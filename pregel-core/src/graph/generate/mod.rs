//! Generated graphs, the same bit for bit on every machine.
//!
//! A [`Spec`] such as `rmat:scale=20,seed=7` names a graph completely. Edges,
//! weights and sources are hashes of their numbers. So any thread can make any of
//! them, and other programs can make the same graph and compare results;
//! [`edge_hash`](super::edge_hash) and [`weight_sum`](super::weight_sum) show that
//! it is the same.

mod decimal;
mod grid;
mod in_degree;
mod lattice;
mod options;
mod parse;
mod random;
mod rmat;
mod shuffle;
#[cfg(test)]
mod tests;
mod uniform;

use std::collections::HashSet;

use rayon::prelude::*;
use thiserror::Error;

use self::grid::Grid;
use self::in_degree::InDegree;
use self::lattice::Lattice;
use self::random::{Stream, mix64, scaled};
use self::rmat::Rmat;
use self::uniform::Uniform;
use super::{Duplicates, EdgeList, Graph, GraphBuilder, SelfLoops};
use crate::program::{Value, VertexId};

/// A generated graph. Its text form, read by `parse` and written by
/// `Display`, is a kind and its options:
///
/// | kind | options |
/// |---|---|
/// | `rmat:` | `scale=S`, `n=2^S` (more vertices than that: the others are isolated), `ef=16` (edges drawn for each of 2^S vertices) or `m=EDGES`, `a=.57`, `b=.19`, `c=.19`, `d=.05` (probabilities of the quadrants: all or none), `perm=1` (0: ids not shuffled) |
/// | `uniform:` | `n=VERTICES`, `m=EDGES` |
/// | `grid:` | `rows=R`, `cols=C`, `drop=0` (holes, in thousandths) |
/// | `lattice:` | `rows=R`, `cols=C`, `degree=6`, `8`, `12` or `16` (neighbours of a vertex, without wrap-around), `hubs=0` (in thousandths of the vertices), `hubdegree=100·degree` (edges from each hub to random vertices) |
/// | `indegree:` | `n=VERTICES`, `m=EDGES`, `max=M` (largest in-degree), `receivers=N` (vertices with an in-degree above 1), `s=S`, `q=Q` (in-degrees fall as `((1+q)/(1+q+i))^s`) |
/// | all | `seed=1`, `sym=1` (0: directed), `dedup=1` (0: duplicates and self-loops stay), `maxw=255` (largest weight), `wseed` (seed of the weights, `seed` if not given) |
///
/// For `indegree:` the defaults are `sym=0` and `dedup=0`, so that the in-degrees are exactly
/// those asked for. Numbers such as `a` are read to nine decimals. The sum of `a`, `b`, `c`
/// and `d` must be 1, but for an error of rounding of up to 0.00001, which `d` takes.
///
/// ```
/// use pregel_core::graph::generate::Spec;
///
/// let spec: Spec = "grid:rows=3,cols=4".parse()?;
/// let graph = spec.weighted()?;
/// assert_eq!((graph.vertex_count(), graph.directed()), (12, false));
/// assert_eq!(spec.sources(&graph, 2), spec.sources(&graph, 2)); // the same in every run
/// assert!("grid:rows=3".parse::<Spec>().is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// How edges are drawn.
    kind: Kind,
    /// Seed of everything but the weights.
    seed: u64,
    /// Whether the graph is undirected.
    sym: bool,
    /// Whether self-loops and duplicates are dropped.
    dedup: bool,
    /// Weights are integers from 1 to this.
    maxw: u32,
    /// Seed of the weights.
    wseed: u64,
}

/// How the edges of a generated graph are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    /// A power-law graph: Graph500's recursive matrix.
    Rmat(Rmat),
    /// Both ends of every edge uniform among all vertices.
    Uniform(Uniform),
    /// A grid with holes, like a road network.
    Grid(Grid),
    /// Neighbours in the plane, and hubs.
    Lattice(Lattice),
    /// Given in-degrees, like those of a real graph.
    InDegree(InDegree),
}

impl Kind {
    /// The default of `sym` and `dedup`. Both would change given in-degrees.
    fn switched_on(self) -> bool {
        !matches!(self, Self::InDegree(_))
    }
}

/// A generator spec that cannot be read or carried out.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("generator spec «{spec}»: {reason}")]
pub struct SpecError {
    /// The spec.
    pub spec: String,
    /// What is wrong with it, and what was expected.
    pub reason: String,
}

impl Spec {
    /// Number of vertices, `0..n`, with or without edges.
    pub fn vertex_count(&self) -> u32 {
        match self.kind {
            Kind::Rmat(rmat) => rmat.vertex_count(),
            Kind::Uniform(uniform) => uniform.vertex_count(),
            Kind::Grid(grid) => grid.vertex_count(),
            Kind::Lattice(lattice) => lattice.vertex_count(),
            Kind::InDegree(in_degree) => in_degree.vertex_count(),
        }
    }

    /// Generates the graph without weights: undirected if `sym`, directed if not.
    /// O(E log E) at most, parallel.
    ///
    /// # Errors
    /// If there is no memory for the edges.
    pub fn plain(&self) -> Result<Graph<()>, SpecError> {
        let EdgeList { vertex_count, mut edges, values } = self.edge_list()?;
        let mut builder = GraphBuilder::new().with_directed(!self.sym);
        if self.dedup {
            builder = builder.with_duplicates(Duplicates::First).with_self_loops(SelfLoops::Drop);
        } else if self.sym {
            // Here the mirror image of a self-loop counts too, while a builder
            // stores an undirected self-loop once.
            let loops: Vec<_> = edges.par_iter().filter(|[u, v]| u == v).copied().collect();
            edges.extend(loops);
        }
        let list = EdgeList { vertex_count, edges, values };
        builder.with_edge_list(list).build().map_err(|error| self.error(error.to_string()))
    }

    /// The edges as they are drawn: each in one direction, duplicates and self-loops
    /// included, whatever `sym` and `dedup` say. O(E), parallel.
    ///
    /// # Errors
    /// If there is no memory for the edges.
    pub fn edge_list(&self) -> Result<EdgeList, SpecError> {
        let edges = match self.kind {
            Kind::Rmat(rmat) => rmat.draw(self.seed),
            Kind::Uniform(uniform) => uniform.draw(self.seed),
            Kind::Grid(grid) => grid.draw(self.seed),
            Kind::Lattice(lattice) => lattice.draw(self.seed),
            Kind::InDegree(in_degree) => in_degree.draw(self.seed),
        }
        .map_err(|reason| self.error(reason))?;
        Ok(EdgeList { vertex_count: self.vertex_count(), edges, values: Vec::new() })
    }

    /// Generates the graph with its integer weights, `1..=maxw`, the same in
    /// both directions.
    ///
    /// # Errors
    /// As [`plain`](Spec::plain).
    pub fn weighted(&self) -> Result<Graph<f32>, SpecError> {
        Ok(draw_weights(&self.plain()?, self.maxw, self.wseed))
    }

    /// The sources for searches: `count` distinct vertices with an out-edge,
    /// or all of them if there are fewer. O(V + count) expected, unless
    /// nearly all such vertices are asked for.
    pub fn sources<E: Value>(&self, graph: &Graph<E>, count: usize) -> Vec<VertexId> {
        sources(graph, self.seed, count)
    }

    fn error(&self, reason: impl Into<String>) -> SpecError {
        SpecError { spec: self.to_string(), reason: reason.into() }
    }
}

/// The graph with random integer weights, `1..=largest`, the same in both directions of an
/// edge: a function of its ends and the seed, as in [`Spec::weighted`]. Up to 2^24 they
/// are exact. O(E), parallel.
///
/// ```
/// use pregel_core::graph::generate::{Spec, draw_weights};
///
/// let spec: Spec = "uniform:n=9,m=20,maxw=7,wseed=3".parse()?;
/// let graph = draw_weights(&spec.plain()?, 7, 3);
/// assert_eq!(graph.out_values(), spec.weighted()?.out_values());
/// # Ok::<(), pregel_core::graph::generate::SpecError>(())
/// ```
pub fn draw_weights<E: Value>(graph: &Graph<E>, largest: u32, seed: u64) -> Graph<f32> {
    let key = Stream::new(seed, 2).key();
    let weight = |u: VertexId, v: VertexId, _: E| {
        let edge = u64::from(u.min(v)) << 32 | u64::from(u.max(v));
        (1 + scaled(mix64(key ^ edge), u64::from(largest))) as f32
    };
    graph.map_values(weight)
}

/// [`Spec::sources`] of any graph: the same for the same graph, seed and count.
pub fn sources<E: Value>(graph: &Graph<E>, seed: u64, count: usize) -> Vec<VertexId> {
    let (n, out) = (graph.vertex_count(), graph.out());
    let candidates = (0..n).into_par_iter().filter(|v| out.degree(*v) > 0).count();
    let draws = Stream::new(seed, 3);
    let mut taken = HashSet::new();
    (0..)
        .map(|k| scaled(draws.get(k), u64::from(n)) as VertexId)
        .filter(|source| out.degree(*source) > 0 && taken.insert(*source))
        .take(count.min(candidates))
        .collect()
}

/// The edges `draw(0)`, `draw(1)`, …, `count` of them, or why there is no room for
/// them.
fn collect_edges(
    count: u64,
    draw: impl Fn(u64) -> [VertexId; 2] + Sync,
) -> Result<Vec<[VertexId; 2]>, String> {
    let mut edges = Vec::new();
    let len = usize::try_from(count).ok();
    let len = len.filter(|len| edges.try_reserve_exact(*len).is_ok());
    let len = len.ok_or_else(|| format!("no memory for {count} edges"))?;
    (0..len).into_par_iter().map(|i| draw(i as u64)).collect_into_vec(&mut edges);
    Ok(edges)
}
