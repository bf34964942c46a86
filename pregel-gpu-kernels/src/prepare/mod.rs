//! Prepares a graph, whatever the program.
//!
//! | Step | Kernels |
//! |---|---|
//! | degrees | `count`, `degrees` |
//! | no sort | `identity` |
//! | approximate sort (*PregelGPU*, §4.1.4) | `extremes`, `assign_region`, scan, `order` |
//! | stable sort, approximate or exact | `extremes`, `find_region`; per digit: `digit_counts`, scan, `digit_places` |
//! | stable sort by logarithmic regions | `region_counts`, scan, `region_places` |
//! | prefix sums | `scan_sums`, `scan_tops`, `scan_places` |
//! | column-major remap (§4.2.2) | `group_rows`, scan, `place_columns`, `place_edges` or `place_rows` |
//! | cells of binned messages | `bin_split`, `bin_count`, scans, `bin_place` |
//! | rows in the new order | `permute`, scan, `move_rows` |
//! | between supersteps | `frontier`, `vote`, `pack_votes` |
//! | results by id | `restore` |

mod bins;
mod digits;
mod edges;
mod scan;
mod sort;
mod vertices;

pub use bins::{bin_count, bin_place, bin_split, rest_place};
pub use digits::{digit_counts, digit_places, region_counts, region_places};
pub use edges::{move_rows, place_columns, place_edges, place_rows};
pub use scan::{scan_places, scan_sums, scan_tops};
pub use sort::{assign_region, extremes, find_region, order};
pub use vertices::{
    count, degrees, frontier, group_rows, identity, pack_votes, permute, restore, vote,
};
