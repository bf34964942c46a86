//! Runs NVIDIA's assembler, to see which resources the kernels of an image need.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::iter;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::{available_parallelism, scope};

use pregel_core::device::waiting;
use tempfile::NamedTempFile;

use crate::error::BuildError;

/// Architectures that every image is assembled for.
pub(crate) const ARCHITECTURES: [&str; 3] = [OLDEST, "sm_90", "sm_120"];

/// The architecture that the PTX is written for.
const OLDEST: &str = "sm_80";

/// An installed `ptxas`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Assembler {
    path: PathBuf,
    /// Such as `ptxas 13.0.88`.
    pub(crate) version: String,
}

/// What one kernel needs on one architecture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Bytes of registers per thread that are stored to memory and loaded back.
    pub spills: u32,
    /// Bytes of stack per thread.
    pub stack: u32,
    /// Bytes of shared memory per block, without what a launch adds.
    pub shared: u32,
}

/// What each kernel of an image needs on one architecture.
type Assembled = Result<BTreeMap<String, Resources>, BuildError>;

impl Assembler {
    /// `PREGEL_PTXAS`, otherwise `ptxas` in `PATH`, otherwise that of `/usr/local/cuda`;
    /// `None` if there is none.
    ///
    /// # Errors
    /// [`BuildError::Assembler`] if the one that `PREGEL_PTXAS` names does not work.
    pub(crate) fn find() -> Result<Option<Self>, BuildError> {
        if let Some(named) = std::env::var_os("PREGEL_PTXAS").filter(|name| !name.is_empty()) {
            let found = Self::probe(Path::new(&named));
            return found.map(Some).ok_or_else(|| BuildError::Assembler(named.into()));
        }
        let usual = ["ptxas", "/usr/local/cuda/bin/ptxas"];
        Ok(usual.iter().find_map(|path| Self::probe(Path::new(path))))
    }

    fn probe(path: &Path) -> Option<Self> {
        let output = Command::new(path).arg("--version").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let (_, after) = text.split_once(", V")?;
        let version = format!("ptxas {}", after.split_whitespace().next()?);
        Some(Self { path: path.to_owned(), version })
    }

    /// Assembles images for every architecture, on all cores. What came of each, in the order
    /// of the architectures and, for each, of the images.
    pub(crate) fn run_all(&self, images: &[&Path]) -> Vec<Assembled> {
        let jobs: Vec<_> = ARCHITECTURES
            .iter()
            .flat_map(|architecture| images.iter().map(move |image| (*architecture, *image)))
            .collect();
        let next = AtomicUsize::new(0);
        let work = || -> Vec<(usize, Assembled)> {
            let jobs = iter::from_fn(|| {
                let i = next.fetch_add(1, Relaxed);
                Some((i, jobs.get(i)?))
            });
            jobs.map(|(i, (architecture, image))| (i, self.run(image, architecture))).collect()
        };
        let mut found = scope(|threads| {
            let cores = available_parallelism().map_or(1, usize::from);
            let others: Vec<_> = (1..cores.min(jobs.len())).map(|_| threads.spawn(work)).collect();
            let mut found = work();
            for other in others {
                found.extend(other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            found
        });
        found.sort_by_key(|(i, _)| *i);
        found.into_iter().map(|(_, found)| found).collect()
    }

    /// Assembles an image for one architecture, in the form that the driver is given there:
    /// what each kernel needs.
    fn run(&self, image: &Path, architecture: &'static str) -> Assembled {
        let text = fs::read_to_string(image).map_err(BuildError::io("read", image))?;
        let mut form = String::new();
        let waits = architecture != OLDEST && waiting(&text, |part| form.push_str(part));
        let text = if waits { form } else { text };
        let temporary =
            || NamedTempFile::new().map_err(BuildError::io("make a temporary file for", image));
        let (mut given, code) = (temporary()?, temporary()?);
        let written = given.write_all(text.as_bytes());
        written.map_err(BuildError::io("copy", image))?;
        let mut command = Command::new(&self.path);
        command.arg("-v").arg(format!("-arch={architecture}")).arg(given.path());
        command.arg("-o").arg(code.path());
        let start = |source| BuildError::Start { command: self.path.clone(), source };
        let output = command.output().map_err(start)?;
        let text =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if output.status.success() {
            Ok(read(&text))
        } else {
            let image = image.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            Err(BuildError::Assemble { image, architecture, output: text.into_owned() })
        }
    }
}

/// The number before a phrase in a line.
fn before(line: &str, phrase: &str) -> Option<u32> {
    let (head, _) = line.split_once(phrase)?;
    head.split_whitespace().next_back()?.parse().ok()
}

/// What `ptxas -v` prints, by kernel.
fn read(text: &str) -> BTreeMap<String, Resources> {
    let mut all: BTreeMap<String, Resources> = BTreeMap::new();
    let mut kernel: Option<String> = None;
    let mut properties_of: Option<String> = None;
    for line in text.lines() {
        if let Some((_, after)) = line.split_once("Compiling entry function '") {
            kernel = after.split('\'').next().map(str::to_owned);
            if let Some(name) = &kernel {
                all.entry(name.clone()).or_default();
            }
        } else if let Some((_, name)) = line.split_once("Function properties for ") {
            properties_of = Some(name.trim().to_owned());
        } else if let Some(stack) = before(line, " bytes stack frame") {
            // Functions that are not inlined are listed too; only kernels count.
            let name = properties_of.take().unwrap_or_default();
            if let Some(resources) = all.get_mut(&name) {
                resources.stack = stack;
                let stored = before(line, " bytes spill stores").unwrap_or(0);
                resources.spills = stored + before(line, " bytes spill loads").unwrap_or(0);
            }
        } else if let Some(registers) = before(line, " registers")
            && let Some(resources) = kernel.as_ref().and_then(|name| all.get_mut(name))
        {
            resources.registers = registers;
            resources.shared = before(line, " bytes smem").unwrap_or(0);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_of_ptxas_is_read() {
        let text = "\
ptxas info    : 0 bytes gmem, 32 bytes cmem[4]
ptxas info    : Compiling entry function 'one__pull' for 'sm_80'
ptxas info    : Function properties for one__pull
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Function properties for helper
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 16 registers, used 1 barriers, 1024 bytes smem, 364 bytes cmem[0]
ptxas info    : Compiling entry function 'one__init' for 'sm_80'
ptxas info    : Function properties for one__init
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 9 registers, used 0 barriers, 364 bytes cmem[0]
";
        let all = read(text);
        assert_eq!(all.len(), 2);
        let pull = Resources { registers: 16, spills: 16, stack: 8, shared: 1024 };
        assert_eq!(all["one__pull"], pull);
        assert_eq!(all["one__init"], Resources { registers: 9, ..Resources::default() });
    }
}
