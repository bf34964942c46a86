//! The strategies that a session can use, made from the layout of its graph.

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
    /// A strategy that stores every message.
    pub(super) buffered: Option<Box<dyn Hosted<D, P>>>,
    /// The lists of resident launches.
    pub(super) lists: Option<Lists<D>>,
}

impl<D: Device, P: VertexCompute> Strategies<D, P> {
    /// The strategies that this layout is for.
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
                of.push =
                    rows.map(|rows| Push::new(core, rows, options.push, costs)).transpose()?;
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

    /// The parts that resident launches need.
    ///
    /// # Errors
    /// If the session lacks them, which is an error of the engine.
    pub(super) fn lists(&self) -> Result<(&Push<D, P>, &Lists<D>), RunError> {
        self.push.as_ref().zip(self.lists.as_ref()).ok_or_else(|| missing("lists of vertices"))
    }
}

/// The error that a session lacks a part that its strategy needs.
pub(super) fn missing(what: &'static str) -> RunError {
    let reason = format!("the session has no {what}; this is an error of the engine");
    DeviceError::Call { call: "a superstep", reason }.into()
}
