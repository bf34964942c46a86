//! Copies between host and device.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result;
use cudarc::driver::sys;
use rayon::prelude::*;

use super::super::device::DeviceError;
use super::driver::failed;
use super::{Card, CudaMemory};

/// Bytes of a part of a large copy.
const PART: usize = 16 << 20;

/// Copies of at most this many bytes go directly.
const SMALL: usize = 1 << 20;

/// What every superstep reads back fits this.
const TINY: usize = 4096;

/// Idle buffers for large copies that are kept: one copy at a time is the rule.
const KEPT: usize = 2;

/// The ways between host and device.
#[derive(Debug)]
pub(super) struct Copies {
    card: Arc<Card>,
    /// For copies of more than [`SMALL`] bytes, those that no copy is using.
    ///
    /// A large copy keeps its buffers to itself rather than under the lock: all
    /// cores fill them, and a thread of rayon's that waits for the others takes
    /// up any task meanwhile, another large copy among them, which would wait
    /// for this lock, and so for itself.
    idle: Mutex<Vec<Staging>>,
    /// For copies of at most [`TINY`] bytes from the device.
    scratch: Mutex<Staging>,
}

/// Page-locked memory through which copies go, one part being copied while the
/// next is filled.
#[derive(Debug)]
struct Staging {
    card: Arc<Card>,
    /// Bytes of a buffer.
    part: usize,
    buffers: Vec<Pinned>,
}

/// One part.
#[derive(Debug)]
struct Pinned {
    address: *mut u8,
    /// The last copy that used it.
    copied: sys::CUevent,
}

// SAFETY: the memory belongs to the one `Staging` that has it, and is reached
// through a mutable borrow or a lock of that only.
unsafe impl Send for Pinned {}

impl Staging {
    fn new(card: &Arc<Card>, part: usize) -> Self {
        Self { card: Arc::clone(card), part, buffers: Vec::new() }
    }

    fn buffers(&mut self) -> Result<&[Pinned], DeviceError> {
        while self.buffers.len() < 2 {
            // SAFETY: allocates; freed on drop.
            let address = unsafe { result::malloc_host(self.part, 0) };
            let address = address.map_err(|e| failed("cuMemHostAlloc", e))?.cast::<u8>();
            let copied = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)
                .map_err(|e| failed("cuEventCreate", e))?;
            self.buffers.push(Pinned { address, copied });
        }
        Ok(&self.buffers)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let _ = self.card.wait();
        for buffer in &self.buffers {
            // SAFETY: made by `buffers`, and no copy uses them any more.
            unsafe {
                let _ = result::free_host(buffer.address.cast());
                let _ = result::event::destroy(buffer.copied);
            }
        }
    }
}

/// Copies with all cores. Whatever task this thread takes up meanwhile may make
/// another device's context current.
fn copy(from: &[u8], to: &mut [u8]) {
    const EACH: usize = 1 << 20;
    let pairs = to.par_chunks_mut(EACH).zip(from.par_chunks(EACH));
    pairs.for_each(|(to, from)| to.copy_from_slice(from));
}

impl Copies {
    pub(super) fn new(card: &Arc<Card>) -> Self {
        let scratch = Mutex::new(Staging::new(card, TINY));
        Self { card: Arc::clone(card), idle: Mutex::default(), scratch }
    }

