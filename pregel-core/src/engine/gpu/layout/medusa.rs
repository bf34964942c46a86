//! The baseline: a graph laid out as Medusa does it (Zhong and He, *Medusa: Simplified
//! Graph Processing on GPUs*, TPDS 2014; described in *PregelGPU*, §2.2).
//!
//! As in Medusa, the message buffer has one slot per edge. Slots follow the *reverse
//! graph*, so that the messages of one receiver are contiguous (row-major). They are
//! numbered (`rID`) on the CPU before the run, and the messages are combined by segments, or
//! read by one thread per vertex, as the thesis has it. There is no sort and no remap. Unlike Medusa, programs are written with the two traits
//! of this crate instead of six functions, and an edge carries one message at most.
//!
//! The implementation is as fast as the design allows: numbering uses all cores without
//! atomic operations, and the segmented combine is balanced whatever the
//! degrees.

use std::time::Instant;

use rayon::prelude::*;

use super::buffer::BufferRoom;
use super::columns::Groups;
use super::rows::{self, Rows};
use super::sort::{Places, Sorter};
use super::{Buffer, Layouts, Parts, Placed, Prepared, Shape, shape_of};
use crate::device::kernels::Tools;
use crate::engine::RunError;
use crate::engine::gpu::policy::Sort;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Direction, Value, VertexCompute, VertexId};
use crate::shared::SharedSlice;

/// The numbering of the reverse graph.
struct Reverse {
    /// The number of messages of each receiver.
    degrees: Vec<u32>,
    /// The first slot of each receiver, and the end of the last.
    offsets: Vec<u64>,
    /// The sender of each edge.
    sources: Vec<VertexId>,
    /// `rID`: the slot of each edge's message.
    positions: Vec<u32>,
    /// The receiver of each slot, if messages are combined by segments.
    receivers: Vec<VertexId>,
}

/// Vertices whose counters one task adds up.
const RANGE: usize = 1 << 14;

/// The most counters for each edge and vertex, in all threads together. Each thread has one per
/// vertex, so in sparse graphs fewer threads count.
const COUNTERS: usize = 8;

/// Numbers the edges of the reverse graph: those of one receiver in the order of the senders.
/// O(V + E) work, parallel.
///
/// Each thread has a stretch of the edges and counters of its own, which need no atomic
/// additions: these would wait for memory one after the other.
fn reverse<E: Value>(n: u32, rows: &Rows<'_, E>, segments: bool) -> Reverse {
    let (others, n) = (&rows.others[..], n as usize);
    let affordable = (COUNTERS * (others.len() + n) / n.max(1)).max(1);
    let stretch = others.len().div_ceil(rayon::current_num_threads().min(affordable)).max(1);
    let count = |others: &[VertexId]| {
        let mut counts: Vec<u32> = memory::zeroed(n);
        others.iter().for_each(|v| counts[*v as usize] += 1);
        counts
    };
    let mut counters: Vec<Vec<u32>> = others.par_chunks(stretch).map(count).collect();
    let (degrees, offsets) = first_slots(n, &mut counters);

    let mut positions: Vec<u32> = memory::zeroed(others.len());
    let stretches = positions.par_chunks_mut(stretch).zip(others.par_chunks(stretch));
    stretches.zip(&mut counters).for_each(|((positions, others), next)| {
        for (position, v) in positions.iter_mut().zip(others) {
            let next = &mut next[*v as usize];
            *position = *next;
            *next = next.wrapping_add(1);
        }
    });
    drop(counters);
    let sources = by_edge(&rows.offsets);
    let receivers = if segments { by_edge(&offsets) } else { Vec::new() };
    Reverse { degrees, offsets, sources, positions, receivers }
}

