//! Lattices in the plane: every vertex is joined to those around it, and a few hubs also to
//! vertices anywhere. FlexBFS was measured on such graphs (Liu Gu and others, *Study on
//! Optimizing Techniques of Breadth-first Search Algorithm on Graphic Processing Unit*, 2014).

use std::fmt;

use super::collect_edges;
use super::options::Options;
use super::parse::rows_and_cols;
use super::random::{Stream, scaled};
use super::shuffle::Shuffle;
use crate::program::VertexId;

/// Half of the neighbours, as (rows down, columns to the right); the others lie opposite.
/// The first 3, 4, 6 or 8 are those of degree 6, 8, 12 or 16.
const AHEAD: [(u32, i32); 8] = [(0, 1), (1, 0), (1, -1), (1, 1), (0, 2), (2, 0), (2, 2), (2, -2)];

/// `rows` times `cols` vertices, joined to their neighbours as far as these exist: nothing
/// wraps around. Vertex `r * cols + c` stands in row r and column c.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Lattice {
    /// Number of rows.
    rows: u32,
    /// Number of columns; `rows * cols` is a 32-bit number.
    cols: u32,
    /// Neighbours of a vertex inside: 6, 8, 12 or 16.
    degree: u32,
    /// Thousandths of the vertices that are hubs.
    hubs: u32,
    /// Edges that each hub has to random vertices.
    hub_degree: u32,
}

/// The edges along one of the offsets.
struct Stripe {
    /// Number of the first of them.
    first: u64,
    /// How many begin in one row.
    width: u64,
    /// Column of the leftmost beginning.
    left: u64,
    /// What to add to a vertex to come to its neighbour.
    offset: i64,
}

impl Lattice {
    pub(super) const OPTIONS: [&str; 5] = ["rows", "cols", "degree", "hubs", "hubdegree"];

    pub(super) fn read(options: &Options<'_>) -> Result<Self, String> {
        let (rows, cols) = rows_and_cols(options)?;
        let degree = options.needed("degree", 6..=16)? as u32;
        if ![6, 8, 12, 16].contains(&degree) {
            return Err(format!("degree={degree}: expected 6, 8, 12 or 16"));
        }
        let hubs = options.number("hubs", 0..=1000)?.unwrap_or(0) as u32;
        let hub_degree = options.number("hubdegree", 0..=u32::MAX.into())?;
        if hub_degree.is_some() && hubs == 0 {
            return Err(
                "hubdegree needs hubs, of which there are none: give hubs=NUMBER too".into()
            );
        }
        let hub_degree = hub_degree.map_or(Self::hub_degree(degree), |degree| degree as u32);
        Ok(Self { rows, cols, degree, hubs, hub_degree })
    }

    /// Edges of a hub by default.
    fn hub_degree(degree: u32) -> u32 {
        100 * degree
    }

    pub(super) fn vertex_count(self) -> u32 {
        self.rows.saturating_mul(self.cols)
    }

    fn hub_count(self) -> u64 {
        u64::from(self.vertex_count()) * u64::from(self.hubs) / 1000
    }

    /// The offsets that fit the lattice, and the number of edges along all of them.
    fn stripes(self) -> (Vec<Stripe>, u64) {
        let (rows, cols) = (u64::from(self.rows), u64::from(self.cols));
        let mut count = 0;
        let mut stripes = Vec::new();
        for (down, right) in &AHEAD[..self.degree as usize / 2] {
            let height = rows.saturating_sub(u64::from(*down));
            let width = cols.saturating_sub(u64::from(right.unsigned_abs()));
            let offset = i64::from(*down) * cols as i64 + i64::from(*right);
            if height * width > 0 {
                let left = if *right < 0 { u64::from(right.unsigned_abs()) } else { 0 };
                stripes.push(Stripe { first: count, width, left, offset });
                count += height * width;
            }
        }
        (stripes, count)
    }

    /// Number of edges that are drawn.
    fn edge_count(self) -> u64 {
        let from_hubs = self.hub_count() * u64::from(self.hub_degree);
        self.stripes().1.saturating_add(from_hubs)
    }

    /// First the edges along each offset, row by row, then those of each hub. Hub i is where a
    /// shuffle of all vertices takes vertex i.
    pub(super) fn draw(self, seed: u64) -> Result<Vec<[VertexId; 2]>, String> {
        let n = self.vertex_count();
        let (stripes, regular) = self.stripes();
        let (draws, shuffle) = (Stream::new(seed, 0), Shuffle::new(n, seed));
        let (cols, hub_degree) = (u64::from(self.cols), u64::from(self.hub_degree));
        collect_edges(self.edge_count(), |i| {
            if i < regular {
                let stripe = &stripes[stripes.partition_point(|stripe| stripe.first <= i) - 1];
                let (row, col) =
                    ((i - stripe.first) / stripe.width, (i - stripe.first) % stripe.width);
                let v = row * cols + stripe.left + col;
                [v as VertexId, v.wrapping_add_signed(stripe.offset) as VertexId]
            } else {
                let i = i - regular;
                let hub = shuffle.place((i / hub_degree) as VertexId);
                [hub, scaled(draws.get(i), u64::from(n)) as VertexId]
            }
        })
    }
}

