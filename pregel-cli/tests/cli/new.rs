//! `pregel new`; whether the crate builds is tested elsewhere.

use crate::common::Place;

#[test]
fn a_note_says_that_the_crates_are_not_published() {
    let place = Place::new();
    let done = place.pregel("new my-search");
    assert_eq!(done.code, Some(0), "{}", done.err);
    let notes: Vec<&str> = done.err.lines().collect();
    assert!(notes.len() == 1 && notes[0].starts_with("note: "), "{}", done.err);
    assert!(notes[0].contains("not on crates.io yet"), "{}", done.err);
    assert!(notes[0].contains("--path DIR"), "{}", done.err);
    assert!(done.out.starts_with("made the crate my-search"), "{}", done.out);
}

#[test]
fn with_sources_there_is_no_note() {
    let place = Place::new();
    let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let done = place.pregel(&format!("new my-search --path {sources}"));
    assert_eq!((done.code, done.err.as_str()), (Some(0), ""));
    assert!(place.read("my-search/Cargo.toml").contains("path = "));
}
