//! The laws of [`Monoid`], for every stock monoid.

use proptest::prelude::*;

use super::{Any, Array, Law, Max, Min, Monoid, Nothing, Number, Or, Sum};

/// Whether two values are the same; floats bit for bit, −0 being 0.
type Same<V> = fn(&V, &V) -> bool;

fn exactly<V: PartialEq>(a: &V, b: &V) -> bool {
    a == b
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
            fn $name(a in number::<$t>(), b in number::<$t>(), c in number::<$t>()) {
                obeys::<Min<$t>>(a, b, c, exactly);
                obeys::<Max<$t>>(a, b, c, exactly);
                obeys::<Array<Max<$t>, 2>>([a, b], [b, c], [c, a], exactly);
                let [a, b, c] = [a, b, c].map(|x| if x.is_finite() { x % 1e6 } else { 1.0 });
                obeys::<Sum<$t>>(a, b, c, nearly);
                obeys::<Any<$t>>(a, b, c, exactly);
                assert_eq!(Sum::<$t>::LAW, Law::Rounded);
                assert_eq!(Array::<Sum<$t>, 2>::LAW, Law::Rounded);
                // A NaN loses against every number.
                assert_eq!(Min::combine(a, <$t>::NAN), a);
                assert_eq!(Max::combine(<$t>::NAN, a), a);
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

    /// Bit for bit also where floats have two zeroes.
    #[test]
    fn of_float_minima_on_the_bits(a: f32, b: f32) {
        prop_assume!(a != b);
        assert_eq!(Min::combine(a, b).to_bits(), Min::combine(b, a).to_bits());
    }
}

#[test]
fn of_nothing() {
    obeys::<Nothing>((), (), (), exactly);
    obeys::<Any<()>>((), (), (), exactly);
}
