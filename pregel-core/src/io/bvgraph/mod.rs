//! BVGraphs of WebGraph: `.properties` and `.graph` files (Boldi and Vigna,
//! "The WebGraph framework I: compression techniques", WWW 2004).
//!
//! The decoder is written for this crate, since the crate `webgraph` depends
//! on more than a hundred others.

mod bits;
mod lists;
mod properties;

use std::path::Path;

use lists::Stop;
use properties::Properties;

use super::assemble::{Parsed, promised_vertices};
use super::beside::{existing, stem, with_suffix};
use super::detect::suffix;
use super::input::{Input, Opened, decompressed_limit};
use super::registry::{Content, Reader};
use super::{BvGraphError, Format, LoadError, LoadOptions, Loaded, PropertyError};
use crate::graph::Ids;

/// Reads [`Format::BvGraph`].
pub(super) struct BvGraph;

impl Reader for BvGraph {
    fn format(&self) -> Format {
        Format::BvGraph
    }

    /// Other formats have these suffixes too: see [`is_part`].
    fn suffixes(&self) -> &'static [&'static str] {
        &[]
    }

    /// One file of two is not enough.
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
        // If there is none, opening it gives the system's error.
        let [properties, graph] = ["properties", "graph"]
            .map(|suffix| existing(&stem, suffix).unwrap_or_else(|| with_suffix(&stem, suffix)));
        let input = Input::read(&properties, options)?;
        let layout = Layout::of(&input)?;
        let length = graph.metadata().map_or(0, |metadata| metadata.len());
        let lists = Input::read(&graph, options)?;
        let parsed = layout.read(&lists, length, options)?;
        Ok(Content::Edges(Parsed { more_files: vec![properties, graph], ..parsed }))
    }
}

/// Whether a file of this path that begins with `head` is part of a BVGraph or
/// of a labelled graph: a `.properties` file that names a class, or a `.graph`
/// or `.labels` file beside one. METIS files are called `.graph` too, but are
/// text.
pub(super) fn is_part(path: &Path, head: &[u8]) -> bool {
    match suffix(path).as_deref() {
        Some("properties") => Properties::parse(head).name_a_class(),
        Some(kind @ ("graph" | "labels")) => match existing(&stem(path), "properties") {
            Some(properties) => {
                let opened = Opened::open(&properties, &LoadOptions::default());
                opened.is_ok_and(|opened| Properties::parse(opened.head()).name_a_class())
            }
            None => kind == "graph" && memchr::memchr(0, head).is_some(),
        },
        _ => false,
    }
}

/// Reads a graph from the bytes of its files; errors call them `<properties>`
/// and `<graph>`.
///
/// # Errors
/// [`LoadError`], never a panic, whatever the bytes.
pub fn parse_bytes(
    properties: &[u8],
    graph: &[u8],
    options: &LoadOptions,
) -> Result<Loaded, LoadError> {
    let properties = Input::borrowed(Path::new("<properties>"), properties);
    let graph = Input::borrowed(Path::new("<graph>"), graph);
    let layout = Layout::of(&properties)?;
    let parsed = layout.read(&graph, graph.bytes.len() as u64, options)?;
    parsed.build(&graph.path, Format::BvGraph, options)
}

/// What a `.properties` file says.
struct Layout<'a> {
    properties: &'a Path,
    nodes: u64,
    layout: properties::Layout,
}

impl<'a> Layout<'a> {
    fn of(input: &'a Input<'_>) -> Result<Self, LoadError> {
        let properties = &input.path;
        let (nodes, layout) = Properties::parse(&input.bytes)
            .layout()
            .map_err(|problem| LoadError::Property { path: properties.clone(), problem })?;
        Ok(Self { properties, nodes, layout })
    }

    /// Reads a `.graph` file. It is compressed in its own way: `length` bytes
    /// may grow to arcs of as many bytes as may come out of a compressed file
    /// of that length.
    fn read(
        self,
        graph: &Input<'_>,
        length: u64,
        options: &LoadOptions,
    ) -> Result<Parsed, LoadError> {
        let Self { properties, nodes, layout } = self;
        let bits = 8 * graph.bytes.len() as u64;
        let damaged = |problem| LoadError::BvGraph { path: graph.path.clone(), problem };
        if nodes > bits {
            return Err(damaged(BvGraphError::Short { nodes, bits }));
        }
        let count = promised_vertices(properties, nodes, layout.arcs, options)?;
        let layout = properties::Layout { nodes: count, ..layout };
        let limit = decompressed_limit(length, options);
        let most_arcs = limit / size_of::<[u32; 2]>() as u64;
        let read = if layout.little { lists::read::<true> } else { lists::read::<false> };
        let arcs = read(&graph.bytes, &layout, most_arcs).map_err(|stop| match stop {
            Stop::Problem(problem) => damaged(problem),
            Stop::TooMany => LoadError::TooLong { path: graph.path.clone(), limit },
        })?;
        let (promised, found) = (layout.arcs, arcs.len() as u64);
        if promised != found {
            let problem = PropertyError::Count { key: "arcs".to_owned(), promised, found };
            return Err(LoadError::Property { path: properties.to_owned(), problem });
        }
        Ok(Parsed::new(arcs, None, Ids::range(0, count)))
    }
}
