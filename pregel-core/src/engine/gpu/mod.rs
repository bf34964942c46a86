//! The GPU engine: the thesis' pipeline, Medusa's for comparison, and pull and
//! push without a message buffer.
//!
//! Reading order: [`Gpu`] here; `device` (what the engine needs of a device);
//! `images` (where the kernels of a program come from), `launched` (which of
//! them a run loads) and `queue`; `plan` (memory, looked at before it is taken) and
//! `needs` (how much a run takes); `rows` (which edges, whose way); `prepare` (the
//! remap, everything that stays on the device) with `sort` and `sums`; `medusa`
//! (the same as Medusa does it); `session` (supersteps) with `totals` (what they
//! add up); `pull`, `bins` and `resident` (what makes them fast); `costs` and `planner`
//! (which way a superstep goes), `explain` (which way it went); `components` (a short
//! cut, without supersteps); `cuda` (a real device).
//!
//! The engine knows no kernel of its own: it is given [`Images`], which a crate
//! of programs supplies.

mod bins;
mod components;
mod costs;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
mod cuda;
mod device;
mod explain;
mod images;
mod launched;
mod medusa;
mod needs;
mod options;
mod plan;
mod planner;
mod prepare;
mod pull;
mod queue;
mod resident;
mod rows;
mod session;
mod sort;
mod sums;
mod totals;

use std::any::TypeId;
use std::fmt;
use std::sync::Arc;

pub use components::GpuComponents;
pub use costs::Costs;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use cuda::CudaDevice;
pub use device::{Allocation, Device, DeviceError, Grid};
pub use explain::{ByBins, Explanation, HotSignals, Layout, Resident, Rounds, Taken, Way, WhyNot};
pub use images::{Images, Ptx};
pub use options::{Choice, GpuOptions, Sort};
pub use plan::{Need, bytes};
pub use planner::Predicted;
pub use session::{DeviceReport, GpuSession};
pub use sort::DegreeSort;

use queue::{Kernels, Library};

use super::{Engine, RunError, RunOptions};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// Runs programs on a device. Kernels are loaded when a program is first
/// prepared, once for all clones of the engine.
pub struct Gpu<D: Device> {
    device: Arc<D>,
    images: Images<D::Image>,
    library: Arc<Library<D>>,
    options: GpuOptions,
}

/// The engine on an NVIDIA GPU.
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub type Cuda = Gpu<CudaDevice>;

impl<D: Device> Gpu<D> {
    /// The engine on this device, with the kernels of these programs.
    pub fn new(device: D, images: Images<D::Image>) -> Self {
        let (device, library) = (Arc::new(device), Arc::new(Library::new()));
        Self { device, images, library, options: GpuOptions::default() }
    }

    /// The same with other options.
    #[must_use]
    pub fn with_options(mut self, options: GpuOptions) -> Self {
        self.options = options;
        self
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.device
    }

    /// Whether a run of this program on this graph fits the device's memory.
    ///
    /// # Errors
    /// As [`Engine::prepare`], as far as it can be told before anything is done.
    pub fn check<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<(), RunError> {
        self.images.find::<P>()?;
        needs::check::<D, P>(&self.device, graph, options, &self.options)
    }

    /// A sort of vertices with these degrees, apart from any run: for tests and
    /// measurements.
    ///
    /// # Errors
    /// When there is no image that prepares graphs, or no memory.
    pub fn degree_sort(&self, degrees: &[u32], sort: Sort) -> Result<DegreeSort<D>, RunError> {
        DegreeSort::new(&self.device, self.tools()?, degrees, sort)
    }

    /// The kernels that no program owns.
    fn tools(&self) -> Result<Kernels<D>, RunError> {
        let image = ("graph", self.images.tools()?);
        Ok(self.library.kernels(TypeId::of::<()>(), image))
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
impl Cuda {
    /// The engine on GPU number `ordinal`, from 0.
    ///
    /// # Errors
    /// [`DeviceError`] says what is missing: the driver, the device, or a newer
    /// one.
    pub fn open(ordinal: u32, images: Images<Ptx>) -> Result<Self, DeviceError> {
        Ok(Self::new(CudaDevice::open(ordinal)?, images))
    }
}

impl<D: Device> Clone for Gpu<D> {
    fn clone(&self) -> Self {
        let (device, library) = (Arc::clone(&self.device), Arc::clone(&self.library));
        Self { device, images: self.images.clone(), library, options: self.options }
    }
}

impl<D: Device> fmt::Debug for Gpu<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gpu")
            .field("device", &self.device.name())
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}

impl<D: Device> Engine for Gpu<D> {
    type Session<'g, P: VertexCompute> = GpuSession<'g, D, P>;

    fn name(&self) -> &'static str {
        "cuda"
    }

    fn prepare<'g, P: VertexCompute>(
        &self,
        graph: &'g Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<GpuSession<'g, D, P>, RunError> {
        GpuSession::new(self, graph, options)
    }
}
