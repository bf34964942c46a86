//! Combiners and aggregators: commutative monoids as types.

use core::marker::PhantomData;

use super::{BitSet, Kind, Number, Value};

/// How exactly a [`Monoid`] is associative and commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// Bit for bit: the order of combining never shows.
    Exact,
    /// Up to rounding, as for float sums. `deterministic` runs fix the order.
    Rounded,
    /// Any of the operands may be the result; programs must not care which.
    Arbitrary,
}

/// A combination that memory hardware can do by itself, in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// The operation.
    pub operation: Operation,
    /// The numbers that it combines.
    pub kind: Kind,
}

/// The operation of a [`Native`] combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// Addition; integers wrap.
    Add,
    /// The smaller value.
    Min,
    /// The larger value.
    Max,
    /// Bitwise or.
    Or,
}

impl Native {
    /// `operation` on numbers of this kind; `None` without a kind.
    const fn of(operation: Operation, kind: Option<Kind>) -> Option<Self> {
        match kind {
            Some(kind) => Some(Self { operation, kind }),
            None => None,
        }
    }

    /// The combination that `M` claims to be native, unless it cannot be: its
    /// values have another size or alignment than the number that is named, or
    /// bits of floats would be combined.
    ///
    /// Engines choose atomic instructions by this alone. `Monoid::NATIVE` and
    /// `Number::KIND` are safe to write, so what they say must not decide how
    /// many bytes an instruction changes.
    pub(super) const fn of_monoid<M: Monoid>() -> Option<Self> {
        match M::NATIVE {
            Some(native) if native.kind.is_layout_of::<M::Value>() => {
                match (native.operation, native.kind) {
                    (Operation::Or, Kind::F32 | Kind::F64) => None,
                    _ => Some(native),
                }
            }
            _ => None,
        }
    }
}

/// A commutative monoid: an identity and an associative, commutative
/// `combine`.
///
/// Laws, for all `a`, `b`, `c`, within what [`LAW`](Monoid::LAW) grants:
///
/// * `combine(identity(), a) == a`;
/// * `combine(a, b) == combine(b, a)`;
/// * `combine(a, combine(b, c)) == combine(combine(a, b), c)`;
/// * if `absorbing(&a)`, then `combine(a, b) == a`.
///
/// All NaNs count as equal here: arithmetic leaves their sign and payload open.
/// Any other two values are equal if their bits are.
///
/// Under [`Law::Arbitrary`] "equal" means "is one of the operands", and the
/// identity is a placeholder that no message meets.
///
/// A monoid of one's own is a type and a function. `pregel_testing::laws` tests that the laws hold.
///
/// ```
/// use pregel_core::program::{Law, Monoid};
///
/// /// The greatest common divisor.
/// #[derive(Clone, Copy, Debug)]
/// struct Divisor;
///
/// impl Monoid for Divisor {
///     type Value = u32;
///     const LAW: Law = Law::Exact;
///     fn identity() -> u32 {
///         0
///     }
///     fn combine(a: u32, b: u32) -> u32 {
///         if b == 0 { a } else { Self::combine(b, a % b) }
///     }
///     fn absorbing(divisor: &u32) -> bool {
///         *divisor == 1
///     }
/// }
///
/// assert_eq!([12, 18, 30].into_iter().fold(Divisor::identity(), Divisor::combine), 6);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how to combine values",
    label = "not a monoid",
    note = "use `Min<T>`, `Max<T>`, `Sum<T>`, `Or<T>`, `Any<T>`, `Array<M, N>`, `Nothing`, or implement `Monoid` for a type of your own",
    note = "a combiner may also be `List<T>` or `Sorted<T>`, which keep all messages"
)]
pub trait Monoid: Copy + Send + Sync + 'static {
    /// What is combined.
    type Value: Value;
    /// How exactly the laws hold.
    const LAW: Law;
    /// The same combination as hardware knows it, if it does: an engine may
    /// then combine in memory by one instruction. It must give the same results
    /// as [`combine`](Monoid::combine). Ignored unless
    /// [`Value`](Monoid::Value) has the size and the alignment of the number
    /// that is named.
    const NATIVE: Option<Native> = None;
    /// The neutral value.
    fn identity() -> Self::Value;
    /// Combines two values.
    fn combine(a: Self::Value, b: Self::Value) -> Self::Value;
    /// Whether no other value can change `value`, so that a pull may stop.
    #[inline(always)]
    fn absorbing(_value: &Self::Value) -> bool {
        false
    }
}

/// The monoid of `()`: for programs that aggregate nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// The smallest value.
///
/// For floats, −0 is less than +0, and NaN means no value: it is the identity, and
/// loses against every number (minimumNumber of IEEE 754-2019). The sign and the
/// payload of a NaN are left open.
///
/// ```
/// use pregel_core::program::{Min, Monoid};
///
/// assert_eq!(Min::<u32>::combine(7, 3), 3);
/// assert_eq!(Min::<u32>::identity(), u32::MAX);
/// assert_eq!(Min::<f32>::combine(f32::NAN, 3.0), 3.0);
/// ```
#[derive(Debug)]
pub struct Min<T>(PhantomData<fn() -> T>);

