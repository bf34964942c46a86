//! How the values of a result are distributed.

use pregel_core::graph::Ids;
use serde::{Deserialize, Serialize};

use crate::groups::{Groups, by_power, range_of_bin};
use crate::levels::counted;
use crate::output::{Column, NO_VERTEX};
use crate::ranking::top;
use crate::text::short;

/// Ranges of numbers.
const BINS: usize = 20;

/// How the values of a column are distributed, and the vertices with the highest ones.
#[derive(Debug, Serialize, Deserialize)]
pub struct Values {
    /// What [`bins`](Self::bins) have ranges of: values, or the sizes of groups of vertices with
    /// the same label.
    pub ranges: String,
    /// What they count.
    pub counted: String,
    /// From the lowest to the highest.
    pub bins: Vec<Bin>,
    /// Vertices without a value: those that were not reached.
    pub without: u64,
    /// The vertices with the highest values, or the labels of the largest groups.
    pub highest: Vec<Ranked>,
}

/// How many there are in a range.
#[derive(Debug, Serialize, Deserialize)]
pub struct Bin {
    pub range: String,
    pub count: u64,
}

/// A vertex and its value.
#[derive(Debug, Serialize, Deserialize)]
pub struct Ranked {
    pub id: String,
    pub value: f64,
}

impl Values {
    /// Counts the values, which have this name. O(V); for labels O(V log V).
    pub fn of(ids: &Ids, column: &Column, name: &str) -> Self {
        match column {
            Column::Vertex(labels) => Self::of_labels(ids, labels, name),
            Column::F32(numbers) => {
                let numbers: Vec<f64> = numbers.iter().map(|x| f64::from(*x)).collect();
                Self::of_numbers(ids, &numbers, ranges(&numbers), name)
            }
            Column::F64(numbers) => Self::of_numbers(ids, numbers, ranges(numbers), name),
            Column::Level(levels) => {
                let absent = |level: u32| level == NO_VERTEX;
                let number = |level: &u32| if absent(*level) { f64::NAN } else { (*level).into() };
                let numbers: Vec<f64> = levels.iter().map(number).collect();
                let present = levels.iter().copied().filter(|level| !absent(*level));
                Self::of_numbers(ids, &numbers, whole(present.map(u64::from)), name)
            }
            Column::Count(counts) => {
                let numbers: Vec<f64> = counts.iter().map(|x| *x as f64).collect();
                Self::of_numbers(ids, &numbers, whole(counts.iter().copied()), name)
            }
        }
    }

    fn of_labels(ids: &Ids, labels: &[u32], name: &str) -> Self {
        // Some algorithms leave vertices without one.
        let mut groups = Groups::of_valid(labels, ids.len());
        let sizes = by_power(groups.sizes.iter().map(|(_, size)| *size));
        groups.sizes.truncate(10);
        let ranked = |(label, size): &(u32, u64)| Ranked {
            id: ids.get(*label).to_string(),
            value: *size as f64,
        };
        Self {
            ranges: format!("vertices with the same {name}"),
            counted: "groups".to_owned(),
            bins: in_bins(sizes.into_iter().enumerate().skip(1)),
            without: labels.len() as u64 - groups.vertices,
            highest: groups.sizes.iter().map(ranked).collect(),
        }
    }

    /// NaN and ∞ are no values.
    fn of_numbers(ids: &Ids, numbers: &[f64], bins: Vec<Bin>, name: &str) -> Self {
        let ranked = |(v, value): (u32, f64)| Ranked { id: ids.get(v).to_string(), value };
        Self {
            ranges: name.to_owned(),
            counted: "vertices".to_owned(),
            bins,
            without: numbers.iter().filter(|x| !x.is_finite()).count() as u64,
            highest: top(numbers.iter().copied()).into_iter().map(ranked).collect(),
        }
    }
}

