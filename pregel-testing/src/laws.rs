//! The laws of monoids, tested with samples.

use std::any::type_name;
use std::error::Error;
use std::fmt::{self, Debug};

use pregel_core::program::{Delivery, Kind, Law, Monoid, Native, Number, Operation, Value};

use crate::compare::{Same, is_float, nearly_same, same_bytes, same_value};

/// Samples that are tested at most. All triples of them are.
const SAMPLES: usize = 48;

/// Tests the laws of a [`Monoid`] on all pairs and triples of some values, and of its identity:
///
/// * the identity changes nothing;
/// * `combine` is commutative and associative, as exactly as [`Monoid::LAW`] says;
/// * an absorbing value absorbs every other one;
/// * [`Monoid::NATIVE`], if it is used, computes the same.
///
/// Give a few dozen values that differ much: small and large, equal ones, the ends of the range.
/// Of more than 48 different values, 48 are taken. O(samples³).
///
/// Where the law is [`Law::Rounded`], numbers and arrays of up to eight numbers count as equal
/// within 1e-4. Of other types only [`laws_within`] tests whether `combine` is associative.
///
/// ```
/// use pregel_core::prelude::*;
/// use pregel_core::program::Law;
///
/// pregel_testing::laws::<Max<i32>>(&[-5, 0, 1, 7, i32::MIN, i32::MAX])?;
///
/// /// The larger number, with an identity that is wrong for negative numbers.
/// #[derive(Clone, Copy)]
/// struct Larger;
/// impl Monoid for Larger {
///     type Value = i32;
///     const LAW: Law = Law::Exact;
///     fn identity() -> i32 {
///         0
///     }
///     fn combine(a: i32, b: i32) -> i32 {
///         a.max(b)
///     }
/// }
/// let broken = pregel_testing::laws::<Larger>(&[3, 1, -2]).unwrap_err();
/// assert_eq!(broken.law(), "combine(identity, a) == a");
/// # Ok::<(), pregel_testing::BrokenLaw>(())
/// ```
///
/// # Errors
/// The first law that is broken, with the simplest of the samples that break it.
pub fn laws<M: Monoid<Value: Debug>>(samples: &[M::Value]) -> Result<(), BrokenLaw> {
    Combination::of::<M>().test(samples, None)
}

/// As [`laws`], with a function that says when two values count as equal up to rounding.
///
/// # Errors
/// As [`laws`].
pub fn laws_within<M: Monoid<Value: Debug>>(
    samples: &[M::Value],
    near: Same<M::Value>,
) -> Result<(), BrokenLaw> {
    Combination::of::<M>().test(samples, Some(near))
}

/// A law of monoids that a combination breaks.
#[derive(Clone, PartialEq, Eq)]
pub struct BrokenLaw {
    name: &'static str,
    law: &'static str,
    example: String,
}

impl BrokenLaw {
    /// The law, as an equation.
    pub fn law(&self) -> &'static str {
        self.law
    }

    /// What to do about it.
    fn remedy(&self) -> &'static str {
        match self.law {
            IDENTITY | IDENTITY_RIGHT => {
                "the identity must change nothing: 0 for a sum, the largest value for a minimum"
            }
            COMMUTATIVE => {
                "messages arrive in any order. Use `Law::Arbitrary` if any of them will do, a \
                 rule for ties, or a message list"
            }
            ASSOCIATIVE => {
                "engines combine in any grouping. Use `Law::Rounded` if only rounding differs, \
                 or a message list"
            }
            ABSORBING => "`absorbing` must say true only of values that nothing can change",
            CHOICE => "with `Law::Arbitrary` the result must be one of the operands",
            _ => "`NATIVE` must name what `combine` does, or be `None`",
        }
    }
}

impl fmt::Display for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, law, example } = self;
        write!(f, "{name} breaks the law {law}:\n{example}{}", self.remedy())
    }
}

impl Debug for BrokenLaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error for BrokenLaw {}

const IDENTITY: &str = "combine(identity, a) == a";
const IDENTITY_RIGHT: &str = "combine(a, identity) == a";
const COMMUTATIVE: &str = "combine(a, b) == combine(b, a)";
const ASSOCIATIVE: &str = "combine(combine(a, b), c) == combine(a, combine(b, c))";
const ABSORBING: &str = "absorbing(a) implies combine(a, b) == a";
const CHOICE: &str = "combine(a, b) is a or b";
const NATIVE: &str = "combine(a, b) is what NATIVE computes";

/// A way to combine values, of a monoid or of a combiner.
pub(crate) struct Combination<V> {
    name: &'static str,
    law: Law,
    native: Option<Native>,
    identity: V,
    combine: fn(V, V) -> V,
    absorbing: fn(&V) -> bool,
}

impl<V: Value + Debug> Combination<V> {
    /// Of a monoid.
    pub(crate) fn of<M: Monoid<Value = V>>() -> Self {
        Self {
            name: type_name::<M>(),
            law: M::LAW,
            native: M::MERGE_NATIVE,
            identity: M::identity(),
            combine: M::combine,
            absorbing: M::absorbing,
        }
    }

    /// Of a combiner, unless it keeps all messages.
    pub(crate) fn of_delivery<D: Delivery<Message = V>>() -> Option<Self> {
        D::COMBINES.then(|| Self {
            name: type_name::<D>(),
            law: D::MERGE_LAW,
            native: D::MERGE_NATIVE,
            identity: D::neutral(),
            combine: D::merge,
            absorbing: D::settled,
        })
    }

