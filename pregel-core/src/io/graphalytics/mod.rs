//! LDBC Graphalytics data sets: `.properties`, `.v` and `.e` files (Iosup et
//! al., "The LDBC Graphalytics Benchmark", arXiv 2011.15028).

mod properties;

use std::path::{Path, PathBuf};

pub use properties::Properties;

use super::assemble::{Parsed, check_vertices};
use super::beside::{existing, stem, with_suffix};
use super::ids::{Search, ascending, compact};
use super::input::{Input, Opened};
use super::registry::{Content, Reader};
use super::text::{Fault, Row, Rows, Text, fields, parse_rows};
use super::{Format, LineError, LoadError, LoadOptions, Loaded, Note, Weights};

const SOURCE: &str = "the id of a source vertex";
const TARGET: &str = "the id of a target vertex";

/// Reads [`Format::Graphalytics`].
pub(super) struct Graphalytics;

impl Reader for Graphalytics {
    fn format(&self) -> Format {
        Format::Graphalytics
    }

    fn suffixes(&self) -> &'static [&'static str] {
        &["properties", "v", "e"]
    }

    /// One file of several is not enough.
    fn read(&self, input: &Input<'_>, _options: &LoadOptions) -> Result<Content, LoadError> {
        Err(LoadError::SeveralFiles { path: input.path.clone() })
    }

    fn read_opened(&self, opened: Opened<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        if !opened.path().is_file() {
            return Err(LoadError::SeveralFiles { path: opened.path().to_owned() });
        }
        let stem = stem(opened.path());
        // It is one of the files that are opened below.
        drop(opened);
        let mut more_files = Vec::new();
        let mut open = |path: PathBuf| {
            let input = Input::read(&path, options)?;
            more_files.push(path);
            Ok::<_, LoadError>(input)
        };
        let mut notes = Vec::new();
        let properties = match existing(&stem, "properties") {
            Some(path) => Some(Properties::parse(&open(path)?)?),
            None => {
                notes.push(Note::NoProperties);
                None
            }
        };
        let folder = stem.parent().unwrap_or(Path::new(""));
        let named = |name: Option<&String>| {
            let path = folder.join(name?);
            path.is_file().then_some(path)
        };
        let vertex_file = named(properties.as_ref().and_then(|known| known.vertex_file.as_ref()))
            .or_else(|| existing(&stem, "v"));
        let mut edge_file = named(properties.as_ref().and_then(|known| known.edge_file.as_ref()));
        if edge_file.is_some() && edge_file == vertex_file {
            notes.push(Note::EdgeFileIsVertexFile);
            edge_file = None;
        }
        let edge_file = edge_file.or_else(|| existing(&stem, "e"));
        // If there is no edge file, opening it gives the system's error.
        let edges = open(edge_file.unwrap_or_else(|| with_suffix(&stem, "e")))?;
        let vertices = vertex_file.map(open).transpose()?;
        let parsed = read(properties.as_ref(), vertices.as_ref(), &edges, notes, options)?;
        Ok(Content::Edges(Parsed { more_files, ..parsed }))
    }
}

/// Reads a data set from the bytes of its files; errors call them
/// `<properties>`, `<vertices>` and `<edges>`.
///
/// # Errors
/// [`LoadError`], never a panic, whatever the bytes.
pub fn parse_bytes(
    properties: &[u8],
    vertices: &[u8],
    edges: &[u8],
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let properties = Properties::parse(&Input::borrowed(Path::new("<properties>"), properties))?;
    let vertices = Input::borrowed(Path::new("<vertices>"), vertices);
    let edges = Input::borrowed(Path::new("<edges>"), edges);
    let parsed = read(Some(&properties), Some(&vertices), &edges, Vec::new(), options)?;
    parsed.build(&edges.path, Format::Graphalytics, options)
}

