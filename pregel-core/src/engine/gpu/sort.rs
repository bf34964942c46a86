//! Vertices in the order of their degrees, hubs first.
//!
//! Two ways. The thesis' approximate sort counts the vertices of each region by
//! atomic additions, so that their order within a region is left to chance. The
//! stable sort goes digit by digit over the vertices' regions, or for an exact
//! sort over their degrees, turned over.

use std::fmt;
use std::sync::Arc;

use super::device::{Array, Device, DeviceError};
use super::launched;
use super::options::Sort;
use super::queue::Kernels;
use super::sums::Sums;
use crate::device::Global;
use crate::device::prepare::{
    AssignRegion, DIGIT_BITS, DIGITS, Digits, Extremes, Identity, KEY_TILE, LOGARITHMIC_REGIONS,
    Mapping, Order,
};
use crate::engine::RunError;
use crate::program::VertexId;

/// The place of every vertex, and the vertex at every place.
pub(super) struct Places<D: Device> {
    pub(super) place_of: Array<D, u32>,
    pub(super) vertex_at: Array<D, u32>,
}

/// A sort of so many vertices, with the memory that it takes.
pub(super) struct Sorter<D: Device> {
    n: u32,
    places: Places<D>,
    work: Work<D>,
}

enum Work<D: Device> {
    None,
    Approximate(Approximate<D>),
    Linear(Regions<D>, Passes<D>),
    Logarithmic(Passes<D>),
    Exact { extremes: Array<D, u32>, passes: Passes<D> },
}

/// The region of each vertex.
struct Regions<D: Device> {
    mapping: Mapping,
    count: u32,
    /// Not needed for logarithmic regions.
    extremes: Option<Array<D, u32>>,
    index: Array<D, u32>,
}

/// Memory of the approximate sort.
struct Approximate<D: Device> {
    regions: Regions<D>,
    offset: Array<D, u32>,
    counts: Array<D, u32>,
    starts: Sums<D>,
}

/// Memory of a sort digit by digit.
struct Passes<D: Device> {
    counts: Array<D, u32>,
    starts: Sums<D>,
    /// Keys and vertices after the first pass, and after the second; later
    /// passes take turns.
    pairs: [[Array<D, u32>; 2]; 2],
}

/// What a sort works on.
struct Site<'a, D: Device> {
    device: &'a D,
    kernels: &'a Kernels<D>,
    n: u32,
    places: &'a Places<D>,
}

/// What a sort digit by digit goes by.
#[derive(Clone, Copy)]
enum By {
    /// Keys, rising.
    Key,
    /// Keys, falling.
    Falling,
    /// Logarithmic regions of the keys.
    Region,
}

/// Passes over keys up to this one.
fn passes(most: u32) -> u32 {
    (u32::BITS - most.leading_zeros()).div_ceil(DIGIT_BITS).max(1)
}

impl<D: Device> Regions<D> {
    fn new(device: &D, n: u32, mapping: Mapping, regions: u32) -> Result<Self, DeviceError> {
        let (count, extremes) = match mapping {
            Mapping::Linear => (regions.max(1), Some(Array::new(device, 2)?)),
            Mapping::Logarithmic => (LOGARITHMIC_REGIONS, None),
        };
        Ok(Self { mapping, count, extremes, index: Array::new(device, n.into())? })
    }

    /// The argument block without what the approximate sort alone needs; with
    /// the extremes on their way.
    fn queue(&self, site: &Site<'_, D>, keys: &Array<D, u32>) -> Result<AssignRegion, DeviceError> {
        if let Some(found) = &self.extremes {
            site.extremes(keys, found)?;
        }
        Ok(AssignRegion {
            count: site.n,
            regions: self.count,
            mapping: self.mapping,
            keys: keys.global(),
            extremes: self.extremes.as_ref().map_or(Global::NONE, Array::global),
            region_index: self.index.global(),
            offset: Global::NONE,
            region_count: Global::NONE,
        })
    }
}

impl<D: Device> Approximate<D> {
    fn new(device: &D, n: u32, regions: Regions<D>) -> Result<Self, DeviceError> {
        let count = regions.count.into();
        Ok(Self {
            regions,
            offset: Array::new(device, n.into())?,
            counts: Array::new(device, count)?,
            starts: Sums::new(device, count)?,
        })
    }

