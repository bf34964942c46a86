//! Figures 4 to 6: all contenders.

use super::super::Found;
use super::super::graphs::Kind;
use super::super::ways::{
    ALL_CORES, AUTO, FLEXBFS, ON_CPU, ON_GPU, PLAIN, PUSH, SEQUENTIAL, WITHOUT,
};
use super::{mean, of_kind, range, times};
use crate::report::{Axis, Cell, Claim, Figure, Item, Series, Table, Verdict, not_comparable};

/// Figures 4 to 6; `why` there is nothing from a GPU, if so.
pub fn figures(found: &[Found], why: Option<&str>) -> [Item; 3] {
    let figure = |name, title: &str, kinds: &[Kind], claims: Vec<Claim>| Item {
        name,
        title: title.to_owned(),
        method: "A search until nothing is left to find. `sequential`: a queue, on one core. `all \
                 cores`: the CPU engine. `push`: the GPU engine's push, launched as it was and as \
                 it is. `queue`: the paper's search, plain (a launch of a thread for each vertex, \
                 one queue), with one of its techniques, all but one, and all. `auto`: the GPU \
                 engine's own choice."
            .to_owned(),
        table: table(found, kinds),
        figure: Some(picture(found, kinds)),
        claims: match why {
            None => claims,
            Some(why) => claims.into_iter().map(|claim| unmeasured(claim, why)).collect(),
        },
        verbatim: None,
    };
    let irregular = [Kind::Irregular, Kind::Hundredfold];
    [
        figure("fig-4", "Figure 4: regular graphs", &[Kind::Regular], regular(found)),
        figure("fig-5", "Figure 5: irregular graphs", &irregular, hubs(found)),
        figure("fig-6", "Figure 6: roads", &[Kind::Road], roads(found)),
    ]
}

/// A claim of which nothing was measured.
fn unmeasured(claim: Claim, why: &str) -> Claim {
    let verdict = not_comparable(&format!("no GPU was used: {why}"));
    Claim { paper: claim.paper, ours: "not measured".to_owned(), verdict }
}

fn table(found: &[Found], kinds: &[Kind]) -> Table {
    let mut rows = Vec::new();
    for of in found.iter().filter(|of| kinds.contains(&of.described.kind)) {
        let on_cpu = ON_CPU.into_iter().zip(of.on_cpu);
        let on_gpu = of.on_gpu.iter().flat_map(|on_gpu| ON_GPU.into_iter().zip(on_gpu.seconds));
        for (contender, seconds) in on_cpu.chain(on_gpu) {
            let cell = |value: Option<f64>, decimals| {
                value.map_or(Cell::Empty, |value| Cell::Real(value, decimals))
            };
            let over = |other: Option<f64>| Some(other? / seconds?);
            rows.push(vec![
                of.described.name.as_str().into(),
                contender.into(),
                cell(seconds.map(|seconds| 1e3 * seconds), 3),
                cell(seconds.map(|seconds| 1e6 * seconds / of.frontiers.len() as f64), 2),
                cell(over(of.on_cpu[SEQUENTIAL]), 2),
                cell(over(of.on_gpu(PLAIN)), 2),
            ]);
        }
    }
    let columns =
        vec!["graph", "contender", "ms", "µs per level", "sequential / it", "plain queue / it"];
    Table { columns, rows }
}

fn picture(found: &[Found], kinds: &[Kind]) -> Figure {
    let series = |label: &str, seconds: &dyn Fn(&Found) -> Option<f64>| {
        let mut points: Vec<_> = found
            .iter()
            .filter(|of| kinds.contains(&of.described.kind))
            .filter_map(|of| Some((of.edges as f64 / 1e6, 1e3 * seconds(of)?)))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        Series::joined(label.to_owned(), points)
    };
    let on_cpu = [SEQUENTIAL, ALL_CORES].map(|i| series(ON_CPU[i], &|of| of.on_cpu[i]));
    let on_gpu = [PUSH, PLAIN, FLEXBFS, AUTO].map(|way| series(ON_GPU[way], &|of| of.on_gpu(way)));
    let all = on_cpu.into_iter().chain(on_gpu).filter(|series| !series.points.is_empty());
    Figure {
        x: Axis::new("edges, millions").logarithmic(),
        y: Axis::new("ms").logarithmic(),
        series: all.collect(),
    }
}

/// What FlexBFS and `auto` gain over one core on some graphs.
fn gains(graphs: &[&Found]) -> (Vec<f64>, String) {
    let factors =
        |way| -> Vec<f64> { graphs.iter().filter_map(|of| of.over_sequential(way)).collect() };
    let flexbfs = factors(FLEXBFS);
    let ours = format!("FlexBFS {}, auto {}", times(&flexbfs), times(&factors(AUTO)));
    (flexbfs, ours)
}

