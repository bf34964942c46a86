//! `pregel completions` and `pregel man`: what shells and readers of manuals need.

use std::fs;

use anyhow::{Context, Result};
use clap_mangen::Man;
use pregel_core::io::write_file;

use crate::algorithm::facts;
use crate::args::{self, CompletionsArgs, ManArgs};
use crate::output::print;

/// Prints a script for a shell.
pub fn completions(args: CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut args::command(&facts()), "pregel", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes `pregel.1` and a page for each command, `pregel-run.1` and so on.
pub fn man(args: ManArgs) -> Result<()> {
    let folder = &args.folder;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    let mut whole = args::command(&facts());
    // Gives every subcommand its full name.
    whole.build();
    let pages = whole.get_subcommands().filter(|command| command.get_name() != "help");
    for command in std::iter::once(&whole).chain(pages) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let man = Man::new(command.clone());
        write_file(&folder.join(format!("{name}.1")), |out| man.render(out))?;
    }
    Ok(())
}
