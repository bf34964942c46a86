//! For `build.rs` of a crate that runs programs on a GPU.

use std::path::{Path, PathBuf};

use crate::build::{Build, Built};
use crate::error::{BuildError, Tried, not_compiled};

/// All that a build script needs: compiles the crate of programs in a folder,
/// relative to the crate that is built, into `OUT_DIR`. Cargo calls it again when
/// a source changed.
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
/// On an error the message is printed and the process ends with code 1; having no
/// compiler for PTX is one. See [`build_script_or_warn`].
pub fn build_script(krate: impl AsRef<Path>) {
    finish(run(krate.as_ref(), |build| build.run().map(Ok)));
}

/// The same for crates that run without a GPU too: where there is no compiler for
/// PTX, cargo prints one warning, and `images()` is there but holds no program.
/// Such a crate builds everywhere; the GPU engine then refuses its programs with
/// [`NoKernels`], and the CPU engine runs them.
///
/// Cargo does not notice that a compiler was installed: touch `build.rs` then.
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
        let source = std::io::Error::other("OUT_DIR is not set: this is no build script");
        BuildError::Io { action: "find", path: "OUT_DIR".into(), source }
    })?;
    // What ptxas says matters to those who write kernels, not to this crate.
    let settings = Build::new(krate).work(output.join("pregel")).output(&output).assemble(false);
    match build(&settings)? {
        Ok(built) => {
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