    fn queue(&self, site: &Site<'_, D>, keys: &Array<D, u32>) -> Result<(), DeviceError> {
        let &Site { device, kernels, n, places } = site;
        let mut a = self.regions.queue(site, keys)?;
        a.offset = self.offset.global();
        a.region_count = self.counts.global();
        self.counts.fill(device, 0)?;
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { kernels.each(device, "assign_region", n.into(), &a)? };
        self.starts.queue(device, kernels, &self.counts, 1)?;
        let a = Order {
            count: n,
            region_start: self.starts.sums.global(),
            region_index: self.regions.index.global(),
            offset: self.offset.global(),
            place_of: places.place_of.global(),
            vertex_at: places.vertex_at.global(),
        };
        // SAFETY: as above.
        unsafe { kernels.each(device, "order", n.into(), &a) }
    }
}

impl<D: Device> Passes<D> {
    /// Memory to sort keys up to `most`.
    fn new(device: &D, n: u32, most: u32) -> Result<Self, DeviceError> {
        let pair = |pass: u32| -> Result<_, DeviceError> {
            let len = if passes(most) > pass { n.into() } else { 0 };
            Ok([Array::new(device, len)?, Array::new(device, len)?])
        };
        let counts = u64::from(n.div_ceil(KEY_TILE)) * u64::from(DIGITS);
        Ok(Self {
            counts: Array::new(device, counts)?,
            starts: Sums::new(device, counts)?,
            pairs: [pair(1)?, pair(2)?],
        })
    }

    /// Queues the sort of keys or regions up to `most`.
    fn queue(
        &self,
        site: &Site<'_, D>,
        keys: &Array<D, u32>,
        most: u32,
        by: By,
    ) -> Result<(), DeviceError> {
        let &Site { device, kernels, n, .. } = site;
        let (counts, places, flip) = match by {
            By::Key => ("digit_counts", "digit_places", 0),
            By::Falling => ("digit_counts", "digit_places", u32::MAX),
            By::Region => ("region_counts", "region_places", 0),
        };
        let passes = passes(most);
        for pass in 0..passes {
            let before = pass.checked_sub(1).map(|pass| &self.pairs[pass as usize % 2]);
            let after = (pass + 1 < passes).then(|| &self.pairs[pass as usize % 2]);
            let a = Digits {
                count: n,
                shift: pass * DIGIT_BITS,
                flip,
                keys: before.map_or(keys, |[keys, _]| keys).global(),
                vertices: before.map_or(Global::NONE, |[_, vertices]| vertices.global()),
                counts: self.counts.global(),
                starts: self.starts.sums.global(),
                new_keys: after.map_or(Global::NONE, |[keys, _]| keys.global()),
                new_vertices: after
                    .map_or(&site.places.vertex_at, |[_, vertices]| vertices)
                    .global(),
                place_of: if after.is_none() {
                    site.places.place_of.global()
                } else {
                    Global::NONE
                },
            };
            let blocks = n.div_ceil(KEY_TILE).into();
            // SAFETY: the arrays have the sizes that the kernels ask for.
            unsafe {
                kernels.blocks(device, counts, blocks, &a)?;
                self.starts.queue(device, kernels, &self.counts, 1)?;
                kernels.blocks(device, places, blocks, &a)?;
            }
        }
        Ok(())
    }
}

impl<D: Device> Site<'_, D> {
    /// Queues finding the smallest and the largest key.
    fn extremes(&self, keys: &Array<D, u32>, found: &Array<D, u32>) -> Result<(), DeviceError> {
        found.write(self.device, &[u32::MAX, 0])?;
        let a = Extremes { count: self.n, keys: keys.global(), extremes: found.global() };
        let blocks = self.n.div_ceil(KEY_TILE).into();
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { self.kernels.blocks(self.device, "extremes", blocks, &a) }
    }
}

impl<D: Device> Sorter<D> {
    pub(super) fn new(device: &D, n: u32, sort: Sort) -> Result<Self, DeviceError> {
        let place_of = Array::new(device, n.into())?;
        let vertex_at = Array::new(device, n.into())?;
        let regions = |mapping, regions| Regions::new(device, n, mapping, regions);
        let work = match sort {
            Sort::None => Work::None,
            Sort::Approximate { mapping, regions: count } => {
                Work::Approximate(Approximate::new(device, n, regions(mapping, count)?)?)
            }
            Sort::Stable { mapping: Mapping::Linear, regions: count } => {
                let regions = regions(Mapping::Linear, count)?;
                let passes = Passes::new(device, n, regions.count - 1)?;
                Work::Linear(regions, passes)
            }
            Sort::Stable { mapping: Mapping::Logarithmic, .. } => {
                Work::Logarithmic(Passes::new(device, n, LOGARITHMIC_REGIONS - 1)?)
            }
            Sort::Exact => Work::Exact {
                extremes: Array::new(device, 2)?,
                passes: Passes::new(device, n, u32::MAX)?,
            },
        };
        Ok(Self { n, places: Places { place_of, vertex_at }, work })
    }

