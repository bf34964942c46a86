//! Combiners and aggregators: commutative monoids as types.

use core::marker::PhantomData;

use super::{Kind, Number, Value};

/// How exactly a [`Monoid`] is associative and commutative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Law {
    /// Bit for bit: the order of combining never shows.
    Exact,
    /// Up to rounding: float sums. `deterministic` runs fix the order.
    Rounded,
    /// Any one of the operands is the result; programs must be indifferent.
    Arbitrary,
}

/// A combination that memory hardware may do by itself, in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// What is done.
    pub operation: Operation,
    /// With which numbers.
    pub kind: Kind,
}

/// What a [`Native`] combination does.
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
    /// `operation` on numbers of this kind, if they are of a kind at all.
    const fn of(operation: Operation, kind: Option<Kind>) -> Option<Self> {
        match kind {
            Some(kind) => Some(Self { operation, kind }),
            None => None,
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
/// Under [`Law::Arbitrary`] "equal" means "is one of the operands", and the
/// identity is a placeholder that no message meets.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how to combine values",
    label = "not a monoid",
    note = "use `Min<T>`, `Max<T>`, `Sum<T>`, `Or<T>`, `Any<T>`, `Array<M, N>`, `Nothing`, or implement `Monoid` for a type of your own"
)]
pub trait Monoid: Copy + Send + Sync + 'static {
    /// What is combined.
    type Value: Value;
    /// How exactly the laws hold.
    const LAW: Law;
    /// The same combination as hardware knows it, if it does: an engine may
    /// then combine in memory by one instruction.
    const NATIVE: Option<Native> = None;
    /// The neutral value.
    fn identity() -> Self::Value;
    /// Combines two values.
    fn combine(a: Self::Value, b: Self::Value) -> Self::Value;
    /// Whether nothing can change `value` any more, so that a pull may stop.
    #[inline(always)]
    fn absorbing(_value: &Self::Value) -> bool {
        false
    }
}

/// The monoid of `()`: for programs that aggregate nothing.
#[derive(Clone, Copy, Debug)]
pub struct Nothing;

/// The smallest value. A NaN loses against every number.
#[derive(Clone, Copy, Debug)]
pub struct Min<T>(PhantomData<fn() -> T>);

/// The largest value. A NaN loses against every number.
#[derive(Clone, Copy, Debug)]
pub struct Max<T>(PhantomData<fn() -> T>);

/// The sum; integers wrap.
#[derive(Clone, Copy, Debug)]
pub struct Sum<T>(PhantomData<fn() -> T>);

/// Bitwise or of unsigned integers: sets of up to 64 members.
#[derive(Clone, Copy, Debug)]
pub struct Or<T>(PhantomData<fn() -> T>);

/// Any one of the values, for programs indifferent to which.
#[derive(Clone, Copy, Debug)]
pub struct Any<T>(PhantomData<fn() -> T>);

/// `N` values side by side, each combined by `M`: several aggregates at once.
#[derive(Clone, Copy, Debug)]
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
        T::TOP
    }
    #[inline(always)]
    fn combine(a: T, b: T) -> T {
        a.lesser(b)
    }
    #[inline(always)]
    fn absorbing(value: &T) -> bool {
        // Floats reach their bottom so rarely that the test would only cost.
        T::EXACT && *value == T::BOTTOM
    }
}

impl<T: Number> Monoid for Max<T> {
    type Value = T;
    const LAW: Law = Law::Exact;
    const NATIVE: Option<Native> = Native::of(Operation::Max, T::KIND);
    #[inline(always)]
    fn identity() -> T {
        T::BOTTOM
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
        // Iterators would keep the arrays in the memory of a GPU's thread; a
        // counted loop is unrolled into registers.
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

macro_rules! or {
    ($($t:ty),+) => {$(
        impl Monoid for Or<$t> {
            type Value = $t;
            const LAW: Law = Law::Exact;
            const NATIVE: Option<Native> = Native::of(Operation::Or, <$t>::KIND);
            #[inline(always)]
            fn identity() -> $t {
                0
            }
            #[inline(always)]
            fn combine(a: $t, b: $t) -> $t {
                a | b
            }
            #[inline(always)]
            fn absorbing(value: &$t) -> bool {
                *value == <$t>::MAX
            }
        }
    )+};
}

or!(u32, u64);
