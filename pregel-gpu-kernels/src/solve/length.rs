//! The lengths of paths, as kernels handle them: words of 32 bits.

use pregel_core::device::solve::{NO_EDGE, plus_clamped};

/// A word of 32 bits.
pub(super) trait Word: Copy {
    fn from_bits(bits: u32) -> Self;
    fn to_bits(self) -> u32;
}

/// A length: `f32` or `i32`.
pub(super) trait Length: Word {
    /// Longer than any path.
    const INFINITE: Self;

    /// The sum, which the host knows to be in range.
    fn plus(self, other: Self) -> Self;
    /// The sum, or a very small number in its place that can be added to itself.
    fn plus_clamped(self, other: Self) -> Self;
    fn shorter(self, other: Self) -> Self;
    fn is_shorter(self, than: Self) -> bool;
    fn is_negative(self) -> bool;
}

impl Word for u32 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        self
    }
}

impl Word for f32 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        Self::from_bits(bits)
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        Self::to_bits(self)
    }
}

impl Length for f32 {
    const INFINITE: Self = Self::INFINITY;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn plus_clamped(self, other: Self) -> Self {
        self + other
    }

    #[inline(always)]
    fn shorter(self, other: Self) -> Self {
        self.min(other)
    }

    #[inline(always)]
    fn is_shorter(self, than: Self) -> bool {
        self < than
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self < 0.0
    }
}

impl Word for i32 {
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        bits as Self
    }

    #[inline(always)]
    fn to_bits(self) -> u32 {
        self as u32
    }
}

impl Length for i32 {
    const INFINITE: Self = NO_EDGE;

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }

    #[inline(always)]
    fn plus_clamped(self, other: Self) -> Self {
        plus_clamped(self, other)
    }

    #[inline(always)]
    fn shorter(self, other: Self) -> Self {
        self.min(other)
    }

    #[inline(always)]
    fn is_shorter(self, than: Self) -> bool {
        self < than
    }

    #[inline(always)]
    fn is_negative(self) -> bool {
        self < 0
    }
}
