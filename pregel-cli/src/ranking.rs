//! The vertices with the highest values.

use pregel_core::graph::Ids;

use crate::text::{Align, Table, short, thousands};

/// Vertices that a table lists.
const LISTED: usize = 10;

/// The vertices with the highest values that are finite; of equal ones the first. O(V).
pub fn top(values: &[f64]) -> Vec<u32> {
    let finite = (0..).zip(values).filter(|(_, value)| value.is_finite());
    let mut order: Vec<u32> = finite.map(|(v, _)| v).collect();
    let by_value =
        |a: &u32, b: &u32| values[*b as usize].total_cmp(&values[*a as usize]).then(a.cmp(b));
    if order.len() > LISTED {
        order.select_nth_unstable_by(LISTED - 1, by_value);
        order.truncate(LISTED);
    }
    order.sort_by(by_value);
    order
}

/// A table of the vertices with the highest values; of equal ones the first. O(V).
pub fn highest(ids: &Ids, values: &[f64], heading: &str) -> Table {
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
    table.row(["", "vertex", heading]);
    for (place, v) in (1..).zip(top(values)) {
        table.row([thousands(place), ids.get(v).to_string(), short(values[v as usize])]);
    }
    table
}