fn read(
    properties: Option<&Properties>,
    vertices: Option<&Input<'_>>,
    edges: &Input<'_>,
    notes: Vec<Note>,
    options: &LoadOptions,
) -> Result<Parsed, LoadError> {
    let text = Text::new(edges, "lines of two vertex ids")?;
    let ids = vertices.map(|input| vertex_list(input, options)).transpose()?;
    let weighted = match properties {
        Some(known) => known.weighted,
        None => text
            .lines(0)
            .find(|(_, line)| !line.is_empty())
            .is_some_and(|(_, line)| fields(line).len() > 2),
    };
    let read = weighted && options.weights == Weights::Auto;
    let fault = |fault| text.error(fault);
    let (edge_list, weights, ids) = match ids {
        Some(ids) => {
            let search = Search::new(&ids);
            let find = |id: u64| {
                let place = search.find(id).map(|place| place as u32);
                place.ok_or_else(|| LineError::UnknownVertex { found: id.to_string() })
            };
            let rows = edge_rows(&text, weighted, read, |[source, target]| {
                Ok([find(source)?, find(target)?])
            });
            let Rows { edges: list, weights } = rows.map_err(fault)?;
            (list, weights, ascending(&edges.path, ids)?)
        }
        None => {
            let Rows { edges: list, weights } =
                edge_rows(&text, weighted, read, Ok::<[u64; 2], _>).map_err(fault)?;
            let (list, ids) = compact(&edges.path, list, &[])?;
            (list, weights, ids)
        }
    };
    if let Some(known) = properties {
        known.check_counts(u64::from(ids.len()), edge_list.len() as u64)?;
    }
    let undirected = properties.is_some_and(|known| !known.directed);
    let weights = read.then_some(weights);
    Ok(Parsed { undirected, notes, ..Parsed::new(edge_list, weights, ids) })
}

/// The ids of a vertex file, ascending.
fn vertex_list(input: &Input<'_>, options: &LoadOptions) -> Result<Vec<u64>, LoadError> {
    let text = Text::new(input, "lines of one vertex id")?;
    let rows = parse_rows(&text, 0, false, |cursor| {
        if cursor.at_line_end() {
            return cursor.end_line().map(|()| None);
        }
        let id = cursor.integer("the id of a vertex")?;
        // Vertex properties may follow.
        cursor.skip_fields()?;
        Ok(Some(Row { ends: [id], weight: 0.0 }))
    });
    let rows: Rows<[u64; 1]> = rows.map_err(|fault| text.error(fault))?;
    check_vertices(&input.path, rows.edges.len() as u64, options)?;
    let mut ids: Vec<u64> = rows.edges.into_iter().map(|[id]| id).collect();
    if !ids.is_sorted() {
        rayon::slice::ParallelSliceMut::par_sort_unstable(&mut ids[..]);
    }
    match ids.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(repeated(&text, pair[0])),
        None => Ok(ids),
    }
}

/// The error for an id that occurs twice; looks for its second line.
fn repeated(text: &Text<'_>, id: u64) -> LoadError {
    let found = id.to_string();
    let same = |line: &[u8]| {
        fields(line).first().is_some_and(|field| super::text::number(field) == Some(id))
    };
    let second = text.lines(0).filter(|(_, line)| same(line)).nth(1);
    let at = second.map_or(0, |(at, _)| at);
    text.error(Fault { at, problem: LineError::Repeated { found } })
}

fn edge_rows<P: super::text::Pair>(
    text: &Text<'_>,
    weighted: bool,
    read: bool,
    pair: impl Fn([u64; 2]) -> Result<P, LineError> + Sync,
) -> Result<Rows<P>, Fault> {
    parse_rows(text, 0, read, |cursor| {
        if cursor.at_line_end() {
            return cursor.end_line().map(|()| None);
        }
        let ends = pair([cursor.integer(SOURCE)?, cursor.integer(TARGET)?])?;
        let mut weight = 0.0;
        if read {
            weight = cursor.weight()?;
        }
        if weighted {
            // Further edge properties may follow.
            cursor.skip_fields()?;
        } else {
            cursor.end_line()?;
        }
        Ok(Some(Row { ends, weight }))
    })
}
