//! What the engine chose in a run, and why, for people to read.

use std::time::Duration;

use pregel_core::engine::gpu::{Explanation, Taken};

use crate::ran::{Kind, Ran, Step};
use crate::text::{Align, Table, count, duration, thousands};

/// Consecutive supersteps that ran in the same way.
struct Alike {
    first: Step,
    last: u32,
    active: u64,
    messages: u64,
    time: Duration,
    taken: Option<Taken>,
    /// Sums of the nanoseconds predicted for a pull, a push and a resident launch.
    predicted: Option<[f64; 3]>,
}

/// The choices of the engine, and a table of the supersteps.
pub fn describe(report: &Ran) -> String {
    let explanation = report.device.as_ref().and_then(|device| device.explanation.as_ref());
    let mut text = explanation.map(choices).unwrap_or_default();
    let rows = alike(report.steps());
    text.push_str(&supersteps(&rows));
    text
}

/// A line for each choice.
fn choices(explanation: &Explanation) -> String {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["layout", &explanation.layout.to_string()]);
    table.row(["hot signals", &explanation.hot.to_string()]);
    table.row(["binned messages", &explanation.bins.to_string()]);
    table.row(["resident supersteps", &explanation.resident.to_string()]);
    table.row(["rounds by priority", &explanation.rounds.to_string()]);
    table.row(["other supersteps", &explanation.hosted.to_string()]);
    format!("{table}\n")
}

/// Merges consecutive supersteps that ran in the same way.
fn alike(steps: impl Iterator<Item = Step>) -> Vec<Alike> {
    let mut rows: Vec<Alike> = Vec::new();
    for step in steps {
        let taken = step.taken;
        let how = |taken: Option<Taken>| taken.map(|taken| (taken.way, taken.together));
        let predicted = taken
            .and_then(|taken| taken.predicted)
            .map(|predicted| [predicted.pull_ns, predicted.push_ns, predicted.resident_ns]);
        match rows.last_mut() {
            Some(row)
                if row.first.number > 0
                    && row.first.kind == step.kind
                    && how(row.taken) == how(taken) =>
            {
                row.last = step.number;
                row.active += step.active;
                row.messages += step.messages;
                row.time += step.time;
                for (sum, more) in
                    row.predicted.iter_mut().flatten().zip(predicted.iter().flatten())
                {
                    *sum += more;
                }
            }
            _ => rows.push(Alike {
                first: step,
                last: step.number,
                active: step.active,
                messages: step.messages,
                time: step.time,
                taken,
                predicted,
            }),
        }
    }
    rows
}

/// A table with a row for each; with predictions if there are any.
fn supersteps(rows: &[Alike]) -> String {
    let predicted = rows.iter().any(|row| row.predicted.is_some());
    let mut align = vec![Align::Left, Align::Left, Align::Right, Align::Right];
    let mut head = vec!["supersteps", "way", "active", "messages"];
    if predicted {
        align.extend([Align::Right; 3]);
        head.extend(["by pull", "by push", "resident"]);
    }
    align.push(Align::Right);
    head.push("took");
    let mut table = Table::new(&align);
    table.row(head);
    for row in rows {
        let mut cells = vec![range(row), way(row), thousands(row.active), thousands(row.messages)];
        if predicted {
            cells.extend((0..3).map(|i| {
                row.predicted.map_or_else(|| "-".to_owned(), |all| duration(nanoseconds(all[i])))
            }));
        }
        cells.push(duration(row.time));
        table.row(cells);
    }
    table.to_string()
}

/// `3`, or `3-9`.
fn range(row: &Alike) -> String {
    if row.last == row.first.number {
        row.last.to_string()
    } else {
        format!("{}-{}", row.first.number, row.last)
    }
}

