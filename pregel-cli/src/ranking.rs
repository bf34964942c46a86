//! The vertices with the highest values.

use pregel_core::graph::Ids;

use crate::text::{Align, Table, short, thousands};

/// Vertices that a table lists.
const LISTED: usize = 10;

/// A table of the vertices with the highest values; of equal ones the first. O(V).
pub fn highest(ids: &Ids, values: &[f64], heading: &str) -> Table {
    let mut order: Vec<u32> = (0..ids.len()).collect();
    let by_value =
        |a: &u32, b: &u32| values[*b as usize].total_cmp(&values[*a as usize]).then(a.cmp(b));
    if order.len() > LISTED {
        order.select_nth_unstable_by(LISTED - 1, by_value);
        order.truncate(LISTED);
    }
    order.sort_by(by_value);
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
    table.row(["", "vertex", heading]);
    for (place, v) in (1..).zip(order) {
        table.row([thousands(place), ids.get(v).to_string(), short(values[v as usize])]);
    }
    table
}
