//! The tutorial's program: how many hops is it to the nearest of several sites?
//!
//! `cargo run -p pregel-book --example nearest` runs it on a generated grid,
//! `… --example nearest FILE LIMIT SITE…` on a file.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use pregel_core::io::{self, LoadOptions};
use pregel_core::prelude::*;

/// Hops to the nearest site, counted up to a limit.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// The most hops that count as near.
    pub limit: u32,
}

/// The state of a vertex that no site has reached.
pub const FAR: u32 = u32::MAX;

impl Program for Nearest {
    type Input = u32; // 1 for a site, 0 for any other vertex
    type State = u32; // hops to the nearest site, or FAR
    type Signal = u32; // the same: edges read the hops
    type Edge = (); // edges carry no value
    type Combiner = Min<u32>; // of several offers the smallest counts
    type Aggregate = Sum<u64>; // vertices reached in a superstep
}

impl EdgeCompute for Nearest {
    fn edge_compute(&self, hops: &u32, _: Edge<()>) -> Option<u32> {
        Some(hops + 1)
    }
}

impl VertexCompute for Nearest {
    fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
        if context.input() == 0 {
            return (FAR, Vote::Halt);
        }
        context.contribute(1);
        (0, Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        hops: &mut u32,
        offer: Option<u32>,
        context: &mut Context<'_, Self>,
    ) -> Vote {
        let Some(offer) = offer.filter(|offer| offer < hops) else { return Vote::Halt };
        *hops = offer;
        context.contribute(1);
        if offer < self.limit { Vote::Scatter } else { Vote::Halt }
    }

    fn signal(&self, hops: &u32, _: &Context<'_, Self>) -> u32 {
        *hops
    }

    fn wants_message(&self, hops: &u32) -> bool {
        *hops == FAR
    }

    fn check(&self, _: &GraphFacts) -> Result<(), &'static str> {
        if self.limit > 0 { Ok(()) } else { Err("the limit must be at least 1 hop") }
    }
}

/// Runs the program from `sites`.
pub fn nearest<E: Engine>(
    engine: &E,
    graph: &Graph,
    sites: &[VertexId],
    limit: u32,
) -> Result<Outcome<Nearest>, RunError> {
    let mut inputs = vec![0; graph.vertex_count() as usize];
    for site in sites {
        inputs[*site as usize] = 1;
    }
    let mut session = engine.prepare::<Nearest>(graph, &RunOptions::default())?;
    session.run_with(&Nearest { limit }, &inputs)
}

/// From the four corners of a generated grid: how many vertices are how far away?
pub fn on_a_grid() -> Result<String, Box<dyn Error>> {
    let graph = "grid:rows=100,cols=100,drop=100".parse::<Spec>()?.plain()?;
    let outcome = nearest(&Cpu::new(), &graph, &[0, 99, 9900, 9999], 60)?;
    let mut text = String::new();
    for tens in 0..=6 {
        let near = outcome.states.iter().filter(|hops| **hops / 10 == tens).count();
        writeln!(text, "{:>2} to {:>2} hops: {near:>4} vertices", 10 * tens, 10 * tens + 9)?;
    }
    let far = outcome.states.iter().filter(|hops| **hops == FAR).count();
    writeln!(text, "farther:       {far:>4} vertices")?;
    writeln!(text, "{} supersteps, {:?}", outcome.report.supersteps, outcome.report.stop)?;
    Ok(text)
}

/// A file with one edge per line; sites by their names in the file.
pub fn on_a_file(path: &Path, limit: u32, sites: &[String]) -> Result<String, Box<dyn Error>> {
    let options = LoadOptions::default().with_directed(false);
    let graph = io::load(path, &options)?.graph.plain();
    let find = |name: &String| graph.ids().find(name).ok_or(format!("no vertex «{name}»"));
    let sites: Vec<VertexId> = sites.iter().map(find).collect::<Result<_, _>>()?;
    let outcome = nearest(&Cpu::new(), &graph, &sites, limit)?;
    let mut text = String::new();
    for (vertex, hops) in (0..).zip(&outcome.states) {
        let hops = if *hops == FAR { "far".to_owned() } else { hops.to_string() };
        writeln!(text, "{}\t{hops}", graph.ids().get(vertex))?;
    }
    Ok(text)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match &arguments[..] {
        [] => print!("{}", on_a_grid()?),
        [path, limit, sites @ ..] => {
            print!("{}", on_a_file(Path::new(path), limit.parse()?, sites)?)
        }
        _ => return Err("expected FILE LIMIT SITE… or nothing".into()),
    }
    Ok(())
}
