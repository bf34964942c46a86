//! What a graph becomes on the device: sorted, laid out, kept.

mod place;
mod steps;

use std::time::{Duration, Instant};

use super::device::{Array, Device, DeviceError};
use super::options::{GpuOptions, Sort};
use super::sort::Places;
use super::{launched, rows};
use crate::device::{Chunk, JOIN_BLOCK, WARP};
use crate::engine::options::order_shows;
use crate::engine::{RunError, RunOptions, Strategy, VertexOrder};
use crate::graph::Graph;
use crate::program::{Delivery, Direction, Value, VertexCompute};

pub(super) use steps::Steps;

/// Shift of groups of 32.
const WARP_SHIFT: u32 = 5;

/// Which layouts a run needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) pull: bool,
    pub(super) push: bool,
    pub(super) mailbox: bool,
    pub(super) medusa: bool,
    /// Messages are placed in an order that the graph alone decides.
    fixed: bool,
}

impl Parts {
    pub(super) fn of<P: VertexCompute>(strategy: Strategy, options: &RunOptions) -> Self {
        Self {
            pull: matches!(strategy, Strategy::Pull | Strategy::Auto),
            push: matches!(strategy, Strategy::Push | Strategy::Auto),
            mailbox: strategy == Strategy::Mailbox,
            medusa: strategy == Strategy::Medusa,
            fixed: options.deterministic && order_shows::<P>(),
        }
    }
}

/// Messages in columns, or their senders.
pub(super) struct ColumnsMemory<D: Device, E> {
    pub(super) shift: u32,
    pub(super) bases: Array<D, u64>,
    pub(super) slots: u64,
    /// For pulling.
    pub(super) senders: Array<D, u32>,
    /// For pulling.
    pub(super) values: Array<D, E>,
    pub(super) chunks: ChunksMemory<D>,
}

/// Heavy groups in pieces.
pub(super) struct ChunksMemory<D: Device> {
    pub(super) list: Array<D, Chunk>,
    pub(super) count: u32,
    pub(super) heavy: u32,
    /// The first so many are not short; no fewer than are heavy.
    pub(super) long: u32,
    /// The first so many get a block each.
    pub(super) huge: u32,
    pub(super) firsts: Array<D, u32>,
}

impl<D: Device> ChunksMemory<D> {
    /// Blocks that join the pieces of heavy groups: as many as keep a device busy,
    /// whichever it is, so that all add up the same.
    pub(super) fn joiners(&self) -> u32 {
        self.huge + (self.heavy - self.huge).div_ceil(JOIN_BLOCK / WARP).min(256)
    }
}

/// Edges, each with the slot of its message.
pub(super) struct EdgesMemory<D: Device, E> {
    pub(super) count: u64,
    pub(super) sources: Array<D, u32>,
    pub(super) positions: Array<D, u32>,
    pub(super) values: Array<D, E>,
    /// Place of each slot's receiver; for a segmented combine.
    pub(super) receivers: Array<D, u32>,
}

/// Rows to push along.
pub(super) struct PushMemory<D: Device, E> {
    pub(super) offsets: Array<D, u64>,
    pub(super) targets: Array<D, u32>,
    pub(super) values: Array<D, E>,
    pub(super) items: Array<D, [u32; 2]>,
    pub(super) count: Array<D, u32>,
}

/// A graph on the device.
pub(super) struct Prepared<D: Device, E> {
    pub(super) vertices: u32,
    pub(super) edges: u64,
    pub(super) place_of: Array<D, u32>,
    pub(super) vertex_at: Array<D, u32>,
    pub(super) in_degrees: Array<D, u32>,
    pub(super) out_degrees: Array<D, u32>,
    pub(super) send_degrees: Array<D, u32>,
    pub(super) receive_degrees: Array<D, u32>,
    pub(super) columns: Option<ColumnsMemory<D, E>>,
    pub(super) mail: Option<EdgesMemory<D, E>>,
    pub(super) push: Option<PushMemory<D, E>>,
    /// Rows by sender as given, to be laid out once something is pushed.
    pub(super) rows: Option<Loaded<D, E>>,
    pub(super) upload_time: Duration,
    pub(super) preprocess_time: Duration,
}

/// Rows on the device.
pub(super) struct Loaded<D: Device, E> {
    edges: u64,
    offsets: Array<D, u64>,
    others: Array<D, u32>,
    values: Array<D, E>,
}

/// Whether the host gives rows by receiver: they place messages in a fixed
/// order, and are there at once if messages go against the edges.
fn by_receiver<P: VertexCompute>(graph: &Graph<P::Edge>, parts: Parts) -> bool {
    !rows::symmetric::<P>(graph)
        && (parts.pull && (parts.fixed || P::DIRECTION == Direction::In)
            || parts.mailbox && parts.fixed)
}

/// How vertices are sorted in a run.
pub(super) fn sort(options: &RunOptions, layout: &GpuOptions) -> Sort {
    match layout.sort {
        _ if options.order == VertexOrder::Given => Sort::None,
        sort if options.deterministic => sort.stable(),
        sort => sort,
    }
}

