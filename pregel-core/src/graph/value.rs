//! What an edge may carry.

use crate::program::{Number, Value};

/// An edge value that a [`GraphBuilder`](super::GraphBuilder) can merge.
pub trait EdgeValue: Value {
    /// The smaller of two values of the same edge.
    #[must_use]
    fn smaller(self, other: Self) -> Self;
    /// The sum of two values of the same edge.
    #[must_use]
    fn sum(self, other: Self) -> Self;
}

impl EdgeValue for () {
    fn smaller(self, (): ()) {}
    fn sum(self, (): ()) {}
}

impl<T: Number> EdgeValue for T {
    fn smaller(self, other: Self) -> Self {
        self.lesser(other)
    }
    fn sum(self, other: Self) -> Self {
        self.plus(other)
    }
}
