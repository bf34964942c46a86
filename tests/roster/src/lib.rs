//! What the tests of this workspace share.
//!
//! * [`oracle`]: sequential, obvious versions of the algorithms on plain adjacency
//!   lists, independent of engines and vertex programs.
//! * [`zoo`]: small graphs of every kind that has ever broken an engine.
//! * [`test_programs`]: vertex programs that stress the contract, not algorithms.
//! * [`suite`]: compares an engine with the reference on each program of the
//!   [`roster`].
//! * [`short_cuts`] and [`triangles`]: the same for results that are computed without a program.
//! * [`entry`]: graphs, parameters and judges for the bundled algorithms.
//! * [`emulated`]: the kernels of these programs, for the emulator.
//! * `gpu`, with the feature of that name: the same programs on a real GPU.
//! * [`data`]: finds the real graphs.

pub use pregel_test_programs as test_programs;

pub mod data;
pub mod emulated;
pub mod entry;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod lists;
pub mod oracle;
pub mod parts;
pub mod phases;
pub mod queues;
pub mod relay;
pub mod roster;
pub mod short_cuts;
pub mod suite;
pub mod triangles;
pub mod zoo;
