//! Runs that are killed, or end because a checkpoint cannot be written, and are resumed.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{Place, command};

const SIGINT: i32 = 2;
const SIGKILL: i32 = 9;
/// How long to wait for a command before the test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run that does not end by itself.
const ENDLESS: &str = "run pagerank rmat:scale=8 --tolerance 0 --supersteps 4000000000 \
                       --deterministic -q --checkpoint saved";

/// A random fraction of `time`.
fn part_of(time: Duration) -> Duration {
    time.mul_f64(RandomState::new().hash_one(0) as f64 / u64::MAX as f64)
}

/// Kills runs of `line` at random moments, `kills` times in all, and resumes them. `often` says
/// how often they are saved. Runs that end by themselves, resumed or not, must give the right
/// result; returns how many of these were resumed.
fn kill_and_resume(line: &str, often: &str, kills: u32) -> u32 {
    let place = Place::new();
    place.out(&format!("{line} -q -o right.tsv"));
    let right = place.read("right.tsv");
    let line = format!("{line} -q -o out.tsv --report report.json --checkpoint saved {often}");
    let start = Instant::now();
    place.out(&line);
    let time = start.elapsed();
    let (mut killed, mut resumed) = (0, 0);
    loop {
        if place.path("out.tsv").exists() {
            // This run ended before it was killed; the next one starts from the beginning.
            assert_eq!(place.read("out.tsv"), right, "{line}");
            let report = fs::read_to_string(place.path("report.json")).unwrap_or_default();
            resumed += u32::from(report.contains("resumed_after"));
            for file in ["out.tsv", "report.json"] {
                let _ = fs::remove_file(place.path(file));
            }
            fs::remove_dir_all(place.path("saved")).unwrap();
            if killed == kills {
                return resumed;
            }
        }
        // Without a manifest, no checkpoint is complete.
        let complete = place.path("saved/manifest").exists();
        let line = if complete { format!("{line} --resume saved") } else { line.clone() };
        let mut child = command(&place.path(""), &line).spawn().unwrap();
        if killed < kills {
            let moment = part_of(time);
            println!("kill {killed} after {moment:?}");
            sleep(moment);
            child.kill().unwrap();
        }
        let status = child.wait().unwrap();
        assert!(status.success() || status.signal() == Some(SIGKILL), "{line}: {status}");
        killed += u32::from(!status.success());
    }
}

#[test]
fn a_run_that_is_killed_at_any_moment_can_be_resumed() {
    let ranks = "run pagerank rmat:scale=9 --tolerance 0 --supersteps 300 --deterministic";
    let mut resumed = kill_and_resume(ranks, "--every 50", 60);
    resumed += kill_and_resume("run sssp grid:rows=3,cols=600", "--every-seconds 0.01", 40);
    assert!(resumed > 0, "no resumed run reached its end");
}

/// Waits until the command has written a complete checkpoint.
fn wait_for_checkpoint(place: &Place, child: &mut Child) {
    let start = Instant::now();
    while !place.path("saved/manifest").exists() {
        assert_eq!(child.try_wait().unwrap(), None, "the command ended");
        assert!(start.elapsed() < PATIENCE, "the command saves nothing");
        sleep(Duration::from_millis(5));
    }
}

/// Waits until the command has ended.
fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        if start.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("the command did not end; were these tests started with SIGINT ignored?");
        }
        sleep(Duration::from_millis(5));
    }
}

#[test]
fn an_interrupted_run_can_be_resumed() {
    let place = Place::new();
    let line = format!("{ENDLESS} --every 100");
    let mut child = command(&place.path(""), &line).spawn().unwrap();
    wait_for_checkpoint(&place, &mut child);
    // The folder is locked while the run goes on.
    place.refuses(&format!("{line} --resume saved"), 1, &["saved is in use by another run"]);
    place.refuses("run hcc rmat:scale=4 --resume saved", 1, &["saved is in use"]);
    let kill = Command::new("kill").args([format!("-{SIGINT}"), child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    assert_eq!(ended(&mut child).signal(), Some(SIGINT));

    let manifest = place.read("saved/manifest");
    let newest = manifest.lines().nth(1).unwrap();
    let superstep: u32 = newest["superstep-".len()..][..10].parse().unwrap();
    let line = ENDLESS.replace(" --checkpoint saved", "");
    let end = |superstep: u32| line.replace("4000000000", &(superstep + 7).to_string());
    let resumed = place.out(&format!("{} --resume saved -o -", end(superstep)));
    assert_eq!(resumed, place.out(&format!("{} -o -", end(superstep))), "after {superstep}");
}

#[test]
fn a_checkpoint_that_cannot_be_written_ends_the_run_loudly() {
    let place = Place::new();
    let line = "run pagerank rmat:scale=12 --tolerance 0 --deterministic -q --every 5 \
                --checkpoint saved";
    place.out(&format!("{line} --supersteps 9"));
    let right = place
        .out("run pagerank rmat:scale=12 --tolerance 0 --deterministic -q --supersteps 40 -o -");
    let before = place.read("saved/manifest");
    let pregel = env!("CARGO_BIN_EXE_pregel");
    // The limit is in blocks of 512 bytes; a checkpoint has 36 KiB.
    let script =
        format!("ulimit -f 40; exec {pregel} {line} --resume saved --supersteps 40 -o out.tsv");
    let done =
        Command::new("sh").args(["-c", &script]).current_dir(place.path("")).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    let words = "error: the run was ended, since a checkpoint could not be written: cannot write \
                 saved/superstep-00000000";
    assert!(said.starts_with(words) && said.contains("too large"), "{said}");
    // There is no result and no unfinished file, and the previous checkpoint is still there.
    assert_eq!(place.files(), ["saved"]);
    assert_eq!(place.read("saved/manifest"), before);
    let files = fs::read_dir(place.path("saved")).unwrap().count();
    assert_eq!(files, 3, "lock, manifest and one checkpoint");
    let resumed = place.out(&format!("{line} --resume saved --supersteps 40 -o -"));
    assert_eq!(resumed, right);
}

#[test]
fn a_folder_that_is_removed_ends_the_run_loudly() {
    let place = Place::new();
    let mut child = command(&place.path(""), &format!("{ENDLESS} --every 100"))
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    wait_for_checkpoint(&place, &mut child);
    // Removal fails if the run creates a file at the same time.
    let start = Instant::now();
    while fs::remove_dir_all(place.path("saved")).is_err() && place.path("saved").exists() {
        assert!(start.elapsed() < PATIENCE);
    }
    let done = child.wait_with_output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert_eq!(done.status.code(), Some(1), "{said}");
    assert!(said.starts_with("error: the run was ended, since a checkpoint could"), "{said}");
}
