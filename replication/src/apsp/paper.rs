//! The paper's tables, and its claims.

use super::Findings;
use crate::machine::Machine;
use crate::report::{
    Axis, Cell, Claim, Figure, Item, Report, Series, Table, Verdict, withdraw_verdicts,
};

const SOURCE: &str = "Xiao Han, Xiao Shiyang, Li Huanqin and Zhou Qinglei: an all-pairs \
    shortest-paths algorithm on CPU and GPU with OpenCL (OCL_SP). Measured there on a Ryzen 5 \
    1600X with 6 cores and a GeForce GTX 1070.";

/// Seconds of the paper with 10,000 vertices: sequential, OpenMP, CUDA, OpenCL.
const PAPER: [f64; 4] = [407.10, 76.09, 2.13, 2.07];

/// Places in the list of contenders.
const PLAIN: usize = 0;
const ONE_THREAD: usize = 1;
const ALL_CORES: usize = 3;
const ALL_CORES_FLOYD: usize = 4;
const GPU: usize = 5;
const GPU_FLOYD: usize = 6;

impl Findings {
    /// Writes it all down.
    pub fn report(self) -> Report {
        let mut notes = vec![
            "Every graph is dense: all edges have a random whole length from 1 to 100; the seed \
             is the number of vertices. Each run was made once. The distances from 8 vertices \
             were checked by Dijkstra's search, and all contenders agree bit for bit."
                .to_owned(),
            "Times are those of the computation; on a GPU without the copies of the matrix, in \
             both directions, and without loading the kernels. Squaring stops when nothing \
             changes."
                .to_owned(),
            "OpenCL on GPUs of AMD is out of scope: this project runs on CPUs and on GPUs of \
             NVIDIA."
                .to_owned(),
        ];
        if self.device.is_none() {
            notes.push("There is no GPU here, or this build cannot use it.".to_owned());
        }
        notes.extend(self.skipped.iter().map(|text| format!("Left out: {text}.")));
        let mut items = vec![self.tiles(), self.times(), self.speedups()];
        if self.quick {
            withdraw_verdicts(&mut items);
        }
        let machine = Machine { device: self.device.clone(), ..Machine::here() };
        Report {
            name: "apsp",
            title: "Paths between all pairs of vertices (OCL_SP)".to_owned(),
            source: SOURCE,
            machine,
            notes,
            failures: Vec::new(),
            items,
        }
    }

    fn tiles(&self) -> Item {
        let fastest = self.sweep.iter().min_by(|a, b| a.1.total_cmp(&b.1));
        let verdict = match fastest {
            None => Verdict::NotComparable("there is no GPU here".to_owned()),
            Some((tile, _)) => Verdict::of(
                *tile == 16,
                "this GPU runs more threads at a time, and has a larger cache",
            ),
        };
        let row = |(tile, seconds): &(u32, f64)| {
            vec![format!("{tile} × {tile}").into(), Cell::Real(1e3 * seconds, 2)]
        };
        Item {
            name: "table-1",
            title: format!("Table 1: squaring in tiles, {} vertices", self.sweep_size),
            method: "One thread per value of a tile; the second of two runs.".to_owned(),
            table: Table {
                columns: vec!["tile", "ms"],
                rows: self.sweep.iter().map(row).collect(),
            },
            figure: None,
            claims: vec![Claim {
                paper: "Tiles of 16 × 16 are the fastest of 4 to 32.".to_owned(),
                ours: match fastest {
                    None => "not measured".to_owned(),
                    Some((tile, seconds)) => {
                        format!("{tile} × {tile}, {:.2} ms", 1e3 * seconds)
                    }
                },
                verdict,
            }],
            verbatim: None,
        }
    }

