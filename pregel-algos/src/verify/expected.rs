//! Compares a result with that of another run or system, by the rules of LDBC Graphalytics
//! (Iosup et al., "The LDBC Graphalytics Benchmark", arXiv 2011.15028): exactly, within a
//! tolerance, or as a partition.

use std::collections::HashMap;
use std::string::{String, ToString};
use std::vec::Vec;

use pregel_core::graph::{Id, Ids};
use pregel_core::io::Values;
use pregel_core::program::VertexId;
use thiserror::Error;

use crate::bfs::UNREACHED;

/// How far a number may be from the expected one, relative to it.
pub const CLOSE: f64 = 1e-4;

/// The result of a run, one value per vertex, and with it the rule to compare it by.
#[derive(Clone, Copy, Debug)]
pub enum Found<'a> {
    /// Numbers of steps, which must be equal. [`UNREACHED`] equals `-1`, `inf`, `infinity`, and the largest
    /// 64-bit integer, which Graphalytics writes.
    Levels(&'a [u32]),
    /// Counts, which must be equal.
    Counts(&'a [u64]),
    /// Vertices, which must be equal.
    Vertices(&'a [VertexId]),
    /// Labels: the vertices of each must be those of one label in the file, whatever it is
    /// called there.
    Partition(&'a [VertexId]),
    /// Numbers within [`CLOSE`]; infinities are equal, and nothing is close to one.
    F32(&'a [f32]),
    /// The same.
    F64(&'a [f64]),
}

/// Where a result differs from what is expected.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "vertex {vertex} has {found}, expected {expected}; {differing} of {vertices} values differ"
)]
pub struct Difference {
    /// The user id of the first vertex that differs.
    pub vertex: String,
    /// Its value in the result.
    pub found: String,
    /// Its value in the file.
    pub expected: String,
    /// How many vertices differ.
    pub differing: u64,
    /// How many there are.
    pub vertices: u64,
}

/// Compares `found`, the values of the vertices called `ids`, with those of a file, which was
/// read for the same vertices. O(V) and the length of the values; a partition also takes a map
/// of its labels, in both directions.
///
/// # Errors
/// [`Difference`]: the first vertex that differs, and how many do. In a partition a vertex
/// differs if its group is another one than that of the first vertex with the same label, here
/// or in the file.
///
/// # Panics
/// If the numbers of values and ids differ.
pub fn compare(expected: &Values, found: Found<'_>, ids: &Ids) -> Result<(), Difference> {
    assert_eq!(expected.len(), ids.len() as usize, "values of another graph");
    assert_eq!(found.len(), ids.len() as usize, "the result of another graph");
    let differing: Vec<VertexId> = match found {
        Found::Partition(labels) => split_differently(expected, labels),
        _ => (0..ids.len()).filter(|v| !found.equals(expected.get(*v), ids, *v)).collect(),
    };
    match differing.first() {
        None => Ok(()),
        Some(&first) => Err(Difference {
            vertex: ids.get(first).to_string(),
            found: found.print(ids, first),
            expected: expected.get(first).to_string(),
            differing: differing.len() as u64,
            vertices: ids.len().into(),
        }),
    }
}

fn split_differently(expected: &Values, labels: &[VertexId]) -> Vec<VertexId> {
    let (mut to, mut back) = (HashMap::new(), HashMap::new());
    let mut differing = Vec::new();
    for (v, &label) in (0..).zip(labels) {
        let name = expected.get(v);
        let known = *to.entry(label).or_insert(name) == name;
        if *back.entry(name).or_insert(label) != label || !known {
            differing.push(v);
        }
    }
    differing
}

impl Found<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Levels(values) | Self::Vertices(values) | Self::Partition(values) => values.len(),
            Self::Counts(values) => values.len(),
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    /// Whether vertex `v` has the value that `expected` names.
    fn equals(&self, expected: &str, ids: &Ids, v: VertexId) -> bool {
        let v = v as usize;
        match self {
            Self::F32(numbers) => close(expected, numbers[v].into()),
            Self::F64(numbers) => close(expected, numbers[v]),
            Self::Levels(levels) if levels[v] == UNREACHED => {
                ["-1", "9223372036854775807", "inf", "infinity"].contains(&expected)
            }
            Self::Levels(levels) => expected.parse() == Ok(levels[v]),
            Self::Counts(counts) => expected.parse() == Ok(counts[v]),
            Self::Vertices(vertices) | Self::Partition(vertices) => match vertices[v] {
                none if none >= ids.len() => expected == "-1",
                vertex => match ids.get(vertex) {
                    Id::Integer(id) => expected.parse() == Ok(id),
                    Id::Name(name) => expected == name,
                },
            },
        }
    }

    fn print(&self, ids: &Ids, v: VertexId) -> String {
        let v = v as usize;
        match self {
            Self::F32(numbers) => std::format!("{:?}", numbers[v]),
            Self::F64(numbers) => std::format!("{:?}", numbers[v]),
            Self::Levels(levels) if levels[v] == UNREACHED => "-1".to_string(),
            Self::Levels(levels) => levels[v].to_string(),
            Self::Counts(counts) => counts[v].to_string(),
            Self::Vertices(vertices) | Self::Partition(vertices) => match vertices[v] {
                none if none >= ids.len() => "-1".to_string(),
                vertex => ids.get(vertex).to_string(),
            },
        }
    }
}

fn close(expected: &str, found: f64) -> bool {
    expected.parse().is_ok_and(|expected: f64| {
        found == expected || (found - expected).abs() <= CLOSE * expected.abs().min(f64::MAX)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Compares with a file of this text; the ids are 5 to 7.
    fn check(text: &str, found: Found<'_>) -> Result<(), String> {
        let ids = Ids::range(5, 3);
        let expected = Values::parse(text.as_bytes(), &ids).unwrap();
        compare(&expected, found, &ids).map_err(|difference| difference.to_string())
    }

    #[track_caller]
    fn differs(checked: Result<(), String>, says: &str) {
        let error = checked.unwrap_err();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn levels_must_be_equal() {
        let levels = Found::Levels(&[0, 1, UNREACHED]);
        for unreached in ["-1", "9223372036854775807", "infinity"] {
            assert_eq!(check(&std::format!("6 1\n5 0\n7 {unreached}\n"), levels), Ok(()));
        }
        let says = "vertex 6 has 1, expected 2; 2 of 3 values differ";
        differs(check("5 0\n6 2\n7 3\n", levels), says);
        let counts = Found::Counts(&[0, 1, u64::MAX]);
        assert_eq!(check("5 0\n6 1\n7 18446744073709551615\n", counts), Ok(()));
        differs(check("5 0\n6 1\n7 -1\n", counts), "vertex 7 has 18446744073709551615");
    }

    #[test]
    fn numbers_may_be_rounded() {
        let numbers = Found::F64(&[0.0, 2.0, f64::INFINITY]);
        assert_eq!(check("5 0\n6 2.0001\n7 infinity\n", numbers), Ok(()));
        assert_eq!(check("5 0\n6 2.0001\n7 inf", Found::F32(&[0.0, 2.0, f32::INFINITY])), Ok(()));
        let says = [
            ("5 0\n6 2.001\n7 inf\n", "vertex 6 has 2.0, expected 2.001; 1 of 3"),
            ("5 1e-300\n6 2\n7 inf\n", "vertex 5"),
            ("5 0\n6 inf\n7 inf\n", "vertex 6"),
            ("5 0\n6 2\n7 1e308\n", "vertex 7"),
            ("5 0\n6 NaN\n7 inf\n", "vertex 6"),
            ("5 0\n6 two\n7 inf\n", "vertex 6"),
        ];
        for (text, wanted) in says {
            differs(check(text, numbers), wanted);
        }
        differs(check("5 0\n6 NaN\n7 0\n", Found::F64(&[f64::NAN; 3])), "3 of 3");
    }

    #[test]
    fn labels_are_vertices_or_stand_for_groups() {
        let labels = [0, 0, 2];
        let (exact, groups) = (Found::Vertices(&labels), Found::Partition(&labels));
        assert_eq!(check("5 5\n6 5\n7 7\n", exact), Ok(()));
        differs(check("5 6\n6 6\n7 7\n", exact), "vertex 5 has 5, expected 6; 2 of 3");
        assert_eq!(check("5 b\n6 b\n7 a\n", groups), Ok(()));
        differs(check("5 b\n6 b\n7 b\n", groups), "vertex 7");
        differs(check("5 b\n6 a\n7 c\n", groups), "vertex 6");
        let parents = Found::Vertices(&[UNREACHED, 0, 1]);
        assert_eq!(check("5 -1\n6 5\n7 6\n", parents), Ok(()));
    }
}