/// How they ran. A device has more to say than the strategy.
fn way(row: &Alike) -> String {
    let Some(taken) = row.taken else {
        return match (row.first.number, row.first.kind) {
            (0, _) => "init".to_owned(),
            (_, Kind::Superstep(name) | Kind::Pass(name)) => name.to_owned(),
            (_, Kind::Round(name)) => format!("{name}, in place"),
        };
    };
    match taken.together {
        0 | 1 => taken.way.name().to_owned(),
        n => {
            format!("{}, {} together", taken.way.name(), count(n.into(), "superstep", "supersteps"))
        }
    }
}

/// The user's cost figures can make a prediction of any size.
fn nanoseconds(ns: f64) -> Duration {
    Duration::try_from_secs_f64(ns / 1e9).unwrap_or(Duration::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use pregel_algos::bfs::Bfs;
    use pregel_core::engine::gpu::{Choice, Gpu, GpuOptions, Images};
    use pregel_core::engine::{Engine, RunOptions};
    use pregel_core::graph::generate::Spec;
    use pregel_emulator::Emulator;

    use super::*;

    pregel_emulator::export!(bfs: Bfs);

    /// The cells of the table's lines, without spaces at their ends.
    fn run(layout: GpuOptions) -> (String, Vec<Vec<String>>) {
        let graph = "grid:rows=3,cols=40".parse::<Spec>().unwrap().plain().unwrap();
        let images = Images::new()
            .graph(pregel_emulator::graph::KERNELS)
            .program::<Bfs>("bfs", bfs::KERNELS);
        let engine = Gpu::new(Emulator::new(), images).with_options(layout);
        let report = engine.run(&graph, &Bfs { source: 0 }, &RunOptions::default()).unwrap().report;
        let text = describe(&Ran::from(&report));
        let cells = |line: &str| -> Vec<String> {
            line.split("  ")
                .map(str::trim)
                .filter(|cell| !cell.is_empty())
                .map(Into::into)
                .collect()
        };
        let lines = text.lines().skip_while(|line| !line.contains("by pull")).map(cells);
        let lines = lines.collect();
        (text, lines)
    }

    #[test]
    fn resident_supersteps_are_one_row() {
        let (text, lines) = run(GpuOptions::default().with_resident(Choice::Always));
        assert!(text.contains("all from 1 on, while no vertex stays awake"), "{text}");
        assert!(text.contains("hot signals          none: "), "{text}");
        assert!(text.contains("rounds by priority   none: "), "{text}");
        assert_eq!(lines[0][4..], ["by pull", "by push", "resident", "took"]);
        assert_eq!(lines[1][..6], ["0", "init", "120", "0", "-", "-"]);
        // The farthest vertex is 41 edges away; its message arrives in superstep 42.
        assert_eq!(lines[2][..2], ["1-42", "resident, 42 supersteps together"]);
        assert_eq!(lines.len(), 3, "{text}");
    }

    #[test]
    fn what_is_turned_off_is_said() {
        let layout = GpuOptions::default().with_hot(Choice::Never).with_resident(Choice::Never);
        let (text, lines) = run(layout);
        assert!(text.contains("hot signals          none: turned off"), "{text}");
        assert!(text.contains("binned messages      none: "), "{text}");
        assert!(text.contains("resident supersteps  none: turned off"), "{text}");
        assert_eq!(lines[1][1], "init", "{text}");
        assert!(lines[2..].iter().all(|row| ["pull", "push"].contains(&row[1].as_str())), "{text}");
        assert!(lines.len() > 2, "{text}");
    }

    #[test]
    fn an_engine_without_choices_has_its_strategies() {
        let graph = "grid:rows=3,cols=4".parse::<Spec>().unwrap().plain().unwrap();
        let options = RunOptions::default();
        let engine = pregel_core::engine::Reference;
        let report = engine.run(&graph, &Bfs { source: 0 }, &options).unwrap().report;
        let text = describe(&Ran::from(&report));
        assert!(text.starts_with("  supersteps  way"), "{text}");
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("1-6         mailbox"), "{text}");
    }
}
