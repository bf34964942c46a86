//! The command `pregel`: vertex programs on graph files and generated graphs.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    pregel_cli::main()
}
