//! Edge lists: SNAP text, CSV, TSV, and what this project writes.

mod head;
mod layout;

use std::borrow::Cow;

use head::{Head, Mark};
pub(in crate::io) use head::{MARK, VERTEX, VERTICES};
use layout::Layout;

use super::fields::{Field, Records, is_comment};
use super::names::NameTable;
use super::{Cursor, Fault, Pair, Row, Rows, Text, parse_rows, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::ids::compact;
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, IdKind, LineError, LoadError, LoadOptions, Note};

const SOURCE: &str = "the id of a source vertex";
const TARGET: &str = "the id of a target vertex";
const EXPECTED: &str = "lines of two vertex ids";

/// Reads [`Format::EdgeList`].
pub(in crate::io) struct EdgeListFile;

impl Reader for EdgeListFile {
    fn format(&self) -> Format {
        Format::EdgeList
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["txt", "csv", "tsv", "el", "wel", "edges", "edgelist", "arcs"]
    }

    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        let text = Text::new(input, EXPECTED)?;
        let head = Head::of(&text, options)?;
        let parsed = match head.kind {
            IdKind::Name => names(&text, &head)?,
            _ => integers(&text, &head, options)?,
        };
        if let Some(mark) = &head.mark {
            check_counts(&text, mark, &parsed)?;
        }
        Ok(Content::Edges(parsed))
    }
}

fn integers(text: &Text<'_>, head: &Head, options: &LoadOptions) -> Result<Parsed, LoadError> {
    let fault = |fault| text.error(fault);
    if let Some((first, last)) = head.range {
        let vertices = (last - first).saturating_add(1);
        let lines = (text.bytes.len() / 4) as u64;
        let count = promised_vertices(text.path, vertices, lines, options)?;
        let inside = |found: u64| {
            if (first..=last).contains(&found) {
                Ok((found - first) as u32)
            } else {
                Err(LineError::OutOfRange { first, last, found })
            }
        };
        let rows = rows(text, head, |ends: [u64; 2]| Ok([inside(ends[0])?, inside(ends[1])?]));
        let Rows { edges, weights } = rows.map_err(fault)?;
        return Ok(parsed(head, edges, weights, Ids::range(first, count)));
    }
    let mut alone = Vec::with_capacity(head.alone.len());
    for (at, id) in &head.alone {
        let mut cursor = Cursor::new(id, 0);
        let id = cursor.integer("the id of a vertex");
        let id = id.and_then(|id| cursor.end_line().map(|()| id));
        alone.push(id.map_err(|problem| fault(Fault { at: *at, problem }))?);
    }
    // Most ids fit 32 bits; if one does not, the file is parsed again.
    let narrow = |ends: [u64; 2]| match ends.map(u32::try_from) {
        [Ok(source), Ok(target)] => Ok([source, target]),
        _ => Err(LineError::TooLarge { expected: SOURCE, found: String::new() }),
    };
    match rows(text, head, narrow) {
        Ok(Rows { edges, weights }) => {
            let (edges, ids) = compact(text.path, edges, &alone)?;
            Ok(parsed(head, edges, weights, ids))
        }
        Err(Fault { problem: LineError::TooLarge { .. }, .. }) => {
            let Rows { edges, weights } = rows(text, head, Ok).map_err(fault)?;
            let (edges, ids) = compact(text.path, edges, &alone)?;
            Ok(parsed(head, edges, weights, ids))
        }
        Err(other) => Err(fault(other)),
    }
}

/// Parses lines of integers; `pair` makes end points of two ids.
fn rows<P: Pair>(
    text: &Text<'_>,
    head: &Head,
    pair: impl Fn([u64; 2]) -> Result<P, LineError> + Sync,
) -> Result<Rows<P>, Fault> {
    let rows = if head.layout.is_in_order() {
        rows_in_order(text, head, &pair)
    } else {
        picked_rows(text, head, &pair)
    };
    match rows {
        // Quoted fields are rare, and read on one thread.
        Err(fault)
            if head.mark.is_none()
                && !matches!(fault.problem, LineError::TooLarge { .. })
                && memchr::memchr(b'"', &text.bytes[head.start..]).is_some() =>
        {
            quoted_rows(text, head, &pair)
        }
        rows => rows,
    }
}

