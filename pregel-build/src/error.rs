//! What can go wrong on the way from a crate to its images.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why a crate of programs could not be compiled to PTX.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// No available compiler can produce PTX. The message says what to install.
    #[error("{}", no_compiler(.0))]
    NoCompiler(Vec<Tried>),
    /// A file could not be read, written or renamed.
    #[error("cannot {action} `{}`", path.display())]
    Io {
        /// What was tried: "read", "write", …
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A command could not be started.
    #[error("cannot start `{}`", command.display())]
    Start {
        /// The command.
        command: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Cargo does not accept the crate.
    #[error("cargo cannot read the manifest of `{}`:\n{output}", krate.display())]
    Manifest {
        /// The folder of the crate.
        krate: PathBuf,
        /// What cargo printed.
        output: String,
    },
    /// The list of programs is missing or wrong.
    #[error("`{}`: {problem}", manifest.display())]
    Programs {
        /// The `Cargo.toml` at fault.
        manifest: PathBuf,
        /// What is wrong, and what was expected.
        problem: String,
    },
    /// The compiler refused the programs.
    #[error("the programs of `{krate}` do not compile for the GPU:\n{output}")]
    Compile {
        /// Name of the crate.
        krate: String,
        /// What the compiler printed.
        output: String,
    },
    /// The compiler's PTX does not meet what the runtime relies on.
    #[error("the PTX of `{krate}` is not fit for use: {problem}")]
    Ptx {
        /// Name of the crate.
        krate: String,
        /// What is wrong with which kernel.
        problem: String,
    },
    /// What `PREGEL_PTXAS` names is no working `ptxas`.
    #[error("PREGEL_PTXAS names `{}`, which is not a ptxas that runs", .0.display())]
    Assembler(PathBuf),
    /// `ptxas` refused an image.
    #[error("ptxas does not assemble `{image}` for {architecture}:\n{output}")]
    Assemble {
        /// Name of the image.
        image: String,
        /// The architecture, `sm_80` or another.
        architecture: &'static str,
        /// What ptxas printed.
        output: String,
    },
    /// A table of facts cannot be read.
    #[error("line {line} of the facts table: {problem}")]
    Facts {
        /// Number of the line, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
}

impl BuildError {
    /// An [`BuildError::Io`], for `map_err`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// A compiler that was tried and rejected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// Where it is.
    pub place: String,
    /// Why it was rejected.
    pub reason: String,
}

impl fmt::Display for Tried {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.place, self.reason)
    }
}

/// The same in one line, as cargo expects of warnings.
pub(crate) fn not_compiled(krate: &Path, tried: &[Tried]) -> String {
    let tried: Vec<String> = tried.iter().map(Tried::to_string).collect();
    format!(
        "the programs in `{}` run on the CPU only: no compiler that can translate Rust to PTX \
         ({}). For the GPU install `rustc-web` and `rust-web-src` (Debian, Ubuntu), or run \
         `rustup toolchain install nightly --component rust-src`, or name a rustc in \
         PREGEL_RUSTC; then touch build.rs",
        krate.display(),
        tried.join("; ")
    )
    .replace('\n', " ")
}

/// One message that says what was tried and what to install.
fn no_compiler(tried: &[Tried]) -> String {
    let mut text = String::from("no compiler that can translate Rust to PTX.\nTried:\n");
    for one in tried {
        text += &format!("  {one}\n");
    }
    text += "Install one of these:\n\
             \x20 Debian or Ubuntu: apt-get install --no-install-recommends rustc-web rust-web-src\n\
             \x20 anywhere: rustup toolchain install nightly --component rust-src\n\
             or name a rustc of version 1.96 or later, with the sources of `core`, in PREGEL_RUSTC.\n\
             Programs whose images are already built need no such compiler.";
    text
}
