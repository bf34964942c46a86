//! Vertices grouped by label: components, communities.

use pregel_core::graph::Ids;
use pregel_core::program::VertexId;

use crate::text::{Align, Table, bar, count, percent, thousands};

/// The most groups that a summary lists. Groups of one vertex are only counted.
const LISTED: usize = 10;

/// Groups of vertices with the same label, largest first.
#[derive(Debug)]
pub struct Groups {
    vertices: u64,
    /// Label and size; among equal sizes the smaller label comes first.
    pub sizes: Vec<(VertexId, u64)>,
}

impl Groups {
    /// Counts the vertices with each label. O(V log V).
    pub fn of(labels: &[VertexId]) -> Self {
        let mut counts = vec![0u64; labels.len()];
        for label in labels {
            counts[*label as usize] += 1;
        }
        let mut sizes: Vec<_> = (0..).zip(counts).filter(|(_, size)| *size > 0).collect();
        sizes.sort_by_key(|(label, size)| (std::cmp::Reverse(*size), *label));
        Self { vertices: labels.len() as u64, sizes }
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
        let bins = self.by_size();
        let most = bins.iter().copied().max().unwrap_or(0);
        let mut histogram = Table::new(&[Align::Right, Align::Right, Align::Left]);
        histogram.row(["size", many, ""]);
        for (bin, &number) in bins.iter().enumerate().filter(|(_, number)| **number > 0) {
            histogram.row([power_range(bin), thousands(number), bar(number, most)]);
        }
        text + &histogram.to_string()
    }

    /// `[k]` counts the groups with `2^k..2^(k+1)` vertices.
    fn by_size(&self) -> Vec<u64> {
        let mut bins = Vec::new();
        for (_, size) in &self.sizes {
            let bin = size.ilog2() as usize;
            if bins.len() <= bin {
                bins.resize(bin + 1, 0);
            }
            bins[bin] += 1;
        }
        bins
    }
}

/// The range `2^k..2^(k+1)` as text: `1`, `2-3`, `4-7`, `1,024-2,047`.
pub fn power_range(k: usize) -> String {
    match k {
        0 => "1".into(),
        k => format!("{}-{}", thousands(1 << k), thousands((2 << k) - 1)),
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
    fn ranges_of_powers() {
        assert_eq!([0, 1, 2, 10].map(power_range), ["1", "2-3", "4-7", "1,024-2,047"]);
    }
}
