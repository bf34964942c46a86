//! Sorts vertices by degree, hubs first.
//!
//! There are two algorithms. The thesis' approximate sort ranks the vertices of each
//! region by atomic additions, so their order within a region is left to chance. The
//! stable sort is a radix sort by region or, for an exact sort, by flipped degree.

use std::fmt;

use super::sums::Sums;
use crate::device::Global;
use crate::device::kernels::tools as k;
use crate::device::kernels::{Kernel, Set, Tools};
use crate::device::prepare::{
    AssignRegion, DIGIT_BITS, DIGITS, Digits, Extremes, Identity, KEY_TILE, LOGARITHMIC_REGIONS,
    Mapping, Order,
};
use crate::engine::RunError;
use crate::engine::gpu::policy::Sort;
use crate::engine::gpu::runtime::{Array, Arrays, Device, DeviceError, Kernels};
use crate::program::VertexId;

/// The place of every vertex, and the vertex at every place.
pub(crate) struct Places<D: Device> {
    pub(crate) place_of: Array<D, u32>,
    pub(crate) vertex_at: Array<D, u32>,
}

/// A sort of `n` vertices, with the memory that it takes.
pub(crate) struct Sorter<D: Device> {
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

/// The memory of the approximate sort.
struct Approximate<D: Device> {
    regions: Regions<D>,
    offset: Array<D, u32>,
    counts: Array<D, u32>,
    starts: Sums<D>,
    /// Whether each key takes its rank by an atomic addition of its own.
    singly: bool,
}

/// The memory of a radix sort.
struct Passes<D: Device> {
    counts: Array<D, u32>,
    starts: Sums<D>,
    /// Keys and vertices after the first pass and after the second; later passes use them
    /// in turns.
    pairs: [[Array<D, u32>; 2]; 2],
}

/// The device and the result of a sort.
struct Site<'a, D: Device> {
    tools: &'a Kernels<D, Tools>,
    n: u32,
    places: &'a Places<D>,
}

/// What a radix sort sorts by.
#[derive(Clone, Copy)]
enum By {
    /// Keys, ascending.
    Key,
    /// Keys, descending.
    Falling,
    /// Logarithmic regions of the keys.
    Region,
}

/// The number of passes to sort keys up to `most`.
fn passes(most: u32) -> u32 {
    (u32::BITS - most.leading_zeros()).div_ceil(DIGIT_BITS).max(1)
}

impl<D: Device> Regions<D> {
    fn room(
        arrays: &mut Arrays<D>,
        n: u32,
        mapping: Mapping,
        regions: u32,
    ) -> Result<Self, DeviceError> {
        let (count, extremes) = match mapping {
            Mapping::Linear => (regions.max(1), Some(arrays.array("extremes of degrees", 2)?)),
            Mapping::Logarithmic => (LOGARITHMIC_REGIONS, None),
        };
        let index = arrays.array("regions, while sorting", n.into())?;
        Ok(Self { mapping, count, extremes, index })
    }

    /// Queues finding the extremes, if they are needed. Returns the argument block, without
    /// the arrays that only the approximate sort needs.
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
            singly: 0,
        })
    }
}

impl<D: Device> Approximate<D> {
    fn room(arrays: &mut Arrays<D>, n: u32, regions: Regions<D>) -> Result<Self, DeviceError> {
        let count = regions.count.into();
        Ok(Self {
            regions,
            offset: arrays.array("ranks within regions", n.into())?,
            counts: arrays.array("sizes of regions", count)?,
            starts: Sums::room(arrays, "first places of regions", count)?,
            singly: false,
        })
    }

    fn queue(&self, site: &Site<'_, D>, keys: &Array<D, u32>) -> Result<(), DeviceError> {
        let &Site { tools, n, places } = site;
        let mut a = self.regions.queue(site, keys)?;
        a.offset = self.offset.global();
        a.region_count = self.counts.global();
        a.singly = self.singly.into();
        self.counts.fill(0)?;
        // SAFETY: `keys`, `index` and `offset` have a value per vertex, and there is a
        // counter per region, set to 0 above.
        unsafe { tools.each::<k::AssignRegion>(n.into(), &a)? };
        self.starts.queue(tools, &self.counts, 1)?;
        let a = Order {
            count: n,
            region_start: self.starts.sums.global(),
            region_index: self.regions.index.global(),
            offset: self.offset.global(),
            place_of: places.place_of.global(),
            vertex_at: places.vertex_at.global(),
        };
        // SAFETY: all arrays but `starts`, which has a sum per region, have a value per
        // vertex; the first places of regions and the ranks within make a permutation.
        unsafe { tools.each::<k::Order>(n.into(), &a) }
    }
}

