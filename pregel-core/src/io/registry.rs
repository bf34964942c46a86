//! Every format that can be read.

use std::path::Path;

use super::input::Input;
use super::{Format, LoadError, LoadOptions, Loaded, graphalytics, snapshot, text};

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

    /// Reads the graph.
    fn read(&self, input: &Input<'_>, options: &LoadOptions) -> Result<Loaded, LoadError>;
}

/// The formats, in the order in which they are tried.
pub(super) const READERS: &[&dyn Reader] = &[
    &text::matrix_market::MatrixMarket,
    &text::dimacs::Dimacs,
    &text::metis::Metis,
    &graphalytics::Graphalytics,
    &snapshot::Snapshot,
    &text::edge_list::EdgeListFile,
];

/// The reader of a format.
pub(super) fn reader(format: Format, path: &Path) -> Result<&'static dyn Reader, LoadError> {
    let found = READERS.iter().find(|reader| reader.format() == format);
    found.copied().ok_or(LoadError::Feature { path: path.to_owned(), what: format.name() })
}
