//! The subcommands, one file each.

#[cfg(feature = "command")]
mod bench;
#[cfg(feature = "command")]
mod compare;
#[cfg(feature = "command")]
mod convert;
#[cfg(feature = "command")]
mod fetch;
#[cfg(feature = "command")]
mod fits;
#[cfg(feature = "command")]
mod generate;
#[cfg(feature = "command")]
mod info;
#[cfg(feature = "command")]
mod new;
#[cfg(feature = "command")]
mod reference;
pub mod run;
#[cfg(feature = "command")]
mod save;
#[cfg(feature = "command")]
mod shell;
mod threads;

use anyhow::Result;

use crate::args::Command;

/// Does what the user asked for.
#[cfg(feature = "command")]
pub fn execute(command: Command) -> Result<()> {
    match command {
        Command::Run(args) => run::execute(*args),
        Command::Generate(args) => generate::execute(args),
        Command::Fetch(args) => fetch::execute(args),
        Command::Convert(args) => convert::execute(args),
        Command::Info(args) => info::execute(args),
        Command::Compare(args) => compare::execute(args),
        Command::Bench(args) => bench::execute(args),
        Command::New(args) => new::execute(args),
        Command::Completions(args) => shell::completions(args),
        Command::Man(args) => shell::man(args),
        Command::Reference => reference::execute(),
    }
}
