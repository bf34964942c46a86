//! What is inside an item: labels, barriers, calculations in `f64`, local memory.

/// The text of an item without empty lines and source locations, and with names
/// that do not depend on how many functions came before it.
pub(super) fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 1);
    for line in text.lines() {
        let line = line.trim_end();
        if !line.is_empty() && !line.trim_start().starts_with(".loc ") {
            out += &without_numbers(line);
            out.push('\n');
        }
    }
    out
}

/// The local names of a function that carry its number in the module.
const NUMBERED: [&str; 2] = ["$L__BB", "__local_depot"];

/// A line in which names of [`NUMBERED`] have lost the number that follows.
fn without_numbers(line: &str) -> String {
    let mut line = line.to_owned();
    for name in NUMBERED {
        let mut pieces = line.split(name);
        let mut out = pieces.next().unwrap_or_default().to_owned();
        for piece in pieces {
            out += name;
            out += piece.trim_start_matches(|character: char| character.is_ascii_digit());
        }
        line = out;
    }
    line
}

/// The operation of every statement, without guard and label.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    text.split([';', '{', '}']).filter_map(|statement| {
        let mut words = statement.split_whitespace();
        words.find(|word| !word.ends_with(':') && !word.starts_with('@'))
    })
}

/// Number of barriers at which a whole block waits or arrives.
pub(super) fn barriers(text: &str) -> u32 {
    let is_barrier = |word: &&str| {
        let (first, rest) = word.split_once('.').unwrap_or((word, ""));
        let narrower = rest.starts_with("warp") || rest.starts_with("cluster");
        (first == "bar" || first == "barrier") && !narrower
    };
    operations(text).filter(is_barrier).count() as u32
}

/// Whether an `f64` is multiplied or divided; additions alone do not count.
pub(super) fn calculates_in_f64(text: &str) -> bool {
    operations(text).any(|word| {
        let first = word.split('.').next();
        word.ends_with(".f64") && matches!(first, Some("mul" | "fma" | "div"))
    })
}

/// Bytes of local memory that a function declares.
pub(super) fn local_bytes(text: &str) -> u32 {
    let declared = text.lines().filter(|line| line.trim_start().starts_with(".local"));
    let bytes = declared.filter_map(|line| {
        let (_, after) = line.split_once('[')?;
        after.split(']').next()?.parse::<u32>().ok()
    });
    bytes.sum()
}
