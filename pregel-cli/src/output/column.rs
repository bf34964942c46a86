//! One value per vertex, of the type that the algorithm computes.

use std::fmt::{self, Write};

use pregel_core::graph::{Id, Ids};
use pregel_core::program::VertexId;

use crate::text::exact;

/// No vertex in a [`Column::Vertex`], an unreached one in a [`Column::Level`].
pub const NO_VERTEX: VertexId = VertexId::MAX;

/// Values of all vertices, in the order of the graph's ids.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Numbers; ∞ prints as `inf`.
    F32(Vec<f32>),
    /// Numbers.
    F64(Vec<f64>),
    /// Counts; [`NO_VERTEX`] prints as `-1`.
    Level(Vec<u32>),
    /// Counts that may be large.
    Count(Vec<u64>),
    /// Vertices, printed as their ids; [`NO_VERTEX`] prints as `-1`, or as
    /// nothing where ids are names.
    Vertex(Vec<VertexId>),
}

/// The names of the columns beside the ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headings {
    names: Vec<String>,
    /// Whether lines begin with the names even where tabs separate the columns.
    pub always: bool,
}

impl Headings {
    /// Names that files have where their format has room for them.
    pub fn new(names: Vec<String>) -> Self {
        Self { names, always: false }
    }

    /// Names that every file has, because there are many columns of the same kind.
    pub fn of_many(names: Vec<String>) -> Self {
        Self { names, always: true }
    }

    /// The name of column number `number`.
    pub fn get(&self, number: usize) -> &str {
        self.names.get(number).map_or("", String::as_str)
    }
}

/// `value`, then `parent` if there is one.
impl Default for Headings {
    fn default() -> Self {
        Self::new(["value", "parent"].map(String::from).to_vec())
    }
}

impl Column {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Self::F32(numbers) => numbers.len(),
            Self::F64(numbers) => numbers.len(),
            Self::Level(numbers) | Self::Vertex(numbers) => numbers.len(),
            Self::Count(counts) => counts.len(),
        }
    }

    /// Prints the value of vertex `v`.
    pub fn print(&self, out: &mut impl Write, ids: &Ids, v: VertexId) -> fmt::Result {
        let v = v as usize;
        match self {
            Self::F32(numbers) => exact(out, numbers[v]),
            Self::F64(numbers) => exact(out, numbers[v]),
            Self::Level(levels) if levels[v] == NO_VERTEX => out.write_str("-1"),
            Self::Level(levels) => write!(out, "{}", levels[v]),
            Self::Count(counts) => write!(out, "{}", counts[v]),
            Self::Vertex(vertices) if vertices[v] == NO_VERTEX => match ids.get(0) {
                Id::Integer(_) => out.write_str("-1"),
                Id::Name(_) => Ok(()),
            },
            Self::Vertex(vertices) => write!(out, "{}", ids.get(vertices[v])),
        }
    }
}
