//! The peer GAPBS (the GAP Benchmark Suite of Beamer, Asanović and Patterson), built from its
//! sources outside the repository.

use std::error::Error;
use std::fs;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

use pregel_core::graph::Graph;

/// The environment variable with the folder of its sources.
const SOURCES: &str = "PREGEL_GAPBS";
/// What is built of it.
const BUILT: [&str; 5] = ["bfs", "sssp", "pr", "cc", "converter"];
/// The widths of buckets of which the best counts for SSSP.
const DELTAS: [u32; 9] = [1, 2, 4, 8, 16, 64, 256, 512, 1024];

/// A width of buckets that takes this many times as long as the best is not tried again.
const MUCH_SLOWER: f64 = 1.5;

/// The milliseconds of SSSP that each width of buckets took so far, the smallest.
#[derive(Debug)]
pub struct Widths([f64; DELTAS.len()]);

impl Default for Widths {
    fn default() -> Self {
        Self([f64::INFINITY; DELTAS.len()])
    }
}

impl Widths {
    fn best(&self) -> f64 {
        self.0.iter().copied().fold(f64::INFINITY, f64::min)
    }
}

/// GAPBS, built.
#[derive(Debug)]
pub struct Gapbs {
    folder: PathBuf,
}

/// A graph in the format of GAPBS.
#[derive(Debug)]
pub struct Prepared<'a> {
    gapbs: &'a Gapbs,
    plain: PathBuf,
    weighted: PathBuf,
    source: String,
    trials: String,
}

impl Gapbs {
    /// Builds it with its default flags in `folder`, from the sources that `PREGEL_GAPBS`
    /// names; `None` if that is not set.
    ///
    /// # Errors
    /// If the sources cannot be copied or compiled.
    pub fn build(folder: &Path) -> Result<Option<Self>, Box<dyn Error>> {
        let Some(sources) = std::env::var_os(SOURCES).map(PathBuf::from) else { return Ok(None) };
        copy(&sources.join("src"), &folder.join("src"))?;
        for needed in ["Makefile", "test/test.mk", "benchmark/bench.mk"] {
            let to = folder.join(needed);
            to.parent().map(fs::create_dir_all).transpose()?;
            fs::copy(sources.join(needed), to)?;
        }
        output(Command::new("make").arg("-C").arg(folder).args(BUILT))?;
        Ok(Some(Self { folder: folder.to_owned() }))
    }

    /// Writes an undirected graph for it, into its folder.
    ///
    /// # Errors
    /// If a file cannot be written, or GAPBS does not read the same number of edges, as when
    /// the graph has self-loops or an edge twice.
    pub fn prepare(
        &self,
        graph: &Graph<f32>,
        source: u32,
        trials: usize,
    ) -> Result<Prepared<'_>, Box<dyn Error>> {
        let file = |name: &str| self.folder.join(name);
        let (plain, weighted) = (file("graph.sg"), file("graph.wsg"));
        for (text, to, flags) in [("graph.el", &plain, "-s"), ("graph.wel", &weighted, "-sw")] {
            let text = file(text);
            write(&text, graph, flags == "-sw")?;
            let mut converter = Command::new(file("converter"));
            let said = output(converter.arg(flags).arg("-f").arg(&text).arg("-b").arg(to))?;
            let expected = format!(" {} undirected edges", graph.edge_count() / 2);
            if !said.contains(&expected) {
                return Err(format!("GAPBS read another graph, not{expected}: {said}").into());
            }
            fs::remove_file(text)?;
        }
        let (source, trials) = (source.to_string(), trials.to_string());
        Ok(Prepared { gapbs: self, plain, weighted, source, trials })
    }
}

impl Prepared<'_> {
    /// Milliseconds of BFS, the smallest of the trials.
    ///
    /// # Errors
    /// Like all of these: if it fails, or prints no time.
    pub fn bfs(&self) -> Result<f64, Box<dyn Error>> {
        self.time("bfs", &self.plain, &["-r", &self.source])
    }

    /// Milliseconds of SSSP with the best width of buckets. All widths are tried in the first turn,
    /// and later those that are not much slower than the best.
    pub fn sssp(&self, widths: &mut Widths) -> Result<f64, Box<dyn Error>> {
        let best = widths.best();
        for (width, least) in DELTAS.iter().zip(&mut widths.0) {
            if *least <= MUCH_SLOWER * best {
                let width = width.to_string();
                let time =
                    self.time("sssp", &self.weighted, &["-r", &self.source, "-d", &width])?;
                *least = least.min(time);
            }
        }
        Ok(widths.best())
    }

    /// Milliseconds of PageRank with this number of iterations.
    pub fn pagerank(&self, iterations: u32) -> Result<f64, Box<dyn Error>> {
        self.time("pr", &self.plain, &["-i", &iterations.to_string(), "-t", "0"])
    }

    /// Milliseconds of connected components.
    pub fn components(&self) -> Result<f64, Box<dyn Error>> {
        self.time("cc", &self.plain, &[])
    }

    fn time(&self, kernel: &str, graph: &Path, args: &[&str]) -> Result<f64, Box<dyn Error>> {
        let mut command = Command::new(self.gapbs.folder.join(kernel));
        let text = output(command.arg("-f").arg(graph).args(["-n", &self.trials]).args(args))?;
        let best = trial_times(&text).fold(f64::INFINITY, f64::min);
        if best.is_finite() { Ok(best * 1e3) } else { Err(format!("{kernel}: no time").into()) }
    }
}

/// Writes each undirected edge once, with its weight rounded to an integer, if wanted. GAPBS
/// knows no comments.
fn write(to: &Path, graph: &Graph<f32>, weights: bool) -> std::io::Result<()> {
    let mut text = BufWriter::new(fs::File::create(to)?);
    for u in 0..graph.vertex_count() {
        for edge in graph.out().range(u) {
            let v = graph.out().targets()[edge];
            match weights {
                _ if u > v => {}
                true => writeln!(text, "{u} {v} {}", graph.out_values()[edge].round())?,
                false => writeln!(text, "{u} {v}")?,
            }
        }
    }
    text.flush()
}

/// The times of the trials that GAPBS prints, in seconds.
fn trial_times(text: &str) -> impl Iterator<Item = f64> + '_ {
    text.lines()
        .filter_map(|line| line.strip_prefix("Trial Time:"))
        .filter_map(|time| time.trim().parse().ok())
}

/// What a command prints.
fn output(command: &mut Command) -> Result<String, Box<dyn Error>> {
    let done = command.output().map_err(|error| format!("{command:?}: {error}"))?;
    if !done.status.success() {
        return Err(format!("{command:?}: {}", String::from_utf8_lossy(&done.stderr)).into());
    }
    Ok(String::from_utf8(done.stdout)?)
}

/// Copies the files of a folder.
fn copy(from: &Path, to: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(to)?;
    for file in fs::read_dir(from).map_err(|error| format!("{}: {error}", from.display()))? {
        let file = file?;
        fs::copy(file.path(), to.join(file.file_name()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found() {
        let text = "Read Time: 0.1\nTrial Time:          0.00592\nAverage Time: 1\nTrial Time: 2\n";
        assert_eq!(Vec::from_iter(trial_times(text)), [0.00592, 2.0]);
    }
}
