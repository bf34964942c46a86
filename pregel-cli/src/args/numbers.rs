//! Numbers that options take, with messages that say what was expected.

use std::num::{NonZeroU32, NonZeroUsize};
use std::str::FromStr;
use std::time::Duration;

/// From 0 to 1.
pub fn fraction(text: &str) -> Result<f64, String> {
    let number = parsed(text).filter(|x| (0.0..=1.0).contains(x));
    number.ok_or_else(|| "expected a number from 0 to 1".into())
}

/// From 0.
pub fn not_negative(text: &str) -> Result<f64, String> {
    let number = parsed(text).filter(|x: &f64| *x >= 0.0 && x.is_finite());
    number.ok_or_else(|| "expected a number that is not negative".into())
}

/// Above 0.
pub fn positive(text: &str) -> Result<f32, String> {
    let number = parsed(text).filter(|x: &f32| *x > 0.0 && x.is_finite());
    number.ok_or_else(|| "expected a number greater than 0".into())
}

/// A whole number from 0.
pub fn whole(text: &str) -> Result<u32, String> {
    parsed(text).ok_or_else(|| format!("expected a whole number from 0 to {}", u32::MAX))
}

/// A whole number from 1.
pub fn count(text: &str) -> Result<NonZeroUsize, String> {
    parsed(text).ok_or_else(|| "expected a whole number from 1".into())
}

/// A number of supersteps, at least 1.
pub fn supersteps(text: &str) -> Result<NonZeroU32, String> {
    parsed(text).ok_or_else(|| format!("expected a whole number from 1 to {}", u32::MAX))
}

/// Seconds, above 0.
pub fn seconds(text: &str) -> Result<Duration, String> {
    let time = parsed(text).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| "expected a number of seconds greater than 0".into())
}

/// The most threads that may be asked for; each takes memory, and an accidental zero
/// should not start tens of thousands.
const MOST_THREADS: usize = 4096;

/// A number of threads.
pub fn threads(text: &str) -> Result<NonZeroUsize, String> {
    let number = parsed(text).filter(|n: &NonZeroUsize| n.get() <= MOST_THREADS);
    number.ok_or_else(|| format!("expected a whole number from 1 to {MOST_THREADS}"))
}

/// Bytes: `500000`, `64M`, `4G`.
pub fn size(text: &str) -> Result<u64, String> {
    let text = text.to_ascii_uppercase();
    let (digits, shift) = [("K", 10), ("M", 20), ("G", 30), ("T", 40)]
        .iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))
        .unwrap_or((&text, 0));
    let bytes = digits.parse::<u64>().ok().and_then(|n| n.checked_mul(1 << shift));
    bytes.ok_or_else(|| "expected a size such as 500000, 64M or 4G".into())
}

fn parsed<T: FromStr>(text: &str) -> Option<T> {
    text.parse().ok()
}
