//! Fields of a line, parsed in place.

use super::{LineError, shown};

/// What a byte means outside of a field; 0 inside of one.
const BLANK: u8 = 1;
const LINE_END: u8 = 2;
const COMMA: u8 = 3;
const CLASS: [u8; 256] = {
    let mut class = [0; 256];
    class[b' ' as usize] = BLANK;
    class[b'\t' as usize] = BLANK;
    class[b',' as usize] = COMMA;
    class[b';' as usize] = COMMA;
    class[b'\n' as usize] = LINE_END;
    class[b'\r' as usize] = LINE_END;
    class
};

/// The powers of ten that `f32` holds exactly.
const TENS: [f32; 11] = [1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10];

/// A place in a text, moved from field to field. Fields are separated by
/// blanks (spaces and tabs, any number of them), or by one comma or semicolon
/// and blanks around it.
pub(in crate::io) struct Cursor<'a> {
    bytes: &'a [u8],
    pub at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// The next byte; a line feed at the end of the text.
    #[inline(always)]
    pub fn peek(&self) -> u8 {
        self.bytes.get(self.at).copied().unwrap_or(b'\n')
    }

    /// Moves over spaces and tabs.
    #[inline(always)]
    pub fn skip_blanks(&mut self) {
        while CLASS[self.peek() as usize] == BLANK {
            self.at += 1;
        }
    }

    /// Moves over what separates two fields.
    #[inline(always)]
    fn skip_separator(&mut self) {
        self.skip_blanks();
        if CLASS[self.peek() as usize] == COMMA {
            self.at += 1;
            self.skip_blanks();
        }
    }

    /// Where the next field begins that is not empty, or the line ends.
    fn next_field(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let separates = |byte: &u8| matches!(CLASS[*byte as usize], BLANK | COMMA);
        self.at + rest.iter().take_while(|byte| separates(byte)).count()
    }

    /// Whether the line begins with an empty field, before a comma.
    pub fn at_empty_field(&self) -> bool {
        CLASS[self.peek() as usize] == COMMA
    }

    /// Moves past the end of the line and ignores what is before it.
    pub fn skip_line(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
    }

    /// Whether only separators are left on the line; moves over them.
    #[inline(always)]
    pub fn at_line_end(&mut self) -> bool {
        self.skip_blanks();
        match CLASS[self.peek() as usize] {
            COMMA => self.only_empty_fields(),
            class => class == LINE_END,
        }
    }

    #[cold]
    fn only_empty_fields(&mut self) -> bool {
        let next = self.next_field();
        let end = self.bytes.get(next).is_none_or(|byte| CLASS[*byte as usize] == LINE_END);
        if end {
            self.at = next;
        }
        end
    }

    /// Moves past the end of the line, before which only separators are
    /// allowed.
    #[inline(always)]
    pub fn end_line(&mut self) -> Result<(), LineError> {
        self.skip_blanks();
        if self.peek() == b'\n' {
            self.at += 1;
            return Ok(());
        }
        self.end_line_slow()
    }

    #[cold]
    fn end_line_slow(&mut self) -> Result<(), LineError> {
        if !self.at_line_end() {
            return Err(LineError::Trailing { found: self.found() });
        }
        if self.peek() == b'\r' {
            self.at += 1;
        }
        if self.peek() != b'\n' {
            return Err(LineError::CarriageReturn);
        }
        self.at += 1;
        Ok(())
    }

    /// Moves past a line that is blank or a comment (`#`, `%`, `//`).
    #[cold]
    pub fn skip_comment(&mut self) -> Result<bool, LineError> {
        let next = self.bytes.get(self.at + 1);
        match (self.peek(), next) {
            (b'#' | b'%', _) | (b'/', Some(b'/')) => self.skip_line(),
            (b'\n' | b'\r', _) => self.end_line()?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Moves past the remaining fields and the end of the line.
    #[inline(always)]
    pub fn skip_fields(&mut self) -> Result<(), LineError> {
        if self.at_line_end() { self.end_line() } else { self.skip_fields_slow() }
    }

    #[cold]
    fn skip_fields_slow(&mut self) -> Result<(), LineError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        self.at += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
        self.end_line()
    }

    /// [`skip_fields`](Self::skip_fields) of a table; with `quotes`, a quoted
    /// field may go on in the next line.
    ///
    /// # Errors
    /// [`LineError::Quote`] where it does.
    #[inline(always)]
    pub fn skip_columns(&mut self, quotes: bool) -> Result<(), LineError> {
        if self.at_line_end() {
            return self.end_line();
        }
        let from = self.at;
        self.skip_fields_slow()?;
        if quotes { self.check_quotes(from) } else { Ok(()) }
    }

    #[cold]
    fn check_quotes(&self, from: usize) -> Result<(), LineError> {
        let skipped = self.bytes.get(from..self.at).unwrap_or_default();
        if memchr::memchr_iter(b'"', skipped).count() % 2 == 1 {
            return Err(LineError::Quote { found: shown(skipped.trim_ascii()) });
        }
        Ok(())
    }

    /// Moves past the end of the line; returns the line without blanks around
    /// it.
    pub fn line(&mut self) -> &'a [u8] {
        let from = self.at;
        self.skip_line();
        self.bytes.get(from..self.at).unwrap_or_default().trim_ascii()
    }

    /// The field at the cursor, without moving.
    pub fn field(&self) -> &'a [u8] {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|byte| CLASS[*byte as usize] != 0);
        &rest[..length.unwrap_or(rest.len())]
    }

    /// The next field as an error message shows it.
    pub fn found(&self) -> String {
        shown(Self::new(self.bytes, self.next_field()).field())
    }

    /// Reads an unsigned integer that fills its field.
    #[inline(always)]
    pub fn integer(&mut self, expected: &'static str) -> Result<u64, LineError> {
        self.skip_separator();
        let start = self.at;
        let value = self.digits();
        if value.is_some() && self.at > start && CLASS[self.peek() as usize] != 0 {
            return Ok(value.unwrap_or(0));
        }
        self.at = start;
        Err(self.not_an_integer(expected))
    }

    /// Reads an integer from 1 to `last` and counts it from 0.
    #[inline(always)]
    pub fn integer_to(&mut self, last: u64, expected: &'static str) -> Result<u32, LineError> {
        let found = self.integer(expected)?;
        if found == 0 || found > last {
            return Err(LineError::OutOfRange { first: 1, last, found });
        }
        Ok((found - 1) as u32)
    }

    /// Moves past the next field of the line, if there is one.
    pub fn skip_field(&mut self) {
        self.skip_separator();
        self.at += self.field().len();
    }

    #[cold]
    fn not_an_integer(&self, expected: &'static str) -> LineError {
        let field = self.field();
        let digits = |text: &[u8]| !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        let found = self.found();
        match field {
            [] if self.at_empty_field() => LineError::EmptyField { expected },
            [] => self.missing(LineError::Missing { expected }),
            [b'-', rest @ ..] if digits(rest) => LineError::Negative { expected, found },
            _ if digits(field) => LineError::TooLarge { expected, found },
            _ => LineError::NotAnInteger { expected, found },
        }
    }

    /// The error for a missing field.
    fn missing(&self, error: LineError) -> LineError {
        match (self.peek(), self.bytes.get(self.at + 1)) {
            (b'\r', Some(next)) if *next != b'\n' => LineError::CarriageReturn,
            _ => error,
        }
    }

    /// Reads digits, eight at a time where the text is long enough; `None` if
    /// the value exceeds 64 bits. Without digits the cursor does not move.
    #[inline(always)]
    fn digits(&mut self) -> Option<u64> {
        if let Some(word) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk::<8>) {
            let (value, count) = eight_digits(u64::from_le_bytes(*word));
            self.at += count;
            if count < 8 {
                return Some(value);
            }
            return self.more_digits(value);
        }
        self.more_digits(0)
    }

    #[inline]
    fn more_digits(&mut self, mut value: u64) -> Option<u64> {
        loop {
            let digit = self.peek().wrapping_sub(b'0');
            if digit > 9 {
                return Some(value);
            }
            value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
            self.at += 1;
        }
    }

    /// Reads a finite number: digits with a point or an exponent.
    ///
    /// Up to 10 digits after the point and a mantissa below 2^24 need one
    /// exact division (Clinger, "How to read floating point numbers
    /// accurately", 1990); everything else is left to the standard library.
    #[inline(always)]
    pub fn weight(&mut self) -> Result<f32, LineError> {
        self.skip_separator();
        let start = self.at;
        if let Some(whole) = self.digits()
            && self.at > start
        {
            if CLASS[self.peek() as usize] != 0 && whole < 1 << 24 {
                return Ok(whole as f32);
            }
            if self.peek() == b'.' && whole < 1 << 24 {
                self.at += 1;
                let point = self.at;
                let mantissa = self.more_digits(whole);
                let places = self.at - point;
                if let Some(mantissa) = mantissa.filter(|mantissa| *mantissa < 1 << 24)
                    && (1..TENS.len()).contains(&places)
                    && CLASS[self.peek() as usize] != 0
                {
                    return Ok(mantissa as f32 / TENS[places]);
                }
            }
        }
        self.at = start;
        self.any_weight()
    }

    #[cold]
    fn any_weight(&mut self) -> Result<f32, LineError> {
        let field = self.field();
        if field.is_empty() && self.at_empty_field() {
            return Err(LineError::EmptyField { expected: "a weight" });
        }
        if field.is_empty() {
            return Err(self.missing(LineError::MissingWeight));
        }
        let parsed = std::str::from_utf8(field).ok().and_then(|text| text.parse::<f32>().ok());
        match parsed {
            Some(weight) if weight.is_finite() => {
                self.at += field.len();
                Ok(weight)
            }
            Some(_) => Err(LineError::NotFinite { found: self.found() }),
            None => Err(LineError::NotANumber { found: self.found() }),
        }
    }
}

