//! Vertices in the order of their degrees, hubs first.
//!
//! Two ways. The thesis' approximate sort counts the vertices of each region by
//! atomic additions, so that their order within a region is left to chance. The
//! stable sort goes digit by digit over the ranks of the vertices: the region
//! numbers, or for an exact sort how far each degree is from the largest.

use std::fmt;
use std::sync::Arc;

use super::device::{Array, Device, DeviceError};
use super::options::Sort;
use super::queue::{GRAPH, Kernels};
use super::sums::Sums;
use crate::device::Global;
use crate::device::prepare::{
    AssignRegion, DIGIT_BITS, DIGITS, Digits, Extremes, Identity, KEY_TILE, LOGARITHMIC_REGIONS,
    Mapping, Order, Rank,
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
    Regions(Regions<D>),
    Passes(Passes<D>),
}

/// Memory of the approximate sort.
struct Regions<D: Device> {
    mapping: Mapping,
    regions: u32,
    extremes: Array<D, u32>,
    region_index: Array<D, u32>,
    offset: Array<D, u32>,
    counts: Array<D, u32>,
    starts: Sums<D>,
}

/// Memory of the stable sort.
struct Passes<D: Device> {
    rank: Rank,
    regions: u32,
    extremes: Array<D, u32>,
    counts: Array<D, u32>,
    starts: Sums<D>,
    /// Ranks and vertices between passes: the first writes the first pair.
    pairs: [[Array<D, u32>; 2]; 2],
}

/// Passes over ranks up to this one.
fn passes(most: u32) -> u32 {
    (u32::BITS - most.leading_zeros()).div_ceil(DIGIT_BITS).max(1)
}

/// Smallest and largest of no keys.
const NO_EXTREMES: [u32; 2] = [u32::MAX, 0];

impl<D: Device> Regions<D> {
    fn new(device: &D, n: u32, mapping: Mapping, regions: u32) -> Result<Self, DeviceError> {
        let regions = match mapping {
            Mapping::Linear => regions.max(1),
            Mapping::Logarithmic => LOGARITHMIC_REGIONS,
        };
        Ok(Self {
            mapping,
            regions,
            extremes: match mapping {
                Mapping::Linear => Array::new(device, 2)?,
                Mapping::Logarithmic => Array::none(),
            },
            region_index: Array::new(device, n.into())?,
            offset: Array::new(device, n.into())?,
            counts: Array::new(device, regions.into())?,
            starts: Sums::new(device, regions.into())?,
        })
    }

    fn queue(
        &self,
        device: &D,
        kernels: &Kernels<D>,
        n: u32,
        keys: &Array<D, u32>,
        places: &Places<D>,
    ) -> Result<(), DeviceError> {
        extremes(device, kernels, n, keys, &self.extremes)?;
        self.counts.fill(device, 0)?;
        let a = AssignRegion {
            count: n,
            regions: self.regions,
            mapping: self.mapping,
            keys: keys.global(),
            extremes: self.extremes.global(),
            region_index: self.region_index.global(),
            offset: self.offset.global(),
            region_count: self.counts.global(),
        };
        // SAFETY: the arrays have the sizes that the kernel asks for.
        unsafe { kernels.each(device, "assign_region", n.into(), &a)? };
        self.starts.queue(device, kernels, &self.counts, 1)?;
        let a = Order {
            count: n,
            region_start: self.starts.sums.global(),
            region_index: self.region_index.global(),
            offset: self.offset.global(),
            place_of: places.place_of.global(),
            vertex_at: places.vertex_at.global(),
        };
        // SAFETY: as above.
        unsafe { kernels.each(device, "order", n.into(), &a) }
    }
}

impl<D: Device> Passes<D> {
    fn new(device: &D, n: u32, rank: Rank, regions: u32) -> Result<Self, DeviceError> {
        // Before the keys are known an exact sort may need every digit.
        let most = match rank {
            Rank::Own | Rank::Falling => u32::MAX,
            Rank::Linear => regions.max(1) - 1,
            Rank::Logarithmic => LOGARITHMIC_REGIONS - 1,
        };
        let pair = |needed: bool| -> Result<_, DeviceError> {
            let len = if needed { n.into() } else { 0 };
            Ok([Array::new(device, len)?, Array::new(device, len)?])
        };
        let counts = u64::from(n.div_ceil(KEY_TILE)) * u64::from(DIGITS);
        Ok(Self {
            rank,
            regions: regions.max(1),
            extremes: match rank.needs_extremes() {
                true => Array::new(device, 2)?,
                false => Array::none(),
            },
            counts: Array::new(device, counts)?,
            starts: Sums::new(device, counts)?,
            pairs: [pair(passes(most) > 1)?, pair(passes(most) > 2)?],
        })
    }

