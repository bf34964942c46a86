//! `pregel fetch`, with programs that stand for curl and wget.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{Done, Place, command, data};

const FAILED: i32 = 1;
const USAGE: i32 = 2;

const URL: &str = "https://snap.stanford.edu/data/wiki-Vote.txt.gz";
const FILE: &str = "graphs/wiki-Vote/wiki-Vote.txt.gz";

/// Makes a program in the folder `bin`.
fn program(place: &Place, name: &str, script: &str) {
    fs::create_dir_all(place.path("bin")).unwrap();
    place.write(&format!("bin/{name}"), &format!("#!/bin/sh\n{script}\n"));
    let everyone = fs::Permissions::from_mode(0o755);
    fs::set_permissions(place.path("bin").join(name), everyone).unwrap();
}

/// Runs `pregel` with no programs but those in `bin`, keeping graphs in `graphs`.
fn pregel(place: &Place, line: &str) -> Done {
    let mut command = command(&place.path(""), line);
    command.env("PATH", place.path("bin")).env("PREGEL_DATA", "graphs");
    let output = command.output().unwrap();
    Done {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// What a program does that finds this file behind the URL.
fn finds(file: &Path) -> String {
    format!("for url; do :; done\necho \"$url\" >>asked\n/bin/cat '{}'", file.display())
}

fn refused(place: &Place, words: &[&str]) {
    let done = pregel(place, "fetch wiki-Vote");
    assert_eq!((done.code, done.out.as_str()), (Some(FAILED), ""), "{}", done.err);
    assert_eq!(done.err.lines().count(), 1, "{}", done.err);
    for word in words {
        assert!(done.err.contains(word), "no «{word}» in\n{}", done.err);
    }
}

#[test]
fn the_graphs_are_listed() {
    let place = Place::new();
    let out = place.out("fetch");
    for word in ["wiki-Vote", "7,115", "103,689", URL, "CHI 2010", "no licence stated"] {
        assert!(out.contains(word), "no «{word}» in\n{out}");
    }
    place.refuses("fetch wiki-Votes", USAGE, &["a similar value exists: 'wiki-Vote'"]);
}

#[test]
fn a_graph_is_downloaded_once() {
    let Some(graph) = data("wiki-Vote/wiki-Vote.txt.gz") else { return };
    for name in ["curl", "wget"] {
        let place = Place::new();
        program(&place, name, &finds(&graph));
        let done = pregel(&place, "fetch wiki-Vote");
        assert_eq!((done.code, done.out.as_str()), (Some(0), format!("{FILE}\n").as_str()));
        assert_eq!(done.err, "");
        assert_eq!(fs::read(place.path(FILE)).unwrap(), fs::read(&graph).unwrap());
        assert_eq!(place.files_in("graphs/wiki-Vote"), ["wiki-Vote.txt.gz"]);
        // Now it is there.
        fs::remove_file(place.path("bin").join(name)).unwrap();
        assert_eq!(pregel(&place, "fetch wiki-Vote").out, format!("{FILE}\n"));
        assert_eq!(place.read("asked"), format!("{URL}\n"));
        let counts = pregel(&place, &format!("info {FILE}")).out;
        assert!(counts.contains("7,115") && counts.contains("103,689"), "{counts}");
    }
}

#[test]
fn the_folder_is_the_option_otherwise_that_of_the_environment() {
    let Some(graph) = data("wiki-Vote/wiki-Vote.txt.gz") else { return };
    let place = Place::new();
    program(&place, "curl", &finds(&graph));
    let done = pregel(&place, "fetch wiki-Vote --folder elsewhere");
    assert_eq!(done.out, "elsewhere/wiki-Vote/wiki-Vote.txt.gz\n", "{}", done.err);
    let mut command = command(&place.path(""), "fetch wiki-Vote");
    command.env("PATH", place.path("bin")).env_remove("PREGEL_DATA");
    let output = command.env("XDG_CACHE_HOME", place.path("cache")).output().unwrap();
    let path = place.path("cache").join("pregel/wiki-Vote/wiki-Vote.txt.gz");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), format!("{}\n", path.display()));
    assert!(path.is_file());
}

#[test]
fn another_file_is_not_kept() {
    let place = Place::new();
    program(&place, "curl", "echo Sorry");
    refused(
        &place,
        &[
            URL,
            // Of the expected file, and of what came.
            "7d3e53626e14b8b09fb3b396bece9d481ad606bd64ceab066349ff57d4ada7fc",
            "21676075593979e03a80a302b8c0abfc39a1fe1302f1e9b24c87ca8ccc12c5fb",
        ],
    );
    assert_eq!(place.files(), ["bin"]);
}

#[test]
fn a_file_that_is_another_one_is_left_alone() {
    let place = Place::new();
    fs::create_dir_all(place.path("graphs/wiki-Vote")).unwrap();
    place.write(FILE, "mine");
    refused(&place, &[FILE, "SHA-256", "remove it"]);
    assert_eq!(place.read(FILE), "mine");
}

#[test]
fn without_a_network_the_user_is_told_what_to_do() {
    let place = Place::new();
    refused(&place, &[URL, FILE, "neither curl nor wget"]);
    program(&place, "curl", "echo 'curl: (6) Could not resolve host' >&2\nexit 6");
    program(&place, "wget", "echo never >asked");
    refused(&place, &[URL, FILE, "curl says «curl: (6) Could not resolve host»"]);
    assert_eq!(place.files(), ["bin"]);
}
