//! Writers of text: edge lists and Matrix Market.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::graph::{Csr, Graph, Id, IdParts};
use crate::io::text::edge_list::{MARK, VERTEX, VERTICES};
use crate::program::{Value, VertexId};

/// Number of edges that one task writes as text.
const EDGES_TOGETHER: u64 = 1 << 16;

/// A graph and its weights, if it has any.
pub(super) struct View<'a, E> {
    pub graph: &'a Graph<E>,
    pub weights: Option<&'a [f32]>,
}

impl<E: Value> View<'_, E> {
    /// Number of edges; an undirected edge counts once.
    fn edges(&self) -> u64 {
        let rows = self.graph.out();
        if self.graph.directed() {
            return rows.edge_count();
        }
        let own = |v: VertexId| rows.row(v).iter().filter(|target| **target == v).count() as u64;
        let loops: u64 = (0..rows.vertex_count()).into_par_iter().map(own).sum();
        (rows.edge_count() + loops) / 2
    }

    /// An edge list as `docs/formats.md` describes it.
    pub fn edge_list(&self, separator: u8, to: &mut dyn Write) -> io::Result<()> {
        let graph = self.graph;
        let (rows, ids) = (graph.out(), graph.ids());
        let named = matches!(ids.parts(), IdParts::Names { .. });
        writeln!(
            to,
            "{MARK} {}{}{}, {} vertices, {} edges",
            if graph.directed() { "directed" } else { "undirected" },
            if named { ", names" } else { "" },
            if self.weights.is_some() { ", weights" } else { "" },
            graph.vertex_count(),
            self.edges(),
        )?;
        let listed: Vec<VertexId> =
            if named { (0..graph.vertex_count()).collect() } else { isolated(rows) };
        if let (IdParts::Range { first }, false) = (ids.parts(), listed.is_empty()) {
            let last = first + u64::from(graph.vertex_count() - 1);
            writeln!(to, "{VERTICES} {first}..{last}")?;
        } else {
            for v in listed {
                writeln!(to, "{VERTEX} {}", ids.get(v))?;
            }
        }
        let put_id = |v: VertexId, line: &mut Vec<u8>| match ids.get(v) {
            Id::Integer(id) => push_integer(line, id),
            Id::Name(name) => line.extend_from_slice(name.as_bytes()),
        };
        self.lines(
            to,
            |source, target| source <= target,
            |source, target, line| {
                put_id(source, line);
                line.push(separator);
                put_id(target, line);
                separator
            },
        )
    }

    /// A Matrix Market file; vertices are counted from 1.
    pub fn matrix_market(&self, to: &mut dyn Write) -> io::Result<()> {
        let graph = self.graph;
        let whole = |weight: &f32| weight.fract() == 0.0 && weight.abs() < 1e7;
        let field = match self.weights {
            None => "pattern",
            Some(weights) if weights.par_iter().all(whole) => "integer",
            Some(_) => "real",
        };
        let symmetry = if graph.directed() { "general" } else { "symmetric" };
        writeln!(to, "%%MatrixMarket matrix coordinate {field} {symmetry}")?;
        if !matches!(graph.ids().parts(), IdParts::Range { first: 1 }) {
            writeln!(to, "% vertices are counted from 1 in the order of their ids")?;
        }
        let vertices = graph.vertex_count();
        writeln!(to, "{vertices} {vertices} {}", self.edges())?;
        // A symmetric matrix is written as its lower half.
        self.lines(
            to,
            |source, target| source >= target,
            |source, target, line| {
                push_integer(line, u64::from(source) + 1);
                line.push(b' ');
                push_integer(line, u64::from(target) + 1);
                b' '
            },
        )
    }

    /// Writes a line for every edge of the rows by source; an undirected edge
    /// only in the direction that `once` picks. `put` writes the ends and
    /// returns what separates them from a weight. Lines are made in parallel.
    fn lines(
        &self,
        to: &mut dyn Write,
        once: impl Fn(VertexId, VertexId) -> bool + Sync,
        put: impl Fn(VertexId, VertexId, &mut Vec<u8>) -> u8 + Sync,
    ) -> io::Result<()> {
        let rows = self.graph.out();
        let directed = self.graph.directed();
        let make = |range: &Range<VertexId>| {
            let mut lines = Vec::new();
            for source in range.clone() {
                for place in rows.range(source) {
                    let target = rows.targets()[place];
                    if !directed && !once(source, target) {
                        continue;
                    }
                    let separator = put(source, target, &mut lines);
                    if let Some(weights) = self.weights {
                        lines.push(separator);
                        let _ = write!(lines, "{}", weights[place]);
                    }
                    lines.push(b'\n');
                }
            }
            lines
        };
        for blocks in blocks(rows).chunks(2 * rayon::current_num_threads()) {
            let texts: Vec<Vec<u8>> = blocks.par_iter().map(make).collect();
            for text in texts {
                to.write_all(&text)?;
            }
        }
        Ok(())
    }
}

/// The vertices without edges. O(V + E), parallel, with a byte per vertex: rows by target,
/// from which in-degrees could be read, would take a copy of the graph.
pub(super) fn isolated(rows: &Csr) -> Vec<VertexId> {
    let is_target: Vec<AtomicBool> =
        (0..rows.vertex_count()).map(|_| AtomicBool::new(false)).collect();
    rows.targets().par_iter().for_each(|target| {
        let mark = &is_target[*target as usize];
        // Threads that only read the mark of a hub do not wait for each other.
        if !mark.load(Ordering::Relaxed) {
            mark.store(true, Ordering::Relaxed);
        }
    });
    let is_isolated =
        |v: &VertexId| rows.degree(*v) == 0 && !is_target[*v as usize].load(Ordering::Relaxed);
    (0..rows.vertex_count()).into_par_iter().filter(is_isolated).collect()
}

/// Ranges of vertices with about as many edges each.
fn blocks(rows: &Csr) -> Vec<Range<VertexId>> {
    let mut blocks = Vec::new();
    let mut start = 0;
    while start < rows.vertex_count() {
        let wanted = rows.offsets()[start as usize] + EDGES_TOGETHER;
        let rest = &rows.offsets()[start as usize + 1..];
        let count = rest.partition_point(|end| *end <= wanted).max(1);
        let end = start + count as VertexId;
        blocks.push(start..end);
        start = end;
    }
    blocks
}

/// Appends the decimal digits of `value`.
fn push_integer(line: &mut Vec<u8>, mut value: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[first..]);
}
