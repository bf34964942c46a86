//! The report, with the benchmark's metrics.

use std::path::Path;

use super::task::Algorithm;
use super::{Findings, QUICK_SIZE, RUNS, Row, State, Times};
use crate::machine::Machine;
use crate::report::{Axis, Cell, Figure, Item, Report, Series, Table, thousands};

const SOURCE: &str = "Alexandru Iosup and others, The LDBC Graphalytics Benchmark, version 1.0.5, \
    arXiv 2011.15028. The metrics are those of its section on metrics. It measures systems, so \
    there are no figures to compare with.";

impl Findings {
    /// Writes it all down.
    pub fn report(self, folder: &Path) -> Report {
        let machine = Machine { device: self.device.clone(), ..Machine::here() };
        let items = vec![self.algorithms(), self.graphs(), self.results(machine.threads)];
        Report {
            name: "graphalytics",
            title: "LDBC Graphalytics".to_owned(),
            source: SOURCE,
            notes: self.notes(folder),
            failures: self.failures(),
            machine,
            items,
        }
    }

    fn notes(&self, folder: &Path) -> Vec<String> {
        let mut notes = vec![
            format!("Data sets: {}", folder.display()),
            if self.quick {
                format!(
                    "A quick run: every algorithm ran once, on graphs of at most {} vertices and \
                     edges. The times say little.",
                    thousands(QUICK_SIZE)
                )
            } else {
                format!(
                    "Times are medians of {RUNS} runs, or of fewer where the time allowed did not \
                     suffice for more; each run prepared the graph anew."
                )
            },
            "Validation, of every run: BFS and CDLP must be equal to the reference output (exact), \
             LCC, PR and SSSP within 1e-4 of it, relative (epsilon), and the components of WCC must \
             be the same sets, whatever their labels (equivalence). Without a reference output a \
             result is not validated."
                .to_owned(),
        ];
        if let Some(why) = &self.why_no_gpu {
            notes.push(format!("Nothing was measured on a GPU: {why}."));
        }
        for graph in &self.graphs {
            notes.extend(graph.notes.iter().map(|note| format!("{}: {note}.", graph.name)));
        }
        notes.extend(self.left_out.iter().map(|text| format!("Left out: {text}.")));
        notes.extend(self.failures().iter().map(|text| format!("FAILED: {text}.")));
        notes
    }

    /// What makes the command fail.
    fn failures(&self) -> Vec<String> {
        let failure = |row: &Row| {
            let why = match &row.state {
                State::Wrong(why) => format!("the result is wrong: {why}"),
                State::Failed(why) => why.clone(),
                _ => return None,
            };
            let graph = &self.graphs[row.graph].name;
            Some(format!("{graph}, {} on {}: {why}", row.algorithm.acronym(), row.engine))
        };
        self.rows.iter().filter_map(failure).collect()
    }

    fn algorithms(&self) -> Item {
        let mut rows = Vec::new();
        for algorithm in Algorithm::ALL {
            for &engine in &self.engines {
                let of = |row: &&Row| row.algorithm == algorithm && row.engine == engine;
                let all: Vec<&Row> = self.rows.iter().filter(of).collect();
                if all.is_empty() {
                    continue;
                }
                let count = |is: fn(&State) -> bool| {
                    Cell::Count(all.iter().filter(|row| is(&row.state)).count() as u64)
                };
                let speed = |row: &&Row| row.times.map(|times| self.evps(row.graph, times));
                let most = all.iter().filter_map(speed).max_by(f64::total_cmp);
                rows.push(vec![
                    algorithm.acronym().into(),
                    engine.into(),
                    algorithm.rule().into(),
                    (all.len() as u64).into(),
                    count(|state| *state == State::Valid),
                    count(|state| *state == State::NotValidated),
                    count(|state| matches!(state, State::Wrong(_))),
                    count(|state| matches!(state, State::Failed(_))),
                    count(|state| matches!(state, State::NoWeights | State::NoTime)),
                    most.map_or(Cell::Empty, rate),
                ]);
            }
        }
        Item {
            name: "algorithms",
            title: "Algorithms".to_owned(),
            method: "How many results are valid. EVPS is defined below; results that are wrong \
                     have none."
                .to_owned(),
            table: Table {
                columns: vec![
                    "algorithm",
                    "engine",
                    "validation",
                    "graphs",
                    "valid",
                    "not validated",
                    "wrong",
                    "failed",
                    "not run",
                    "highest EVPS",
                ],
                rows,
            },
            figure: None,
            claims: Vec::new(),
            verbatim: None,
        }
    }

