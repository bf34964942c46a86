//! Runs that are saved and resumed.

use crate::common::Place;

/// A run of exactly 30 supersteps: no tolerance ends it.
const RANKS: &str = "run pagerank rmat:scale=8 --tolerance 0 --supersteps 30 --deterministic -q";

/// A place with checkpoints of supersteps 10 and 20 of [`RANKS`] in the folder `saved`.
fn saved() -> Place {
    let place = Place::new();
    place.out(&format!("{RANKS} --checkpoint saved --every 10 -o whole.tsv"));
    place
}

#[test]
fn a_resumed_run_gives_the_same_bits() {
    let place = saved();
    place.out(&format!("{RANKS} -o plain.tsv"));
    let line = format!("{RANKS} --resume saved -o resumed.tsv --report report.json");
    place.out(&line);
    for name in ["whole.tsv", "resumed.tsv"] {
        assert_eq!(place.read(name), place.read("plain.tsv"), "{name}");
    }
    let report = place.read("report.json");
    for part in ["\"resumed_after\": 20", "\"written\": 0", "\"supersteps\": 30"] {
        assert!(report.contains(part), "{part} is not in {report}");
    }
}

#[test]
fn the_summary_says_what_was_saved() {
    let place = Place::new();
    let line = "run pagerank rmat:scale=8 --tolerance 0 --supersteps 20";
    let out = place.out(&format!("{line} --checkpoint saved --every 6"));
    assert!(out.contains("  saved     3 checkpoints; the run waited "), "{out}");
    assert!(!out.contains("resumed"), "{out}");
    let out = place.out(&format!("{line} --checkpoint saved --resume saved"));
    assert!(out.contains("  resumed   after superstep 18\n"), "{out}");
    assert!(out.contains("  pagerank  20 supersteps on "), "{out}");
    assert!(out.contains("  saved     0 checkpoints; "), "{out}");
    let out = place.out(&format!("{line} --resume saved"));
    assert!(out.contains("resumed   after superstep 18") && !out.contains("  saved"), "{out}");
}

#[test]
fn a_run_can_be_resumed_on_another_engine() {
    let lines = [
        "run cdlp rmat:scale=8,sym=0 --supersteps 12",
        "run bfs grid:rows=20,cols=20 --parents",
        "run hcc grid:rows=3,cols=60,drop=40",
        "run sssp grid:rows=20,cols=20",
    ];
    for line in lines {
        let place = Place::new();
        let whole = place.out(&format!("{line} --engine reference -q -o -"));
        for (from, to) in [("reference", "cpu"), ("cpu", "reference"), ("cpu", "auto")] {
            let folder = format!("{from}-{to}");
            place.out(&format!("{line} --engine {from} -q --checkpoint {folder} --every 1"));
            let out = place.out(&format!("{line} --engine {to} -q -o - --resume {folder}"));
            assert_eq!(out, whole, "{line}: {from}, then {to}");
        }
    }
}

#[test]
fn a_damaged_checkpoint_is_not_used() {
    let place = saved();
    let path = place.path("saved/superstep-0000000020.checkpoint");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let loud = RANKS.trim_end_matches(" -q");
    let done = place.pregel(&format!("{loud} --resume saved -o resumed.tsv"));
    assert_eq!(done.code, Some(0), "{}", done.err);
    let note = "note: saved/superstep-0000000020.checkpoint: the list of states is damaged";
    assert!(done.err.contains(note), "{}", done.err);
    assert!(done.err.contains("resuming from the previous one, after superstep 10"));
    assert_eq!(place.read("resumed.tsv"), place.read("whole.tsv"));

    let older = place.path("saved/superstep-0000000010.checkpoint");
    std::fs::write(&older, &bytes[..bytes.len() - 1]).unwrap();
    let line = format!("{RANKS} --resume saved");
    place.refuses(&line, 1, &["0020.checkpoint: the list of states", "0010.checkpoint: expected"]);
}

