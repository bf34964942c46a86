//! Records of a table: lines cut into fields, quoted ones included.

use std::borrow::Cow;

use super::{Fault, LineError, Text, shown};

/// What separates the fields of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    Tab,
    Comma,
    Semicolon,
    /// Any number of spaces.
    Blanks,
}

/// A field, copied only if it has a quote inside quotes.
pub(super) type Field<'a> = Cow<'a, [u8]>;

impl Separator {
    /// By the first line: a tab if it has one, otherwise a comma, a semicolon
    /// or spaces, in this order. So names may hold spaces where columns do not
    /// end with them. With `quotes`, what is inside quotes does not count.
    pub fn of(line: &[u8], quotes: bool) -> Self {
        let (mut quoted, mut before) = (false, b' ');
        let mut found = Self::Blanks;
        for &byte in line {
            match byte {
                b'"' if quoted => quoted = false,
                b'"' if quotes => quoted = matches!(before, b' ' | b'\t' | b',' | b';'),
                b'\t' if !quoted => found = Self::Tab,
                b',' if !quoted && found != Self::Tab => found = Self::Comma,
                b';' if !quoted && found == Self::Blanks => found = Self::Semicolon,
                _ => {}
            }
            before = byte;
        }
        // A quote that nothing closes is a quote.
        if quoted { Self::of(line, false) } else { found }
    }

    fn byte(self) -> u8 {
        match self {
            Self::Tab => b'\t',
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Blanks => b' ',
        }
    }

    /// Whether a quoted field may hold line ends, and a quote at the beginning
    /// of a field is wrong where no other closes it. Files with tabs or spaces
    /// have such quotes in plain text.
    pub fn quotes_span_lines(self) -> bool {
        matches!(self, Self::Comma | Self::Semicolon)
    }

    /// Cuts a line without quoted fields; blanks around a field are dropped.
    pub fn split<'a>(self, line: &'a [u8], fields: &mut Vec<Field<'a>>) {
        let parts = line.split(|byte| *byte == self.byte()).map(<[u8]>::trim_ascii);
        let empty = self == Self::Blanks;
        fields.extend(parts.filter(|field| !empty || !field.is_empty()).map(Cow::Borrowed));
    }

    /// Whether a field of the line begins with a quote.
    fn has_quotes(self, line: &[u8]) -> bool {
        memchr::memchr(b'"', line).is_some()
            && line.split(|byte| *byte == self.byte()).any(|field| {
                let field = field.trim_ascii_start();
                field.first() == Some(&b'"')
            })
    }

    /// Cuts a record with quoted fields, as RFC 4180 writes them: quotes stand
    /// around the whole field, a quote inside is doubled. `None` for a quote
    /// that is not closed, or closed in the middle of a field.
    fn split_quoted<'a>(self, record: &'a [u8], fields: &mut Vec<Field<'a>>) -> Option<()> {
        let mut rest = record;
        loop {
            rest = self.skip_blanks(rest);
            let after = if let Some(quoted) = rest.strip_prefix(b"\"") {
                let (field, after) = unquote(quoted)?;
                fields.push(field);
                // Between fields a blank that separates them must stay.
                if self == Self::Blanks { after } else { self.skip_blanks(after) }
            } else {
                let end = memchr::memchr(self.byte(), rest).unwrap_or(rest.len());
                let (field, after) = rest.split_at(end);
                fields.push(Cow::Borrowed(field.trim_ascii()));
                after
            };
            rest = match after {
                [] => return Some(()),
                [next, after @ ..] if *next == self.byte() => after,
                _ => return None,
            };
        }
    }

    fn skip_blanks(self, bytes: &[u8]) -> &[u8] {
        let blank = |byte: &u8| *byte == b' ' || *byte == b'\t' && self != Self::Tab;
        let count = bytes.iter().take_while(|byte| blank(byte)).count();
        &bytes[count..]
    }
}

/// The field behind an opening quote, and what follows the closing one.
fn unquote(bytes: &[u8]) -> Option<(Field<'_>, &[u8])> {
    let (mut end, mut doubled) = (0, false);
    loop {
        end += memchr::memchr(b'"', &bytes[end..])?;
        if bytes.get(end + 1) != Some(&b'"') {
            break;
        }
        doubled = true;
        end += 2;
    }
    let (field, after) = (&bytes[..end], &bytes[end + 1..]);
    if !doubled {
        return Some((Cow::Borrowed(field), after));
    }
    let mut plain = Vec::with_capacity(field.len());
    for (i, part) in field.split(|byte| *byte == b'"').enumerate() {
        // A doubled quote leaves an empty part between its halves.
        if i % 2 == 1 {
            plain.push(b'"');
        }
        plain.extend_from_slice(part);
    }
    Some((Cow::Owned(plain), after))
}