    /// Runs a large copy with buffers of its own. They are kept for the next
    /// one, unless the copy fails: then they are freed once the device is done
    /// with them.
    fn with_parts<R>(
        &self,
        large_copy: impl FnOnce(&mut Staging) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut staging = idle.unwrap_or_else(|| Staging::new(&self.card, PART));
        let copied = large_copy(&mut staging)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(staging);
        }
        Ok(copied)
    }

    /// Copies to the beginning of `memory`.
    pub(super) fn write(&self, memory: &CudaMemory, bytes: &[u8]) -> Result<(), DeviceError> {
        assert!(bytes.len() as u64 <= memory.bytes);
        self.card.bind()?;
        let stream = self.card.stream;
        if bytes.len() <= SMALL {
            // SAFETY: the allocation has room; the bytes are not needed after
            // the call, since they are not page-locked.
            return unsafe { result::memcpy_htod_async(memory.address, bytes, stream) }
                .map_err(|e| failed("cuMemcpyHtoDAsync", e));
        }
        self.with_parts(|staging| self.write_parts(staging.buffers()?, memory, bytes))
    }

    fn write_parts(
        &self,
        buffers: &[Pinned],
        memory: &CudaMemory,
        bytes: &[u8],
    ) -> Result<(), DeviceError> {
        let stream = self.card.stream;
        for (i, part) in bytes.chunks(PART).enumerate() {
            let buffer = &buffers[i % 2];
            // SAFETY: the buffer has `PART` bytes and is this copy's own; after
            // the event the device does not read it any more; the target lies
            // within the allocation.
            unsafe {
                result::event::synchronize(buffer.copied)
                    .map_err(|e| failed("cuEventSynchronize", e))?;
                let room = std::slice::from_raw_parts_mut(buffer.address, part.len());
                copy(part, room);
                self.card.bind()?;
                let target = memory.address + (i * PART) as u64;
                result::memcpy_htod_async(target, room, stream)
                    .map_err(|e| failed("cuMemcpyHtoDAsync", e))?;
                result::event::record(buffer.copied, stream)
                    .map_err(|e| failed("cuEventRecord", e))?;
            }
        }
        Ok(())
    }

    /// Waits for all queued work, and copies from byte `start` of `memory` on.
    pub(super) fn read(
        &self,
        memory: &CudaMemory,
        start: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        assert!(start + bytes.len() as u64 <= memory.bytes);
        self.card.bind()?;
        let from = memory.address + start;
        if bytes.len() <= TINY {
            return self.read_tiny(from, bytes);
        }
        if bytes.len() > SMALL {
            return self.with_parts(|staging| self.read_parts(staging.buffers()?, from, bytes));
        }
        // SAFETY: the source lies within the allocation; we wait for the copy
        // before the borrow ends.
        unsafe { result::memcpy_dtoh_async(bytes, from, self.card.stream) }
            .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
        self.card.wait()
    }

    fn read_tiny(&self, from: sys::CUdeviceptr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let mut scratch = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let buffer = &scratch.buffers()?[0];
        // SAFETY: the buffer has `TINY` bytes, nothing else uses it while it is
        // locked, and the copy is done after the wait; as for the source, see
        // `read`.
        unsafe {
            let room = std::slice::from_raw_parts_mut(buffer.address, bytes.len());
            result::memcpy_dtoh_async(room, from, self.card.stream)
                .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
            self.card.wait()?;
            bytes.copy_from_slice(room);
        }
        Ok(())
    }

    fn read_parts(
        &self,
        buffers: &[Pinned],
        from: sys::CUdeviceptr,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let stream = self.card.stream;
        // SAFETY: the buffers have `PART` bytes each and are this copy's own; a
        // part is copied out once its event has passed, and only then used
        // again; as for the sources, see `read`.
        unsafe {
            let fetch = |i: usize, len: usize| {
                let room = std::slice::from_raw_parts_mut(buffers[i % 2].address, len);
                result::memcpy_dtoh_async(room, from + (i * PART) as u64, stream)
                    .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
                result::event::record(buffers[i % 2].copied, stream)
                    .map_err(|e| failed("cuEventRecord", e))
            };
            let lengths: Vec<usize> = bytes.chunks(PART).map(<[u8]>::len).collect();
            fetch(0, lengths[0])?;
            for (i, part) in bytes.chunks_mut(PART).enumerate() {
                if let Some(next) = lengths.get(i + 1) {
                    fetch(i + 1, *next)?;
                }
                let buffer = &buffers[i % 2];
                result::event::synchronize(buffer.copied)
                    .map_err(|e| failed("cuEventSynchronize", e))?;
                copy(std::slice::from_raw_parts(buffer.address, part.len()), part);
                self.card.bind()?;
            }
        }
        Ok(())
    }
}
