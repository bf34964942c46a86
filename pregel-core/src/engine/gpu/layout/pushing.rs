//! The layout of rows to push along: the rows by sender, in the order of places.

use super::Shape;
use super::order::Placed;
use super::sums::Sums;
use super::upload::Uploaded;
use crate::device::kernels::Tools;
use crate::device::kernels::tools as k;
use crate::device::prepare::{MoveRows, ROW_TILE};
use crate::device::{PUSH_EDGES, Piece, Rows, WARP};
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::{Program, Value};

/// Rows to push along, with memory to list their pieces.
pub(crate) struct PushRows<D: Device, E> {
    pub(crate) offsets: Sums<D>,
    targets: Array<D, u32>,
    values: Array<D, E>,
    pub(crate) items: Array<D, Piece>,
}

/// The most pieces that the rows of a graph can have.
pub(crate) fn most_pieces(shape: Shape) -> u64 {
    shape.n() + shape.edges / u64::from(PUSH_EDGES) + 1
}

impl<D: Device, E: Value> PushRows<D, E> {
    pub(crate) fn room(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        Ok(Self {
            offsets: Sums::room(arrays, "rows to push along", shape.n())?,
            targets: arrays.array("edges to push along", shape.edges)?,
            values: arrays.array("edge values to push along", shape.edges)?,
            items: arrays.array("frontier", most_pieces(shape))?,
        })
    }

    /// Lays out rows by sender. If there is not enough memory, none is kept.
    pub(crate) fn lay_out(
        tools: &Kernels<D, Tools>,
        placed: &Placed<D>,
        rows: &Uploaded<D, E>,
    ) -> Result<Self, DeviceError> {
        let laid = Self::room(&mut Arrays::on(tools.device()), placed.shape)?;
        laid.offsets.queue(tools, &placed.send_degrees, 1)?;
        let a = MoveRows {
            vertices: placed.shape.vertices,
            edges: rows.edges,
            width: size_of::<E>() as u32,
            offsets: rows.offsets.global(),
            others: rows.others.global(),
            values: rows.values.bytes(),
            place_of: placed.place_of.global(),
            vertex_at: placed.vertex_at.global(),
            new_offsets: laid.offsets.sums.global(),
            new_others: laid.targets.global(),
            new_values: laid.values.bytes(),
        };
        let warps = rows.edges.div_ceil(ROW_TILE.into());
        // SAFETY: send degrees are the lengths of `rows`, so the new rows are as long as
        // the old ones; there is room for every edge, and every target is a vertex.
        unsafe { tools.each::<k::MoveRows>(warps * u64::from(WARP), &a)? };
        Ok(laid)
    }

    /// The argument block's view of the rows.
    pub(crate) fn global<P: Program<Edge = E>>(&self) -> Rows<P> {
        Rows {
            offsets: self.offsets.sums.global(),
            targets: self.targets.global(),
            values: self.values.global(),
        }
    }
}
