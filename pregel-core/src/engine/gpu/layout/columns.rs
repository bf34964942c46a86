//! The layout of columns: which slots each group of vertices has, and which sender goes into which slot.

use super::Shape;
use super::chunks::Chunked;
use super::order::Placed;
use super::sums::Sums;
use super::upload::{Given, Uploaded};
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{GroupRows, PlaceColumns, PlaceEdges};
use crate::device::{Columns, Global, Profile, WARP, columns};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::Value;

/// The shift of groups of 32 vertices.
pub(crate) const WARP_SHIFT: u32 = WARP.trailing_zeros();

/// The slots of each group of vertices.
pub(crate) struct Groups<D: Device> {
    /// Groups are of `1 << shift` vertices.
    pub(crate) shift: u32,
    /// First slot of each group, and the end of the last.
    bases: Array<D, u64>,
    pub(crate) slots: u64,
    pub(crate) chunks: Chunked<D>,
    degrees: Array<D, u32>,
    /// None where groups are rows.
    profiles: Array<D, Profile>,
}

/// Memory for the numbers of layers and the first slots of groups.
pub(super) struct GroupRoom<D: Device> {
    layers: Array<D, u32>,
    sums: Sums<D>,
    profiles: Array<D, Profile>,
}

impl<D: Device> GroupRoom<D> {
    pub(super) fn new(arrays: &mut Arrays<D>, groups: u32) -> Result<Self, DeviceError> {
        Ok(Self {
            layers: arrays.array("layers of groups", groups.into())?,
            sums: Sums::room(arrays, "first slots of groups", groups.into())?,
            profiles: arrays.array("profiles of groups", groups.into())?,
        })
    }
}

/// How many messages of each vertex have a slot so far: none.
pub(super) fn no_labels<D: Device>(
    arrays: &mut Arrays<D>,
    shape: Shape,
) -> Result<Array<D, u32>, DeviceError> {
    arrays.filled("messages labelled so far", shape.n(), 0)
}

impl<D: Device> Groups<D> {
    /// Steps 1 and 2 of the remap: finds the first slot of each group and the number of
    /// slots; cuts heavy groups into chunks if `split`. Waits.
    pub(super) fn lay_out(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        placed: &Placed<D>,
        shift: u32,
        split: bool,
    ) -> Result<Self, DeviceError> {
        let (n, degrees) = (placed.shape.vertices, placed.receive_degrees.clone());
        let groups = columns::groups(n, shift);
        let GroupRoom { layers, sums, profiles } = GroupRoom::new(arrays, groups)?;
        let a = GroupRows {
            vertices: n,
            shift,
            degrees: degrees.global(),
            rows: layers.global(),
            profiles: profiles.global(),
        };
        // SAFETY: `degrees` has a value per vertex, `layers` and `profiles` one per group.
        unsafe { tools.each::<k::GroupRows>(groups.into(), &a)? };
        sums.queue(tools, &layers, 1 << shift)?;
        let slots = sums.sums.get(groups.into())?;
        let layers = if split { layers.to_vec()? } else { Vec::new() };
        let chunks = Chunked::cut(arrays, &layers)?;
        Ok(Self { shift, bases: sums.sums, slots, chunks, degrees, profiles })
    }

    /// Groups of one vertex each: rows that begin at `bases`.
    pub(super) fn rows(bases: Array<D, u64>, slots: u64, degrees: Array<D, u32>) -> Self {
        let (chunks, profiles) = (Chunked::none(), Array::none());
        Self { shift: 0, bases, slots, chunks, degrees, profiles }
    }

    /// What warps take of the columns of `vertices` vertices: chunks, and groups that are
    /// not heavy.
    pub(crate) fn items(&self, vertices: u32) -> u32 {
        self.chunks.count + (columns::groups(vertices, self.shift) - self.chunks.heavy)
    }

    /// The first places, of `vertices` places: behind them no vertex can get a message.
    pub(crate) fn reached(&self, vertices: u32) -> u32 {
        vertices.min(self.chunks.reached.saturating_mul(1 << self.shift))
    }

    /// The argument block's view of the columns.
    pub(crate) fn global(&self) -> Columns {
        Columns {
            shift: self.shift,
            degrees: self.degrees.global(),
            bases: self.bases.global(),
            profiles: self.profiles.global(),
        }
    }
}

/// The senders of each vertex, in columns.
pub(crate) struct SenderColumns<D: Device, E> {
    pub(crate) groups: Groups<D>,
    pub(crate) places: Array<D, u32>,
    pub(crate) values: Array<D, E>,
}

/// Memory for the sender in each slot, and the value of the edge.
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
    /// Puts the sender of every edge into a slot of its receiver. With `best_first` that of the
    /// highest degree comes first, if there are rows by receiver.
    pub(super) fn lay_out(
        tools: &Kernels<D, Tools>,
        arrays: &mut Arrays<D>,
        placed: &Placed<D>,
        given: &Given<D, E>,
        best_first: bool,
    ) -> Result<Self, DeviceError> {
        let groups = Groups::lay_out(tools, arrays, placed, WARP_SHIFT, true)?;
        let SenderRoom { places, values } = SenderRoom::new(arrays, groups.slots)?;
        let laid = Self { groups, places, values };
        if let Some(rows) = given.receivers() {
            laid.place_receivers(tools, placed, rows, best_first)?;
        } else if let Some(rows) = &given.by_sender {
            let labels = no_labels(arrays, placed.shape)?;
            let mut a = placing(placed, rows, &laid.groups, &labels);
            a.senders = laid.places.global();
            a.values_by_slot = laid.values.bytes();
            // SAFETY: `placing` describes these edges and groups, `labels` are 0, and there
            // is room for the sender and the value of every slot.
            unsafe { tools.each::<k::PlaceEdges>(rows.edges, &a)? };
        }
        Ok(laid)
    }

    /// Fills the columns from rows by receiver.
    fn place_receivers(
        &self,
        tools: &Kernels<D, Tools>,
        placed: &Placed<D>,
        rows: &Uploaded<D, E>,
        best_first: bool,
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
            best_first: best_first.into(),
            senders: self.places.global(),
            width: size_of::<E>() as u32,
            values: rows.values.bytes(),
            values_by_slot: self.values.bytes(),
        };
        let items = self.groups.items(n);
        // SAFETY: the degrees are the lengths of these rows, so every edge has a slot; all
        // targets of a graph are vertices; chunks and bases are those of these columns.
        unsafe { tools.each::<k::PlaceColumns>(u64::from(items) * u64::from(WARP), &a) }
    }
}

/// The arguments of the kernels that place edges, without the arrays that they write.
///
/// The kernels are safe to launch if `labels` are 0 and `groups` were laid out by the
/// degrees of these edges, so that every edge has a slot.
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