    fn queue(
        &self,
        device: &D,
        kernels: &Kernels<D>,
        n: u32,
        keys: &Array<D, u32>,
        places: &Places<D>,
    ) -> Result<(), DeviceError> {
        extremes(device, kernels, n, keys, &self.extremes)?;
        let most = match self.rank {
            Rank::Linear => self.regions - 1,
            Rank::Logarithmic => LOGARITHMIC_REGIONS - 1,
            // Waits, to spare passes over digits that are 0 everywhere.
            Rank::Own | Rank::Falling => match self.extremes.to_vec(device)?[..] {
                [least, most] => most.saturating_sub(least),
                _ => u32::MAX,
            },
        };
        let passes = passes(most);
        let blocks = n.div_ceil(KEY_TILE).into();
        for pass in 0..passes {
            let after = |pass: u32| &self.pairs[pass as usize % 2];
            let (first, last) = (pass == 0, pass + 1 == passes);
            let a = Digits {
                count: n,
                rank: if first { self.rank } else { Rank::Own },
                regions: self.regions,
                shift: pass * DIGIT_BITS,
                keys: if first { keys.global() } else { after(pass - 1)[0].global() },
                extremes: self.extremes.global(),
                vertices: if first { Global::NONE } else { after(pass - 1)[1].global() },
                counts: self.counts.global(),
                starts: self.starts.sums.global(),
                new_keys: if last { Global::NONE } else { after(pass)[0].global() },
                new_vertices: if last { &places.vertex_at } else { &after(pass)[1] }.global(),
                place_of: if last { places.place_of.global() } else { Global::NONE },
            };
            // SAFETY: the arrays have the sizes that the kernels ask for.
            unsafe {
                kernels.blocks(device, "digit_counts", blocks, &a)?;
                self.starts.queue(device, kernels, &self.counts, 1)?;
                kernels.blocks(device, "digit_places", blocks, &a)?;
            }
        }
        Ok(())
    }
}

/// Smallest and largest key; nothing if `found` is no array.
fn extremes<D: Device>(
    device: &D,
    kernels: &Kernels<D>,
    n: u32,
    keys: &Array<D, u32>,
    found: &Array<D, u32>,
) -> Result<(), DeviceError> {
    if found.global().is_none() {
        return Ok(());
    }
    found.write(device, &NO_EXTREMES)?;
    let a = Extremes { count: n, keys: keys.global(), extremes: found.global() };
    // SAFETY: the arrays have the sizes that the kernel asks for.
    unsafe { kernels.blocks(device, "extremes", n.div_ceil(KEY_TILE).into(), &a) }
}

impl<D: Device> Sorter<D> {
    pub(super) fn new(device: &D, n: u32, sort: Sort) -> Result<Self, DeviceError> {
        let place_of = Array::new(device, n.into())?;
        let vertex_at = Array::new(device, n.into())?;
        let passes = |rank, regions| Passes::new(device, n, rank, regions).map(Work::Passes);
        let work = match sort {
            Sort::None => Work::None,
            Sort::Approximate { mapping, regions } => {
                Work::Regions(Regions::new(device, n, mapping, regions)?)
            }
            Sort::Stable { mapping: Mapping::Linear, regions } => passes(Rank::Linear, regions)?,
            Sort::Stable { mapping: Mapping::Logarithmic, .. } => passes(Rank::Logarithmic, 0)?,
            Sort::Exact => passes(Rank::Falling, 0)?,
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
        match &self.work {
            Work::Regions(regions) => regions.queue(device, kernels, n, degrees, places),
            Work::Passes(passes) => passes.queue(device, kernels, n, degrees, places),
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
        image: &D::Image,
        degrees: &[u32],
        sort: Sort,
    ) -> Result<Self, RunError> {
        let n = u32::try_from(degrees.len())
            .map_err(|_| RunError::Unsupported("a sort of more than 4,294,967,295 vertices"))?;
        let kernels = Kernels::load(&**device, "graph", image, GRAPH)?;
        let degrees = Array::from_slice(&**device, degrees)?;
        let sorter = Sorter::new(&**device, n, sort)?;
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
