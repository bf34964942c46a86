//! Solvers that need no vertex program.
//!
//! | Problem | Kernels, in order |
//! |---|---|
//! | weakly connected components | `plant`, `flatten`, `join_two`, `flatten`, `frequent`, `join_rest`, `join_pieces`, `flatten` |

mod components;

pub use components::{flatten, frequent, join_pieces, join_rest, join_two, plant};
