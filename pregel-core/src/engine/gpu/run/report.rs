//! Explains what a session chose.

use super::pull::Pull;
use super::worklist::{why_no_rounds, why_no_supersteps};
use crate::engine::gpu::layout::{Groups, Parts};
use crate::engine::gpu::policy::{
    ByBins, ByPriority, Explanation, GpuOptions, Hosted, HotSignals, Layout, Planner, Resident,
    Rounds, WhyNot,
};
use crate::engine::gpu::runtime::Device;
use crate::engine::{RunOptions, Strategy};
use crate::program::VertexCompute;

/// Describes how a graph is laid out.
pub(super) fn layout<D: Device>(parts: &Parts, groups: Option<&Groups<D>>) -> Layout {
    let chunks = groups.map(|groups| &groups.chunks);
    Layout {
        sort: parts.sort,
        group: groups.map(|groups| 1 << groups.shift),
        split: chunks.map_or(0, |chunks| chunks.heavy),
        chunks: chunks.map_or(0, |chunks| chunks.count),
    }
}

/// What a session was asked for, and its planner.
pub(super) struct Chosen<'a> {
    pub(super) strategy: Strategy,
    pub(super) options: &'a RunOptions,
    pub(super) layout: &'a GpuOptions,
    pub(super) planner: &'a Planner,
}

/// Explains what is known once a graph is prepared.
pub(super) fn explain<D: Device, P: VertexCompute>(
    chosen: &Chosen<'_>,
    layout: Layout,
    pull: Option<&Pull<D, P>>,
) -> Explanation {
    let Chosen { strategy, options, planner, .. } = *chosen;
    let asked = chosen.layout;
    let resident = match why_no_supersteps::<P>(strategy, options, asked.resident) {
        Some(why) => Resident::None(why),
        None if planner.always() => Resident::All,
        None if planner.small_graph() => Resident::SmallGraph,
        None => Resident::Small { edges: planner.most_edges(), after: planner.streak_threshold() },
    };
    let rounds = match why_no_rounds::<P>(strategy, options, asked.rounds()) {
        Some(why) => Rounds::None(why),
        None => match planner.by_priority() {
            ByPriority::Steps(why) => Rounds::None(why),
            _ => Rounds::Taken { delta: None, grown: None, given: options.delta.is_some() },
        },
    };
    let none = WhyNot::Strategy(strategy);
    Explanation {
        costs: *planner.costs(),
        layout,
        hot: pull.map_or(HotSignals::None(none), |pull| pull.hot.explain()),
        bins: pull.map_or(ByBins::None(none), |pull| pull.bins.explain()),
        resident,
        rounds,
        hosted: Hosted::AsPlanned,
    }
}
