//! Runs programs on a prepared graph, superstep by superstep.
//!
//! One type per strategy owns its memory, its argument block and its launches: [`pull`]
//! (with [`hot`] signals, [`bins`], [`packed`] votes or [`even`] groups), [`push`], [`mailbox`], [`medusa`],
//! and the resident launches [`resident`] and [`rounds`], which share [`worklist`]. All of them run on the vertices
//! in [`core`]. [`route`] chooses the way that a run goes as a whole; then [`advance`] repeats
//! three steps: [`choose`], [`execute`] and [`account`]. [`save`] copies what another run needs
//! to go on, and [`kept`] holds the states for a run that follows. [`plan`] works out in advance
//! the memory that all of them take.
//!
//! A new strategy needs one file here, which implements [`hosted::Hosted`] or is
//! chosen by [`choose`], one file of kernels, their argument block in `device/superstep/`,
//! and their lines in `device/kernels.rs`.

mod account;
mod advance;
mod batch;
mod bins;
mod choose;
mod core;
mod course;
mod even;
mod execute;
mod hosted;
mod hot;
mod kept;
mod mailbox;
mod medusa;
mod pace;
mod packed;
mod partials;
mod plan;
mod pull;
mod push;
mod report;
mod resident;
mod rounds;
mod route;
mod sample;
mod save;
mod session;
mod steps;
mod strategies;
mod totals;
mod worklist;

pub use advance::GpuRun;
pub use kept::GpuKept;
pub(super) use plan::{check, needs};
pub use session::GpuSession;
