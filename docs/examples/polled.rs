//! A run in a thread of its own, which its caller polls. A binding for Python would wrap
//! something like it.
//!
//! `cargo run -p pregel-book --example polled`
//!
//! A session borrows its graph and a run borrows its session, which Python objects cannot do.
//! So one thread owns all three, and the caller has a [`Polled`] without lifetimes. It can be
//! kept anywhere, and only [`Polled::join`] waits for the end of the run.

use std::error::Error;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use pregel_algos::pagerank::PageRank;
use pregel_core::engine::{
    Cancel, Cpu, Engine, Outcome, Progress, Run, RunError, RunOptions, Saved, Session,
};
use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;
use pregel_core::program::VertexCompute;

/// A request for a copy of the run: where to send it.
type Request<P> = Sender<Result<Saved<P>, RunError>>;

/// A run in another thread.
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct Polled<P: VertexCompute> {
    progress: Arc<Mutex<Progress>>,
    requests: Sender<Request<P>>,
    cancel: Cancel,
    thread: JoinHandle<Result<Outcome<P>, RunError>>,
}

impl<P: VertexCompute> Polled<P> {
    /// Starts a run, or resumes the one in `saved`. Returns at once; [`join`](Self::join)
    /// reports all errors.
    pub fn start<E: Engine + Send + 'static>(
        engine: E,
        graph: Graph<P::Edge>,
        program: P,
        inputs: Vec<P::Input>,
        saved: Option<Saved<P>>,
        options: &RunOptions,
    ) -> Self {
        let cancel = Cancel::new();
        let options = options.clone().with_cancel(cancel.clone());
        let progress = Arc::new(Mutex::new(Progress::new(None, None)));
        let (requests, asked) = channel();
        let told = Arc::clone(&progress);
        let thread = thread::spawn(move || {
            let mut session = engine.prepare::<P>(&graph, &options)?;
            let run = match &saved {
                Some(saved) => session.resume(&program, &inputs, saved)?,
                None => session.start(&program, &inputs)?,
            };
            work(run, &told, &asked)
        });
        Self { progress, requests, cancel, thread }
    }

    /// How far the run has got. Does not wait for it.
    pub fn progress(&self) -> Progress {
        *self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A copy of the run, which any engine can resume later; `None` if the run has ended or
    /// failed. Waits for the supersteps in progress.
    pub fn save(&self) -> Option<Saved<P>> {
        let (answer, answered) = channel();
        self.requests.send(answer).ok()?;
        // If the thread ends first, it drops the request, and receiving fails.
        answered.recv().ok()?.ok()
    }

    /// Asks the run to end; [`join`](Self::join) then returns [`RunError::Cancelled`].
    pub fn cancel(&self) {
        self.cancel.cancel();
    }

    /// Whether [`join`](Self::join) would return at once.
    pub fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }

    /// Waits for the end of the run.
    ///
    /// # Panics
    /// If the thread panicked.
    pub fn join(self) -> Result<Outcome<P>, RunError> {
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// About how long the thread works before it looks for requests.
const TURN: Duration = Duration::from_millis(50);

/// Advances the run to its end, and answers requests on the way.
fn work<P: VertexCompute>(
    mut run: impl Run<P>,
    told: &Mutex<Progress>,
    asked: &Receiver<Request<P>>,
) -> Result<Outcome<P>, RunError> {
    // Engines are faster with many supersteps at a time, so this doubles their number until
    // they take about a turn.
    let mut at_most = 1u32;
    loop {
        let start = Instant::now();
        let progress = run.advance(at_most)?;
        at_most = if start.elapsed() < TURN { at_most.saturating_mul(2) } else { at_most / 2 };
        at_most = at_most.max(1);
        *told.lock().unwrap_or_else(PoisonError::into_inner) = progress;
        for answer in asked.try_iter() {
            // Fails if the caller no longer waits for the answer.
            let _ = answer.send(run.save());
        }
        if progress.has_ended() {
            return run.finish();
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let graph = "rmat:scale=12".parse::<Spec>()?.plain()?;
    // With a tolerance of 0, it runs until it is cancelled.
    let program = PageRank::<f32>::new(0.85, 0.0);
    let options = RunOptions::default();
    let polled = Polled::start(Cpu::new(), graph.clone(), program, Vec::new(), None, &options);
    while polled.progress().superstep < Some(20) && !polled.is_finished() {
        thread::sleep(Duration::from_millis(10));
    }
    let saved = polled.save().ok_or("the run has ended")?;
    println!("saved after superstep {}", saved.superstep);
    polled.cancel();
    if let Err(error) = polled.join() {
        println!("{error}");
    }

    let options = options.with_max_supersteps(saved.superstep + 5);
    let polled = Polled::start(Cpu::new(), graph, program, Vec::new(), Some(saved), &options);
    let outcome = polled.join()?;
    println!("{} 5 supersteps later", outcome.report.stop.name());
    Ok(())
}
