//! `pregel reference`: the command line as a chapter of the book.

use std::fmt::Write;

use anyhow::Result;
use clap::{Arg, Command};

use crate::algorithm::facts;
use crate::args;
use crate::output::print;

const HEAD: &str = "\
# Reference of the command line

Every command with all of its arguments and options, in the words of `--help`, from which this page
is made. [Command line](command-line.md) is the guide: it explains them, with examples.

Every command also takes `-h` and `--help`, and `pregel --version` prints the version.
";

/// Prints the chapter.
pub fn execute() -> Result<()> {
    let mut whole = args::command(&facts());
    // Gives every subcommand its full name.
    whole.build();
    print(&page(&whole))
}

/// The chapter: a section for each subcommand that is not hidden.
fn page(whole: &Command) -> String {
    let mut page = String::from(HEAD);
    let shown = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    for command in whole.get_subcommands().filter(shown) {
        // Writing to a string never fails.
        let _ = section(&mut page, command);
    }
    page
}

fn section(out: &mut String, command: &Command) -> std::fmt::Result {
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    writeln!(out, "\n## {name}")?;
    if let Some(about) = command.get_about() {
        writeln!(out, "\n{}.", text(&about.to_string()))?;
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.trim_start_matches("Usage: ");
    // The first line of the long text is the short one.
    if let Some(long) = command.get_long_about().map(ToString::to_string)
        && let Some((_, rest)) = long.split_once("\n\n")
    {
        writeln!(out, "\n{}", text(rest))?;
    }
    writeln!(out, "\n```text\n{usage}\n```")?;
    let own =
        |arg: &&Arg| !arg.is_hide_set() && !["help", "version"].contains(&arg.get_id().as_str());
    let (arguments, options): (Vec<&Arg>, Vec<&Arg>) =
        command.get_arguments().filter(own).partition(|arg| arg.is_positional());
    if !arguments.is_empty() {
        writeln!(out)?;
    }
    for arg in arguments {
        writeln!(out, "- `{}`: {}", value_names(arg), text(&help(arg)))?;
        for value in arg.get_possible_values().iter().filter(|value| !value.is_hide_set()) {
            let about = value.get_help().map(ToString::to_string).unwrap_or_default();
            let between = if about.is_empty() { "" } else { ": " };
            writeln!(out, "  - `{}`{between}{}", value.get_name(), text(&about))?;
        }
    }
    let mut headings: Vec<&str> = Vec::new();
    for arg in &options {
        let heading = arg.get_help_heading().unwrap_or("Options");
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        writeln!(out, "\n| {heading} | Meaning |\n|---|---|")?;
        for arg in &options {
            if arg.get_help_heading().unwrap_or("Options") == heading {
                writeln!(out, "| {} | {} |", cell(&flags(arg)), cell(&meaning(arg)))?;
            }
        }
    }
    if let Some(after) = command.get_after_help() {
        writeln!(out, "\n```text\n{after}\n```")?;
    }
    Ok(())
}

/// How an option is written, such as `-o`, `--output FILE`.
fn flags(arg: &Arg) -> String {
    let short = arg.get_short().map(|short| format!("`-{short}`, ")).unwrap_or_default();
    let long = arg.get_long().unwrap_or_default();
    let values = if arg.get_action().takes_values() {
        format!(" {}", value_names(arg))
    } else {
        String::new()
    };
    format!("{short}`--{long}{values}`")
}

fn value_names(arg: &Arg) -> String {
    let names = arg.get_value_names().unwrap_or_default();
    names.iter().map(|name| name.as_str()).collect::<Vec<_>>().join(" ")
}

/// The longest help that there is, on one line.
fn help(arg: &Arg) -> String {
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string);
    help.unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What an option does, which values it takes, and which it has if it is not given.
fn meaning(arg: &Arg) -> String {
    let mut meaning = text(&help(arg));
    if !arg.get_action().takes_values() {
        return meaning;
    }
    let values: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| match value.get_help() {
            Some(help) => format!("`{}`: {}", value.get_name(), text(&help.to_string())),
            None => format!("`{}`", value.get_name()),
        })
        .collect();
    if !values.is_empty() {
        meaning += &format!("<br>{}", values.join("<br>"));
    }
    let defaults = arg.get_default_values().iter().map(|value| value.to_string_lossy());
    let defaults = defaults.map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    if !defaults.is_empty() {
        meaning += &format!("<br>Default: {defaults}");
    }
    meaning
}

/// Help as Markdown: outside of code, what would be a tag is none.
fn text(help: &str) -> String {
    let parts = help.split('`').enumerate();
    let parts = parts.map(|(i, part)| match i % 2 {
        0 => part.replace('<', "&lt;").replace('*', "\\*"),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("`")
}

/// What does not end the cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use clap::ArgAction;
    use clap::builder::PossibleValue;

    use super::*;

    #[test]
    fn a_section_has_arguments_options_and_examples() {
        let algorithm = Arg::new("algorithm").value_name("ALGO").help("What to run").required(true);
        let algorithm = algorithm.value_parser([PossibleValue::new("bfs").help("Levels")]);
        let sources = Arg::new("sources").long("sources").value_name("N|FILE");
        let sources = sources.help("Lines of `id<TAB>x`, <any>").help_heading("Algorithm");
        let quiet = Arg::new("quiet").short('q').long("quiet").action(ArgAction::SetTrue);
        let trials = Arg::new("trials").long("trials").value_name("N").default_value("1");
        let hidden = Command::new("secret").hide(true);
        let run = Command::new("run").about("Run it").after_help("Examples:\n  t run bfs");
        let run = run.args([algorithm, sources, quiet.help("Say nothing"), trials]);
        let mut whole = Command::new("t").subcommands([run, hidden]);
        whole.build();
        let page = page(&whole);
        for part in [
            "\n## t run\n\nRun it.\n\n```text\nt run [OPTIONS] <ALGO>\n```\n",
            "\n- `ALGO`: What to run\n  - `bfs`: Levels\n",
            "\n| Algorithm | Meaning |\n|---|---|\n\
             | `--sources N\\|FILE` | Lines of `id<TAB>x`, &lt;any> |\n",
            "| `-q`, `--quiet` | Say nothing |\n",
            "| `--trials N` | <br>Default: `1` |\n",
            "\n```text\nExamples:\n  t run bfs\n```\n",
        ] {
            assert!(page.contains(part), "{part}\nis not in\n{page}");
        }
        assert!(!page.contains("secret") && !page.contains("--help` |"), "{page}");
    }
}