    fn graphs(&self) -> Item {
        let rows = self.graphs.iter().map(|graph| {
            vec![
                graph.name.as_str().into(),
                if graph.directed { "directed" } else { "undirected" }.into(),
                if graph.weighted { "yes" } else { "no" }.into(),
                graph.vertices.into(),
                graph.edges.into(),
                Cell::Real(((graph.vertices + graph.edges).max(1) as f64).log10(), 1),
                Cell::Real(graph.load_seconds, 6),
            ]
        });
        Item {
            name: "graphs",
            title: "Graphs".to_owned(),
            method:
                "An undirected edge counts once. The scale is log10(vertices + edges). The load \
                     time, measured once, is that of reading the files and building the graph, of \
                     a directed one in both directions."
                    .to_owned(),
            table: Table {
                columns: vec![
                    "graph",
                    "edges are",
                    "weights",
                    "vertices",
                    "edges",
                    "scale",
                    "load s",
                ],
                rows: rows.collect(),
            },
            figure: None,
            claims: Vec::new(),
            verbatim: None,
        }
    }

    fn results(&self, threads: usize) -> Item {
        let rows = self.rows.iter().map(|row| {
            let graph = &self.graphs[row.graph];
            let state = match &row.state {
                State::Valid => "valid".to_owned(),
                State::NotValidated => "not validated".to_owned(),
                State::Wrong(why) => format!("wrong: {why}"),
                State::Failed(why) => format!("failed: {why}"),
                State::NoWeights => "not run: the graph has no weights".to_owned(),
                State::NoTime => "not run: no time was left".to_owned(),
            };
            let time = |of: fn(Times) -> Cell| row.times.map_or(Cell::Empty, of);
            vec![
                graph.name.as_str().into(),
                row.algorithm.acronym().into(),
                row.engine.into(),
                if row.on_gpu { Cell::Empty } else { (threads as u64).into() },
                graph.vertices.into(),
                graph.edges.into(),
                state.into(),
                time(|times| Cell::Count(times.runs as u64)),
                Cell::Real(graph.load_seconds, 6),
                time(|times| Cell::Real(times.processing, 6)),
                time(|times| Cell::Real(times.makespan, 6)),
                row.times.map_or(Cell::Empty, |times| rate(per_second(graph.edges, times))),
                row.times.map_or(Cell::Empty, |times| rate(self.evps(row.graph, times))),
            ]
        });
        Item {
            name: "results",
            title: "Results".to_owned(),
            method: "The processing time is that of the algorithm alone. The makespan is the time \
                     from the call, with a graph in memory, to the values of all vertices in the \
                     order of their ids: it adds what the engine prepares for this algorithm. \
                     EPS is the number of edges by the processing time, EVPS that of vertices and \
                     edges."
                .to_owned(),
            table: Table {
                columns: vec![
                    "graph",
                    "algorithm",
                    "engine",
                    "threads",
                    "vertices",
                    "edges",
                    "validation",
                    "runs",
                    "load s",
                    "processing s",
                    "makespan s",
                    "EPS",
                    "EVPS",
                ],
                rows: rows.collect(),
            },
            figure: Some(self.figure()),
            claims: Vec::new(),
            verbatim: None,
        }
    }

    fn figure(&self) -> Figure {
        let mut series = Vec::new();
        for &engine in &self.engines {
            for algorithm in Algorithm::ALL {
                let of = |row: &&Row| row.algorithm == algorithm && row.engine == engine;
                let point =
                    |row: &Row| Some((self.size(row.graph), self.evps(row.graph, row.times?)));
                let mut points: Vec<(f64, f64)> =
                    self.rows.iter().filter(of).filter_map(point).collect();
                points.sort_by(|a, b| a.0.total_cmp(&b.0));
                if !points.is_empty() {
                    let label = format!("{} on {engine}", algorithm.acronym());
                    series.push(Series::joined(label, points));
                }
            }
        }
        Figure {
            x: Axis::new("vertices and edges").logarithmic().whole(),
            y: Axis::new("EVPS").logarithmic(),
            series,
        }
    }

    /// Vertices and edges.
    fn size(&self, graph: usize) -> f64 {
        (self.graphs[graph].vertices + self.graphs[graph].edges) as f64
    }

    fn evps(&self, graph: usize, times: Times) -> f64 {
        let graph = &self.graphs[graph];
        per_second(graph.vertices + graph.edges, times)
    }
}

fn per_second(count: u64, times: Times) -> f64 {
    // The clock counts nanoseconds.
    count as f64 / times.processing.max(1e-9)
}

fn rate(per_second: f64) -> Cell {
    Cell::Count(per_second.round() as u64)
}