impl<D: Device> Passes<D> {
    /// Memory to sort keys up to `most`.
    fn room(arrays: &mut Arrays<D>, n: u32, most: u32) -> Result<Self, DeviceError> {
        let mut pair = |pass: u32| -> Result<_, DeviceError> {
            let len = if passes(most) > pass { n.into() } else { 0 };
            Ok([
                arrays.array("keys, while sorting", len)?,
                arrays.array("vertices, while sorting", len)?,
            ])
        };
        let pairs = [pair(1)?, pair(2)?];
        let counts = u64::from(n.div_ceil(KEY_TILE)) * u64::from(DIGITS);
        Ok(Self {
            counts: arrays.array("keys of each digit", counts)?,
            starts: Sums::room(arrays, "first places of digits", counts)?,
            pairs,
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
        match by {
            By::Key => self.passes::<k::DigitCounts, k::DigitPlaces>(site, keys, most, 0),
            By::Falling => {
                self.passes::<k::DigitCounts, k::DigitPlaces>(site, keys, most, u32::MAX)
            }
            By::Region => self.passes::<k::RegionCounts, k::RegionPlaces>(site, keys, most, 0),
        }
    }

    /// Queues the passes of these two kernels, on keys with the bits of `flip` flipped.
    fn passes<Count, Place>(
        &self,
        site: &Site<'_, D>,
        keys: &Array<D, u32>,
        most: u32,
        flip: u32,
    ) -> Result<(), DeviceError>
    where
        Count: Kernel<Tools, Arguments = Digits>,
        Place: Kernel<Tools, Arguments = Digits>,
    {
        let &Site { tools, n, places } = site;
        let passes = passes(most);
        for pass in 0..passes {
            let before = pass.checked_sub(1).map(|pass| &self.pairs[pass as usize % 2]);
            let after = (pass + 1 < passes).then(|| &self.pairs[pass as usize % 2]);
            let last = after.is_none();
            let a = Digits {
                count: n,
                shift: pass * DIGIT_BITS,
                flip,
                keys: before.map_or(keys, |[keys, _]| keys).global(),
                vertices: before.map_or(Global::NONE, |[_, vertices]| vertices.global()),
                counts: self.counts.global(),
                starts: self.starts.sums.global(),
                new_keys: after.map_or(Global::NONE, |[keys, _]| keys.global()),
                new_vertices: after.map_or(&places.vertex_at, |[_, vertices]| vertices).global(),
                place_of: if last { places.place_of.global() } else { Global::NONE },
            };
            let blocks = n.div_ceil(KEY_TILE).into();
            // SAFETY: keys and vertices have a value per vertex, and so do the pairs of all
            // passes but the last; there are `DIGITS` counts and starts per block.
            unsafe {
                tools.blocks::<Count>(blocks, &a)?;
                self.starts.queue(tools, &self.counts, 1)?;
                tools.blocks::<Place>(blocks, &a)?;
            }
        }
        Ok(())
    }
}

impl<D: Device> Site<'_, D> {
    /// Queues finding the smallest and the largest key.
    fn extremes(&self, keys: &Array<D, u32>, found: &Array<D, u32>) -> Result<(), DeviceError> {
        found.write(&[u32::MAX, 0])?;
        let a = Extremes { count: self.n, keys: keys.global(), extremes: found.global() };
        let blocks = self.n.div_ceil(KEY_TILE).into();
        // SAFETY: there is a key per vertex, and `found` has two values, set above.
        unsafe { self.tools.blocks::<k::Extremes>(blocks, &a) }
    }
}

/// The kernels that the sort launches.
pub(crate) fn sets(sort: Sort) -> &'static [Set] {
    match sort {
        Sort::None => &[Set::Unsorted],
        Sort::Approximate { .. } => &[Set::ApproximateSort, Set::Sums],
        Sort::Stable { mapping: Mapping::Logarithmic, .. } => &[Set::RegionSort, Set::Sums],
        Sort::Stable { mapping: Mapping::Linear, .. } => &[Set::LinearSort, Set::Sums],
        Sort::Exact => &[Set::ExactSort, Set::Sums],
    }
}

impl<D: Device> Sorter<D> {
    /// Memory for the sort of `n` vertices.
    pub(crate) fn room(arrays: &mut Arrays<D>, n: u32, sort: Sort) -> Result<Self, DeviceError> {
        let places = Places {
            place_of: arrays.array("place of each vertex", n.into())?,
            vertex_at: arrays.array("vertex at each place", n.into())?,
        };
        let work = match sort {
            Sort::None => Work::None,
            Sort::Approximate { mapping, regions } => {
                let regions = Regions::room(arrays, n, mapping, regions)?;
                Work::Approximate(Approximate::room(arrays, n, regions)?)
            }
            Sort::Stable { mapping: Mapping::Linear, regions } => {
                let regions = Regions::room(arrays, n, Mapping::Linear, regions)?;
                let passes = Passes::room(arrays, n, regions.count - 1)?;
                Work::Linear(regions, passes)
            }
            Sort::Stable { mapping: Mapping::Logarithmic, .. } => {
                Work::Logarithmic(Passes::room(arrays, n, LOGARITHMIC_REGIONS - 1)?)
            }
            Sort::Exact => Work::Exact {
                extremes: arrays.array("extremes of degrees", 2)?,
                passes: Passes::room(arrays, n, u32::MAX)?,
            },
        };
        Ok(Self { n, places, work })
    }

