//! The subcommands, one file each.

mod bench;
mod convert;
mod generate;
mod info;
mod new;
pub mod run;
mod save;
mod threads;

use anyhow::Result;

use crate::args::Command;

/// Does what the user asked for.
pub fn execute(command: Command) -> Result<()> {
    match command {
        Command::Run(args) => run::execute(*args),
        Command::Generate(args) => generate::execute(args),
        Command::Convert(args) => convert::execute(args),
        Command::Info(args) => info::execute(args),
        Command::Bench(args) => bench::execute(args),
        Command::New(args) => new::execute(args),
    }
}
