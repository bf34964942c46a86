//! Figure 7: launches of fixed sizes.

use pregel_core::engine::gpu::LaunchSize;

use super::super::Found;
use super::super::gpu::Launched;
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict, not_comparable};

/// What differs by less is the same.
const SAME: f64 = 1.05;

/// The launches of a graph, compared.
struct Compared<'a> {
    graph: &'a str,
    /// The smallest launch that is as fast as any fixed one, in threads.
    enough: u32,
    /// Seconds of the fastest fixed launch, of the largest, and of those for the frontier.
    fastest: f64,
    largest: (u32, f64),
    flexible: f64,
    /// Threads of an average level for the frontier.
    threads: f64,
}

impl<'a> Compared<'a> {
    fn of(graph: &'a str, launches: &[Launched]) -> Option<Self> {
        let fixed: Vec<(u32, f64)> = launches
            .iter()
            .filter_map(|launched| match launched.size {
                LaunchSize::Threads(threads) => Some((threads, launched.queues?)),
                _ => None,
            })
            .collect();
        let flexible = launches.iter().find(|of| of.size == LaunchSize::Frontier)?;
        let fastest = fixed.iter().map(|(_, seconds)| *seconds).min_by(f64::total_cmp)?;
        let enough = fixed.iter().find(|(_, seconds)| *seconds <= SAME * fastest)?.0;
        Some(Self {
            graph,
            enough,
            fastest,
            largest: *fixed.last()?,
            flexible: flexible.queues?,
            threads: flexible.threads,
        })
    }

    fn described(&self) -> String {
        format!(
            "{}: {} threads are enough for {:.2} ms, {} take {:.2} ms, and {:.0} for each level \
             on average {:.2} ms",
            self.graph,
            self.enough,
            1e3 * self.fastest,
            self.largest.0,
            1e3 * self.largest.1,
            self.threads,
            1e3 * self.flexible
        )
    }
}

pub fn figure_7(found: &[Found]) -> Item {
    let shown = || found.iter().filter(|of| !of.launches.is_empty());
    let milliseconds =
        |seconds: Option<f64>| seconds.map_or(Cell::Empty, |s| Cell::Real(1e3 * s, 3));
    let row = |of: &Found, launched: &Launched| {
        let size = match launched.size {
            LaunchSize::Threads(threads) => Cell::Count(threads.into()),
            _ => "as the frontier needs".into(),
        };
        vec![
            of.described.name.as_str().into(),
            size,
            Cell::Real(launched.threads, 0),
            milliseconds(launched.queues),
            milliseconds(launched.push),
        ]
    };
    let rows =
        shown().flat_map(|of| of.launches.iter().map(move |launched| row(of, launched))).collect();
    let series = |of: &Found| {
        Series::joined(
            of.described.name.clone(),
            of.launches
                .iter()
                .filter_map(|launched| match launched.size {
                    LaunchSize::Threads(threads) => Some((threads.into(), 1e3 * launched.queues?)),
                    _ => Some((launched.threads, 1e3 * launched.queues?)),
                })
                .collect(),
        )
    };
    let compared: Vec<_> =
        shown().filter_map(|of| Compared::of(&of.described.name, &of.launches)).collect();
    Item {
        name: "fig-7",
        title: "Figure 7: launches of fixed sizes, and for the frontier".to_owned(),
        method: "The paper's search with its other techniques, and the engine's push, in which \
                 a warp takes a row or 256 edges of it. The last point of a line is the launch for \
                 the frontier, at its average number of threads."
            .to_owned(),
        table: Table {
            columns: vec!["graph", "launch", "threads, mean", "queue, ms", "push, ms"],
            rows,
        },
        figure: Some(Figure {
            x: Axis::new("threads").logarithmic().whole(),
            y: Axis::new("ms").logarithmic(),
            series: shown().map(series).collect(),
        }),
        claims: claims(&compared),
        verbatim: None,
    }
}

fn claims(compared: &[Compared<'_>]) -> Vec<Claim> {
    let described: Vec<_> = compared.iter().map(Compared::described).collect();
    let ours = if described.is_empty() { "not measured".to_owned() } else { described.join("; ") };
    let verdict = |holds: bool, otherwise: &str| match compared {
        [] => not_comparable("there was no time for it"),
        _ => Verdict::of(holds, otherwise),
    };
    let claim =
        |paper: &str, verdict| Claim { paper: paper.to_owned(), ours: ours.clone(), verdict };
    vec![
        claim(
            "More and more threads do not keep helping.",
            verdict(
                compared.iter().all(|of| of.enough < of.largest.0),
                "the largest launch is the fastest on some graph",
            ),
        ),
        claim(
            "Graphs of different types need different numbers of threads.",
            verdict(
                compared.iter().any(|of| of.enough != compared[0].enough),
                "the same number is enough for all",
            ),
        ),
        claim(
            "The launch for the frontier is as fast as the best, with fewer threads than a large \
             fixed one.",
            verdict(
                compared.iter().all(|of| {
                    of.flexible <= SAME * SAME * of.fastest && of.threads < f64::from(of.largest.0)
                }),
                "a fixed launch is faster on some graph",
            ),
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_launch_that_is_fast_enough_is_found() {
        let launched = |size, queues| Launched { size, queues, threads: 300.0, push: None };
        let fixed = [9.0, 2.05, 2.0, 2.5];
        let mut launches: Vec<_> = (8..)
            .zip(fixed)
            .map(|(power, seconds)| launched(LaunchSize::Threads(1 << power), Some(seconds)))
            .collect();
        assert!(Compared::of("none", &launches).is_none());
        launches.push(launched(LaunchSize::Frontier, Some(1.9)));
        let found = Compared::of("some", &launches);
        let found = found.map(|of| (of.enough, of.fastest, of.largest, of.flexible));
        assert_eq!(found, Some((512, 2.0, (2048, 2.5), 1.9)));
    }
}
