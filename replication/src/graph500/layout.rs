//! The graph in the order in which a search reads it.

use std::cmp::Reverse;
use std::ops::Range;

use pregel_core::graph::Graph;
use pregel_core::program::VertexId;
use rayon::prelude::*;

use super::techniques::Techniques;
use crate::ReplicationError;

/// No vertex, no place.
pub const NONE: u32 = u32::MAX;

/// Vertices of one word of a bitmap.
pub const WORD: usize = 64;

/// Places that one task fills.
const STRETCH: usize = 4096;

/// Vertices at places, and their rows of neighbours' places.
#[derive(Debug)]
pub struct Layout {
    /// Where the row of each place begins, and where the last one ends.
    offsets: Vec<usize>,
    neighbours: Vec<u32>,
    /// The first neighbour of each place, or [`NONE`]; empty if neighbours are not in order.
    first: Vec<u32>,
    /// The vertex at each place; [`NONE`] at the end of a segment that is not full.
    vertex_at: Vec<VertexId>,
    /// The place of each vertex; [`NONE`] of those left out.
    place_of: Vec<u32>,
    /// Places of one thread, a multiple of [`WORD`]; all of them if they are not dealt.
    segment: usize,
}

impl Layout {
    /// Lays an undirected graph out as `techniques` ask for, for this many threads.
    /// O(V log V + E log d) with the largest degree d; O(V + E) without any order.
    ///
    /// # Errors
    /// If the places cannot be numbered.
    pub fn new(
        graph: &Graph<()>,
        techniques: Techniques,
        threads: usize,
    ) -> Result<Self, ReplicationError> {
        let rows = graph.out();
        let kept = |&v: &VertexId| !techniques.zero_removal || rows.degree(v) > 0;
        let mut order: Vec<VertexId> = (0..graph.vertex_count()).filter(kept).collect();
        if techniques.vertex_sort {
            order.par_sort_by_key(|&v| Reverse(rows.degree(v)));
        }
        let segments = if techniques.shuffle { threads.max(1) } else { 1 };
        let segment = order.len().div_ceil(segments).next_multiple_of(WORD);
        let places = segment * segments;
        if u32::try_from(places).is_err() {
            return Err(ReplicationError::TooLarge { vertices: places });
        }

        let mut vertex_at = vec![NONE; places];
        let mut place_of = vec![NONE; graph.vertex_count() as usize];
        for (i, &vertex) in order.iter().enumerate() {
            let place = i % segments * segment + i / segments;
            vertex_at[place] = vertex;
            place_of[vertex as usize] = place as u32;
        }

        let row_of = |vertex: VertexId| {
            if vertex == NONE { &[][..] } else { rows.row(vertex) }
        };
        let stretch = |vertices: &[VertexId]| {
            let mut neighbours = Vec::new();
            for &vertex in vertices {
                let begin = neighbours.len();
                neighbours.extend_from_slice(row_of(vertex));
                let row = &mut neighbours[begin..];
                if techniques.highest_first {
                    row.sort_by_key(|&v| Reverse(rows.degree(v)));
                }
                for v in row {
                    *v = place_of[*v as usize];
                }
            }
            neighbours
        };
        let stretches: Vec<Vec<u32>> = vertex_at.par_chunks(STRETCH).map(stretch).collect();
        let mut offsets = Vec::with_capacity(places + 1);
        let mut end = 0;
        offsets.push(end);
        for &vertex in &vertex_at {
            end += row_of(vertex).len();
            offsets.push(end);
        }
        let neighbours = stretches.concat();
        let first = if techniques.highest_first {
            let first = |ends: &[usize]| *neighbours[ends[0]..ends[1]].first().unwrap_or(&NONE);
            offsets.par_windows(2).map(first).collect()
        } else {
            Vec::new()
        };
        Ok(Self { offsets, neighbours, first, vertex_at, place_of, segment })
    }

    /// Number of places.
    pub fn places(&self) -> usize {
        self.vertex_at.len()
    }

    /// Entries of all rows: twice the number of edges.
    pub fn entries(&self) -> u64 {
        self.neighbours.len() as u64
    }

    /// The neighbours of a place.
    pub fn row(&self, place: usize) -> &[u32] {
        &self.neighbours[self.offsets[place]..self.offsets[place + 1]]
    }

    /// Number of neighbours.
    pub fn degree(&self, place: usize) -> u64 {
        (self.offsets[place + 1] - self.offsets[place]) as u64
    }

    /// The first neighbours, if rows are in order.
    pub fn first(&self) -> &[u32] {
        &self.first
    }

    /// Number of vertices of the graph, those left out included.
    pub fn vertex_count(&self) -> u32 {
        self.place_of.len() as u32
    }

    /// The vertex at a place.
    pub fn vertex_at(&self, place: u32) -> VertexId {
        self.vertex_at[place as usize]
    }

    /// The place of a vertex, or [`NONE`].
    pub fn place_of(&self, vertex: VertexId) -> u32 {
        self.place_of[vertex as usize]
    }

    /// The bits of a word of a bitmap at whose places there is no vertex.
    pub fn holes(&self, word: usize) -> u64 {
        let places = &self.vertex_at[word * WORD..(word + 1) * WORD];
        let bit = |(bit, &vertex): (usize, &VertexId)| u64::from(vertex == NONE) << bit;
        places.iter().enumerate().map(bit).sum()
    }

    /// The words of each thread's segment.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = Range<usize>> + use<> {
        let words = self.segment / WORD;
        let count = if words == 0 { 0 } else { self.places() / self.segment };
        (0..count).map(move |i| i * words..(i + 1) * words)
    }
}
