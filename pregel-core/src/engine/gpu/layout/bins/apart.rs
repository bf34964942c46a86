//! The messages of hubs, which are handled separately from bins.

use super::items::Items;
use crate::device::WARP;
use crate::device::prepare::BinEdges;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError};
use crate::program::{Message, Program, Value};

/// The messages of the first ranges that are handled separately from bins.
pub(super) struct Apart<D: Device, P: Program> {
    /// How many ranges; 0 if nothing is handled separately.
    pub(super) ranges: u32,
    /// How many messages.
    pub(super) messages: u64,
    pub(super) lanes: Array<D, u8>,
    pub(super) ends: Array<D, u32>,
    pub(super) firsts: Array<D, u32>,
    pub(super) senders: Array<D, u64>,
    pub(super) sums: Array<D, Message<P>>,
}

impl<D: Device, P: Program> Apart<D, P>
where
    Message<P>: Value,
{
    /// Memory for the messages that are handled separately, of which each lane has these
    /// layers; none if no range has any.
    pub(super) fn room(
        arrays: &mut Arrays<D>,
        items: &Items,
        lanes: Array<D, u8>,
    ) -> Result<Self, DeviceError> {
        let ranges = items.apart_ends.len() as u32;
        let mut apart = Self {
            ranges,
            messages: 0,
            lanes,
            ends: Array::none(),
            firsts: Array::none(),
            senders: Array::none(),
            sums: Array::none(),
        };
        if ranges > 0 {
            let lanes = |count: u32| u64::from(count) * u64::from(WARP);
            apart.ends = arrays.array("last items with hub layers", ranges.into())?;
            apart.firsts = arrays.array("hub layers before items", items.apart.len() as u64)?;
            apart.senders = arrays.filled("hub senders", lanes(items.apart()), 0)?;
            apart.sums = arrays.array("combined hub messages", lanes(items.count()))?;
        }
        Ok(apart)
    }

    /// The same for a graph with this many edges, filled as far as the items say, and set in `a`.
    pub(super) fn filled(
        arrays: &mut Arrays<D>,
        items: &Items,
        lanes: Array<D, u8>,
        edges: u64,
        a: &mut BinEdges,
    ) -> Result<Self, DeviceError> {
        let mut apart = Self::room(arrays, items, lanes)?;
        apart.messages = edges - items.messages;
        if apart.ranges > 0 {
            apart.firsts.write(&items.apart)?;
            apart.ends.write(&items.apart_ends)?;
        }
        a.apart_firsts = apart.firsts.global();
        a.apart_senders = apart.senders.global();
        Ok(apart)
    }
}
