//! How a program with priorities runs: the paper's two techniques, each with and without the
//! other.

use pregel_core::engine::Strategy;
use pregel_core::engine::gpu::{Choice, GpuOptions};

/// How a device runs a program.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub name: &'static str,
    pub strategy: Strategy,
    pub options: GpuOptions,
}

/// Neither technique: the host starts every superstep, in which all vertices that changed send.
pub const PLAIN: &str = "plain";
/// Soft priority alone: near vertices first, in rounds, each a launch of its own.
pub const PRIORITY: &str = "priority";
/// Fusion alone: many supersteps in one launch.
pub const FUSED: &str = "fused";
/// Both: many rounds in one launch.
pub const BOTH: &str = "both";
/// What the engine chooses.
pub const AUTO: &str = "auto";
/// The bundled search, as the engine chooses.
pub const BFS: &str = "bfs, auto";

/// The paper's techniques, forced, and the engine's own choice.
pub fn techniques() -> [Way; 5] {
    let forced = |name, priority, resident| Way {
        name,
        strategy: Strategy::Auto,
        options: GpuOptions::default().with_priority(priority).with_resident(resident),
    };
    [
        Way { strategy: Strategy::Push, ..forced(PLAIN, Choice::Never, Choice::Never) },
        forced(PRIORITY, Choice::Always, Choice::Never),
        forced(FUSED, Choice::Never, Choice::Always),
        forced(BOTH, Choice::Always, Choice::Always),
        auto(AUTO),
    ]
}

/// The engine's own choice.
pub fn auto(name: &'static str) -> Way {
    Way { name, strategy: Strategy::Auto, options: GpuOptions::default() }
}

/// Every superstep pushed, started by the host.
pub fn push(name: &'static str) -> Way {
    let options = GpuOptions::default().with_resident(Choice::Never);
    Way { name, strategy: Strategy::Push, options }
}

/// Every superstep resident.
pub fn resident(name: &'static str) -> Way {
    let options = GpuOptions::default().with_resident(Choice::Always);
    Way { name, strategy: Strategy::Auto, options }
}
