//! Commands that are ended from outside leave no files and the usual status.

use std::fs::{DirEntry, read_dir, read_link, read_to_string};
use std::io::{BufRead, BufReader};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Place, command};

const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;
const SIGPIPE: i32 = 13;
const SIGTERM: i32 = 15;

/// A command that takes seconds to write its file, since it compresses it.
const SLOW: &str = "generate rmat:scale=17 slow.tsv.xz";
/// How long a command may take before it writes its file.
const PATIENCE: Duration = Duration::from_secs(120);

fn send(signal: i32, child: &Child) {
    let kill = Command::new("kill").args([format!("-{signal}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Waits until the command has begun to write a file in `place`.
fn wait_for_writing(place: &Place, child: &mut Child) {
    let start = Instant::now();
    // The check that the folder takes new files opens one too, but only for a moment.
    let mut looks = 0;
    while looks < 2 {
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "the command ended before it was seen to write"
        );
        assert!(start.elapsed() < PATIENCE, "the command does not begin to write");
        sleep(Duration::from_millis(5));
        looks = if has_open_file(place, child) { looks + 1 } else { 0 };
    }
}

/// Whether the command has a file in `place` open. On Linux such a file may have no
/// name, but the system lists it among the open files of the process.
fn has_open_file(place: &Place, child: &Child) -> bool {
    let folder = place.path("").canonicalize().unwrap();
    let mut open = read_dir(format!("/proc/{}/fd", child.id())).into_iter().flatten();
    // A file may be closed between one call and the next.
    let inside = |file: &DirEntry| read_link(file.path()).is_ok_and(|to| to.starts_with(&folder));
    open.any(|file| file.is_ok_and(|file| inside(&file))) || !place.files().is_empty()
}

/// Whether this process, and so its children, ignores a signal; `false` if unknown.
fn is_ignored(signal: i32) -> bool {
    let status = read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (signal - 1) & 1 != 0)
}

#[test]
fn signals_leave_no_files() {
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        if is_ignored(signal) {
            // Shells start background commands this way, but never with SIGTERM ignored.
            assert_ne!(signal, SIGTERM);
            eprintln!("signal {signal} is not tried: these tests were started to ignore it");
            continue;
        }
        let place = Place::new();
        let mut child = command(&place.path(""), SLOW).spawn().unwrap();
        wait_for_writing(&place, &mut child);
        send(signal, &child);
        assert_eq!(child.wait().unwrap().signal(), Some(signal));
        assert_eq!(place.files(), Vec::<String>::new(), "signal {signal}");
    }
}

#[test]
fn a_signal_cancels_the_run() {
    let place = Place::new();
    let line = "run pagerank rmat:scale=14 --engine cpu --tolerance 0 --supersteps 1000000000 \
                -q -o ranks.tsv --report report.json";
    let mut wait = Duration::from_millis(500);
    loop {
        let mut child = command(&place.path(""), line).stderr(Stdio::piped()).spawn().unwrap();
        sleep(wait);
        assert_eq!(child.try_wait().unwrap(), None, "the run ended by itself");
        let start = Instant::now();
        send(SIGTERM, &child);
        let done = child.wait_with_output().unwrap();
        assert_eq!(done.status.signal(), Some(SIGTERM));
        assert_eq!(place.files(), Vec::<String>::new());
        let said = String::from_utf8(done.stderr).unwrap();
        if said.contains("error: the run was cancelled in superstep ") {
            assert!(start.elapsed() < Duration::from_secs(5), "it took {:?}", start.elapsed());
            break;
        }
        // The run had not started yet.
        assert_eq!(said, "");
        assert!(wait < PATIENCE, "the run does not start");
        wait *= 2;
    }
}

#[test]
fn an_ignored_signal_stays_ignored() {
    let place = Place::new();
    let pregel = env!("CARGO_BIN_EXE_pregel");
    // As `nohup` does it.
    let script = format!("trap '' HUP; exec {pregel} generate rmat:scale=14 g.tsv.xz");
    let mut child = Command::new("sh")
        .args(["-c", &script])
        .current_dir(place.path(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_writing(&place, &mut child);
    send(SIGHUP, &child);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(place.files(), ["g.tsv.xz"]);
}

#[test]
fn a_limit_of_file_sizes_leaves_no_files() {
    let place = Place::new();
    let pregel = env!("CARGO_BIN_EXE_pregel");
    for line in ["generate rmat:scale=14 g.tsv", "run bfs rmat:scale=14 -q -o levels.tsv"] {
        // In blocks of 512 bytes.
        let script = format!("ulimit -f 8; exec {pregel} {line}");
        let done =
            Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
        let said = String::from_utf8(done.stderr).unwrap();
        assert_eq!(done.status.code(), Some(1), "{line}: {said}");
        assert!(said.contains("error: cannot write") && said.contains("too large"), "{said}");
        assert_eq!(place.files(), Vec::<String>::new(), "{line}");
    }
}

/// Reads one line of what the command writes to stdout, then leaves.
fn read_one_line(place: &Place, line: &str) -> Output {
    let mut child = command(&place.path(""), line)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut first).unwrap();
    assert!(first.starts_with("0\t"), "{first}");
    child.wait_with_output().unwrap()
}

#[test]
fn a_reader_of_stdout_that_leaves_ends_the_command_silently() {
    let place = Place::new();
    let done = read_one_line(&place, "run bfs rmat:scale=14 -q -o - --report report.json");
    assert_eq!(String::from_utf8(done.stderr).unwrap(), "");
    assert_eq!(done.status.signal(), Some(SIGPIPE), "as cat, sort and others end");
    assert!(place.read("report.json").contains("\"trials\""), "the report was written before");
}

#[test]
fn a_reader_of_a_pipe_that_leaves_is_an_error() {
    let place = Place::new();
    assert!(Command::new("mkfifo").arg(place.path("pipe")).status().unwrap().success());
    let child = command(&place.path(""), "run bfs rmat:scale=14 -q -o pipe")
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut reader = Command::new("timeout");
    reader.args(["60", "head", "-n", "1"]).arg(place.path("pipe"));
    let first = String::from_utf8(reader.output().unwrap().stdout).unwrap();
    assert!(first.starts_with("0\t"), "{first}");
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: pipe: the reader left"), "{said}");
}
