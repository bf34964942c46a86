//! Engines: what runs a vertex program on a graph.
//!
//! An [`Engine`] prepares a [`Session`] from a graph once. The session then runs
//! programs on it as often as needed, and keeps its memory in between.
//!
//! * [`Reference`]: sequential and obvious; the others must agree with it.
//! * [`Cpu`]: all cores, push or pull by the size of the frontier.
//! * [`gpu::Gpu`]: a GPU, given the programs' kernels.
//! * [`Fastest`]: all cores or a GPU, whichever is done sooner.

mod cancel;
pub mod cpu;
mod fastest;
pub mod gpu;
mod kept;
mod needs;
mod options;
pub mod part;
mod reference;
mod report;
mod run;
mod sampled;
mod solve;
mod strategy;

use thiserror::Error;

pub use cancel::Cancel;
pub use cpu::Cpu;
pub use fastest::{Fastest, FastestKept, FastestRun, FastestSession, FastestSolver, Placement};
pub use kept::{Inputs, InputsOf, Kept};
pub use needs::{Need, Needs, available_memory_bytes, held_by};
pub use options::{Observer, RunOptions, VertexOrder};
pub use reference::Reference;
use report::Log;
pub use report::{Report, StopReason, SuperstepReport, peak_memory_bytes, resident_memory_bytes};
pub use run::{KeptOutcome, Progress, Run, Saved};
pub use solve::paths;
pub use solve::{
    Clustering, ConnectedComponents, CountTriangles, LocalClustering, PassObserver, PassReport,
    Problem, Solution, Solve, SolveOptions, SolveReport, Solver, TriangleCounts,
};
pub use strategy::Strategy;

use crate::graph::{Graph, first_where};
use crate::program::{Facts, Monoid, NoInput, Program, Value, VertexCompute, VertexId, Zeroable};

/// Something that runs vertex programs.
pub trait Engine: Sized {
    /// A graph prepared for programs of type `P`.
    type Session<'g, P: VertexCompute>: Session<P, Engine = Self>;

    /// The states that a run leaves where the engine has them; see [`Run::keep`].
    type Kept<T: Value>: Kept<T>;

    /// Short name, as on the command line and in reports.
    fn name(&self) -> &'static str;

    /// Prepares `graph`: checks its edge values, makes the rows that the engine reads,
    /// allocates memory. Of a directed graph, [`Cpu`] also makes the rows by target, unless the
    /// program may do without them: a search pushes along the rows by source. They are made
    /// later if more runs come than that pays for.
    ///
    /// # Errors
    /// [`RunError::Edge`] if the program refuses an edge value,
    /// [`RunError::Unsupported`] if the options contradict the program.
    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<Self::Session<'g, P>, RunError>;

    /// Prepares and runs once a program that takes no input; for others there is
    /// [`Session::run_with`].
    ///
    /// The graph must have the edge values that the program reads. If the compiler expects a
    /// `Graph<f32>` and finds a `Graph<()>`, the graph was made without weights: call
    /// [`weighted()`](crate::io::AnyGraph::weighted) in place of `plain()` on a loaded graph or
    /// a [`Spec`](crate::graph::generate::Spec), or use [`Graph::from_weighted_edges`] or
    /// [`Graph::map_values`].
    ///
    /// # Errors
    /// As [`prepare`](Engine::prepare) and [`Session::run`].
    fn run<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        program: &P,
        options: &RunOptions,
    ) -> Result<Outcome<P>, RunError>
    where
        P::Input: NoInput,
    {
        self.prepare::<P>(graph, options)?.run(program)
    }
}

