//! Decides how to run, and explains the decision.
//!
//! [`options`] are the user's choices, one of them in [`launch`], and [`costs`] what work
//! costs on a device, from which [`planner`] predicts the time of each way to run a superstep.
//! [`explain`] says what a run chose, and [`why_not`] why it did not choose something else.
//! [`report`] is everything that a run reports about its device.

mod costs;
mod depth;
mod explain;
mod launch;
mod options;
mod planner;
mod report;
mod run_trial;
mod run_trials;
mod trial;
mod why_not;

pub use costs::Costs;
pub(super) use depth::Depth;
pub use explain::{ByBins, Explanation, Hosted, HotSignals, Layout, Resident, Rounds, Taken, Way};
pub use launch::LaunchSize;
pub use options::{BufferLayout, Choice, GpuOptions, Sort};
pub use planner::Predicted;
pub(super) use planner::{ByPriority, Forced, Planner, Shape, Traits};
pub use report::DeviceReport;
pub(super) use run_trials::{Advice, RunTrials};
pub(super) use trial::Trial;
pub use why_not::WhyNot;
