//! Resident supersteps: many supersteps with small frontiers in one launch.

use super::core::Core;
use super::push::Push;
use super::worklist::Lists;
use crate::device::kernels::{Set, program as k, tools};
use crate::device::prepare::TakeFrontier;
use crate::device::{Control, Counts, ResidentArguments, Run};
use crate::engine::gpu::policy::Planner;
use crate::engine::gpu::runtime::{Device, DeviceError};
use crate::program::VertexCompute;

/// The kernel of resident supersteps.
pub(super) const SET: Set = Set::Resident;

/// Runs supersteps in one launch, beginning with that of `run`, `most` at most. The launch
/// ends before a superstep with too large a frontier, or when a vertex stays awake. Returns
/// the counts of each superstep. Waits.
pub(super) fn run<D: Device, P: VertexCompute>(
    core: &Core<D, P>,
    push: &Push<D, P>,
    lists: &Lists<D>,
    planner: &Planner,
    run: &Run<P>,
    most: u32,
) -> Result<Vec<Counts>, DeviceError> {
    let superstep = run.step.superstep;
    let (rows, slots) = push.global()?;
    let mut work = lists.global(push.items()?.global());
    lists.begin()?;
    push.find_frontier(core, run, work.frontier(superstep), core.placed.shape.vertices)?;
    // The kernel only writes the votes of vertices that stay awake.
    core.clear_votes()?;
    let costs = planner.costs();
    work.supersteps = planner.per_launch().min(most);
    work.most_edges = planner.launch_edges();
    work.lanes = planner.lanes(costs.resident_lanes);
    let a = ResidentArguments { run: *run, rows, slots, work };
    // SAFETY: there is a row, a slot and a mark per vertex, and both lists of items have
    // room for every piece of every row. `begin` has cleared control and trace, the frontier
    // is listed, and the caller makes sure that no vertex is awake.
    unsafe { core.kernels.together::<k::Resident>(costs.resident_blocks, 0, &a)? };
    let (words, trace) = lists.end(superstep)?;
    let next = words.get(Control::Next, 0);
    // A superstep that the host launches reads votes, not the list.
    let items = words.get(Control::Items, next % 3);
    let take = TakeFrontier { frontier: work.frontier(next), votes: core.votes_of(next).global() };
    // SAFETY: the launch left that many items in the list, and each names a place, which
    // has a vote.
    unsafe { core.tools.each::<tools::TakeFrontier>(items.into(), &take)? };
    Ok(trace)
}
