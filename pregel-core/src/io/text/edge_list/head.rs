//! What comes before the first edge: comments, and perhaps a header line.

use super::EXPECTED;
use super::layout::{Found, Layout, Sample, integer_fields, looks_numeric};
use crate::io::text::fields::{Records, Separator, is_comment};
use crate::io::text::{Fault, Text, number, shown};
use crate::io::{Columns, Header, IdKind, LineError, LoadError, LoadOptions, Note, Weights};

/// The beginning of the first line of an edge list written by this project.
pub(in crate::io) const MARK: &str = "# pregel edge list:";
/// The comment that lists vertices as a range of integers.
pub(in crate::io) const VERTICES: &str = "# vertices:";
/// The comment that lists one vertex.
pub(in crate::io) const VERTEX: &str = "# vertex:";

/// What the lines up to the first edge say about the file.
pub(super) struct Head {
    /// Where the first edge begins.
    pub start: usize,
    /// `Integer` or `Name`.
    pub kind: IdKind,
    pub layout: Layout,
    /// What separates the fields of the first edge.
    pub separator: Separator,
    pub mark: Option<Mark>,
    /// Vertices that comments list, and where.
    pub alone: Vec<(usize, Vec<u8>)>,
    pub range: Option<(u64, u64)>,
    /// Whether the first line was taken as an edge but may be a header.
    pub unsure: bool,
    pub notes: Vec<Note>,
}

/// The first line of an edge list written by this project.
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

impl Head {
    pub fn of(text: &Text<'_>, options: &LoadOptions) -> Result<Self, LoadError> {
        let mut head = Self {
            start: text.bytes.len(),
            kind: options.ids,
            layout: Layout { from: 0, to: 1, weight: None, two_columns: true },
            separator: Separator::Blanks,
            mark: None,
            alone: Vec::new(),
            range: None,
            unsure: false,
            notes: Vec::new(),
        };
        for (at, line) in text.lines(0).take_while(|(_, line)| is_comment(line)) {
            head.comment(text, at, line)?;
        }
        let fault = |fault| text.error(fault);
        // Edge lists written by this project have no quoted fields.
        let mut records = Records::new(text, 0, head.mark.is_none());
        let mut sample = Sample { first: Vec::new(), second: Vec::new() };
        let Some(first_at) = records.read(&mut sample.first).map_err(fault)? else {
            if let Some(mark) = &head.mark {
                head.layout.weight = mark.weights.then_some(2);
                head.settle(false, options);
                return Ok(head);
            }
            return Err(text.empty(EXPECTED));
        };
        let mut more = Records::new(text, records.at, head.mark.is_none());
        let second_at = more.read(&mut sample.second).map_err(fault)?;
        for fields in [&mut sample.first, &mut sample.second] {
            while fields.last().is_some_and(|field| field.is_empty()) {
                fields.pop();
            }
        }
        let line_at = |at: usize| text.bytes[at..].split(|byte| *byte == b'\n').next();
        let line_at = |at: usize| line_at(at).unwrap_or_default().trim_ascii();

        let asked = options.header != Header::Auto
            || options.columns.as_ref().is_some_and(Columns::has_names);
        let header = match head.mark {
            Some(_) if !asked => false,
            _ => sample.has_header(head.kind, options),
        };
        head.start = match second_at {
            Some(second_at) if header => second_at,
            None if header => return Err(text.empty(EXPECTED)),
            _ => first_at,
        };
        let line = text.line_of(first_at);
        if header && !asked {
            let text = shown(line_at(first_at));
            head.notes.push(Note::Header { line, text });
        }
        head.unsure = !header && !asked && head.mark.is_none();
        head.separator = Separator::of(line_at(head.start), head.mark.is_none());
        let data = if header { &sample.second } else { &sample.first };
        let mixed = integer_fields(line_at(head.start));
        let integers = mixed.len() >= 2 && mixed[..2].iter().all(|field| looks_numeric(field));
        let found = sample.columns(header, if integers { &mixed } else { data }, options);
        let Found { layout, note } =
            found.map_err(|problem| LoadError::Columns { path: text.path.to_owned(), problem })?;
        head.layout = layout;
        if let (Some(mark), None) = (&head.mark, &options.columns) {
            head.layout.weight = mark.weights.then_some(2);
            head.layout.two_columns = !mark.weights;
        }
        let line = text.line_of(head.start);
        head.notes.extend(note.map(|note| match note {
            Note::IgnoredColumns { columns, .. } => Note::IgnoredColumns { line, columns },
            other => other,
        }));
        let first =
            if layout.is_in_order() && integers { mixed.first() } else { data.get(layout.from) };
        head.settle(first.is_some_and(|field| !looks_numeric(field)), options);
        Ok(head)
    }

    /// Decides whether vertices have names and whether weights are read.
    fn settle(&mut self, looks_named: bool, options: &LoadOptions) {
        if self.kind == IdKind::Auto {
            let named = self.mark.as_ref().map_or(looks_named, |mark| mark.names);
            self.kind = if named { IdKind::Name } else { IdKind::Integer };
        }
        if options.weights != Weights::Auto {
            self.layout.weight = None;
            self.layout.two_columns = false;
        }
    }

    /// Reads a comment before the first edge.
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
}
