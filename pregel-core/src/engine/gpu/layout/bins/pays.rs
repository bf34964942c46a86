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
    /// The nanoseconds that the other ranges spare.
    spared_ns: f64,
    /// Whether all items handle their messages separately, not only those with enough.
    always: bool,
    /// Bytes of a message.
    pub(crate) message: u32,
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

/// Whether messages may be pulled beside those of hubs: the signals of this many senders stay in the L2
/// cache.
fn signals_stay<P: Program>(senders: u32, costs: &Costs) -> bool {
    u64::from(senders) * size_of::<P::Signal>() as u64 <= costs.rest_bytes
}

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
        let size = Self { shape, message, ..Self::default() };
        let Some(cut) = Cut::of_program::<D, P>(device, shape) else { return Ok(size) };
        let may_have_hubs = costs.hub_share <= 1.0;
        let ranges = if may_have_hubs { MOST_APART } else { 0 };
        let sent = placed.sent_by_ranges(cut.range, ranges)?;
        let senders = placed.senders()?;
        let exchange = Exchange::of_program::<D, P>(device, senders, costs);
        Ok(size.best(&sent, exchange, signals_stay::<P>(senders, costs), costs))
    }

    /// As it is expected to take the least time, if the first ranges send this many messages, and
    /// others are exchanged only if there is a way, and pulled only if they `may_be`.
    fn best(
        self,
        sent: &[u64],
        exchange: Option<Exchange>,
        may_be_pulled: bool,
        costs: &Costs,
    ) -> Self {
        let with = |rest| Self { rest, ..self }.with_ranges(sent, costs);
        let pulled = may_be_pulled.then(|| with(Rest::Pulled)).filter(|size| size.ranges > 0);
        let exchanged = exchange.map(|exchange| with(Rest::Exchanged(exchange)));
        let faster = |a: Self, b: Self| if b.takes(costs) < a.takes(costs) { b } else { a };
        [exchanged, pulled].into_iter().flatten().fold(with(Rest::Binned), faster)
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
            Rest::Pulled => costs.rest_signal_ns / f64::from(SECTOR),
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

    /// About how many items there are: groups of vertices, and chunks of those with many messages.
    fn items(self) -> f64 {
        (f64::from(self.shape.vertices) + self.shape.edges as f64 / f64::from(CHUNK_LAYERS))
            / f64::from(WARP)
    }

    /// The predicted time of a superstep with these bins in nanoseconds.
    fn takes(self, costs: &Costs) -> f64 {
        let with_hubs = |ns: f64| if self.ranges > 0 { ns } else { 0.0 };
        // Memory, or the L2 cache, is the bound.
        let moved_ns = f64::from(self.moved()) * self.byte_ns(costs);
        let wider = f64::from(moved(self.message)) / f64::from(moved(USUAL));
        let (edge_ns, launches_ns) = match self.rest {
            Rest::Binned => (moved_ns, costs.binned_ns + with_hubs(costs.hub_ns)),
            Rest::Exchanged(_) => {
                (moved_ns, costs.exchanged_ns + with_hubs(costs.exchanged_hub_ns))
            }
            Rest::Pulled => (costs.rest_edge_ns, costs.rest_ns),
        };
        (self.shape.edges - self.first) as f64 * edge_ns + self.first as f64 * costs.hub_edge_ns
            - self.spared_ns
            + f64::from(self.shape.vertices) * costs.binned_vertex_ns
            + f64::from(self.passes() - 1) * self.items() * costs.exchanged_item_ns * wider
            + launches_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A graph of which the cut takes 3.2 ms, and a binned superstep 0.5 ms.
    fn graph() -> (Size, Costs) {
        let mut costs = Costs { binned_edge_ns: 0.005, cut_edge_ns: 0.032, ..Costs::default() };
        costs.binned_ns = 0.0;
        let shape = Shape { vertices: 0, edges: 100_000_000 };
        (Size { shape, message: 4, ..Size::default() }, costs)
    }

    #[test]
    fn cutting_has_to_pay() {
        let ((size, costs), mut timer) = (graph(), AmortizationTimer::default());
        timer.begin();
        assert!(!timer.has_paid_off(Some(1000), None, size, &costs));
        timer.note(2, Duration::from_micros(900));
        assert!(timer.has_paid_off(Some(9), None, size, &costs));
        assert!(!timer.has_paid_off(Some(7), None, size, &costs));
        // Without a limit, as many supersteps are expected as there were so far, and in each
        // later run as many as in each so far.
        assert!(!timer.has_paid_off(None, None, size, &costs));
        assert!(!timer.has_paid_off(None, Some(4), size, &costs));
        assert!(timer.has_paid_off(None, Some(5), size, &costs));
        assert!(!timer.has_paid_off(Some(4), Some(1), size, &costs));
        assert!(timer.has_paid_off(Some(5), Some(2), size, &costs));
        let mut second = timer;
        second.begin();
        assert!(!second.has_paid_off(None, Some(2), size, &costs));
        assert!(second.has_paid_off(None, Some(9), size, &costs));
        timer.note(7, Duration::from_micros(950));
        assert!(timer.has_paid_off(None, None, size, &costs));
        let mut timer = AmortizationTimer::default();
        timer.note(1000, Duration::from_micros(500));
        assert!(!timer.has_paid_off(Some(1000), Some(1000), size, &costs));
        // Messages of 8 bytes move 21 bytes, not 13.
        let wide = Size { message: 8, ..size };
        assert!((wide.takes(&costs) * 13.0 - size.takes(&costs) * 21.0).abs() < 1.0);
        assert_eq!(wide.cut_takes(&costs), size.cut_takes(&costs));
        let several = Size { ranges: 2, ..size };
        assert_eq!(several.cut_takes(&costs), 2.0 * size.cut_takes(&costs));
    }

    #[test]
    fn lone_supersteps_pay_in_later_runs() {
        // Each run saves 0.4 ms.
        let ((size, costs), mut timer) = (graph(), AmortizationTimer::default());
        timer.begin();
        assert!(!timer.is_lone() && !timer.would_pay_off(Some(1000), size, &costs));
        timer.note(1, Duration::from_micros(1000));
        timer.note(1, Duration::from_micros(900));
        assert!(timer.is_lone() && !timer.has_paid_off(Some(1000), Some(1000), size, &costs));
        assert!(!timer.would_pay_off(Some(9), size, &costs));
        assert!(timer.would_pay_off(Some(10), size, &costs));
        assert!(!timer.would_pay_off(None, size, &costs));
        (0..8).for_each(|_| timer.begin());
        assert!(timer.would_pay_off(None, size, &costs));
        timer.note(2, Duration::from_micros(900));
        assert!(!timer.is_lone());
    }

    #[test]
    fn ranges_are_handled_separately_while_they_send_enough() {
        let costs = Costs::default();
        let shape = Shape { vertices: 1 << 24, edges: 531_000_000 };
        // The shares of a power law, in percent, for messages of 4 and of 8 bytes.
        let of = |message, shares: [f64; 6], costs| {
            let sent = shares.map(|share| (share / 100.0 * shape.edges as f64) as u64);
            let size = Size { shape, message, ..Size::default() }.with_ranges(&sent, &costs);
            assert_eq!(size.first, if size.ranges > 0 { sent[0] } else { 0 });
            let one = Costs { hub_range_ns: f64::INFINITY, ..costs };
            let fewer = Size { ranges: 0, first: 0, spared_ns: 0.0, ..size };
            let spared = fewer.with_ranges(&sent, &one).takes(&costs) - size.takes(&costs);
            assert!((spared - size.spared_ns).abs() < 1.0);
            // Unless all ranges are forced, none is handled separately at a loss.
            assert!(spared >= 0.0 || costs.hub_range_ns <= 0.0);
            size.ranges
        };
        let (narrow, wide) = ([47.1, 7.9, 7.9, 4.0, 2.5, 2.5], [35.3, 11.8, 4.0, 4.0, 2.7, 1.3]);
        assert_eq!((of(4, narrow, costs), of(8, wide, costs)), (4, 4));
        let flat = [1.0; 6];
        assert_eq!(of(4, flat, costs), 0);
        let mut costs = Costs { hub_share: 2.0, ..costs };
        assert_eq!(of(4, narrow, costs), 0);
        (costs.hub_share, costs.hub_range_ns) = (0.0, 0.0);
        assert_eq!(of(4, flat, costs), 6);
        costs.hub_range_ns = f64::INFINITY;
        assert_eq!(of(8, wide, costs), 1);
    }

    /// What the first ranges of R-MAT graphs of scale 20 and 22 send, in thousands of messages of 4
    /// and of 8 bytes.
    const SENT: [(u32, u32, u64, [u64; 8]); 4] = [
        (20, 4, 31_395_922, [24_848, 2_892, 1_465, 783, 509, 306, 208, 145]),
        (20, 8, 31_395_922, [20_990, 3_858, 1_661, 1_231, 961, 504, 423, 360]),
        (22, 4, 128_303_708, [76_795, 16_837, 6_255, 5_656, 4_870, 2_223, 1_968, 1_861]),
        (22, 8, 128_303_708, [63_000, 13_795, 8_954, 7_882, 3_198, 3_057, 2_843, 2_812]),
    ];

    /// How many vertices of these graphs send messages.
    fn senders(scale: u32) -> u32 {
        if scale == 20 { 646_203 } else { 2_396_986 }
    }

    /// The size of a graph with 2 to the power of `scale` vertices.
    fn size(scale: u32, message: u32, edges: u64) -> Size {
        Size { shape: Shape { vertices: 1 << scale, edges }, message, ..Size::default() }
    }

    #[test]
    fn others_are_pulled_where_that_was_faster() {
        let costs = Costs::default();
        let best = SENT.map(|(scale, message, edges, sent)| {
            let (size, sent) = (size(scale, message, edges), sent.map(|sent| sent * 1000));
            assert_eq!(size.best(&sent, None, false, &costs).rest, Rest::Binned);
            size.best(&sent, None, true, &costs)
        });
        let rest = [Rest::Pulled, Rest::Pulled, Rest::Binned, Rest::Pulled];
        assert_eq!(best.map(|size| size.rest), rest);
        assert_eq!(best.map(|size| size.ranges), [3, 4, 2, 8]);
        // Multiprocessors exchange messages on the larger graph.
        let exchanged = SENT.map(|(scale, message, edges, sent)| {
            let (size, sent) = (size(scale, message, edges), sent.map(|sent| sent * 1000));
            let size = size.best(&sent, Exchange::on_h200(senders(scale), message), true, &costs);
            (matches!(size.rest, Rest::Exchanged(_)), size.ranges)
        });
        assert_eq!(exchanged, [(false, 3), (false, 4), (true, 2), (true, 4)]);
        // Without hubs none are pulled.
        let size = size(20, 4, 33_554_000).best(&[1_800_000; 8], None, true, &costs);
        assert_eq!((size.rest, size.ranges), (Rest::Binned, 0));
    }

    #[test]
    fn predictions_are_near_what_was_measured() {
        let costs = Costs::default();
        let is_near = |size: Size, took_us: f64| {
            let ratio = size.takes(&costs) / (took_us * 1e3);
            assert!((0.75..1.25).contains(&ratio), "{size:?}: {ratio}");
        };
        // Microseconds of a superstep of PageRank on an H200, all others binned, and pulled.
        for ((scale, message, edges, sent), [binned, pulled]) in
            SENT.into_iter().zip([[135.0, 87.0], [185.0, 123.0], [352.0, 361.0], [523.0, 480.0]])
        {
            let (size, sent) = (size(scale, message, edges), sent.map(|sent| sent * 1000));
            is_near(size.with_ranges(&sent, &costs), binned);
            is_near(Size { rest: Rest::Pulled, ..size }.with_ranges(&sent, &costs), pulled);
        }
        // The same, exchanged.
        for ((scale, message, edges, sent), took_us) in
            SENT.into_iter().zip([98.0, 125.0, 314.0, 460.0])
        {
            let (size, sent) = (size(scale, message, edges), sent.map(|sent| sent * 1000));
            let exchange = Exchange::on_h200(senders(scale), message).map(Rest::Exchanged);
            let rest = exchange.unwrap_or_else(|| panic!("can be exchanged"));
            is_near(Size { rest, ..size }.with_ranges(&sent, &costs), took_us);
        }
        for (scale, message, edges, took_us) in
            [(20, 4, 33_554_000, 118.0), (20, 8, 33_553_000, 196.0), (22, 4, 134_200_000, 460.0)]
        {
            let exchange = Exchange::on_h200(1 << scale, message).map(Rest::Exchanged);
            let rest = exchange.unwrap_or_else(|| panic!("can be exchanged"));
            is_near(Size { rest, ..size(scale, message, edges) }, took_us);
        }
        // The same in two, three and six parts, on uniform graphs.
        for (scale, message, edges, parts, took_us) in [
            (22, 8, 134_217_000, 2, 779.0),
            (23, 4, 67_109_000, 2, 403.0),
            (23, 8, 67_109_000, 3, 814.0),
            (24, 4, 134_218_000, 3, 1043.0),
            (24, 8, 134_218_000, 6, 2198.0),
        ] {
            let exchange = Exchange::on_h200(1 << scale, message);
            let exchange = exchange.unwrap_or_else(|| panic!("can be exchanged"));
            let size = Size { rest: Rest::Exchanged(exchange), ..size(scale, message, edges) };
            assert_eq!(size.passes(), parts);
            is_near(size, took_us);
        }
        // On uniform graphs, all binned.
        is_near(size(19, 4, 16_774_000), 93.0);
        is_near(size(20, 8, 33_553_000), 257.0);
        is_near(size(21, 4, 16_777_000), 117.0);
        is_near(size(22, 4, 134_200_000), 587.0);
        is_near(size(22, 8, 134_200_000), 975.0);
        is_near(size(23, 4, 67_109_000), 376.0);
        is_near(size(24, 8, 134_218_000), 1311.0);
    }
}
