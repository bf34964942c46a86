//! Records what a GPU is asked to do. Events of the driver stand before and after each kernel
//! and copy, and tell when the GPU was busy with it.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::{DriverError, result, sys};

use super::Card;
use super::driver::failed;
use crate::engine::gpu::runtime::{DeviceError, DeviceEvent, EventKind, Recording};

/// The most events that are kept, in about 100 MB.
const MOST: usize = 1 << 20;

/// The most events of the driver that may wait to be read.
const MOST_MARKS: usize = 1 << 12;

/// A recording that goes on.
#[derive(Debug)]
pub(super) struct Tape {
    card: Arc<Card>,
    began: Instant,
    /// Recorded when the recording began.
    first: Mark,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    events: Vec<DeviceEvent>,
    left_out: u64,
    /// The marks around events whose time on the device has not been read yet.
    pending: Vec<(usize, [Mark; 2])>,
    /// Marks that can be used again.
    spare: Vec<Mark>,
}

/// An event of the driver, which the tape destroys.
#[derive(Clone, Copy, Debug)]
struct Mark(sys::CUevent);

// SAFETY: the driver's events may be used from any thread that has made the context current,
// as all callers do.
unsafe impl Send for Mark {}
// SAFETY: as above; the driver API is thread-safe.
unsafe impl Sync for Mark {}

impl Mark {
    fn new() -> Result<Self, DeviceError> {
        let mark = result::event::create(sys::CUevent_flags::CU_EVENT_DEFAULT);
        Ok(Self(mark.map_err(|e| failed("cuEventCreate", e))?))
    }
}

/// An event that is taking place.
#[derive(Debug)]
pub(super) struct Begun {
    at: Duration,
    mark: Option<Mark>,
}

impl Tape {
    /// Begins to record. Waits for what is queued, so that the clocks of host and device agree
    /// to a few microseconds.
    pub(super) fn new(card: &Arc<Card>) -> Result<Self, DeviceError> {
        card.bind()?;
        card.wait()?;
        let first = Mark::new()?;
        let began = Instant::now();
        let mut tape = Self { card: Arc::clone(card), began, first, written: Mutex::default() };
        // The first mark of all takes the driver longer than the others do.
        tape.set(first)?;
        card.wait()?;
        tape.began = Instant::now();
        tape.set(first)?;
        Ok(tape)
    }

    fn written(&self) -> MutexGuard<'_, Written> {
        self.written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// Queues a mark.
    fn set(&self, mark: Mark) -> Result<(), DeviceError> {
        // SAFETY: mark and stream exist as long as the tape, and all callers have made the
        // context current.
        unsafe { result::event::record(mark.0, self.card.stream) }
            .map_err(|e| failed("cuEventRecord", e))
    }

    /// Queues a mark; none if that fails: then the time on the device is not known.
    fn mark(&self) -> Option<Mark> {
        let spare = self.written().spare.pop();
        let mark = spare.map_or_else(Mark::new, Ok).ok()?;
        if self.set(mark).is_err() {
            self.written().spare.push(mark);
            return None;
        }
        Some(mark)
    }

    /// Notes that something begins, and whether it keeps the device busy. The context must be
    /// current.
    pub(super) fn begin(&self, on_device: bool) -> Begun {
        let at = self.now();
        Begun { at, mark: on_device.then(|| self.mark()).flatten() }
    }

    /// Notes that the host is done with something. The context must be current.
    pub(super) fn end(&self, begun: Begun, kind: EventKind, name: Cow<'static, str>, bytes: u64) {
        let until = self.now();
        let Begun { at, mark } = begun;
        let event = DeviceEvent { bytes, ..DeviceEvent::new(kind, name, at..until) };
        let mut marks = None;
        if let Some(start) = mark {
            // After a copy to the host too, although the host has waited for it: the two clocks
            // would not agree on the order of what follows.
            match self.mark() {
                Some(end) => marks = Some([start, end]),
                None => self.written().spare.push(start),
            }
        }
        let mut written = self.written();
        let waited = matches!(kind, EventKind::Wait | EventKind::Read);
        if waited || written.pending.len() >= MOST_MARKS {
            self.settle(&mut written);
        }
        let Written { events, left_out, pending, spare } = &mut *written;
        let full = events.len() >= MOST;
        match marks {
            Some(marks) if full || pending.len() >= MOST_MARKS => spare.extend(marks),
            Some(marks) => pending.push((events.len(), marks)),
            None => {}
        }
        if full {
            *left_out += 1;
        } else {
            events.push(event);
        }
    }

    /// Reads the marks that the device has passed.
    fn settle(&self, written: &mut Written) {
        let Written { events, pending, spare, .. } = written;
        pending.retain(|(event, marks)| {
            let Ok(start) = self.since(marks[0]) else { return true };
            let Ok(end) = self.since(marks[1]) else { return true };
            events[*event].device = Some(start..end);
            spare.extend(marks);
            false
        });
    }

    /// When the device has passed a mark; an error if it has not yet.
    fn since(&self, mark: Mark) -> Result<Duration, DriverError> {
        // SAFETY: both marks are on the same stream, and exist as long as the tape.
        let ms = unsafe { result::event::elapsed(self.first.0, mark.0) }?;
        Ok(Duration::from_secs_f64(f64::from(ms.max(0.0)) / 1e3))
    }

    /// What was recorded so far. Waits for what is queued.
    pub(super) fn recording(&self) -> Result<Recording, DeviceError> {
        self.card.bind()?;
        self.card.wait()?;
        let mut written = self.written();
        self.settle(&mut written);
        let (events, left_out) = (written.events.clone(), written.left_out);
        Ok(Recording { began: self.began, events, left_out })
    }
}

impl Drop for Tape {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let written = self.written.get_mut().unwrap_or_else(PoisonError::into_inner);
        let pending = written.pending.iter().flat_map(|(_, marks)| marks);
        for mark in pending.chain(&written.spare).chain([&self.first]) {
            // Nothing can be done if this fails.
            // SAFETY: the tape made every mark, and each stands in one place.
            let _ = unsafe { result::event::destroy(mark.0) };
        }
    }
}
