//! Checkpoints on a disk that is full, and on one that cannot be written to: file systems in
//! memory, which only the command sees.

use std::io::{Write, stderr};
use std::process::Command;

use crate::common::Place;

/// A run that saves supersteps 5, 10 and 15, each in three pages of memory.
const RANKS: &str =
    "run pagerank rmat:scale=10 --tolerance 0 --supersteps 20 --deterministic -q --every 5";

/// What scripts begin with: `try NAME WORDS...` runs `pregel` with these words, and keeps its
/// status and its messages.
const TRY: &str = r#"set -e
try() {
    name=$1 status=0
    shift
    "$PREGEL" "$@" 2>$name.err || status=$?
    echo $status >$name.status
}
"#;

/// A script that may mount file systems. They vanish when it ends.
fn script(place: &Place, text: &str) -> Command {
    let mut command = Command::new("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &format!("{TRY}{text}")]);
    command.current_dir(place.path("")).env("PREGEL", env!("CARGO_BIN_EXE_pregel"));
    command
}

/// Runs a script, which must succeed.
fn run(place: &Place, text: &str) {
    let done = script(place, text).output().unwrap();
    assert!(done.status.success(), "{text}\n{}", String::from_utf8_lossy(&done.stderr));
}

/// The status and the messages of a command that a script tried.
fn tried(place: &Place, name: &str) -> (i32, String) {
    let status = place.read(&format!("{name}.status"));
    (status.trim().parse().unwrap(), place.read(&format!("{name}.err")))
}

/// Whether the system lets scripts mount file systems. Says so if not: a test that did not
/// run is not one that passed.
fn can_mount() -> bool {
    let tried = script(&Place::new(), "mkdir disk; mount -t tmpfs tmpfs disk").output();
    let why = match tried {
        Ok(done) if done.status.success() => return true,
        Ok(done) => String::from_utf8_lossy(&done.stderr).trim().to_owned(),
        Err(error) => format!("unshare: {error}"),
    };
    // What `eprintln!` prints is shown only if the test fails.
    let _ = writeln!(stderr(), "NOT RUN: a test that mounts a file system, since: {why}");
    false
}

/// The result of [`RANKS`] on a disk with room.
fn right() -> String {
    Place::new().out(&format!("{RANKS} -o -").replace(" --every 5", ""))
}

#[test]
fn a_full_disk_ends_the_run_and_what_it_saved_can_be_used() {
    if !can_mount() {
        return;
    }
    let right = right();
    let [mut without, mut with, mut whole] = [0; 3];
    // So that each of the writes is the first that fails in some run.
    for pages in 1..=13 {
        let place = Place::new();
        let line = format!("{RANKS} --checkpoint saved");
        run(
            &place,
            &format!(
                "mkdir saved
                mount -t tmpfs -o nr_blocks={pages} tmpfs saved
                try full {line} -o out.tsv
                cp -r saved left
                mount -o remount,nr_blocks=1000 saved
                try again {line} --resume saved -o again.tsv
                cp -r saved end"
            ),
        );
        let (status, said) = tried(&place, "full");
        if status == 0 {
            assert_eq!(place.read("out.tsv"), right, "{pages} pages");
            whole += 1;
            continue;
        }
        assert_eq!(status, 1, "{pages} pages: {said}");
        let words = "error: the run was ended, since a checkpoint could not be written: cannot \
                     write saved/";
        assert!(said.starts_with(words), "{pages} pages: {said}");
        assert!(said.contains("No space left on device"), "{pages} pages: {said}");
        assert!(!place.path("out.tsv").exists(), "{pages} pages");
        for file in place.files_in("left") {
            let known = file == "lock" || file == "manifest" || file.starts_with("superstep-");
            assert!(known, "{pages} pages: {file}");
        }
        let (status, said) = tried(&place, "again");
        if place.path("left/manifest").exists() {
            assert_eq!(status, 0, "{pages} pages: {said}");
            assert_eq!(place.read("again.tsv"), right, "{pages} pages");
            // Lock, manifest and two checkpoints, whatever the run before had left.
            assert_eq!(place.files_in("end").len(), 4, "{pages} pages");
            with += 1;
        } else {
            assert_eq!(status, 1, "{pages} pages: {said}");
            assert!(said.contains("saved holds no complete checkpoint"), "{pages} pages: {said}");
            without += 1;
        }
    }
    assert!(without > 0 && with > 0 && whole > 0, "{without} {with} {whole}");
}

#[test]
fn a_disk_without_writes_is_refused_unless_it_is_only_read() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    run(
        &place,
        &format!(
            "mkdir disk
            mount -t tmpfs tmpfs disk
            try first {RANKS} --checkpoint disk/saved
            mount -o remount,ro disk
            try new {RANKS} --checkpoint disk/new -o out.tsv
            try on {RANKS} --checkpoint disk/saved --resume disk/saved -o out.tsv
            try elsewhere {RANKS} --checkpoint moved --resume disk/saved -o resumed.tsv"
        ),
    );
    assert_eq!(tried(&place, "first"), (0, String::new()));
    for (name, folder) in [("new", "disk/new"), ("on", "disk/saved")] {
        let (status, said) = tried(&place, name);
        assert_eq!(status, 1, "{said}");
        let words = format!("error: cannot use {folder} for checkpoints: Read-only file system");
        assert!(said.starts_with(&words), "{said}");
    }
    assert!(!place.path("out.tsv").exists());
    assert_eq!(tried(&place, "elsewhere"), (0, String::new()));
    assert_eq!(place.read("resumed.tsv"), right());
}