/// That FlexBFS gains at least half of a factor, and what a level takes where it does not.
fn gain(paper: &str, graphs: &[&Found], factor: f64) -> Claim {
    let (factors, ours) = gains(graphs);
    let slow = graphs.iter().filter(|of| {
        of.over_sequential(FLEXBFS).is_some_and(|gained| gained < (factor / 2.0).max(1.0))
    });
    let slow: Vec<String> = slow.map(|of| of.per_level()).collect();
    let verdict = match factors.as_slice() {
        [] => not_comparable("there was no time for it"),
        _ => Verdict::of(
            slow.is_empty(),
            &format!(
                "the host launches every level and waits for it, while one core is faster than \
                 in 2014: {}",
                slow.join("; ")
            ),
        ),
    };
    Claim { paper: paper.to_owned(), ours, verdict }
}

fn regular(found: &[Found]) -> Vec<Claim> {
    let graphs: Vec<_> = of_kind(found, Kind::Regular).collect();
    let shared: Vec<f64> = graphs.iter().filter_map(|of| of.over(WITHOUT[1], FLEXBFS)).collect();
    let verdict = match mean(&shared) {
        None => not_comparable("there was no time for it"),
        Some(mean) => {
            Verdict::of(mean >= 1.05, "the additions to one tail are not what a level waits for")
        }
    };
    vec![
        gain("On regular graphs FlexBFS is 3 to 5 times as fast as one core.", &graphs, 3.0),
        Claim {
            paper: "It is faster than UIUC-BFS, since its local queues are in shared memory."
                .to_owned(),
            ours: format!(
                "with queues in shared memory {} as fast as with one queue",
                times(&shared)
            ),
            verdict,
        },
    ]
}

fn hubs(found: &[Found]) -> Vec<Claim> {
    let irregular: Vec<_> = of_kind(found, Kind::Irregular).collect();
    let hundredfold: Vec<_> = of_kind(found, Kind::Hundredfold).collect();
    let unbalanced: Vec<_> = irregular.iter().chain(&hundredfold).copied().collect();
    // Beside the faster of one core and all of them.
    let beside = |of: &&Found| {
        let [one, all] = [of.on_cpu[SEQUENTIAL]?, of.on_cpu[ALL_CORES]?];
        Some([one / of.on_gpu(WITHOUT[2])?, all / of.on_gpu(WITHOUT[2])?])
    };
    let beside: Vec<[f64; 2]> = unbalanced.iter().filter_map(beside).collect();
    let [one, all] = [0, 1].map(|i| beside.iter().map(|of| of[i]).collect::<Vec<_>>());
    let slower = match (range(&one), range(&all)) {
        (Some([_, one]), Some([_, all])) => Verdict::of(
            one < 1.0 && all < 1.0,
            "a thread that reads a hub's row holds up a level, but there are few levels with hubs",
        ),
        _ => not_comparable("there was no time for it"),
    };
    let balanced: Vec<f64> =
        unbalanced.iter().filter_map(|of| of.over(WITHOUT[2], FLEXBFS)).collect();
    let helps = match mean(&balanced) {
        Some(mean) => Verdict::of(
            mean >= 1.05,
            "a second launch for each level takes as long as the threads of hubs",
        ),
        None => not_comparable("there was no time for it"),
    };
    vec![
        gain("On irregular graphs FlexBFS is 2 to 3 times as fast as one core.", &irregular, 2.0),
        gain("The same, with hubs of 100 times the degree.", &hundredfold, 2.0),
        Claim {
            paper: "UIUC-BFS, without balancing, is even slower than both CPU versions.".to_owned(),
            ours: format!(
                "without the hub queue {} as fast as one core, {} as all",
                times(&one),
                times(&all)
            ),
            verdict: slower,
        },
        Claim {
            paper: "A queue of their own for high degrees improves this.".to_owned(),
            ours: format!("{} as fast with it", times(&balanced)),
            verdict: helps,
        },
    ]
}

fn roads(found: &[Found]) -> Vec<Claim> {
    let mut roads: Vec<_> = of_kind(found, Kind::Road).collect();
    roads.sort_by_key(|of| of.vertices);
    let (small, large): (Vec<_>, Vec<_>) = match roads.as_slice() {
        [] => (Vec::new(), Vec::new()),
        [small, .., large] => (vec![*small], vec![*large]),
        [only] => (vec![*only], Vec::new()),
    };
    let (factors, ours) = gains(&small);
    let not_fast = match factors.first() {
        Some(factor) => Verdict::of(*factor < 2.0, "a GPU gains on the smallest roads too"),
        None => not_comparable("there was no time for it"),
    };
    let name = |roads: &[&Found]| match roads {
        [of, ..] => format!(" ({}, {})", of.described.name, of.origin),
        [] => String::new(),
    };
    let mut fast =
        gain("On large roads FlexBFS is nearly 20 times as fast as one core.", &large, 20.0);
    fast.ours.push_str(&name(&large));
    vec![
        Claim {
            paper: "On small roads a GPU is not much faster.".to_owned(),
            ours: format!("{ours}{}", name(&small)),
            verdict: not_fast,
        },
        fast,
    ]
}
