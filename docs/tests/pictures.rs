//! The committed pictures are what the code makes.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

#[allow(dead_code)]
#[path = "../examples/pictures/main.rs"]
mod drawn;

#[test]
fn committed_pictures_are_what_the_code_makes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/pictures");
    let pictures = drawn::pictures().unwrap();
    for (name, svg) in &pictures {
        let committed = fs::read_to_string(folder.join(name)).unwrap_or_default();
        assert!(
            committed == *svg,
            "{name} is out of date: cargo run -p pregel-book --example pictures"
        );
    }
    let made: BTreeSet<String> = pictures.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name());
    let found: BTreeSet<String> = found.map(|name| name.into_string().unwrap()).collect();
    assert_eq!(found, made);
}
