//! Comparing states and reports.

use std::any::TypeId;
use std::fmt::Debug;

use pregel_core::engine::{Report, RunOptions, Strategy};
use pregel_core::program::{Delivery, Law, Message, Monoid, Program, Value};

/// Whether two values count as the same.
pub type Same<V> = fn(&V, &V) -> bool;

/// How far apart two rounded numbers may be, as a part of the larger one, if a test says
/// nothing else. Sums of a few thousand `f32` stay within it.
const RELATIVE: f64 = 1e-4;

/// Whether the bytes of two values are equal.
pub fn same_bytes<V: Value>(a: &V, b: &V) -> bool {
    bytemuck::bytes_of(a) == bytemuck::bytes_of(b)
}

/// Whether two values are equal, all NaNs being one value. For values that are floats or
/// arrays of up to eight floats; others are compared byte by byte.
pub fn same_value<V: Value>(a: &V, b: &V) -> bool {
    match (floats(a), floats(b)) {
        (Some(a), Some(b)) => {
            let same =
                |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
            a.iter().zip(&b).all(same)
        }
        _ => same_bytes(a, b),
    }
}

/// Whether two values are equal up to rounding: floats and arrays of up to eight floats to
/// 1e-4 of the larger one, others byte by byte.
pub fn nearly_same<V: Value>(a: &V, b: &V) -> bool {
    match (floats(a), floats(b)) {
        (Some(a), Some(b)) => a.iter().zip(&b).all(|(a, b)| near(*a, *b)),
        _ => same_bytes(a, b),
    }
}

fn near(a: f64, b: f64) -> bool {
    a == b || a.is_nan() && b.is_nan() || (a - b).abs() <= RELATIVE * a.abs().max(b.abs())
}

/// Whether values of this type are floats or short arrays of them.
pub(crate) fn is_float<V: Value>() -> bool {
    floats(&V::zeroed()).is_some()
}

/// The floats that a value consists of, if its type is known to be made of floats.
fn floats<V: Value>(value: &V) -> Option<Vec<f64>> {
    let bytes = bytemuck::bytes_of(value);
    let numbers_f32 = || {
        let numbers = bytes.chunks_exact(4).map(bytemuck::pod_read_unaligned::<f32>);
        numbers.map(f64::from).collect()
    };
    let numbers_f64 = || bytes.chunks_exact(8).map(bytemuck::pod_read_unaligned::<f64>).collect();
    let id = TypeId::of::<V>();
    macro_rules! among {
        ($($t:ty),+) => { [$(TypeId::of::<$t>()),+].contains(&id) };
    }
    if among!(f32, [f32; 1], [f32; 2], [f32; 3], [f32; 4], [f32; 5], [f32; 6], [f32; 7], [f32; 8]) {
        Some(numbers_f32())
    } else if among!(
        f64, [f64; 1], [f64; 2], [f64; 3], [f64; 4], [f64; 5], [f64; 6], [f64; 7], [f64; 8]
    ) {
        Some(numbers_f64())
    } else {
        None
    }
}

/// Whether the order in which an engine combines messages or contributions can show in the
/// states of a program.
pub fn is_rounded<P: Program>() -> bool {
    let law = |law, size| law == Law::Rounded && size != 0;
    law(P::Combiner::MERGE_LAW, size_of::<Message<P>>())
        || law(P::Aggregate::LAW, size_of::<<P::Aggregate as Monoid>::Value>())
}

/// Whether it matters to a program which of several messages it is given.
pub fn is_arbitrary<P: Program>() -> bool {
    P::Combiner::MERGE_LAW == Law::Arbitrary && size_of::<Message<P>>() != 0
}

/// Whether an engine may refuse to run a program with these options. Message lists can be
/// neither pushed nor pulled, since they are not combined. And a deterministic run cannot
/// push if the order of combining shows, because pushed messages are combined in any order.
pub fn may_refuse<P: Program>(options: &RunOptions) -> bool {
    let order_shows = P::Combiner::MERGE_LAW != Law::Exact && size_of::<Message<P>>() != 0;
    match options.strategy {
        Strategy::Push => !P::Combiner::COMBINES || options.deterministic && order_shows,
        Strategy::Pull => !P::Combiner::COMBINES,
        _ => false,
    }
}

/// The number, active vertices and messages of each superstep.
pub fn course(report: &Report) -> Vec<[u64; 3]> {
    report.steps.iter().map(|s| [u64::from(s.superstep), s.active, s.messages]).collect()
}

/// The reports agree: the supersteps, the active vertices and messages of each, and
/// the stop reason. A monotone program may take another course if the engine chooses
/// the strategy.
///
/// # Errors
/// Says what differs.
pub fn same_course<P: Program>(
    strategy: Strategy,
    found: &Report,
    expected: &Report,
) -> Result<(), String> {
    if P::MONOTONE && strategy == Strategy::Auto {
        return Ok(());
    }
    same("[superstep, active, messages]", &course(found), &course(expected))?;
    same("supersteps", &found.supersteps, &expected.supersteps)?;
    same("stop reason", &found.stop, &expected.stop)
}

/// Compares two values.
///
/// # Errors
/// A message with both values, if they differ.
pub fn same<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected {
        Ok(())
    } else {
        Err(format!("{what}: found {found:?}, expected {expected:?}"))
    }
}
