//! The interface between a session and a strategy with supersteps that the host launches
//! one at a time.

use super::core::Core;
use crate::device::Run;
use crate::device::kernels::Set;
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// A strategy with supersteps that the host launches one at a time, whatever the frontier.
pub(super) trait Hosted<D: Device, P: VertexCompute>: Send {
    /// The kernels that it launches.
    fn sets(&self) -> &'static [Set];
    /// Queues a superstep, and sets the number of partial aggregates that it writes.
    /// Returns the way that it takes.
    fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<Way, DeviceError>;
}