/// Lines of source, target and perhaps weight, in this order.
fn rows_in_order<P: Pair>(
    text: &Text<'_>,
    head: &Head,
    pair: &(impl Fn([u64; 2]) -> Result<P, LineError> + Sync),
) -> Result<Rows<P>, Fault> {
    let Layout { weight, two_columns, .. } = head.layout;
    let weighted = weight.is_some();
    let quotes = head.mark.is_none() && head.separator.quotes_span_lines();
    parse_rows(text, head.start, weighted, |cursor| {
        cursor.skip_blanks();
        if !cursor.peek().is_ascii_digit() {
            if cursor.skip_comment()? {
                return Ok(None);
            }
            if cursor.at_empty_field() {
                return Err(LineError::EmptyField { expected: SOURCE });
            }
        }
        let ends = pair([cursor.integer(SOURCE)?, cursor.integer(TARGET)?])?;
        let mut weight = 0.0;
        if weighted {
            weight = cursor.weight()?;
            cursor.skip_columns(quotes)?;
        } else if !two_columns {
            cursor.skip_columns(quotes)?;
        } else if cursor.at_line_end() {
            cursor.end_line()?;
        } else {
            return Err(LineError::UnexpectedWeight { found: cursor.found() });
        }
        Ok(Some(Row { ends, weight }))
    })
}

/// Lines with the ends of an edge in any columns.
fn picked_rows<P: Pair>(
    text: &Text<'_>,
    head: &Head,
    pair: &(impl Fn([u64; 2]) -> Result<P, LineError> + Sync),
) -> Result<Rows<P>, Fault> {
    let layout = head.layout;
    parse_rows(text, head.start, layout.weight.is_some(), |cursor| {
        let line = cursor.line();
        if is_comment(line) {
            return Ok(None);
        }
        if memchr::memchr(b'"', line).is_some() {
            return Err(LineError::Quote { found: shown(line) });
        }
        let mut fields = Vec::new();
        head.separator.split(line, &mut fields);
        integer_row(&fields, layout, pair).map(Some)
    })
}

/// Records with quoted fields, in the order of the file.
fn quoted_rows<P: Pair>(
    text: &Text<'_>,
    head: &Head,
    pair: &impl Fn([u64; 2]) -> Result<P, LineError>,
) -> Result<Rows<P>, Fault> {
    let mut rows = Rows { edges: Vec::new(), weights: Vec::new() };
    let mut records = Records::new(text, head.start, true).separated(head.separator);
    let mut fields = Vec::new();
    while let Some(at) = records.read(&mut fields)? {
        let row = integer_row(&fields, head.layout, pair);
        let Row { ends, weight } = row.map_err(|problem| Fault { at, problem })?;
        rows.edges.push(ends);
        if head.layout.weight.is_some() {
            rows.weights.push(weight);
        }
    }
    Ok(rows)
}

fn integer_row<P: Pair>(
    fields: &[Field<'_>],
    layout: Layout,
    pair: &impl Fn([u64; 2]) -> Result<P, LineError>,
) -> Result<Row<P>, LineError> {
    let end = |column: usize, expected| {
        let mut cursor = Cursor::new(end_field(fields, column, expected)?, 0);
        let id = cursor.integer(expected)?;
        cursor.end_line().map(|()| id)
    };
    let ends = pair([end(layout.from, SOURCE)?, end(layout.to, TARGET)?])?;
    Ok(Row { ends, weight: weight(fields, layout)? })
}

/// The field that holds one end of an edge.
fn end_field<'f>(
    fields: &'f [Field<'_>],
    column: usize,
    expected: &'static str,
) -> Result<&'f [u8], LineError> {
    match fields.get(column) {
        None => Err(LineError::Missing { expected }),
        Some(field) if field.is_empty() && column + 1 < fields.len() => {
            Err(LineError::EmptyField { expected })
        }
        Some(field) if field.is_empty() => Err(LineError::Missing { expected }),
        Some(field) => Ok(field),
    }
}

