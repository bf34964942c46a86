//! Puts a graph on the device: uploads it, sorts its vertices and lays out its edges.
//!
//! [`rows`] says which edges carry messages, and in which direction the host stores them.
//! [`order`] sorts the vertices, using [`sort`] and the prefix sums of [`sums`]. Then each
//! strategy has its layout: [`columns`] of senders to pull from, [`bins`] where they are
//! faster, [`pushing`] for rows to push along, and the message [`buffer`]. [`medusa`] lays
//! the baseline out in its own way.

pub(super) mod bins;
mod buffer;
mod chunks;
mod columns;
mod medusa;
mod order;
mod padding;
mod pushing;
mod rows;
mod sort;
mod sums;
mod upload;

use std::time::{Duration, Instant};

pub(super) use buffer::Buffer;
pub(super) use chunks::{Chunked, most_split};
pub(super) use columns::{Groups, SenderColumns, WARP_SHIFT};
pub(super) use order::Placed;
pub(super) use padding::slots;
pub(super) use pushing::{PushRows, most_pieces};
pub use sort::{DegreeSort, SortedOrder};
pub(super) use upload::Uploaded;

pub(super) use super::policy::Shape;
use super::policy::{BufferLayout, GpuOptions, Sort};
use super::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::device::columns::groups;
use crate::device::kernels::{Set, Tools};
use crate::device::{any_will_do, stays_resident, updates_in_place};
use crate::engine::options::order_shows;
use crate::engine::{Needs, RunError, RunOptions, Strategy, VertexOrder};
use crate::graph::Graph;
use crate::program::{Delivery, Direction, Value, VertexCompute};
use buffer::{BufferRoom, Grouping};
use chunks::ChunkRoom;
use columns::{GroupRoom, SenderRoom, no_labels};
use order::Ordering;
use rows::Rows;
use upload::Given;

/// The size of a graph as a program sees it.
pub(super) fn shape_of<P: VertexCompute>(graph: &Graph<P::Edge>) -> Shape {
    Shape { vertices: graph.vertex_count(), edges: rows::edges::<P>(graph) }
}

/// Which layouts a run needs, and how they are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    pub(super) pull: bool,
    pub(super) push: bool,
    pub(super) mailbox: bool,
    /// Whether the buffer is laid out as in Medusa.
    pub(super) medusa: bool,
    /// Whether Medusa's messages are combined by segments.
    pub(super) segments: bool,
    /// Whether a push is likely, so that its kernels are loaded before the run.
    pub(super) likely_to_push: bool,
    /// How vertices are sorted.
    pub(super) sort: Sort,
    /// Groups of the message buffer are of `1 << group_shift` vertices.
    group_shift: u32,
    /// Whether hubs of the message buffer are cut into chunks.
    split: bool,
    /// Whether the order of messages must depend on the graph alone.
    fixed: bool,
    /// Whether rows by sender are rows by receiver too.
    symmetric: bool,
    /// Whether neither in-degrees nor out-degrees are numbers of messages.
    both: bool,
    /// Whether the host uploads rows by sender.
    by_sender: bool,
    /// Whether the host uploads rows by receiver. They give messages a fixed order, and the
    /// host already has them if messages go against the edges.
    by_receiver: bool,
}

