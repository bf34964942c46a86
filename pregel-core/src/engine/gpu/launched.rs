//! Which kernels a run launches, so that they are loaded before it begins.

use super::options::Sort;
use super::prepare::Parts;
use super::resident::Stays;
use crate::device::prepare::Mapping;
use crate::device::{stays_resident, updates_in_place};
use crate::engine::Strategy;
use crate::program::{Delivery, Monoid, VertexCompute};

/// Whether a run of a program is likely to push: a program that can stay on a device
/// has small frontiers at times, the others are pulled all along as a rule.
pub(super) fn pushes<P: VertexCompute>(strategy: Strategy) -> bool {
    match strategy {
        Strategy::Auto => stays_resident::<P>() || updates_in_place::<P>(),
        strategy => strategy == Strategy::Push,
    }
}

/// The kernels of a program for a run of this strategy; `by_priority` if its
/// rounds stay on the device, `hot` if some signals are. Those of a push that was not
/// likely are loaded when it comes.
pub(super) fn by_program<P: VertexCompute>(
    strategy: Strategy,
    stays: Stays,
    by_priority: bool,
    hot: bool,
) -> Vec<&'static str> {
    let pull: &[_] = match hot {
        true => &["pull", "pull_hot", "pull_heavy", "close"],
        false => &["pull", "pull_heavy", "close"],
    };
    let mut names = vec!["init"];
    match strategy {
        Strategy::Auto if by_priority => names.push("near_far"),
        Strategy::Pull => names.extend(pull),
        Strategy::Push => names.extend(TO_PUSH),
        Strategy::Mailbox if P::Combiner::COMBINES => {
            names.extend(["send", "read_chunks", "read_heavy", "read"]);
        }
        Strategy::Medusa if P::Combiner::COMBINES => {
            names.extend(["send", "segments", "segment_vertices"]);
        }
        Strategy::Mailbox | Strategy::Medusa => {
            names.extend(["send", "read"]);
            if P::Combiner::SORTED {
                names.push("sort_lists");
            }
        }
        Strategy::Auto => {
            names.extend(pull);
            if pushes::<P>(strategy) {
                names.extend(TO_PUSH);
            }
            if stays.supersteps {
                names.push("resident");
            }
        }
    }
    if size_of::<<P::Aggregate as Monoid>::Value>() > 0 {
        names.push("reduce");
    }
    names
}

/// The kernels that no program owns, for a run that needs these parts; `rows`
/// if edges are placed by the receiver's row, `symmetric` if rows by sender are
/// rows by receiver too, `pushes` if a push is likely.
pub(super) fn by_graph(
    parts: Parts,
    sort: Sort,
    rows: bool,
    (symmetric, pushes): (bool, bool),
) -> Vec<&'static str> {
    let mut names = vec!["restore"];
    if parts.medusa {
        names.push("identity");
        return names;
    }
    names.extend(["degrees", "permute"]);
    names.extend(by_sort(sort));
    names.extend(["scan_sums", "scan_tops", "scan_places"]);
    if parts.pull || parts.mailbox {
        let by_row = if parts.pull { "place_columns" } else { "place_rows" };
        names.extend(["group_rows", if rows { by_row } else { "place_edges" }]);
    }
    if !symmetric {
        names.push("count");
    }
    if pushes {
        names.extend(ROWS_TO_PUSH);
    }
    names
}

/// The kernels of a sort, those of prefix sums apart.
pub(super) fn by_sort(sort: Sort) -> &'static [&'static str] {
    match sort {
        Sort::None => &["identity"],
        Sort::Approximate { .. } => &["extremes", "assign_region", "order"],
        Sort::Stable { mapping: Mapping::Logarithmic, .. } => &["region_counts", "region_places"],
        Sort::Stable { mapping: Mapping::Linear, .. } => {
            &["extremes", "find_region", "digit_counts", "digit_places"]
        }
        Sort::Exact => &["extremes", "digit_counts", "digit_places"],
    }
}

/// The kernels of a push.
pub(super) const TO_PUSH: &[&str] = &["push", "arrive"];

/// The kernels that lay out rows to push along, and list those that are.
pub(super) const ROWS_TO_PUSH: &[&str] = &["move_rows", "frontier", "vote"];

/// The kernels that cut a graph into bins, those of prefix sums apart.
pub(super) const BY_BINS: &[&str] = &["bin_split", "bin_count", "bin_place"];

/// The kernels that find components.
pub(super) const BY_COMPONENTS: &[&str] =
    &["plant", "flatten", "join_two", "frequent", "join_rest", "join_pieces"];
