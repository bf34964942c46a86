//! What a report was measured on.

use std::fs;

/// The machine and the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The processor's name.
    pub cpu: String,
    /// Threads that engines use.
    pub threads: usize,
    /// The GPU's name, if one was used.
    pub device: Option<String>,
    /// Version, and commit if it was built from a repository.
    pub version: String,
}

impl Machine {
    /// This machine, without a GPU.
    pub fn here() -> Self {
        let version = env!("CARGO_PKG_VERSION");
        Self {
            cpu: cpu().unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
            threads: rayon::current_num_threads(),
            device: None,
            version: match option_env!("PREGEL_COMMIT") {
                Some(commit) => format!("{version}, commit {commit}"),
                None => version.to_owned(),
            },
        }
    }
}

/// The processor's name, as Linux gives it.
fn cpu() -> Option<String> {
    let text = fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}
