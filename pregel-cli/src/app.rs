//! The command line of a program of one's own.

use std::fmt::Debug;
use std::process::ExitCode;

use anyhow::{Result, anyhow, bail};
use clap::{Args, Command, FromArgMatches};
use pregel_algos::verify::Violation;
use pregel_core::engine::gpu::Images;
use pregel_core::graph::{Graph, Ids};
use pregel_core::program::{Delivery, Monoid, Program, Value, VertexCompute, VertexId};

use crate::algorithm::{Algorithm, Solution};
use crate::args::{EngineArg, ExecuteArgs, ParamArgs, RunArgs};
use crate::command::run::execute_with;
use crate::exit_code;
use crate::facts::{Facts, WeightUse};
use crate::groups::Groups;
use crate::input::{Input, find};
use crate::levels;
use crate::output::{Column, Headings};
use crate::ranking::highest;
use crate::runner::Runner;
use crate::usage::UsageError;

/// Why a program cannot run on a graph, in words for the user; strings and all errors convert
/// into it.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// A vertex program with a command line.
///
/// The fields of the type are its options, by `derive(clap::Args)`; all others are those of
/// `pregel run`. [`run`] is the whole of `main`.
///
/// ```no_run
/// use pregel_cli::clap::{self, Args};
/// use pregel_cli::{App, Error, Values, find_vertex};
/// use pregel_core::prelude::*;
/// # #[derive(Clone, Copy, Debug)]
/// # struct Hops {
/// #     source: u32,
/// # }
/// # impl Program for Hops {
/// #     type Input = ();
/// #     type State = u32;
/// #     type Signal = u32;
/// #     type Edge = ();
/// #     type Combiner = Min<u32>;
/// #     type Aggregate = Nothing;
/// # }
/// # impl EdgeCompute for Hops {
/// #     fn edge_compute(&self, hops: &u32, _: Edge<()>) -> Option<u32> {
/// #         Some(hops + 1)
/// #     }
/// # }
/// # impl VertexCompute for Hops {
/// #     fn init(&self, context: &mut Context<'_, Self>) -> (u32, Vote) {
/// #         if context.vertex() == self.source { (0, Vote::Scatter) } else { (u32::MAX, Vote::Halt) }
/// #     }
/// #     fn vertex_compute(&self, hops: &mut u32, came: Option<u32>, _: &mut Context<'_, Self>) -> Vote {
/// #         let Some(fewer) = came.filter(|came| came < hops) else { return Vote::Halt };
/// #         *hops = fewer;
/// #         Vote::Scatter
/// #     }
/// #     fn signal(&self, hops: &u32, _: &Context<'_, Self>) -> u32 {
/// #         *hops
/// #     }
/// # }
///
/// #[derive(Args, Debug)]
/// struct Options {
///     /// Where the paths begin
///     #[arg(long, value_name = "ID")]
///     source: String,
/// }
///
/// impl App for Options {
///     type Program = Hops;
///     const NAME: &str = "hops";
///     const ABOUT: &str = "Number of edges from a source";
///
///     fn program(&self, graph: &Graph) -> Result<Hops, Error> {
///         Ok(Hops { source: find_vertex(graph, &self.source)? })
///     }
///
///     fn values(&self, _: &Graph, states: Vec<u32>) -> Values {
///         Values::levels(states)
///     }
/// }
///
/// # #[allow(unused)]
/// fn main() -> std::process::ExitCode {
///     let images = pregel_core::engine::gpu::Images::new(); // kernels, if there are any
///     pregel_cli::run::<Options>(images)
/// }
/// ```
pub trait App: Args + Debug + Sync {
    /// The program. Its `Debug` output must show all of its parameters, because checkpoints
    /// record them that way.
    type Program: VertexCompute<
            Edge: EdgeKind,
            State: Debug,
            Combiner: Delivery<Message: Debug>,
            Aggregate: Monoid<Value: Debug>,
        > + Debug;
    /// The name of the command.
    const NAME: &'static str;
    /// Half a line of help.
    const ABOUT: &'static str;
    /// The superstep limit if the user gives none; `None` for a program that halts.
    const SUPERSTEPS: Option<u32> = None;

    /// The program for these options and this graph.
    ///
    /// # Errors
    /// Words for the user.
    fn program(&self, graph: &Graph<Edge<Self>>) -> Result<Self::Program, Error>;

    /// The inputs, one per vertex; none if the program takes none.
    ///
    /// # Errors
    /// Words for the user.
    fn inputs(
        &self,
        _graph: &Graph<Edge<Self>>,
    ) -> Result<Vec<<Self::Program as Program>::Input>, Error> {
        Ok(Vec::new())
    }