/// A graph prepared for programs of type `P`, whose parameters may differ from
/// run to run, such as one source after the other.
///
/// ```
/// use pregel_core::engine::{Cpu, Engine, RunOptions, Session};
/// use pregel_core::graph::Graph;
/// # use pregel_core::prelude::*;
/// # #[derive(Clone, Copy)]
/// # struct Heat;
/// # impl Program for Heat {
/// #     type Input = u32;
/// #     type State = u32;
/// #     type Signal = u32;
/// #     type Edge = ();
/// #     type Combiner = Max<u32>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Heat {
/// #     fn edge_compute(&self, heat: &u32, _: Edge<()>) -> Option<u32> {
/// #         heat.checked_sub(1)
/// #     }
/// # }
/// # impl VertexCompute for Heat {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         (context.input(), Vote::of(context.input() > 0, false))
/// #     }
/// #     fn vertex_compute(&self, heat: &mut u32, came: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
/// #         if came > Some(*heat) {
/// #             *heat = came.unwrap_or(0);
/// #             return Vote::Scatter;
/// #         }
/// #         Vote::Halt
/// #     }
/// #     fn signal(&self, heat: &u32, _: &Context<'_, Self>) -> u32 {
/// #         *heat
/// #     }
/// # }
///
/// // `Heat` has an input for each vertex: how warm it is. Every edge takes one degree.
/// let graph = Graph::from_edges([(0, 1), (1, 2), (2, 3)])?;
/// let mut session = Cpu::new().prepare::<Heat>(&graph, &RunOptions::default())?;
/// assert_eq!(session.run_with(&Heat, &[5, 0, 0, 0])?.states, [5, 4, 3, 2]);
/// assert_eq!(session.run_with(&Heat, &[0, 2, 0, 9])?.states, [0, 2, 1, 9]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Session<P: VertexCompute> {
    /// The engine that prepared it.
    type Engine: Engine;

    /// A run of this session. While there is one, the session starts no other.
    type Run<'r>: Run<P, Engine = Self::Engine>
    where
        Self: 'r;

    /// Begins a run: a new one, or one that goes on where another was `saved`. What
    /// [`start`](Session::start), [`resume`](Session::resume) and
    /// [`follow`](Session::follow) call.
    ///
    /// # Errors
    /// As those.
    fn begin<'r>(
        &'r mut self,
        program: &P,
        inputs: InputsOf<'r, Self::Engine, P>,
        saved: Option<&Saved<P>>,
    ) -> Result<Self::Run<'r>, RunError>;

    /// Starts a run of the program, with `inputs[v]` as the input of vertex `v`. An empty
    /// slice stands for any number of zero-sized inputs. Nothing runs before the first
    /// [`Run::advance`].
    ///
    /// # Errors
    /// [`RunError::Program`] if the program refuses its parameters,
    /// [`RunError::Inputs`] if there are not as many inputs as vertices.
    fn start<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
    ) -> Result<Self::Run<'r>, RunError> {
        self.begin(program, inputs.into(), None)
    }

    /// Resumes a run where it was saved, on this engine or on any other. Program and
    /// inputs must be those of that run, and the graph the same. The options may differ:
    /// another strategy, order or number of threads gives the same result, bit for bit
    /// where the program's law is exact or both runs are deterministic.
    ///
    /// # Errors
    /// As [`start`](Session::start), and [`RunError::Saved`] if the run was saved on a graph
    /// of another size.
    fn resume<'r>(
        &'r mut self,
        program: &P,
        inputs: &'r [P::Input],
        saved: &Saved<P>,
    ) -> Result<Self::Run<'r>, RunError> {
        self.begin(program, inputs.into(), Some(saved))
    }

    /// Starts a run that follows another, perhaps of another program: the states that the
    /// earlier run [kept](Run::keep) are the inputs of this one, and
    /// [`init`](VertexCompute::init) makes its first states of them. Nothing is copied
    /// through the host.
    ///
    /// An algorithm of several phases is a session for each of them, on the same graph,
    /// whose runs follow one another.
    ///
    /// # Errors
    /// As [`start`](Session::start).
    fn follow<'r>(
        &'r mut self,
        program: &P,
        kept: <Self::Engine as Engine>::Kept<P::Input>,
    ) -> Result<Self::Run<'r>, RunError> {
        self.begin(program, Inputs::Kept(kept), None)
    }

    /// Runs the program to its end; see [`start`](Session::start).
    ///
    /// # Errors
    /// As [`start`](Session::start), [`Run::advance`] and [`Run::finish`].
    fn run_with(&mut self, program: &P, inputs: &[P::Input]) -> Result<Outcome<P>, RunError> {
        let mut run = self.start(program, inputs)?;
        run.advance_to_end()?;
        run.finish()
    }

    /// Runs a program that takes no input.
    ///
    /// # Errors
    /// As [`run_with`](Session::run_with).
    fn run(&mut self, program: &P) -> Result<Outcome<P>, RunError>
    where
        P::Input: NoInput,
    {
        self.run_with(program, &[])
    }
}

/// The result of a run. `S` holds the states.
#[derive(Clone)]
#[allow(missing_debug_implementations, reason = "states need not be printable")]
pub struct Outcome<P: Program, S = Vec<<P as Program>::State>> {
    /// Final state of every vertex, in the order of the graph's ids.
    pub states: S,
    /// Aggregate of the last superstep.
    pub aggregate: <P::Aggregate as Monoid>::Value,
    /// How the run went.
    pub report: Report,
}

impl<P: Program, S> Outcome<P, S> {
    /// The same with the states held in another way.
    fn map_states<T>(self, hold: impl FnOnce(S) -> T) -> Outcome<P, T> {
        Outcome { states: hold(self.states), aggregate: self.aggregate, report: self.report }
    }
}

