//! What the tests of this workspace share.
//!
//! * [`oracle`]: the algorithms once more, sequential and obvious, on plain
//!   adjacency lists; they know neither engines nor vertex programs.
//! * [`zoo`]: small graphs of every kind that has ever broken an engine.
//! * [`test_programs`]: vertex programs that stress the contract, not algorithms.
//! * [`suite`]: how one engine is held against the reference, and
//!   [`roster`], the programs that it has to run.
//! * [`short_cuts`]: the same for what is no program.
//! * [`entry`]: graphs, parameters and judges for the bundled algorithms.
//! * [`emulated`]: the same programs' kernels, for the emulator.
//! * `gpu`, with the feature of that name: the same programs on a real GPU.
//! * [`data`]: where real graphs lie.

pub use pregel_test_programs as test_programs;

pub mod data;
pub mod emulated;
pub mod entry;
#[cfg(feature = "gpu")]
pub mod gpu;
pub mod lists;
pub mod oracle;
pub mod roster;
pub mod short_cuts;
pub mod suite;
pub mod zoo;
