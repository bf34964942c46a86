//! What may be stored, and what may be combined by arithmetic.

use core::ops::BitOr;

use bytemuck::Pod;

/// Plain data that can live in any memory: host, device, file.
///
/// Implemented for every [`Pod`] type that threads may share: numbers, arrays of them,
/// and structs that derive [`Pod`] and [`Zeroable`](super::Zeroable):
///
/// ```
/// use pregel_core::prelude::*;
///
/// #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
/// #[bytemuck(crate = "pregel_core::bytemuck")] // unless you depend on `bytemuck` yourself
/// #[repr(C)]
/// struct Offer {
///     distance: f32,
///     from: VertexId,
/// }
/// ```
///
/// | Not plain | Instead |
/// |---|---|
/// | `bool`, an enum | an integer such as `u32`, in a struct of your own if you like |
/// | `Option<u32>` | a number that means "none", such as `u32::MAX` |
/// | `Vec<T>`, `String` | an array `[T; N]`; for messages [`List<T>`](super::List) |
/// | a struct with gaps, such as `u8` before `u32` | the largest fields first, and an array of `u8` for the rest; the derive says "a type with padding" |
// The compiler would otherwise report `Pod`, from the supertraits, with a list of types that
// have nothing to do with graphs. It derives such errors from the trait as if that were an
// implementation, and leaves them out for the same attribute. Where it does not, the message
// is longer, and the program is refused all the same.
#[allow(unknown_lints, unknown_or_malformed_diagnostic_attributes, reason = "see above")]
#[diagnostic::do_not_recommend]
#[diagnostic::on_unimplemented(
    message = "this type is not plain data",
    label = "cannot be copied to a GPU or a file byte by byte",
    note = "plain data are numbers, arrays of them, and structs that derive `Clone`, `Copy`, `Pod` and `Zeroable` and have `#[repr(C)]` and `#[bytemuck(crate = \"pregel_core::bytemuck\")]`",
    note = "use an integer in place of `bool` or an enum, a number that means \"none\" in place of `Option`, an array in place of `Vec`, a struct in place of a tuple"
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
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a number that `Min`, `Max` and `Sum` can combine",
    label = "not a number",
    note = "use `i32`, `i64`, `u32`, `u64`, `f32` or `f64`, or implement `Monoid` for a type of your own, which says how values of `{Self}` combine"
)]
pub trait Number: Value + PartialOrd {
    /// The neutral value of addition.
    const ZERO: Self;
    /// The smallest value (−∞ for a float).
    const BOTTOM: Self;
    /// The largest value (+∞ for a float).
    const TOP: Self;
    /// Whether addition is associative bit for bit.
    const EXACT: bool;
    /// The identity of [`lesser`](Number::lesser): `TOP`, or NaN for a float.
    const NO_LESSER: Self = Self::TOP;
    /// The identity of [`greater`](Number::greater): `BOTTOM`, or NaN for a float.
    const NO_GREATER: Self = Self::BOTTOM;
    /// Which primitive number this is; `None` for other types. Ignored if the
    /// size or the alignment is another.
    const KIND: Option<Kind> = None;
    /// The sum; integers wrap.
    #[must_use]
    fn plus(self, other: Self) -> Self;
    /// The smaller of the two. For floats −0 is smaller than +0, and a NaN loses.
    #[must_use]
    fn lesser(self, other: Self) -> Self;
    /// The larger of the two. For floats +0 is larger than −0, and a NaN loses.
    #[must_use]
    fn greater(self, other: Self) -> Self;
}

macro_rules! integer {
    ($($t:ty, $kind:ident;)+) => {$(
        impl Number for $t {
            const ZERO: Self = 0;
            const BOTTOM: Self = <$t>::MIN;
            const TOP: Self = <$t>::MAX;
            const EXACT: bool = true;
            const KIND: Option<Kind> = Some(Kind::$kind);
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
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

/// `min` and `max` of Rust leave open which of two zeroes of different signs they
/// give. The instructions of a GPU do not: −0 is less than +0 (PTX ISA, `min` and
/// `max`). Elsewhere equal numbers are told apart by their sign, the only bit in
/// which they can differ.
macro_rules! float {
    ($($t:ty, $kind:ident;)+) => {$(
        impl Number for $t {
            const ZERO: Self = 0.0;
            const BOTTOM: Self = <$t>::NEG_INFINITY;
            const TOP: Self = <$t>::INFINITY;
            const EXACT: bool = false;
            const NO_LESSER: Self = <$t>::NAN;
            const NO_GREATER: Self = <$t>::NAN;
            const KIND: Option<Kind> = Some(Kind::$kind);
            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self + other
            }
            #[inline(always)]
            fn lesser(self, other: Self) -> Self {
                if cfg!(not(target_arch = "nvptx64")) && self == other {
                    Self::from_bits(self.to_bits() | other.to_bits())
                } else {
                    self.min(other)
                }
            }
            #[inline(always)]
            fn greater(self, other: Self) -> Self {
                if cfg!(not(target_arch = "nvptx64")) && self == other {
                    Self::from_bits(self.to_bits() & other.to_bits())
                } else {
                    self.max(other)
                }
            }
        }
    )+};
}

/// An unsigned integer as a set of bits, for [`Or`](super::Or).
#[diagnostic::on_unimplemented(
    message = "`Or` combines unsigned integers, and `{Self}` is none",
    label = "not an unsigned integer",
    note = "use `Or<u32>` or `Or<u64>`"
)]
pub trait BitSet: Number + BitOr<Output = Self> {}

impl BitSet for u32 {}
impl BitSet for u64 {}

integer! {
    i32, I32;
    i64, I64;
    u32, U32;
    u64, U64;
}

float! {
    f32, F32;
    f64, F64;
}
