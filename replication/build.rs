//! Records the commit that is built, if it is known: reports name it.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

fn main() {
    let package = env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    let package = Path::new(&package);
    let git = |args: &[&str]| {
        let output = Command::new("git").args(args).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_owned())
    };
    // A package may lie in the repository of something else, and knows its own commit.
    let packaged = fs::read_to_string(package.join(".cargo_vcs_info.json")).ok();
    let commit = if let Some(info) = &packaged {
        commit_in(info)
    } else if git(&["rev-parse", "--show-toplevel"]).map(Into::into)
        == package.parent().map(Path::to_owned)
    {
        // The log of `HEAD` grows with every commit and checkout.
        if let Some(log) = git(&["rev-parse", "--git-path", "logs/HEAD"]) {
            println!("cargo::rerun-if-changed={log}");
        }
        git(&["rev-parse", "--short", "HEAD"])
    } else {
        None
    };
    println!("cargo::rerun-if-changed=build.rs");
    if let Some(commit) = commit {
        println!("cargo::rustc-env=PREGEL_COMMIT={commit}");
    }
}

/// The first digits of the commit in what cargo writes into a package:
/// `{"git": {"sha1": "…"}, …}`.
fn commit_in(info: &str) -> Option<String> {
    let (_, rest) = info.split_once("\"sha1\"")?;
    let commit = rest.split('"').nth(1)?;
    commit.get(..7).map(str::to_owned)
}