impl Parts {
    pub(super) fn of<P: VertexCompute>(
        graph: &Graph<P::Edge>,
        strategy: Strategy,
        options: &RunOptions,
        layout: &GpuOptions,
    ) -> Self {
        let pull = matches!(strategy, Strategy::Pull | Strategy::Auto);
        let push = matches!(strategy, Strategy::Push | Strategy::Auto);
        let medusa = strategy == Strategy::Mailbox && layout.buffer != BufferLayout::Columns;
        let segments = layout.buffer == BufferLayout::Medusa && P::Combiner::COMBINES;
        let mailbox = strategy == Strategy::Mailbox && !medusa;
        let fixed = options.deterministic && order_shows::<P>();
        let symmetric = rows::symmetric::<P>(graph);
        let against = P::DIRECTION == Direction::In;
        // The device counts degrees in 32 bits; it need not count the lengths of rows that
        // it is given.
        let uncountable = rows::edges::<P>(graph) > u32::MAX.into();
        let by_receiver = !symmetric
            && (pull && (fixed || against) || mailbox && fixed || (pull || push) && uncountable);
        let sort = match layout.sort {
            _ if medusa || options.order == VertexOrder::Given => Sort::None,
            sort if options.deterministic => sort.stable(),
            sort => sort,
        };
        let group_shift = layout.group.trailing_zeros();
        // Programs that can run resident tend to have small frontiers, which are pushed;
        // the others are usually pulled throughout.
        let can_stay = stays_resident::<P>() || updates_in_place::<P>();
        Self {
            pull,
            push,
            mailbox,
            medusa,
            segments: medusa && segments,
            likely_to_push: strategy == Strategy::Push || strategy == Strategy::Auto && can_stay,
            sort,
            group_shift,
            split: layout.split_hubs && group_shift == WARP_SHIFT && P::Combiner::COMBINES,
            fixed,
            symmetric,
            both: graph.directed() && P::DIRECTION == Direction::Both,
            by_sender: symmetric || push || !by_receiver,
            by_receiver,
        }
    }

    /// The kernels that the preparation launches.
    pub(super) fn sets(&self) -> Vec<Set> {
        let mut sets = vec![Set::Results];
        sets.extend_from_slice(sort::sets(self.sort));
        if self.medusa {
            return sets;
        }
        sets.extend([Set::Degrees, Set::Sums]);
        if self.pull {
            let by_row = self.symmetric || self.by_receiver;
            let placed = if by_row { Set::ColumnsByReceiver } else { Set::BySender };
            sets.extend([Set::Columns, placed]);
        }
        if self.mailbox {
            let placed = if self.fixed { Set::BufferByReceiver } else { Set::BySender };
            sets.extend([Set::Columns, placed]);
        }
        if !self.symmetric {
            sets.push(Set::OtherDegrees);
        }
        if self.likely_to_push {
            sets.push(Set::RowsToPush);
        }
        sets
    }
}

/// A graph on the device.
pub(super) struct Prepared<D: Device, E> {
    pub(super) placed: Placed<D>,
    pub(super) layout: Layouts<D, E>,
    pub(super) upload_time: Duration,
    pub(super) preprocess_time: Duration,
}

/// The layout that the strategies of a run start from.
pub(super) enum Layouts<D: Device, E> {
    /// Columns if the run may pull, and rows by sender as uploaded if it may push.
    Edges { senders: Option<SenderColumns<D, E>>, rows: Option<Uploaded<D, E>> },
    /// A message buffer.
    Buffer(Buffer<D, E>),
    /// A message buffer as Medusa lays it out, and the place of each slot's receiver if
    /// messages are combined by segments.
    Medusa { buffer: Buffer<D, E>, receivers: Option<Array<D, u32>> },
}

impl<D: Device, E> Layouts<D, E> {
    /// The groups of columns, if there are any.
    pub(super) fn groups(&self) -> Option<&Groups<D>> {
        match self {
            Self::Edges { senders, .. } => senders.as_ref().map(|senders| &senders.groups),
            Self::Buffer(buffer) | Self::Medusa { buffer, .. } => Some(&buffer.groups),
        }
    }
}

/// Adds the memory of [`prepare`], and of rows to push along, to a plan for columns of
/// `slots` slots.
pub(super) fn plan<D: Device, E: Value>(
    arrays: &mut Arrays<D>,
    shape: Shape,
    parts: &Parts,
    slots: u64,
) -> Result<(), DeviceError> {
    if parts.medusa {
        return medusa::Room::<D, E>::new(arrays, shape, parts.segments).map(drop);
    }
    for _ in 0..u32::from(parts.by_sender) + u32::from(parts.by_receiver) {
        Uploaded::<D, E>::room(arrays, shape)?;
    }
    Ordering::room(arrays, shape, parts.sort, parts.symmetric)?;
    if parts.both {
        order::room_for_both(arrays, shape)?;
    }
    if parts.pull || parts.mailbox {
        let shift = if parts.pull { WARP_SHIFT } else { parts.group_shift };
        let groups = groups(shape.vertices, shift);
        GroupRoom::new(arrays, groups)?;
        if parts.pull || parts.split {
            ChunkRoom::at_most(arrays, groups.into(), slots)?;
        }
        if parts.mailbox || !parts.symmetric && !parts.by_receiver {
            no_labels(arrays, shape)?;
        }
    }
    if parts.pull {
        SenderRoom::<D, E>::new(arrays, slots)?;
    }
    if parts.mailbox {
        BufferRoom::new(arrays, shape)?;
    }
    if parts.push {
        PushRows::<D, E>::room(arrays, shape)?;
    }
    Ok(())
}

