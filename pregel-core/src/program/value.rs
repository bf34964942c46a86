//! What may be stored, and what may be combined by arithmetic.

use bytemuck::Pod;

/// Plain data that can live in any memory: host, device, file.
///
/// Implemented for every [`Pod`] type that threads may share. Derive `Pod`
/// and `Zeroable` for your own structs; use integer newtypes in place of
/// `bool` and enums.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not plain data",
    label = "cannot be copied to a GPU or a file byte by byte",
    note = "derive `Pod` and `Zeroable` (with `Clone`, `Copy` and `#[repr(C)]`) for a struct of numbers; use an integer in place of `bool` or an enum"
)]
pub trait Value: Pod + Send + Sync {}

#[diagnostic::do_not_recommend]
impl<T: Pod + Send + Sync> Value for T {}

/// The primitive numbers that memory hardware can combine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
#[non_exhaustive]
pub enum Kind {
    I32,
    I64,
    U32,
    U64,
    F32,
    F64,
}

impl Kind {
    /// Whether values of type `V` lie in memory as numbers of this kind do.
    pub(super) const fn is_layout_of<V>(self) -> bool {
        let (size, align) = match self {
            Self::I32 | Self::U32 | Self::F32 => (size_of::<u32>(), align_of::<u32>()),
            Self::I64 | Self::U64 | Self::F64 => (size_of::<u64>(), align_of::<u64>()),
        };
        size_of::<V>() == size && align_of::<V>() == align
    }
}

/// A primitive number, or a type that behaves as one, for the stock monoids.
pub trait Number: Value + PartialOrd {
    /// The neutral value of addition.
    const ZERO: Self;
    /// The smallest value (−∞ of a float).
    const BOTTOM: Self;
    /// The largest value (+∞ of a float).
    const TOP: Self;
    /// Whether addition is associative bit for bit.
    const EXACT: bool;
    /// Which primitive number this is; `None` for other types.
    const KIND: Option<Kind> = None;
    /// The sum; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The smaller of the two; a NaN loses.
    #[must_use]
    fn lesser(self, other: Self) -> Self;
    /// The larger of the two; a NaN loses.
    #[must_use]
    fn greater(self, other: Self) -> Self;
}

macro_rules! number {
    ($($t:ty, $kind:ident, $exact:literal, $zero:literal, $bottom:ident, $top:ident, $plus:expr;)+) => {$(
        impl Number for $t {
            const ZERO: Self = $zero;
            const BOTTOM: Self = <$t>::$bottom;
            const TOP: Self = <$t>::$top;
            const EXACT: bool = $exact;
            const KIND: Option<Kind> = Some(Kind::$kind);
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                $plus(self, other)
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                self.max(other)
            }
        }
    )+};
}

number! {
    i32, I32, true, 0, MIN, MAX, i32::wrapping_add;
    i64, I64, true, 0, MIN, MAX, i64::wrapping_add;
    u32, U32, true, 0, MIN, MAX, u32::wrapping_add;
    u64, U64, true, 0, MIN, MAX, u64::wrapping_add;
    f32, F32, false, 0.0, NEG_INFINITY, INFINITY, core::ops::Add::add;
    f64, F64, false, 0.0, NEG_INFINITY, INFINITY, core::ops::Add::add;
}
