//! A folder to work in, and the command to run there.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// A temporary folder that the command runs in.
pub struct Place(TempDir);

/// What a command left behind.
pub struct Done {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Place {
    /// An empty folder.
    pub fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with one file, `graph.txt`: directed, weighted,
    ///
    /// ```text
    /// 1 → 2 → 3, 1 → 3;  10 → 20
    /// ```
    pub fn with_graph() -> Self {
        let place = Self::new();
        place.write("graph.txt", "# five vertices\n1 2 0.5\n2 3 1\n1 3 2\n10 20 1\n");
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// Names of all files, sorted.
    pub fn files(&self) -> Vec<String> {
        self.files_in("")
    }

    /// Names of all files in a folder, sorted.
    pub fn files_in(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<_> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `pregel` with the words of `line`.
    pub fn pregel(&self, line: &str) -> Done {
        let output = command(self.0.path(), line).output().unwrap();
        Done {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs `pregel`, which must succeed; returns what it printed to stdout.
    pub fn out(&self, line: &str) -> String {
        let done = self.pregel(line);
        assert_eq!(done.code, Some(0), "pregel {line}\n{}", done.err);
        done.out
    }

    /// Runs `pregel`, which must fail with this exit code and a message that
    /// holds all of `words` and nothing of the program's insides.
    pub fn refuses(&self, line: &str, code: i32, words: &[&str]) {
        let before = self.files();
        let done = self.pregel(line);
        assert_eq!(done.code, Some(code), "pregel {line}\n{}{}", done.out, done.err);
        assert_eq!(done.out, "", "pregel {line}");
        for word in words {
            assert!(done.err.contains(word), "pregel {line}: no «{word}» in\n{}", done.err);
        }
        let errors = done.err.lines().filter(|line| line.starts_with("error: ")).count();
        assert_eq!(errors, 1, "pregel {line}\n{}", done.err);
        for inside in ["panicked", "backtrace", "RUST_BACKTRACE", "src/", "{", "Error("] {
            assert!(!done.err.contains(inside), "pregel {line}: «{inside}» in\n{}", done.err);
        }
        assert_eq!(self.files(), before, "pregel {line} left files");
    }
}

/// `pregel` with the words of `line`, to run in `folder`.
pub fn command(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pregel"));
    command.args(line.split_whitespace()).current_dir(folder).stdin(Stdio::null());
    command
}

/// The path of a folder of real graphs; `None`, with a note on stderr, if it does not exist. They
/// are where the environment variable `PREGEL_DATA` says, otherwise in `../shared/data` beside the
/// workspace.
pub fn data(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let root = std::env::var_os("PREGEL_DATA").map_or_else(|| beside.into(), PathBuf::from);
    let path = root.join(name);
    if !path.exists() {
        eprintln!("SKIPPED: no {} (set PREGEL_DATA to the folder of real graphs)", path.display());
        return None;
    }
    // Commands run in another folder.
    path.canonicalize().ok()
}
