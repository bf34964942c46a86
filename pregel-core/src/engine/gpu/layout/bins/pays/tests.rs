//! The rules, and the predictions beside what was measured.

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
/// and of 8 bytes; the last graph is directed, of scale 23, with 16 edges for each vertex.
const SENT: [(u32, u32, u64, [u64; 8]); 6] = [
    (20, 4, 31_395_922, [24_848, 2_892, 1_465, 783, 509, 306, 208, 145]),
    (20, 8, 31_395_922, [20_990, 3_858, 1_661, 1_231, 961, 504, 423, 360]),
    (22, 4, 128_303_708, [76_795, 16_837, 6_255, 5_656, 4_870, 2_223, 1_968, 1_861]),
    (22, 8, 128_303_708, [63_000, 13_795, 8_954, 7_882, 3_198, 3_057, 2_843, 2_812]),
    (23, 4, 131_158_429, [68_989, 13_732, 9_496, 4_354, 4_341, 4_341, 3_882, 1_377]),
    (23, 8, 131_158_429, [53_854, 15_136, 6_873, 6_873, 6_873, 2_636, 2_177, 2_177]),
];

/// How many vertices of these graphs, the first ones, send messages, and how many get some; of the last
/// about how many.
fn active(scale: u32) -> [u32; 2] {
    match scale {
        20 => [646_203; 2],
        22 => [2_396_986; 2],
        _ => [7_000_000, 3_900_000],
    }
}

/// The size of a graph with 2 to the power of `scale` vertices, of which these numbers send messages
/// and get some.
fn size(scale: u32, [senders, receivers]: [u32; 2], message: u32, edges: u64) -> Size {
    let signals = u64::from(senders) * u64::from(message);
    let shape = Shape { vertices: 1 << scale, edges };
    Size { shape, message, signals, receivers, ..Size::default() }
}

/// The sizes of those graphs, what their first ranges send, and how they are exchanged.
fn measured() -> impl Iterator<Item = (Size, [u64; 8], Exchange)> {
    SENT.into_iter().map(|(scale, message, edges, sent)| {
        // Of the last graph not all can be exchanged at once.
        let later = match (scale, message) {
            (23, 4) => 952_000,
            (23, _) => 3_332_000,
            _ => 0,
        };
        let size = Size { later, ..size(scale, active(scale), message, edges) };
        let exchange = Exchange::on_h200(active(scale)[0], message);
        let exchange = exchange.unwrap_or_else(|| panic!("can be exchanged"));
        (size, sent.map(|sent| sent * 1000), exchange)
    })
}

#[test]
fn the_fastest_way_is_taken() {
    let costs = Costs::default();
    let best = measured().map(|(size, sent, exchange)| {
        let best = size.best(&sent, Some(exchange), &costs);
        let way = match best.rest {
            Rest::Binned => "binned",
            Rest::Exchanged(exchange) if exchange.pulls_last => "first part exchanged",
            Rest::Exchanged(_) => "exchanged",
            Rest::Pulled => "pulled",
        };
        (way, best.ranges)
    });
    // The second takes as long if messages are exchanged.
    let (pulled, exchanged, first) = ("pulled", "exchanged", "first part exchanged");
    let expected =
        [(pulled, 3), (pulled, 4), (exchanged, 2), (exchanged, 4), (first, 3), (first, 5)];
    assert_eq!(best.collect::<Vec<_>>(), expected);
    // Without hubs none are pulled.
    let size = size(20, [1 << 20; 2], 4, 33_554_000).best(&[1_800_000; 8], None, &costs);
    assert_eq!((size.rest, size.ranges), (Rest::Binned, 0));
}

/// A graph of which not all messages can be exchanged at once.
struct Parted {
    message: u32,
    shape: Shape,
    /// How many vertices send messages, and get some.
    active: u32,
    /// Messages of the parts after the first.
    later: u64,
    /// Those of the first ranges, in thousands.
    sent: [u64; 8],
    /// Microseconds of a superstep of PageRank with all parts exchanged, and with only the first.
    took: [f64; 2],
}

