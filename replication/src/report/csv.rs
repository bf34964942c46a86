//! Tables for programs (RFC 4180): plain numbers, no thousands separators.

use super::{Cell, Table};

impl Table {
    /// The table as CSV, headings first.
    pub fn csv(&self) -> String {
        let mut text = String::new();
        line(&mut text, self.columns.iter().map(|heading| quoted(heading)));
        for row in &self.rows {
            line(&mut text, row.iter().map(cell));
        }
        text
    }
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    text.push_str(&cells.collect::<Vec<_>>().join(","));
    text.push('\n');
}

fn cell(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => quoted(text),
        Cell::Count(count) => count.to_string(),
        Cell::Real(value, _) => value.to_string(),
        Cell::Empty => String::new(),
    }
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
