//! The example of the Pregel paper (Malewicz and others, SIGMOD 2010, Fig. 2), run step by step:
//! four vertices in a row look for their largest value.

use std::error::Error;

use pregel_algos::gallery::maximum::Maximum;
use pregel_core::engine::{Reference, Run, RunOptions, Session};
use pregel_core::graph::Graph;
use pregel_core::prelude::{Engine, VertexId, Vote};

const EDGES: [(VertexId, VertexId); 6] = [(0, 1), (1, 0), (1, 3), (2, 1), (2, 3), (3, 2)];
const VALUES: [u32; 4] = [3, 6, 2, 1];

/// What is known after a superstep.
pub struct Superstep {
    /// The value of each vertex.
    pub values: Vec<u32>,
    /// How each vertex voted.
    pub votes: Vec<Vote>,
    /// The edges that carried a message in this superstep, and the message.
    pub messages: Vec<(VertexId, VertexId, u32)>,
}

impl Superstep {
    /// Whether a vertex sends in the next superstep.
    pub fn scatters(&self, vertex: VertexId) -> bool {
        self.votes[vertex as usize].scatters()
    }
}

/// The graph of the example.
pub fn graph() -> Result<Graph, Box<dyn Error>> {
    Ok(Graph::from_edges(EDGES)?)
}

/// Every superstep of the run, on the reference engine.
pub fn run() -> Result<Vec<Superstep>, Box<dyn Error>> {
    let graph = graph()?;
    let mut session = Reference.prepare::<Maximum>(&graph, &RunOptions::default())?;
    let mut run = session.start(&Maximum, &VALUES)?;
    let mut steps: Vec<Superstep> = Vec::new();
    loop {
        let progress = run.advance(1)?;
        let saved = run.save()?;
        let mut messages = Vec::new();
        if let Some(last) = steps.last() {
            for from in (0..graph.vertex_count()).filter(|&v| last.scatters(v)) {
                let value = last.values[from as usize];
                messages.extend(graph.out().row(from).iter().map(|&to| (from, to, value)));
            }
        }
        steps.push(Superstep { values: saved.states, votes: saved.votes, messages });
        if progress.has_ended() {
            return Ok(steps);
        }
    }
}
