//! Values as a Parquet table with the columns `id`, `value` and, for searches
//! with parents, `parent`; or with a column per source.
//!
//! The level of an unreached vertex is −1, as in text; a missing parent is null.

use std::io::{self, Write};

use pregel_core::graph::Ids;
use pregel_core::io::parquet::{Values, write_columns};

use crate::output::column::{Column, Headings};

/// Writes the table.
pub fn write(
    out: &mut (dyn Write + Send),
    ids: &Ids,
    headings: &Headings,
    columns: &[Column],
) -> io::Result<()> {
    let levels: Vec<Vec<i32>> = columns.iter().map(signed).collect();
    let values = columns.iter().zip(&levels).map(|(column, levels)| match column {
        Column::F32(numbers) => Values::F32(numbers),
        Column::F64(numbers) => Values::F64(numbers),
        Column::Level(_) => Values::I32(levels),
        Column::Count(counts) => Values::U64(counts),
        Column::Vertex(vertices) => Values::Vertices(vertices),
    });
    let columns: Vec<_> = (0..).map(|number| headings.get(number)).zip(values).collect();
    write_columns(out, ids, &columns)
}

/// Levels as signed numbers; empty for other columns.
fn signed(column: &Column) -> Vec<i32> {
    match column {
        Column::Level(levels) => levels.iter().map(|level| *level as i32).collect(),
        _ => Vec::new(),
    }
}
