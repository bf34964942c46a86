//! Decimal numbers that can be compared, hashed and written as they were read.

use std::fmt;

/// A number of at least 0 in billionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Decimal(u64);

impl Decimal {
    /// Digits behind the point, at most.
    pub(super) const PLACES: usize = 9;
    /// Billionths in 1.
    pub(super) const ONE: u64 = 1_000_000_000;

    pub(super) const fn from_billionths(billionths: u64) -> Self {
        Self(billionths)
    }

    pub(super) fn billionths(self) -> u64 {
        self.0
    }

    /// The nearest double: a division of two integers, which IEEE 754 rounds in one way.
    pub(super) fn value(self) -> f64 {
        self.0 as f64 / Self::ONE as f64
    }

    /// Reads digits, with or without a point among them; no sign and no exponent.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let empty = whole.is_empty() && fraction.is_empty();
        if empty || !digits(whole) || !digits(fraction) || fraction.len() > Self::PLACES {
            return None;
        }
        let number = |digits: &str| if digits.is_empty() { Ok(0) } else { digits.parse::<u64>() };
        let places = (Self::PLACES - fraction.len()) as u32;
        let fraction = number(fraction).ok()? * 10u64.pow(places);
        number(whole).ok()?.checked_mul(Self::ONE)?.checked_add(fraction).map(Self)
    }
}

/// Writes as few digits as the number needs.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, fraction) = (self.0 / Self::ONE, self.0 % Self::ONE);
        if fraction == 0 {
            return write!(f, "{whole}");
        }
        let digits = format!("{fraction:09}");
        write!(f, "{whole}.{}", digits.trim_end_matches('0'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_written_as_they_are_read() {
        for text in ["0", "1", "0.57", "0.000000001", "612.6", "18446744073.709551615"] {
            assert_eq!(Decimal::parse(text).map(|x| x.to_string()).as_deref(), Some(text));
        }
        for (text, billionths) in
            [(".5", 500_000_000), ("3.", 3_000_000_000), ("01.50", 1_500_000_000)]
        {
            assert_eq!(Decimal::parse(text), Some(Decimal(billionths)), "{text}");
        }
        assert_eq!(Decimal::parse("612.6").map(Decimal::value), Some(612.6));
    }

    #[test]
    fn other_texts_are_no_decimals() {
        for text in [
            "",
            ".",
            "-1",
            "+1",
            "1e3",
            "NaN",
            "inf",
            "1.0.0",
            "0x1",
            " 1",
            "1,5",
            "٣",
            "0.0000000001",
            "18446744073.709551616",
            "18446744074",
            "99999999999999999999",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
    }
}
