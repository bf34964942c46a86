//! Small whole numbers, such as the levels of a search, counted for people to read.

use crate::output::NO_VERTEX;
use crate::text::{count, histogram, percent};

/// The most ranges of a histogram.
const RANGES: u64 = 20;

/// `[k]` counts the numbers that are k. Memory in O(the largest).
pub fn counted(numbers: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut counts = Vec::new();
    for number in numbers {
        if counts.len() <= number {
            counts.resize(number + 1, 0);
        }
        counts[number] += 1;
    }
    counts
}

/// How many vertices a search has reached, and how far they are. O(V), whatever the levels are.
pub fn describe(levels: &[u32]) -> String {
    let reached = || levels.iter().copied().filter(|level| *level != NO_VERTEX);
    let farthest = u64::from(reached().max().unwrap_or(0));
    // A long search is shown in ranges of levels.
    let width = (farthest + 1).div_ceil(RANGES);
    let counts = counted(reached().map(|level| (u64::from(level) / width) as usize));
    let rows = (0..).zip(&counts).map(|(range, size)| {
        let first = range * width;
        let last = (first + width - 1).min(farthest);
        let label = if first == last { format!("{first}") } else { format!("{first}-{last}") };
        (label, *size)
    });
    let table = histogram("level", "vertices", rows);
    let number = counts.iter().sum();
    format!(
        "{} reached ({}), the farthest {} away\n\n{table}",
        count(number, "vertex", "vertices"),
        percent(number, levels.len() as u64),
        count(farthest, "edge", "edges")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_counted_one_by_one() {
        assert_eq!(counted([1, 3, 1].into_iter()), [0, 2, 0, 1]);
    }

    #[test]
    fn a_long_search_is_shown_in_ranges() {
        let text = describe(&[0, 1, 1, NO_VERTEX]);
        assert!(
            text.starts_with("3 vertices reached (75.0 %), the farthest 1 edge away"),
            "{text}"
        );
        let ends: Vec<_> = describe(&[0, 44]).lines().map(str::to_owned).collect();
        assert!(ends.iter().any(|line| line.trim_start().starts_with("0-2 ")), "{ends:?}");
        assert!(ends.iter().any(|line| line.trim_start().starts_with("42-44 ")), "{ends:?}");
        // A level that no search has takes no more memory than another.
        assert!(describe(&[NO_VERTEX - 1]).contains("the farthest 4,294,967,294 edges away"));
    }
}
