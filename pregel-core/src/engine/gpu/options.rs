//! How the graph is laid out on the device.

use crate::device::prepare::Mapping;

/// How the graph is laid out on the device. The defaults are good; the rest is
/// there to reproduce the thesis' experiments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Whether messages go by way of bins where they can and every vertex scatters;
    /// `None` if it seems to pay.
    pub bins: Option<bool>,
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
        Self { sort, group: 32, split_hubs: true, bins: None }
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

    /// The same with messages by way of bins wherever they can, or never.
    #[must_use]
    pub fn with_bins(self, bins: bool) -> Self {
        Self { bins: Some(bins), ..self }
    }

    /// The thesis as written: linear regions, groups of 32, hubs whole.
    pub fn thesis(regions: u32) -> Self {
        let sort = Sort::Approximate { mapping: Mapping::Linear, regions };
        Self { sort, group: 32, split_hubs: false, bins: None }
    }
}
