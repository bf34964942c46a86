//! Decides during a run when it pays to cut a graph into bins.

use std::time::Duration;

use super::cut::{Cut, Exchange};
use crate::device::kernels::Set;
use crate::device::{BIN_LAYERS, CHUNK_LAYERS, ITEM_MESSAGES, MOST_APART, WARP};
use crate::engine::gpu::layout::{Placed, Shape};
use crate::engine::gpu::policy::Costs;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::{Message, Program};

/// Decides when to cut a graph: once the time that bins would have saved so far, or will
/// save until the limit and in the runs that are expected, is more than the cut costs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct AmortizationTimer {
    /// Runs that have begun.
    runs: u32,
    /// Supersteps without bins that could have used them.
    supersteps: u32,
    /// The time of the fastest of them.
    fastest: Option<Duration>,
    /// The time of the fastest that had no other of them beside it in its batch. It includes
    /// what the host takes.
    lone: Option<Duration>,
}

impl AmortizationTimer {
    /// Notes a batch of supersteps without bins, and the time of each.
    pub(crate) fn note(&mut self, supersteps: u32, each: Duration) {
        let fastest = if supersteps > 1 {
            self.supersteps = self.supersteps.saturating_add(supersteps);
            &mut self.fastest
        } else {
            &mut self.lone
        };
        *fastest = Some(fastest.map_or(each, |fastest| fastest.min(each)));
    }

    /// Notes that a run begins.
    pub(crate) fn begin(&mut self) {
        self.runs = self.runs.saturating_add(1);
    }

    /// Whether a cut is expected to pay, with `left` supersteps to go until the limit and `runs`
    /// runs in all, each like those so far.
    pub(crate) fn has_paid_off(
        self,
        left: Option<u32>,
        runs: Option<u32>,
        size: Size,
        costs: &Costs,
    ) -> bool {
        let took = self.fastest.map_or(0.0, |took| took.as_nanos() as f64);
        let saved = took - size.takes(costs);
        let left = left.unwrap_or(0);
        let later = runs.unwrap_or(0).saturating_sub(self.runs);
        let of_each = left.max(self.supersteps / self.runs.max(1));
        let ahead = f64::from(left.max(self.supersteps)) + f64::from(later) * f64::from(of_each);
        saved * ahead > size.cut_takes(costs)
    }

    /// Whether runs had at most one superstep each that could have used bins. Only whole runs can
    /// then be compared.
    pub(crate) fn is_lone(self) -> bool {
        self.supersteps == 0 && self.lone.is_some()
    }

    /// Whether a cut is expected to pay in the runs to come, `runs` in all or else as many as there
    /// were so far, with one superstep each that uses bins.
    pub(crate) fn would_pay_off(self, runs: Option<u32>, size: Size, costs: &Costs) -> bool {
        let ahead = runs.map_or(self.runs, |runs| runs.saturating_sub(self.runs));
        let took = self.lone.map_or(0.0, |took| took.as_nanos() as f64);
        (took - size.takes(costs)) * f64::from(ahead) > size.cut_takes(costs)
    }
}

/// The size of a graph, and how its messages are handled.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) shape: Shape,
    /// How many ranges, the first ones, are handled separately.
    pub(crate) ranges: u32,
    /// Messages from the first range, if it is one of them; otherwise 0.
    first: u64,
    /// Messages from all of them.
    apart: u64,
    /// The nanoseconds that the other ranges spare.
    spared_ns: f64,
    /// Whether all items handle their messages separately, not only those with enough.
    always: bool,
    /// Bytes of a message.
    pub(crate) message: u32,
    /// Bytes of the signals of all vertices that send messages.
    signals: u64,
    /// How many vertices get messages.
    receivers: u32,
    /// About how many messages all parts of the senders but the first send, where messages can be exchanged.
    later: u64,
    pub(crate) rest: Rest,
}

/// What becomes of messages that are not handled separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Rest {
    /// They are binned.
    #[default]
    Binned,
    /// Multiprocessors exchange them while they are in the L2 cache.
    Exchanged(Exchange),
    /// Their receivers read the signals, which stay in the L2 cache.
    Pulled,
}

/// Bytes of a sector of the L2 cache, of which a pulled message reads one.
const SECTOR: u32 = 32;

/// Bytes per binned message, apart from the message, that is written and read: numbers of
/// 16 bits for the sender and the position, and its part of what describes a granule.
const DESCRIBED: u32 = 5;

/// Bytes of the messages for which [`Costs::binned_edge_ns`] is given.
const USUAL: u32 = 4;

/// Bytes that are moved for a binned message of this size.
const fn moved(message: u32) -> u32 {
    DESCRIBED + 2 * message
}

