//! The types of lengths.

use std::fmt;

use crate::device::solve::{NO_EDGE, plus_clamped};
use crate::program::Value;

/// The length of an edge or a path: `f32` or `i32`.
pub trait Length: Value + PartialOrd + fmt::Display + fmt::Debug {
    /// Its name.
    const NAME: &'static str;
    /// No edge, and no path. Twice this is no overflow.
    const INFINITE: Self;
    /// Of a vertex to itself.
    const ZERO: Self;
    /// The most that the number of vertices times the largest length may be. The difference
    /// of [`INFINITE`](Self::INFINITE) and this is larger than this, so that a value above
    /// it is of a path that does not exist.
    const LARGEST: f64;
    /// What a file has where there is no path.
    const NO_PATH: Self;

    /// The sum, which the caller knows to be in range.
    #[must_use]
    fn plus(self, other: Self) -> Self;

    /// The sum, or a very small number in its place that can be added to itself.
    #[must_use]
    fn plus_clamped(self, other: Self) -> Self;

    /// Whether this is the length of an edge or a path.
    fn is_finite(self) -> bool;

    /// As a number of double precision.
    fn to_f64(self) -> f64;

    /// The shorter of two; the other one if this is not a number.
    #[inline(always)]
    #[must_use]
    fn shorter(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
}

impl Length for f32 {
    const NAME: &'static str = "f32";
    const INFINITE: Self = Self::INFINITY;
    const ZERO: Self = 0.0;
    // A quarter of what there is, so that neither sums nor rounding lead out of range.
    const LARGEST: f64 = (Self::MAX / 4.0) as f64;
    const NO_PATH: Self = Self::INFINITY;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn plus_clamped(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}

impl Length for i32 {
    const NAME: &'static str = "i32";
    const INFINITE: Self = NO_EDGE;
    const ZERO: Self = 0;
    const LARGEST: f64 = (NO_EDGE / 2) as f64;
    const NO_PATH: Self = Self::MAX;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        // Wraps only after a negative cycle, where the result is dropped.
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn plus_clamped(self, other: Self) -> Self {
        plus_clamped(self, other)
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        self <= NO_EDGE / 2
    }

    fn to_f64(self) -> f64 {
        self.into()
    }
}