/// R-MAT graphs of scale 24, with 16 and 3 edges for each vertex before duplicates are dropped, and a
/// uniform graph.
const PARTED: [Parted; 4] = [
    Parted {
        message: 4,
        shape: Shape { vertices: 1 << 24, edges: 520_761_956 },
        active: 8_872_725,
        later: 8_419_314,
        sent: [237_852, 43_636, 41_653, 21_637, 14_169, 13_715, 13_335, 12_940],
        took: [1475.0, 1420.0],
    },
    Parted {
        message: 8,
        shape: Shape { vertices: 1 << 24, edges: 520_761_956 },
        active: 8_872_725,
        later: 30_585_895,
        sent: [176_207, 61_645, 22_130, 21_506, 21_068, 20_584, 14_287, 7_350],
        took: [2555.0, 2333.0],
    },
    Parted {
        message: 8,
        shape: Shape { vertices: 1 << 24, edges: 99_758_772 },
        active: 5_385_203,
        later: 5_131_047,
        sent: [35_054, 11_570, 4_408, 4_130, 3_938, 3_728, 2_633, 1_537],
        took: [806.0, 720.0],
    },
    Parted {
        message: 4,
        shape: Shape { vertices: 1 << 23, edges: 199_999_696 },
        active: 8_388_608,
        later: 78_028_877,
        sent: [2_239, 2_081, 2_018, 1_975, 1_928, 1_917, 1_875, 1_859],
        took: [768.0, 1023.0],
    },
];

#[test]
fn later_parts_are_pulled_where_that_takes_less_time() {
    let costs = Costs::default();
    for Parted { message, shape, active, later, sent, took } in PARTED {
        let exchange = Exchange::on_h200(active, message);
        let exchange = exchange.unwrap_or_else(|| panic!("can be exchanged"));
        let signals = u64::from(active) * u64::from(message);
        let size = Size { shape, message, signals, receivers: active, ..Size::default() };
        let (size, sent) = (Size { later, ..size }, sent.map(|sent| sent * 1000));
        let first = exchange.of_first_part();
        for (way, took) in [Some(exchange), first].into_iter().flatten().zip(took) {
            let size = Size { rest: Rest::Exchanged(way), ..size }.with_ranges(&sent, &costs);
            let ratio = size.takes(&costs) / (took * 1e3);
            assert!((0.85..1.2).contains(&ratio), "{shape:?} {message} {way:?}: {ratio}");
        }
        let best = size.best(&sent, Some(exchange), &costs).rest;
        let expected = if took[1] < took[0] { first } else { Some(exchange) };
        assert_eq!(Some(best), expected.map(Rest::Exchanged), "{shape:?} {message}");
    }
    assert!(Exchange::on_h200(1 << 22, 4).is_some_and(|one| one.of_first_part().is_none()));
}

#[test]
fn predictions_are_near_what_was_measured() {
    let costs = Costs::default();
    let is_near = |size: Size, took_us: f64| {
        let ratio = size.takes(&costs) / (took_us * 1e3);
        assert!((0.85..1.15).contains(&ratio), "{size:?}: {ratio}");
    };
    // Microseconds of a superstep of PageRank on an H200, all others binned, exchanged, and pulled.
    let took = [
        [123.0, 96.0, 89.0],
        [165.0, 120.0, 122.0],
        [350.0, 309.0, 361.0],
        [517.0, 451.0, 481.0],
        [516.0, 475.0, 501.0],
        [830.0, 762.0, 691.0],
    ];
    for ((size, sent, exchange), took) in measured().zip(took) {
        let ways = [Rest::Binned, Rest::Exchanged(exchange), Rest::Pulled];
        for (rest, took) in ways.into_iter().zip(took) {
            is_near(Size { rest, ..size }.with_ranges(&sent, &costs), took);
        }
    }
    // Exchanged in one to six parts on uniform graphs, and binned.
    for (scale, message, edges, parts, exchanged, binned) in [
        (19, 4, 16_777_000, 1, 66.0, 91.0),
        (20, 4, 33_554_000, 1, 116.0, 160.0),
        (20, 8, 33_554_000, 1, 195.0, 250.0),
        (21, 4, 16_777_000, 1, 89.0, 113.0),
        (22, 4, 134_217_000, 1, 455.0, 579.0),
        (22, 8, 134_217_000, 2, 774.0, 980.0),
        (23, 4, 67_109_000, 2, 402.0, 377.0),
        (23, 8, 67_109_000, 3, 806.0, 606.0),
        (24, 4, 134_218_000, 3, 1033.0, 745.0),
        (24, 8, 134_218_000, 6, 2177.0, 1313.0),
    ] {
        let exchange = Exchange::on_h200(1 << scale, message);
        let exchange = exchange.unwrap_or_else(|| panic!("can be exchanged"));
        let size = size(scale, [1 << scale; 2], message, edges);
        let with = Size { rest: Rest::Exchanged(exchange), ..size };
        assert_eq!(with.passes(), parts);
        is_near(with, exchanged);
        is_near(size, binned);
    }
}
