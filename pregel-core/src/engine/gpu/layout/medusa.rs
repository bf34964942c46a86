//! The baseline: a graph laid out as Medusa does it (Zhong and He, *Medusa: Simplified
//! Graph Processing on GPUs*, TPDS 2014; described in *PregelGPU*, §2.2).
//!
//! As in Medusa, the message buffer has one slot per edge. Slots follow the *reverse
//! graph*, so that the messages of one receiver are contiguous (row-major). They are
//! numbered (`rID`) on the CPU before the run, and the messages are combined by segments.
//! There is no sort and no remap. Unlike Medusa, programs are written with the two traits
//! of this crate instead of six functions, and an edge carries one message at most.
//!
//! The implementation is as fast as the design allows: numbering uses all cores, and the
//! segmented combine is balanced whatever the degrees.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::buffer::BufferRoom;
use super::columns::Groups;
use super::rows::{self, Rows};
use super::sort::{Places, Sorter};
use super::{Buffer, Layouts, Placed, Prepared, Shape, shape_of};
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
    /// The receiver of each slot.
    receivers: Vec<VertexId>,
}

/// Numbers the edges of the reverse graph. O(V + E); parallel unless `fixed`, since the
/// order in which threads reach the edges of a receiver is left to chance.
fn reverse<E: Value>(n: u32, rows: &Rows<'_, E>, fixed: bool) -> Reverse {
    let counters: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
    let next = |v: VertexId| counters[v as usize].fetch_add(1, Ordering::Relaxed);
    rows.others.par_iter().with_min_len(4096).for_each(|v| {
        next(*v);
    });
    let degrees: Vec<u32> = counters.iter().map(|c| c.load(Ordering::Relaxed)).collect();
    counters.iter().for_each(|c| c.store(0, Ordering::Relaxed));
    let mut offsets = vec![0; n as usize + 1];
    for (v, degree) in degrees.iter().enumerate() {
        offsets[v + 1] = offsets[v] + u64::from(*degree);
    }
    let edges = rows.others.len();
    let mut sources: Vec<VertexId> = memory::zeroed(edges);
    let mut positions: Vec<u32> = memory::zeroed(edges);
    let mut receivers: Vec<VertexId> = memory::zeroed(edges);
    let (all_sources, all_positions, all_receivers) = (
        SharedSlice::new(&mut sources),
        SharedSlice::new(&mut positions),
        SharedSlice::new(&mut receivers),
    );
    let number = |u: VertexId| {
        for edge in rows.offsets[u as usize]..rows.offsets[u as usize + 1] {
            let v = rows.others[edge as usize];
            let position = offsets[v as usize] + u64::from(next(v));
            // SAFETY: only the thread that has vertex `u` writes at the edges of its row,
            // and `next` gives every edge a position of its own, below the number of edges.
            unsafe {
                all_sources.write(edge as usize, u);
                all_positions.write(edge as usize, position as u32);
                all_receivers.write(position as usize, v);
            }
        }
    };
    if fixed {
        (0..n).for_each(number);
    } else {
        (0..n).into_par_iter().with_min_len(256).for_each(number);
    }
    Reverse { degrees, offsets, sources, positions, receivers }
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
    pub(super) fn new(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        let n = shape.n();
        Ok(Self {
            sorter: Sorter::room(arrays, shape.vertices, Sort::None)?,
            in_degrees: arrays.array("degrees", n)?,
            out_degrees: arrays.array("degrees", n)?,
            send_degrees: arrays.array("degrees", n)?,
            receive_degrees: arrays.array("degrees", n)?,
            offsets: arrays.array("first messages of vertices", n + 1)?,
            edges: BufferRoom::new(arrays, shape)?,
            values: arrays.array("edge values as given", shape.edges)?,
            receivers: arrays.array("receivers of messages", shape.edges)?,
        })
    }
}

/// Puts a graph on the device as Medusa would.
pub(super) fn prepare<D: Device, P: VertexCompute>(
    tools: &Kernels<D, Tools>,
    graph: &Graph<P::Edge>,
    fixed: bool,
) -> Result<Prepared<D, P::Edge>, RunError> {
    let shape = shape_of::<P>(graph);
    let n = shape.vertices;
    let rows = rows::by_sender::<P>(graph);

    let start = Instant::now();
    let reverse = reverse(n, &rows, fixed);
    let preprocess_time = start.elapsed();

    let start = Instant::now();
    let room = Room::new(&mut Arrays::on(tools.device()), shape)?;
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
    let layout = Layouts::Medusa { buffer, receivers: room.receivers };
    Ok(Prepared { placed, layout, upload_time: start.elapsed(), preprocess_time })
}