    /// Queues the sort of vertices with these degrees, one per vertex. [`Sort::None`] needs
    /// no degrees. [`Sort::Exact`] waits.
    pub(crate) fn queue(
        &self,
        tools: &Kernels<D, Tools>,
        degrees: &Array<D, u32>,
    ) -> Result<(), DeviceError> {
        let (n, places) = (self.n, &self.places);
        let site = &Site { tools, n, places };
        match &self.work {
            Work::Approximate(approximate) => approximate.queue(site, degrees),
            Work::Logarithmic(passes) => {
                passes.queue(site, degrees, LOGARITHMIC_REGIONS - 1, By::Region)
            }
            Work::Linear(regions, passes) => {
                let a = regions.queue(site, degrees)?;
                // SAFETY: degrees and regions have a value per vertex.
                unsafe { tools.each::<k::FindRegion>(n.into(), &a)? };
                passes.queue(site, &regions.index, regions.count - 1, By::Key)
            }
            Work::Exact { extremes, passes } => {
                site.extremes(degrees, extremes)?;
                // Waiting for the largest degree saves the passes over digits that are 0 in
                // all degrees.
                let most = extremes.get(1)?;
                passes.queue(site, degrees, most, By::Falling)
            }
            Work::None => {
                let (place_of, vertex_at) = (places.place_of.global(), places.vertex_at.global());
                let a = Identity { count: n, place_of, vertex_at };
                // SAFETY: both arrays have a value per vertex.
                unsafe { tools.each::<k::Identity>(n.into(), &a) }
            }
        }
    }

    pub(crate) fn into_places(self) -> Places<D> {
        self.places
    }
}

/// A sort of vertices by degree outside any run, made by
/// [`Gpu::degree_sort`](crate::engine::gpu::Gpu::degree_sort).
///
/// The degrees are on the device and all memory is allocated before the sort begins, so
/// that the sort alone can be timed.
pub struct DegreeSort<D: Device> {
    tools: Kernels<D, Tools>,
    degrees: Array<D, u32>,
    sorter: Sorter<D>,
}

/// The order that a [`DegreeSort`] found, as two permutations, each the inverse of the
/// other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SortedOrder {
    /// The vertex at each place.
    pub vertex_at: Vec<VertexId>,
    /// The place of each vertex.
    pub place_of: Vec<u32>,
}

impl<D: Device> DegreeSort<D> {
    pub(crate) fn new(
        tools: Kernels<D, Tools>,
        degrees: &[u32],
        sort: Sort,
    ) -> Result<Self, RunError> {
        let n = u32::try_from(degrees.len())
            .map_err(|_| RunError::Unsupported("a sort of more than 4,294,967,295 vertices"))?;
        let mut arrays = Arrays::on(tools.device());
        let degrees = arrays.copied("degrees", degrees)?;
        let sorter = Sorter::room(&mut arrays, n, sort)?;
        tools.load(sets(sort))?;
        tools.device().wait()?;
        Ok(Self { tools, degrees, sorter })
    }

    /// The approximate sort as the thesis has it: each key takes its rank in its region by an
    /// atomic addition of its own, while otherwise those of a warp share one per region. No
    /// effect on other sorts.
    #[must_use]
    pub fn with_single_additions(mut self) -> Self {
        if let Work::Approximate(approximate) = &mut self.sorter.work {
            approximate.singly = true;
        }
        self
    }

    /// Queues the sort without waiting, except that [`Sort::Exact`] waits for the largest
    /// degree. O(n).
    ///
    /// # Errors
    /// If a launch or a copy fails, possibly because of earlier work.
    pub fn queue(&self) -> Result<(), DeviceError> {
        self.sorter.queue(&self.tools, &self.degrees)
    }

    /// Waits for all queued work.
    ///
    /// # Errors
    /// If queued work failed.
    pub fn wait(&self) -> Result<(), DeviceError> {
        self.tools.device().wait()
    }

    /// Kernels queued so far.
    pub fn launches(&self) -> u64 {
        self.tools.launches()
    }

    /// Waits, and copies the order to the host.
    ///
    /// # Errors
    /// If queued work or a copy failed.
    pub fn order(&self) -> Result<SortedOrder, DeviceError> {
        let places = &self.sorter.places;
        let (vertex_at, place_of) = (places.vertex_at.to_vec()?, places.place_of.to_vec()?);
        Ok(SortedOrder { vertex_at, place_of })
    }
}

impl<D: Device> fmt::Debug for DegreeSort<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DegreeSort")
            .field("device", &self.tools.device().name())
            .field("vertices", &self.sorter.n)
            .finish_non_exhaustive()
    }
}
