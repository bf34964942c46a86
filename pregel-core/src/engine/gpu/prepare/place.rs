//! Edges find their slots: the last step of the remap, layout by layout.

use super::super::device::{Array, Device, DeviceError};
use super::{ColumnsMemory, EdgesMemory, Loaded, Prepared, Steps, WARP_SHIFT};
use crate::device::prepare::{PlaceColumns, PlaceEdges};
use crate::device::{Global, WARP, columns};
use crate::engine::RunError;
use crate::program::Value;

/// Senders in columns.
pub(super) fn pull<D: Device, E: Value>(
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
            values: rows.values.bytes(),
            values_by_slot: columns.values.bytes(),
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
pub(super) fn mailbox<D: Device, E: Value>(
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
        values: rows.values.bytes(),
        values_by_slot: Global::NONE,
        receivers: Global::NONE,
    }
}
