//! What stands before the first edge: comments, perhaps a header line.

use super::EXPECTED;
use crate::io::text::names::Separator;
use crate::io::text::{Fault, Text, number, shown};
use crate::io::{IdKind, LineError, LoadError, LoadOptions, Note, Weights};

/// How the comment begins that heads the edge lists of this project.
pub(in crate::io) const MARK: &str = "# pregel edge list:";
/// The comment that names a range of vertices.
pub(in crate::io) const VERTICES: &str = "# vertices:";
/// The comment that names one vertex.
pub(in crate::io) const VERTEX: &str = "# vertex:";

/// Names of columns that tell a header from names of vertices.
const COLUMNS: &[&str] = &[
    "source",
    "target",
    "src",
    "dst",
    "from",
    "to",
    "id_1",
    "id_2",
    "id1",
    "id2",
    "node1",
    "node2",
    "node_1",
    "node_2",
    "u",
    "v",
    "fromnodeid",
    "tonodeid",
    "source_id",
    "target_id",
    "head",
    "tail",
    "start",
    "end",
];

/// What the lines before the first edge and that edge tell.
pub(super) struct Head {
    /// Where the first edge begins.
    pub start: usize,
    /// `Integer` or `Name`.
    pub kind: IdKind,
    pub third: Third,
    pub mark: Option<Mark>,
    /// Vertices that comments name, and where they do.
    pub alone: Vec<(usize, Vec<u8>)>,
    pub range: Option<(u64, u64)>,
    pub notes: Vec<Note>,
}

/// What becomes of a third column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Third {
    /// There is none.
    None,
    /// It is the weight.
    Weight,
    /// It is not wanted.
    Ignored,
}

/// The comment that heads the edge lists of this project.
pub(super) struct Mark {
    pub line: u64,
    pub undirected: bool,
    pub names: bool,
    pub weights: bool,
    pub vertices: u64,
    pub edges: u64,
}

impl Mark {
    /// `undirected, 5 vertices, 4 edges` and perhaps `names`, `weights`.
    fn parse(text: &[u8], line: u64) -> Option<Self> {
        let text = std::str::from_utf8(text).ok()?;
        let words: Vec<&str> = text.split(',').map(str::trim).collect();
        let count = |unit: &str| {
            let mut with_unit = words.iter().filter_map(|word| word.strip_suffix(unit));
            number(with_unit.next()?.trim().as_bytes())
        };
        Some(Self {
            line,
            undirected: match *words.first()? {
                "directed" => false,
                "undirected" => true,
                _ => return None,
            },
            names: words.contains(&"names"),
            weights: words.contains(&"weights"),
            vertices: count("vertices")?,
            edges: count("edges")?,
        })
    }
}

pub(super) fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || matches!(line[0], b'#' | b'%') || line.starts_with(b"//")
}

/// The fields of a line of integers.
fn columns(line: &[u8]) -> Vec<&[u8]> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';');
    line.split(blank).filter(|field| !field.is_empty()).collect()
}

impl Head {
    pub fn of(text: &Text<'_>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut head = Self {
            start: text.bytes.len(),
            kind: options.ids,
            third: Third::None,
            mark: None,
            alone: Vec::new(),
            range: None,
            notes: Vec::new(),
        };
        let mut data = Vec::new();
        for (at, line) in text.lines(0) {
            if !is_comment(line) {
                data.push((at, line));
                if data.len() == 2 {
                    break;
                }
            } else if data.is_empty() {
                head.comment(text, at, line)?;
            }
        }
        let Some(&(start, first)) = data.first() else {
            if head.mark.is_some() {
                head.settle_kind(false);
                head.settle_third(text, b"", options)?;
                return Ok(head);
            }
            return Err(text.empty(EXPECTED));
        };
        head.start = start;
        let integers = |line: &[u8]| {
            let fields = columns(line);
            fields.len() >= 2 && fields[..2].iter().all(|field| looks_numeric(field))
        };
        let mut line = first;
        let names_columns = columns(first).iter().take(2).all(|field| {
            COLUMNS.contains(&String::from_utf8_lossy(field).to_ascii_lowercase().as_str())
        });
        let over_integers = head.kind != IdKind::Name
            && !looks_numeric(columns(first).first().copied().unwrap_or_default())
            && data.get(1).is_some_and(|(_, second)| integers(second))
            && (head.kind == IdKind::Auto || names_columns);
        if head.mark.is_none() && (names_columns || over_integers) {
            let Some(&(start, second)) = data.get(1) else {
                return Err(text.empty(EXPECTED));
            };
            head.start = start;
            line = second;
        }
        let looks_named = columns(line).first().is_some_and(|field| !looks_numeric(field));
        head.settle_kind(looks_named);
        head.settle_third(text, line, options)?;
        Ok(head)
    }

    /// Takes in what a comment before the first edge tells.
    fn comment(&mut self, text: &Text<'_>, at: usize, line: &[u8]) -> Result<(), LoadError> {
        let wrong = |expected| {
            let problem = LineError::Header { expected, found: shown(line) };
            text.error(Fault { at, problem })
        };
        if let Some(rest) = line.strip_prefix(MARK.as_bytes()) {
            let mark = Mark::parse(rest, text.line_of(at));
            self.mark = Some(mark.ok_or_else(|| {
                wrong("«# pregel edge list: directed or undirected, N vertices, M edges»")
            })?);
        }
        if self.mark.is_none() {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix(VERTICES.as_bytes()) {
            let range = std::str::from_utf8(rest).ok().and_then(|rest| {
                let (first, last) = rest.trim().split_once("..")?;
                Some((number(first.as_bytes())?, number(last.as_bytes())?))
            });
            let range = range.filter(|(first, last)| first <= last);
            self.range = Some(range.ok_or_else(|| wrong("«# vertices: FIRST..LAST»"))?);
        } else if let Some(rest) = line.strip_prefix(VERTEX.as_bytes()) {
            self.alone.push((at, rest.trim_ascii().to_vec()));
        }
        Ok(())
    }

    fn settle_kind(&mut self, looks_named: bool) {
        if self.kind == IdKind::Auto {
            let named = self.mark.as_ref().map_or(looks_named, |mark| mark.names);
            self.kind = if named { IdKind::Name } else { IdKind::Integer };
        }
    }

    /// Whether there is a weight, by the header or the first edge.
    fn settle_third(
        &mut self,
        text: &Text<'_>,
        line: &[u8],
        options: &LoadOptions,
    ) -> Result<(), LoadError> {
        let fields = match self.kind {
            IdKind::Name => Separator::of(line).split(line).collect(),
            _ => columns(line),
        };
        let has = self.mark.as_ref().map_or(fields.len() > 2, |mark| mark.weights);
        self.third = match options.weights {
            Weights::Auto if has => Third::Weight,
            Weights::Auto => Third::None,
            _ => Third::Ignored,
        };
        if fields.len() > 3 {
            let line = text.line_of(self.start);
            self.notes.push(Note::IgnoredColumns { line, columns: fields.len() });
        }
        Ok(())
    }
}

/// Whether a field was meant as an integer.
fn looks_numeric(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    digits.first().is_some_and(u8::is_ascii_digit)
}
