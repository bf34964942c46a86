//! The command `pregel-build`: compiles crates of vertex programs to PTX.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Parser, Subcommand};
use pregel_build::{Build, BuildError, Built, Comparison, describe};

/// Compiles crates of vertex programs to PTX images.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Compile a crate and write its images
    Build {
        #[command(flatten)]
        what: What,
        /// Folder for the images
        #[arg(long, value_name = "DIR")]
        output: PathBuf,
    },
    /// Compile a crate and compare with committed images; code 1 if they differ
    Check {
        #[command(flatten)]
        what: What,
        /// Folder of the committed images
        #[arg(long, value_name = "DIR")]
        committed: PathBuf,
    },
}

#[derive(Debug, Args)]
struct What {
    /// Folder of the crate of programs
    #[arg(value_name = "CRATE")]
    krate: PathBuf,
    /// Folder of pregel-gpu-kernels, if it is not next to pregel-build
    #[arg(long, value_name = "DIR")]
    kernels: Option<PathBuf>,
    /// Folder for intermediate files [default: pregel/CRATE in cargo's target folder]
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
}

impl What {
    fn build(self) -> Build {
        let mut build = Build::new(self.krate);
        if let Some(folder) = self.kernels {
            build = build.kernels_crate(folder);
        }
        if let Some(folder) = self.work {
            build = build.work(folder);
        }
        build
    }
}

fn main() -> ExitCode {
    match run(Arguments::parse().command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {}", describe(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> Result<ExitCode, BuildError> {
    match command {
        Command::Build { what, output } => {
            print_built(&what.build().output(output).run()?);
            Ok(ExitCode::SUCCESS)
        }
        Command::Check { what, committed } => {
            let comparison = what.build().compare(&committed)?;
            print_comparison(&comparison);
            let same = comparison.differences.is_empty();
            Ok(if same { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

fn print_built(built: &Built) {
    println!("compiler: {}", built.compiler);
    let state = if built.changed { "written" } else { "unchanged" };
    for image in &built.images {
        println!("{}: {} bytes", image.path.display(), image.text.len());
    }
    print!("{}", built.facts);
    for note in built.facts.notes().iter().chain(&built.recursion) {
        println!("note: {note}");
    }
    println!("{} images, {state}", built.images.len());
}

fn print_comparison(comparison: &Comparison) {
    for note in &comparison.notes {
        println!("{note}");
    }
    if comparison.differences.is_empty() {
        println!("the committed images are right");
        return;
    }
    for difference in &comparison.differences {
        eprintln!("error: {difference}");
    }
    eprintln!("build again with `pregel-build build`, look at what changed, and commit it");
}
