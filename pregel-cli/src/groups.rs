//! Vertices grouped by label: components, communities.

use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::text::{Align, Table, count, histogram, percent, thousands};

/// The most groups that a summary lists. Groups of one vertex are only counted.
const LISTED: usize = 10;

/// Groups of vertices with the same label, largest first.
#[derive(Debug)]
pub struct Groups {
    /// How many vertices have a label.
    pub vertices: u64,
    /// Label and size; among equal sizes the smaller label comes first.
    pub sizes: Vec<(VertexId, u64)>,
}

impl Groups {
    /// Counts the vertices with each label. O(V log V).
    pub fn of(labels: &[VertexId]) -> Self {
        Self::of_some(labels, labels.len() as u32)
    }

    /// The same if only some vertices have a label, which is below `labels_below`.
    fn of_some(labels: &[VertexId], labels_below: u32) -> Self {
        let mut counts = vec![0u64; labels_below as usize];
        for label in labels {
            counts[*label as usize] += 1;
        }
        let mut sizes: Vec<_> = (0..).zip(counts).filter(|(_, size)| *size > 0).collect();
        sizes.sort_by_key(|(label, size)| (std::cmp::Reverse(*size), *label));
        Self { vertices: labels.len() as u64, sizes }
    }

    /// The same with all that is no label left out.
    pub fn of_valid(labels: &[VertexId], labels_below: u32) -> Self {
        let valid: Vec<_> = labels.iter().copied().filter(|v| *v < labels_below).collect();
        Self::of_some(&valid, labels_below)
    }

    /// Describes the number of groups, the largest ones, and how many groups
    /// there are of each size.
    pub fn describe(&self, ids: &Ids, one: &str, many: &str) -> String {
        let mut text = format!("{}\n", count(self.sizes.len() as u64, one, many));
        if self.sizes.is_empty() {
            return text;
        }
        let mut largest = Table::new(&[Align::Right, Align::Right, Align::Right]);
        largest.row([one, "vertices", "share"]);
        let listed = self.sizes.partition_point(|(_, size)| *size > 1).clamp(1, LISTED);
        for &(label, size) in &self.sizes[..listed] {
            let share = percent(size, self.vertices);
            largest.row([ids.get(label).to_string(), thousands(size), share]);
        }
        if self.sizes.len() > listed {
            largest.row(["…"]);
        }
        text += &format!("\n{largest}\n");
        let bins = self.by_size().into_iter().enumerate().filter(|(_, number)| *number > 0);
        let rows = bins.map(|(bin, number)| (power_range(bin), number));
        text + &histogram("size", many, rows).to_string()
    }

    /// `[k]` counts the groups with `2^k..2^(k+1)` vertices.
    fn by_size(&self) -> Vec<u64> {
        by_power(self.sizes.iter().map(|(_, size)| *size)).split_off(1)
    }
}

/// `[0]` counts the zeros, `[k + 1]` the numbers in `2^k..2^(k+1)`.
pub fn by_power(numbers: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut bins = vec![0];
    for number in numbers {
        let bin = number.checked_ilog2().map_or(0, |log| log as usize + 1);
        if bins.len() <= bin {
            bins.resize(bin + 1, 0);
        }
        bins[bin] += 1;
    }
    bins
}

/// What a bin of [`by_power`] counts, as text.
pub fn range_of_bin(bin: usize) -> String {
    bin.checked_sub(1).map_or_else(|| "0".into(), power_range)
}

/// The range `2^k..2^(k+1)` as text: `1`, `2-3`, `4-7`, `1,024-2,047`.
fn power_range(k: usize) -> String {
    match k {
        0 => "1".into(),
        k => format!("{}-{}", thousands(1 << k), thousands(u64::MAX >> (63 - k))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_counted_largest_first() {
        let groups = Groups::of(&[0, 1, 1, 0, 4, 1]);
        assert_eq!(groups.sizes, [(1, 3), (0, 2), (4, 1)]);
        assert_eq!(groups.by_size(), [1, 2]);
    }

    #[test]
    fn zeros_have_a_bin_of_their_own() {
        let bins = by_power([3, 0, 1, 2, 0, 4].into_iter());
        assert_eq!(bins, [2, 1, 2, 1]);
        assert_eq!([0, 1, 2, 3].map(range_of_bin), ["0", "1", "2-3", "4-7"]);
        assert_eq!(by_power([].into_iter()), [0]);
    }

    #[test]
    fn ranges_of_powers() {
        assert_eq!([0, 1, 2, 10].map(power_range), ["1", "2-3", "4-7", "1,024-2,047"]);
        let largest = by_power([u64::MAX].into_iter()).len() - 1;
        let expected = "9,223,372,036,854,775,808-18,446,744,073,709,551,615";
        assert_eq!(range_of_bin(largest), expected);
    }
}