/// Bins of whole numbers: one for each if they are small, otherwise by powers of two.
fn whole(numbers: impl Iterator<Item = u64> + Clone) -> Vec<Bin> {
    const SMALL: u64 = 32;
    if numbers.clone().any(|number| number >= SMALL) {
        return in_bins(by_power(numbers).into_iter().enumerate());
    }
    let bin = |(number, count): (u64, u64)| Bin { range: number.to_string(), count };
    (0..).zip(counted(numbers.map(|number| number as usize))).map(bin).collect()
}

fn in_bins(counts: impl Iterator<Item = (usize, u64)>) -> Vec<Bin> {
    counts.map(|(bin, count)| Bin { range: range_of_bin(bin), count }).collect()
}

/// Bins of the same width, or of the same ratio if there are some orders of magnitude between
/// the lowest number and the highest. Those that are not finite are in none.
fn ranges(numbers: &[f64]) -> Vec<Bin> {
    let finite = || numbers.iter().copied().filter(|x| x.is_finite());
    let low = finite().fold(f64::INFINITY, f64::min);
    let high = finite().fold(f64::NEG_INFINITY, f64::max);
    if low > high {
        return Vec::new();
    }
    let wide = low > 0.0 && high / low > 1e3;
    let place = |x: f64| if wide { x.ln() } else { x };
    let (from, to) = (place(low), place(high));
    let width = (to - from) / BINS as f64;
    if width <= 0.0 || !width.is_finite() {
        return vec![Bin { range: short(low), count: finite().count() as u64 }];
    }
    let mut counts = [0; BINS];
    for x in finite() {
        counts[(((place(x) - from) / width) as usize).min(BINS - 1)] += 1;
    }
    let edge = |i: usize| {
        let at = from + width * i as f64;
        short(if wide { at.exp() } else { at })
    };
    let bin = |(i, count)| Bin { range: format!("{} to {}", edge(i), edge(i + 1)), count };
    counts.into_iter().enumerate().map(bin).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: u32, column: Column) -> (Vec<u64>, u64, Vec<(String, f64)>) {
        let values = Values::of(&Ids::range(0, n), &column, "value");
        (
            values.bins.iter().map(|bin| bin.count).collect(),
            values.without,
            values.highest.into_iter().map(|ranked| (ranked.id, ranked.value)).collect(),
        )
    }

    #[test]
    fn every_value_is_in_one_bin() {
        let numbers: Vec<f64> = (0..=100).map(f64::from).chain([f64::INFINITY]).collect();
        let (bins, without, highest) = of(102, Column::F64(numbers));
        assert_eq!((bins.len(), bins.iter().sum::<u64>(), without), (BINS, 101, 1));
        assert_eq!(highest[0], ("100".to_owned(), 100.0));
        let powers = (0..40).map(|k| f64::exp2(k.into())).collect();
        let (bins, ..) = of(40, Column::F64(powers));
        assert!(bins.iter().all(|count| *count > 0), "{bins:?}");
    }

    #[test]
    fn levels_are_counted_one_by_one() {
        let (bins, without, highest) = of(5, Column::Level(vec![0, 1, 1, 3, NO_VERTEX]));
        assert_eq!((bins, without), (vec![1, 2, 0, 1], 1));
        assert_eq!(highest[0], ("3".to_owned(), 3.0));
        assert_eq!(of(2, Column::Level(vec![0, 40])).0, [1, 0, 0, 0, 0, 0, 1]);
    }

    #[test]
    fn labels_are_counted_by_group() {
        let (bins, without, highest) = of(5, Column::Vertex(vec![0, 0, 0, 3, NO_VERTEX]));
        assert_eq!((bins, without), (vec![1, 1], 1));
        assert_eq!(highest, [("0".to_owned(), 3.0), ("3".to_owned(), 1.0)]);
    }

    #[test]
    fn no_values_have_no_bins() {
        for numbers in [vec![], vec![f64::NAN, f64::INFINITY]] {
            let (bins, _, highest) = of(numbers.len() as u32, Column::F64(numbers));
            assert!(bins.is_empty() && highest.is_empty());
        }
        assert_eq!(of(2, Column::F64(vec![5.0, 5.0])).0, [2]);
    }
}