#[test]
fn another_run_is_refused_and_the_error_says_what_differs() {
    let place = saved();
    let refuses = |line: &str, word: &str| {
        place.refuses(&format!("{line} --resume saved"), 1, &["cannot resume from saved/", word]);
    };
    let says = "it was taken with damping 0.85, but this run has 0.9";
    refuses(&format!("{RANKS} --damping 0.9"), says);
    refuses(&format!("{RANKS} --precision f32"), "with state type f64 of 8 bytes");
    refuses(&RANKS.replace("scale=8", "scale=8,seed=2"), "hash of the edges");
    refuses(&RANKS.replace("--deterministic", ""), "with deterministic yes, but this run has no");
    refuses(&RANKS.replace("--supersteps 30", "--supersteps 19"), "beyond the limit of 19");
    refuses("run hcc rmat:scale=8 -q", "taken with algorithm pagerank, but this run has hcc");
    refuses(&format!("{RANKS} --source 3"), "without hash of the inputs");

    place.out("run bfs grid:rows=9,cols=9 --source 3 --checkpoint search --every 1 -q");
    let refused = |line: &str, word: &str| {
        place.refuses(&format!("run bfs grid:rows=9,cols=9 -q --resume search {line}"), 1, &[word]);
    };
    refused("--source 4", "with source 3, but this run has 4");
    refused("--source 3 --parents", "with program Bfs, but this run has BfsTree");

    place.out("run sssp grid:rows=9,cols=9 --source 3 --checkpoint roads --every 1 -q");
    let line = "run sssp grid:rows=9,cols=9 --source 3 --resume roads --supersteps 99";
    place.refuses(line, 1, &["with a superstep limit: it was taken without one"]);
}

#[test]
fn checkpoints_are_not_destroyed() {
    let place = saved();
    let line = format!("{RANKS} --checkpoint saved");
    place.refuses(
        &line,
        1,
        &["saved already holds checkpoints: resume from them, remove them, or save"],
    );
    place.out(&format!("{line} --resume saved --every 5"));
}

#[test]
fn options_that_make_no_sense_are_refused() {
    let place = Place::new();
    let usage = |line: &str, words: &[&str]| place.refuses(&format!("run {line}"), 2, words);
    usage("wcc rmat:scale=4 --checkpoint saved", &["--checkpoint means nothing to wcc", "hcc"]);
    let nothing = "--checkpoint means nothing to lcc, which is not a vertex program and cannot be \
                   saved between supersteps\n";
    usage("lcc rmat:scale=4 --checkpoint saved", &[nothing]);
    usage("wcc rmat:scale=4 --resume saved", &["--resume means nothing to wcc"]);
    usage("hcc rmat:scale=4 --checkpoint saved --trials 3", &["not for --trials 3"]);
    usage("hcc rmat:scale=4 --every 3", &["--every needs --checkpoint DIR"]);
    usage("hcc rmat:scale=4 --every-seconds 3", &["--every-seconds needs --checkpoint DIR"]);
    usage("hcc rmat:scale=4 --resume saved --every 3", &["only with --checkpoint DIR"]);
    let both = "hcc rmat:scale=4 --checkpoint saved --every 3 --every-seconds 1";
    usage(both, &["--every and --every-seconds exclude each other"]);
    usage("hcc rmat:scale=4 --checkpoint saved --every 0", &["a whole number from 1"]);
    usage("hcc rmat:scale=4 --checkpoint saved --every-seconds 0", &["greater than 0"]);
    usage("hcc rmat:scale=4 --checkpoint saved --every-seconds -1", &["greater than 0"]);
    let failure = |line: &str, words: &[&str]| place.refuses(&format!("run {line}"), 1, words);
    failure("hcc rmat:scale=4 --resume saved", &["saved holds no complete checkpoint"]);
    failure("hcc rmat:scale=4 --checkpoint a --resume a", &["a holds no complete checkpoint"]);
    failure("hcc rmat:scale=4 --checkpoint no/saved", &["cannot use no/saved for checkpoints"]);
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_none_is_refused_with_the_reason() {
    use std::os::unix::fs::symlink;
    let place = Place::new();
    place.write("file", "");
    symlink("circle", place.path("circle")).unwrap();
    symlink("gone", place.path("nowhere")).unwrap();
    let refuses = |folder: &str, option: &str, reason: &str| {
        let words = format!("error: cannot use {folder} for checkpoints: {reason}");
        place.refuses(&format!("{RANKS} {option} {folder}"), 1, &[&words]);
    };
    for option in ["--checkpoint", "--resume"] {
        refuses("file", option, "Not a directory");
        refuses("circle", option, "Too many levels of symbolic links");
    }
    refuses("nowhere", "--checkpoint", "No such file or directory");

    std::fs::create_dir_all(place.path("mine/lock")).unwrap();
    for option in ["--checkpoint", "--resume"] {
        let words = "error: cannot use mine/lock for checkpoints: this is not a regular file";
        place.refuses(&format!("{RANKS} {option} mine"), 1, &[words]);
    }
}
