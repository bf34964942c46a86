//! Cuts PTX text into items and words.

use super::Kind;

/// The text without comments; line ends stay.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(place) = rest.find(['/', '"']) {
        out.push_str(&rest[..place]);
        rest = &rest[place..];
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            // A string is kept whole; so is a lone slash.
            let string = rest.starts_with('"');
            let end = rest[1..].find('"').filter(|_| string).map_or(1, |end| end + 2);
            out.push_str(&rest[..end]);
            end
        };
        rest = &rest[skipped..];
    }
    out.push_str(rest);
    out
}

/// Directives that end with their line.
const LINES: [&str; 5] = [".version", ".target", ".address_size", ".file", ".loc"];

/// The items of a text without comments, in order. The error says what follows
/// the last one that could be read.
pub(super) fn items(text: &str) -> Result<Vec<&str>, String> {
    let mut items = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let length = item_length(rest).ok_or_else(|| {
            let line = rest.lines().next().unwrap_or_default();
            format!("not understood from `{line}` on")
        })?;
        items.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    Ok(items)
}

/// Length of the item that the text begins with: to the end of its line, to a
/// semicolon outside all braces, or to the brace that closes its body.
fn item_length(text: &str) -> Option<usize> {
    let first = text.split_whitespace().next()?;
    if !first.starts_with('.') {
        return None;
    }
    if LINES.contains(&first) {
        return Some(text.find('\n').unwrap_or(text.len()));
    }
    let head = &text[..text.find(['{', ';'])?];
    let has_body = head.split_whitespace().any(|word| [".func", ".entry"].contains(&word));
    let has_body = has_body || first == ".section";
    let mut depth = 0_usize;
    let mut in_string = false;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => depth += 1,
            b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 && has_body {
                    return Some(place + 1);
                }
            }
            b';' if depth == 0 => return Some(place + 1),
            _ => {}
        }
    }
    None
}

/// Whether a character may be part of a PTX identifier.
fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '$' | '%')
}

/// The identifiers and numbers of a text.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character| !is_word(character)).filter(|word| !word.is_empty())
}

/// The first identifier of a text, which does not belong to a directive.
fn first_name(text: &str) -> Option<&str> {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|character| !is_word(character) && character != '.');
        let end = |text: &str, from: usize| {
            let tail = &text[from..];
            from + tail.find(|character| !is_word(character)).unwrap_or(tail.len())
        };
        if let Some(directive) = rest.strip_prefix('.') {
            rest = &directive[end(directive, 0)..];
        } else if rest.starts_with(|character: char| character.is_ascii_digit()) {
            rest = &rest[end(rest, 0)..];
        } else {
            let length = end(rest, 0);
            return (length > 0).then(|| &rest[..length]);
        }
    }
}

/// What an item is, and its name.
pub(super) fn classify(item: &str) -> Result<(Kind, String), String> {
    let nameless = || {
        let line = item.lines().next().unwrap_or_default();
        format!("no name in `{line}`")
    };
    let head = item.split(['{', ';']).next().unwrap_or_default();
    let directives = || head.split_whitespace();
    let (kind, after) = if directives().any(|word| word == ".entry") {
        (Kind::Entry, head.split_once(".entry").map(|(_, after)| after))
    } else if directives().any(|word| word == ".func") {
        let kind = if item.ends_with('}') { Kind::Function } else { Kind::Prototype };
        let after = head.split_once(".func").map(|(_, after)| after.trim_start());
        // What it returns stands before its name, in parentheses.
        let after = after.map(|after| match after.strip_prefix('(') {
            Some(returned) => returned.split_once(')').map_or("", |(_, after)| after),
            None => after,
        });
        (kind, after)
    } else if directives().any(|word| [".global", ".const", ".shared"].contains(&word)) {
        (Kind::Variable, Some(head))
    } else {
        return Ok((Kind::Other, String::new()));
    };
    let name = after.and_then(first_name).ok_or_else(nameless)?;
    Ok((kind, name.to_owned()))
}
