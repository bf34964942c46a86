//! What a run needs, known before anything is copied.

use super::device::Device;
use super::options::GpuOptions;
use super::plan::Plan;
use super::prepare::Parts;
use super::resident::{Stays, room};
use super::rows;
use crate::device::{CHUNK_ROWS, SEGMENT_TILE};
use crate::engine::{RunError, RunOptions};
use crate::graph::Graph;
use crate::program::{Message, VertexCompute};

/// The memory that a run takes, transient arrays of the preparation included.
pub(super) fn plan<P: VertexCompute>(
    graph: &Graph<P::Edge>,
    (parts, stays): (Parts, Stays),
    slots: u64,
) -> Plan {
    let (n, m) = (u64::from(graph.vertex_count()), rows::edges::<P>(graph));
    let mut plan = Plan::default();
    plan.need::<P::State>("states, by place and by id", 2 * n);
    plan.need::<P::Signal>("signals", 2 * n);
    plan.need::<P::Input>("inputs", n);
    plan.need::<[u32; 6]>("order and degrees", n);
    plan.need::<[u8; 2]>("votes", n);
    plan.need::<u64>("row offsets as given", n + 1);
    plan.need::<u32>("edges as given", m);
    plan.need::<P::Edge>("edge values as given", m);
    plan.need::<[u32; 2]>("regions, while sorting", n);
    if !parts.medusa {
        plan.need::<u64>("first slots of groups", n + 1);
        // A heavy group has more rows than a chunk, and at most one unfilled.
        let lanes = 2 * slots / u64::from(CHUNK_ROWS);
        plan.need::<Message<P>>("partial results of hubs", lanes);
    }
    if parts.pull {
        plan.need::<u32>("senders in columns", slots);
        plan.need::<P::Edge>("edge values in columns", slots);
    }
    if parts.push {
        plan.need::<u64>("rows to push along", n + 1);
        plan.need::<u32>("edges to push along", m);
        plan.need::<P::Edge>("edge values to push along", m);
        plan.need::<[u32; 2]>("frontier", room(n, m));
        stays.plan::<P>(&mut plan, n, m);
        plan.need::<Message<P>>("slots", n);
        plan.need::<u32>("arrivals", n);
    }
    if parts.mailbox || parts.medusa {
        plan.need::<u32>("sources of edges", m);
        plan.need::<u32>("positions of messages", m);
        plan.need::<Message<P>>("message buffer", slots);
        plan.need::<u8>("presence of messages", slots);
    }
    if parts.medusa {
        plan.need::<u32>("receivers of messages", m);
        plan.need::<u64>("first messages of vertices", n + 1);
        plan.need::<Message<P>>("combined messages", n + slots.div_ceil(SEGMENT_TILE) * 2);
        plan.need::<u8>("presence of combined messages", n);
    }
    plan
}

/// Checks all that can be known before anything is copied.
pub(super) fn check<D: Device, P: VertexCompute>(
    device: &D,
    graph: &Graph<P::Edge>,
    options: &RunOptions,
    layout: &GpuOptions,
) -> Result<(), RunError> {
    let strategy = options.strategy_for::<P>()?;
    if !layout.group.is_power_of_two() || layout.group > 1 << 16 {
        return Err(RunError::Unsupported("groups must be of 1, 2, 4, … or 65,536 vertices"));
    }
    let parts = Parts::of::<P>(strategy, options);
    let edges = rows::edges::<P>(graph);
    if (parts.mailbox || parts.medusa) && edges > u32::MAX.into() {
        return Err(RunError::Unsupported(
            "a message buffer of more than 4,294,967,295 messages: use pull or push",
        ));
    }
    let stays = Stays::of::<P>(strategy, options, layout.resident);
    plan::<P>(graph, (parts, stays), edges).check(device)
}
