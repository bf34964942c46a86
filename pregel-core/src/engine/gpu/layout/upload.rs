//! Copies rows of edges to the device as the host has them, indexed by id.

use super::Shape;
use super::rows::Rows;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::Value;

/// Rows on the device, by id.
pub(crate) struct Uploaded<D: Device, E> {
    pub(crate) edges: u64,
    pub(crate) offsets: Array<D, u64>,
    pub(crate) others: Array<D, u32>,
    pub(crate) values: Array<D, E>,
}

impl<D: Device, E: Value> Uploaded<D, E> {
    pub(super) fn room(arrays: &mut Arrays<D>, shape: Shape) -> Result<Self, DeviceError> {
        Ok(Self {
            edges: shape.edges,
            offsets: arrays.array("row offsets as given", shape.n() + 1)?,
            others: arrays.array("edges as given", shape.edges)?,
            values: arrays.array("edge values as given", shape.edges)?,
        })
    }

    /// Copies rows of the host.
    pub(super) fn copy(
        arrays: &mut Arrays<D>,
        shape: Shape,
        rows: &Rows<'_, E>,
    ) -> Result<Self, DeviceError> {
        let uploaded = Self::room(arrays, shape)?;
        uploaded.offsets.write(&rows.offsets)?;
        uploaded.others.write(&rows.others)?;
        uploaded.values.write(&rows.values)?;
        Ok(uploaded)
    }
}

/// The rows that were uploaded.
pub(super) struct Given<D: Device, E> {
    pub(super) by_sender: Option<Uploaded<D, E>>,
    pub(super) by_receiver: Option<Uploaded<D, E>>,
    /// Whether rows by sender are rows by receiver too.
    pub(super) symmetric: bool,
}

impl<D: Device, E> Given<D, E> {
    /// Rows by receiver, if there are any.
    pub(super) fn receivers(&self) -> Option<&Uploaded<D, E>> {
        self.by_receiver.as_ref().or(self.by_sender.as_ref().filter(|_| self.symmetric))
    }
}
