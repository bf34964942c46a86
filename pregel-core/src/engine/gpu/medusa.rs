//! The baseline: a graph laid out as Medusa does it (Zhong and He, *Medusa:
//! Simplified Graph Processing on GPUs*, TPDS 2014; described in *PregelGPU*,
//! §2.2).
//!
//! What is followed: the message buffer with one place an edge; the places from
//! the *reverse graph*, so that messages of one receiver lie side by side
//! (row-major); the numbering of those places (`rID`) on the CPU, before the
//! run; a segmented combine over the buffer; no sort, no remap. What is not:
//! the six user functions of Medusa (the same two traits serve here), and
//! several messages an edge.
//!
//! As good as the design allows: the numbering uses all cores, and the
//! segmented combine is balanced whatever the degrees.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::device::{Array, Device};
use super::options::Sort;
use super::prepare::{ChunksMemory, ColumnsMemory, EdgesMemory, Prepared, Steps};
use super::rows::{self, Rows};
use super::sort::Places;
use crate::engine::RunError;
use crate::graph::Graph;
use crate::memory;
use crate::program::{Direction, Value, VertexCompute, VertexId};
use crate::shared::SharedSlice;

/// The reverse graph's numbers.
struct Reverse {
    /// Messages of each receiver.
    degrees: Vec<u32>,
    /// Its first place in the buffer, and the end of the last.
    offsets: Vec<u64>,
    /// Sender of each edge.
    sources: Vec<VertexId>,
    /// `rID`: the place of each edge's message.
    positions: Vec<u32>,
    /// Receiver of each place.
    receivers: Vec<VertexId>,
}

/// Numbers the edges of the reverse graph. O(V + E); parallel unless `fixed`,
/// since threads number the messages of a receiver as they come.
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
    let places = (
        SharedSlice::new(&mut sources),
        SharedSlice::new(&mut positions),
        SharedSlice::new(&mut receivers),
    );
    let number = |u: VertexId| {
        for edge in rows.offsets[u as usize]..rows.offsets[u as usize + 1] {
            let v = rows.others[edge as usize];
            let position = offsets[v as usize] + u64::from(next(v));
            // SAFETY: each edge is one thread's, and each place one edge's.
            unsafe {
                places.0.write(edge as usize, u);
                places.1.write(edge as usize, position as u32);
                places.2.write(position as usize, v);
            }
        }
    };
    match fixed {
        true => (0..n).for_each(number),
        false => (0..n).into_par_iter().with_min_len(256).for_each(number),
    }
    Reverse { degrees, offsets, sources, positions, receivers }
}

/// Puts a graph on the device as Medusa would.
pub(super) fn prepare<D: Device, P: VertexCompute>(
    steps: &Steps<'_, D>,
    graph: &Graph<P::Edge>,
    fixed: bool,
) -> Result<Prepared<D, P::Edge>, RunError> {
    let (device, n) = (steps.device, graph.vertex_count());
    let rows = rows::by_sender::<P>(graph);

    let start = Instant::now();
    let reverse = reverse(n, &rows, fixed);
    let preprocess_time = start.elapsed();

    let start = Instant::now();
    let Places { place_of, vertex_at } = steps.order(n, Sort::None, &Array::none())?;
    let send: Vec<u32> = (0..n).map(|v| rows.degree(v) as u32).collect();
    let (into, out) = match P::DIRECTION {
        _ if !graph.directed() => (send.clone(), send.clone()),
        Direction::Out => (reverse.degrees.clone(), send.clone()),
        Direction::In => (send.clone(), reverse.degrees.clone()),
        Direction::Both => {
            let of = |rows: &crate::graph::Csr| (0..n).map(|v| rows.degree(v) as u32).collect();
            (of(graph.incoming()), of(graph.out()))
        }
    };
    let chunks = ChunksMemory {
        list: Array::none(),
        count: 0,
        heavy: 0,
        long: 0,
        huge: 0,
        firsts: Array::none(),
    };
    let columns = ColumnsMemory {
        shift: 0,
        bases: Array::from_slice(device, &reverse.offsets)?,
        slots: rows.edges(),
        senders: Array::none(),
        values: Array::none(),
        chunks,
    };
    let mail = EdgesMemory {
        count: rows.edges(),
        sources: Array::from_slice(device, &reverse.sources)?,
        positions: Array::from_slice(device, &reverse.positions)?,
        values: Array::from_slice(device, &rows.values)?,
        receivers: Array::from_slice(device, &reverse.receivers)?,
    };
    let prepared = Prepared {
        vertices: n,
        edges: rows.edges(),
        place_of,
        vertex_at,
        in_degrees: Array::from_slice(device, &into)?,
        out_degrees: Array::from_slice(device, &out)?,
        send_degrees: Array::from_slice(device, &send)?,
        receive_degrees: Array::from_slice(device, &reverse.degrees)?,
        columns: Some(columns),
        mail: Some(mail),
        push: None,
        rows: None,
        upload_time: Duration::ZERO,
        preprocess_time,
    };
    device.wait()?;
    Ok(Prepared { upload_time: start.elapsed(), ..prepared })
}