    /// Queues the sort of vertices with these degrees, one a vertex; none are
    /// needed for [`Sort::None`].
    pub(super) fn queue(
        &self,
        device: &D,
        kernels: &Kernels<D>,
        degrees: &Array<D, u32>,
    ) -> Result<(), DeviceError> {
        let (n, places) = (self.n, &self.places);
        let site = &Site { device, kernels, n, places };
        match &self.work {
            Work::Approximate(approximate) => approximate.queue(site, degrees),
            Work::Logarithmic(passes) => {
                passes.queue(site, degrees, LOGARITHMIC_REGIONS - 1, By::Region)
            }
            Work::Linear(regions, passes) => {
                let a = regions.queue(site, degrees)?;
                // SAFETY: the arrays have the sizes that the kernel asks for.
                unsafe { kernels.each(device, "find_region", n.into(), &a)? };
                passes.queue(site, &regions.index, regions.count - 1, By::Key)
            }
            Work::Exact { extremes, passes } => {
                site.extremes(degrees, extremes)?;
                // Waits, to spare the passes over digits that no degree has.
                let most = extremes.get(device, 1)?;
                passes.queue(site, degrees, most, By::Falling)
            }
            Work::None => {
                let (place_of, vertex_at) = (places.place_of.global(), places.vertex_at.global());
                let a = Identity { count: n, place_of, vertex_at };
                // SAFETY: the arrays have the sizes that the kernel asks for.
                unsafe { kernels.each(device, "identity", n.into(), &a) }
            }
        }
    }

    pub(super) fn into_places(self) -> Places<D> {
        self.places
    }
}

/// A sort of vertices by degree, apart from any run; made by
/// [`Gpu::degree_sort`](super::Gpu::degree_sort).
///
/// Degrees and memory are on the device before it begins, so that the sort alone
/// can be timed.
pub struct DegreeSort<D: Device> {
    device: Arc<D>,
    kernels: Kernels<D>,
    degrees: Array<D, u32>,
    sorter: Sorter<D>,
}

impl<D: Device> DegreeSort<D> {
    pub(super) fn new(
        device: &Arc<D>,
        kernels: Kernels<D>,
        degrees: &[u32],
        sort: Sort,
    ) -> Result<Self, RunError> {
        let n = u32::try_from(degrees.len())
            .map_err(|_| RunError::Unsupported("a sort of more than 4,294,967,295 vertices"))?;
        let degrees = Array::from_slice(&**device, degrees)?;
        let sorter = Sorter::new(&**device, n, sort)?;
        kernels.load(&**device, launched::by_sort(sort))?;
        device.wait()?;
        Ok(Self { device: Arc::clone(device), kernels, degrees, sorter })
    }

    /// Queues the sort, and does not wait; only [`Sort::Exact`] does on the way,
    /// for the extremes of the degrees. O(n).
    ///
    /// # Errors
    /// When the device refuses.
    pub fn queue(&self) -> Result<(), DeviceError> {
        self.sorter.queue(&self.device, &self.kernels, &self.degrees)
    }

    /// Waits for what is queued.
    ///
    /// # Errors
    /// When the device failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.device.wait()
    }

    /// Kernels queued so far.
    pub fn launches(&self) -> u64 {
        self.kernels.launches()
    }

    /// Waits, and copies the vertices in order, and the place of each vertex.
    ///
    /// # Errors
    /// When the device failed.
    pub fn order(&self) -> Result<(Vec<VertexId>, Vec<u32>), DeviceError> {
        let places = &self.sorter.places;
        Ok((places.vertex_at.to_vec(&self.device)?, places.place_of.to_vec(&self.device)?))
    }
}

impl<D: Device> fmt::Debug for DegreeSort<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DegreeSort")
            .field("device", &self.device.name())
            .field("vertices", &self.sorter.n)
            .finish_non_exhaustive()
    }
}
