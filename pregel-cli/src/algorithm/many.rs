//! `--sources`: searches from many vertices.

mod sources;

use anyhow::Result;
use pregel_algos::many::Many;
use pregel_algos::verify::Violation;
use pregel_core::graph::Graph;
use pregel_core::program::VertexId;

use crate::algorithm::contract::Solution;
use crate::args::SourcesArg;
use crate::output::{Column, NO_VERTEX};
use crate::runner::Runner;
use crate::text::{Align, Table, count, short, thousands};

pub use sources::find as find_sources;

/// Sources that a summary lists.
const LISTED: usize = 10;

/// What a search finds of a vertex.
pub trait Value: Copy {
    /// The values of all vertices as a column.
    fn column(values: Vec<Self>) -> Column;
    /// The distance of the vertex, if it was reached.
    fn distance(self) -> Option<f64>;
}

impl Value for u32 {
    fn column(levels: Vec<Self>) -> Column {
        Column::Level(levels)
    }

    fn distance(self) -> Option<f64> {
        (self != NO_VERTEX).then_some(self.into())
    }
}

impl Value for f32 {
    fn column(distances: Vec<Self>) -> Column {
        Column::F32(distances)
    }

    fn distance(self) -> Option<f64> {
        self.is_finite().then_some(self.into())
    }
}

/// Searches from all sources. `check` verifies what was found from a source, and `see` is shown
/// it. The columns are kept only if they are to be written.
pub fn solve<P: Many<Value: Value>>(
    runner: &Runner<'_>,
    wanted: &SourcesArg,
    graph: &Graph<P::Edge>,
    check: impl Fn(VertexId, &[P::Value]) -> Result<(), Violation>,
    mut see: impl FnMut(&[P::Value]),
) -> Result<Solution> {
    let sources = sources::find(wanted, runner)?;
    let (mut columns, mut rows) = (Vec::new(), Vec::new());
    let keep = |source, values: Vec<P::Value>| {
        see(&values);
        if runner.job.output.is_some() {
            columns.push(Value::column(values));
        } else {
            let distances = || values.iter().filter_map(|value| value.distance());
            rows.push((source, distances().count() as u64, distances().fold(0.0, f64::max)));
        }
    };
    let (packs, runs) = runner.run_many::<P>(graph, &sources, check, keep)?;
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Right]);
    table.row(["source", "reached", "farthest"]);
    for (source, reached, farthest) in rows.iter().take(LISTED) {
        let id = runner.input.ids().get(*source).to_string();
        table.row([id, thousands(*reached), short(*farthest)]);
    }
    let rest = rows.len().saturating_sub(LISTED) as u64;
    let rest = match rest {
        0 => String::new(),
        rest => format!("and {}; --output writes a column for each\n", count(rest, "more", "more")),
    };
    let summary = Some(format!("{table}{rest}"));
    Ok(Solution { packs, summary, ..Solution::of_columns(columns, runs) })
}
