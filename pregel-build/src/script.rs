//! For `build.rs` of a crate that runs programs on a GPU.

use std::path::{Path, PathBuf};

use crate::build::{Build, Built};
use crate::error::{BuildError, Tried, not_compiled};

/// Everything a build script needs: compiles the crate of programs in a folder,
/// relative to the crate that is built, into `OUT_DIR`. Cargo calls it again when a source
/// has changed.
///
/// ```no_run
/// // The whole body of `main` in build.rs.
/// pregel_build::build_script("programs");
/// ```
///
/// In the crate itself, which depends on the programs and on `pregel-core`:
///
/// ```ignore
/// include!(concat!(env!("OUT_DIR"), "/programs.rs")); // pub fn images() -> Images
/// ```
///
/// On an error it prints the message and exits with code 1. A missing compiler for PTX is
/// an error; see [`build_script_or_warn`].
pub fn build_script(krate: impl AsRef<Path>) {
    finish(run(krate.as_ref(), |build| build.run().map(Ok)));
}

/// The same for crates that also run without a GPU: without a compiler for PTX, cargo
/// prints one warning, and `images()` exists but holds no program.
/// Such a crate builds everywhere; the GPU engine then refuses its programs with
/// [`NoKernels`], and the CPU engine runs them.
///
/// Cargo does not notice when a compiler is installed later: touch `build.rs` then.
///
/// [`NoKernels`]: https://docs.rs/pregel-core/latest/pregel_core/engine/enum.RunError.html
pub fn build_script_or_warn(krate: impl AsRef<Path>) {
    finish(run(krate.as_ref(), Build::run_or_none));
}

fn finish(result: Result<(), BuildError>) {
    if let Err(error) = result {
        eprintln!("error: {}", describe(&error));
        std::process::exit(1);
    }
}

fn run(
    krate: &Path,
    build: impl FnOnce(&Build) -> Result<Result<Built, Vec<Tried>>, BuildError>,
) -> Result<(), BuildError> {
    println!("cargo:rerun-if-env-changed=PREGEL_RUSTC");
    println!("cargo:rerun-if-changed={}", krate.join("Cargo.toml").display());
    let output = std::env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
        let source = std::io::Error::other("OUT_DIR is not set: this is not a build script");
        BuildError::Io { action: "find", path: "OUT_DIR".into(), source }
    })?;
    // What ptxas reports matters to those who write kernels, not to this crate.
    let settings = Build::new(krate).work(output.join("pregel")).output(&output).assemble(false);
    match build(&settings)? {
        Ok(built) => {
            for note in built.recursion {
                println!("cargo:warning={note}");
            }
            for source in built.sources {
                println!("cargo:rerun-if-changed={}", source.display());
            }
        }
        Err(tried) => println!("cargo:warning={}", not_compiled(krate, &tried)),
    }
    Ok(())
}

/// An error with its causes, as one text.
pub fn describe(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
