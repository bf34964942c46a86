//! Copies between host and device, large ones in parts through page-locked memory.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result;
use cudarc::driver::sys;
use rayon::prelude::*;

use super::driver::failed;
use super::post::{Post, Words};
use super::{Card, CudaMemory};
use crate::engine::gpu::DeviceError;

/// Bytes in a part of a large copy.
const PART: usize = 16 << 20;

/// Copies of at most this many bytes do not go through page-locked memory.
const SMALL: usize = 1 << 20;

/// The most idle buffers to keep for large copies. Usually there is one copy at a time.
const KEPT: usize = 2;

/// Copies between the host and one device.
#[derive(Debug)]
pub(super) struct Copies {
    card: Arc<Card>,
    /// The buffers for copies of more than [`SMALL`] bytes that no copy is using.
    ///
    /// A large copy takes its buffers out instead of holding the lock. All cores fill them,
    /// and while a rayon thread waits for the others it may run any other task, such as
    /// another large copy. That copy would wait for a lock that its own thread holds.
    idle: Mutex<Vec<Staging>>,
    /// For what is read after every superstep.
    post: Post,
}

/// Page-locked memory for large copies: one buffer is copied while the other is filled.
#[derive(Debug)]
struct Staging {
    card: Arc<Card>,
    buffers: Vec<Pinned>,
}

/// A page-locked buffer of [`PART`] bytes.
#[derive(Debug)]
struct Pinned {
    address: *mut u8,
    /// Recorded after the last copy that used it.
    copied: sys::CUevent,
}

// SAFETY: the memory belongs to one `Staging`, and is only accessed through a mutable
// borrow or a lock of it. Page-locked memory and events are not tied to a thread.
unsafe impl Send for Pinned {}

impl Staging {
    fn new(card: &Arc<Card>) -> Self {
        Self { card: Arc::clone(card), buffers: Vec::new() }
    }

    fn buffers(&mut self) -> Result<&[Pinned], DeviceError> {
        while self.buffers.len() < 2 {
            // SAFETY: allocation has no preconditions but a current context, which `bind`
            // set in all callers; the memory is freed on drop.
            let address = unsafe { result::malloc_host(PART, 0) };
            let address = address.map_err(|e| failed("cuMemHostAlloc", e))?.cast::<u8>();
            let copied = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
            let copied = copied.map_err(|e| {
                // SAFETY: the memory was just allocated, and nothing else has its address.
                let _ = unsafe { result::free_host(address.cast()) };
                failed("cuEventCreate", e)
            })?;
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
            // SAFETY: `buffers` made both, and after the wait no copy uses them.
            unsafe {
                let _ = result::free_host(buffer.address.cast());
                let _ = result::event::destroy(buffer.copied);
            }
        }
    }
}

/// Copies with all cores. Meanwhile this thread may run other tasks, which can make the
/// context of another device current.
fn copy(from: &[u8], to: &mut [u8]) {
    const EACH: usize = 1 << 20;
    let pairs = to.par_chunks_mut(EACH).zip(from.par_chunks(EACH));
    pairs.for_each(|(to, from)| to.copy_from_slice(from));
}

impl Copies {
    /// The context must be current.
    pub(super) fn new(card: &Arc<Card>) -> Result<Self, DeviceError> {
        Ok(Self { card: Arc::clone(card), idle: Mutex::default(), post: Post::new(card)? })
    }

    /// Runs a large copy with buffers of its own. They are kept for the next copy, unless
    /// this one fails: then they are freed once the device is done with them.
    fn with_parts<R>(
        &self,
        large_copy: impl FnOnce(&mut Staging) -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut staging = idle.unwrap_or_else(|| Staging::new(&self.card));
        let copied = large_copy(&mut staging)?;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < KEPT {
            idle.push(staging);
        }
        Ok(copied)
    }

    /// Copies to the start of `memory`.
    pub(super) fn write(&self, memory: &CudaMemory, bytes: &[u8]) -> Result<(), DeviceError> {
        assert!(bytes.len() as u64 <= memory.bytes);
        self.card.bind()?;
        let stream = self.card.stream;
        if bytes.len() <= SMALL {
            // SAFETY: as asserted, the allocation has room. The driver copies memory that is
            // not page-locked before the call returns, so the bytes may be reused then.
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
            // SAFETY: the buffer has `PART` bytes and belongs to this copy alone; after the
            // event the device no longer reads it; `write` has asserted that the target
            // lies within the allocation.
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

    /// Waits for all queued work, and copies from `memory`, beginning at byte `start`.
    pub(super) fn read(
        &self,
        memory: &CudaMemory,
        start: u64,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let end = start + bytes.len() as u64;
        assert!(end <= memory.bytes);
        self.card.bind()?;
        let from = memory.address + start;
        if let Some(words) = Words::of(memory, start..end, 0..0) {
            return self.post.fetch(&words, bytes);
        }
        if bytes.len() > SMALL {
            return self.with_parts(|staging| self.read_parts(staging.buffers()?, from, bytes));
        }
        // SAFETY: as asserted, the source lies within the allocation; the driver has copied
        // by the time `wait` returns, before the borrow of `bytes` ends.
        unsafe { result::memcpy_dtoh_async(bytes, from, self.card.stream) }
            .map_err(|e| failed("cuMemcpyDtoHAsync", e))?;
        self.card.wait()
    }

    /// Waits for all queued work, copies these words, and queues setting others to 0.
    pub(super) fn take(&self, words: &Words<'_>, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.card.bind()?;
        self.post.fetch(words, bytes)
    }

    fn read_parts(
        &self,
        buffers: &[Pinned],
        from: sys::CUdeviceptr,
        bytes: &mut [u8],
    ) -> Result<(), DeviceError> {
        let stream = self.card.stream;
        // SAFETY: the buffers have `PART` bytes each and belong to this copy alone. A part
        // is copied out after its event, and the buffer is used again only after that.
        // `read` has asserted that the source lies within its allocation.
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