impl fmt::Display for Lattice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lattice:rows={},cols={},degree={}", self.rows, self.cols, self.degree)?;
        if self.hubs != 0 {
            write!(f, ",hubs={}", self.hubs)?;
            if self.hub_degree != Self::hub_degree(self.degree) {
                write!(f, ",hubdegree={}", self.hub_degree)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::BTreeSet;

    use super::super::Spec;
    use super::*;

    /// Neighbours by their definition, for each degree in addition to those before it.
    const AROUND: [(u32, &[(i64, i64)]); 4] = [
        (6, &[(1, 0), (-1, 0), (0, 1), (0, -1), (1, -1), (-1, 1)]),
        (8, &[(1, 1), (-1, -1)]),
        (12, &[(2, 0), (-2, 0), (0, 2), (0, -2)]),
        (16, &[(2, 2), (2, -2), (-2, 2), (-2, -2)]),
    ];

    fn lattice(rows: u32, cols: u32, degree: u32) -> Lattice {
        Lattice { rows, cols, degree, hubs: 0, hub_degree: 0 }
    }

    #[test]
    fn every_neighbour_is_joined_once() {
        for (rows, cols) in [(1, 1), (1, 2), (2, 1), (2, 2), (1, 9), (9, 1), (3, 4), (6, 5)] {
            let mut offsets = Vec::new();
            for (degree, more) in AROUND {
                offsets.extend_from_slice(more);
                let lattice = lattice(rows, cols, degree);
                let drawn = lattice.draw(1).unwrap();
                assert_eq!(drawn.len() as u64, lattice.edge_count());
                let both = drawn.iter().flat_map(|[u, v]| [(*u, *v), (*v, *u)]);
                let both: BTreeSet<_> = both.collect();
                assert_eq!(both.len(), 2 * drawn.len(), "{rows} x {cols}, {degree}: once");
                let mut expected = BTreeSet::new();
                for (r, c) in (0..rows).flat_map(|r| (0..cols).map(move |c| (r, c))) {
                    for (down, right) in &offsets {
                        let (r2, c2) = (i64::from(r) + down, i64::from(c) + right);
                        if (0..i64::from(rows)).contains(&r2) && (0..i64::from(cols)).contains(&c2)
                        {
                            expected.insert((r * cols + c, r2 as u32 * cols + c2 as u32));
                        }
                    }
                }
                assert_eq!(both, expected, "{rows} x {cols}, {degree}");
            }
        }
    }

    #[test]
    fn hubs_have_as_many_edges_as_asked_for() {
        let hubs = Lattice { hubs: 20, hub_degree: 7, ..lattice(30, 40, 6) };
        let (drawn, regular) = (hubs.draw(3).unwrap(), lattice(30, 40, 6).draw(3).unwrap());
        assert_eq!(hubs.hub_count(), 24);
        assert_eq!(drawn[..regular.len()], regular);
        let starts: Vec<_> = drawn[regular.len()..]
            .chunks(7)
            .map(|edges| {
                assert!(edges.iter().all(|[hub, _]| *hub == edges[0][0]));
                edges[0][0]
            })
            .collect();
        assert_eq!(starts.iter().collect::<BTreeSet<_>>().len(), 24, "{starts:?}");
        assert_eq!(drawn.len(), regular.len() + 24 * 7);
    }

    /// The irregular graphs of FlexBFS, by their millions of edges to the two decimals of Table 1.
    #[test]
    fn flexbfs_graphs_can_be_matched() {
        for (rows, cols, degree, hub_degree, millions) in [
            (1000, 1000, 6, 460, "3.46"),
            (1000, 1000, 8, 485, "4.48"),
            (1000, 1000, 12, 350, "6.34"),
            (1000, 1000, 16, 458, "8.44"),
            (2000, 2500, 6, 500, "17.49"),
            (2000, 2500, 8, 479, "22.38"),
            (2000, 2500, 12, 493, "32.44"),
            (2000, 2500, 16, 472, "42.32"),
            (2500, 4000, 6, 499, "34.98"),
            (2500, 4000, 8, 594, "45.92"),
        ] {
            let graph = Lattice { hubs: 1, hub_degree, ..lattice(rows, cols, degree) };
            let count = format!("{:.2}", graph.edge_count() as f64 / 1e6);
            assert_eq!(count, millions, "{graph}");
        }
    }

    #[test]
    fn hubs_have_a_hundred_times_the_degree_by_default() {
        let graph = "lattice:rows=100,cols=100,degree=12,hubs=1".parse::<Spec>().unwrap();
        let rows = graph.plain().unwrap();
        let degrees = || (0..10_000).map(|v| rows.out().degree(v));
        // Each hub may have an edge twice, to itself or to a neighbour.
        assert_eq!(degrees().filter(|degree| (1_100..=1_240).contains(degree)).count(), 10);
        assert_eq!(degrees().filter(|degree| *degree > 100).count(), 10);
        assert!(degrees().all(|degree| degree >= 5));
    }
}
