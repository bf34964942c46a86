//! Copies between host and device.

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::driver::result;
use cudarc::driver::sys;
use rayon::prelude::*;

use super::driver::failed;
use super::{Card, CudaMemory};
use crate::engine::gpu::DeviceError;

/// Bytes of a part of a large copy.
const PART: usize = 16 << 20;

/// Copies of at most so many bytes go directly.
const SMALL: usize = 1 << 20;

/// What every superstep reads back fits this.
const TINY: usize = 4096;

/// The ways between host and device.
#[derive(Debug)]
pub(super) struct Copies {
    card: Arc<Card>,
    /// For copies of more than [`SMALL`] bytes.
    parts: Mutex<Staging>,
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

// SAFETY: the memory is reached through the mutex around `Staging` only.
unsafe impl Send for Pinned {}

impl Staging {
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

/// Copies with all cores.
fn copy(from: &[u8], to: &mut [u8]) {
    const EACH: usize = 1 << 20;
    let pairs = to.par_chunks_mut(EACH).zip(from.par_chunks(EACH));
    pairs.for_each(|(to, from)| to.copy_from_slice(from));
}

impl Copies {
    pub(super) fn new(card: &Arc<Card>) -> Self {
        let staging =
            |part| Mutex::new(Staging { card: Arc::clone(card), part, buffers: Vec::new() });
        Self { card: Arc::clone(card), parts: staging(PART), scratch: staging(TINY) }
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
        let mut staging = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let buffers = staging.buffers()?;
        for (i, part) in bytes.chunks(PART).enumerate() {
            let buffer = &buffers[i % 2];
            // SAFETY: the buffer has `PART` bytes and, after the event, no
            // copy uses it; the target lies within the allocation.
            unsafe {
                result::event::synchronize(buffer.copied)
                    .map_err(|e| failed("cuEventSynchronize", e))?;
                let room = std::slice::from_raw_parts_mut(buffer.address, part.len());
                copy(part, room);
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
            return self.read_parts(from, bytes);
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
        // SAFETY: the buffer has `TINY` bytes, nobody else uses it while it is
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

    fn read_parts(&self, from: sys::CUdeviceptr, bytes: &mut [u8]) -> Result<(), DeviceError> {
        let stream = self.card.stream;
        let mut staging = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
        let buffers = staging.buffers()?;
        // SAFETY: the buffers have `PART` bytes each; a part is copied out once
        // its event has passed, and only then used again; as for the sources,
        // see `read`.
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
            }
        }
        Ok(())
    }
}