impl Size {
    /// The size of a graph. Counts the messages that program `P` sends from the first
    /// ranges, and has them handled separately, and the others pulled, where that is expected to
    /// pay. Waits.
    pub(crate) fn of<D: Device, P: Program>(
        device: &D,
        placed: &Placed<D>,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let (shape, message) = (placed.shape, size_of::<Message<P>>() as u32);
        let mut size = Self { shape, message, ..Self::default() };
        let Some(cut) = Cut::of_program::<D, P>(device, shape) else { return Ok(size) };
        let may_have_hubs = costs.hub_share <= 1.0;
        let ranges = if may_have_hubs { MOST_APART } else { 0 };
        let sent = placed.sent_by_ranges(cut.range, ranges)?;
        let senders = placed.senders()?;
        let exchange = Exchange::of_program::<D, P>(device, senders, costs);
        size.signals = u64::from(senders) * size_of::<P::Signal>() as u64;
        if let Some(exchange) = exchange.filter(|exchange| exchange.passes > 1) {
            size.receivers = placed.receivers()?;
            size.later = placed.about_sent(exchange.places().min(senders)..senders)?;
        }
        Ok(size.best(&sent, exchange, costs))
    }

    /// As it is expected to take the least time, if the first ranges send this many messages, and
    /// others are exchanged only if there is a way, and pulled only beside hubs.
    fn best(self, sent: &[u64], exchange: Option<Exchange>, costs: &Costs) -> Self {
        let with = |rest| Self { rest, ..self }.with_ranges(sent, costs);
        let pulled = Some(with(Rest::Pulled)).filter(|size| size.ranges > 0);
        let exchanges = [exchange, exchange.and_then(Exchange::of_first_part)];
        let exchanged = exchanges.into_iter().flatten().map(|way| with(Rest::Exchanged(way)));
        let faster = |a: Self, b: Self| if b.takes(costs) < a.takes(costs) { b } else { a };
        exchanged.chain(pulled).fold(with(Rest::Binned), faster)
    }

    /// Bytes that are moved for a message that is not handled separately.
    fn moved(self) -> u32 {
        match self.rest {
            Rest::Binned | Rest::Exchanged(_) => moved(self.message),
            Rest::Pulled => SECTOR,
        }
    }

    /// The nanoseconds for each of these bytes.
    fn byte_ns(self, costs: &Costs) -> f64 {
        match self.rest {
            Rest::Binned => costs.binned_edge_ns / f64::from(moved(USUAL)),
            Rest::Exchanged(_) => costs.exchanged_edge_ns / f64::from(moved(USUAL)),
            Rest::Pulled => costs.rest_edge_ns / f64::from(SECTOR),
        }
    }

    /// The nanoseconds for each further range that is handled separately.
    fn range_ns(self, costs: &Costs) -> f64 {
        match self.rest {
            Rest::Binned => costs.hub_range_ns,
            Rest::Exchanged(_) => costs.exchanged_range_ns,
            Rest::Pulled => costs.rest_range_ns,
        }
    }

    /// With as many ranges, which send this many messages, as are worth it.
    fn with_ranges(mut self, sent: &[u64], costs: &Costs) -> Self {
        self.always = self.range_ns(costs) <= 0.0;
        let most = match self.rest {
            Rest::Exchanged(exchange) => exchange.hub_ranges,
            _ => MOST_APART,
        };
        for sent in sent.iter().take(most as usize) {
            if self.ranges == 0 {
                if (*sent as f64) < self.shape.edges as f64 * costs.hub_share {
                    break;
                }
                self.first = *sent;
            } else {
                let spared_ns = self.spared_by_range(*sent, costs) - self.range_ns(costs);
                if spared_ns <= 0.0 && !self.always {
                    break;
                }
                self.spared_ns += spared_ns;
            }
            self.ranges += 1;
            self.apart += *sent;
        }
        self
    }

    /// The nanoseconds that are spared if a range that sends this many messages is handled
    /// separately, provided that all items are like a chunk, and get the same share of their
    /// messages from it.
    fn spared_by_range(self, sent: u64, costs: &Costs) -> f64 {
        let chunks = self.shape.edges.max(1) as f64 / f64::from(ITEM_MESSAGES);
        let messages = sent as f64 / chunks;
        let of_lane = messages / f64::from(WARP);
        // The most of 32 numbers that are distributed like this.
        let longest = of_lane + 2.5 * of_lane.sqrt() + 0.5;
        let words = (longest / f64::from(BIN_LAYERS)).ceil();
        let apart = f64::from(WARP) * (8.0 * words + f64::from(2 * self.message));
        let others = messages * f64::from(self.moved());
        (others - apart) * chunks * self.byte_ns(costs)
    }

    /// The bytes for a binned message with which `bin_split` compares those that it takes to
    /// handle it separately.
    pub(super) fn binned_bytes(self) -> u32 {
        if self.always { u32::MAX / (2 * ITEM_MESSAGES) } else { self.moved() }
    }

