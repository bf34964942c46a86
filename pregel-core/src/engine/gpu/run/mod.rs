//! Runs: a session on the device, superstep by superstep.
//!
//! One object for each strategy owns its memory, its argument block and its launches:
//! [`pull`] (with [`bins`]), [`push`], [`mailbox`], [`medusa`], and the launches that
//! stay on the device, [`resident`] and [`rounds`], which share [`worklist`]. All run on
//! [`core`], the vertices. The [`session`] goes round a short loop: [`choose`],
//! [`execute`], [account](course). [`plan`] says beforehand what all of them take.
//!
//! A new strategy is one file here, which implements [`strategies::Hosted`] or is chosen
//! by [`choose`]; one file of kernels; their argument block, in `device/superstep/`; and
//! their rows in `device/kernels.rs`.

mod batch;
mod bins;
mod choose;
mod core;
mod course;
mod execute;
mod mailbox;
mod medusa;
mod partials;
mod plan;
mod pull;
mod push;
mod report;
mod resident;
mod rounds;
mod session;
mod strategies;
mod totals;
mod worklist;

pub(super) use plan::check;
pub use session::GpuSession;
