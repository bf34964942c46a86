//! The contenders.

use pregel_core::engine::Strategy;
use pregel_core::engine::gpu::{LaunchSize, QueueKind, QueueOptions};

/// Those on the CPU.
pub const ON_CPU: [&str; 2] = ["sequential", "all cores"];

/// The search on one core, in [`ON_CPU`].
pub const SEQUENTIAL: usize = 0;
/// The CPU engine.
pub const ALL_CORES: usize = 1;

/// Those on a GPU.
pub const ON_GPU: [&str; 12] = [
    "push, launched for all vertices",
    "push, launched for the frontier",
    "queue, plain",
    "queue, launched for the frontier",
    "queue, block queues",
    "queue, hub queue",
    "queue, all but the launch",
    "queue, all but block queues",
    "queue, all but the hub queue",
    "queue, all (FlexBFS)",
    "queue, all, warps instead of blocks",
    "auto",
];

/// The engine's push as it was, in [`ON_GPU`].
pub const PUSH_ALL: usize = 0;
/// The engine's push.
pub const PUSH: usize = 1;
/// The search by queues without any technique.
pub const PLAIN: usize = 2;
/// With one technique each: [`TECHNIQUES`].
pub const ALONE: [usize; 3] = [3, 4, 5];
/// With all but one of them.
pub const WITHOUT: [usize; 3] = [6, 7, 8];
/// All techniques of the paper.
pub const FLEXBFS: usize = 9;
/// All, with one addition for the lanes of a warp instead of queues in shared memory.
pub const WARPS: usize = 10;
/// The engine's own choice.
pub const AUTO: usize = 11;

/// The paper's techniques.
pub const TECHNIQUES: [&str; 3] =
    ["launched for the frontier (§3.1)", "block queues (§3.2)", "hub queue (§3.3)"];

/// The queues of which transactions are counted.
pub const QUEUES: [(&str, QueueKind); 3] = [
    ("one queue, each vertex by itself", QueueKind::Global),
    ("one queue, the lanes of a warp together", QueueKind::Warp),
    ("a queue per block in shared memory", QueueKind::Block),
];

/// How a GPU searches.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// A program on the engine, with pushes launched by this size.
    Engine(Strategy, LaunchSize),
    /// By queues.
    Queues(QueueOptions),
}

/// Each of [`ON_GPU`]; vertices with more edges than `hub_degree` are hubs.
pub fn on_gpu(hub_degree: u32) -> [Way; ON_GPU.len()] {
    let plain = QueueOptions::default();
    let all = flexbfs(hub_degree);
    [
        Way::Engine(Strategy::Push, LaunchSize::Vertices),
        Way::Engine(Strategy::Push, LaunchSize::Frontier),
        Way::Queues(plain),
        Way::Queues(plain.with_launch(LaunchSize::Frontier)),
        Way::Queues(plain.with_queue(QueueKind::Block)),
        Way::Queues(plain.with_hub_degree(Some(hub_degree))),
        Way::Queues(all.with_launch(LaunchSize::Vertices)),
        Way::Queues(all.with_queue(QueueKind::Global)),
        Way::Queues(all.with_hub_degree(None)),
        Way::Queues(all),
        Way::Queues(all.with_queue(QueueKind::Warp)),
        Way::Engine(Strategy::Auto, LaunchSize::Frontier),
    ]
}

/// All techniques of the paper.
pub fn flexbfs(hub_degree: u32) -> QueueOptions {
    QueueOptions::default()
        .with_launch(LaunchSize::Frontier)
        .with_queue(QueueKind::Block)
        .with_hub_degree(Some(hub_degree))
}

/// Five times the mean degree: a vertex with more edges is a hub.
pub fn hub_degree(mean_degree: f64) -> u32 {
    // The cast saturates.
    (5.0 * mean_degree) as u32
}
