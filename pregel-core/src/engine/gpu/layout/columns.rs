//! Columns: the slots of 32 vertices side by side, and heavy groups in chunks.

use super::order::Placed;
use super::sums::Sums;
use super::upload::{Given, Uploaded};
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{GroupRows, PlaceColumns, PlaceEdges};
use crate::device::{
    CHUNK_LAYERS, Chunk, Columns, Global, HUGE_CHUNKS, JOIN_BLOCK, SHORT_LAYERS, WARP, columns,
};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::Value;

/// Shift of groups of 32.
pub(crate) const WARP_SHIFT: u32 = WARP.trailing_zeros();

/// Where the slots of each vertex lie.
pub(crate) struct Groups<D: Device> {
    /// Groups are of `1 << shift` vertices.
    pub(crate) shift: u32,
    /// First slot of each group, and how many slots there are.
    bases: Array<D, u64>,
    pub(crate) slots: u64,
    pub(crate) chunks: Chunked<D>,
    degrees: Array<D, u32>,
}

/// Heavy groups in chunks; see [`Chunks`](crate::device::Chunks) for what is counted.
pub(crate) struct Chunked<D: Device> {
    pub(crate) list: Array<D, Chunk>,
    pub(crate) count: u32,
    pub(crate) heavy: u32,
    pub(crate) long: u32,
    pub(crate) huge: u32,
    pub(crate) firsts: Array<D, u32>,
}

impl<D: Device> Chunked<D> {
    /// No group is heavy.
    pub(crate) fn none() -> Self {
        Self { list: Array::none(), count: 0, heavy: 0, long: 0, huge: 0, firsts: Array::none() }
    }

    /// How many chunks a layout of `slots` slots has at most: a heavy group has more rows
    /// than a chunk, and at most one that is not full.
    pub(crate) fn at_most(slots: u64) -> u64 {
        2 * slots / u64::from(CHUNK_LAYERS * WARP)
    }

    /// Cuts the groups up to the last of many rows; `rows` says how many each has.
    fn cut(arrays: &mut Arrays<D>, rows: &[u32]) -> Result<Self, DeviceError> {
        let up_to = |rows_above: u32| {
            rows.iter().rposition(|rows| *rows > rows_above).map_or(0, |last| last + 1)
        };
        let (heavy, long) = (up_to(CHUNK_LAYERS), up_to(SHORT_LAYERS));
        let huge = up_to(CHUNK_LAYERS * HUGE_CHUNKS);
        let (mut list, mut firsts) = (Vec::new(), vec![0]);
        for (group, rows) in (0..).zip(&rows[..heavy]) {
            let chunks = (0..(*rows).max(1)).step_by(CHUNK_LAYERS as usize);
            list.extend(chunks.map(|layer| Chunk { group, layer }));
            firsts.push(list.len() as u32);
        }
        Ok(Self {
            count: list.len() as u32,
            heavy: heavy as u32,
            long: long as u32,
            huge: huge as u32,
            list: arrays.copied("chunks", &list)?,
            firsts: arrays.copied("first chunks of groups", &firsts)?,
        })
    }

    /// Blocks that join the chunks of heavy groups: as many as keep a device busy,
    /// whichever it is, so that all add up the same.
    pub(crate) fn joiners(&self) -> u32 {
        self.huge + (self.heavy - self.huge).div_ceil(JOIN_BLOCK / WARP).min(256)
    }
}

impl<D: Device> Groups<D> {
    /// Steps 1 and 2 of the remap: the first slot of each group, and all slots. Waits.
    pub(super) fn lay_out(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        placed: &Placed<D>,
        shift: u32,
        split: bool,
    ) -> Result<Self, DeviceError> {
        let (n, degrees) = (placed.shape.vertices, placed.receive_degrees.clone());
        let groups = columns::groups(n, shift);
        let rows = arrays.array("rows of groups", groups.into())?;
        let a = GroupRows { vertices: n, shift, degrees: degrees.global(), rows: rows.global() };
        // SAFETY: there is a degree for every vertex, and room for every group.
        unsafe { tools.each::<k::GroupRows>(groups.into(), &a)? };
        let sums = Sums::room(arrays, "first slots of groups", groups.into())?;
        sums.queue(tools, &rows, 1 << shift)?;
        let slots = sums.sums.get(groups.into())?;
        let rows = if split { rows.to_vec()? } else { Vec::new() };
        let chunks = Chunked::cut(arrays, &rows)?;
        Ok(Self { shift, bases: sums.sums, slots, chunks, degrees })
    }

