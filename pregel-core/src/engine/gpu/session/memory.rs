//! The memory of a run.

use super::super::device::{Array, Device, DeviceError};
use super::super::prepare::Prepared;
use super::super::pull::MOST_BLOCKS;
use super::super::resident::{Resident, Stays};
use super::super::totals::Totals;
use crate::device::{BLOCK, SEGMENT_TILE, WARP};
use crate::program::{Delivery, Message, VertexCompute};

/// All that a run needs beside the graph.
pub(super) struct Memory<D: Device, P: VertexCompute> {
    pub(super) states: Array<D, P::State>,
    pub(super) inputs: Array<D, P::Input>,
    pub(super) votes: [Array<D, u8>; 2],
    pub(super) signals: [Array<D, P::Signal>; 2],
    pub(super) totals: Totals<D, P>,
    pub(super) messages: Array<D, Message<P>>,
    pub(super) present: Array<D, u8>,
    pub(super) chunk_messages: Array<D, Message<P>>,
    pub(super) chunk_present: Array<D, u8>,
    pub(super) slots: Array<D, Message<P>>,
    pub(super) arrived: Array<D, u32>,
    pub(super) combined: Array<D, Message<P>>,
    pub(super) combined_present: Array<D, u8>,
    pub(super) heads: Array<D, Message<P>>,
    pub(super) heads_present: Array<D, u8>,
    pub(super) tails: Array<D, Message<P>>,
    pub(super) tails_present: Array<D, u8>,
    pub(super) resident: Resident<D>,
    pub(super) restored: Array<D, P::State>,
}

impl<D: Device, P: VertexCompute> Memory<D, P> {
    pub(super) fn new(
        device: &D,
        prepared: &Prepared<D, P::Edge>,
        stays: Stays,
    ) -> Result<Self, DeviceError> {
        let n = u64::from(prepared.vertices);
        // Signals are copied 16 bytes at a time.
        let copied = n.next_multiple_of(4);
        let columns = prepared.columns.as_ref();
        let joiners = columns.map_or(0, |c| u64::from(c.chunks.joiners()));
        let blocks = n.div_ceil(BLOCK.into()).max(MOST_BLOCKS.into()) + joiners;
        let partials = columns.map_or(0, |c| u64::from(c.chunks.count) * u64::from(WARP));
        let slots = prepared.mail.as_ref().and(columns).map_or(0, |c| c.slots);
        let segmented = prepared.mail.as_ref().is_some_and(|m| !m.receivers.global().is_none());
        let (tiles, combined) = match segmented && P::Combiner::COMBINES {
            true => (slots.div_ceil(SEGMENT_TILE), n),
            false => (0, 0),
        };
        let pushes = prepared.push.is_some() || prepared.rows.is_some();
        let pushed = if pushes { n } else { 0 };
        let arrivals = Array::filled(device, pushed, 0)?;
        let neutral = Array::new(device, pushed)?;
        neutral.write(device, &vec![P::Combiner::neutral(); pushed as usize])?;
        Ok(Self {
            states: Array::new(device, n)?,
            inputs: Array::new(device, n)?,
            votes: [Array::filled(device, n, 0)?, Array::filled(device, n, 0)?],
            signals: [Array::filled(device, copied, 0)?, Array::filled(device, copied, 0)?],
            totals: Totals::new(device, blocks)?,
            messages: Array::new(device, slots)?,
            present: Array::filled(device, slots, 0)?,
            chunk_messages: Array::new(device, partials)?,
            chunk_present: Array::new(device, partials)?,
            slots: neutral,
            arrived: arrivals,
            combined: Array::new(device, combined)?,
            combined_present: Array::filled(device, combined, 0)?,
            heads: Array::new(device, tiles)?,
            heads_present: Array::new(device, tiles)?,
            tails: Array::new(device, tiles)?,
            tails_present: Array::new(device, tiles)?,
            resident: Resident::new::<P>(device, stays, (n, prepared.edges))?,
            restored: Array::new(device, n)?,
        })
    }
}