/// The value and the number of the digits at the beginning of eight bytes, the
/// first of which is the lowest byte.
///
/// A byte that is not a digit sets its top bit in `other`; the digits before it
/// are moved to the top of the word, with zeros below, and added up in pairs.
#[inline(always)]
fn eight_digits(word: u64) -> (u64, usize) {
    let digits = word ^ 0x3030_3030_3030_3030;
    let other = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let count = (other.trailing_zeros() / 8) as usize;
    if count == 0 {
        return (0, 0);
    }
    let digits = digits << (64 - 8 * count);
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8) & 0x00FF_00FF_00FF_00FF;
    let fours = pairs.wrapping_mul(100).wrapping_add(pairs >> 16) & 0x0000_FFFF_0000_FFFF;
    let value = fours.wrapping_mul(10_000).wrapping_add(fours >> 32) & 0xFFFF_FFFF;
    (value, count)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn digits_stop_at_anything_else() {
        assert_eq!(eight_digits(u64::from_le_bytes(*b"12345678")), (12_345_678, 8));
        assert_eq!(eight_digits(u64::from_le_bytes(*b"7 345678")), (7, 1));
        assert_eq!(eight_digits(u64::from_le_bytes(*b"\n2345678")), (0, 0));
        for other in (0..=255u8).filter(|byte| !byte.is_ascii_digit()) {
            let word = [b'1', b'2', b'9', other, b'4', 0xFF, b'0', 0];
            assert_eq!(eight_digits(u64::from_le_bytes(word)), (129, 3), "{other}");
        }
    }

    #[test]
    fn integers_at_the_limit() {
        let read = |text: &str| Cursor::new(text.as_bytes(), 0).integer("an id");
        assert_eq!(read("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(read("0000000000000000000000012 "), Ok(12));
        assert!(matches!(read("18446744073709551616"), Err(LineError::TooLarge { .. })));
        assert!(matches!(read("-3"), Err(LineError::Negative { .. })));
        assert!(matches!(read("12a"), Err(LineError::NotAnInteger { .. })));
        assert!(matches!(read("  \r\n"), Err(LineError::Missing { .. })));
    }

    proptest! {
        #[test]
        fn integers_as_the_standard_library_reads_them(value: u64, pad in 0usize..12) {
            let text = format!("{value}{}", " ".repeat(pad));
            let mut cursor = Cursor::new(text.as_bytes(), 0);
            prop_assert_eq!(cursor.integer("an id"), Ok(value));
            prop_assert_eq!(cursor.at, text.len() - pad);
        }

        #[test]
        fn weights_as_the_standard_library_reads_them(text in "-?[0-9]{1,9}(\\.[0-9]{0,12})?([eE][+-]?[0-9]{1,2})?") {
            let expected: f32 = text.parse().unwrap();
            let read = Cursor::new(text.as_bytes(), 0).weight();
            if expected.is_finite() {
                prop_assert_eq!(read.map(f32::to_bits), Ok(expected.to_bits()));
            } else {
                prop_assert!(matches!(read, Err(LineError::NotFinite { .. })), "{:?}", read);
            }
        }
    }
}
