//! The paper's figures about machines: threads, and what is only quoted.

use rayon::ThreadPoolBuilder;

use super::Searches;
use super::paper::Findings;
use super::techniques::Techniques;
use crate::ReplicationError;
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict};

impl Findings<'_> {
    /// BSBB on the largest graph with one thread, two, four and so on.
    pub(super) fn threads(&self) -> Result<Item, ReplicationError> {
        let most = rayon::current_num_threads();
        let mut counts: Vec<usize> =
            std::iter::successors(Some(1), |n| Some(n * 2)).take_while(|n| *n < most).collect();
        counts.push(most);
        let mut rows = Vec::new();
        let mut points = Vec::new();
        for &threads in &counts {
            (self.progress)(&format!("{threads} threads"));
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.map_err(|error| ReplicationError::Threads {
                threads,
                reason: error.to_string(),
            })?;
            let largest = &self.largest;
            let searches: Result<Searches, ReplicationError> = pool.install(|| {
                let (layout, time) = largest.layout(Techniques::ALL)?;
                largest.paper("BSBB", &layout, time, Techniques::ALL)
            });
            let gteps = searches?.gteps();
            points.push((threads as f64, gteps));
            let speedup = gteps / points[0].1;
            rows.push(vec![
                Cell::Count(threads as u64),
                Cell::Real(gteps, 3),
                Cell::Real(speedup, 2),
            ]);
        }
        let speedup = points[points.len() - 1].1 / points[0].1;
        Ok(Item {
            name: "fig-4-threads",
            title: "Figure 4 and Table 6: threads".to_owned(),
            method: format!("BSBB at scale {}, harmonic means.", self.last().scale),
            table: Table { columns: vec!["threads", "GTEPS", "× one thread"], rows },
            figure: Some(Figure {
                x: Axis::new("threads").whole(),
                y: Axis::new("GTEPS, harmonic mean"),
                series: vec![Series::joined("BSBB".to_owned(), points)],
            }),
            claims: vec![Claim {
                paper: "40 threads are 17.8 times one (scale 25): 0.45 of the ideal.".to_owned(),
                ours: format!("{most} threads are {speedup:.2} times one"),
                verdict: if most < 16 {
                    Verdict::NotComparable(format!("there are {most} threads here"))
                } else {
                    Verdict::of(
                        speedup / most as f64 >= 0.4,
                        "memory does not keep up with the cores",
                    )
                },
            }],
            verbatim: None,
        })
    }

    /// What is about machines rather than about the search.
    pub(super) fn quoted(&self) -> Item {
        let claim = |paper: &str, ours: &str, reason: &str| Claim {
            paper: paper.to_owned(),
            ours: ours.to_owned(),
            verdict: Verdict::NotComparable(reason.to_owned()),
        };
        let best = self.scales.iter().map(|scale| scale.engine.gteps()).fold(0.0, f64::max);
        Item {
            name: "quoted",
            title: "Figures 5 to 7, Tables 5, 7 and 8: machines".to_owned(),
            method: "These are about the paper's machines. They are quoted, not repeated."
                .to_owned(),
            table: Table {
                columns: vec!["machine", "GTEPS at scale 26"],
                rows: vec![
                    vec!["Centriq 2434, 40 cores".into(), Cell::Real(29.71, 2)],
                    vec!["two Xeon E5-2683, 28 cores".into(), Cell::Real(23.94, 2)],
                ],
            },
            figure: None,
            claims: vec![
                claim(
                    "29.71 GTEPS at best (scale 26).",
                    &format!("{best:.2} GTEPS at best, engine cpu"),
                    "it is another machine",
                ),
                claim(
                    "Figure 5: 24.29 times fewer reads of the first-level cache, 39.34 times \
                     fewer branches in the bottom-up loop.",
                    "not measured",
                    "this command does not read hardware counters; Table 2 counts what they stand \
                     for",
                ),
                claim(
                    "Table 8: 181.04 MTEPS per watt, 2.51 times the Xeon.",
                    "not measured",
                    "nothing here measures power",
                ),
            ],
            verbatim: None,
        }
    }
}