/// Turns the counts of each stretch into its first slot of each receiver, behind those of the
/// stretches before. Returns the number of messages of each receiver, and where its slots begin.
/// Slots are numbered in 32 bits, as `decide` checked.
fn first_slots(n: usize, counters: &mut [Vec<u32>]) -> (Vec<u32>, Vec<u64>) {
    // The counters of all stretches, one range of vertices after the other.
    let mut ranges: Vec<Vec<&mut [u32]>> = Vec::new();
    ranges.resize_with(n.div_ceil(RANGE), Vec::new);
    for counters in counters {
        for (range, part) in ranges.iter_mut().zip(counters.chunks_mut(RANGE)) {
            range.push(part);
        }
    }
    let sum = |part: &&mut [u32]| part.iter().map(|count| u64::from(*count)).sum::<u64>();
    let mut firsts: Vec<u64> =
        ranges.par_iter().map(|range| range.iter().map(sum).sum::<u64>()).collect();
    let mut first = 0;
    for range in &mut firsts {
        first += std::mem::replace(range, first);
    }
    let (mut degrees, mut offsets) = (memory::zeroed(n), vec![0_u64; n + 1]);
    let vertices = degrees.par_chunks_mut(RANGE).zip(offsets[1..].par_chunks_mut(RANGE));
    vertices.zip(ranges).zip(firsts).for_each(|(((degrees, ends), mut range), mut next)| {
        for (v, (degree, end)) in degrees.iter_mut().zip(ends).enumerate() {
            let begin = next;
            for part in &mut range {
                next += u64::from(std::mem::replace(&mut part[v], next as u32));
            }
            (*degree, *end) = ((next - begin) as u32, next);
        }
    });
    (degrees, offsets)
}

/// For each edge the vertex that has it, of rows with these offsets. O(V + E), parallel.
fn by_edge(offsets: &[u64]) -> Vec<VertexId> {
    let edges = offsets.last().map_or(0, |end| *end as usize);
    let mut vertices: Vec<VertexId> = memory::zeroed(edges);
    let cells = SharedSlice::new(&mut vertices);
    offsets.par_windows(2).enumerate().with_min_len(1024).for_each(|(v, ends)| {
        for edge in ends[0]..ends[1] {
            // SAFETY: offsets ascend up to the number of edges, so rows do not overlap and
            // end within the slice; only the thread that has the row of `v` writes there.
            unsafe { cells.write(edge as usize, v as VertexId) };
        }
    });
    vertices
}

/// Memory for a graph.
pub(super) struct Room<D: Device, E> {
    sorter: Sorter<D>,
    in_degrees: Array<D, u32>,
    out_degrees: Array<D, u32>,
    send_degrees: Array<D, u32>,
    receive_degrees: Array<D, u32>,
    offsets: Array<D, u64>,
    edges: BufferRoom<D>,
    values: Array<D, E>,
    receivers: Array<D, u32>,
}

impl<D: Device, E: Value> Room<D, E> {
    pub(super) fn new(
        arrays: &mut Arrays<D>,
        shape: Shape,
        segments: bool,
    ) -> Result<Self, DeviceError> {
        let n = shape.n();
        let receivers = if segments { shape.edges } else { 0 };
        Ok(Self {
            sorter: Sorter::room(arrays, shape.vertices, Sort::None)?,
            in_degrees: arrays.array("degrees", n)?,
            out_degrees: arrays.array("degrees", n)?,
            send_degrees: arrays.array("degrees", n)?,
            receive_degrees: arrays.array("degrees", n)?,
            offsets: arrays.array("first messages of vertices", n + 1)?,
            edges: BufferRoom::new(arrays, shape)?,
            values: arrays.array("edge values as given", shape.edges)?,
            receivers: arrays.array("receivers of messages", receivers)?,
        })
    }
}

