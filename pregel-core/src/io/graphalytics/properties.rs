//! The `.properties` file of an LDBC Graphalytics data set.

use std::path::{Path, PathBuf};

use crate::io::input::Input;
use crate::io::text::{Text, shown};
use crate::io::{LoadError, LoadOptions, PropertyError};

/// What a `.properties` file says about its graph and the runs on it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Properties {
    /// The name of the data set.
    pub name: String,
    /// The file with one vertex per line, relative to the `.properties` file.
    pub vertex_file: Option<String>,
    /// The file with one edge per line, relative to the `.properties` file.
    pub edge_file: Option<String>,
    /// Number of vertices.
    pub vertices: Option<u64>,
    /// Number of edges.
    pub edges: Option<u64>,
    /// Whether edges have a direction.
    pub directed: bool,
    /// Whether edges have a property, the weight.
    pub weighted: bool,
    /// The names of the edges' properties; the first is read as the weight.
    pub edge_properties: Vec<String>,
    /// The algorithms to run, as the file calls them.
    pub algorithms: Option<Vec<String>>,
    /// Where BFS starts.
    pub bfs_source: Option<u64>,
    /// Where SSSP starts.
    pub sssp_source: Option<u64>,
    /// The edge property that SSSP takes as the length.
    pub sssp_weight: Option<String>,
    /// Supersteps of CDLP.
    pub cdlp_iterations: Option<u64>,
    /// Iterations of PageRank.
    pub pagerank_iterations: Option<u64>,
    /// Damping factor of PageRank.
    pub pagerank_damping: Option<f64>,
    path: PathBuf,
    /// Line, key without `graph.NAME.`, and value.
    lines: Vec<(u64, String, String)>,
}

impl Properties {
    /// Reads a `.properties` file.
    ///
    /// # Errors
    /// [`LoadError::Property`] when it does not describe a graph.
    pub fn read(path: &Path) -> Result<Self, LoadError> {
        Self::parse(&Input::read(path, &LoadOptions::default())?)
    }

    pub(super) fn parse(input: &Input<'_>) -> Result<Self, LoadError> {
        let text = Text::new(input, "a .properties file")?;
        let failed = |problem| LoadError::Property { path: input.path.clone(), problem };
        let properties = Table::of(&text).and_then(|table| table.properties());
        let mut properties = properties.map_err(failed)?;
        properties.path = input.path.clone();
        Ok(properties)
    }

    /// The error that the value of `key` (without `graph.NAME.`) is not what it has to be; with
    /// its line, or that there is none.
    pub fn refuse(&self, key: &str, expected: &'static str) -> LoadError {
        let full = format!("graph.{}.{key}", self.name);
        let problem = match self.lines.iter().find(|(_, other, _)| other == key) {
            None => PropertyError::Missing { key: full },
            Some((line, _, value)) => PropertyError::Value {
                line: *line,
                key: full,
                expected,
                found: shown(value.as_bytes()),
            },
        };
        LoadError::Property { path: self.path.clone(), problem }
    }

    /// Refuses data whose counts are not those in the file.
    pub(super) fn check_counts(&self, vertices: u64, edges: u64) -> Result<(), LoadError> {
        let counts = [("vertices", self.vertices, vertices), ("edges", self.edges, edges)];
        for (what, promised, found) in counts {
            if let Some(promised) = promised.filter(|promised| *promised != found) {
                let key = format!("graph.{}.meta.{what}", self.name);
                let problem = PropertyError::Count { key, promised, found };
                return Err(LoadError::Property { path: self.path.clone(), problem });
            }
        }
        Ok(())
    }
}

/// The lines `graph.NAME.KEY = VALUE`.
struct Table<'a> {
    name: &'a str,
    lines: Vec<(u64, &'a str, &'a str)>,
}

impl<'a> Table<'a> {
    fn of(text: &Text<'a>) -> Result<Self, PropertyError> {
        let mut found: Option<&str> = None;
        let mut lines = Vec::new();
        for (number, (_, line)) in (1..).zip(text.lines(0)) {
            if line.is_empty() || matches!(line[0], b'#' | b'!') {
                continue;
            }
            let Some((key, value)) =
                std::str::from_utf8(line).ok().and_then(|line| line.split_once('='))
            else {
                return Err(PropertyError::Value {
                    line: number,
                    key: shown(line),
                    expected: "«KEY = VALUE»",
                    found: shown(line),
                });
            };
            let Some(rest) = key.trim().strip_prefix("graph.") else { continue };
            // The name may contain dots; the first known key shows where it ends.
            let name = match found {
                Some(name) => name,
                None => match KEYS.iter().find_map(|known| rest.strip_suffix(known)) {
                    Some(name) => *found.insert(name),
                    None => continue,
                },
            };
            let key = rest.strip_prefix(name).and_then(|key| key.strip_prefix('.'));
            lines.extend(key.map(|key| (number, key, value.trim())));
        }
        Ok(Self { name: found.ok_or(PropertyError::NoGraph)?, lines })
    }

    fn get<T>(
        &self,
        key: &str,
        expected: &'static str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, PropertyError> {
        let Some((line, _, value)) = self.lines.iter().find(|(_, other, _)| *other == key) else {
            return Ok(None);
        };
        let wrong = || PropertyError::Value {
            line: *line,
            key: format!("graph.{}.{key}", self.name),
            expected,
            found: shown(value.as_bytes()),
        };
        parse(value).map(Some).ok_or_else(wrong)
    }

    fn properties(&self) -> Result<Properties, PropertyError> {
        let text = |key| self.get(key, "a name", |value| Some(value.to_owned()));
        let count = |key| self.get(key, "a non-negative integer", |value| value.parse().ok());
        let directed = self.get("directed", "true or false", |value| value.parse().ok())?;
        let missing = || PropertyError::Missing { key: format!("graph.{}.directed", self.name) };
        let damping = self.get("pr.damping-factor", "a number from 0 to 1", |value| {
            value.parse().ok().filter(|factor| (0.0..=1.0).contains(factor))
        });
        let names = |key| {
            let names = |text: String| {
                let names = text.split(',').map(str::trim).filter(|name| !name.is_empty());
                names.map(str::to_owned).collect::<Vec<_>>()
            };
            Ok::<_, PropertyError>(text(key)?.map(names))
        };
        let edge_properties = names("edge-properties.names")?.unwrap_or_default();
        let lines = self.lines.iter();
        Ok(Properties {
            name: self.name.to_owned(),
            vertex_file: text("vertex-file")?,
            edge_file: text("edge-file")?,
            vertices: count("meta.vertices")?,
            edges: count("meta.edges")?,
            directed: directed.ok_or_else(missing)?,
            weighted: !edge_properties.is_empty(),
            edge_properties,
            algorithms: names("algorithms")?,
            bfs_source: count("bfs.source-vertex")?,
            sssp_source: count("sssp.source-vertex")?,
            sssp_weight: text("sssp.weight-property")?,
            cdlp_iterations: count("cdlp.max-iterations")?,
            pagerank_iterations: count("pr.num-iterations")?,
            pagerank_damping: damping?,
            path: PathBuf::new(),
            lines: lines
                .map(|(line, key, value)| (*line, (*key).into(), (*value).into()))
                .collect(),
        })
    }
}

/// Keys of which one comes first; what is before it is the name of the data set.
const KEYS: &[&str] = &[".vertex-file", ".edge-file", ".meta.vertices", ".meta.edges", ".directed"];
