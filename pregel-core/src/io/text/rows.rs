//! Lines of edges, parsed on all cores straight into one list.

use std::ops::Range;

use bytemuck::Zeroable;
use rayon::prelude::*;

use super::{Cursor, Fault, LineError, Text};
use crate::memory;

/// The least text that is worth a task of its own, in bytes.
const CHUNK: usize = 256 << 10;

/// The ids of one line: `[u32; 2]`, `[u64; 2]`, or `[u64; 1]` for a vertex.
pub(in crate::io) trait Pair: Zeroable + Copy + Send + Sync {
    /// Length of the shortest line with these ids, in bytes, with its line feed.
    const SHORTEST: usize;
}

impl Pair for [u32; 2] {
    const SHORTEST: usize = 4;
}

impl Pair for [u64; 2] {
    const SHORTEST: usize = 4;
}

impl Pair for [u64; 1] {
    const SHORTEST: usize = 2;
}

/// The edge on a line; the weight is used only where weights are read.
pub(in crate::io) struct Row<P> {
    pub ends: P,
    pub weight: f32,
}

/// The edges of a text, in its order.
#[derive(Debug)]
pub(in crate::io) struct Rows<P> {
    pub edges: Vec<P>,
    /// One per edge, or empty where weights are not read.
    pub weights: Vec<f32>,
}

/// Parses all lines from byte `start` on, which begins a line.
///
/// `line` parses one line: it moves the cursor from the beginning of the line past
/// its end and returns the edge, or `None` if the line has none. A line with
/// an edge has at least `P::SHORTEST` bytes. Of several faults, the first in the
/// file is returned.
///
/// The lines are counted first, so that every task writes to its own part of
/// one list: the peak is 8 bytes per edge (and 4 per weight) besides the text.
pub(in crate::io) fn parse_rows<P: Pair>(
    text: &Text<'_>,
    start: usize,
    weighted: bool,
    line: impl Fn(&mut Cursor<'_>) -> Result<Option<Row<P>>, LineError> + Sync,
) -> Result<Rows<P>, Fault> {
    let bytes = text.bytes;
    let chunks = chunks(bytes, start);
    let room = |chunk: &Range<usize>| {
        let chunk = &bytes[chunk.clone()];
        let open = usize::from(!chunk.ends_with(b"\n"));
        let lines = memchr::memchr_iter(b'\n', chunk).count() + open;
        lines.min(chunk.len() / P::SHORTEST + open)
    };
    let rooms: Vec<usize> = chunks.par_iter().map(room).collect();
    let total = rooms.iter().sum();
    let mut edges: Vec<P> = memory::zeroed(total);
    let mut weights: Vec<f32> = memory::zeroed(if weighted { total } else { 0 });

    let mut tasks = Vec::with_capacity(chunks.len());
    let (mut edges_left, mut weights_left) = (&mut edges[..], &mut weights[..]);
    for (chunk, &room) in chunks.iter().zip(&rooms) {
        let (own_edges, rest) = edges_left.split_at_mut(room);
        edges_left = rest;
        let (own_weights, rest) = weights_left.split_at_mut(if weighted { room } else { 0 });
        weights_left = rest;
        tasks.push((chunk.clone(), own_edges, own_weights));
    }
    let counts: Vec<Result<usize, Fault>> = tasks
        .into_par_iter()
        .map(|(chunk, edges, weights)| parse_chunk(bytes, chunk, edges, weights, &line))
        .collect();

    let (mut filled, mut from) = (0, 0);
    for (count, room) in counts.into_iter().zip(rooms) {
        let count = count?;
        if filled != from {
            edges.copy_within(from..from + count, filled);
            if weighted {
                weights.copy_within(from..from + count, filled);
            }
        }
        filled += count;
        from += room;
    }
    edges.truncate(filled);
    weights.truncate(filled);
    Ok(Rows { edges, weights })
}

/// Parses the lines of one chunk; returns the number of edges.
fn parse_chunk<P: Pair>(
    bytes: &[u8],
    chunk: Range<usize>,
    edges: &mut [P],
    weights: &mut [f32],
    line: &impl Fn(&mut Cursor<'_>) -> Result<Option<Row<P>>, LineError>,
) -> Result<usize, Fault> {
    let mut cursor = Cursor::new(bytes, chunk.start);
    let mut count = 0;
    while cursor.at < chunk.end {
        let at = cursor.at;
        let row = line(&mut cursor).map_err(|problem| Fault { at, problem })?;
        if let Some(row) = row {
            edges[count] = row.ends;
            if let Some(weight) = weights.get_mut(count) {
                *weight = row.weight;
            }
            count += 1;
        }
    }
    Ok(count)
}

/// Cuts the text from `start` on into chunks that end with lines.
pub(super) fn chunks(bytes: &[u8], start: usize) -> Vec<Range<usize>> {
    let length = bytes.len().saturating_sub(start);
    let size = (length / (rayon::current_num_threads() * 8)).max(CHUNK);
    let mut chunks = Vec::with_capacity(length / size + 1);
    let mut from = start;
    while from < bytes.len() {
        let end = from.saturating_add(size).min(bytes.len());
        let end = memchr::memchr(b'\n', &bytes[end..]).map_or(bytes.len(), |more| end + more + 1);
        chunks.push(from..end);
        from = end;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_the_text_and_end_with_lines() {
        let text = "12345 67890 a line\n".repeat(100_000);
        let chunks = chunks(text.as_bytes(), 19);
        assert!(chunks.len() > 1);
        assert_eq!((chunks[0].start, chunks[chunks.len() - 1].end), (19, text.len()));
        for pair in chunks.windows(2) {
            assert_eq!(pair[0].end, pair[1].start);
            assert_eq!(text.as_bytes()[pair[0].end - 1], b'\n');
        }
    }
}
