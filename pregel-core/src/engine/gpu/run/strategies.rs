//! The strategies of a session: one object for each, made from its layout.

use super::core::Core;
use super::hosted::Hosted;
use super::mailbox::Mailbox;
use super::medusa::Medusa;
use super::pull::Pull;
use super::push::Push;
use super::worklist::{Lists, ResidentModes};
use crate::engine::RunError;
use crate::engine::gpu::layout::Layouts;
use crate::engine::gpu::policy::{Costs, GpuOptions};
use crate::engine::gpu::runtime::{Arrays, Device, DeviceError};
use crate::program::VertexCompute;

/// The strategies of a session.
pub(super) struct Strategies<D: Device, P: VertexCompute> {
    pub(super) pull: Option<Pull<D, P>>,
    pub(super) push: Option<Push<D, P>>,
    /// One that keeps every message.
    pub(super) buffered: Option<Box<dyn Hosted<D, P>>>,
    /// The lists of launches that stay on the device.
    pub(super) lists: Option<Lists<D>>,
}

impl<D: Device, P: VertexCompute> Strategies<D, P> {
    /// What this layout is for.
    pub(super) fn new(
        core: &Core<D, P>,
        layout: Layouts<D, P::Edge>,
        modes: ResidentModes,
        options: &GpuOptions,
        costs: &Costs,
    ) -> Result<Self, DeviceError> {
        let mut of = Self { pull: None, push: None, buffered: None, lists: None };
        match layout {
            Layouts::Edges { senders, rows } => {
                let pull = senders.map(|senders| Pull::new(core, senders, options, costs));
                of.pull = pull.transpose()?;
                of.push = rows.map(|rows| Push::new(core, rows, costs)).transpose()?;
            }
            Layouts::Buffer(buffer) => of.buffered = Some(Box::new(Mailbox::new(core, buffer)?)),
            Layouts::Medusa { buffer, receivers } => {
                of.buffered = Some(Box::new(Medusa::new(core, buffer, receivers)?));
            }
        }
        if modes.any() {
            let arrays = &mut Arrays::on(core.tools.device());
            of.lists = Some(Lists::room::<P>(arrays, modes, core.placed.shape)?);
        }
        Ok(of)
    }

    /// What launches that stay on the device need.
    pub(super) fn lists(&self) -> Result<(&Push<D, P>, &Lists<D>), RunError> {
        self.push.as_ref().zip(self.lists.as_ref()).ok_or_else(|| missing("lists of vertices"))
    }
}

/// What a session should have, and has not.
pub(super) fn missing(what: &'static str) -> RunError {
    let reason = format!("the session has no {what}; this is an error of the engine");
    DeviceError::Call { call: "a superstep", reason }.into()
}
