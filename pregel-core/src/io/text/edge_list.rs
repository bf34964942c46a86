//! Edge lists: SNAP text, CSV, TSV, and what this project writes.

use super::names::{NameTable, Separator};
use super::{Cursor, Fault, Pair, Row, Rows, Text, number, parse_rows, shown};
use crate::graph::Ids;
use crate::io::assemble::{Parsed, promised_vertices};
use crate::io::ids::compact;
use crate::io::input::Input;
use crate::io::registry::{Content, Reader};
use crate::io::{Format, IdKind, LineError, LoadError, LoadOptions, Weights};

const SOURCE: &str = "the id of a source vertex";
const TARGET: &str = "the id of a target vertex";
const EXPECTED: &str = "lines of two vertex ids";

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

/// What the lines before the first edge and that edge tell.
struct Head {
    /// Where the first edge begins.
    start: usize,
    /// `Integer` or `Name`.
    kind: IdKind,
    third: Third,
    mark: Option<Mark>,
    /// Vertices that comments name, and where they do.
    alone: Vec<(usize, Vec<u8>)>,
    range: Option<(u64, u64)>,
    notes: Vec<String>,
}

/// What becomes of a third column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Third {
    /// There is none.
    None,
    /// It is the weight.
    Weight,
    /// It is not wanted.
    Ignored,
}

/// The comment that heads the edge lists of this project.
struct Mark {
    line: u64,
    undirected: bool,
    names: bool,
    weights: bool,
    vertices: u64,
    edges: u64,
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

fn is_comment(line: &[u8]) -> bool {
    line.is_empty() || matches!(line[0], b'#' | b'%') || line.starts_with(b"//")
}

/// The fields of a line of integers.
fn columns(line: &[u8]) -> Vec<&[u8]> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b',' | b';');
    line.split(blank).filter(|field| !field.is_empty()).collect()
}

impl Head {
    fn of(text: &Text<'_>, options: &LoadOptions) -> Result<Self, LoadError> {
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
            self.notes.push(format!(
                "line {line} has {} columns; all after the third are ignored",
                fields.len()
            ));
        }
        Ok(())
    }
}

/// Whether a field was meant as an integer.
fn looks_numeric(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").unwrap_or(field);
    digits.first().is_some_and(u8::is_ascii_digit)
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
    Parsed {
        edges,
        weights: (head.third == Third::Weight).then_some(weights),
        ids,
        undirected: head.mark.as_ref().is_some_and(|mark| mark.undirected),
        notes: head.notes.clone(),
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
