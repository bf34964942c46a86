//! Fetches a few words from the device sooner than a copy by the driver does.
//!
//! A kernel writes the words to memory of the host, and then a ticket, for which the host
//! watches. A copy is handed to another part of the device, and the driver hears of its end: on an
//! H200 that takes 4 to 7 µs more, after every superstep for whose counts the host waits.

use std::ffi::{CString, c_void};
use std::hint;
use std::ops::Range;
use std::slice;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use cudarc::driver::{result, sys};

use super::driver::failed;
use super::launch::{Function, Text};
use super::{Card, CudaMemory, CudaModule, Grid};
use crate::engine::gpu::DeviceError;

/// The kernel, which takes `from`, `mail`, `words`, `ticket`, `clear` and `cleared`.
const KERNEL: &str = include_str!("post.ptx");

/// Threads of its one block.
const THREADS: u32 = 256;

/// The most words that are posted; for more, copies are faster.
const WORDS: usize = 1024;

/// How long the host watches for a ticket. Then it lets the driver wait, which costs a few
/// microseconds that no longer matter, and finds out whether the device has failed.
const WATCH: Duration = Duration::from_millis(1);

/// Posts words from one device to the host.
#[derive(Debug)]
pub(super) struct Post {
    card: Arc<Card>,
    function: Function,
    /// Keeps the function loaded.
    _module: CudaModule,
    mail: Mutex<Mail>,
}

/// Memory of the host for a ticket and [`WORDS`] words, to which the device can write.
#[derive(Debug)]
struct Mail {
    address: *mut AtomicU32,
    /// The address that the device uses.
    on_device: sys::CUdeviceptr,
    /// The last ticket that was asked for.
    ticket: u32,
}

// SAFETY: the memory belongs to one `Post`, and page-locked memory is not tied to a thread.
unsafe impl Send for Mail {}

// SAFETY: as `Card`; the mail is behind a lock.
unsafe impl Send for Post {}
// SAFETY: as above.
unsafe impl Sync for Post {}

/// Words to fetch, and words to set to 0 afterwards, of one allocation.
#[derive(Debug)]
pub(super) struct Words<'a> {
    _memory: &'a CudaMemory,
    from: sys::CUdeviceptr,
    count: u32,
    clear: sys::CUdeviceptr,
    cleared: u32,
}

impl<'a> Words<'a> {
    /// These bytes, if they are whole words and few enough.
    ///
    /// # Panics
    /// If the allocation has fewer bytes.
    pub(super) fn of(memory: &'a CudaMemory, read: Range<u64>, zero: Range<u64>) -> Option<Self> {
        assert!(read.end.max(zero.end) <= memory.bytes);
        let (count, cleared) = (words(&read)?, words(&zero)?);
        let (from, clear) = (memory.address + read.start, memory.address + zero.start);
        Some(Self { _memory: memory, from, count, clear, cleared })
    }
}

/// The number of words in these bytes of an allocation, if they are whole and few enough.
fn words(bytes: &Range<u64>) -> Option<u32> {
    const WORD: u64 = size_of::<u32>() as u64;
    let count = bytes.end.checked_sub(bytes.start)? / WORD;
    let whole = bytes.start.is_multiple_of(WORD) && bytes.end.is_multiple_of(WORD);
    (whole && count <= WORDS as u64).then_some(count as u32)
}

impl Mail {
    /// Allocates the memory. The ticket in it is 0, and the first fetch asks for ticket 1. The
    /// context must be current.
    fn new() -> Result<Self, DeviceError> {
        let bytes = (1 + WORDS) * size_of::<AtomicU32>();
        // SAFETY: allocation has no preconditions but a current context; `Post` frees the memory.
        let address = unsafe { result::malloc_host(bytes, sys::CU_MEMHOSTALLOC_DEVICEMAP) };
        let address = address.map_err(|e| failed("cuMemHostAlloc", e))?;
        // SAFETY: the memory is ours, has this many bytes, and is aligned to pages.
        unsafe { address.cast::<u8>().write_bytes(0, bytes) };
        let mut on_device = 0;
        // SAFETY: the memory was allocated for the device to write to.
        let code = unsafe { sys::cuMemHostGetDevicePointer_v2(&raw mut on_device, address, 0) };
        if let Err(e) = code.result() {
            // SAFETY: the memory was just allocated, and nothing else has its address.
            let _ = unsafe { result::free_host(address) };
            return Err(failed("cuMemHostGetDevicePointer", e));
        }
        Ok(Self { address: address.cast(), on_device, ticket: 0 })
    }

