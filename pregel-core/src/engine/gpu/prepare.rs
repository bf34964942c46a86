//! What a graph becomes on the device: sorted, laid out, kept.

use std::time::{Duration, Instant};

use super::device::{Array, Device, DeviceError};
use super::launched;
use super::options::{GpuOptions, Sort};
use super::queue::Kernels;
use super::resident::room;
use super::rows::{self, Rows};
use super::sort::{Places, Sorter};
use super::sums::Sums;
use crate::device::prepare::{
    Count, Degrees, GroupRows, MoveRows, Permute, PlaceColumns, PlaceEdges,
};
use crate::device::{
    CHUNK_ROWS, Chunk, Global, HUGE_CHUNKS, JOIN_BLOCK, SHORT_ROWS, WARP, columns,
};
use crate::engine::options::order_shows;
use crate::engine::{RunError, RunOptions, Strategy, VertexOrder};
use crate::graph::Graph;
use crate::program::{Delivery, Direction, Value, VertexCompute};

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

/// The steps of the preparation; all of them queue kernels.
pub(super) struct Steps<'a, D: Device> {
    pub(super) device: &'a D,
    pub(super) kernels: &'a Kernels<D>,
}

impl<D: Device> Steps<'_, D> {
    fn upload<E: Value>(&self, rows: &Rows<'_, E>) -> Result<Loaded<D, E>, DeviceError> {
        Ok(Loaded {
            edges: rows.edges(),
            offsets: Array::from_slice(self.device, &rows.offsets)?,
            others: Array::from_slice(self.device, &rows.others)?,
            values: Array::from_slice(self.device, &rows.values)?,
        })
    }

    /// The length of every row.
    fn degrees<E>(&self, n: u32, rows: &Loaded<D, E>) -> Result<Array<D, u32>, DeviceError> {
        let degrees = Array::new(self.device, n.into())?;
        let (offsets, of) = (rows.offsets.global(), degrees.global());
        let a = Degrees { vertices: n, offsets, degrees: of };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "degrees", n.into(), &a)? };
        Ok(degrees)
    }

    /// How often each vertex is the other end of an edge.
    fn count<E>(&self, n: u32, rows: &Loaded<D, E>) -> Result<Array<D, u32>, DeviceError> {
        let counts = Array::filled(self.device, n.into(), 0)?;
        let a = Count { edges: rows.edges, targets: rows.others.global(), counts: counts.global() };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "count", rows.edges, &a)? };
        Ok(counts)
    }

    /// Exclusive prefix sums of `values * factor`, and the sum of all.
    pub(super) fn scan(
        &self,
        values: &Array<D, u32>,
        count: u64,
        factor: u64,
    ) -> Result<Array<D, u64>, DeviceError> {
        let sums = Sums::new(self.device, count)?;
        sums.queue(self.device, self.kernels, values, factor)?;
        Ok(sums.sums)
    }

    /// The order of `n` vertices, by these degrees.
    pub(super) fn order(
        &self,
        n: u32,
        sort: Sort,
        degrees: &Array<D, u32>,
    ) -> Result<Places<D>, DeviceError> {
        let sorter = Sorter::new(self.device, n, sort)?;
        sorter.queue(self.device, self.kernels, degrees)?;
        Ok(sorter.into_places())
    }

    /// `values` by id, in the order of places.
    fn permute(
        &self,
        n: u32,
        place_of: &Array<D, u32>,
        values: &Array<D, u32>,
    ) -> Result<Array<D, u32>, DeviceError> {
        let moved = Array::new(self.device, n.into())?;
        let a = Permute {
            count: n,
            place_of: place_of.global(),
            from: values.global(),
            to: moved.global(),
        };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "permute", n.into(), &a)? };
        Ok(moved)
    }

    /// Steps 1 and 2 of the remap: the first slot of each group, and all slots.
    fn columns<E: Value>(
        &self,
        n: u32,
        degrees: &Array<D, u32>,
        shift: u32,
        split: bool,
    ) -> Result<ColumnsMemory<D, E>, DeviceError> {
        let groups = columns::groups(n, shift);
        let rows = Array::new(self.device, groups.into())?;
        let a = GroupRows { vertices: n, shift, degrees: degrees.global(), rows: rows.global() };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(self.device, "group_rows", groups.into(), &a)? };
        let bases = self.scan(&rows, groups.into(), 1 << shift)?;
        let slots = bases.get(self.device, groups.into())?;
        let chunks = self.chunks(if split { rows.to_vec(self.device)? } else { Vec::new() })?;
        let (senders, values) = (Array::none(), Array::none());
        Ok(ColumnsMemory { shift, bases, slots, senders, values, chunks })
    }

    /// Cuts the groups up to the last of many rows.
    fn chunks(&self, rows: Vec<u32>) -> Result<ChunksMemory<D>, DeviceError> {
        let up_to = |rows_above: u32| {
            rows.iter().rposition(|rows| *rows > rows_above).map_or(0, |last| last + 1)
        };
        let (heavy, long) = (up_to(CHUNK_ROWS), up_to(SHORT_ROWS));
        let huge = up_to(CHUNK_ROWS * HUGE_CHUNKS);
        let (mut list, mut firsts) = (Vec::new(), vec![0]);
        for (group, rows) in (0..).zip(&rows[..heavy]) {
            let pieces = (0..(*rows).max(1)).step_by(CHUNK_ROWS as usize);
            list.extend(pieces.map(|row| Chunk { group, row }));
            firsts.push(list.len() as u32);
        }
        Ok(ChunksMemory {
            count: list.len() as u32,
            heavy: heavy as u32,
            long: long as u32,
            huge: huge as u32,
            list: Array::from_slice(self.device, &list)?,
            firsts: Array::from_slice(self.device, &firsts)?,
        })
    }

    /// Rows by sender in the order of places.
    fn move_rows<E: Value>(
        &self,
        n: u32,
        rows: &Loaded<D, E>,
        (place_of, vertex_at): (&Array<D, u32>, &Array<D, u32>),
        degrees: &Array<D, u32>,
    ) -> Result<PushMemory<D, E>, DeviceError> {
        let device = self.device;
        let offsets = self.scan(degrees, n.into(), 1)?;
        let targets = Array::new(device, rows.edges)?;
        let values = match size_of::<E>() {
            0 => Array::none(),
            _ => Array::new(device, rows.edges)?,
        };
        let a = MoveRows {
            vertices: n,
            width: size_of::<E>() as u32,
            offsets: rows.offsets.global(),
            others: rows.others.global(),
            values: if size_of::<E>() == 0 { Global::NONE } else { rows.values.bytes() },
            place_of: place_of.global(),
            vertex_at: vertex_at.global(),
            new_offsets: offsets.global(),
            new_others: targets.global(),
            new_values: values.bytes(),
        };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.each(device, "move_rows", u64::from(n) * 32, &a)? };
        let items = Array::new(device, room(n.into(), rows.edges))?;
        let count = Array::new(device, 1)?;
        Ok(PushMemory { offsets, targets, values, items, count })
    }
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
        pull(steps, &mut prepared, &senders, &receivers, symmetric)?;
    }
    if parts.mailbox {
        let shift = layout.group.trailing_zeros();
        let split = layout.split_hubs && shift == WARP_SHIFT && P::Combiner::COMBINES;
        let rows = receivers.take().or(senders.take());
        mailbox(steps, &mut prepared, rows, (shift, split), parts.fixed)?;
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

/// Senders in columns.
fn pull<D: Device, E: Value>(
    steps: &Steps<'_, D>,
    prepared: &mut Prepared<D, E>,
    senders: &Option<Loaded<D, E>>,
    receivers: &Option<Loaded<D, E>>,
    symmetric: bool,
) -> Result<(), DeviceError> {
    let (device, n) = (steps.device, prepared.vertices);
    let mut columns = steps.columns(n, &prepared.receive_degrees, WARP_SHIFT, true)?;
    columns.senders = Array::new(device, columns.slots)?;
    if size_of::<E>() > 0 {
        columns.values = Array::new(device, columns.slots)?;
    }
    let by_receiver = receivers.as_ref().or(senders.as_ref().filter(|_| symmetric));
    if let Some(rows) = by_receiver {
        let valued = |bytes| if size_of::<E>() == 0 { Global::NONE } else { bytes };
        let a = PlaceColumns {
            vertices: n,
            offsets: rows.offsets.global(),
            others: rows.others.global(),
            place_of: prepared.place_of.global(),
            vertex_at: prepared.vertex_at.global(),
            degrees: prepared.receive_degrees.global(),
            bases: columns.bases.global(),
            chunks: columns.chunks.list.global(),
            chunk_count: columns.chunks.count,
            heavy: columns.chunks.heavy,
            senders: columns.senders.global(),
            width: size_of::<E>() as u32,
            values: valued(rows.values.bytes()),
            values_by_slot: valued(columns.values.bytes()),
        };
        let items = columns.chunks.count + columns::groups(n, WARP_SHIFT) - columns.chunks.heavy;
        let threads = u64::from(items) * u64::from(WARP);
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { steps.kernels.each(device, "place_columns", threads, &a)? };
    } else if let Some(rows) = senders {
        let labels = Array::filled(device, n.into(), 0)?;
        let mut a = placing(prepared, rows, &columns, &labels);
        a.senders = columns.senders.global();
        a.values_by_slot = columns.values.bytes();
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { steps.kernels.each(device, "place_edges", rows.edges, &a)? };
    }
    prepared.columns = Some(columns);
    Ok(())
}

/// A slot for every edge.
fn mailbox<D: Device, E: Value>(
    steps: &Steps<'_, D>,
    prepared: &mut Prepared<D, E>,
    rows: Option<Loaded<D, E>>,
    (shift, split): (u32, bool),
    fixed: bool,
) -> Result<(), RunError> {
    let (device, n) = (steps.device, prepared.vertices);
    let columns = steps.columns(n, &prepared.receive_degrees, shift, split)?;
    if columns.slots > u32::MAX.into() {
        return Err(RunError::Unsupported(
            "a message buffer of more than 4,294,967,295 slots: sort by degree, or use pull",
        ));
    }
    let Some(rows) = rows else { return Ok(()) };
    let sources = Array::new(device, rows.edges)?;
    let positions = Array::new(device, rows.edges)?;
    let labels = Array::filled(device, n.into(), 0)?;
    let mut a = placing(prepared, &rows, &columns, &labels);
    a.sources = sources.global();
    a.positions = positions.global();
    let kernel = if fixed { "place_rows" } else { "place_edges" };
    // SAFETY: the arrays have the sizes that the kernel asks for.
    unsafe { steps.kernels.each(device, kernel, rows.edges, &a)? };
    let (count, values, receivers) = (rows.edges, rows.values, Array::none());
    prepared.mail = Some(EdgesMemory { count, sources, positions, values, receivers });
    prepared.columns = Some(columns);
    Ok(())
}

/// What both kernels that place edges are given.
fn placing<D: Device, E: Value>(
    prepared: &Prepared<D, E>,
    rows: &Loaded<D, E>,
    columns: &ColumnsMemory<D, E>,
    labels: &Array<D, u32>,
) -> PlaceEdges {
    PlaceEdges {
        vertices: prepared.vertices,
        shift: columns.shift,
        edges: rows.edges,
        offsets: rows.offsets.global(),
        others: rows.others.global(),
        place_of: prepared.place_of.global(),
        bases: columns.bases.global(),
        labels: labels.global(),
        sources: Global::NONE,
        positions: Global::NONE,
        senders: Global::NONE,
        width: size_of::<E>() as u32,
        values: if size_of::<E>() == 0 { Global::NONE } else { rows.values.bytes() },
        values_by_slot: Global::NONE,
        receivers: Global::NONE,
    }
}

impl<D: Device, E> std::fmt::Debug for Prepared<D, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepared")
            .field("vertices", &self.vertices)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}
