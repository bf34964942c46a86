//! Edge lists: SNAP text, CSV, TSV, and what this project writes.

mod head;

use head::{Head, Mark, Third, is_comment};
pub(in crate::io) use head::{MARK, VERTEX, VERTICES};

use super::names::{NameTable, Separator};
use super::{Cursor, Fault, Pair, Row, Rows, Text, parse_rows, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::ids::compact;
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, IdKind, LineError, LoadError, LoadOptions};

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
        let inside = |found: u64| match (first..=last).contains(&found) {
            true => Ok((found - first) as u32),
            false => Err(LineError::OutOfRange { first, last, found }),
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
    // Most files need 32 bits an id only; the first wider one starts anew.
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
    let third = head.third;
    parse_rows(text, head.start, third == Third::Weight, |cursor| {
        cursor.skip_blanks();
        if !cursor.peek().is_ascii_digit() && cursor.skip_comment()? {
            return Ok(None);
        }
        let ends = pair([cursor.integer(SOURCE)?, cursor.integer(TARGET)?])?;
        let mut weight = 0.0;
        match third {
            Third::None if cursor.at_line_end() => cursor.end_line()?,
            Third::None => return Err(LineError::UnexpectedWeight { found: cursor.found() }),
            Third::Ignored => cursor.skip_fields()?,
            Third::Weight => {
                weight = cursor.weight()?;
                cursor.skip_fields()?;
            }
        }
        Ok(Some(Row { ends, weight }))
    })
}

/// Names, in the order in which they first come; one thread.
fn names(text: &Text<'_>, head: &Head) -> Result<Parsed, LoadError> {
    let mut table = NameTable::default();
    for (at, name) in &head.alone {
        table.vertex(name).map_err(|problem| text.error(Fault { at: *at, problem }))?;
    }
    let first = text.lines(head.start).find(|(_, line)| !is_comment(line));
    let separator = first.map_or(Separator::Blanks, |(_, line)| Separator::of(line));
    let (mut edges, mut weights) = (Vec::new(), Vec::new());
    for (at, line) in text.lines(head.start) {
        if is_comment(line) {
            continue;
        }
        let row = named_row(&mut table, line, separator, head.third);
        let Row { ends, weight } = row.map_err(|problem| text.error(Fault { at, problem }))?;
        edges.push(ends);
        if head.third == Third::Weight {
            weights.push(weight);
        }
    }
    let ids = table.finish(text.path)?;
    Ok(parsed(head, edges, weights, ids))
}

fn named_row<'a>(
    table: &mut NameTable<'a>,
    line: &'a [u8],
    separator: Separator,
    third: Third,
) -> Result<Row<[u32; 2]>, LineError> {
    let mut fields = separator.split(line);
    let mut end = |expected| {
        let name = fields.next().filter(|name| !name.is_empty());
        table.vertex(name.ok_or(LineError::Missing { expected })?)
    };
    let ends = [end(SOURCE)?, end(TARGET)?];
    let weight = match (third, fields.next()) {
        (Third::None, Some(found)) => {
            return Err(LineError::UnexpectedWeight { found: shown(found) });
        }
        (Third::Weight, field) => {
            let mut cursor = Cursor::new(field.unwrap_or_default(), 0);
            let weight = cursor.weight()?;
            cursor.end_line()?;
            weight
        }
        _ => 0.0,
    };
    Ok(Row { ends, weight })
}

fn parsed(head: &Head, edges: Vec<[u32; 2]>, weights: Vec<f32>, ids: Ids) -> Parsed {
    let weights = (head.third == Third::Weight).then_some(weights);
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
