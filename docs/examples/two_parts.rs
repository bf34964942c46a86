//! One graph in two parts, as a cluster would compute it. Each part has a thread, which
//! stands for a process on a machine of its own: it reads the graph itself and shares
//! nothing with the other. Everything they exchange goes through channels.
//!
//! `cargo run -p pregel-book --example two_parts`

use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use pregel_algos::pagerank::PageRank;
use pregel_core::engine::part::{Parcel, PartEngine, PartRun, PartSession, Partition, Tally};
use pregel_core::engine::{Engine, Outcome, Reference, Run, RunOptions};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::{Spec, SpecError};
use pregel_core::program::{Message, VertexCompute, VertexId};

/// Why a thread failed.
type Failure = Box<dyn Error + Send + Sync>;

/// What a part sends to every part after a superstep. Both fields are plain data, which could
/// go over a network as bytes.
struct Letter<P: VertexCompute> {
    tally: Tally<P>,
    /// Messages to vertices of the receiver, combined by target.
    messages: Parcel<Message<P>>,
}

/// The channels of one part, in the order of the parts. One leads back to the part itself, so
/// that it handles its own tally like all others.
struct Links<P: VertexCompute> {
    to: Vec<Sender<Letter<P>>>,
    from: Vec<Receiver<Letter<P>>>,
}

/// A channel from every part to every part. With one channel per pair, supersteps cannot be
/// mixed up: a fast part may send its next letter before others have sent their last.
fn links<P: VertexCompute>(count: u32) -> Vec<Links<P>> {
    let mut links: Vec<_> =
        (0..count).map(|_| Links { to: Vec::new(), from: Vec::new() }).collect();
    for sender in 0..count as usize {
        for receiver in 0..count as usize {
            let (to, from) = channel();
            links[sender].to.push(to);
            links[receiver].from.push(from);
        }
    }
    links
}

/// What has to happen between two supersteps. The tally travels with the messages, which saves
/// a second round of letters. After the last superstep, the messages are not needed.
fn exchange<P: VertexCompute>(run: &mut impl PartRun<P>, links: &Links<P>) -> Result<(), Failure> {
    let tally = run.tally()?;
    for (to, messages) in links.to.iter().zip(run.take_messages()?) {
        to.send(Letter { tally, messages }).map_err(|_| "another part has failed")?;
    }
    let mut all: Option<Tally<P>> = None;
    for from in &links.from {
        let Letter { tally, messages } = from.recv().map_err(|_| "another part has failed")?;
        // Every part combines in the same order, so all get the same bits.
        all = Some(all.map_or(tally, |all| all.combine(tally)));
        run.put_messages(&messages)?;
    }
    run.agree(&all.ok_or("there are no parts")?)?;
    Ok(())
}

/// Deals the vertices in groups of 32. If neighbours have similar ids, ranges would keep more
/// edges within a part.
fn partition() -> Partition {
    Partition::dealt(2, 32)
}

type Ranks = PageRank<f64>;

fn ranks() -> Ranks {
    Ranks::new(0.85, 1e-9)
}

fn graph() -> Result<Graph, SpecError> {
    "rmat:scale=10".parse::<Spec>()?.plain()
}

/// One process of the cluster.
fn run_part(index: u32, links: &Links<Ranks>) -> Result<Outcome<Ranks>, Failure> {
    let (graph, part) = (graph()?, partition().part(index));
    let mut session = Reference.prepare_part::<Ranks>(&graph, &part, &RunOptions::default())?;
    let mut run = session.start(&ranks(), &[])?;
    while !run.advance(1)?.has_ended() {
        exchange(&mut run, links)?;
    }
    // The ranks of the part's own vertices.
    Ok(run.finish()?)
}

/// The rank of every vertex, computed in two parts.
pub fn in_two_parts() -> Result<Vec<f64>, Failure> {
    let start = |(index, links)| thread::spawn(move || run_part(index, &links));
    // Collected first, so that all threads start before the first is joined.
    let threads: Vec<_> = (0..).zip(links(partition().count())).map(start).collect();
    let mut parts = Vec::new();
    for thread in threads {
        let outcome = thread.join().map_err(|_| "a part has panicked")??;
        println!(
            "part {}: {} vertices, {} supersteps, {} messages, {}",
            parts.len(),
            outcome.states.len(),
            outcome.report.supersteps,
            outcome.report.messages,
            outcome.report.stop.name()
        );
        parts.push(outcome.states);
    }
    Ok(partition().join(&parts)?)
}

/// The same, computed on the whole graph at once.
pub fn whole() -> Result<Vec<f64>, Failure> {
    Ok(Reference.run(&graph()?, &ranks(), &RunOptions::default())?.states)
}

fn main() -> Result<(), Failure> {
    let (parts, whole) = (in_two_parts()?, whole()?);
    // Sums of floats are rounded differently.
    let difference = parts.iter().zip(&whole).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let highest = (0..).zip(&parts).max_by(|(_, a), (_, b)| a.total_cmp(b));
    let (vertex, rank): (VertexId, _) = highest.ok_or("the graph is empty")?;
    println!("highest rank: {rank:.6} at vertex {vertex}");
    println!("largest difference to the whole graph: {difference:.1e}");
    Ok(())
}
