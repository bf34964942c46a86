//! What the compiler says of device code, for people who did not know that it is different.

use std::collections::BTreeSet;

use pregel_core::device::LARGEST_AGGREGATE;

/// What the compiler printed, without what is no error, and with a remedy for mistakes that
/// are usual on the way to a GPU.
pub(crate) fn explain(output: &str) -> String {
    let hosted = hosted(output);
    if !hosted.is_empty() {
        // Without `no_std` everything else is wrong, too: dozens of errors that lead nowhere.
        return hosted.iter().map(|krate| no_std(krate)).collect::<Vec<_>>().join("\n");
    }
    let mut text = errors(output);
    for help in remedies(&text) {
        text += &format!("\nhelp: {help}\n");
    }
    text
}

/// Crates that need the standard library, as cargo names them.
fn hosted(output: &str) -> BTreeSet<&str> {
    if !output.contains("can't find crate for `std`") {
        return BTreeSet::new();
    }
    let failed = output.lines().filter_map(|line| line.strip_prefix("error: could not compile `"));
    failed.filter_map(|rest| rest.split('`').next()).collect()
}

fn no_std(krate: &str) -> String {
    format!(
        "the crate `{krate}` needs the standard library, which a GPU does not have. If it is \
         yours, begin its `src/lib.rs` with `#![no_std]`; if it is a dependency, turn its feature \
         `std` off, usually by `default-features = false`"
    )
}

/// The errors alone: cargo also prints what it does, and the warnings of every crate, those of
/// this project among them. If there is no error among them, everything.
fn errors(output: &str) -> String {
    let mut kept = String::new();
    let mut in_error = false;
    for line in output.lines() {
        // A message begins at the margin, and what cargo does is set right of it. All other
        // lines of a message are narrower or begin with a sign.
        let word = line.split([':', '[']).next().unwrap_or_default();
        match word {
            "error" => in_error = true,
            "warning" => in_error = false,
            _ if is_progress(line) => in_error = false,
            _ => {}
        }
        if in_error {
            kept += line;
            kept.push('\n');
        }
    }
    if kept.is_empty() { output.to_owned() } else { kept }
}

/// Whether cargo says what it does: a verb that ends in column 12.
fn is_progress(line: &str) -> bool {
    let Some((column, rest)) = line.split_at_checked(12) else { return false };
    let verb = column.trim_start();
    verb.starts_with(|first: char| first.is_ascii_uppercase())
        && verb.bytes().all(|byte| byte.is_ascii_alphabetic())
        && rest.starts_with(' ')
}

/// The part of a message between two texts, wherever that is.
fn between<'a>(text: &'a str, before: &str, after: &str) -> impl Iterator<Item = &'a str> {
    text.split(before).skip(1).filter_map(move |rest| Some(rest.split_once(after)?.0))
}

/// What helps against the errors, once each.
fn remedies(text: &str) -> Vec<String> {
    let mut remedies = Vec::new();
    for float in ["f32", "f64"] {
        let after = format!("` found for type `{float}`");
        let names: BTreeSet<_> = between(text, "no method named `", "\n")
            .filter_map(|line| line.split_once(&after))
            .map(|(name, _)| name)
            .collect();
        for name in names {
            let suffix = if float == "f32" { "f" } else { "" };
            let function = match name {
                "ln" => "log",
                "abs_sub" => "fdim",
                "mul_add" => "fma",
                "powf" | "powi" => "pow",
                other => other,
            };
            remedies.push(format!(
                "`{name}` of `{float}` belongs to `std`. Add the crate `libm` \
                 (`default-features = false`) and call `libm::{function}{suffix}`, which is software \
                 on a GPU, too"
            ));
        }
    }
    let says = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
    let lacks = |kind: &str, names: &[&str]| {
        names.iter().any(|name| text.contains(&format!("cannot find {kind} `{name}` in ")))
    };
    let owners = ["Vec", "String", "Box", "BTreeMap", "HashMap", "HashSet", "VecDeque", "Rc"];
    if says(&["can't find crate for `alloc`"])
        || lacks("macro", &["vec", "format"])
        || lacks("type", &owners)
        || owners.iter().any(|name| text.contains(&format!("undeclared type `{name}`")))
    {
        remedies.push(
            "device code cannot allocate. Keep an array `[T; N]` in the state or on the stack; \
             many messages come as `List<T>` or `Sorted<T>`"
                .to_owned(),
        );
    }
    if lacks("macro", &["println", "print", "eprintln", "eprint", "dbg"]) {
        remedies.push(
            "device code cannot print. `pregel_testing::history`, or `--follow ID` of the command, \
             shows what a vertex received and what became of its state"
                .to_owned(),
        );
    }
    if says(&["cannot find type `"]) && says(&["` in crate `"]) {
        remedies.push(
            "the programs to compile are listed in `Cargo.toml` of their crate, under \
             `[package.metadata.pregel.programs]`: a type with another name needs another line"
                .to_owned(),
        );
    }
    if says(&["derive(Pod) was applied to a type with padding"]) {
        remedies.push(
            "the fields of the struct leave a gap, as between a `u32` and a `u64` or behind a last \
             `u32`. Order them by size, the largest first, and fill what is left by one more field \
             that is always 0, such as `padding: u32`"
                .to_owned(),
        );
    }
    if says(&["the aggregate is too large"]) {
        remedies.push(format!(
            "the value of `Aggregate` may have at most {LARGEST_AGGREGATE} bytes; on a CPU there is \
             no limit"
        ));
    }
    remedies
}

