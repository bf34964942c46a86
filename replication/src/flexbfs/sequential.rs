//! The search on one core, with a queue: the paper's yardstick, and the judge of all others.

use pregel_core::graph::Csr;
use pregel_core::program::VertexId;

/// The level of a vertex that was not found.
pub const NOT_FOUND: u32 = u32::MAX;

/// A search on one core, with memory that is kept for the next.
pub struct Search<'a> {
    rows: &'a Csr,
    levels: Vec<u32>,
    queue: Vec<VertexId>,
}

impl<'a> Search<'a> {
    /// A search along the rows. O(V).
    pub fn new(rows: &'a Csr) -> Self {
        let n = rows.vertex_count() as usize;
        Self { rows, levels: vec![NOT_FOUND; n], queue: Vec::with_capacity(n) }
    }

    /// Forgets what was found. O(V).
    pub fn reset(&mut self) {
        self.levels.fill(NOT_FOUND);
        self.queue.clear();
    }

    /// Searches from a vertex of the graph, after a [`reset`](Self::reset). O(V + E).
    pub fn run(&mut self, source: VertexId) {
        let Self { rows, levels, queue } = self;
        levels[source as usize] = 0;
        queue.push(source);
        let mut next = 0;
        while let Some(&v) = queue.get(next) {
            next += 1;
            let below = levels[v as usize] + 1;
            for &target in rows.row(v) {
                let level = &mut levels[target as usize];
                if *level == NOT_FOUND {
                    *level = below;
                    queue.push(target);
                }
            }
        }
    }

    /// The level of each vertex.
    pub fn levels(&self) -> &[u32] {
        &self.levels
    }

    /// How many vertices were found, the source included.
    pub fn reached(&self) -> u64 {
        self.queue.len() as u64
    }

    /// How many vertices each level has.
    pub fn frontiers(&self) -> Vec<u32> {
        let mut counts = Vec::new();
        for v in &self.queue {
            let level = self.levels[*v as usize] as usize;
            if level == counts.len() {
                counts.push(0);
            }
            counts[level] += 1;
        }
        counts
    }
}