/// What the rows to upload take in the memory of the host, as far as they have to be made.
pub(super) fn host_needs<P: VertexCompute>(graph: &Graph<P::Edge>, parts: &Parts) -> Needs {
    let by_target = parts.both
        || parts.by_sender && P::DIRECTION == Direction::In
        || parts.by_receiver && P::DIRECTION == Direction::Out;
    let needs = Needs::default().with_given_rows(graph);
    let needs = if by_target { needs.with_rows_by_target(graph, true) } else { needs };
    if !parts.both {
        return needs;
    }
    let (n, edges) = (u64::from(graph.vertex_count()), 2 * graph.edge_count());
    let edge = 4 + size_of::<P::Edge>() as u64;
    needs.with_host("rows in both directions", 8 * (n + 1) + edges * edge)
}

/// Puts a graph on the device. Waits.
///
/// # Errors
/// [`RunError::DeviceLimit`] if a number of the graph exceeds 32 bits on the device, and
/// [`RunError::Device`] if the device fails or has too little memory.
pub(super) fn prepare<D: Device, P: VertexCompute>(
    tools: &Kernels<D, Tools>,
    graph: &Graph<P::Edge>,
    parts: &Parts,
) -> Result<Prepared<D, P::Edge>, RunError> {
    if parts.medusa {
        return medusa::prepare::<D, P>(tools, graph, parts);
    }
    let (shape, arrays) = (shape_of::<P>(graph), &mut Arrays::on(tools.device()));
    let by_sender = parts.by_sender.then(|| rows::by_sender::<P>(graph));
    let by_receiver = parts.by_receiver.then(|| rows::by_receiver::<P>(graph));
    if by_sender.iter().chain(&by_receiver).any(|rows| rows.longest() > u32::MAX.into()) {
        return Err(RunError::DeviceLimit("a vertex has more than 4,294,967,295 edges"));
    }

    let start = Instant::now();
    let mut upload = |rows: &Option<Rows<'_, P::Edge>>| {
        rows.as_ref().map(|rows| Uploaded::copy(arrays, shape, rows)).transpose()
    };
    let (by_sender, by_receiver) = (upload(&by_sender)?, upload(&by_receiver)?);
    let given = Given { by_sender, by_receiver, symmetric: parts.symmetric };
    tools.device().wait()?;
    let upload_time = start.elapsed();

    let start = Instant::now();
    let placed = Ordering::room(arrays, shape, parts.sort, parts.symmetric)?
        .queue::<P>(tools, arrays, graph, &given)?;
    let layout = if parts.mailbox {
        let grouping =
            Grouping { shift: parts.group_shift, split: parts.split, by_receiver: parts.fixed };
        let rows = given.by_receiver.or(given.by_sender);
        let rows = rows.ok_or(RunError::Unsupported("a graph without rows"))?;
        Layouts::Buffer(Buffer::lay_out(tools, arrays, &placed, rows, grouping)?)
    } else {
        let lay_out = || SenderColumns::lay_out(tools, arrays, &placed, &given, any_will_do::<P>());
        let senders = parts.pull.then(lay_out).transpose()?;
        Layouts::Edges { senders, rows: given.by_sender.filter(|_| parts.push) }
    };
    tools.device().wait()?;
    Ok(Prepared { placed, layout, upload_time, preprocess_time: start.elapsed() })
}