/// What is missing if device code calls a function that is not defined anywhere.
pub(crate) fn missing(function: &str) -> Option<&'static str> {
    let wide = ["__udivti3", "__umodti3", "__divti3", "__modti3", "__udivmodti4"];
    if wide.contains(&function) {
        Some("a GPU has no division of 128-bit integers: divide `u64`, or shift")
    } else if ["malloc", "free", "__rust_alloc", "__rust_dealloc"].contains(&function) {
        Some("device code cannot allocate")
    } else if ["memcmp", "bcmp"].contains(&function) {
        Some(
            "a GPU has no C library, which `==` on arrays calls, also in a derived `PartialEq`: use \
             `cmp` of `Ord`, or compare element by element",
        )
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const WARNED: &str = "   Compiling core v0.0.0 (/usr/src/core)\n\
        warning: unused import: `a`\n --> core/src/lib.rs:1:5\n  |\n1 | use a;\n  |     ^\n\n\
        \x20  Compiling mine v0.1.0 (/home/me/mine)\n\
        error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:3:5\n  |\n3 |     x\n  \
        |     ^ not found in this scope\n\n\
        warning: `mine` (lib) generated 1 warning\n\
        error: could not compile `mine` (lib) due to 1 previous error\n";

    #[test]
    fn errors_stand_alone() {
        let text = explain(WARNED);
        assert!(text.starts_with("error[E0425]: cannot find value `x`"), "{text}");
        assert!(text.contains("3 |     x\n  |     ^ not found in this scope"), "{text}");
        assert!(!text.contains("warning") && !text.contains("Compiling"), "{text}");
        assert_eq!(explain("a linker that was killed\n"), "a linker that was killed\n");
    }

    #[test]
    fn a_crate_that_is_not_no_std_is_named_and_nothing_else() {
        let text = explain(
            "error[E0463]: can't find crate for `std`\n  |\n\n\
             error: cannot find macro `println` in this scope\n\n\
             error: could not compile `mine` (lib) due to 56 previous errors\n",
        );
        assert!(text.starts_with("the crate `mine` needs the standard library"), "{text}");
        assert!(text.contains("`#![no_std]`") && !text.contains("println"), "{text}");
    }

    #[test]
    fn a_gap_in_a_struct_is_told_what_fills_it() {
        let said = "error[E0080]: evaluation panicked: derive(Pod) was applied to a type with \
                    padding\n";
        assert!(explain(said).contains("fill what is left by one more field"));
    }

    #[test]
    fn a_large_aggregate_is_told_the_limit() {
        let said = "error[E0080]: evaluation panicked: the aggregate is too large\n";
        assert!(explain(said).contains("at most 128 bytes"));
        // The words are those of the kernels.
        let kernels = concat!(env!("CARGO_MANIFEST_DIR"), "/../pregel-gpu-kernels/src/superstep");
        let kernels = std::fs::read_to_string(format!("{kernels}/vertex.rs")).unwrap();
        assert!(kernels.contains("\"the aggregate is too large\""));
    }
}
