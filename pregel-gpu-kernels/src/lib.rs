//! What runs on the device: kernels that are generic over the vertex program,
//! kernels that prepare a graph, kernels that solve a problem without a program,
//! and the layers under them.
//!
//! ```text
//!  export!          runtime!        entry points of one program, of all others
//!     │            ┌───┴────┐
//! superstep/   prepare/   solve/    supersteps of a program; preparing a graph;
//!     └────────────┼────────┘       solvers that need no program
//!            collective/            reductions and scans of a warp or block
//!                  │
//!                simt/              lanes, loads, atomics, shuffles, votes, barriers
//! ```
//!
//! Compiled for `nvptx64-nvidia-cuda` it becomes PTX. With the feature `emulator`
//! the same code is compiled for the host, where the crate `pregel-emulator` runs
//! it lane by lane.
#![cfg_attr(not(feature = "emulator"), no_std)]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(abi_ptx, asm_experimental_arch, link_llvm_intrinsics, stdarch_nvptx)
)]

#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod collective;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod export;
#[cfg(all(feature = "emulator", not(target_arch = "nvptx64")))]
pub mod host;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod prepare;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
mod rows;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod simt;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod solve;
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
pub mod superstep;

/// The kernels that belong to no program, by their names in the table.
#[cfg(any(target_arch = "nvptx64", feature = "emulator"))]
#[doc(hidden)]
pub mod tools {
    pub use crate::prepare::{
        assign_region, bin_count, bin_place, bin_split, count, degrees, digit_counts, digit_places,
        extremes, find_region, frontier, group_rows, identity, move_rows, order, pack_votes,
        permute, place_columns, place_edges, place_rows, region_counts, region_places, rest_place,
        restore, scan_places, scan_sums, scan_tops, vote,
    };
    pub use crate::solve::{
        expand, expand_hubs, flatten, frequent, join_pieces, join_rest, join_two,
        paths_between_close_f32, paths_between_close_i32, paths_between_cross_f32,
        paths_between_cross_i32, paths_between_rest_f32, paths_between_rest_i32, paths_close_f32,
        paths_close_i32, paths_cross_f32, paths_cross_i32, paths_rest_f32, paths_rest_i32,
        paths_square_4_f32, paths_square_4_i32, paths_square_8_f32, paths_square_8_i32,
        paths_square_16_f32, paths_square_16_i32, paths_square_32_f32, paths_square_32_i32, plant,
        triangles,
    };
}

#[doc(hidden)]
pub use pregel_core as core;

#[cfg(all(feature = "emulator", not(target_arch = "nvptx64")))]
graph_entries!();
