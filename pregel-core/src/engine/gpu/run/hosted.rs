//! What a strategy is for the session, if the host begins its supersteps one by one.

use super::core::Core;
use crate::device::Run;
use crate::device::kernels::Set;
use crate::engine::gpu::policy::Way;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// A strategy whose supersteps the host begins one at a time, whatever the frontier.
pub(super) trait Hosted<D: Device, P: VertexCompute> {
    /// The kernels that it launches.
    fn sets(&self) -> &'static [Set];
    /// Queues a superstep and sets how many partial results it leaves; the way that it
    /// takes.
    fn queue(&self, core: &Core<D, P>, run: &mut Run<P>) -> Result<Way, DeviceError>;
}