/// The weight of a record, 0 if weights are not read.
fn weight(fields: &[Field<'_>], layout: Layout) -> Result<f32, LineError> {
    let Some(column) = layout.weight else {
        return match fields.get(2) {
            Some(found) if layout.two_columns && !found.is_empty() => {
                Err(LineError::UnexpectedWeight { found: shown(found) })
            }
            _ => Ok(0.0),
        };
    };
    let mut cursor = Cursor::new(fields.get(column).map_or(b"", |field| field), 0);
    let weight = cursor.weight()?;
    cursor.end_line().map(|()| weight)
}

/// Edges between names, which are vertices in the order in which they first
/// occur. One thread.
fn names(text: &Text<'_>, head: &Head) -> Result<Parsed, LoadError> {
    let mut table = NameTable::default();
    for (at, name) in &head.alone {
        let vertex = table.vertex(Cow::Borrowed(name));
        vertex.map_err(|problem| text.error(Fault { at: *at, problem }))?;
    }
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    let quotes = head.mark.is_none();
    let mut records = Records::new(text, head.start, quotes).separated(head.separator);
    let mut fields = Vec::new();
    while let Some(at) = records.read(&mut fields).map_err(|fault| text.error(fault))? {
        let row = named_row(&mut table, &mut fields, head.layout);
        let Row { ends, weight } = row.map_err(|problem| text.error(Fault { at, problem }))?;
        edges.push(ends);
        if head.layout.weight.is_some() {
            weights.push(weight);
        }
    }
    let ids = table.finish(text.path)?;
    let mut parsed = parsed(head, edges, weights, ids);
    if head.unsure && is_apart(&parsed) {
        let line = text.line_of(head.start);
        let first = text.lines(head.start).next();
        let text = shown(first.map_or(b"", |(_, line)| line));
        parsed.notes.push(Note::PossibleHeader { line, text });
    }
    Ok(parsed)
}

fn named_row<'a>(
    table: &mut NameTable<'a>,
    fields: &mut [Field<'a>],
    layout: Layout,
) -> Result<Row<[u32; 2]>, LineError> {
    let weight = weight(fields, layout);
    let mut end = |column: usize, expected| {
        end_field(fields, column, expected)?;
        table.vertex(std::mem::take(&mut fields[column]))
    };
    let ends = [end(layout.from, SOURCE)?, end(layout.to, TARGET)?];
    Ok(Row { ends, weight: weight? })
}

/// Whether the names of the first edge occur nowhere else, though others do:
/// they may be names of columns.
fn is_apart(parsed: &Parsed) -> bool {
    let Some(([source, target], rest)) = parsed.edges.split_first() else {
        return false;
    };
    let recur = u64::from(parsed.ids.len()) < 2 * parsed.edges.len() as u64;
    let elsewhere = |edge: &[u32; 2]| edge.contains(source) || edge.contains(target);
    source != target && recur && !rest.iter().any(elsewhere)
}

fn parsed(head: &Head, edges: Vec<[u32; 2]>, weights: Vec<f32>, ids: Ids) -> Parsed {
    let weights = head.layout.weight.map(|_| weights);
    Parsed {
        undirected: head.mark.as_ref().is_some_and(|mark| mark.undirected),
        notes: head.notes.clone(),
        ..Parsed::new(edges, weights, ids)
    }
}

/// Refuses an edge list of this project that was cut short.
fn check_counts(text: &Text<'_>, mark: &Mark, parsed: &Parsed) -> Result<(), LoadError> {
    let (edges, vertices) = (parsed.edges.len() as u64, u64::from(parsed.ids.len()));
    for (what, promised, found) in
        [("edges", mark.edges, edges), ("vertices", mark.vertices, vertices)]
    {
        if promised != found {
            let path = text.path.to_owned();
            return Err(LoadError::Count { path, line: mark.line, what, promised, found });
        }
    }
    Ok(())
}
