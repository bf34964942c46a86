//! The vertices with the highest values.

use pregel_core::graph::Ids;

use crate::output::Column;
use crate::text::{Align, Table, short, thousands};

/// Vertices that a table lists.
const LISTED: usize = 10;

/// The vertices with the highest values that are finite, and these; of equal ones the first. O(V),
/// without a copy of the values.
pub fn top(values: impl Iterator<Item = f64>) -> Vec<(u32, f64)> {
    let mut list: Vec<(u32, f64)> = Vec::with_capacity(LISTED + 1);
    for (v, value) in (0..).zip(values).filter(|(_, value)| value.is_finite()) {
        if list.len() == LISTED && list[LISTED - 1].1.total_cmp(&value).is_ge() {
            continue;
        }
        let place = list.partition_point(|(_, other)| other.total_cmp(&value).is_ge());
        list.insert(place, (v, value));
        list.truncate(LISTED);
    }
    list
}

/// A table of the vertices with the highest values, below a title; of equal ones the first. Empty
/// if the values are not numbers. O(V).
pub fn highest(ids: &Ids, values: &Column, title: &str, heading: &str) -> String {
    let list = match values {
        Column::F32(values) => top(values.iter().map(|value| f64::from(*value))),
        Column::F64(values) => top(values.iter().copied()),
        Column::Count(values) => top(values.iter().map(|value| *value as f64)),
        Column::Level(_) | Column::Vertex(_) => return String::new(),
    };
    let mut table = Table::new(&[Align::Right, Align::Right, Align::Left]);
    table.row(["", "vertex", heading]);
    for (place, (v, value)) in (1..).zip(list) {
        table.row([thousands(place), ids.get(v).to_string(), short(value)]);
    }
    format!("{title}\n\n{table}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_come_first_and_of_equal_ones_the_first() {
        let values = [2.0, f64::NAN, 5.0, 2.0, f64::INFINITY, 5.0, -1.0];
        let expected = [(2, 5.0), (5, 5.0), (0, 2.0), (3, 2.0), (6, -1.0)];
        assert_eq!(top(values.into_iter()), expected);
        assert!(top(std::iter::empty()).is_empty());
    }

    #[test]
    fn no_more_than_ten_are_listed() {
        let first: Vec<_> = (0..10).map(|v| (v, 1.0)).collect();
        assert_eq!(top(std::iter::repeat_n(1.0, 30)), first);
        let last: Vec<_> = (20..30).rev().map(|v| (v, f64::from(v))).collect();
        assert_eq!(top((0..30).map(f64::from)), last);
    }
}
