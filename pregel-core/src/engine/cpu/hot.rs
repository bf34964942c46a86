//! Signals in the order of how often they are read.
//!
//! A pull reads one signal an edge, at random. In a graph of a power law most
//! of these reads go to few vertices, whose signals lie scattered, one to a
//! cache line. Stored by falling degree they share lines and stay in the
//! nearest cache (degree-based grouping: Faldu, Diamond, Grot, *A Closer Look
//! at Lightweight Graph Reordering*, IISWC 2019). Only the signals move:
//! vertices, rows and states keep their order, and the rows get a second set
//! of targets that name places of signals. 4 bytes an edge and 4 a vertex;
//! about two pulls' time to make.

use rayon::prelude::*;

use super::shape::Rows;
use crate::memory;
use crate::program::{Value, VertexId};

/// Where signals are kept, and rows that read them there.
#[derive(Debug)]
pub(super) struct HotOrder {
    /// The place of each vertex's signal.
    pub(super) places: Vec<u32>,
    /// For each set of rows the places in place of the targets.
    targets: Vec<Vec<u32>>,
}

impl HotOrder {
    /// Orders by falling `degree`; vertices of about the same degree keep
    /// their order, which may be a good one already.
    pub(super) fn new<E: Value>(
        vertices: u32,
        gather: &[Rows<'_, E>],
        degree: impl Fn(VertexId) -> u64,
    ) -> Self {
        // Classes of degrees: eight to each power of two, largest first.
        let class = |v: VertexId| {
            let degree = degree(v) + 8;
            let power = degree.ilog2();
            CLASSES - 1 - ((power - 3) * 8 + (degree >> (power - 3)) as u32 % 8) as usize
        };
        let mut starts = vec![0u32; CLASSES + 1];
        for v in 0..vertices {
            starts[class(v) + 1] += 1;
        }
        for i in 0..CLASSES {
            starts[i + 1] += starts[i];
        }
        let mut places: Vec<u32> = memory::zeroed(vertices as usize);
        for (v, place) in (0..).zip(&mut places) {
            let next = &mut starts[class(v)];
            *place = *next;
            *next += 1;
        }
        let targets = gather.iter().map(|rows| {
            let mut moved: Vec<u32> = memory::zeroed(rows.targets().len());
            let pairs = moved.par_iter_mut().with_min_len(1 << 14).zip(rows.targets());
            pairs.for_each(|(place, v)| *place = places[*v as usize]);
            moved
        });
        let targets = targets.collect();
        Self { places, targets }
    }

    /// `gather`, reading places of signals.
    pub(super) fn rows<'r, E: Value>(&'r self, gather: &[Rows<'r, E>]) -> Vec<Rows<'r, E>> {
        gather.iter().zip(&self.targets).map(|(rows, targets)| rows.with_targets(targets)).collect()
    }
}

/// Eight classes to each power of two of a 64-bit degree.
const CLASSES: usize = 62 * 8;
