//! Finds a compiler that can translate Rust to PTX.

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{BuildError, Tried};

/// The first release that marks GPU functions as convergent, so that no pass
/// copies a barrier into a branch.
const OLDEST: (u32, u32) = (1, 96);

/// The target triple of the device code.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// Where Debian's `rustc-web` is installed.
const SYSTEM: &str = "/usr/bin/rustc";

/// A compiler that can translate Rust to PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// The program.
    pub rustc: PathBuf,
    /// Release, commit and LLVM version, such as
    /// `rustc 1.96.0 (ac68faa20), LLVM 22.1.8`. Equal text, equal output.
    pub version: String,
}

impl fmt::Display for Compiler {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} at {}", self.version, self.rustc.display())
    }
}

impl Compiler {
    /// Looks in this order: the environment variable `PREGEL_RUSTC`, then Debian's
    /// `rustc-web` with `rust-web-src`, then rustup's nightly with `rust-src`. If
    /// `PREGEL_RUSTC` is set, nothing else is tried.
    ///
    /// # Errors
    ///
    /// [`BuildError::NoCompiler`], which says what to install.
    pub fn find() -> Result<Self, BuildError> {
        let named = std::env::var_os("PREGEL_RUSTC").filter(|name| !name.is_empty());
        Self::search(named, Path::new(SYSTEM), "nightly")
    }

    fn search(named: Option<OsString>, system: &Path, toolchain: &str) -> Result<Self, BuildError> {
        let mut tried = Vec::new();
        let mut miss = |place: String, reason| tried.push(Tried { place, reason });
        if let Some(named) = named {
            let rustc = PathBuf::from(named);
            match Self::probe(&rustc) {
                Ok(compiler) => return Ok(compiler),
                Err(reason) => miss(format!("PREGEL_RUSTC={}", rustc.display()), reason),
            }
            return Err(BuildError::NoCompiler(tried));
        }
        match Self::probe(system) {
            Ok(compiler) => return Ok(compiler),
            Err(reason) => miss(system.display().to_string(), reason),
        }
        match rustup(toolchain).and_then(|rustc| Self::probe(&rustc)) {
            Ok(compiler) => return Ok(compiler),
            Err(reason) => miss(format!("rustup's {toolchain}"), reason),
        }
        Err(BuildError::NoCompiler(tried))
    }

    /// Asks one compiler what it is. The error says, for people, why it cannot be used.
    pub(crate) fn probe(rustc: &Path) -> Result<Self, String> {
        let about = ask(rustc, &["-vV"])?;
        let field = |name: &str| {
            let line = about.lines().find_map(|line| line.strip_prefix(name));
            line.map(str::trim).unwrap_or("unknown").to_owned()
        };
        let release = field("release:");
        if minor(&release).is_none_or(|version| version < OLDEST) {
            let (major, minor) = OLDEST;
            return Err(format!("is rustc {release}; {major}.{minor} or later is needed"));
        }
        let sysroot = ask(rustc, &["--print", "sysroot"])?;
        let library = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library");
        if !library.join("core/src/lib.rs").is_file() {
            let missing = library.display();
            return Err(format!(
                "is rustc {release}, but without the sources of `core` ({missing})"
            ));
        }
        let list = ["--print", "target-cpus", "--target", TARGET];
        if !ask(rustc, &list)?.lines().any(|line| line.trim().starts_with("sm_80")) {
            return Err(format!("is rustc {release}, but built without LLVM's NVPTX backend"));
        }
        let commit = field("commit-hash:");
        let commit = commit.get(..9).unwrap_or(&commit);
        let version = format!("rustc {release} ({commit}), LLVM {}", field("LLVM version:"));
        Ok(Self { rustc: rustc.to_owned(), version })
    }
}

/// Major and minor version of a release such as `1.97.0-nightly`.
fn minor(release: &str) -> Option<(u32, u32)> {
    let mut parts = release.split('.');
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The standard output of a compiler, or why there is none.
fn ask(rustc: &Path, arguments: &[&str]) -> Result<String, String> {
    let mut command = Command::new(rustc);
    command.args(arguments).env("RUSTC_BOOTSTRAP", "1");
    let output = command.output().map_err(|error| format!("cannot be started ({error})"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        let text = String::from_utf8_lossy(&output.stderr);
        let line = text.lines().next().unwrap_or("no message");
        Err(format!("`{}` fails: {line}", arguments.join(" ")))
    }
}

/// The compiler of a rustup toolchain; a missing toolchain is not installed.
fn rustup(toolchain: &str) -> Result<PathBuf, String> {
    let mut command = Command::new("rustup");
    command.args(["which", "--toolchain", toolchain, "rustc"]).env("RUSTUP_AUTO_INSTALL", "0");
    let output = command.output().map_err(|error| format!("no rustup ({error})"))?;
    if output.status.success() {
        Ok(PathBuf::from(String::from_utf8_lossy(&output.stdout).trim()))
    } else {
        let text = String::from_utf8_lossy(&output.stderr);
        Err(text.lines().next().unwrap_or("not installed").to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn without_a_compiler_the_message_says_what_to_install() {
        let error = Compiler::search(None, Path::new("/no/such/rustc"), "no-such-toolchain");
        let text = error.unwrap_err().to_string();
        for part in [
            "/no/such/rustc: cannot be started",
            "rustup's no-such-toolchain: ",
            "apt-get install --no-install-recommends rustc-web rust-web-src",
            "rustup toolchain install nightly --component rust-src",
            "PREGEL_RUSTC",
        ] {
            assert!(text.contains(part), "{part:?} is not in:\n{text}");
        }
    }

    #[test]
    fn a_named_compiler_is_the_only_one_tried() {
        let named = Some(OsString::from("/no/such/rustc"));
        match Compiler::search(named, Path::new(SYSTEM), "nightly").unwrap_err() {
            BuildError::NoCompiler(tried) => {
                assert_eq!(tried.len(), 1);
                assert_eq!(tried[0].place, "PREGEL_RUSTC=/no/such/rustc");
            }
            other => panic!("{other}"),
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        assert_eq!(minor("1.96.0"), Some((1, 96)));
        assert_eq!(minor("1.100.0-nightly"), Some((1, 100)));
        assert!(minor("1.100.0").unwrap() > OLDEST);
        assert_eq!(minor("unknown"), None);
    }
}
