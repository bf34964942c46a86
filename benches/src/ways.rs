//! The ways to run a program on a GPU.

use pregel_core::engine::gpu::{
    ByBins, Choice, Costs, Explanation, GpuOptions, HotSignals, Resident, Rounds, Way as Taken,
};
use pregel_core::engine::{Report, Strategy};

/// The name of a way, its strategy and its options.
pub type Way = (&'static str, Strategy, GpuOptions);

/// The usual ways.
pub fn usual() -> Vec<Way> {
    let default = GpuOptions::default();
    vec![
        ("medusa", Strategy::Mailbox, GpuOptions::medusa()),
        ("thesis", Strategy::Mailbox, GpuOptions::thesis(1000)),
        ("mailbox", Strategy::Mailbox, default),
        ("push", Strategy::Push, default),
        ("pull", Strategy::Pull, default),
        ("auto", Strategy::Auto, default),
    ]
}

/// Ways that force the choices of `auto`.
pub fn forced() -> Vec<Way> {
    let default = GpuOptions::default();
    let mut one_range = Costs::default();
    one_range.hub_range_ns = f64::INFINITY;
    (one_range.rest_range_ns, one_range.exchanged_range_ns) = (f64::INFINITY, f64::INFINITY);
    let only = |binned_ns, exchanged_ns, rest_ns| {
        let mut costs = Costs::default();
        (costs.binned_ns, costs.exchanged_ns, costs.rest_ns) = (binned_ns, exchanged_ns, rest_ns);
        costs
    };
    let (usual, never) = (Costs::default(), f64::INFINITY);
    let binned = only(usual.binned_ns, never, never);
    let mut exchanged = only(never, usual.exchanged_ns, never);
    let mut last = exchanged;
    (exchanged.exchanged_lane_ns, last.exchanged_item_ns) = (never, never);
    let rest = only(never, never, usual.rest_ns);
    let bins = default.with_bins(Choice::Always);
    vec![
        ("auto-cold", Strategy::Auto, default.with_hot(Choice::Never)),
        ("auto-hot", Strategy::Auto, default.with_hot(Choice::Always)),
        ("auto-bins", Strategy::Auto, bins),
        ("auto-bins-one", Strategy::Auto, bins.with_costs(one_range)),
        ("auto-bins-all", Strategy::Auto, bins.with_costs(binned)),
        ("auto-bins-exchange", Strategy::Auto, bins.with_costs(exchanged)),
        ("auto-bins-last", Strategy::Auto, bins.with_costs(last)),
        ("auto-bins-rest", Strategy::Auto, bins.with_costs(rest)),
        ("auto-direct", Strategy::Auto, default.with_bins(Choice::Never)),
        ("auto-even", Strategy::Auto, reading_ahead(0)),
        ("auto-uneven", Strategy::Auto, reading_ahead(u64::MAX)),
        ("auto-hosted", Strategy::Auto, default.with_resident(Choice::Never)),
        ("auto-resident", Strategy::Auto, default.with_resident(Choice::Always)),
        ("auto-steady", Strategy::Auto, default.with_costs(steady())),
    ]
}

/// No bins; warps read ahead only on graphs with at least this many vertices.
fn reading_ahead(even_vertices: u64) -> GpuOptions {
    let mut costs = Costs::default();
    costs.even_vertices = even_vertices;
    GpuOptions::default().with_bins(Choice::Never).with_costs(costs)
}

/// Costs with which the near list of rounds keeps its width, and is as wide among hubs as
/// elsewhere.
fn steady() -> Costs {
    let mut costs = Costs::default();
    (costs.near_hubs, costs.near_growth) = (1.0, 1.0);
    costs
}

/// Every way.
pub fn all() -> Vec<Way> {
    usual().into_iter().chain(forced()).collect()
}

/// The ways of a survey: `auto` first, then those whose results it could have chosen, and
/// those of `named` if there are any.
pub fn surveyed(named: &[String]) -> Vec<Way> {
    let is_surveyed = |way: &str| {
        let baseline = ["medusa", "thesis"].contains(&way);
        if named.is_empty() { !baseline } else { named.iter().any(|name| name == way) }
    };
    let (mut ways, others): (Vec<Way>, _) = all().into_iter().partition(|way| way.0 == "auto");
    ways.extend(others.into_iter().filter(|way| is_surveyed(way.0)));
    ways
}

/// The width of the near list at first and at the end, if there are rounds.
fn widths(explanation: &Explanation) -> Option<(Option<f32>, Option<f32>)> {
    match explanation.rounds {
        Rounds::Taken { delta, grown, .. } => Some((delta, grown)),
        _ => None,
    }
}

/// Whether a way that forces a choice runs just as `auto` did, by what both explain: the
/// choice is not possible, or `auto` does not use what the way forbids.
pub fn same_as_auto(way: &str, auto: &Explanation, way_explained: &Explanation) -> bool {
    let uses_hot = |e: &Explanation| !matches!(e.hot, HotSignals::None(_));
    let always_hot = |e: &Explanation| matches!(e.hot, HotSignals::Kept { .. });
    let uses_bins = |e: &Explanation| !matches!(e.bins, ByBins::None(_));
    let stays = |e: &Explanation| {
        !matches!(e.resident, Resident::None(_)) || matches!(e.rounds, Rounds::Taken { .. })
    };
    match way {
        "auto-cold" => !uses_hot(auto),
        "auto-hot" => always_hot(auto) || !uses_hot(way_explained),
        "auto-direct" => !uses_bins(auto),
        "auto-bins" => !uses_bins(way_explained),
        // Only what `auto-bins` does with several ranges of hubs.
        "auto-bins-one" => {
            !matches!(way_explained.bins, ByBins::Cut { hub_ranges, .. } if hub_ranges == 1)
        }
        // Only where it pulls others than hub messages.
        "auto-bins-rest" => !matches!(way_explained.bins, ByBins::Cut { bins, .. } if bins == 0),
        "auto-bins-all" | "auto-bins-exchange" | "auto-bins-last" => !uses_bins(way_explained),
        "auto-hosted" => !stays(auto),
        "auto-resident" => !stays(way_explained),
        "auto-steady" => widths(auto) == widths(way_explained),
        _ => false,
    }
}

/// What a run did. Two ways that take the same course do the same on the device.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// The ways of the supersteps; of consecutive ones that are alike, one.
    ways: Vec<Taken>,
    /// The widths of the near list, at first and at the end.
    widths: Option<(Option<f32>, Option<f32>)>,
    /// How messages are binned, if any are.
    bins: Option<ByBins>,
}

