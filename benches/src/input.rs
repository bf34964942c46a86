//! Graphs that are named on a command line.

use std::error::Error;
use std::path::{Path, PathBuf};

use pregel_core::graph::generate::{Spec, draw_weights};
use pregel_core::graph::{Duplicates, Graph, GraphBuilder, SelfLoops};
use pregel_core::io::{self, AnyGraph, LoadOptions};
use pregel_core::program::VertexId;

/// The largest weight of a graph that comes without any, as of generated ones.
const LARGEST_WEIGHT: u32 = 255;

/// The folder of real graphs: `PREGEL_DATA`, otherwise `../shared/data` next to the
/// checkout.
pub fn data_folder() -> PathBuf {
    std::env::var_os("PREGEL_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data")),
        PathBuf::from,
    )
}

/// A graph and where searches on it begin.
#[derive(Debug)]
pub struct Input {
    /// Its name on the command line.
    pub name: String,
    /// With its own weights, otherwise with integers from 1 to 255 drawn for its edges.
    pub weighted: Graph<f32>,
    /// The same rows without weights.
    pub plain: Graph<()>,
    /// The source of searches.
    pub source: VertexId,
}

impl Input {
    /// Generates or reads the graph that `name` stands for:
    ///
    /// * a [`Spec`], with its own source;
    /// * `star:n=N`, whose hub is joined to N - 1 leaves; with `,sym=0` the edges lead from
    ///   the hub, with `,sym=0,in=1` to the hub;
    /// * a file, or one in [`data_folder`], that [`io::load`] can read; with `,sym=1` read
    ///   as undirected, each edge once and without self-loops, with `,sym=0` as directed.
    ///
    /// Where there is no spec to name one, the source is the vertex with the most
    /// out-edges, of several the first.
    ///
    /// # Errors
    /// If the name is not understood or the graph cannot be made.
    pub fn open(name: &str) -> Result<Self, Box<dyn Error>> {
        if Spec::recognises(name) {
            let spec: Spec = name.parse()?;
            let weighted = spec.weighted()?;
            let source = spec.sources(&weighted, 1).first().copied().unwrap_or(0);
            let plain = weighted.without_values();
            return Ok(Self { name: name.to_owned(), weighted, plain, source });
        }
        let weighted = match name.strip_prefix("star:") {
            Some(options) => draw_weights(&star(options)?, LARGEST_WEIGHT, 1),
            None => load(name)?,
        };
        let plain = weighted.without_values();
        let source = busiest(&plain);
        // Without the folders, which say little.
        let name = name.rsplit('/').next().unwrap_or(name).to_owned();
        Ok(Self { name, weighted, plain, source })
    }

    /// The graph with integer weights from 1 to `largest`; all 1 if that is 1.
    pub fn reweighted(&self, largest: u32) -> Graph<f32> {
        draw_weights(&self.plain, largest, 1)
    }
}

/// Reads a file, and draws weights if it has none.
fn load(name: &str) -> Result<Graph<f32>, Box<dyn Error>> {
    let (path, directed) = split(name);
    let near = Path::new(path);
    let path = if near.exists() { near.to_path_buf() } else { data_folder().join(path) };
    let mut options = LoadOptions::default().with_directed(directed);
    if directed == Some(false) {
        // A directed file may have an edge in both directions.
        options = options.with_duplicates(Duplicates::First).with_self_loops(SelfLoops::Drop);
    }
    let loaded = io::load(&path, &options)?;
    Ok(match loaded.graph {
        AnyGraph::Plain(graph) => draw_weights(&graph, LARGEST_WEIGHT, 1),
        AnyGraph::Weighted(graph) => graph,
    })
}

/// The path and whether to read the file as directed, if the name says so.
fn split(name: &str) -> (&str, Option<bool>) {
    for (suffix, directed) in [(",sym=0", true), (",sym=1", false)] {
        if let Some(path) = name.strip_suffix(suffix) {
            return (path, Some(directed));
        }
    }
    (name, None)
}

/// A hub, vertex 0, and leaves.
fn star(options: &str) -> Result<Graph, Box<dyn Error>> {
    let (mut vertices, mut directed, mut inward) = (None, false, false);
    for option in options.split(',') {
        match option.split_once('=') {
            Some(("n", number)) => vertices = Some(number.parse::<u32>()?),
            Some(("sym", "0" | "1")) => directed = option == "sym=0",
            Some(("in", "0" | "1")) => inward = option == "in=1",
            _ => return Err(format!("star: «{option}» is none of n=N, sym=0|1, in=0|1").into()),
        }
    }
    let vertices = vertices.ok_or("star: the option n=VERTICES is missing")?;
    let edges = (1..vertices).map(|leaf| if inward { (leaf, 0) } else { (0, leaf) });
    let builder = GraphBuilder::new().with_directed(directed).with_vertex_count(vertices);
    Ok(builder.with_edges(edges).build()?)
}

/// The first of the vertices with the most out-edges; 0 if there are no vertices.
fn busiest(graph: &Graph) -> VertexId {
    let best = (0..graph.vertex_count()).rev().max_by_key(|vertex| graph.out().degree(*vertex));
    best.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_have_the_direction_asked_for() {
        let degrees = |name: &str| {
            let input = Input::open(name).unwrap();
            let (out, incoming) = (input.plain.out(), input.plain.incoming());
            (out.degree(0), incoming.degree(0), input.source)
        };
        assert_eq!(degrees("star:n=9"), (8, 8, 0));
        assert_eq!(degrees("star:n=9,sym=0"), (8, 0, 0));
        assert_eq!(degrees("star:n=9,sym=0,in=1"), (0, 8, 1));
        assert!(Input::open("star:n=9,hub=1").is_err());
        assert!(Input::open("star:sym=1").is_err());
    }

    #[test]
    fn files_are_read_as_directed_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("edges.txt");
        std::fs::write(&file, "0 1\n1 2\n1 3\n").unwrap();
        let file = file.to_str().unwrap();
        let open = |suffix| Input::open(&format!("{file}{suffix}")).unwrap();
        assert_eq!(open("").plain.edge_count(), 3);
        assert_eq!(open(",sym=0").plain.edge_count(), 3);
        let both = open(",sym=1");
        assert_eq!((both.plain.edge_count(), both.source), (6, 1));
        assert_eq!(both.name, "edges.txt,sym=1");
        assert!(both.weighted.out_values().iter().all(|w| (1.0..=255.0).contains(w)));
        assert!(both.reweighted(1).out_values().iter().all(|w| *w == 1.0));
    }

    #[test]
    fn weights_of_a_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("edges.txt");
        std::fs::write(&file, "0 1 2.5\n").unwrap();
        assert_eq!(Input::open(file.to_str().unwrap()).unwrap().weighted.out_values(), [2.5]);
    }
}