    /// What is printed and written of the final states; `states[v]` is that of vertex `v`.
    fn values(
        &self,
        graph: &Graph<Edge<Self>>,
        states: Vec<<Self::Program as Program>::State>,
    ) -> Values;

    /// Whether there is a verifier; without one, `--verify` is refused.
    const VERIFIES: bool = false;

    /// The verifier: properties that every correct result has. Set
    /// [`VERIFIES`](Self::VERIFIES), too.
    ///
    /// # Errors
    /// The property that the result lacks.
    fn verify(
        &self,
        _graph: &Graph<Edge<Self>>,
        _states: &[<Self::Program as Program>::State],
    ) -> Result<(), String> {
        Ok(())
    }
}

/// The edge values of an app's program.
type Edge<A> = <<A as App>::Program as Program>::Edge;

/// Edge values that files and generators have: `()` for none, `f32` for weights.
pub trait EdgeKind: Value + Debug + sealed::EdgeKind {}

impl EdgeKind for () {}
impl EdgeKind for f32 {}

mod sealed {
    use pregel_core::graph::Graph;

    use crate::facts::WeightUse;
    use crate::input::Input;

    pub trait EdgeKind: Sized {
        #[allow(private_interfaces, reason = "the trait cannot be named outside")]
        const WEIGHTS: WeightUse;
        #[allow(private_interfaces, reason = "the trait cannot be named outside")]
        fn graph(input: &Input) -> Graph<Self>;
    }

    impl EdgeKind for () {
        const WEIGHTS: WeightUse = WeightUse::Never;
        fn graph(input: &Input) -> Graph {
            input.plain()
        }
    }

    impl EdgeKind for f32 {
        const WEIGHTS: WeightUse = WeightUse::Always;
        fn graph(input: &Input) -> Graph<f32> {
            input.graph.weighted()
        }
    }
}

/// One value per vertex, or several: each kind is a column of the output.
///
/// The summary on the terminal, the report and `--verify-against` know the first column alone.
///
/// ```
/// use pregel_cli::Values;
///
/// let (distances, facilities) = (vec![0.5_f32, 0.0], vec![1, 1]);
/// let values = Values::from(distances)
///     .named("distance")
///     .and("facility", Values::vertices(facilities));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Values {
    /// The name of each column.
    names: Vec<String>,
    columns: Vec<Column>,
}

impl Values {
    /// Distances in edges; `u32::MAX` stands for none and is written as -1.
    pub fn levels(levels: Vec<u32>) -> Self {
        Self::of(Column::Level(levels))
    }

    /// Vertices, written as their ids; `u32::MAX` stands for none.
    pub fn vertices(vertices: Vec<VertexId>) -> Self {
        Self::of(Column::Vertex(vertices))
    }

    /// Names the first column, which is called `value` otherwise. CSV and Parquet files have the
    /// names of columns.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.names[0] = name.to_owned();
        self
    }

    /// Adds a column of this name, or those of `values` if it has several.
    #[must_use]
    pub fn and(mut self, name: &str, values: impl Into<Self>) -> Self {
        let more = values.into().named(name);
        self.names.extend(more.names);
        self.columns.extend(more.columns);
        self
    }

    fn of(column: Column) -> Self {
        Self { names: vec!["value".to_owned()], columns: vec![column] }
    }
}

impl From<Vec<f32>> for Values {
    fn from(values: Vec<f32>) -> Self {
        Self::of(Column::F32(values))
    }
}

impl From<Vec<f64>> for Values {
    fn from(values: Vec<f64>) -> Self {
        Self::of(Column::F64(values))
    }
}

impl From<Vec<u64>> for Values {
    fn from(values: Vec<u64>) -> Self {
        Self::of(Column::Count(values))
    }
}

impl From<Vec<u32>> for Values {
    fn from(values: Vec<u32>) -> Self {
        Self::of(Column::Count(values.into_iter().map(u64::from).collect()))
    }
}

/// The vertex with this id, as a user writes it.
///
/// # Errors
/// If there is none: the message says which ids the graph has.
pub fn find_vertex<E: Value>(graph: &Graph<E>, id: &str) -> Result<VertexId, Error> {
    Ok(find(graph.ids(), id, "the graph")?)
}

