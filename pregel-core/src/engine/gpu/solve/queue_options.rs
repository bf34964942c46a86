//! What the user may set of a search by queues, and what it says of itself.

use std::time::Duration;

use crate::device::solve::QueueKind;
use crate::engine::gpu::policy::LaunchSize;

/// The techniques of a [`QueueSearch`](super::QueueSearch). The default has none of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueOptions {
    /// How many threads expand a level, each one vertex after the other.
    pub launch: LaunchSize,
    /// How the queue of the next level is filled.
    pub queue: QueueKind,
    /// Vertices with more edges than this go to a queue of their own, and a block of threads
    /// shares the row of each. FlexBFS takes five times the mean degree; `None` for no such queue.
    pub hub_degree: Option<u32>,
}

impl Default for QueueOptions {
    /// One thread for each vertex of the graph, one queue.
    fn default() -> Self {
        Self { launch: LaunchSize::Vertices, queue: QueueKind::Global, hub_degree: None }
    }
}

impl QueueOptions {
    /// The same, launched by another size.
    #[must_use]
    pub fn with_launch(self, launch: LaunchSize) -> Self {
        Self { launch, ..self }
    }

    /// The same with another queue.
    #[must_use]
    pub fn with_queue(self, queue: QueueKind) -> Self {
        Self { queue, ..self }
    }

    /// The same with a queue for vertices with more edges than this, or without.
    #[must_use]
    pub fn with_hub_degree(self, hub_degree: Option<u32>) -> Self {
        Self { hub_degree, ..self }
    }
}

/// What a [`QueueSearch`](super::QueueSearch) did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Searched {
    /// How many vertices each level has, from that of the source on.
    pub frontiers: Vec<u32>,
    /// From the first launch until the host knows that nothing is left. Neither resetting the
    /// levels before nor copying them afterwards is part of it.
    pub time: Duration,
    /// Threads that expanded each level, without those of the queue of hubs, added up over
    /// the levels.
    pub threads: u64,
    /// What was counted, if it was asked for.
    pub counted: Option<QueueTraffic>,
}

/// What filling the queues of a search took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct QueueTraffic {
    /// Atomic additions to the tails of queues in device memory.
    pub additions: u64,
    /// Sectors of 32 bytes that warps wrote to queues in device memory. A sector counts once for
    /// each store of a warp that writes to it.
    pub sectors: u64,
}

impl QueueTraffic {
    /// Both together: memory transactions.
    pub fn transactions(&self) -> u64 {
        self.additions + self.sectors
    }
}
