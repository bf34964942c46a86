//! Plans the memory of a run, and checks that the run is possible, before anything is
//! copied.

use super::core::CoreMemory;
use super::mailbox::Mailbox;
use super::medusa::Medusa;
use super::packed::Packed;
use super::partials::Partials;
use super::push::Meeting;
use super::worklist::{Lists, ResidentModes};
use crate::engine::gpu::layout::{self, Chunked, Parts, Shape, shape_of};
use crate::engine::gpu::policy::{BufferLayout, GpuOptions};
use crate::engine::gpu::runtime::{Arrays, Device, DeviceError};
use crate::engine::{Needs, RunError, RunOptions, Strategy};
use crate::graph::Graph;
use crate::program::VertexCompute;

/// The strategy that the program and the options determine.
///
/// # Errors
/// [`RunError::Unsupported`] if they contradict each other.
fn strategy_for<P: VertexCompute>(
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Strategy, RunError> {
    let strategy = options.strategy_for::<P>()?;
    if layout.buffer == BufferLayout::Columns {
        return Ok(strategy);
    }
    match options.strategy {
        Strategy::Auto | Strategy::Mailbox => Ok(Strategy::Mailbox),
        _ => Err(RunError::Unsupported(
            "this layout needs a message buffer: use it with the strategy mailbox or auto",
        )),
    }
}

/// Plans the memory of a run with columns of `slots` slots.
pub(super) fn plan<D: Device, P: VertexCompute>(
    shape: Shape,
    parts: &Parts,
    modes: ResidentModes,
    slots: u64,
) -> Result<Arrays<D>, DeviceError> {
    let mut planned = Arrays::planned();
    let arrays = &mut planned;
    layout::plan::<D, P::Edge>(arrays, shape, parts, slots)?;
    let chunks = if parts.medusa { 0 } else { Chunked::<D>::at_most(slots) };
    CoreMemory::<D, P>::room(arrays, shape, chunks)?;
    Partials::<D, P>::at_most(arrays, chunks)?;
    if parts.pull {
        Packed::<D>::room(arrays, shape)?;
    }
    if parts.push {
        Meeting::<D, P>::room(arrays, shape)?;
    }
    if modes.any() {
        Lists::<D>::room::<P>(arrays, modes, shape)?;
    }
    if parts.mailbox {
        Mailbox::<D, P>::plan(arrays, slots)?;
    }
    if parts.medusa {
        Medusa::<D, P>::plan(arrays, shape, parts.segments, slots)?;
    }
    Ok(planned)
}

/// What a run needs, decided before anything is copied.
pub(super) struct Decided {
    pub(super) strategy: Strategy,
    pub(super) shape: Shape,
    pub(super) parts: Parts,
    pub(super) modes: ResidentModes,
}

/// Checks everything that is known before anything is copied.
///
/// # Errors
/// [`RunError::Unsupported`] if the program, the graph and the options do not go together,
/// [`RunError::DeviceLimit`] if the graph has too many edges,
/// [`RunError::TooLarge`] if the run does not fit the device's free memory, and
/// [`RunError::Device`] if the device fails.
pub(crate) fn check<D: Device, P: VertexCompute>(
    device: &D,
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<(), RunError> {
    decide::<D, P>(device, graph, options, layout).map(drop)
}

/// What a run needs, whatever memory there is, with the other errors of [`check`].
pub(crate) fn needs<D: Device, P: VertexCompute>(
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Needs, RunError> {
    let Decided { shape, parts, modes, .. } = decide_alone::<P>(graph, options, layout)?;
    let slots = layout::slots::<P>(graph, &parts).max(shape.edges);
    let device = plan::<D, P>(shape, &parts, modes, slots)?.into_needs();
    let states = u64::from(graph.vertex_count()) * size_of::<P::State>() as u64;
    let host = layout::host_needs::<P>(graph, &parts).with_host("states", states);
    Ok(Needs { device, ..host })
}

/// Decides what a run needs, with the checks and the errors of [`check`].
pub(super) fn decide<D: Device, P: VertexCompute>(
    device: &D,
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Decided, RunError> {
    let decided = decide_alone::<P>(graph, options, layout)?;
    let Decided { shape, parts, modes, .. } = &decided;
    plan::<D, P>(*shape, parts, *modes, shape.edges)?.check(device)?;
    Ok(decided)
}

/// The same, whatever memory there is.
fn decide_alone<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<Decided, RunError> {
    let strategy = strategy_for::<P>(options, layout)?;
    if !layout.group.is_power_of_two() || layout.group > 1 << 16 {
        return Err(RunError::Unsupported("groups must be of 1, 2, 4, … or 65,536 vertices"));
    }
    let (shape, parts) = (shape_of::<P>(graph), Parts::of::<P>(graph, strategy, options, layout));
    if (parts.mailbox || parts.medusa) && shape.edges > u32::MAX.into() {
        return Err(RunError::DeviceLimit(
            "a message buffer on a GPU has at most 4,294,967,295 messages, and the graph has more",
        ));
    }
    let modes = ResidentModes::of::<P>(strategy, options, layout);
    Ok(Decided { strategy, shape, parts, modes })
}
