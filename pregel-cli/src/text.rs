//! Numbers and tables for people to read.

use std::fmt::{self, Write};
use std::time::Duration;

pub use pregel_figures::thousands;

/// A number of things: `1 edge`, `2 edges`.
pub fn count(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// Three digits and a unit: `1.23 s`, `45.6 ms`, `789 µs`.
pub fn duration(time: Duration) -> String {
    duration_of(time.as_secs_f64())
}

/// The same for a number of seconds.
pub fn duration_of(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s => (s * 1e6, "µs"),
    };
    match value {
        v if v >= 100.0 => format!("{v:.0} {unit}"),
        v if v >= 10.0 => format!("{v:.1} {unit}"),
        v => format!("{v:.2} {unit}"),
    }
}

/// `part` of `whole` in per cent, with one decimal.
pub fn percent(part: u64, whole: u64) -> String {
    format!("{:.1} %", 100.0 * part as f64 / whole.max(1) as f64)
}

/// A number with six significant digits at most.
pub fn short(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let magnitude = number.abs().log10().floor();
    if !(-4.0..15.0).contains(&magnitude) {
        return format!("{number:.5e}");
    }
    let decimals = (5.0 - magnitude).max(0.0) as usize;
    let text = format!("{number:.decimals$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

/// The fewest digits that read back as the same number; with a power of ten
/// only if it is very small or very large.
pub fn exact<F: Into<f64> + fmt::Display + fmt::LowerExp + Copy>(
    out: &mut impl Write,
    number: F,
) -> fmt::Result {
    let size = number.into().abs();
    if size != 0.0 && size.is_finite() && !(1e-5..1e16).contains(&size) {
        write!(out, "{number:e}")
    } else {
        write!(out, "{number}")
    }
}

/// Whether edges have a direction, and how they are counted.
pub fn direction(directed: bool) -> &'static str {
    if directed { "directed" } else { "undirected, each edge counted both ways" }
}

/// A bar whose length shows `part` of `whole`.
fn bar(part: u64, whole: u64) -> String {
    const LENGTH: u64 = 40;
    let length = (u128::from(part) * u128::from(LENGTH)).div_ceil(u128::from(whole.max(1)));
    "█".repeat(length as usize)
}

/// How many things there are in each range, with bars.
pub fn histogram(
    range: &str,
    things: &str,
    rows: impl IntoIterator<Item = (String, u64)>,
) -> Table {
    let rows: Vec<_> = rows.into_iter().collect();
    let most = rows.iter().map(|(_, number)| *number).max().unwrap_or(0);
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
    table.row([range, things, ""]);
    for (range, number) in rows {
        table.row([range, thousands(number), bar(number, most)]);
    }
    table
}

/// The side that the cells of a column are aligned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    Right,
}

/// Rows of cells in aligned columns, indented by two spaces.
#[derive(Debug)]
pub struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with as many columns as alignments.
    pub fn new(align: &[Align]) -> Self {
        Self { align: align.to_vec(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut widths = vec![0; self.align.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, align), width) in row.iter().zip(&self.align).zip(&widths) {
                match align {
                    Align::Left => write!(line, "  {cell:<width$}")?,
                    Align::Right => write!(line, "  {cell:>width$}")?,
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_numbers_read_back() {
        for number in [0.0, 1.0, 0.1, 1e-5, 9.9e-6, 1.234e-30, 1e16, f32::MAX, f32::MIN_POSITIVE] {
            let mut text = String::new();
            exact(&mut text, number).unwrap_or_default();
            assert_eq!(text.parse(), Ok(number), "{text}");
            assert!(text.len() < 20, "{text}");
        }
        let mut text = String::new();
        exact(&mut text, f32::INFINITY).unwrap_or_default();
        assert_eq!(text, "inf");
    }

    #[test]
    fn short_numbers_have_six_digits() {
        let texts = [0.0, 1.0, 1234567.0, 0.123456789, 1.5e-9].map(short);
        assert_eq!(texts, ["0", "1", "1234567", "0.123457", "1.50000e-9"]);
    }

    #[test]
    fn tables_align() {
        let mut table = Table::new(&[Align::Right, Align::Left]);
        table.row(["1", "a"]);
        table.row(["10", "b"]);
        assert_eq!(table.to_string(), "   1  a\n  10  b\n");
    }

    #[test]
    fn the_longest_bar_of_a_histogram_is_its_largest_number() {
        let rows = [("0".to_owned(), 1), ("1-2".to_owned(), 2), ("3".to_owned(), 0)];
        let text = histogram("size", "groups", rows).to_string();
        let lengths: Vec<usize> = text.lines().map(|line| line.matches('█').count()).collect();
        assert_eq!(lengths, [0, 20, 40, 0], "{text}");
    }

    #[test]
    fn durations_have_three_digits() {
        let times = [1.234, 0.0456, 0.000_789].map(|s| duration(Duration::from_secs_f64(s)));
        assert_eq!(times, ["1.23 s", "45.6 ms", "789 µs"]);
    }
}
