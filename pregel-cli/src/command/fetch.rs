//! `pregel fetch`: downloads real graphs.

use std::ffi::OsString;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use pregel_core::io::write_file;
use sha2::{Digest, Sha256};

use crate::args::FetchArgs;
use crate::datasets::DATASETS;
use crate::job::FetchJob;
use crate::output::{folder_of, print};
use crate::progress::Progress;
use crate::text::{Align, Table, thousands};

/// Programs that download to stdout, in the order in which they are tried.
const PROGRAMS: [(&str, &[&str]); 2] = [
    ("curl", &["--fail", "--location", "--silent", "--show-error"]),
    ("wget", &["--no-verbose", "--output-document=-"]),
];

/// Lists the graphs, or prints the path of one, which is downloaded if it is not there.
pub fn execute(args: FetchArgs) -> Result<()> {
    let Some(job) = FetchJob::new(args)? else { return print(&list()) };
    match fs::read(&job.path) {
        Ok(bytes) => check_cached(&job, &bytes)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => fetch(&job)?,
        Err(error) => {
            return Err(error).with_context(|| format!("cannot read {}", job.path.display()));
        }
    }
    print(&format!("{}\n", job.path.display()))
}

/// What is known of every graph.
fn list() -> String {
    let mut facts = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Left]);
    facts.row(["name", "vertices", "edges", ""]);
    let mut origins = Table::new(&[Align::Left, Align::Left]);
    for dataset in &DATASETS {
        let (vertices, edges) = (thousands(dataset.vertices.into()), thousands(dataset.edges));
        facts.row([dataset.name, &vertices, &edges, dataset.about]);
        origins.row([dataset.name, dataset.url]);
        origins.row(["", dataset.origin]);
    }
    format!("{facts}\nTo be cited:\n\n{origins}")
}

/// Refuses a file in the place of the graph that is not the graph.
fn check_cached(job: &FetchJob, bytes: &[u8]) -> Result<()> {
    let (found, expected) = (sha256(bytes), job.dataset.sha256);
    if found != expected {
        bail!(
            "{} is not the file that is known: its SHA-256 is {found}, expected {expected}; \
             remove it to download it again",
            job.path.display()
        );
    }
    Ok(())
}

/// Downloads the graph. What is written has been checked.
fn fetch(job: &FetchJob) -> Result<()> {
    let (path, url) = (&job.path, job.dataset.url);
    let progress = Progress::new(false);
    progress.stage(&format!("downloading {url}"));
    let downloaded = download(url);
    progress.clear();
    let bytes = match downloaded {
        Ok(bytes) => bytes,
        Err(error) => bail!(
            "cannot download {}: {error:#}; download {url} yourself and put it where it belongs, {}",
            job.dataset.name,
            path.display()
        ),
    };
    let (found, expected) = (sha256(&bytes), job.dataset.sha256);
    if found != expected {
        bail!("{url} has the SHA-256 {found}, expected {expected}; nothing was kept");
    }
    let folder = folder_of(path);
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    write_as_it_is(path, &bytes)
}

/// Writes the file under another name first: by its own, it would be compressed again.
fn write_as_it_is(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut name = OsString::from(path);
    name.push(".part");
    write_file(Path::new(&name), |out| out.write_all(bytes))?;
    fs::rename(&name, path).with_context(|| format!("cannot write {}", path.display()))
}

/// What is at `url`, by the first program of [`PROGRAMS`] that is installed.
fn download(url: &str) -> Result<Vec<u8>> {
    for (program, options) in PROGRAMS {
        let child = Command::new(program).args(options).arg(url).stdin(Stdio::null()).output();
        let output = match child {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            child => child.with_context(|| format!("cannot run {program}"))?,
        };
        if output.status.success() {
            return Ok(output.stdout);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        match said.lines().rfind(|line| !line.trim().is_empty()) {
            Some(line) => bail!("{program} says «{}»", line.trim()),
            None => bail!("{program} failed ({})", output.status),
        }
    }
    bail!("there is neither curl nor wget")
}

/// The SHA-256 in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), expected);
    }

    #[test]
    fn files_are_written_as_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graph.txt.gz");
        write_as_it_is(&path, b"not compressed").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"not compressed");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn the_list_has_every_graph_and_what_to_cite() {
        let list = list();
        for dataset in &DATASETS {
            for word in [dataset.name, dataset.url, dataset.origin] {
                assert!(list.contains(word), "no «{word}» in\n{list}");
            }
        }
    }
}
