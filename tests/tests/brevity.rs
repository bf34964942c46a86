//! Programs are short: as rustfmt formats them, SSSP and PageRank have at most 50
//! lines each, not counting documentation and blank lines.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fs;

/// Counts the lines of code of the items of `file` that begin with one of `heads`. An
/// item extends from the attributes directly above its head to the closing brace in
/// the first column. Each head must occur exactly once.
fn code_lines(file: &str, heads: &[&str]) -> usize {
    let path = format!("{}/../pregel-algos/src/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut count = 0;
    for head in heads {
        let starts: Vec<usize> = (0..lines.len()).filter(|i| lines[*i].starts_with(head)).collect();
        assert_eq!(starts.len(), 1, "«{head}» in {file}");
        let start = starts[0];
        let attributes = lines[..start].iter().rev().take_while(|line| line.starts_with("#["));
        count += attributes.count();
        let length = lines[start..].iter().position(|line| *line == "}").unwrap() + 1;
        let is_code = |line: &&&str| !line.trim().is_empty() && !line.trim().starts_with("//");
        count += lines[start..start + length].iter().filter(is_code).count();
    }
    count
}

#[test]
fn sssp_is_at_most_50_lines() {
    let heads = [
        "pub struct Sssp {",
        "impl Program for Sssp {",
        "impl EdgeCompute for Sssp {",
        "impl VertexCompute for Sssp {",
        "pub(crate) fn in_graph(",
        "pub(crate) fn non_negative(",
    ];
    let lines = code_lines("sssp.rs", &heads[..4]);
    assert!((20..=50).contains(&lines), "{lines} lines");
    // It is still short with the two checks, which other programs share.
    assert!(code_lines("sssp.rs", &heads) <= 65);
}

#[test]
fn pagerank_is_at_most_50_lines() {
    let generics = "impl<F: Real, W: Transition<F>, T: Teleport<F>>";
    let heads = [
        "pub struct PageRank<",
        &format!("{generics} Program for PageRank"),
        &format!("{generics} EdgeCompute for PageRank"),
        &format!("{generics} VertexCompute for PageRank"),
        &format!("{generics} PageRank"),
    ];
    let lines = code_lines("pagerank.rs", &heads);
    assert!((20..=50).contains(&lines), "{lines} lines");
}