    fn times(&self) -> Item {
        let mut rows = Vec::new();
        for (n, runs) in &self.times {
            for (contender, run) in self.contenders.iter().zip(runs) {
                let Some(run) = run else { continue };
                rows.push(vec![
                    u64::from(*n).into(),
                    contender.name.into(),
                    Cell::Real(run.seconds, 6),
                    u64::from(run.passes).into(),
                    Cell::Real(run.pairs as f64 / run.seconds.max(1e-9) / 1e9, 2),
                ]);
            }
        }
        let series = self.contenders.iter().enumerate().map(|(i, contender)| {
            Series::joined(
                contender.name.to_owned(),
                self.times
                    .iter()
                    .filter_map(|(n, runs)| Some((f64::from(*n), runs[i]?.seconds)))
                    .collect(),
            )
        });
        let series = series.filter(|series| !series.points.is_empty()).collect();
        Item {
            name: "table-2",
            title: "Table 2: times".to_owned(),
            method: "Passes are squarings, or blocks of 64 vertices (128 on a GPU). A pair is one \
                     sum and one comparison; those that fill up the last tile do not count."
                .to_owned(),
            table: Table {
                columns: vec!["vertices", "what", "s", "passes", "billion pairs a second"],
                rows,
            },
            figure: Some(Figure {
                x: Axis::new("vertices").logarithmic().whole(),
                y: Axis::new("seconds").logarithmic(),
                series,
            }),
            claims: vec![Claim {
                paper: "With 10,000 vertices, the memory of the GTX 1070 is the bottleneck: 6 GB \
                        in 0.028 s are 214.29 GB/s."
                    .to_owned(),
                ours: "not replicated".to_owned(),
                verdict: Verdict::NotComparable(
                    "it contradicts the paper's own time of 2.07 s, and counts 2 bytes per value \
                     where single precision takes 4"
                        .to_owned(),
                ),
            }],
            verbatim: None,
        }
    }

    /// The largest size at which both of these ran, and their times.
    fn both(&self, a: usize, b: usize) -> Option<(u32, f64, f64)> {
        self.times.iter().rev().find_map(|(n, runs)| {
            let run = |i: usize| runs.get(i).copied().flatten();
            Some((*n, run(a)?.seconds, run(b)?.seconds))
        })
    }

    fn speedups(&self) -> Item {
        let compared = [
            ("plain loops", "one thread, squaring", PLAIN, ONE_THREAD),
            ("plain loops", "all cores, squaring", PLAIN, ALL_CORES),
            ("one thread, squaring", "all cores, squaring", ONE_THREAD, ALL_CORES),
            ("plain loops", "GPU, squaring in tiles", PLAIN, GPU),
            ("all cores, squaring", "GPU, squaring in tiles", ALL_CORES, GPU),
            ("GPU, squaring in tiles", "GPU, Floyd–Warshall", GPU, GPU_FLOYD),
            ("all cores, Floyd–Warshall", "GPU, Floyd–Warshall", ALL_CORES_FLOYD, GPU_FLOYD),
        ];
        let row = |&(slow, fast, a, b): &(&str, &str, usize, usize)| {
            let (n, slower, faster) = self.both(a, b)?;
            Some(vec![
                slow.into(),
                fast.into(),
                u64::from(n).into(),
                Cell::Real(slower / faster.max(1e-9), 2),
            ])
        };
        let [sequential, parallel, cuda, opencl] = PAPER;
        let threads = rayon::current_num_threads();
        let claim = |text: String, a, b, at_least: f64, otherwise: &str| {
            let found = self.both(a, b).map(|(n, a, b)| (n, a / b.max(1e-9)));
            Claim {
                paper: text,
                ours: match found {
                    None => "not measured".to_owned(),
                    Some((n, factor)) => format!("{factor:.1} times, {n} vertices"),
                },
                verdict: match found {
                    None => Verdict::NotComparable("there is no GPU here".to_owned()),
                    Some((_, factor)) => Verdict::of(factor >= at_least, otherwise),
                },
            }
        };
        Item {
            name: "table-3",
            title: "Table 3: how many times faster".to_owned(),
            method: "At the largest number of vertices at which both ran.".to_owned(),
            table: Table {
                columns: vec!["slower", "faster", "vertices", "times"],
                rows: compared.iter().filter_map(row).collect(),
            },
            figure: None,
            claims: vec![
                claim(
                    format!(
                        "OpenMP on 6 cores is {:.2} times as fast as one ({sequential} s to \
                         {parallel} s).",
                        sequential / parallel
                    ),
                    ONE_THREAD,
                    ALL_CORES,
                    sequential / parallel / 6.0 * threads as f64 / 2.0,
                    "threads here share cores or the memory",
                ),
                claim(
                    format!(
                        "On a GPU, CUDA is {:.1} and OpenCL 196.35 times as fast as one core \
                         ({cuda} s, {opencl} s).",
                        sequential / cuda
                    ),
                    PLAIN,
                    GPU,
                    196.35 / 2.0,
                    "the loops of one core are faster here",
                ),
                claim(
                    "On a GPU, OpenCL is 36.76 times as fast as all cores.".to_owned(),
                    ALL_CORES,
                    GPU,
                    36.76 / 2.0,
                    "the program for all cores uses vector instructions, which the paper's does \
                     not mention",
                ),
            ],
            verbatim: None,
        }
    }
}
