//! The GPU engine (device abstraction only, for now).
mod device;
pub use device::{Allocation, Device, DeviceError};
