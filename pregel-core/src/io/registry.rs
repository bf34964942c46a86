//! Every format that can be read.

use std::path::Path;

use super::assemble::Parsed;
use super::input::{Input, Opened};
use super::{
    AnyGraph, Format, Header, LoadError, LoadOptions, Loaded, bvgraph, graphalytics, snapshot, text,
};
use crate::graph::BuildReport;

/// One file format.
pub(super) trait Reader: Sync {
    /// Which one.
    fn format(&self) -> Format;

    /// Suffixes of file names, without the dot and without compression.
    fn suffixes(&self) -> &'static [&'static str];

    /// Whether a file that begins so can be nothing else.
    fn claims(&self, _head: &[u8]) -> bool {
        false
    }

    /// Whether a file of an unknown name looks like this.
    fn resembles(&self, _head: &[u8]) -> bool {
        false
    }

    /// Reads the file.
    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Content, LoadError>;

    /// Reads a file that was opened, for formats that do not need all of it
    /// in one piece.
    fn read_opened(&self, opened: Opened<'_>, options: &LoadOptions) -> Result<Content, LoadError> {
        self.read(&opened.into_input()?, options)
    }
}

/// What a file holds.
pub(super) enum Content {
    /// Edges, to be built into a graph.
    Edges(Parsed),
    /// A graph that needs no building.
    Graph(AnyGraph, BuildReport),
}

impl Content {
    /// The graph, built if necessary.
    pub fn build(
        self,
        path: &Path,
        format: Format,
        options: &LoadOptions,
    ) -> Result<Loaded, LoadError> {
        match self {
            Self::Edges(parsed) => parsed.build(path, format, options),
            Self::Graph(graph, report) => {
                let files = vec![path.to_owned()];
                Ok(Loaded { graph, format, report, files, notes: Vec::new() })
            }
        }
    }
}

/// The formats, in the order in which they are tried.
pub(super) const READERS: &[&dyn Reader] = &[
    &text::matrix_market::MatrixMarket,
    &text::dimacs::Dimacs,
    &text::metis::Metis,
    &graphalytics::Graphalytics,
    &bvgraph::BvGraph,
    &snapshot::Snapshot,
    #[cfg(feature = "parquet")]
    &super::parquet::Parquet,
    &text::edge_list::EdgeListFile,
];

/// Reads a file of this format.
///
/// # Errors
/// [`LoadError::NoChoice`] for options that mean nothing there, and what the
/// reader says.
pub(super) fn read(
    format: Format,
    opened: Opened<'_>,
    options: &LoadOptions,
) -> Result<Content, LoadError> {
    let path = || opened.path().to_owned();
    let no_choice = |option| LoadError::NoChoice { path: path(), format, option };
    if options.header != Header::Auto && format != Format::EdgeList {
        return Err(no_choice("header"));
    }
    if options.columns.is_some() && !matches!(format, Format::EdgeList | Format::Parquet) {
        return Err(no_choice("columns"));
    }
    let reader = READERS.iter().find(|reader| reader.format() == format);
    let missing = || LoadError::Feature { path: path(), what: format.name() };
    reader.ok_or_else(missing)?.read_opened(opened, options)
}