    /// Tests all laws.
    pub(crate) fn test(&self, samples: &[V], near: Option<Same<V>>) -> Result<(), BrokenLaw> {
        let samples = self.choose(samples);
        let pairs = || samples.iter().flat_map(|a| samples.iter().map(move |b| (*a, *b)));
        if self.law == Law::Arbitrary {
            return pairs().try_for_each(|(a, b)| self.choice(a, b));
        }
        let same = match (self.law, near) {
            (Law::Rounded, Some(near)) => near,
            (Law::Rounded, None) => nearly_same,
            _ => same_value,
        };
        samples.iter().try_for_each(|a| self.identity(*a, same))?;
        pairs().try_for_each(|(a, b)| self.of_pair(a, b, same))?;
        if self.law == Law::Rounded && near.is_none() && !is_float::<V>() {
            return Ok(());
        }
        pairs()
            .try_for_each(|(a, b)| samples.iter().try_for_each(|c| self.of_three(a, b, *c, same)))
    }

    /// Different samples, the simplest first: those with the fewest bits set, then the smallest.
    fn choose(&self, samples: &[V]) -> Vec<V> {
        let bytes = |value: &V| bytemuck::bytes_of(value).to_vec();
        let simplicity = |value: &V| {
            let bytes = bytes(value);
            (bytes.iter().map(|byte| byte.count_ones()).sum::<u32>(), bytes)
        };
        let mut chosen = samples.to_vec();
        chosen.sort_by_cached_key(simplicity);
        chosen.dedup_by_key(|value| bytes(value));
        let step = chosen.len().div_ceil(SAMPLES).max(1);
        let mut chosen: Vec<V> = chosen.into_iter().step_by(step).collect();
        if !chosen.iter().any(|value| same_bytes(value, &self.identity)) {
            chosen.push(self.identity);
        }
        chosen
    }

    fn identity(&self, a: V, same: Same<V>) -> Result<(), BrokenLaw> {
        let identity = self.identity;
        for (law, result) in
            [(IDENTITY, (self.combine)(identity, a)), (IDENTITY_RIGHT, (self.combine)(a, identity))]
        {
            if !same(&result, &a) {
                return self.broken(law, &[("identity", identity), ("a", a), ("result", result)]);
            }
        }
        Ok(())
    }

    fn of_pair(&self, a: V, b: V, same: Same<V>) -> Result<(), BrokenLaw> {
        let (ab, ba) = ((self.combine)(a, b), (self.combine)(b, a));
        if !same(&ab, &ba) {
            let example = [("a", a), ("b", b), ("combine(a, b)", ab), ("combine(b, a)", ba)];
            return self.broken(COMMUTATIVE, &example);
        }
        if (self.absorbing)(&a) && !same(&ab, &a) {
            return self.broken(ABSORBING, &[("a", a), ("b", b), ("combine(a, b)", ab)]);
        }
        match self.native.map(|native| compute_native(native, a, b)) {
            Some(native) if !same(&native, &ab) => {
                let example = [("a", a), ("b", b), ("combine(a, b)", ab), ("NATIVE", native)];
                self.broken(NATIVE, &example)
            }
            _ => Ok(()),
        }
    }

    fn of_three(&self, a: V, b: V, c: V, same: Same<V>) -> Result<(), BrokenLaw> {
        let left = (self.combine)((self.combine)(a, b), c);
        let right = (self.combine)(a, (self.combine)(b, c));
        if same(&left, &right) {
            return Ok(());
        }
        let example = [
            ("a", a),
            ("b", b),
            ("c", c),
            ("combine(combine(a, b), c)", left),
            ("combine(a, combine(b, c))", right),
        ];
        self.broken(ASSOCIATIVE, &example)
    }

    fn choice(&self, a: V, b: V) -> Result<(), BrokenLaw> {
        let result = (self.combine)(a, b);
        if same_value(&result, &a) || same_value(&result, &b) {
            return Ok(());
        }
        self.broken(CHOICE, &[("a", a), ("b", b), ("combine(a, b)", result)])
    }

    fn broken(&self, law: &'static str, example: &[(&str, V)]) -> Result<(), BrokenLaw> {
        let lines = example.iter().map(|(what, value)| format!("  {what} = {value:?}\n"));
        Err(BrokenLaw { name: self.name, law, example: lines.collect() })
    }
}

/// What hardware computes. The values have the layout of the native number.
fn compute_native<V: Value>(native: Native, a: V, b: V) -> V {
    macro_rules! on {
        ($t:ty, $or:expr) => {{
            let [a, b] =
                [a, b].map(|value| bytemuck::pod_read_unaligned(bytemuck::bytes_of(&value)));
            let or: fn($t, $t) -> $t = $or;
            let result: $t = match native.operation {
                Operation::Add => Number::plus(a, b),
                Operation::Min => Number::lesser(a, b),
                Operation::Max => Number::greater(a, b),
                _ => or(a, b),
            };
            bytemuck::pod_read_unaligned(bytemuck::bytes_of(&result))
        }};
    }
    match native.kind {
        Kind::I32 => on!(i32, |a, b| a | b),
        Kind::I64 => on!(i64, |a, b| a | b),
        Kind::U32 => on!(u32, |a, b| a | b),
        Kind::U64 => on!(u64, |a, b| a | b),
        // Bits of floats are never combined.
        Kind::F32 => on!(f32, |a, _| a),
        Kind::F64 => on!(f64, |a, _| a),
        _ => a,
    }
}
