//! The baseline: a graph laid out as Medusa does it (Zhong and He, *Medusa: Simplified
//! Graph Processing on GPUs*, TPDS 2014; described in *PregelGPU*, §2.2).
//!
//! As in Medusa, the message buffer has one slot per edge. Slots follow the *reverse
//! graph*, so that the messages of one receiver are contiguous (row-major). They are
//! numbered (`rID`) on the CPU before the run, and the messages are combined by segments, or
//! read by one thread per vertex, as the thesis has it. There is no sort and no remap. Unlike Medusa, programs are written with the two traits
//! of this crate instead of six functions, and an edge carries one message at most.
//!
//! The implementation is as fast as the design allows: numbering uses all cores, touches
//! only the counters in random order, and the segmented combine is balanced whatever the
//! degrees.

use std::sync::atomic::{AtomicU32, Ordering};
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

/// Numbers the edges of the reverse graph. O(V + E); parallel unless `fixed`, since the
/// order in which threads reach the edges of a receiver is left to chance.
fn reverse<E: Value>(n: u32, rows: &Rows<'_, E>, fixed: bool, segments: bool) -> Reverse {
    let counters: Vec<AtomicU32> =
        memory::zeroed::<u32>(n as usize).into_iter().map(AtomicU32::new).collect();
    let add = |v: VertexId| counters[v as usize].fetch_add(1, Ordering::Relaxed);
    rows.others.par_iter().with_min_len(4096).for_each(|v| {
        add(*v);
    });
    let degrees: Vec<u32> = counters.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    let mut offsets = vec![0; n as usize + 1];
    for (v, degree) in degrees.iter().enumerate() {
        offsets[v + 1] = offsets[v] + u64::from(*degree);
    }
    // The next slot of each receiver. Slots are numbered in 32 bits, as `decide` checked.
    counters.iter().zip(&offsets).for_each(|(next, first)| {
        next.store(*first as u32, Ordering::Relaxed);
    });
    let mut positions: Vec<u32> = memory::zeroed(rows.others.len());
    if fixed {
        let numbered = positions.iter_mut().zip(rows.others.iter());
        numbered.for_each(|(position, v)| *position = add(*v));
    } else {
        let numbered = positions.par_iter_mut().zip(rows.others.par_iter()).with_min_len(4096);
        numbered.for_each(|(position, v)| *position = add(*v));
    }
    let sources = by_edge(&rows.offsets);
    let receivers = if segments { by_edge(&offsets) } else { Vec::new() };
    Reverse { degrees, offsets, sources, positions, receivers }
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
    let reverse = reverse(n, &rows, parts.fixed, parts.segments);
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
