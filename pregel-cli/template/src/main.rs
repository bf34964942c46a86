//! The command `{{name}}`: `{{name}} --help` lists its options.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use pregel_cli::clap::{self, Args};
use pregel_cli::{App, Error, Values, find_vertex};
use pregel_core::graph::Graph;

use {{crate}}_programs::{Hops, UNREACHED};

// `images()`: the kernels of the programs, part of this executable.
include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// The options of this program. Those of every program, such as the graph, the engine and the
/// output, are added.
#[derive(Args, Debug)]
struct Options {
    /// Where the paths begin
    #[arg(long, value_name = "ID")]
    source: String,
    /// How far to go [default: as far as there are paths]
    #[arg(long, value_name = "N", default_value_t = UNREACHED, hide_default_value = true)]
    most: u32,
}

impl App for Options {
    type Program = Hops;
    const NAME: &str = "{{name}}";
    const ABOUT: &str = "Number of edges from a source";
    const VERIFIES: bool = true;

    fn program(&self, graph: &Graph) -> Result<Hops, Error> {
        Ok(Hops {
            source: find_vertex(graph, &self.source)?,
            most: self.most,
        })
    }

    fn values(&self, _: &Graph, states: Vec<u32>) -> Values {
        Values::levels(states)
    }

    /// What `--verify` checks: an edge leads at most one hop further.
    fn verify(&self, graph: &Graph, hops: &[u32]) -> Result<(), String> {
        for source in (0..graph.vertex_count()).filter(|v| hops[*v as usize] < self.most) {
            for target in graph.out().row(source) {
                if hops[*target as usize] > hops[source as usize] + 1 {
                    let [source, target] = [source, *target].map(|v| graph.ids().get(v));
                    return Err(format!("the edge {source} → {target} is a shorter way"));
                }
            }
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    pregel_cli::run::<Options>(images())
}
