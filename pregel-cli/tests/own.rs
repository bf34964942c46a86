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

    fn values(states: Vec<u32>) -> Values {
        Values::levels(states)
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
    println!("two tests passed");
    ExitCode::SUCCESS
}

/// What the command says besides its result.
#[allow(clippy::unwrap_used)]
fn said(arguments: &str) -> String {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env(COMMAND, "1").args(["grid:rows=2,cols=2", "--engine", "cpu"]);
    command.args(arguments.split(' '));
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{text}");
    text
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
