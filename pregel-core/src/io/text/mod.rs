//! Text formats: lines of fields, split among all cores.

pub(super) mod dimacs;
pub(super) mod edge_list;
mod fields;
pub(super) mod matrix_market;
pub(super) mod metis;
mod names;
mod rows;
mod tokenizer;

use std::path::Path;

use super::input::Input;
use super::{LineError, LoadError};

#[cfg(feature = "parquet")]
pub(super) use names::NameTable;
pub(super) use rows::{Pair, Row, Rows, parse_rows};
pub(super) use tokenizer::Cursor;

/// How much of a file is searched for NUL bytes, in bytes.
const PROBE: usize = 8 << 10;

/// The text of a file.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub path: &'a Path,
    /// Without the byte order mark.
    pub bytes: &'a [u8],
}

/// What is wrong, and where: anywhere on the wrong line.
#[derive(Debug)]
pub(super) struct Fault {
    pub at: usize,
    pub problem: LineError,
}

impl<'a> Text<'a> {
    /// Drops a byte order mark and refuses what is no text of 8-bit units.
    pub fn new(input: &'a Input<'_>, expected: &'static str) -> Result<Self, LoadError> {
        let bytes = &input.bytes[..];
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let head = &bytes[..bytes.len().min(PROBE)];
        let utf_16 = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
        if utf_16 || memchr::memchr(0, head).is_some() {
            return Err(LoadError::Binary { path: input.path.clone(), expected });
        }
        Ok(Self { path: &input.path, bytes })
    }

    /// The error of a fault; counts the lines up to it.
    pub fn error(&self, fault: Fault) -> LoadError {
        let line = self.line_of(fault.at);
        LoadError::Line { path: self.path.to_owned(), line, problem: fault.problem }
    }

    /// The number of the line that holds byte `at`, from 1.
    pub fn line_of(&self, at: usize) -> u64 {
        let before = &self.bytes[..at.min(self.bytes.len())];
        memchr::memchr_iter(b'\n', before).count() as u64 + 1
    }

    /// The lines from byte `at` on, each with the place where it begins,
    /// without line ends and blanks around.
    pub fn lines(&self, at: usize) -> impl Iterator<Item = (usize, &'a [u8])> + use<'a> {
        let bytes = self.bytes;
        let mut next = at;
        std::iter::from_fn(move || {
            let rest = bytes.get(next..).filter(|rest| !rest.is_empty())?;
            let length = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
            let start = next;
            next += length;
            Some((start, rest[..length].trim_ascii()))
        })
    }

    /// The error of a file without a single edge.
    pub fn empty(&self, expected: &'static str) -> LoadError {
        LoadError::Empty { path: self.path.to_owned(), expected }
    }
}

/// The fields of a header line.
pub(super) fn fields(line: &[u8]) -> Vec<&[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()).collect()
}

/// A field as an unsigned integer.
pub(super) fn number(field: &[u8]) -> Option<u64> {
    if !field.first()?.is_ascii_digit() {
        return None;
    }
    std::str::from_utf8(field).ok()?.parse().ok()
}

/// Bytes of a file as an error message shows them: at most 40 characters.
pub(super) fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(160)]);
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}
