//! DIMACS files: shortest paths (9th challenge), topologies, road extracts.

use super::{Cursor, Fault, Row, Text, fields, number, parse_rows, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::ids::compact;
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, LineError, LoadError, LoadOptions, Note, Weights};

const SOURCE: &str = "the id of a source vertex";
const TARGET: &str = "the id of a target vertex";
const PROBLEM: &str = "«p sp VERTICES EDGES» or «p tw VERTICES EDGES»";
const EXPECTED: &str = "lines «a SOURCE TARGET WEIGHT»";

/// Reads [`Format::Dimacs`].
pub(in crate::io) struct Dimacs;

impl Reader for Dimacs {
    fn format(&self) -> Format {
        Format::Dimacs
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["gr"]
    }

    fn resembles(&self, head: &[u8]) -> bool {
        let mut lines = head.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let Some(first) = lines.find(|line| !is_comment(line)) else {
            return false;
        };
        match fields(first)[..] {
            [b"p", b"sp" | b"tw", _, _] => true,
            [b"a", source, target, _] => number(source).is_some() && number(target).is_some(),
            _ => false,
        }
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let text = Text::new(input, "a DIMACS graph")?;
        let mut lines = text.lines(0);
        let content = lines.find(|(_, line)| !is_comment(line));
        let Some((at, first)) = content else {
            return Err(text.empty(PROBLEM));
        };
        let header = Header::parse(first).map_err(|problem| text.error(Fault { at, problem }))?;
        let start = match header {
            Some(_) => lines.next().map_or(text.bytes.len(), |(at, _)| at),
            None => at,
        };
        let read = options.weights == Weights::Auto;
        let parsed = match header {
            None => without_header(&text, start, read)?,
            Some(header) => header.body(&text, at, start, read, options)?,
        };
        Ok(Content::Edges(parsed))
    }
}

fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || line == b"c" || line.starts_with(b"c ") || line.starts_with(b"c\t")
}

/// The `p` line.
struct Header {
    /// `p tw`: lines of two ids for undirected edges; otherwise `a` lines.
    topology: bool,
    vertices: u64,
    edges: u64,
}

impl Header {
    /// `None` if the line is not a `p` line.
    fn parse(line: &[u8]) -> Result<Option<Self>, LineError> {
        let fields = fields(line);
        if fields.first() != Some(&&b"p"[..]) {
            return Ok(None);
        }
        let wrong = || LineError::Header { expected: PROBLEM, found: shown(line) };
        let [_, kind, vertices, edges] = fields[..] else {
            return Err(wrong());
        };
        let topology = match kind {
            b"sp" => false,
            b"tw" => true,
            _ => return Err(wrong()),
        };
        let (vertices, edges) = number(vertices).zip(number(edges)).ok_or_else(wrong)?;
        Ok(Some(Self { topology, vertices, edges }))
    }

    /// The lines after the header, which is at `at`.
    fn body(
        &self,
        text: &Text<'_>,
        at: usize,
        start: usize,
        read: bool,
        options: &LoadOptions,
    ) -> Result<Parsed, LoadError> {
        let size = self.vertices;
        let lines = (text.bytes.len() - start) as u64 / 4 + 1;
        let count = promised_vertices(text.path, size, self.edges.min(lines), options)?;
        let weighted = read && !self.topology;
        let rows = parse_rows(text, start, weighted, |cursor| {
            if skip_comment(cursor)? {
                return Ok(None);
            }
            if !self.topology {
                letter(cursor)?;
            }
            let source = cursor.integer_to(size, SOURCE)?;
            let target = cursor.integer_to(size, TARGET)?;
            let mut weight = 0.0;
            if weighted {
                weight = cursor.weight()?;
            } else if !self.topology {
                cursor.skip_field();
            }
            cursor.end_line()?;
            Ok(Some(Row { ends: [source, target], weight }))
        });
        let rows = rows.map_err(|fault| text.error(fault))?;
        let (promised, found) = (self.edges, rows.edges.len() as u64);
        if promised != found {
            let (path, line) = (text.path.to_owned(), text.line_of(at));
            return Err(LoadError::Count { path, line, what: "edges", promised, found });
        }
        let weights = weighted.then_some(rows.weights);
        let parsed = Parsed::new(rows.edges, weights, Ids::range(1, count));
        Ok(Parsed { undirected: self.topology, ..parsed })
    }
}

/// Only `a` lines: the vertices are the ids that occur, from 0 on or not.
fn without_header(text: &Text<'_>, start: usize, read: bool) -> Result<Parsed, LoadError> {
    let rows = parse_rows(text, start, read, |cursor| {
        if skip_comment(cursor)? {
            return Ok(None);
        }
        letter(cursor)?;
        let ends = [cursor.integer(SOURCE)?, cursor.integer(TARGET)?];
        let mut weight = 0.0;
        if read {
            weight = cursor.weight()?;
        } else {
            cursor.skip_field();
        }
        cursor.end_line()?;
        Ok(Some(Row { ends, weight }))
    });
    let rows = rows.map_err(|fault| text.error(fault))?;
    let (edges, ids) = compact(text.path, rows.edges, &[])?;
    let weights = read.then_some(rows.weights);
    Ok(Parsed { notes: vec![Note::NoProblemLine], ..Parsed::new(edges, weights, ids) })
}

/// Moves past the letter `a` that begins an edge.
#[inline(always)]
fn letter(cursor: &mut Cursor<'_>) -> Result<(), LineError> {
    if cursor.field() != b"a" {
        return Err(LineError::Kind { expected: EXPECTED, found: cursor.found() });
    }
    cursor.at += 1;
    Ok(())
}

/// Moves past a blank line or a comment (`c`).
#[inline(always)]
fn skip_comment(cursor: &mut Cursor<'_>) -> Result<bool, LineError> {
    cursor.skip_blanks();
    match cursor.peek() {
        b'c' if cursor.field() == b"c" => cursor.skip_line(),
        b'\n' | b'\r' => cursor.end_line()?,
        _ => return Ok(false),
    }
    Ok(true)
}
