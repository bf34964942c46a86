//! The result of a cell, and of all cells.

use std::fmt::{self, Write as _};

/// From which ratio to the best other way `auto` is marked.
const SLOW: f64 = 1.05;
/// Number of cells in the list of the worst.
const WORST: usize = 10;
/// Supersteps that read less than this have no floor: what they read may stay in the
/// device's cache, twice the size of an H100's.
pub(super) const LEAST_FLOOR_BYTES: u64 = 100_000_000;

/// A program on a graph, by all ways. Times are medians of all supersteps, in
/// milliseconds.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Cell {
    /// The graph.
    pub graph: String,
    /// The program.
    pub program: &'static str,
    /// Supersteps after superstep 0, or passes of a solver.
    pub steps: u32,
    /// The time of `auto`, or of a solver.
    pub auto_ms: f64,
    /// The time of its first run, without loading kernels. What it learned then, such as
    /// that bins pay, it knows in later runs.
    pub first_ms: f64,
    /// Number of runs of each way in a session.
    pub rounds: usize,
    /// Number of sessions of each way.
    pub sessions: usize,
    /// The other ways, with their times.
    pub others: Vec<(&'static str, f64)>,
    /// Ways that took several times longer than the best, with the time of one run.
    pub hopeless: Vec<(&'static str, f64)>,
    /// Ways that would run just as `auto` does.
    pub same_as_auto: Vec<&'static str>,
    /// Ways for which the device had no memory left.
    pub no_room: Vec<&'static str>,
    /// Wrong results and failures.
    pub problems: Vec<String>,
    /// The time in which the device's memory can be read as often as it must be.
    pub floor_ms: Option<f64>,
}

impl Cell {
    pub(super) fn new(graph: &str, program: &'static str) -> Self {
        Self { graph: graph.to_owned(), program, sessions: 1, ..Self::default() }
    }

    /// Whether `auto` was slower than another way.
    pub(super) fn is_slow(&self) -> bool {
        self.ratio() > Some(SLOW)
    }

    /// Takes the median of each time, here and when the same cell was measured again.
    pub(super) fn take_medians(&mut self, again: &[Self]) {
        let median = |own: f64, of: &dyn Fn(&Self) -> Option<f64>| {
            let mut times: Vec<f64> = again.iter().filter_map(of).chain([own]).collect();
            crate::median(&mut times)
        };
        self.auto_ms = median(self.auto_ms, &|cell| Some(cell.auto_ms));
        for (way, time) in &mut self.others {
            let of = |cell: &Self| {
                let found = cell.others.iter().find(|(other, _)| other == way);
                found.map(|(_, time)| *time)
            };
            *time = median(*time, &of);
        }
        self.problems.extend(again.iter().flat_map(|cell| cell.problems.clone()));
        self.sessions += again.len();
    }

    /// Notes a wrong result.
    pub(super) fn check(&mut self, way: &str, wrong: usize) {
        if wrong > 0 {
            self.problems.push(format!("{way}: {wrong} WRONG"));
        }
    }

    /// The fastest of the other ways.
    pub fn best_other(&self) -> Option<(&'static str, f64)> {
        self.others.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// The time of `auto` relative to the best other way; `None` if there is no other.
    pub fn ratio(&self) -> Option<f64> {
        self.best_other().map(|(_, best)| self.auto_ms / best)
    }

    /// The names of the columns.
    pub(super) fn header() -> String {
        format!(
            "{:<40} {:<10} {:>10} {:>6} {:>13} {:>10} {:>6}   {:>10} {:>9}",
            "graph",
            "program",
            "auto ms",
            "steps",
            "best other",
            "ms",
            "ratio",
            "first ms",
            "floor"
        )
    }
}

/// Two lines: `auto` beside the best other way, and all ways.
impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { graph, program, auto_ms, steps, first_ms, rounds, sessions, .. } = self;
        let mark = if self.is_slow() { '!' } else { ' ' };
        write!(f, "{graph:<40} {program:<10} {auto_ms:>10.3} {steps:>6} ")?;
        match self.best_other().zip(self.ratio()) {
            Some(((way, ms), ratio)) => write!(f, "{way:>13} {ms:>10.3} {ratio:>6.2} {mark}")?,
            None => write!(f, "{:>13} {:>10} {:>6} {mark}", "-", "-", "-")?,
        }
        write!(f, " {first_ms:>10.3}")?;
        match self.floor_ms {
            Some(floor) => write!(f, " {floor:>9.3}")?,
            None => write!(f, " {:>9}", "-")?,
        }
        write!(f, "\n    {sessions} × {rounds} rounds; auto {auto_ms:.3}")?;
        for (way, ms) in &self.others {
            write!(f, ", {way} {ms:.3}")?;
        }
        for (way, ms) in &self.hopeless {
            write!(f, ", ({way} {ms:.3})")?;
        }
        for (what, ways) in [("same as auto", &self.same_as_auto), ("no room", &self.no_room)] {
            if !ways.is_empty() {
                write!(f, "; {what}: {}", ways.join(" "))?;
            }
        }
        self.problems.iter().try_for_each(|problem| write!(f, "\n    {problem}"))
    }
}