/// Runs the command: reads the command line, runs the program on the graph, prints and writes.
/// `images` are the kernels of the program, which `pregel-build` makes; an empty
/// [`Images`](pregel_core::engine::gpu::Images) runs on the CPU only.
pub fn run<A: App>(images: Images) -> ExitCode {
    let has_kernels = images.has::<A::Program>();
    match parse::<A>(std::env::args_os(), has_kernels) {
        Ok((app, run)) => exit_code(|| {
            if matches!(run.engine, EngineArg::Cuda(_)) && !has_kernels {
                let said = format!("--engine cuda: {} {WITHOUT_KERNELS}", A::NAME);
                return Err(UsageError::new(said).into());
            }
            let args = RunArgs { algorithm: A::NAME.into(), params: ParamArgs::default(), run };
            execute_with(args, &Running(app), images)
        }),
        Err(error) => error.exit(),
    }
}

/// What a command is that runs on a CPU alone.
const WITHOUT_KERNELS: &str = "was built without kernels for a GPU, because there was no compiler \
                               for PTX; the README of its crate says how to get one";

fn parse<A: App>(
    words: impl IntoIterator<Item = std::ffi::OsString>,
    has_kernels: bool,
) -> Result<(A, ExecuteArgs), clap::Error> {
    let matches = command::<A>(has_kernels).try_get_matches_from(words)?;
    Ok((A::from_arg_matches(&matches)?, ExecuteArgs::from_arg_matches(&matches)?))
}

/// The options of the app, then those of every run.
fn command<A: App>(has_kernels: bool) -> Command {
    let command = Command::new(A::NAME).max_term_width(100).next_help_heading("Algorithm");
    let command = A::augment_args(command).next_help_heading(None::<&str>);
    let supersteps = match A::SUPERSTEPS {
        Some(limit) => format!("Stop after this many supersteps [default: {limit}]"),
        None => "Stop after this many supersteps [default: no limit]".into(),
    };
    ExecuteArgs::augment_args(command)
        .about(A::ABOUT)
        .long_about(None::<&str>)
        .mut_arg("supersteps", |arg| arg.help(supersteps))
        .mut_arg("strategy", |arg| arg.help("How messages travel; the results agree"))
        .mut_arg("engine", |arg| {
            let help = "What runs it: cpu (all cores), cuda or cuda:N (GPU number N), reference \
                        (one thread, plain loops), or auto: a GPU if there is one and the graph \
                        fits, otherwise cpu";
            if has_kernels {
                arg.help(help)
            } else {
                arg.help(format!("{help}. This command {WITHOUT_KERNELS}"))
            }
        })
}

/// An app as one of the algorithms.
#[derive(Debug)]
struct Running<A>(A);

impl<A: App> Algorithm for Running<A> {
    fn facts(&self) -> Facts {
        let weights = <Edge<A> as sealed::EdgeKind>::WEIGHTS;
        let facts = Facts::new(A::NAME, A::ABOUT, &[]);
        Facts { weights, default_supersteps: A::SUPERSTEPS, users_own: true, ..facts }
    }

    fn solve(&self, runner: &Runner<'_>) -> Result<Solution> {
        let input: &Input = runner.input;
        let graph = <Edge<A> as sealed::EdgeKind>::graph(input);
        if self.facts().weights == WeightUse::Always && !input.graph.has_weights() {
            let name = &input.name;
            runner.progress.note(&format!("{name} has no weights; every edge weighs 1"));
        }
        if runner.job.verify && !A::VERIFIES {
            return Err(UsageError::new(format!("{} has no verifier", A::NAME)).into());
        }
        let told = |error: Error| anyhow!("{error}");
        let program = self.0.program(&graph).map_err(told)?;
        let inputs = self.0.inputs(&graph).map_err(told)?;
        let (states, mut runs) = runner.run(&graph, &program, &inputs, |outcome| {
            self.0.verify(&graph, &outcome.states).map_err(Violation::Whole)
        })?;
        // As the user knows it, with ids instead of vertices.
        runs.program = Some(format!("{:?}", self.0));
        let values = self.0.values(&graph, states);
        let length = input.ids().len() as usize;
        if values.columns.iter().any(|column| column.len() != length) {
            bail!("`values` of {} has not returned one value per vertex", A::NAME);
        }
        // Only where it is printed, since it takes a pass over the values.
        let summary = (runner.job.output.is_none())
            .then(|| summary(input.ids(), &values.columns[0], &values.names[0]));
        Ok(Solution {
            headings: Headings::new(values.names),
            summary,
            ..Solution::of_columns(values.columns, runs)
        })
    }
}

/// What is printed of the first column, which has this name.
fn summary(ids: &Ids, values: &Column, name: &str) -> String {
    match values {
        Column::Level(levels) => levels::describe(levels),
        Column::Vertex(vertices) => {
            Groups::of_valid(vertices, ids.len()).describe(ids, name, "groups")
        }
        numbers => highest(ids, numbers, "highest values", name),
    }
}