/// Puts a graph on the device as Medusa would.
pub(super) fn prepare<D: Device, P: VertexCompute>(
    tools: &Kernels<D, Tools>,
    graph: &Graph<P::Edge>,
    parts: &Parts,
) -> Result<Prepared<D, P::Edge>, RunError> {
    let shape = shape_of::<P>(graph);
    let n = shape.vertices;
    let rows = rows::by_sender::<P>(graph);

    let start = Instant::now();
    let reverse = reverse(n, &rows, parts.segments);
    let preprocess_time = start.elapsed();

    let start = Instant::now();
    let room = Room::new(&mut Arrays::on(tools.device()), shape, parts.segments)?;
    room.sorter.queue(tools, &Array::none())?;
    let degrees = |rows: &Csr| (0..n).map(|v| rows.degree(v) as u32).collect::<Vec<_>>();
    let send: Vec<u32> = (0..n).map(|v| rows.degree(v) as u32).collect();
    match P::DIRECTION {
        _ if !graph.directed() => {
            room.in_degrees.write(&send)?;
            room.out_degrees.write(&send)?;
        }
        Direction::Out => {
            room.in_degrees.write(&reverse.degrees)?;
            room.out_degrees.write(&send)?;
        }
        Direction::In => {
            room.in_degrees.write(&send)?;
            room.out_degrees.write(&reverse.degrees)?;
        }
        Direction::Both => {
            room.in_degrees.write(&degrees(graph.incoming()))?;
            room.out_degrees.write(&degrees(graph.out()))?;
        }
    }
    room.send_degrees.write(&send)?;
    room.receive_degrees.write(&reverse.degrees)?;
    room.offsets.write(&reverse.offsets)?;
    room.edges.sources.write(&reverse.sources)?;
    room.edges.positions.write(&reverse.positions)?;
    room.values.write(&rows.values)?;
    room.receivers.write(&reverse.receivers)?;
    let Places { place_of, vertex_at } = room.sorter.into_places();
    let groups = Groups::rows(room.offsets, shape.edges, room.receive_degrees.clone());
    let buffer = Buffer {
        groups,
        edges: shape.edges,
        sources: room.edges.sources,
        positions: room.edges.positions,
        values: room.values,
    };
    let placed = Placed {
        shape,
        place_of,
        vertex_at,
        in_degrees: room.in_degrees,
        out_degrees: room.out_degrees,
        send_degrees: room.send_degrees,
        receive_degrees: room.receive_degrees,
    };
    tools.device().wait()?;
    let layout = Layouts::Medusa { buffer, receivers: parts.segments.then_some(room.receivers) };
    Ok(Prepared { placed, layout, upload_time: start.elapsed(), preprocess_time })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::generate::Spec;

    #[test]
    fn edges_are_numbered_by_receiver_on_any_number_of_threads() {
        let specs = [
            "rmat:scale=12,ef=9,sym=0,dedup=0",
            "uniform:n=100000,m=500,sym=0",
            "uniform:n=40000,m=200000,sym=0",
            "uniform:n=1,m=0,sym=0",
        ];
        for spec in specs {
            let Ok(Ok(graph)) = spec.parse::<Spec>().map(|spec| spec.plain()) else {
                panic!("{spec}");
            };
            let csr = graph.out();
            let rows = Rows::<()> {
                offsets: csr.offsets().into(),
                others: csr.targets().into(),
                values: (&[][..]).into(),
            };
            let n = graph.vertex_count();
            for threads in [1, 3, 8] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
                let Ok(found) = pool.map(|pool| pool.install(|| reverse(n, &rows, true))) else {
                    panic!("no {threads} threads");
                };
                // One after the other, in the order of the edges.
                let mut next: Vec<u64> = found.offsets[..n as usize].to_vec();
                for (edge, &v) in csr.targets().iter().enumerate() {
                    let slot = next[v as usize];
                    assert_eq!(u64::from(found.positions[edge]), slot, "{spec}, {threads}");
                    assert_eq!(found.receivers[slot as usize], v);
                    next[v as usize] += 1;
                }
                assert_eq!(next, found.offsets[1..], "{spec}, {threads}");
                for v in 0..n {
                    assert!(csr.range(v).all(|edge| found.sources[edge] == v));
                    let [begin, end] = [v, v + 1].map(|v| found.offsets[v as usize]);
                    assert_eq!(u64::from(found.degrees[v as usize]), end - begin);
                }
            }
        }
    }
}
