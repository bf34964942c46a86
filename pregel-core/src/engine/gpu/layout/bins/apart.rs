//! The messages of hubs, which are handled separately from bins.

use std::mem;

use super::items::{Items, Split};
use super::pass::Divided;
use crate::device::WARP;
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
    /// Memory for the messages of these items that are handled separately, if any are; and for sums,
    /// also if a pass `hands_on` those of the others.
    pub(super) fn room(
        arrays: &mut Arrays<D>,
        items: &Items,
        hands_on: bool,
    ) -> Result<Self, DeviceError> {
        let ranges = items.apart_ends.len() as u32;
        let mut apart = Self {
            ranges,
            messages: 0,
            lanes: Array::none(),
            ends: Array::none(),
            firsts: Array::none(),
            senders: Array::none(),
            sums: Array::none(),
        };
        let lanes = |count: u32| u64::from(count) * u64::from(WARP);
        if ranges > 0 {
            apart.ends = arrays.array("last items with hub layers", ranges.into())?;
            apart.firsts = arrays.array("hub layers before items", items.apart.len() as u64)?;
            apart.senders = arrays.filled("hub senders", lanes(items.apart()), 0)?;
        }
        if ranges > 0 || hands_on {
            apart.sums = arrays.array("combined messages", lanes(items.count()))?;
        }
        Ok(apart)
    }

    /// The same for this many messages of a pass, filled as far as its items say, and set in its
    /// arguments.
    pub(super) fn filled(
        arrays: &mut Arrays<D>,
        pass: &mut Divided<D>,
        messages: u64,
        hands_on: bool,
    ) -> Result<Self, DeviceError> {
        let Divided { split: Split { items, apart_lanes, .. }, edges, .. } = pass;
        let mut apart = Self::room(arrays, items, hands_on)?;
        (apart.messages, apart.lanes) = (messages, mem::replace(apart_lanes, Array::none()));
        if apart.ranges > 0 {
            apart.firsts.write(&items.apart)?;
            apart.ends.write(&items.apart_ends)?;
        }
        edges.apart_firsts = apart.firsts.global();
        edges.apart_senders = apart.senders.global();
        Ok(apart)
    }
}
