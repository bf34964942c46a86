//! Every relative link in README and book has a target, every page is in the table of contents, and
//! the Rust blocks of every page are compiled.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The Markdown files directly in a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut pages: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|suffix| suffix == "md")).collect();
    pages.sort();
    pages
}

/// The text of a page without its code, with included files.
fn text(page: &Path) -> String {
    let mut text = String::new();
    let mut code = false;
    for line in fs::read_to_string(page).unwrap().lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if let Some(rest) = line.strip_prefix("{{#include ") {
            let included = page.parent().unwrap().join(rest.strip_suffix("}}").unwrap());
            text += &self::text(&included);
        } else if !code {
            text += line;
            text.push('\n');
        }
    }
    text
}

/// Targets of the links of a text, web addresses excluded.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap());
    targets.filter(|target| !target.contains("://")).collect()
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> Vec<String> {
    let headings = text.lines().filter_map(|line| Some(line.strip_prefix('#')?.trim_matches('#')));
    let kept = |c: char| match c {
        ' ' => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    headings.map(|heading| heading.trim().chars().filter_map(kept).collect()).collect()
}

#[test]
fn links_lead_somewhere() {
    let root = root();
    let folders = ["", "docs", "docs/src", "examples/widest-path"];
    let all: Vec<PathBuf> =
        folders.map(|folder| root.join(folder)).iter().flat_map(|f| pages(f)).collect();
    assert!(all.len() >= 10, "only {} pages found", all.len());
    let mut checked = 0;
    for page in &all {
        let text = text(page);
        for link in links(&text) {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target =
                if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link} does not exist", page.display());
            let found =
                anchor.is_empty() || anchors(&self::text(&target)).iter().any(|a| a == anchor);
            assert!(found, "{}: {link} names no heading", page.display());
            checked += 1;
        }
    }
    assert!(checked >= 20, "only {checked} links found");
}

#[test]
fn every_page_is_in_the_table_of_contents() {
    let folder = root().join("docs/src");
    let summary = fs::read_to_string(folder.join("SUMMARY.md")).unwrap();
    let listed = links(&summary);
    for page in pages(&folder) {
        let name = page.file_name().unwrap().to_str().unwrap();
        assert!(name == "SUMMARY.md" || listed.contains(&name), "{name} is not in SUMMARY.md");
    }
}

#[test]
fn every_page_with_rust_is_compiled() {
    let listed = include_str!("../check/lib.rs");
    let mut compiled = 0;
    for page in pages(&root().join("docs/src")) {
        let name = page.file_name().unwrap().to_str().unwrap();
        if fs::read_to_string(&page).unwrap().contains("```rust\n") {
            assert!(listed.contains(&format!("\"../src/{name}\"")), "{name} is not compiled");
            compiled += 1;
        }
    }
    assert!(compiled >= 8, "only {compiled} pages with Rust found");
}