/// The largest value. For floats as [`Min`], the other way round.
#[derive(Debug)]
pub struct Max<T>(PhantomData<fn() -> T>);

/// The sum; integers wrap.
#[derive(Debug)]
pub struct Sum<T>(PhantomData<fn() -> T>);

/// Bitwise or of unsigned integers: sets of up to 64 members.
///
/// ```
/// use pregel_core::program::{Monoid, Or};
///
/// let (first_and_third, second) = (0b101, 0b010);
/// assert_eq!(Or::<u64>::combine(first_and_third, second), 0b111);
/// assert!(Or::<u64>::absorbing(&u64::MAX));
/// ```
#[derive(Debug)]
pub struct Or<T>(PhantomData<fn() -> T>);

/// Any one of the values, for programs that do not care which.
#[derive(Debug)]
pub struct Any<T>(PhantomData<fn() -> T>);

/// `N` values side by side, each combined by `M`: several aggregates at once.
///
/// ```
/// use pregel_core::program::{Array, Monoid, Sum};
///
/// // A sum and how many values it has, for a mean.
/// type SumAndCount = Array<Sum<f64>, 2>;
/// assert_eq!(SumAndCount::combine([2.5, 1.0], [4.5, 1.0]), [7.0, 2.0]);
/// assert_eq!(SumAndCount::identity(), [0.0, 0.0]);
/// ```
#[derive(Debug)]
pub struct Array<M, const N: usize>(PhantomData<fn() -> M>);

impl Monoid for Nothing {
    type Value = ();
    const LAW: Law = Law::Exact;
    #[inline(always)]
    fn identity() {}
    #[inline(always)]
    fn combine((): (), (): ()) {}
}

impl<T: Number> Monoid for Min<T> {
    type Value = T;
    const LAW: Law = Law::Exact;
    const NATIVE: Option<Native> = Native::of(Operation::Min, T::KIND);
    #[inline(always)]
    fn identity() -> T {
        T::NO_LESSER
    }
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.lesser(b)
    }
    #[inline(always)]
    fn absorbing(value: &T) -> bool {
        // Floats reach their bottom so rarely that the test would not pay.
        T::EXACT && *value == T::BOTTOM
    }
}

impl<T: Number> Monoid for Max<T> {
    type Value = T;
    const LAW: Law = Law::Exact;
    const NATIVE: Option<Native> = Native::of(Operation::Max, T::KIND);
    #[inline(always)]
    fn identity() -> T {
        T::NO_GREATER
    }
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.greater(b)
    }
    #[inline(always)]
    fn absorbing(value: &T) -> bool {
        T::EXACT && *value == T::TOP
    }
}

impl<T: Number> Monoid for Sum<T> {
    type Value = T;
    const LAW: Law = if T::EXACT { Law::Exact } else { Law::Rounded };
    const NATIVE: Option<Native> = Native::of(Operation::Add, T::KIND);
    #[inline(always)]
    fn identity() -> T {
        T::ZERO
    }
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.plus(b)
    }
}

impl<T: Value> Monoid for Any<T> {
    type Value = T;
    const LAW: Law = Law::Arbitrary;
    #[inline(always)]
    fn identity() -> T {
        T::zeroed()
    }
    #[inline(always)]
    fn combine(a: T, _: T) -> T {
        a
    }
    #[inline(always)]
    fn absorbing(_: &T) -> bool {
        true
    }
}

impl<M: Monoid, const N: usize> Monoid for Array<M, N> {
    type Value = [M::Value; N];
    const LAW: Law = M::LAW;
    #[inline(always)]
    fn identity() -> Self::Value {
        [M::identity(); N]
    }
    #[inline(always)]
    fn combine(mut a: Self::Value, b: Self::Value) -> Self::Value {
        // On a GPU, iterators would keep the arrays in memory. A counted loop is
        // unrolled, and they stay in registers.
        let mut i = 0;
        while i < N {
            a[i] = M::combine(a[i], b[i]);
            i += 1;
        }
        a
    }
    #[inline(always)]
    fn absorbing(value: &Self::Value) -> bool {
        value.iter().all(M::absorbing)
    }
}

impl<T: BitSet> Monoid for Or<T> {
    type Value = T;
    const LAW: Law = Law::Exact;
    const NATIVE: Option<Native> = Native::of(Operation::Or, T::KIND);
    #[inline(always)]
    fn identity() -> T {
        T::ZERO
    }
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a | b
    }
    #[inline(always)]
    fn absorbing(value: &T) -> bool {
        *value == T::TOP
    }
}

/// Copies of a type that only names other types. A derive would ask these to be `Copy`, and
/// the compiler would report that too when one of them is wrong.
macro_rules! copy {
    ($($name:ident<$t:ident $(, const $n:ident)?>;)+) => {$(
        impl<$t $(, const $n: usize)?> Clone for $name<$t $(, $n)?> {
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<$t $(, const $n: usize)?> Copy for $name<$t $(, $n)?> {}
    )+};
}
pub(super) use copy;

copy! {
    Min<T>;
    Max<T>;
    Sum<T>;
    Or<T>;
    Any<T>;
    Array<M, const N>;
}
