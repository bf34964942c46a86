//! How the vertices are divided.

use std::ops::Range;

use super::edges::Rows;
use super::shape::Shape;
use crate::engine::sampled::vertices;
use crate::parallel;
use crate::program::{Program, Value, VertexId};

/// How the vertices are divided among threads. This depends on the graph alone,
/// so that sums are the same on any number of threads.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// Spans of consecutive vertices, each of about as much work. They are cut at multiples of
    /// 64, so that no two share a word of a bitmap.
    pub(super) spans: Vec<Range<VertexId>>,
    /// Vertices with more than `HUB` edges to gather, ascending.
    pub(super) hubs: Vec<VertexId>,
    /// Vertices with an edge to gather, one bit each; all if that is not known.
    linked: Vec<u64>,
    /// What is known of the rows of every 64 vertices.
    rows: Vec<WordRows>,
    /// Whether many edges to gather along lead to places that processors do not foresee.
    pub(super) scattered: bool,
}

/// What is known of the rows from which some vertices gather.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum WordRows {
    /// Nothing.
    Any,
    /// None has more than [`FEW`] edges, and at least as many follow.
    Few,
    /// Each has as many edges, at least one and at most [`FEW`].
    Each(u8),
}

/// A few edges.
pub(super) const FEW: usize = 4;

impl WordRows {
    /// Of rows with between `least` and `most` edges, the last of which ends at edge `end` of
    /// `edges`.
    fn of([least, most]: [u64; 2], end: u64, edges: u64) -> Self {
        match most {
            1.. if least == most && most <= FEW as u64 => Self::Each(most as u8),
            _ if most <= FEW as u64 && end + FEW as u64 <= edges => Self::Few,
            _ => Self::Any,
        }
    }
}

impl Cut {
    /// Divides the vertices of the graph. O(V), parallel.
    pub(super) fn of<P: Program>(shape: &Shape<'_, P>) -> Self {
        let (n, unknown) = (shape.vertex_count, u64::from(!shape.gathers()));
        let word = |i: usize| {
            let (mut linked, mut work, mut hubs) = (0, 0, false);
            let (mut least, mut most) = (u64::MAX, 0);
            let vertices = vertices_of(i, n);
            for v in vertices.clone() {
                let degree = shape.gather_degree(v);
                linked |= (u64::from(degree > 0) | unknown) << (v % 64);
                work += degree.min(HUB) + 4;
                hubs |= degree > HUB;
                (least, most) = (least.min(degree), most.max(degree));
            }
            let rows = match (shape.gather.first(), shape.gather.second()) {
                (rows, None) => {
                    let end = rows.offsets[vertices.end as usize];
                    WordRows::of([least, most], end, rows.targets.len() as u64)
                }
                _ => WordRows::Any,
            };
            (linked, rows, work, hubs)
        };
        let mut words = Vec::new();
        parallel::map_into(&mut words, n.div_ceil(64) as usize, 64, word);
        let (linked, rows) = words.iter().map(|(linked, rows, ..)| (*linked, *rows)).unzip();
        let scattered = n >= LARGE && is_scattered(n, shape.gather.first());
        let mut cut = Cut { linked, rows, scattered, ..Cut::default() };
        let span = (words.iter().map(|(.., load, _)| load).sum::<u64>() / SPANS).clamp(LEAST, MOST);
        let (mut start, mut work) = (0, 0);
        for (i, (.., load, hubs)) in words.into_iter().enumerate() {
            let vertices = vertices_of(i, n);
            work += load;
            if hubs {
                cut.hubs.extend(vertices.clone().filter(|v| shape.gather_degree(*v) > HUB));
            }
            if work >= span || vertices.end == n {
                cut.spans.push(start..vertices.end);
                (start, work) = (vertices.end, 0);
            }
        }
        cut
    }

    /// The vertices with an edge to gather among the 64 from vertex `64 * i` on.
    #[inline(always)]
    pub(super) fn linked(&self, i: usize) -> u64 {
        self.linked[i]
    }

    /// What is known of the rows of these 64 vertices.
    #[inline(always)]
    pub(super) fn rows(&self, i: usize) -> WordRows {
        self.rows[i]
    }
}

/// How many spans there should be, so that each of many threads has several.
const SPANS: u64 = 1 << 8;
/// The least work of a span: an edge to gather along is one unit, a vertex is four.
const LEAST: u64 = 1 << 12;
/// The most, apart from the vertices of a single word.
const MOST: u64 = 1 << 16;
/// The most edges of one row that one thread gathers alone.
pub(super) const HUB: u64 = 1 << 16;
/// Edges per segment of a hub's row.
pub(super) const SEGMENT: usize = 1 << 14;

/// Graphs with fewer vertices are not looked at: all their signals lie in near caches.
const LARGE: u32 = 1 << 19;
/// Neighbours whose numbers differ by no more than this are likely to share a near cache.
const REACH: u32 = 1 << 10;
/// Numbers that differ by less than this share a cache line, or lie on adjacent ones.
const LINE: u32 = 16;
/// Rows of which one edge each is looked at.
const SAMPLE: u64 = 1 << 9;

/// Whether more than one of 16 edges leads to a place that processors do not foresee, as far as a
/// sample tells: far from the vertex, and from where the two rows before lead to. On a grid, edges
/// to the next line lead far away, but one after the other.
fn is_scattered<E: Value>(n: u32, rows: &Rows<'_, E>) -> bool {
    let (mut unforeseen, mut all) = (0, 0);
    for v in vertices(n, SAMPLE) {
        let (row, before) = (rows.range(v), rows.range(v.saturating_sub(2)).start);
        let (row, before) = (&rows.targets[row.clone()], &rows.targets[before..row.start]);
        if let Some(target) = row.get(row.len() / 2) {
            let far = target.abs_diff(v) > REACH;
            unforeseen += u32::from(far && before.iter().all(|t| t.abs_diff(*target) >= LINE));
            all += 1;
        }
    }
    unforeseen * 16 > all
}

/// The vertices whose bits are in word `i` of a bitmap of `n` vertices.
fn vertices_of(i: usize, n: u32) -> Range<VertexId> {
    let start = i as VertexId * 64;
    start..n.min(start.saturating_add(64))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::generate::Spec;

    #[test]
    fn places_that_follow_one_another_are_foreseen() {
        let scattered = |spec: &str| {
            let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
            is_scattered(graph.vertex_count(), &Rows::new(graph.out(), graph.out_values()))
        };
        // The lines of the grids are longer than `REACH`.
        for spec in
            ["grid:rows=20,cols=2000", "grid:rows=20,cols=2000,drop=50", "grid:rows=1,cols=9000"]
        {
            assert!(!scattered(spec), "{spec}");
        }
        for spec in ["uniform:n=20000,m=40000", "rmat:scale=15,ef=4,sym=0"] {
            assert!(scattered(spec), "{spec}");
        }
        // Small enough that nothing is far.
        assert!(!scattered("uniform:n=1000,m=5000"));
    }
}