    /// The kernels of a binned superstep.
    pub(crate) const fn sets(self) -> &'static [Set] {
        match (self.rest, self.ranges) {
            (Rest::Binned, 0) => &[Set::Bins],
            (Rest::Binned, _) => &[Set::Bins, Set::Apart],
            (Rest::Exchanged(Exchange { pulls_last: true, .. }), 0) => {
                &[Set::Exchange, Set::RestPull]
            }
            (Rest::Exchanged(Exchange { pulls_last: true, .. }), _) => {
                &[Set::Exchange, Set::RestPull, Set::Apart]
            }
            (Rest::Exchanged(_), 0) => &[Set::Exchange],
            (Rest::Exchanged(_), _) => &[Set::Exchange, Set::Apart],
            (Rest::Pulled, _) => &[Set::RestPull, Set::Apart],
        }
    }

    /// How many times items are gone through in a superstep.
    fn passes(self) -> u32 {
        match self.rest {
            Rest::Exchanged(exchange) => exchange.passes,
            Rest::Binned | Rest::Pulled => 1,
        }
    }

    /// The predicted time of the cut in nanoseconds. With several ranges and bins the messages of
    /// each chunk are gone through once more.
    fn cut_takes(self, costs: &Costs) -> f64 {
        let ranges = if self.ranges > 1 && self.rest != Rest::Pulled { 2.0 } else { 1.0 };
        self.shape.edges as f64 * costs.cut_edge_ns * ranges * f64::from(self.passes())
    }

    /// How many lanes have messages: one for each vertex, and one for each chunk of those with many.
    fn lanes(self) -> f64 {
        f64::from(self.receivers) + self.shape.edges as f64 / f64::from(CHUNK_LAYERS)
    }

    /// How many messages are not handled separately.
    fn others(self) -> f64 {
        self.shape.edges.saturating_sub(self.apart) as f64
    }

    /// The nanoseconds for each further part of the senders whose messages are exchanged, if these have the usual
    /// size: for each item with messages. They fall with the messages of an item, which are exchanged
    /// meanwhile.
    fn part_ns(self, costs: &Costs) -> f64 {
        let lanes = self.lanes();
        let of_lane = (self.others() / lanes.max(1.0)).max(1.0);
        lanes / f64::from(WARP) * costs.exchanged_item_ns / of_lane
    }

    /// The nanoseconds that this many pulled messages take more since not all of these signals are near.
    fn far_ns(messages: f64, signals: u64, costs: &Costs) -> f64 {
        let far = signals.saturating_sub(costs.rest_near_bytes) as f64;
        messages * costs.rest_far_ns * far / signals.max(1) as f64
    }

    /// The nanoseconds for all parts of the senders but the first, beside what exchanging their messages
    /// takes, which is in proportion to `wider` if they are wider than usual.
    fn parts_ns(self, exchange: Exchange, wider: f64, costs: &Costs) -> f64 {
        if !exchange.pulls_last {
            let further = f64::from(exchange.passes - 1);
            return if further > 0.0 { further * self.part_ns(costs) * wider } else { 0.0 };
        }
        let first = u64::from(exchange.places()) * u64::from(self.message);
        let later = self.later as f64;
        let each_ns = costs.rest_edge_ns - costs.exchanged_edge_ns * wider;
        let far_ns = Self::far_ns(later, self.signals.saturating_sub(first), costs);
        self.lanes() * costs.exchanged_lane_ns * wider + later * each_ns + far_ns
    }

    /// The predicted time of a superstep with these bins in nanoseconds.
    fn takes(self, costs: &Costs) -> f64 {
        let with_hubs = |ns: f64| if self.ranges > 0 { ns } else { 0.0 };
        // Memory, or the L2 cache, is the bound.
        let edge_ns = f64::from(self.moved()) * self.byte_ns(costs);
        let wider = f64::from(moved(self.message)) / f64::from(moved(USUAL));
        let vertex_ns =
            costs.binned_vertex_ns + f64::from(self.message) * costs.binned_vertex_byte_ns;
        let fixed_ns = match self.rest {
            Rest::Binned => costs.binned_ns + with_hubs(costs.hub_ns),
            Rest::Exchanged(_) => costs.exchanged_ns + with_hubs(costs.exchanged_hub_ns),
            Rest::Pulled => costs.rest_ns + Self::far_ns(self.others(), self.signals, costs),
        };
        let parts_ns = match self.rest {
            Rest::Exchanged(exchange) => self.parts_ns(exchange, wider, costs),
            Rest::Binned | Rest::Pulled => 0.0,
        };
        (self.shape.edges - self.first) as f64 * edge_ns + self.first as f64 * costs.hub_edge_ns
            - self.spared_ns
            + f64::from(self.shape.vertices) * vertex_ns
            + parts_ns
            + fixed_ns
    }
}

#[cfg(test)]
mod tests;