/// The kernels that no program owns and that the preparation launches.
pub(super) fn launched<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    (strategy, parts): (Strategy, Parts),
    options: &RunOptions,
    layout: &GpuOptions,
) -> Vec<&'static str> {
    let symmetric = rows::symmetric::<P>(graph);
    let by_row = match parts.mailbox {
        true => parts.fixed,
        false => symmetric || by_receiver::<P>(graph, parts),
    };
    let pushes = launched::pushes::<P>(strategy);
    launched::by_graph(parts, sort(options, layout), by_row, (symmetric, pushes))
}

/// Puts a graph on the device.
pub(super) fn prepare<D: Device, P: VertexCompute>(
    steps: &Steps<'_, D>,
    graph: &Graph<P::Edge>,
    parts: Parts,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Prepared<D, P::Edge>, RunError> {
    let (device, n) = (steps.device, graph.vertex_count());
    let symmetric = rows::symmetric::<P>(graph);
    let by_receiver = by_receiver::<P>(graph, parts);
    let by_sender = symmetric || parts.push || !by_receiver;
    let host_rows = (
        by_sender.then(|| rows::by_sender::<P>(graph)),
        by_receiver.then(|| rows::by_receiver::<P>(graph)),
    );
    let longest = host_rows
        .0
        .iter()
        .chain(&host_rows.1)
        .map(|rows| rows.offsets.windows(2).map(|o| o[1] - o[0]).max().unwrap_or(0));
    if longest.max().unwrap_or(0) > u32::MAX.into() {
        return Err(RunError::Unsupported("a vertex has more than 4,294,967,295 edges"));
    }

    let start = Instant::now();
    let mut senders = host_rows.0.as_ref().map(|rows| steps.upload(rows)).transpose()?;
    let mut receivers = host_rows.1.as_ref().map(|rows| steps.upload(rows)).transpose()?;
    device.wait()?;
    let upload_time = start.elapsed();

    let start = Instant::now();
    let lengths = |own: &Option<Loaded<D, P::Edge>>, other: &Option<Loaded<D, P::Edge>>| match own {
        Some(rows) => steps.degrees(n, rows),
        None => match other {
            Some(rows) => steps.count(n, rows),
            None => Array::filled(device, n.into(), 0),
        },
    };
    let send = lengths(&senders, &receivers)?;
    let receive = if symmetric { send.also() } else { lengths(&receivers, &senders)? };

    let Places { place_of, vertex_at } = steps.order(n, sort(options, layout), &receive)?;
    let by_place = |values: &Array<D, u32>| steps.permute(n, &place_of, values);
    let send_degrees = by_place(&send)?;
    let receive_degrees = if symmetric { send_degrees.also() } else { by_place(&receive)? };
    let (in_degrees, out_degrees) = match P::DIRECTION {
        _ if !graph.directed() => (send_degrees.also(), send_degrees.also()),
        Direction::Out => (receive_degrees.also(), send_degrees.also()),
        Direction::In => (send_degrees.also(), receive_degrees.also()),
        Direction::Both => {
            let of = |rows: &crate::graph::Csr| {
                let degrees: Vec<u32> = (0..n).map(|v| rows.degree(v) as u32).collect();
                Array::from_slice(device, &degrees).and_then(|degrees| by_place(&degrees))
            };
            (of(graph.incoming())?, of(graph.out())?)
        }
    };

    let mut prepared = Prepared {
        vertices: n,
        edges: rows::edges::<P>(graph),
        place_of,
        vertex_at,
        in_degrees,
        out_degrees,
        send_degrees,
        receive_degrees,
        columns: None,
        mail: None,
        push: None,
        rows: None,
        upload_time,
        preprocess_time: Duration::ZERO,
    };
    if parts.pull {
        place::pull(steps, &mut prepared, &senders, &receivers, symmetric)?;
    }
    if parts.mailbox {
        let shift = layout.group.trailing_zeros();
        let split = layout.split_hubs && shift == WARP_SHIFT && P::Combiner::COMBINES;
        let rows = receivers.take().or(senders.take());
        place::mailbox(steps, &mut prepared, rows, (shift, split), parts.fixed)?;
    }
    if parts.push {
        prepared.rows = senders;
    }
    if parts.push && !parts.pull {
        rows_to_push(steps, &mut prepared)?;
    }
    device.wait()?;
    prepared.preprocess_time = start.elapsed();
    Ok(prepared)
}

/// Lays rows out to push along, once; where supersteps may be pulled as well, not
/// before it is known that one is pushed.
pub(super) fn rows_to_push<D: Device, E: Value>(
    steps: &Steps<'_, D>,
    prepared: &mut Prepared<D, E>,
) -> Result<(), DeviceError> {
    if let Some(rows) = prepared.rows.take() {
        let order = (&prepared.place_of, &prepared.vertex_at);
        let (n, degrees) = (prepared.vertices, &prepared.send_degrees);
        prepared.push = Some(steps.move_rows(n, &rows, order, degrees)?);
    }
    Ok(())
}

impl<D: Device, E> std::fmt::Debug for Prepared<D, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("vertices", &self.vertices)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}
