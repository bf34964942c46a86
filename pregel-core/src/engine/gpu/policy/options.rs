//! How the graph is laid out on the device, and what is forced.

use super::costs::Costs;
use crate::device::prepare::Mapping;

/// How the graph is laid out on the device, and what the planner may choose. The
/// defaults are good; the rest is there to reproduce the thesis' experiments, and
/// to measure.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct GpuOptions {
    /// Whether, and how, vertices are sorted by their number of messages.
    pub sort: Sort,
    /// Vertices in a group of the message buffer (`Per_Group_Num`), a power of
    /// two: 32 for a warp, 1 for plain rows without the remap.
    pub group: u32,
    /// Whether the columns of hubs are split across warps. Off is the thesis as
    /// written. Needs groups of 32.
    pub split_hubs: bool,
    /// How the message buffer of [`Strategy::Mailbox`](crate::engine::Strategy::Mailbox)
    /// is laid out.
    pub buffer: BufferLayout,
    /// Whether pulls keep the busiest senders' signals in shared memory.
    /// [`Choice::Always`] does nothing for signals that are not made of words of 4
    /// bytes, or where fewer than 16 bytes of them fit.
    pub hot: Choice,
    /// Whether messages go by way of bins, where every vertex scatters.
    /// [`Choice::Always`] does nothing for a program whose messages depend on edge
    /// values or are not made of words, nor in a deterministic run.
    pub bins: Choice,
    /// Whether launches stay on the device for many supersteps, or rounds by
    /// priority. [`Choice::Always`] stays from superstep 1 on, if the program and
    /// the [`RunOptions`](crate::engine::RunOptions) permit it.
    pub resident: Choice,
    /// What the planner goes by; [`Costs::of`] the device if `None`.
    pub costs: Option<Costs>,
}

/// Whether something is done that does not change results.
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
    /// Lower-case word, as on the command line.
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
    /// In columns, side by side for the lanes of a warp (*PregelGPU*, §4.2).
    #[default]
    Columns,
    /// In the rows of the reverse graph, combined by segments, as Medusa does it: a
    /// baseline to measure against. The graph is laid out on the CPU and not sorted.
    /// Takes programs through the buffer that would be pulled or pushed otherwise.
    Medusa,
}

/// How vertices are sorted by degree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Sort {
    /// Not at all: every vertex at the place of its id.
    None,
    /// Approximately, in regions of about the same degree. The order within a
    /// region is another in every run; a deterministic run takes
    /// [`Sort::Stable`] in its place.
    Approximate {
        /// How degrees are mapped to regions.
        mapping: Mapping,
        /// Number of regions (`NUM_REGION`) of [`Mapping::Linear`].
        regions: u32,
    },
    /// In the same regions, by id within a region.
    Stable {
        /// How degrees are mapped to regions.
        mapping: Mapping,
        /// Number of regions (`NUM_REGION`) of [`Mapping::Linear`].
        regions: u32,
    },
    /// Exactly: by falling degree, equal ones by id.
    Exact,
}

impl Sort {
    /// A sort into the same regions whose order is always the same.
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
            costs: None,
        }
    }
}

impl GpuOptions {
    /// The same with groups of so many vertices.
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

    /// The same with messages by way of bins, or not.
    #[must_use]
    pub fn with_bins(self, bins: Choice) -> Self {
        Self { bins, ..self }
    }

    /// The same with launches that stay on the device, or not.
    #[must_use]
    pub fn with_resident(self, resident: Choice) -> Self {
        Self { resident, ..self }
    }

    /// The same with these figures for the planner.
    #[must_use]
    pub fn with_costs(self, costs: Costs) -> Self {
        Self { costs: Some(costs), ..self }
    }

    /// The baseline: Medusa's layout of the message buffer.
    pub fn medusa() -> Self {
        Self { buffer: BufferLayout::Medusa, ..Self::default() }
    }

    /// The thesis as written: linear regions, groups of 32, hubs whole.
    pub fn thesis(regions: u32) -> Self {
        let sort = Sort::Approximate { mapping: Mapping::Linear, regions };
        Self { sort, split_hubs: false, ..Self::default() }
    }
}
