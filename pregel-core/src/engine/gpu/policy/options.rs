//! The user's options for a device: how a graph is laid out, and what the planner may do.

use super::costs::Costs;
use super::launch::LaunchSize;
use crate::device::prepare::Mapping;

/// How a graph is laid out on the device, and what the planner may choose. The defaults
/// are the fastest known; the rest is for measurements, and to reproduce the experiments of
/// the thesis.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GpuOptions {
    /// How vertices are sorted by their number of messages, if at all.
    pub sort: Sort,
    /// Vertices per group of the message buffer (`Per_Group_Num`), a power of two: 32 for
    /// a warp, 1 for plain rows without the remap.
    pub group: u32,
    /// Whether the columns of hubs are split across warps. Needs groups of 32. The thesis
    /// does not split them.
    pub split_hubs: bool,
    /// How the message buffer of [`Strategy::Mailbox`](crate::engine::Strategy::Mailbox)
    /// is laid out.
    pub buffer: BufferLayout,
    /// Whether pulls keep the signals of the busiest senders in shared memory.
    /// [`Choice::Always`] has no effect if signals are not made of 4-byte words, or if
    /// fewer than 16 bytes of them fit.
    pub hot: Choice,
    /// Whether messages are binned in supersteps in which every vertex scatters.
    /// [`Choice::Always`] has no effect if messages depend on edge values or are not made
    /// of 4-byte words, or if the run is deterministic or has an observer.
    pub bins: Choice,
    /// Whether launches stay on the device for many supersteps, or for rounds by priority.
    /// With [`Choice::Always`] they do from superstep 1 on, if the program and the
    /// [`RunOptions`](crate::engine::RunOptions) permit it. With [`Choice::Never`] the host
    /// starts every superstep, and every round if `priority` asks for rounds.
    pub resident: Choice,
    /// How many threads a push launches, one warp per piece of a row of up to 256 edges.
    pub push: LaunchSize,
    /// Whether a program with priorities runs in rounds by priority, as far as the program and
    /// the [`RunOptions`](crate::engine::RunOptions) permit it. With [`Choice::Auto`] `resident`
    /// decides: [`Choice::Always`] there means rounds, [`Choice::Never`] none.
    pub priority: Choice,
    /// The costs that the planner uses; those of [`Costs::of`] the device if `None`.
    pub costs: Option<Costs>,
}

/// Whether to use an optimisation that does not change results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Choice {
    /// Where it is expected to pay.
    #[default]
    Auto,
    /// Wherever it is possible.
    Always,
    /// Nowhere.
    Never,
}

impl Choice {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "on",
            Self::Never => "off",
        }
    }
}

/// How a message buffer is laid out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum BufferLayout {
    /// In columns, which the lanes of a warp read side by side (*PregelGPU*, §4.2).
    #[default]
    Columns,
    /// In the rows of the reverse graph, combined by segments, as in Medusa: a baseline for
    /// measurements. The graph is laid out on the CPU and not sorted. Programs that would
    /// otherwise be pulled or pushed also use the buffer.
    Medusa,
    /// The same rows, but one thread per vertex reads its messages from the first to the
    /// last, as *PregelGPU* describes Medusa in §4.2.1: the baseline that the thesis
    /// measures, and slower than [`Medusa`](Self::Medusa) where in-degrees differ.
    MedusaThread,
}

/// How vertices are sorted by degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// Not at all: every vertex at the place of its id.
    None,
    /// Approximately, in regions of about the same degree. The order within a region
    /// differs from run to run, so a deterministic run uses [`Sort::Stable`] instead.
    Approximate {
        /// How degrees are mapped to regions.
        mapping: Mapping,
        /// Number of regions (`NUM_REGION`) of [`Mapping::Linear`].
        regions: u32,
    },
    /// In the same regions, and by id within each.
    Stable {
        /// How degrees are mapped to regions.
        mapping: Mapping,
        /// Number of regions (`NUM_REGION`) of [`Mapping::Linear`].
        regions: u32,
    },
    /// Exactly: by descending degree, and by id among equal degrees.
    Exact,
}

