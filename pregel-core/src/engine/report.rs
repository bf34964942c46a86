//! What a run says of itself.

use std::time::Duration;

use super::Strategy;

/// How a run went.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Report {
    /// Name of the engine.
    pub engine: &'static str,
    /// The strategy asked for.
    pub strategy: Strategy,
    /// Why the run ended.
    pub stop: StopReason,
    /// Supersteps after superstep 0.
    pub supersteps: u32,
    /// Messages offered, over all supersteps: edges of scattering vertices.
    pub messages: u64,
    /// Time of the run, preparation apart.
    pub time: Duration,
    /// Time of [`Engine::prepare`](super::Engine::prepare).
    pub prepare_time: Duration,
    /// Each superstep, superstep 0 first.
    pub steps: Vec<SuperstepReport>,
}

/// One superstep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SuperstepReport {
    /// Its number; 0 is `init`.
    pub superstep: u32,
    /// Vertices that computed.
    pub active: u64,
    /// Messages offered: edges of the vertices that scattered into this
    /// superstep, whether or not `edge_compute` stayed silent. The same in
    /// every strategy.
    pub messages: u64,
    /// How the messages travelled: never `Auto`.
    pub strategy: Strategy,
    /// How long it took.
    pub time: Duration,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopReason {
    /// No vertex is awake and none scatters.
    Halted,
    /// The program's `converged` said so.
    Converged,
    /// The superstep limit was reached.
    Limit,
    /// The observer cancelled the run.
    Cancelled,
}

impl StopReason {
    /// Lower-case name, as in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Halted => "halted",
            Self::Converged => "converged",
            Self::Limit => "limit",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Largest resident memory of this process so far; `None` where the system
/// does not tell (outside Linux).
pub fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}