/// Whether a line is blank or a comment.
pub(super) fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || matches!(line[0], b'#' | b'%') || line.starts_with(b"//")
}

/// Reads the records of a text one after the other: lines, or several lines
/// where a quoted field has line ends. Skips comments.
pub(super) struct Records<'a> {
    text: Text<'a>,
    /// Where the next record begins.
    pub at: usize,
    /// That of the first record unless it is given.
    separator: Option<Separator>,
    /// Whether quotes around a field are not part of it.
    quotes: bool,
}

impl<'a> Records<'a> {
    pub fn new(text: &Text<'a>, at: usize, quotes: bool) -> Self {
        Self { text: *text, at, separator: None, quotes }
    }

    /// Separates all records at this separator.
    pub fn separated(self, separator: Separator) -> Self {
        Self { separator: Some(separator), ..self }
    }

    /// Reads the fields of the next record; returns where it begins.
    pub fn read(&mut self, fields: &mut Vec<Field<'a>>) -> Result<Option<usize>, Fault> {
        fields.clear();
        let bytes = self.text.bytes;
        while self.at < bytes.len() {
            let at = self.at;
            self.at = line_end(bytes, at);
            let line = bytes[at..self.at].trim_ascii();
            if is_comment(line) {
                continue;
            }
            let separator = *self.separator.get_or_insert_with(|| Separator::of(line, self.quotes));
            if !self.quotes || !separator.has_quotes(line) {
                separator.split(line, fields);
                return Ok(Some(at));
            }
            let strict = separator.quotes_span_lines();
            let mut open = strict && count_quotes(line) % 2 == 1;
            while open && self.at < bytes.len() {
                let from = self.at;
                self.at = line_end(bytes, from);
                open ^= count_quotes(&bytes[from..self.at]) % 2 == 1;
            }
            let record = bytes[at..self.at].trim_ascii();
            if separator.split_quoted(record, fields).is_none() {
                if strict {
                    return Err(Fault { at, problem: LineError::Quote { found: shown(line) } });
                }
                fields.clear();
                separator.split(line, fields);
            }
            return Ok(Some(at));
        }
        Ok(None)
    }
}

/// Where the line that holds byte `at` ends, its line feed included.
fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1)
}

fn count_quotes(bytes: &[u8]) -> usize {
    memchr::memchr_iter(b'"', bytes).count()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::Path;

    use super::*;

    fn records(text: &str) -> Result<Vec<Vec<String>>, LineError> {
        let text = Text { path: Path::new("-"), bytes: text.as_bytes() };
        let mut reader = Records::new(&text, 0, true);
        let (mut all, mut fields) = (Vec::new(), Vec::new());
        while reader.read(&mut fields).map_err(|fault| fault.problem)?.is_some() {
            let texts = fields.iter().map(|field| String::from_utf8(field.to_vec()).unwrap());
            all.push(texts.collect());
        }
        Ok(all)
    }

    #[test]
    fn quotes_hold_separators_quotes_and_line_ends() {
        let text = "Bob,\"Carl, Jr.\"\n# no \"record\n\"\"\"x\"\" y\" , z\n\"a\r\nb\",\"\",c d\n";
        let expected: [&[&str]; 3] =
            [&["Bob", "Carl, Jr."], &["\"x\" y", "z"], &["a\r\nb", "", "c d"]];
        assert_eq!(records(text).unwrap(), expected);
        assert_eq!(records("\"a b\"  c \"d\"").unwrap(), [["a b", "c", "d"]]);
        assert_eq!(records("\"a;b\"; c;").unwrap(), [["a;b", "c", ""]]);
        assert_eq!(records("x\t \"a,b\" \ty").unwrap(), [["x", "a,b", "y"]]);
    }

    #[test]
    fn a_quote_inside_a_field_is_itself() {
        assert_eq!(
            records("5\" disk,a\n6\" disk,b").unwrap(),
            [["5\" disk", "a"], ["6\" disk", "b"]]
        );
    }

    #[test]
    fn other_quotes_are_refused() {
        for text in ["a,\"b", "a,\"b\"c", "a,\"b\nc,d\n", "5\" disk,\"a\"\nb,c\n"] {
            assert!(matches!(records(text), Err(LineError::Quote { .. })), "{text:?}");
        }
        // Between tabs or spaces they are text.
        assert_eq!(
            records("\"a\tb\n\"c\" d\t\"e\"").unwrap(),
            [["\"a", "b"], ["\"c\" d", "\"e\""]]
        );
    }
}
