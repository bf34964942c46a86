//! Figure 3: memory transactions of queues.

use super::super::Found;
use super::super::ways::QUEUES;
use super::times;
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict, not_comparable};

/// The places of the global queue and of those in shared memory, in [`QUEUES`].
const GLOBAL: usize = 0;
const BLOCK: usize = 2;

pub fn figure_3(found: &[Found]) -> Item {
    let mut rows = Vec::new();
    for of in found {
        let Some(on_gpu) = &of.on_gpu else { continue };
        for ((queue, _), traffic) in QUEUES.iter().zip(on_gpu.traffic) {
            let cells = match traffic {
                Some(traffic) => {
                    let each = traffic.transactions() as f64 / of.reached.max(1) as f64;
                    [traffic.additions.into(), traffic.sectors.into(), Cell::Real(each, 3)]
                }
                None => [Cell::Empty, Cell::Empty, Cell::Empty],
            };
            rows.push(
                [of.described.name.as_str().into(), (*queue).into()]
                    .into_iter()
                    .chain(cells)
                    .collect(),
            );
        }
    }
    let transactions =
        |of: &Found, queue: usize| Some(of.on_gpu.as_ref()?.traffic[queue]?.transactions() as f64);
    let series = |queue: usize| {
        Series::joined(
            QUEUES[queue].0.to_owned(),
            found
                .iter()
                .filter_map(|of| Some((of.reached as f64 / 1e6, transactions(of, queue)? / 1e6)))
                .collect(),
        )
    };
    let mut series: Vec<_> = (0..QUEUES.len()).map(series).collect();
    series.iter_mut().for_each(|series| series.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    let fewer: Vec<f64> = found
        .iter()
        .filter_map(|of| Some(transactions(of, GLOBAL)? / transactions(of, BLOCK)?))
        .collect();
    let verdict = match fewer.iter().copied().min_by(f64::total_cmp) {
        Some(least) => Verdict::of(
            least > 1.0,
            "levels with few vertices for each block leave nothing to collect there",
        ),
        None => not_comparable("there was no time for it"),
    };
    Item {
        name: "fig-3",
        title: "Figure 3: memory transactions of queues".to_owned(),
        method: "Counted by the kernels, in a run that is not timed: atomic additions to the tails of queues \
                 in device memory, and the sectors of 32 bytes that warps write to them, store by \
                 store. With all other techniques. Queues in shared memory take none of either \
                 until they are moved to the common one."
            .to_owned(),
        table: Table {
            columns: vec![
                "graph",
                "queue",
                "additions to tails",
                "sectors written",
                "transactions per vertex",
            ],
            rows,
        },
        figure: Some(Figure {
            x: Axis::new("vertices that are found, millions").logarithmic(),
            y: Axis::new("transactions, millions").logarithmic(),
            series,
        }),
        claims: vec![Claim {
            paper: "Queues in shared memory take fewer memory transactions than one in device \
                    memory."
                .to_owned(),
            ours: format!("{} fewer", times(&fewer)),
            verdict,
        }],
        verbatim: None,
    }
}