impl Sort {
    /// A sort into the same regions with an order that is the same in every run.
    #[must_use]
    pub fn stable(self) -> Self {
        match self {
            Self::Approximate { mapping, regions } => Self::Stable { mapping, regions },
            sort => sort,
        }
    }
}

impl Default for GpuOptions {
    fn default() -> Self {
        let sort = Sort::Stable { mapping: Mapping::Logarithmic, regions: 1000 };
        let choice = Choice::Auto;
        Self {
            sort,
            group: 32,
            split_hubs: true,
            buffer: BufferLayout::default(),
            hot: choice,
            bins: choice,
            resident: choice,
            push: LaunchSize::default(),
            priority: choice,
            costs: None,
        }
    }
}

impl GpuOptions {
    /// The same with groups of `group` vertices.
    #[must_use]
    pub fn with_group(self, group: u32) -> Self {
        Self { group, ..self }
    }

    /// The same with another sort.
    #[must_use]
    pub fn with_sort(self, sort: Sort) -> Self {
        Self { sort, ..self }
    }

    /// The same with hubs split across warps, or not.
    #[must_use]
    pub fn with_split_hubs(self, split_hubs: bool) -> Self {
        Self { split_hubs, ..self }
    }

    /// The same with another layout of the message buffer.
    #[must_use]
    pub fn with_buffer(self, buffer: BufferLayout) -> Self {
        Self { buffer, ..self }
    }

    /// The same with hot signals kept in shared memory, or not.
    #[must_use]
    pub fn with_hot(self, hot: Choice) -> Self {
        Self { hot, ..self }
    }

    /// The same with binned messages, or without.
    #[must_use]
    pub fn with_bins(self, bins: Choice) -> Self {
        Self { bins, ..self }
    }

    /// The same with resident launches, or without.
    #[must_use]
    pub fn with_resident(self, resident: Choice) -> Self {
        Self { resident, ..self }
    }

    /// The same with pushes launched by another size.
    #[must_use]
    pub fn with_push(self, push: LaunchSize) -> Self {
        Self { push, ..self }
    }

    /// The same with rounds by priority, or without.
    ///
    /// Together with [`with_resident`](Self::with_resident) it separates two techniques that
    /// [`Choice::Auto`] combines: less work, by sending from near vertices first, and fewer
    /// launches. Results are the same.
    ///
    /// | `priority` | `resident` | a program with priorities runs |
    /// |---|---|---|
    /// | `Never` | `Never` | superstep by superstep, each started by the host |
    /// | `Always` | `Never` | in rounds, one launch per round |
    /// | `Never` | `Always` | superstep by superstep, many per launch |
    /// | `Always` | `Always` | in rounds, many per launch |
    #[must_use]
    pub fn with_priority(self, priority: Choice) -> Self {
        Self { priority, ..self }
    }

    /// The same with these costs for the planner.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs: Some(costs), ..self }
    }

    /// Whether rounds by priority are wanted.
    pub(crate) fn rounds(&self) -> Choice {
        if self.priority == Choice::Auto { self.resident } else { self.priority }
    }

    /// The baseline: Medusa's layout of the message buffer.
    pub fn medusa() -> Self {
        Self { buffer: BufferLayout::Medusa, ..Self::default() }
    }

    /// The baseline as the thesis describes it: Medusa's layout, and one thread per vertex
    /// reads its messages.
    pub fn medusa_thread() -> Self {
        Self { buffer: BufferLayout::MedusaThread, ..Self::default() }
    }

    /// The design of the thesis: linear regions, groups of 32, hubs not split.
    pub fn thesis(regions: u32) -> Self {
        let sort = Sort::Approximate { mapping: Mapping::Linear, regions };
        Self { sort, split_hubs: false, ..Self::default() }
    }
}
