//! The laws of [`Monoid`], for every stock monoid.

use proptest::prelude::*;

use super::{
    Any, Array, Delivery, Kind, Law, Max, Min, Monoid, Native, Nothing, Number, Operation, Or, Sum,
};

/// Whether two values are the same.
type Same<V> = fn(&V, &V) -> bool;

fn exactly<V: PartialEq>(a: &V, b: &V) -> bool {
    a == b
}

/// Bit for bit; every NaN is the same.
fn same_bits<F: Into<f64> + Copy>(a: &F, b: &F) -> bool {
    let [a, b]: [f64; 2] = [(*a).into(), (*b).into()];
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

fn same_pairs<F: Into<f64> + Copy>(a: &[F; 2], b: &[F; 2]) -> bool {
    a.iter().zip(b).all(|(a, b)| same_bits(a, b))
}

/// Within rounding of three additions of numbers below 1e6.
fn nearly<F: Into<f64> + Copy>(a: &F, b: &F) -> bool {
    let (a, b): (f64, f64) = ((*a).into(), (*b).into());
    (a - b).abs() <= 1e6 * 6.0 * f64::from(f32::EPSILON)
}

fn obeys<M: Monoid>(a: M::Value, b: M::Value, c: M::Value, same: Same<M::Value>) {
    let combine = M::combine;
    let one_of = |x: &M::Value, all: &[M::Value]| {
        let bytes = bytemuck::bytes_of::<M::Value>;
        all.iter().any(|y| bytes(x) == bytes(y))
    };
    if M::LAW == Law::Arbitrary {
        assert!(one_of(&combine(a, b), &[a, b]));
        assert!(one_of(&combine(a, combine(b, c)), &[a, b, c]));
        assert!(M::absorbing(&a), "any message settles a choice");
        return;
    }
    assert!(same(&combine(M::identity(), a), &a), "identity");
    assert!(same(&combine(a, M::identity()), &a), "identity");
    assert!(same(&combine(a, b), &combine(b, a)), "commutative");
    let (left, right) = (combine(combine(a, b), c), combine(a, combine(b, c)));
    assert!(same(&left, &right), "associative");
    for absorbing in [a, b, c, M::identity()].into_iter().filter(M::absorbing) {
        assert!(same(&combine(absorbing, a), &absorbing), "absorbing");
        assert!(same(&combine(b, absorbing), &absorbing), "absorbing");
    }
}

/// Mostly ordinary numbers, often the ends of the range.
fn number<T: Number + Arbitrary>() -> impl Strategy<Value = T> {
    prop_oneof![4 => any::<T>(), 1 => Just(T::BOTTOM), 1 => Just(T::TOP), 1 => Just(T::ZERO)]
}

/// Any bits, often those of zeroes, infinities and NaNs of both signs.
macro_rules! any_float {
    ($t:ty) => {
        prop_oneof![
            4 => any::<$t>(),
            1 => any::<u64>().prop_map(|bits| <$t>::from_bits(bits as _)),
            4 => prop::sample::select(vec![0.0, <$t>::INFINITY, <$t>::NAN, 1.0])
                .prop_flat_map(|x: $t| prop::sample::select(vec![x, -x])),
        ]
    };
}

macro_rules! integers {
    ($($name:ident: $t:ty),+) => {$(
        proptest! {
            #[test]
            fn $name(a in number::<$t>(), b in number::<$t>(), c in number::<$t>()) {
                obeys::<Min<$t>>(a, b, c, exactly);
                obeys::<Max<$t>>(a, b, c, exactly);
                obeys::<Sum<$t>>(a, b, c, exactly);
                obeys::<Any<$t>>(a, b, c, exactly);
                obeys::<Array<Min<$t>, 2>>([a, b], [b, c], [c, a], exactly);
                obeys::<Array<Sum<$t>, 3>>([a, b, c], [b, c, a], [c, a, a], exactly);
                assert!(Min::<$t>::absorbing(&<$t>::BOTTOM) && Max::<$t>::absorbing(&<$t>::TOP));
                assert!(!Sum::<$t>::absorbing(&a));
            }
        }
    )+};
}

macro_rules! floats {
    ($($name:ident: $t:ty),+) => {$(
        proptest! {
            #[test]
            fn $name(a in any_float!($t), b in any_float!($t), c in any_float!($t)) {
                obeys::<Min<$t>>(a, b, c, same_bits);
                obeys::<Max<$t>>(a, b, c, same_bits);
                obeys::<Array<Max<$t>, 2>>([a, b], [b, c], [c, a], same_pairs);
                // A NaN loses against every number, infinities among them.
                for nan in [<$t>::NAN, -<$t>::NAN] {
                    assert!(same_bits(&Min::combine(a, nan), &a));
                    assert!(same_bits(&Max::combine(nan, a), &a));
                }
                assert!(a.is_nan() || b.is_nan() || Min::combine(a, b).total_cmp(&a).is_le());
                assert!(a.is_nan() || b.is_nan() || Max::combine(a, b).total_cmp(&a).is_ge());
                let [a, b, c] = [a, b, c].map(|x| if x.is_finite() { x % 1e6 } else { 1.0 });
                obeys::<Sum<$t>>(a, b, c, nearly);
                obeys::<Any<$t>>(a, b, c, exactly);
                assert_eq!(Sum::<$t>::LAW, Law::Rounded);
                assert_eq!(Array::<Sum<$t>, 2>::LAW, Law::Rounded);
            }
        }
    )+};
}

integers!(of_i32: i32, of_i64: i64, of_u32: u32, of_u64: u64);
floats!(of_f32: f32, of_f64: f64);

proptest! {
    #[test]
    fn of_sets(a: u64, b: u64, c: u64) {
        for full in [0, u64::MAX] {
            obeys::<Or<u64>>(a | full, b, c, exactly);
            obeys::<Or<u32>>((a | full) as u32, b as u32, c as u32, exactly);
        }
        assert!(Or::<u64>::absorbing(&u64::MAX) && !Or::<u64>::absorbing(&(u64::MAX - 1)));
        obeys::<Array<Or<u64>, 2>>([a, u64::MAX], [b, c], [c, a], exactly);
    }
}

#[test]
fn zeroes_are_ordered_and_nan_is_no_value() {
    for (a, b) in [(0.0f32, -0.0f32), (-0.0, 0.0)] {
        assert_eq!(Min::combine(a, b).to_bits(), (-0.0f32).to_bits());
        assert_eq!(Max::combine(a, b).to_bits(), 0.0f32.to_bits());
    }
    assert!(Min::<f64>::identity().is_nan() && Max::<f64>::identity().is_nan());
    // What becomes of a lone NaN does not depend on whether an engine combines it
    // with the identity first.
    assert!(Min::combine(Min::<f32>::identity(), f32::NAN).is_nan());
    assert_eq!(Min::combine(f32::INFINITY, f32::NAN), f32::INFINITY);
}

/// A monoid that says it is native in a way that cannot be.
macro_rules! hostile {
    ($name:ident, $value:ty, $operation:ident, $kind:ident) => {
        #[derive(Clone, Copy)]
        struct $name;

        impl Monoid for $name {
            type Value = $value;
            const LAW: Law = Law::Exact;
            const NATIVE: Option<Native> =
                Some(Native { operation: Operation::$operation, kind: Kind::$kind });
            fn identity() -> $value {
                bytemuck::Zeroable::zeroed()
            }
            fn combine(a: $value, _: $value) -> $value {
                a
            }
        }
    };
}

hostile!(TooWide, u32, Add, U64);
hostile!(TooNarrow, u64, Add, U32);
hostile!(NoSize, (), Max, U32);
hostile!(Misaligned, [u32; 2], Min, I64);
hostile!(BitsOfFloats, f32, Or, F32);
hostile!(Sound, f32, Add, U32);

#[test]
fn native_combinations_fit_their_values() {
    assert_eq!(<TooWide as Delivery>::MERGE_NATIVE, None);
    assert_eq!(<TooNarrow as Delivery>::MERGE_NATIVE, None);
    assert_eq!(<NoSize as Delivery>::MERGE_NATIVE, None);
    assert_eq!(<Misaligned as Delivery>::MERGE_NATIVE, None);
    assert_eq!(<BitsOfFloats as Delivery>::MERGE_NATIVE, None);
    // Odd, but four bytes are four bytes.
    assert_eq!(<Sound as Delivery>::MERGE_NATIVE, Sound::NATIVE);
    assert_eq!(<Min<u32> as Delivery>::MERGE_NATIVE, Min::<u32>::NATIVE);
    assert!(<Sum<f64> as Delivery>::MERGE_NATIVE.is_some());
}

/// A number that says it is a wider one.
#[derive(Clone, Copy, PartialEq, PartialOrd, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(transparent)]
struct Short(u16);

impl Number for Short {
    const ZERO: Self = Self(0);
    const BOTTOM: Self = Self(0);
    const TOP: Self = Self(u16::MAX);
    const EXACT: bool = true;
    const KIND: Option<Kind> = Some(Kind::U64);
    fn plus(self, other: Self) -> Self {
        Self(self.0.wrapping_add(other.0))
    }
    fn lesser(self, other: Self) -> Self {
        Self(self.0.min(other.0))
    }
    fn greater(self, other: Self) -> Self {
        Self(self.0.max(other.0))
    }
}

#[test]
fn a_number_of_a_wrong_kind_is_not_native() {
    assert!(Sum::<Short>::NATIVE.is_some());
    assert_eq!(<Sum<Short> as Delivery>::MERGE_NATIVE, None);
    assert_eq!(<Min<Short> as Delivery>::MERGE_NATIVE, None);
    obeys::<Min<Short>>(Short(1), Short(2), Short(3), exactly);
}

#[test]
fn of_nothing() {
    obeys::<Nothing>((), (), (), exactly);
    obeys::<Any<()>>((), (), (), exactly);
}