    /// The ticket and the words.
    fn parts(&self) -> (&AtomicU32, &[AtomicU32]) {
        // SAFETY: the memory has room for all, was set to 0, and is freed only with the `Post`
        // that has this mail. Kernels write it by word, as another thread would.
        let all = unsafe { slice::from_raw_parts(self.address, 1 + WORDS) };
        (&all[0], &all[1..])
    }
}

impl Post {
    /// Loads the kernel. The context must be current.
    pub(super) fn new(card: &Arc<Card>) -> Result<Self, DeviceError> {
        let Text { ptx, waits } = Text::new(KERNEL.to_owned(), card.capability);
        // The text has no zero byte, since `post.ptx` has none.
        let text = CString::new(ptx).unwrap_or_default();
        let mut module = std::ptr::null_mut();
        // SAFETY: the text ends with a zero byte, and there are no options.
        let code = unsafe {
            let none = std::ptr::null_mut();
            sys::cuModuleLoadDataEx(&raw mut module, text.as_ptr().cast(), 0, none, none.cast())
        };
        code.result().map_err(|e| failed("cuModuleLoadDataEx", e))?;
        let module = CudaModule { card: Arc::clone(card), module };
        // SAFETY: the module is loaded, and this value keeps it.
        let handle = unsafe { result::module::get_function(module.module, c"post".to_owned()) };
        let handle = handle.map_err(|e| failed("cuModuleGetFunction", e))?;
        let function = Function { handle, waits };
        let mail = Mutex::new(Mail::new()?);
        Ok(Self { card: Arc::clone(card), function, _module: module, mail })
    }

    /// Waits for all queued work, copies these words to `bytes`, which has room for them, and
    /// queues setting the others to 0. The context must be current.
    pub(super) fn fetch(&self, words: &Words<'_>, bytes: &mut [u8]) -> Result<(), DeviceError> {
        assert_eq!(bytes.len(), words.count as usize * size_of::<u32>());
        let mut mail = self.mail.lock().unwrap_or_else(PoisonError::into_inner);
        mail.ticket = mail.ticket.wrapping_add(1);
        let ticket = mail.ticket;
        let mut parameters = [
            (&raw const words.from).cast_mut().cast::<c_void>(),
            (&raw const mail.on_device).cast_mut().cast(),
            (&raw const words.count).cast_mut().cast(),
            (&raw const ticket).cast_mut().cast(),
            (&raw const words.clear).cast_mut().cast(),
            (&raw const words.cleared).cast_mut().cast(),
        ];
        let grid = Grid { blocks: 1, threads: THREADS, shared: 0, together: false };
        // SAFETY: these are the parameters of the kernel. `Words::of` has checked that the words
        // are in an allocation, which is freed in the order of the queue. The mail has room for
        // them. No other thread uses it while it is locked, and it is not freed before the device
        // is done.
        unsafe { self.function.launch(self.card.stream, grid, &mut parameters)? };
        let (arrived, came) = mail.parts();
        if !watch(|| arrived.load(Ordering::Acquire) == ticket) {
            self.card.wait()?;
            if arrived.load(Ordering::Acquire) != ticket {
                let reason = "it ended, and the words did not arrive".into();
                return Err(DeviceError::Call { call: "a copy of a few words", reason });
            }
        }
        for (to, word) in bytes.chunks_exact_mut(size_of::<u32>()).zip(came) {
            to.copy_from_slice(&word.load(Ordering::Relaxed).to_ne_bytes());
        }
        Ok(())
    }
}

impl Drop for Post {
    fn drop(&mut self) {
        let _ = self.card.bind();
        let _ = self.card.wait();
        let mail = self.mail.get_mut().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the mail allocated it, and after the wait no kernel writes to it.
        let _ = unsafe { result::free_host(mail.address.cast()) };
    }
}

/// Whether this was seen within [`WATCH`].
fn watch(seen: impl Fn() -> bool) -> bool {
    /// A look at the clock takes as long as a few looks at the mail.
    const LOOKS: u32 = 64;
    let began = Instant::now();
    while began.elapsed() < WATCH {
        for _ in 0..LOOKS {
            if seen() {
                return true;
            }
            hint::spin_loop();
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_few_whole_words_are_posted() {
        assert_eq!((words(&(8..4104)), words(&(4..4))), (Some(1024), Some(0)));
        for bytes in [2..6, 4..6, 0..4100] {
            assert_eq!(words(&bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn what_does_not_come_is_watched_for_only_so_long() {
        assert!(watch(|| true));
        assert!(!watch(|| false));
    }
}
