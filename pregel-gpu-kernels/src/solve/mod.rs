//! Solvers that need no vertex program.
//!
//! | Problem | Kernels, in order |
//! |---|---|
//! | levels, by queues as in FlexBFS | level after level: `expand`, `expand_hubs` |
//! | paths between all pairs | for each block of vertices: `paths_close`, `paths_cross`, `paths_rest` |
//! | the same, with what leads along them | `paths_between_close`, `paths_between_cross`, `paths_between_rest` |
//! | paths between all pairs, by squaring | as often as needed: `paths_square` |
//! | weakly connected components | `plant`, `flatten`, `join_two` (some, more, all), `flatten`, `frequent`, `join_rest`, `join_pieces`, `flatten` |
//! | triangles | `triangles` |

mod components;
mod length;
mod paths;
mod queue;
mod queues;
mod square;
mod triangles;
mod unroll;

pub use components::{flatten, frequent, join_pieces, join_rest, join_two, plant};
pub use paths::{
    paths_between_close_f32, paths_between_close_i32, paths_between_cross_f32,
    paths_between_cross_i32, paths_between_rest_f32, paths_between_rest_i32, paths_close_f32,
    paths_close_i32, paths_cross_f32, paths_cross_i32, paths_rest_f32, paths_rest_i32,
};
pub use queues::{expand, expand_hubs};
pub use square::{
    paths_square_4_f32, paths_square_4_i32, paths_square_8_f32, paths_square_8_i32,
    paths_square_16_f32, paths_square_16_i32, paths_square_32_f32, paths_square_32_i32,
};
pub use triangles::triangles;
