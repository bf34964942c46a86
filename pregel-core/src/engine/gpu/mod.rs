//! The GPU engine: the thesis' pipeline, Medusa's for comparison, and pull and
//! push without a message buffer.
//!
//! Four rooms, each of which knows only those above it:
//!
//! * [`runtime`]: what the engine needs of a device, and a real one;
//! * [`policy`]: what is chosen, by which figures, and how it is explained;
//! * [`layout`]: what a graph becomes on the device;
//! * [`run`]: sessions, superstep by superstep; and [`solve`]: problems that need no
//!   vertex program.
//!
//! The engine knows no kernel of its own: it is given [`Images`], which a crate
//! of programs supplies. What both sides know of each kernel stands in one table,
//! [`device::kernels`](crate::device::kernels).

mod layout;
mod policy;
mod run;
mod runtime;
mod solve;

use std::fmt;
use std::sync::Arc;

pub use crate::device::prepare::Mapping;
pub use layout::DegreeSort;
pub use policy::{
    BufferLayout, ByBins, Choice, Costs, DeviceReport, Explanation, GpuOptions, HotSignals, Layout,
    Predicted, Resident, Rounds, Sort, Taken, Way, WhyNot,
};
pub use run::GpuSession;
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use runtime::CudaDevice;
pub use runtime::{Allocation, Device, DeviceError, Grid, Image, Images, Need, Ptx, bytes};
pub use solve::GpuComponents;

use super::{Engine, RunError, RunOptions};
use crate::device::kernels::Tools;
use crate::graph::Graph;
use crate::program::VertexCompute;
use runtime::{Kernels, Library};

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
        run::check::<D, P>(&self.device, graph, options, &self.options)
    }

    /// A sort of vertices with these degrees, apart from any run: for tests and
    /// measurements.
    ///
    /// # Errors
    /// When there is no image that prepares graphs, or no memory.
    pub fn degree_sort(&self, degrees: &[u32], sort: Sort) -> Result<DegreeSort<D>, RunError> {
        DegreeSort::new(self.tools()?, degrees, sort)
    }

    /// The kernels that belong to no program.
    fn tools(&self) -> Result<Kernels<D, Tools>, RunError> {
        Ok(self.library.kernels(&self.device, "graph", self.images.tools()?))
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
