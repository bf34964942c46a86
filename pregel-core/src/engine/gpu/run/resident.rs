//! Resident supersteps: many small frontiers in one launch, which stays on the device.

use super::core::Core;
use super::push::Push;
use super::worklist::Lists;
use crate::device::kernels::{Set, program as k, tools};
use crate::device::prepare::TakeFrontier;
use crate::device::{Control, Counts, RESIDENT_SUPERSTEPS, ResidentArguments, Run};
use crate::engine::gpu::policy::Planner;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// The kernel.
pub(super) const SET: Set = Set::Resident;

/// Runs supersteps from that of `run` on in one launch, `most` at most; what happened in
/// each. The launch ends before a superstep that is not small, or if a vertex stays
/// awake.
pub(super) fn run<D: Device, P: VertexCompute>(
    core: &Core<D, P>,
    push: &Push<D, P>,
    lists: &Lists<D>,
    planner: &Planner,
    run: &Run<P>,
    most: u32,
) -> Result<Vec<Counts>, DeviceError> {
    let superstep = run.step.superstep;
    let (rows, slots, frontier) = push.global()?;
    let mut work = lists.global(frontier);
    lists.begin()?;
    push.find_frontier(core, run, work.frontier(superstep))?;
    // The kernel writes the votes of those that stay awake.
    core.clear_votes()?;
    let costs = planner.costs();
    work.supersteps = RESIDENT_SUPERSTEPS.min(most);
    work.most_edges = planner.most_edges();
    work.lanes = planner.lanes(costs.resident_lanes);
    let a = ResidentArguments { run: *run, rows, slots, work };
    // SAFETY: there is a row, a slot and a mark for every vertex, and room for every piece
    // of every row; control and trace are as the kernel wants them, and no vertex is awake.
    unsafe { core.kernels.together::<k::Resident>(costs.resident_blocks, &a)? };
    let (words, trace) = lists.end(superstep)?;
    let next = words.get(Control::Next, 0);
    // What the host begins goes by votes.
    let items = words.get(Control::Items, next % 3);
    let take = TakeFrontier { frontier: work.frontier(next), votes: core.votes_of(next).global() };
    // SAFETY: the list has that many items, of places that have a vote.
    unsafe { core.tools.each::<tools::TakeFrontier>(items.into(), &take)? };
    Ok(trace)
}
