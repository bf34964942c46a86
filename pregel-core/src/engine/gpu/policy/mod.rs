//! What is chosen, by which figures, and how it is explained.
//!
//! [`options`] is what the user may choose; [`costs`] what things cost on a device;
//! [`planner`] predicts each way of running a superstep from them. [`explain`] says
//! what a run chose, and [`why_not`] what it did not; [`report`] is all that is said of a
//! device.

mod costs;
mod explain;
mod options;
mod planner;
mod report;
mod why_not;

pub use costs::Costs;
pub use explain::{ByBins, Explanation, HotSignals, Layout, Resident, Rounds, Taken, Way};
pub use options::{BufferLayout, Choice, GpuOptions, Sort};
pub use planner::Predicted;
pub(super) use planner::{Planner, Shape};
pub use report::DeviceReport;
pub use why_not::WhyNot;