    /// Groups of one vertex, whose first slots the host has found.
    pub(super) fn rows(bases: Array<D, u64>, slots: u64, degrees: Array<D, u32>) -> Self {
        Self { shift: 0, bases, slots, chunks: Chunked::none(), degrees }
    }

    /// What kernels are given.
    pub(crate) fn global(&self) -> Columns {
        let (degrees, bases) = (self.degrees.global(), self.bases.global());
        Columns { shift: self.shift, degrees, bases }
    }
}

/// The senders of each vertex, in columns.
pub(crate) struct SenderColumns<D: Device, E> {
    pub(crate) groups: Groups<D>,
    pub(crate) places: Array<D, u32>,
    pub(crate) values: Array<D, E>,
}

/// Room for the senders of each slot, and the values of their edges.
pub(super) struct SenderRoom<D: Device, E> {
    places: Array<D, u32>,
    values: Array<D, E>,
}

impl<D: Device, E: Value> SenderRoom<D, E> {
    pub(super) fn new(arrays: &mut Arrays<D>, slots: u64) -> Result<Self, DeviceError> {
        Ok(Self {
            places: arrays.array("senders in columns", slots)?,
            values: arrays.array("edge values in columns", slots)?,
        })
    }
}

impl<D: Device, E: Value> SenderColumns<D, E> {
    /// Puts the sender of every edge into a slot of its receiver.
    pub(super) fn lay_out(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        placed: &Placed<D>,
        given: &Given<D, E>,
    ) -> Result<Self, DeviceError> {
        let groups = Groups::lay_out(tools, arrays, placed, WARP_SHIFT, true)?;
        let SenderRoom { places, values } = SenderRoom::new(arrays, groups.slots)?;
        let laid = Self { groups, places, values };
        if let Some(rows) = given.receivers() {
            laid.from_receivers(tools, placed, rows)?;
        } else if let Some(rows) = &given.by_sender {
            let labels = arrays.filled("messages labelled so far", placed.shape.n(), 0)?;
            let mut a = placing(placed, rows, &laid.groups, &labels);
            a.senders = laid.places.global();
            a.values_by_slot = laid.values.bytes();
            // SAFETY: as `placing` says; there is room for every slot.
            unsafe { tools.each::<k::PlaceEdges>(rows.edges, &a)? };
        }
        Ok(laid)
    }

    fn from_receivers(
        &self,
        tools: &Kernels<D, Tools>,
        placed: &Placed<D>,
        rows: &Uploaded<D, E>,
    ) -> Result<(), DeviceError> {
        let (n, chunks) = (placed.shape.vertices, &self.groups.chunks);
        let Columns { degrees, bases, .. } = self.groups.global();
        let a = PlaceColumns {
            vertices: n,
            offsets: rows.offsets.global(),
            others: rows.others.global(),
            place_of: placed.place_of.global(),
            vertex_at: placed.vertex_at.global(),
            degrees,
            bases,
            chunks: chunks.list.global(),
            chunk_count: chunks.count,
            heavy: chunks.heavy,
            senders: self.places.global(),
            width: size_of::<E>() as u32,
            values: rows.values.bytes(),
            values_by_slot: self.values.bytes(),
        };
        let items = chunks.count + columns::groups(n, WARP_SHIFT) - chunks.heavy;
        // SAFETY: the degrees are the lengths of these rows, so that each has its slots;
        // every other end of an edge is a vertex.
        unsafe { tools.each::<k::PlaceColumns>(u64::from(items) * u64::from(WARP), &a) }
    }
}

/// What both kernels that place edges are given: labels are 0, the degrees of receivers
/// were counted from the same edges, and every other end of an edge is a vertex.
pub(super) fn placing<D: Device, E: Value>(
    placed: &Placed<D>,
    rows: &Uploaded<D, E>,
    groups: &Groups<D>,
    labels: &Array<D, u32>,
) -> PlaceEdges {
    PlaceEdges {
        vertices: placed.shape.vertices,
        shift: groups.shift,
        edges: rows.edges,
        offsets: rows.offsets.global(),
        others: rows.others.global(),
        place_of: placed.place_of.global(),
        bases: groups.bases.global(),
        labels: labels.global(),
        sources: Global::NONE,
        positions: Global::NONE,
        senders: Global::NONE,
        width: size_of::<E>() as u32,
        values: rows.values.bytes(),
        values_by_slot: Global::NONE,
        receivers: Global::NONE,
    }
}