/// Why a run failed or was refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RunError {
    /// The program refuses its parameters for this graph.
    #[error("{reason}")]
    Program {
        /// The reason, in the program's words.
        reason: &'static str,
    },
    /// The program refuses an edge value.
    #[error("edge {source_id} → {target_id}: {reason}")]
    Edge {
        /// User id of the edge's source.
        source_id: String,
        /// User id of the edge's target.
        target_id: String,
        /// The reason, in the program's words.
        reason: &'static str,
    },
    /// Not as many inputs as vertices.
    #[error("{expected} vertices need one input each, but there are {found}")]
    Inputs {
        /// Number of vertices.
        expected: u32,
        /// Number of inputs.
        found: usize,
    },
    /// The run was [cancelled](Cancel).
    #[error("the run was cancelled in superstep {superstep}")]
    Cancelled {
        /// The superstep that was cut short, or would have been the next.
        superstep: u32,
    },
    /// There is nothing to save or to return before superstep 0.
    #[error("the run has not started: advance it first")]
    NotStarted,
    /// A saved run of another graph.
    #[error("the run was saved on a graph of {found} vertices, but this one has {expected}")]
    Saved {
        /// Number of vertices.
        expected: u32,
        /// Number of states or votes that were saved.
        found: usize,
    },
    /// A vertex belongs to no [part](part::Partition).
    #[error("vertex {vertex} belongs to part {part}, but there are {parts} parts, from 0 on")]
    Owner {
        /// The vertex.
        vertex: u32,
        /// Its part.
        part: u32,
        /// Number of parts.
        parts: u32,
    },
    /// The parts of a graph do not fit each other, or have not [exchanged](part::PartRun).
    #[error("{0}")]
    Parts(&'static str),
    /// The options contradict each other or the program.
    #[error("{0}")]
    Unsupported(&'static str),
    /// The graph exceeds a limit of the device, whatever its memory.
    #[error("{0}; run it on the CPU")]
    DeviceLimit(&'static str),
    /// There are no kernels for the program.
    #[error(
        "the program {program} was not compiled for the GPU: list it under \
         [package.metadata.pregel.programs] in the Cargo.toml of its crate, or run it on the CPU"
    )]
    NoKernels {
        /// The type of the program.
        program: &'static str,
    },
    /// The kernels were compiled from another program.
    #[error(
        "the kernels «{name}» were not compiled from the program {program} as it is now; \
         compile them again"
    )]
    OtherKernels {
        /// Its type.
        program: &'static str,
        /// What the names of the kernels begin with.
        name: &'static str,
    },
    /// The graph does not fit the device's memory.
    #[error(
        "the run needs {} of GPU memory, but {} are free; most of it: {largest}. A GPU \
         with more memory, another strategy, or the CPU can do it",
        gpu::bytes(*needed), gpu::bytes(*free)
    )]
    TooLarge {
        /// Bytes needed.
        needed: u64,
        /// Bytes free.
        free: u64,
        /// The largest arrays.
        largest: String,
    },
    /// The device failed.
    #[error(transparent)]
    Device(gpu::DeviceError),
    /// The worker threads could not be started.
    #[error("cannot start {threads} worker threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// What the system said.
        reason: String,
    },
}

/// What vertex `vertex` knows in `superstep`. `inputs` may be empty if they have no size.
fn facts<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    inputs: &[P::Input],
    vertex: VertexId,
    superstep: u32,
) -> Facts<P::Input> {
    Facts {
        vertex,
        in_degree: graph.incoming().degree(vertex),
        out_degree: graph.out().degree(vertex),
        vertex_count: graph.vertex_count(),
        superstep,
        input: inputs.get(vertex as usize).copied().unwrap_or_else(Zeroable::zeroed),
    }
}

/// The checks that every engine makes before a run with this number of inputs.
fn check_run<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    program: &P,
    inputs: usize,
) -> Result<(), RunError> {
    let n = graph.vertex_count();
    program.check(&graph.facts()).map_err(|reason| RunError::Program { reason })?;
    if inputs != n as usize && !(inputs == 0 && size_of::<P::Input>() == 0) {
        return Err(RunError::Inputs { expected: n, found: inputs });
    }
    Ok(())
}

/// Lets the program check every edge value, in parallel.
fn check_edges<P: VertexCompute>(graph: &Graph<P::Edge>) -> Result<(), RunError> {
    let values = graph.out_values();
    let bad = first_where(values, |value| P::check_edge(value).is_err());
    let reason = |edge| P::check_edge(&values[edge]).err().map(|reason| (edge, reason));
    let Some((edge, reason)) = bad.and_then(reason) else { return Ok(()) };
    let rows = graph.out();
    Err(RunError::Edge {
        source_id: graph.ids().get(rows.source_of(edge)).to_string(),
        target_id: graph.ids().get(rows.targets()[edge]).to_string(),
        reason,
    })
}
