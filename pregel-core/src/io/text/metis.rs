//! METIS and Chaco adjacency lists (Karypis, "METIS: a software package for
//! partitioning unstructured graphs", manual, section 4.1.1).

use std::ops::Range;

use rayon::prelude::*;

use super::rows::chunks;
use super::{Cursor, Fault, Text, fields, number, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, LineError, LoadError, LoadOptions};

const HEADER: &str = "«VERTICES EDGES [FMT [NCON]]»";
const NEIGHBOUR: &str = "the number of a neighbour";
const VERTEX_WEIGHT: &str = "a size or weight of the vertex";

/// Reads [`Format::Metis`].
pub(in crate::io) struct Metis;

impl Reader for Metis {
    fn format(&self) -> Format {
        Format::Metis
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["metis", "graph", "chaco"]
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let text = Text::new(input, "a METIS graph")?;
        let mut lines = text.lines(0);
        let Some((at, line)) = lines.find(|(_, line)| !line.is_empty() && line[0] != b'%') else {
            return Err(text.empty(HEADER));
        };
        let header = Header::parse(line).map_err(|problem| text.error(Fault { at, problem }))?;
        let start = lines.next().map_or(text.bytes.len(), |(at, _)| at);
        let room = (text.bytes.len() - start) as u64;
        let plausible = header.edges.min(room);
        let count = promised_vertices(text.path, header.vertices, plausible, options)?;
        let wrong_count = |what, promised, found| {
            let (path, line) = (text.path.to_owned(), text.line_of(at));
            LoadError::Count { path, line, what, promised, found }
        };

        let (there, back, found) = header.adjacency(&text, start)?;
        if found != header.vertices {
            return Err(wrong_count("vertices", header.vertices, found));
        }
        check_symmetry(&text, &there, &back)?;
        drop(back);
        if there.len() as u64 != header.edges {
            return Err(wrong_count("edges", header.edges, there.len() as u64));
        }
        let weights = || there.iter().map(|link| f32::from_bits(link.weight)).collect();
        let edges = there.iter().map(|link| link.ends).collect();
        let weights = header.weighted.then(weights);
        let parsed =
            Parsed { undirected: true, ..Parsed::new(edges, weights, Ids::range(1, count)) };
        drop(there);
        Ok(Content::Edges(parsed))
    }
}

/// One mention of an edge: the smaller end first, the bits of the weight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Link {
    ends: [u32; 2],
    weight: u32,
}

/// The first line.
#[derive(Clone, Copy)]
struct Header {
    vertices: u64,
    edges: u64,
    weighted: bool,
    /// Integers before the neighbours: a size, weights.
    skipped: u64,
}

impl Header {
    fn parse(line: &[u8]) -> Result<Self, LineError> {
        let wrong = || LineError::Header { expected: HEADER, found: shown(line) };
        let fields = fields(line);
        let (sizes, rest) = fields.split_first_chunk::<2>().ok_or_else(wrong)?;
        let (vertices, edges) = number(sizes[0]).zip(number(sizes[1])).ok_or_else(wrong)?;
        let flags = |flags: &[u8]| -> Option<[bool; 3]> {
            let mut set = [false; 3];
            let first = 3usize.checked_sub(flags.len())?;
            for (flag, byte) in set[first..].iter_mut().zip(flags) {
                *flag = match byte {
                    b'0' => false,
                    b'1' => true,
                    _ => return None,
                };
            }
            Some(set)
        };
        let ([size, weights, weighted], ncon) = match rest {
            [] => ([false; 3], 1),
            [fmt] => (flags(fmt).ok_or_else(wrong)?, 1),
            [fmt, ncon] => flags(fmt).zip(number(ncon)).ok_or_else(wrong)?,
            _ => return Err(wrong()),
        };
        let skipped = u64::from(size).saturating_add(if weights { ncon } else { 0 });
        Ok(Self { vertices, edges, weighted, skipped })
    }

