//! Figures 5.1 to 5.3: programs beside Medusa.

use super::super::Found;
use super::super::gpu::{MEDUSA, MEDUSA_THREAD, PIPELINE, PROGRAMS, Time, WAYS};
use super::not_comparable;
use crate::report::{Cell, Claim, Item, Table, Verdict};

/// The place of the engine's own choice in [`WAYS`].
const AUTO: usize = WAYS.len() - 1;

/// A figure of the thesis, and what it claims.
struct Quoted {
    name: &'static str,
    title: &'static str,
    /// Of [`PROGRAMS`].
    program: usize,
    work: &'static str,
    /// The smallest and the largest factor over Medusa.
    factors: [f64; 2],
}

const FIGURES: [Quoted; 4] = [
    Quoted {
        name: "fig-5.1",
        title: "Figure 5.1: PageRank beside Medusa",
        program: 0,
        work: "0.15 / V + 0.85 · Σ for 50 iterations, in 32-bit floats, without an aggregate.",
        factors: [1.7, 2.3],
    },
    Quoted {
        name: "fig-5.2",
        title: "Figure 5.2: shortest paths beside Medusa",
        program: 1,
        work: "From a random source until all vertices halt, with weights from 1 to 255.",
        factors: [1.6, 4.5],
    },
    Quoted {
        name: "fig-5.3",
        title: "Figure 5.3: HCC beside Medusa",
        program: 2,
        work: "The smallest label along out-edges, until all vertices halt: the edges that the \
               thesis sends along.",
        factors: [1.7, 3.7],
    },
    Quoted {
        name: "fig-5.3-both-ways",
        title: "Figure 5.3: HCC both ways",
        program: 3,
        work: "The same along both directions of every edge, which finds weakly connected \
               components. The thesis does not say which of the two it has.",
        factors: [1.7, 3.7],
    },
];

/// All of them.
pub fn figures(found: &[Found]) -> impl Iterator<Item = Item> {
    FIGURES.iter().map(|quoted| figure(quoted, found))
}

fn figure(quoted: &Quoted, found: &[Found]) -> Item {
    let times = |of: &Found| of.on_gpu.as_ref().map(|on_gpu| on_gpu.programs[quoted.program]);
    let mut rows = Vec::new();
    for of in found {
        let Some(times) = times(of) else { continue };
        let medusa = times[MEDUSA_THREAD].map(|time| time.total);
        for (way, time) in WAYS.iter().zip(times) {
            rows.push(row(of.used.name, way, time, medusa));
        }
    }
    // For each graph that has both times.
    let over = |baseline: usize, way: usize| -> Vec<Factor> {
        let factor = |of: &Found| {
            let times = times(of)?;
            let (baseline, way) = (times[baseline]?, times[way]?);
            let factor = baseline.total / way.total;
            Some(Factor {
                graph: of.used.name,
                factor,
                prepared: baseline.preparation / baseline.total,
            })
        };
        found.iter().filter_map(factor).collect()
    };
    let factors = over(MEDUSA_THREAD, PIPELINE);
    let [least, most] = quoted.factors;
    let beside = |what: &str, factors: &[Factor]| match range(factors) {
        Some([least, most]) => format!("{what} {least:.2} to {most:.2} times"),
        None => format!("{what} not measured"),
    };
    Item {
        name: quoted.name,
        title: quoted.title.to_owned(),
        method: format!(
            "{} Preparation and supersteps, by all contenders with the same limit of supersteps. \
             `medusa-thread`: Medusa as the thesis describes it, numbered on the CPU, row-major, \
             not sorted, each vertex read by one thread. `medusa`: the same with a segmented \
             combine. `pipeline`: the thesis' own, 1,000 linear regions, groups of 32, hubs whole. \
             `mailbox`: ours, hubs split. `auto`: ours without a message buffer.",
            quoted.work
        ),
        table: Table {
            columns: vec![
                "graph",
                "contender",
                "supersteps",
                "upload, ms",
                "preparation, ms",
                "supersteps, ms",
                "preparation and supersteps, ms",
                "medusa-thread / it",
            ],
            rows,
        },
        figure: None,
        claims: vec![Claim {
            paper: format!(
                "{} {least} to {most} times as fast as Medusa.",
                PROGRAMS[quoted.program.min(2)]
            ),
            ours: [
                beside("beside medusa-thread", &factors),
                beside("beside medusa", &over(MEDUSA, PIPELINE)),
                beside("auto beside medusa-thread", &over(MEDUSA_THREAD, AUTO)),
            ]
            .join("; "),
            verdict: verdict(&factors, most),
        }],
        verbatim: None,
    }
}

fn row(graph: &str, way: &str, time: Option<Time>, medusa: Option<f64>) -> Vec<Cell> {
    let Some(time) = time else {
        let empty = std::iter::repeat_n(Cell::Empty, 6);
        return [graph.into(), way.into()].into_iter().chain(empty).collect();
    };
    let milliseconds = |seconds: f64| Cell::Real(1e3 * seconds, 3);
    vec![
        graph.into(),
        way.into(),
        u64::from(time.count).into(),
        milliseconds(time.upload),
        milliseconds(time.preparation),
        milliseconds(time.supersteps),
        milliseconds(time.total),
        medusa.map_or(Cell::Empty, |medusa| Cell::Real(medusa / time.total, 2)),
    ]
}

/// How many times as fast as the baseline something is on a graph.
struct Factor {
    graph: &'static str,
    factor: f64,
    /// The baseline's preparation, as a part of its time.
    prepared: f64,
}

/// The smallest and the largest factor.
fn range(factors: &[Factor]) -> Option<[f64; 2]> {
    let numbers = factors.iter().map(|of| of.factor);
    let least = numbers.clone().min_by(f64::total_cmp)?;
    Some([least, numbers.max_by(f64::total_cmp)?])
}

/// Faster everywhere, and by half of the largest factor somewhere.
fn verdict(factors: &[Factor], most: f64) -> Verdict {
    let Some([slowest, fastest]) = range(factors) else {
        return not_comparable("there was no time for it");
    };
    let describe =
        |of: &Factor| format!("{} {:.2} ({:.0} %)", of.graph, of.factor, 100.0 * of.prepared);
    let listed: Vec<String> = factors.iter().map(describe).collect();
    let what = if slowest <= 1.0 {
        "the pipeline is not faster where one vertex has very many messages: a superstep takes as \
             long as the thread that reads them, and the remapping puts each into another sector of \
             memory, where in rows eight share one"
    } else {
        "the factors are less than half of the thesis'"
    };
    Verdict::of(
        slowest > 1.0 && fastest >= most / 2.0,
        &format!(
            "{what}; factors, and the part of Medusa's time that is preparation: {}",
            listed.join(", ")
        ),
    )
}
