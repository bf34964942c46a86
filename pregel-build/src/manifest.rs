//! Reads the list of programs from a crate's manifest.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::BuildError;

/// What a crate of programs says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Manifest {
    /// Folder of the crate, absolute.
    pub(crate) folder: PathBuf,
    /// Name of the package.
    pub(crate) package: String,
    /// Name of the library in Rust code.
    pub(crate) library: String,
    /// Folder of the workspace that the crate belongs to, possibly its own.
    pub(crate) workspace: PathBuf,
    /// Cargo's target folder of that workspace.
    pub(crate) target: PathBuf,
    /// The programs, sorted by name.
    pub(crate) programs: Vec<Declared>,
}

/// One program of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Declared {
    /// Name of its image, and the prefix of its entries.
    pub(crate) name: String,
    /// Its type, as any crate can write it: `::krate::module::Type<f32>`.
    pub(crate) path: String,
}

/// The cargo that runs this process, or the one in `PATH`.
pub(crate) fn cargo() -> PathBuf {
    std::env::var_os("CARGO").map_or_else(|| "cargo".into(), PathBuf::from)
}

impl Manifest {
    /// Asks cargo about the crate in a folder.
    pub(crate) fn read(krate: &Path) -> Result<Self, BuildError> {
        let folder = krate.canonicalize().map_err(BuildError::io("find", krate))?;
        let file = folder.join("Cargo.toml");
        let cargo = cargo();
        let mut command = Command::new(&cargo);
        command.args(["metadata", "--no-deps", "--format-version=1", "--manifest-path"]);
        let output = command
            .arg(&file)
            .output()
            .map_err(|source| BuildError::Start { command: cargo, source })?;
        if !output.status.success() {
            let output = String::from_utf8_lossy(&output.stderr).into_owned();
            return Err(BuildError::Manifest { krate: folder, output });
        }
        let wrong = |problem: String| BuildError::Programs { manifest: file.clone(), problem };
        let all: Value = serde_json::from_slice(&output.stdout)
            .map_err(|error| wrong(format!("cargo's description is not JSON ({error})")))?;
        let mut packages = all["packages"].as_array().into_iter().flatten();
        let package = packages
            .find(|package| {
                package["manifest_path"].as_str().map(OsStr::new) == Some(file.as_os_str())
            })
            .ok_or_else(|| wrong("cargo finds no package here".to_owned()))?;
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut targets = package["targets"].as_array().into_iter().flatten();
        let has_kind = |target: &Value, kind: &str| {
            target["kind"].as_array().is_some_and(|kinds| kinds.iter().any(|one| one == kind))
        };
        let library = targets
            .find(|target| has_kind(target, "lib") || has_kind(target, "rlib"))
            .ok_or_else(|| wrong("the crate has no library".to_owned()))?;
        let library = text(&library["name"]).replace('-', "_");
        let programs =
            declared(&package["metadata"]["pregel"]["programs"], &library).map_err(wrong)?;
        Ok(Self {
            folder,
            package: text(&package["name"]),
            library,
            workspace: text(&all["workspace_root"]).into(),
            target: text(&all["target_directory"]).into(),
            programs,
        })
    }
}

/// The table `[package.metadata.pregel.programs]`, checked.
fn declared(table: &Value, library: &str) -> Result<Vec<Declared>, String> {
    let example = "such as\n[package.metadata.pregel.programs]\nbfs = \"bfs::Bfs\"";
    let table = table.as_object().filter(|table| !table.is_empty());
    let table = table.ok_or_else(|| format!("no list of programs; expected a table {example}"))?;
    let mut programs = Vec::new();
    for (name, path) in table {
        check_name(name)?;
        let path = path.as_str().ok_or_else(|| {
            format!("program `{name}`: expected the path of its type as a string, {example}")
        })?;
        let path = absolute(path, library).map_err(|why| format!("program `{name}`: {why}"))?;
        programs.push(Declared { name: name.clone(), path });
    }
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// Names that other images and files have.
const RESERVED: [&str; 2] = ["graph", "programs"];

fn check_name(name: &str) -> Result<(), String> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    let good = name.bytes().all(allowed)
        && name.starts_with(|first: char| first.is_ascii_lowercase())
        && !name.contains("__")
        && !name.ends_with('_');
    if RESERVED.contains(&name) {
        Err(format!("program `{name}`: this name is taken"))
    } else if good {
        Ok(())
    } else {
        Err(format!(
            "program `{name}`: a name is of lower-case letters, digits and single underscores \
             between them, and begins with a letter"
        ))
    }
}

/// Types and values that are the same in every crate.
const EVERYWHERE: [&str; 18] = [
    "bool", "char", "f32", "f64", "false", "i128", "i16", "i32", "i64", "i8", "isize", "true",
    "u128", "u16", "u32", "u64", "u8", "usize",
];

/// A path relative to a crate as any other crate writes it. Paths that begin
/// with `core::` or `pregel_core::` are left to mean these crates.
fn absolute(path: &str, library: &str) -> Result<String, String> {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let is_good = |character: char| is_word(character) || ":<>, ".contains(character);
    if path.is_empty() || !path.chars().all(is_good) {
        return Err(format!("`{path}` is not the path of a type"));
    }
    let mut out = String::new();
    let mut rest = path;
    while let Some(first) = rest.chars().next() {
        let length = rest.find(|character| is_word(character) != is_word(first));
        let (word, after) = rest.split_at(length.unwrap_or(rest.len()));
        let begins = is_word(first) && !first.is_ascii_digit() && !out.ends_with("::");
        if begins && word == "crate" {
            out += &format!("::{library}");
        } else if begins && ["core", "pregel_core"].contains(&word) && after.starts_with("::") {
            out += &format!("::{word}");
        } else if begins && !EVERYWHERE.contains(&word) {
            out += &format!("::{library}::{word}");
        } else {
            out += word;
        }
        rest = after;
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn paths_begin_at_the_crate() {
        let cases = [
            ("bfs::Bfs", "::algos::bfs::Bfs"),
            ("pagerank::PageRank<f32>", "::algos::pagerank::PageRank<f32>"),
            ("Two<a::B, u32, 8>", "::algos::Two<::algos::a::B, u32, 8>"),
            ("crate::bfs::Bfs", "::algos::bfs::Bfs"),
            ("W<pregel_core::program::Min<u32>>", "::algos::W<::pregel_core::program::Min<u32>>"),
        ];
        for (path, expected) in cases {
            assert_eq!(absolute(path, "algos").unwrap(), expected);
        }
    }

    #[test]
    fn a_path_cannot_carry_other_code() {
        for path in ["", "Bfs; fn f() {}", "Bfs)", "\"x\"", "Bfs\n"] {
            assert!(absolute(path, "algos").is_err(), "{path:?}");
        }
    }

    #[test]
    fn names_of_programs_are_checked() {
        for name in ["bfs", "page_rank", "b2"] {
            check_name(name).unwrap();
        }
        for name in ["graph", "Bfs", "a__b", "2b", "_b", "b_", "", "a-b"] {
            assert!(check_name(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn a_missing_list_is_shown_by_example() {
        let error = declared(&Value::Null, "algos").unwrap_err();
        assert!(error.contains("[package.metadata.pregel.programs]"), "{error}");
    }
}
