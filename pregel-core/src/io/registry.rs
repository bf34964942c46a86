//! Every format that can be read.

use std::path::Path;

use super::assemble::Parsed;
use super::input::Input;
use super::{AnyGraph, Format, LoadError, LoadOptions, Loaded, graphalytics, snapshot, text};
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
}

/// What a file holds.
pub(super) enum Content {
    /// Edges, to be built into a graph.
    Edges(Parsed),
    /// A graph that needs no building.
    Graph(AnyGraph, BuildReport),
}

impl Content {
    /// The graph, built if need be.
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
    &snapshot::Snapshot,
    #[cfg(feature = "parquet")]
    &super::parquet::Parquet,
    &text::edge_list::EdgeListFile,
];

/// The reader of a format.
pub(super) fn reader(format: Format, path: &Path) -> Result<&'static dyn Reader, LoadError> {
    let found = READERS.iter().find(|reader| reader.format() == format);
    found.copied().ok_or(LoadError::Feature { path: path.to_owned(), what: format.name() })
}
