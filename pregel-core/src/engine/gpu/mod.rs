//! The GPU engine: pull and push without a message buffer, the thesis' pipeline with one,
//! and Medusa's for comparison.
//!
//! It has four layers, each of which uses only those above it:
//!
//! * `runtime`: the interface of a device, and its implementation by CUDA;
//! * `policy`: which way to run is chosen, by which costs, and how that is explained;
//! * `layout`: how a graph is put on the device;
//! * `run`: sessions, superstep by superstep; and `solve`: problems that need no
//!   vertex program.
//!
//! The engine contains no kernels: a crate of programs supplies them as [`Images`]. What
//! host and device agree on about each kernel is in one table,
//! [`device::kernels`](crate::device::kernels).

mod layout;
mod policy;
mod run;
mod runtime;
mod solve;

use std::fmt;
use std::sync::Arc;

pub use crate::device::prepare::Mapping;
pub use crate::device::solve::QueueKind;
pub use layout::{DegreeSort, SortedOrder};
pub use policy::{
    BufferLayout, ByBins, Choice, Costs, DeviceReport, Explanation, GpuOptions, Hosted, HotSignals,
    LaunchSize, Layout, Predicted, Resident, Rounds, Sort, Taken, Way, WhyNot,
};
pub use run::{GpuKept, GpuRun, GpuSession};
#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
pub use runtime::CudaDevice;
pub use runtime::{
    Allocation, Capability, Device, DeviceError, DeviceEvent, DeviceMemory, EventKind, Grid, Image,
    Images, Part, Ptx, Recording,
};
#[doc(hidden)]
pub use solve::DeviceLength;
pub use solve::{
    GpuClustering, GpuComponents, GpuTriangles, QueueOptions, QueueSearch, QueueTraffic, Searched,
};

pub use super::needs::{Need, bytes};
use super::{Engine, Needs, RunError, RunOptions};
use crate::device::kernels::Tools;
use crate::graph::Graph;
use crate::program::{Value, VertexCompute};
use runtime::{Kernels, Library, TOOLS};

/// Runs programs on a device. Clones of an engine share the kernels that they have loaded.
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

    /// Checks whether this program can run on this graph with these options, and whether
    /// the run fits the device's free memory. Copies and loads nothing.
    ///
    /// # Errors
    /// Those of [`Engine::prepare`] that can be known in advance:
    /// [`RunError::NoKernels`] and [`RunError::OtherKernels`] if there are no kernels for
    /// the program, [`RunError::Unsupported`] if the options do not suit the program or the
    /// graph, [`RunError::TooLarge`] if the run does not fit, and [`RunError::Device`] if
    /// the device fails.
    pub fn check<P: VertexCompute>(
        &self,
        graph: &Graph<P::Edge>,
        options: &RunOptions,
    ) -> Result<(), RunError> {
        self.images.find::<P>()?;
        self.images.tools()?;
        run::check::<D, P>(&self.device, graph, options, &self.options)
    }

    /// What a run of this program takes with this layout, whatever the memory of the device. No
    /// device is needed. What the device holds is exact, except that a run which goes through
    /// [bins](ByBins) takes more for these if there is room for them; on the host, the memory of
    /// the driver is left out. O(V), or O(V + E) on a directed graph.
    ///
    /// # Errors
    /// [`RunError::Unsupported`] and [`RunError::DeviceLimit`] as [`Engine::prepare`].
    pub fn needs<P: VertexCompute>(
        graph: &Graph<P::Edge>,
        options: &RunOptions,
        layout: &GpuOptions,
    ) -> Result<Needs, RunError> {
        run::needs::<D, P>(graph, options, layout)
    }

    /// A sort of vertices with these degrees outside any run, for tests and measurements.
    ///
    /// # Errors
    /// [`RunError::NoKernels`] and [`RunError::OtherKernels`] if there is no image that prepares
    /// graphs, or one for another version,
    /// [`RunError::Unsupported`] if there are more degrees than `u32` can number, and
    /// [`RunError::Device`] if kernels do not load, or the device fails or has too little
    /// memory.
    pub fn degree_sort(&self, degrees: &[u32], sort: Sort) -> Result<DegreeSort<D>, RunError> {
        DegreeSort::new(self.tools()?, degrees, sort)
    }

    /// The kernels that belong to no program.
    fn tools(&self) -> Result<Kernels<D, Tools>, RunError> {
        Ok(self.library.kernels(&self.device, TOOLS, self.images.tools()?))
    }
}

#[cfg(any(feature = "cuda-12", feature = "cuda-13"))]
impl Cuda {
    /// The engine on GPU number `ordinal`, from 0.
    ///
    /// # Errors
    /// As [`CudaDevice::open`].
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
    type Kept<T: Value> = GpuKept<D, T>;

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
