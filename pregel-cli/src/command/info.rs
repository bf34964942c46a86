//! `pregel info`

use anyhow::Result;
use pregel_core::engine::{ConnectedComponents, Cpu, Solve, SolveOptions};
use pregel_core::graph::{Csr, DegreeStats, Graph, edge_hash};
use pregel_core::io::AnyGraph;

use crate::algorithm;
use crate::args::{self, InfoArgs};
use crate::command::fits;
use crate::command::threads::use_threads;
use crate::groups::{Groups, range_of_bin};
use crate::input::{Input, describe_ids};
use crate::job::InfoJob;
use crate::output::{Target, print};
use crate::plot;
use crate::progress::Progress;
use crate::text::{Align, Table, count, histogram, percent, short, thousands};

/// Describes a graph, or says what a run on it would take.
pub fn execute(args: InfoArgs) -> Result<()> {
    if let Some(text) = &args.fits {
        let run = args::parse_run(text, args.engine, &algorithm::facts())?;
        return fits::execute(run, text, args.graph);
    }
    let progress = Progress::new(args.graph.common.quiet);
    let job = InfoJob::new(&args)?;
    use_threads(args.graph.common.threads)?;
    let outputs: Vec<_> = job.plot.iter().filter_map(Target::file).collect();
    let input = Input::load(&job.graph, &outputs, &progress)?;
    progress.stage("counting");
    let graph = input.plain();
    let mut facts = Table::new(&[Align::Left, Align::Left]);
    facts.row(["graph", &input.name]);
    counts(&mut facts, &graph);
    facts.row(["ids", &describe_ids(graph.ids())]);
    weights(&mut facts, &input.graph);
    components(&mut facts, &graph)?;
    let incoming = DegreeStats::of(graph.incoming());
    receivers(&mut facts, &incoming, graph.vertex_count().into());
    let mut text = facts.to_string();
    if graph.directed() {
        text += &degrees("out-degree", &DegreeStats::of(graph.out()));
        text += &degrees("in-degree", &incoming);
    } else {
        text += &degrees("degree", &incoming);
    }
    let picture = job.plot.is_some().then(|| plot::degrees(&input.name, &graph)).transpose()?;
    if let (Some(plot), Some(picture)) = (&job.plot, picture) {
        plot.write(|out| out.write_all(picture.as_bytes()))?;
    }
    progress.clear();
    if job.plot == Some(Target::Stdout) {
        progress.tell(&text);
        return Ok(());
    }
    print(&text)
}

/// Adds the numbers of vertices, edges, self-loops and duplicates.
fn counts(facts: &mut Table, graph: &Graph<()>) {
    let edges = graph.edge_count();
    let (loops, duplicates) = special_edges(graph.out());
    facts.row(["vertices", &thousands(graph.vertex_count().into())]);
    if graph.directed() {
        facts.row(["edges", &format!("{}, directed", thousands(edges))]);
    } else {
        let pairs = thousands((edges + loops) / 2);
        let stored = thousands(edges);
        facts.row(["edges", &format!("{pairs}, undirected ({stored} counted both ways)")]);
    }
    facts.row(["self-loops", &thousands(loops)]);
    facts.row(["duplicates", &thousands(duplicates)]);
    facts.row(["edge hash", &format!("{:016x}", edge_hash(graph))]);
}

/// Counts self-loops, and edges beyond the first between the same vertices, as
/// stored.
fn special_edges(rows: &Csr) -> (u64, u64) {
    let (mut loops, mut duplicates) = (0, 0);
    for v in 0..rows.vertex_count() {
        let row = rows.row(v);
        loops += row.iter().filter(|target| **target == v).count() as u64;
        if row.is_sorted() {
            duplicates += row.windows(2).filter(|pair| pair[0] == pair[1]).count() as u64;
        } else {
            let mut sorted = row.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            duplicates += (row.len() - sorted.len()) as u64;
        }
    }
    (loops, duplicates)
}

fn weights(facts: &mut Table, graph: &AnyGraph) {
    let text = match graph {
        AnyGraph::Weighted(graph) if graph.edge_count() > 0 => {
            let values = graph.out_values();
            let min = values.iter().copied().fold(f32::INFINITY, f32::min);
            let max = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            let sum: f64 = values.iter().map(|weight| f64::from(*weight)).sum();
            let mean = short(sum / values.len() as f64);
            format!("{} to {}, mean {mean}", short(min.into()), short(max.into()))
        }
        _ => "none".into(),
    };
    facts.row(["weights", &text]);
}

fn components(facts: &mut Table, graph: &Graph<()>) -> Result<()> {
    let labels = Cpu::new().solve(ConnectedComponents, graph, &SolveOptions::default())?.answer;
    let groups = Groups::of(&labels);
    let n = graph.vertex_count().into();
    let largest = groups.sizes.first().map_or(String::new(), |(label, size)| {
        let (id, share) = (graph.ids().get(*label), percent(*size, n));
        format!(
            ", the largest with {} ({share}), {id} among them",
            count(*size, "vertex", "vertices")
        )
    });
    facts.row(["components", &format!("{}{largest}", thousands(groups.sizes.len() as u64))]);
    Ok(())
}

/// Adds η: to these vertices, messages can come from several senders, so that there is
/// something to combine.
fn receivers(facts: &mut Table, incoming: &DegreeStats, vertices: u64) {
    let above = incoming.above_one();
    let (share, above) = (percent(above, vertices), count(above, "vertex", "vertices"));
    facts.row(["η", &format!("{share}, {above} with in-degree > 1")]);
}

fn degrees(title: &str, stats: &DegreeStats) -> String {
    let bins = stats.histogram.iter().enumerate();
    let table = histogram(title, "vertices", bins.map(|(bin, size)| (range_of_bin(bin), *size)));
    format!(
        "\n{title}: min {}, median {}, mean {}, max {}\n\n{table}",
        thousands(stats.min),
        thousands(stats.median),
        short(stats.mean),
        thousands(stats.max)
    )
}
