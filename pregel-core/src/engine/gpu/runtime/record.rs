//! What a device was asked to do, and when.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::time::{Duration, Instant};

/// What an event of a [`Recording`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind {
    /// A part of the work, such as a superstep, with all events that lie in it.
    Part,
    /// Kernels were loaded, and compiled if the driver saw them for the first time.
    Load,
    /// A kernel.
    Kernel,
    /// Bytes were set on the device.
    Fill,
    /// A copy to the device.
    Write,
    /// A copy from the device, for which the host waited.
    Read,
    /// The host waited for the device.
    Wait,
}

/// One thing that a device was asked to do. Times count from [`Recording::began`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceEvent {
    /// What it is.
    pub kind: EventKind,
    /// The kernel, or the part.
    pub name: Cow<'static, str>,
    /// How many bytes were copied or set.
    pub bytes: u64,
    /// From when to when the host was busy with it, or waited.
    pub host: Range<Duration>,
    /// From when to when the device was busy with it; `None` for what keeps no device busy.
    pub device: Option<Range<Duration>>,
}

impl DeviceEvent {
    /// Something that kept the host busy from when to when, and no device.
    pub fn new(kind: EventKind, name: Cow<'static, str>, host: Range<Duration>) -> Self {
        Self { kind, name, bytes: 0, host, device: None }
    }
}

/// What a device was asked to do while it was recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Recording {
    /// When it began.
    pub began: Instant,
    /// In the order in which the host was done with them.
    pub events: Vec<DeviceEvent>,
    /// How many events were left out, because there were too many.
    pub left_out: u64,
}

/// A part of the work, which ends when this value is dropped. See
/// [`Device::part`](super::Device::part).
#[must_use = "the part ends when this value is dropped"]
pub struct Part(Option<Box<dyn FnOnce() + Send>>);

impl Part {
    /// A part without a listener.
    pub const UNHEARD: Self = Self(None);

    /// A part at whose end this is called.
    pub fn new(ended: impl FnOnce() + Send + 'static) -> Self {
        Self(Some(Box::new(ended)))
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        if let Some(ended) = self.0.take() {
            ended();
        }
    }
}

impl fmt::Debug for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part").field("heard", &self.0.is_some()).finish()
    }
}