    /// Every edge as its smaller end lists it, as its larger end does, both
    /// sorted, and the number of lines.
    fn adjacency(
        self,
        text: &Text<'_>,
        start: usize,
    ) -> Result<(Vec<Link>, Vec<Link>, u64), LoadError> {
        let chunks = chunks(text.bytes, start);
        let lines = |chunk: &Range<usize>| {
            let mut cursor = Cursor::new(text.bytes, chunk.start);
            let mut count = 0;
            while cursor.at < chunk.end {
                count += u64::from(cursor.peek() != b'%');
                cursor.skip_line();
            }
            count
        };
        let counts: Vec<u64> = chunks.par_iter().map(lines).collect();
        let mut first = 0;
        let tasks: Vec<(Range<usize>, u64)> = chunks
            .into_iter()
            .zip(counts)
            .map(|(chunk, count)| {
                let task = (chunk, first);
                first += count;
                task
            })
            .collect();
        let parts: Vec<Result<_, Fault>> =
            tasks.into_par_iter().map(|(chunk, first)| self.chunk(text, chunk, first)).collect();
        let (mut there, mut back, mut vertices) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            let part = part.map_err(|fault| text.error(fault))?;
            there.extend(part.0);
            back.extend(part.1);
            vertices = vertices.max(part.2);
        }
        there.par_sort_unstable();
        back.par_sort_unstable();
        Ok((there, back, vertices))
    }

    /// The lines of one chunk, the first of which is that of vertex `vertex`
    /// from 0; also the number of lines up to its end that must be vertices.
    fn chunk(
        self,
        text: &Text<'_>,
        chunk: Range<usize>,
        mut vertex: u64,
    ) -> Result<(Vec<Link>, Vec<Link>, u64), Fault> {
        let mut cursor = Cursor::new(text.bytes, chunk.start);
        let (mut there, mut back, mut vertices) = (Vec::new(), Vec::new(), 0);
        while cursor.at < chunk.end {
            let at = cursor.at;
            if cursor.peek() == b'%' {
                cursor.skip_line();
                continue;
            }
            // Blank lines may follow the last vertex.
            if vertex < self.vertices || !cursor.at_line_end() {
                vertices = vertex + 1;
            }
            let read = self.line(&mut cursor, vertex, &mut there, &mut back);
            read.map_err(|problem| Fault { at, problem })?;
            vertex += 1;
        }
        Ok((there, back, vertices))
    }

    fn line(
        self,
        cursor: &mut Cursor<'_>,
        vertex: u64,
        there: &mut Vec<Link>,
        back: &mut Vec<Link>,
    ) -> Result<(), LineError> {
        // Lines beyond the last vertex are counted, not read.
        if vertex >= self.vertices {
            cursor.skip_line();
            return Ok(());
        }
        let own = vertex as u32;
        for _ in 0..self.skipped {
            cursor.integer(VERTEX_WEIGHT)?;
        }
        while !cursor.at_line_end() {
            let other = cursor.integer_to(self.vertices, NEIGHBOUR)?;
            let weight = if self.weighted { cursor.weight()?.to_bits() } else { 0 };
            if own == other {
                return Err(LineError::SelfLoop { vertex: vertex + 1 });
            }
            let ends = [own.min(other), own.max(other)];
            if own < other { &mut *there } else { &mut *back }.push(Link { ends, weight });
        }
        cursor.end_line()
    }
}

/// Refuses an edge that its ends do not list equally often, with the same
/// weight.
fn check_symmetry(text: &Text<'_>, there: &[Link], back: &[Link]) -> Result<(), LoadError> {
    if there == back {
        return Ok(());
    }
    let length = there.len().min(back.len());
    let place = there.iter().zip(back).position(|(one, other)| one != other).unwrap_or(length);
    // The smaller of two sorted lists' first difference stands in one only.
    let odd = match (there.get(place), back.get(place)) {
        (Some(one), Some(other)) => one.min(other),
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => return Ok(()),
    };
    let count = |links: &[Link]| {
        (links.partition_point(|link| link <= odd) - links.partition_point(|link| link < odd))
            as u64
    };
    Err(LoadError::OneSided {
        path: text.path.to_owned(),
        from: u64::from(odd.ends[0]) + 1,
        to: u64::from(odd.ends[1]) + 1,
        there: count(there),
        back: count(back),
    })
}
