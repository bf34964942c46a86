//! Programs of users with mistakes of beginners, run by their own command line.
//!
//! This executable is both the test and the command: the test starts it again.

use std::process::{Command, ExitCode};

use pregel_cli::clap::{self, Args};
use pregel_cli::{App, Error, Values};
use pregel_core::engine::gpu::Images;
use pregel_core::prelude::*;

/// Passes a token on, long after every vertex has had it.
#[derive(Clone, Copy, Debug)]
struct Token {
    source: u32,
    supersteps: u32,
}

impl Program for Token {
    type Input = ();
    type State = u32;
    type Signal = u32;
    type Edge = ();
    type Combiner = Min<u32>;
    type Aggregate = Nothing;
}

impl EdgeCompute for Token {
    fn edge_compute(&self, token: &u32, _: Edge<()>) -> Option<u32> {
        Some(*token)
    }
}

impl VertexCompute for Token {
    fn init(&self, context: &mut Context<Self>) -> (u32, Vote) {
        (0, if context.vertex() == self.source { Vote::Scatter } else { Vote::Halt })
    }
    fn vertex_compute(&self, token: &mut u32, _: Option<u32>, context: &mut Context<Self>) -> Vote {
        *token += 1;
        if context.superstep() < self.supersteps { Vote::Scatter } else { Vote::Halt }
    }
    fn signal(&self, token: &u32, _: &Context<Self>) -> u32 {
        *token
    }
}

#[derive(Args, Debug)]
struct Options {
    /// Where the token is
    #[arg(long)]
    source: u32,
    /// How long it is passed on
    #[arg(long)]
    passes: u32,
}

impl App for Options {
    type Program = Token;
    const NAME: &str = "token";
    const ABOUT: &str = "Passes a token on";

    fn program(&self, _: &Graph) -> Result<Token, Error> {
        Ok(Token { source: self.source, supersteps: self.passes })
    }

    fn values(&self, graph: &Graph, states: Vec<u32>) -> Values {
        let degrees = (0..graph.vertex_count()).map(|v| graph.out().degree(v));
        let degrees: Vec<u64> = degrees.collect();
        Values::levels(states).named("tokens").and("edges", degrees)
    }
}

/// Set for the command.
const COMMAND: &str = "PREGEL_TEST_COMMAND";

fn main() -> ExitCode {
    if std::env::var_os(COMMAND).is_some() {
        return pregel_cli::run::<Options>(Images::new());
    }
    a_run_that_does_not_end_is_noted();
    a_source_that_is_nowhere_is_noted();
    all_columns_are_written_and_the_first_is_summed_up();
    a_report_has_the_options();
    a_command_without_kernels_says_so();
    println!("five tests passed");
    ExitCode::SUCCESS
}

/// What the command says besides its result.
fn said(arguments: &str) -> String {
    run(arguments).1
}

/// Its result, and what it says besides.
fn run(arguments: &str) -> (String, String) {
    let (code, out, err) = start(&format!("--engine cpu {arguments}"));
    assert_eq!(code, Some(0), "{err}");
    (out, err)
}

/// The exit code, the result, and what else is said.
#[allow(clippy::unwrap_used)]
fn start(arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(COMMAND, "1").arg("grid:rows=2,cols=2").args(arguments.split(' '));
    let output = command.output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
    (output.status.code(), out, err)
}

fn a_command_without_kernels_says_so() {
    let without = "was built without kernels for a GPU";
    let (_, help, _) = start("--help");
    assert!(help.split_whitespace().collect::<Vec<_>>().join(" ").contains(without), "{help}");
    let (code, _, err) = start("--source 0 --passes 2 --engine cuda");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains(&format!("--engine cuda: token {without}")), "{err}");
}

#[allow(clippy::unwrap_used)]
fn all_columns_are_written_and_the_first_is_summed_up() {
    let folder = std::env::temp_dir().join(format!("pregel-own-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("tokens.csv");
    run(&format!("--source 0 --passes 2 --output {}", file.display()));
    let written = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    // The token is at 1 and 2 in superstep 1, and at 0 and 3 in superstep 2.
    assert_eq!(written, "id,tokens,edges\n0,1,2\n1,1,2\n2,1,2\n3,1,2\n");
    let (summary, _) = run("--source 0 --passes 2");
    assert!(summary.contains("4 vertices reached (100.0 %)"), "{summary}");
}

#[allow(clippy::unwrap_used)]
fn a_report_has_the_options() {
    let (report, _) = run("--source 0 --passes 2 --report -");
    assert!(report.contains(r#""program": "Options { source: 0, passes: 2 }""#), "{report}");
}

fn a_run_that_does_not_end_is_noted() {
    let text = said("--source 0 --passes 10001");
    assert!(text.contains("note: 10,000 supersteps, and token still runs."), "{text}");
    // Every trial would say the same.
    let text = said("--source 0 --passes 10001 --trials 3");
    assert_eq!(text.matches("still runs").count(), 1, "{text}");
    // It ends before, or is known to.
    for arguments in ["--source 0 --passes 9999", "--source 0 --passes 10001 --supersteps 10001"] {
        assert_eq!(said(arguments), "", "{arguments}");
    }
}

fn a_source_that_is_nowhere_is_noted() {
    let text = said("--source 4 --passes 3");
    assert!(text.contains("note: token halted in superstep 0"), "{text}");
    assert_eq!(said("--source 4 --passes 3 --quiet"), "");
}