impl Course {
    /// The course of a run, from its report and its explanation.
    pub fn of(report: &Report, explanation: &Explanation) -> Self {
        let mut ways: Vec<Taken> =
            report.steps.iter().filter_map(|step| Some(step.taken?.way)).collect();
        ways.dedup();
        let bins = ways.contains(&Taken::Bins).then_some(explanation.bins);
        Self { ways, widths: widths(explanation), bins }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_survey_begins_with_auto_and_leaves_baselines_out() {
        let names = |named: &[&str]| -> Vec<&str> {
            let named: Vec<String> = named.iter().map(|name| (*name).to_owned()).collect();
            surveyed(&named).iter().map(|way| way.0).collect()
        };
        let bins = ["bins", "bins-one", "bins-all", "bins-exchange", "bins-last", "bins-rest"];
        let others = ["direct", "even", "uneven", "hosted", "resident", "steady"];
        let forced = ["cold", "hot"].into_iter().chain(bins).chain(others);
        let forced: Vec<String> = forced.map(|choice| format!("auto-{choice}")).collect();
        let mut expected = vec!["auto", "mailbox", "push", "pull"];
        expected.extend(forced.iter().map(String::as_str));
        assert_eq!(names(&[]), expected);
        assert_eq!(names(&["thesis", "pull"]), ["auto", "thesis", "pull"]);
        assert_eq!(names(&["auto"]), ["auto"]);
    }
}
