//! The data sets of a folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use pregel_core::graph::{Graph, Ids};
use pregel_core::io::graphalytics::Properties;
use pregel_core::io::{AnyGraph, LoadError, LoadOptions, Note, load};

use super::task::{Algorithm, Task};
use crate::ReplicationError;

/// A graph that is not read yet: what its properties say.
pub struct DataSet {
    /// What its files have in common.
    pub name: String,
    path: PathBuf,
    pub properties: Properties,
    pub tasks: Vec<Task>,
}

/// A graph in memory, ready for every engine.
pub struct Ready {
    pub plain: Graph,
    /// If it has weights.
    pub weighted: Option<Graph<f32>>,
    /// Lines of the edge file: an undirected edge counts once.
    pub edges: u64,
    pub load_seconds: f64,
    pub notes: Vec<Note>,
}

/// Reads the properties of all data sets in a folder and in its folders, one level deep, in the
/// order of their names.
///
/// # Errors
/// If a folder cannot be read, there is no data set, or properties are wrong.
pub fn find(folder: &Path) -> Result<Vec<DataSet>, ReplicationError> {
    let mut paths = Vec::new();
    for entry in entries(folder)? {
        if entry.is_dir() {
            paths.extend(entries(&entry)?);
        } else {
            paths.push(entry);
        }
    }
    let is_properties = |path: &PathBuf| path.extension().is_some_and(|end| end == "properties");
    paths.retain(|path| is_properties(path) && path.is_file());
    paths.sort_by(|a, b| a.file_name().cmp(&b.file_name()).then_with(|| a.cmp(b)));
    let sets = paths.into_iter().map(DataSet::open).collect::<Result<Vec<_>, _>>()?;
    if sets.is_empty() {
        return Err(ReplicationError::NoDataSet { path: folder.to_owned() });
    }
    Ok(sets)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, ReplicationError> {
    let failed = |source| ReplicationError::Read { path: folder.to_owned(), source };
    let entries = fs::read_dir(folder).map_err(failed)?;
    entries.map(|entry| entry.map(|entry| entry.path()).map_err(failed)).collect()
}

impl DataSet {
    fn open(path: PathBuf) -> Result<Self, LoadError> {
        let properties = Properties::read(&path)?;
        let tasks = Task::all(&properties)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { name, path, properties, tasks })
    }

    /// Vertices and edges, as far as the properties say.
    pub fn promised_size(&self) -> Option<u64> {
        Some(self.properties.vertices?.saturating_add(self.properties.edges?))
    }

    /// Where the reference output of an algorithm is, if it is there.
    pub fn reference(&self, algorithm: Algorithm) -> Option<PathBuf> {
        let path = self.path.with_file_name(format!("{}-{}", self.name, algorithm.acronym()));
        path.is_file().then_some(path)
    }

    /// Reads and builds the graph, with its rows by target, which engines need of a directed
    /// one. O(V + E), and a sort.
    ///
    /// # Errors
    /// [`LoadError`], with the file and the line.
    pub fn load(&self) -> Result<Ready, LoadError> {
        let begin = Instant::now();
        let loaded = load(&self.path, &LoadOptions::default())?;
        let plain = loaded.graph.plain();
        plain.incoming();
        let weighted = match loaded.graph {
            AnyGraph::Weighted(graph) => Some(graph),
            AnyGraph::Plain(_) => None,
        };
        if let Some(graph) = &weighted {
            graph.incoming_values();
        }
        Ok(Ready {
            plain,
            weighted,
            edges: loaded.report.read,
            load_seconds: begin.elapsed().as_secs_f64(),
            notes: loaded.notes,
        })
    }
}

impl Ready {
    /// The user's ids of the vertices.
    pub fn ids(&self) -> &Ids {
        self.plain.ids()
    }

    pub fn vertices(&self) -> u64 {
        self.plain.vertex_count().into()
    }
}
