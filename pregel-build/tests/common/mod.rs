//! A copy of the fixture, and whether there is a compiler for it.
#![allow(dead_code, reason = "not every test uses everything")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use pregel_build::{Build, Compiler};

/// Copies a folder.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// A copy of the fixture, in a folder some levels down.
pub struct Copy {
    pub folder: tempfile::TempDir,
    pub root: PathBuf,
}

impl Copy {
    pub fn new(place: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join(place);
        copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture"), &root);
        Self { folder, root }
    }

    pub fn build(&self) -> Build {
        Build::new(self.root.join("programs"))
            .kernels_crate(self.root.join("kernels"))
            .output(self.root.join("images"))
            // The default is shared by all copies if `CARGO_TARGET_DIR` is set.
            .work(self.root.join("work"))
    }

    pub fn command(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pregel-build"));
        command.current_dir(&self.root).args(arguments).args(["programs", "--kernels", "kernels"]);
        // What a user or a build script may have set; none of it may show.
        command.env("RUSTFLAGS", "-Ctarget-cpu=sm_90").env("CARGO_BUILD_TARGET", "no-such-target");
        command
            .env("CARGO_PROFILE_RELEASE_LTO", "off")
            .env("TARGET", "x")
            .env("RUSTC", "/no/rustc");
        command.output().unwrap()
    }

    pub fn change(&self, file: &str, from: &str, to: &str) {
        let path = self.root.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{from:?} is not in {file}");
        fs::write(path, text.replace(from, to)).unwrap();
    }
}

/// Whether there is a compiler. Says so if not: a test that did not run is not
/// one that passed.
pub fn compiler() -> bool {
    match Compiler::find() {
        Ok(_) => true,
        Err(error) => {
            eprintln!("NOT RUN: {error}");
            assert!(std::env::var_os("PREGEL_RUSTC_REQUIRED").is_none(), "a compiler is required");
            false
        }
    }
}