/// How many cells are within 5 % of the best other way, and the worst.
pub(super) fn summary(cells: &[Cell]) -> String {
    let mut compared: Vec<(f64, &Cell)> =
        cells.iter().filter_map(|cell| Some((cell.ratio()?, cell))).collect();
    compared.sort_by(|a, b| b.0.total_cmp(&a.0));
    let good = compared.iter().filter(|(ratio, _)| *ratio <= SLOW).count();
    let mut text = format!(
        "\n{} cells, {} of them with more than one way: auto is within 5 % of the best in {good}\n",
        cells.len(),
        compared.len(),
    );
    for (ratio, cell) in compared.iter().take(WORST) {
        let (way, ms) = cell.best_other().unwrap_or_default();
        let Cell { graph, program, auto_ms, .. } = cell;
        let _ = writeln!(
            text,
            "{ratio:>6.2}  {graph} {program}: auto {auto_ms:.3} ms, {way} {ms:.3} ms"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(auto_ms: f64, others: &[(&'static str, f64)]) -> Cell {
        Cell { auto_ms, others: others.to_vec(), ..Cell::new("g", "bfs") }
    }

    #[test]
    fn auto_is_compared_with_the_best_other_way() {
        let slow = cell(3.0, &[("push", 4.0), ("pull", 2.0)]);
        assert_eq!((slow.best_other(), slow.ratio()), (Some(("pull", 2.0)), Some(1.5)));
        assert!(slow.to_string().contains("1.50 !"));
        let good = cell(2.0, &[("push", 4.0)]);
        assert!(!good.to_string().contains('!'));
        assert_eq!(cell(2.0, &[]).ratio(), None);
    }

    #[test]
    fn medians_are_taken_way_by_way() {
        let mut first = cell(3.0, &[("push", 2.0), ("pull", 4.0)]);
        let again = [cell(1.0, &[("pull", 1.0)]), cell(2.0, &[("push", 9.0), ("pull", 2.0)])];
        first.take_medians(&again);
        assert_eq!((first.auto_ms, first.sessions), (2.0, 3));
        assert_eq!(first.others, [("push", 9.0), ("pull", 2.0)]);
    }

    #[test]
    fn the_summary_counts_and_sorts() {
        let cells: Vec<Cell> = (0..12)
            .map(|i| cell(f64::from(i), &[("pull", 10.0)]))
            .chain([cell(1.0, &[])])
            .collect();
        let text = summary(&cells);
        let lines: Vec<&str> = text.trim().lines().collect();
        assert!(lines[0].starts_with("13 cells, 12 of them"), "{text}");
        assert!(lines[0].ends_with("in 11"), "{text}");
        assert_eq!(lines.len(), 1 + WORST);
        assert!(lines[1].trim_start().starts_with("1.10") && lines[1].contains("auto 11.000"));
    }
}
