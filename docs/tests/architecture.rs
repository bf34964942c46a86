//! The table of unsafe code in ARCHITECTURE.md matches the sources.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Every Rust file below a folder, except tests.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, found);
        } else if path.extension().is_some_and(|suffix| suffix == "rs") {
            found.push(path);
        }
    }
}

fn is_unsafe(line: &str) -> bool {
    let code = line.split("//").next().unwrap();
    ["unsafe {", "unsafe fn", "unsafe impl"].iter().any(|word| code.contains(word))
}

#[test]
fn unsafe_lives_where_the_table_says() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    for package in ["pregel-core", "pregel-algos", "pregel-cli", "pregel-py"] {
        sources(&root.join(package).join("src"), &mut files);
    }
    let holds = |path: &PathBuf| fs::read_to_string(path).unwrap().lines().any(is_unsafe);
    let found: BTreeSet<String> = files
        .into_iter()
        .filter(holds)
        .map(|path| path.strip_prefix(root).unwrap().to_str().unwrap().to_owned())
        .collect();
    let page = include_str!("../../ARCHITECTURE.md");
    let table = page.split("## Where `unsafe` lives").nth(1).unwrap();
    let table = table.split("\n## ").next().unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next());
    let listed: BTreeSet<String> =
        rows.filter(|name| name.ends_with(".rs")).map(str::to_owned).collect();
    assert!(listed.len() > 3);
    assert_eq!(found, listed);
}
