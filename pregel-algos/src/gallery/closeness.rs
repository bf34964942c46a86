//! Closeness and harmonic centrality: how near a vertex is to all others.
//!
//! No program of its own: searches from many sources ([`many::bfs`](crate::many::bfs), 64 at
//! once), whose levels are added up. From every vertex the result is exact; from a random sample of sources it
//! is an estimate (D. Eppstein and J. Wang, *J. Graph Algorithms and Applications* 8, 2004).
//! Distances are those *to* a vertex, along the edges.
//!
//! Idiom: an algorithm around runs. O(V + E) per 64 sources and superstep.
//!
//! ```
//! use pregel_algos::gallery::closeness::Nearness;
//! use pregel_algos::many::{Many, Searches, bfs::BfsFromMany};
//! use pregel_core::prelude::*;
//!
//! let path = [(0, 1), (1, 2)];
//! let graph = GraphBuilder::new().with_directed(false).with_edges(path).build()?;
//! let (engine, options) = (Cpu::new(), RunOptions::default());
//! let mut searches = Searches::<_, BfsFromMany>::prepare(&engine, &graph, &options, 3)?;
//! let mut nearness = Nearness::new(3);
//! for sources in [0, 1, 2].chunks(BfsFromMany::MOST) {
//!     searches.run(sources)?.columns.iter().for_each(|levels| nearness.add(levels));
//! }
//! assert_eq!(nearness.closeness(), [2.0 / 3.0, 1.0, 2.0 / 3.0]);
//! assert_eq!(nearness.harmonic(), [1.5, 2.0, 1.5]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::vec::Vec;

use crate::bfs::UNREACHED;

/// Sums of the distances to each vertex from the sources so far.
#[derive(Clone, Debug)]
pub struct Nearness {
    sources: u32,
    /// Of each vertex: sources that reach it, itself not counted.
    reached: Vec<u32>,
    /// The sum of their distances.
    distances: Vec<u64>,
    /// The sum of the inverse distances.
    inverses: Vec<f64>,
}

impl Nearness {
    /// No sources yet, in a graph of this many vertices.
    pub fn new(vertex_count: u32) -> Self {
        let n = vertex_count as usize;
        Self {
            sources: 0,
            reached: std::vec![0; n],
            distances: std::vec![0; n],
            inverses: std::vec![0.0; n],
        }
    }

    /// Adds the levels of a search from one more source, different from those before. Levels
    /// beyond the number of vertices are ignored. O(V).
    pub fn add(&mut self, levels: &[u32]) {
        self.sources += 1;
        for (v, level) in levels.iter().enumerate().take(self.reached.len()) {
            if *level != UNREACHED && *level > 0 {
                self.reached[v] += 1;
                self.distances[v] += u64::from(*level);
                self.inverses[v] += 1.0 / f64::from(*level);
            }
        }
    }

    /// By how much more sources there would be if all vertices were.
    fn scale(&self) -> f64 {
        self.reached.len() as f64 / f64::from(self.sources.max(1))
    }

    /// Closeness: the inverse of the mean distance from the vertices that reach this one, times
    /// the share of all other vertices that do (S. Wasserman and K. Faust, *Social Network
    /// Analysis*, 1994); 0 if none does.
    pub fn closeness(&self) -> Vec<f64> {
        let others = (self.reached.len() as f64 - 1.0).max(1.0);
        let closeness = |(reached, distance): (&u32, &u64)| match reached {
            0 => 0.0,
            reached => {
                let share = (self.scale() * f64::from(*reached) / others).min(1.0);
                f64::from(*reached) / *distance as f64 * share
            }
        };
        self.reached.iter().zip(&self.distances).map(closeness).collect()
    }

    /// Harmonic centrality: the sum of the inverse distances from all other vertices.
    pub fn harmonic(&self) -> Vec<f64> {
        self.inverses.iter().map(|sum| sum * self.scale()).collect()
    }
}
