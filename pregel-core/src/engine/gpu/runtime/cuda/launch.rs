//! Launches, which on newer devices begin before the kernel in front of them has ended.
//!
//! Between two kernels of a queue a device is idle for a moment: only when the first has ended is
//! the second begun. From compute capability 9.0 on it may begin before, if it waits by itself
//! (*programmatic dependent launch*, CUDA Programming Guide). So each kernel
//! [begins with an instruction](device::waiting) that waits until the kernel before it has ended
//! and all that it wrote can be read. Since none goes on earlier than that, a queue is still worked
//! off in order.

use std::ffi::c_void;
use std::ptr;

use cudarc::driver::sys;

use super::driver::failed;
use super::{Capability, DeviceError, Grid};
use crate::device;

/// The oldest devices with the instruction.
const WAITING_DEVICE: Capability = Capability { major: 9, minor: 0 };

/// PTX for a device, and whether each of its kernels waits for the one before.
pub(super) struct Text {
    pub(super) ptx: String,
    pub(super) waits: bool,
}

impl Text {
    /// The kernels of `ptx`, which wait if the device can, and if the text is as `pregel-build`
    /// writes it.
    pub(super) fn new(ptx: String, capability: Capability) -> Self {
        let mut waiting = String::new();
        let waits =
            capability >= WAITING_DEVICE && device::waiting(&ptx, |part| waiting.push_str(part));
        Self { ptx: if waits { waiting } else { ptx }, waits }
    }
}

/// The function of a kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Function {
    pub(super) handle: sys::CUfunction,
    /// Whether it waits for the kernel before it.
    pub(super) waits: bool,
}

impl Function {
    /// Queues the kernel. The context must be current.
    ///
    /// # Safety
    /// The function is loaded, and stays so until the kernel has ended. `parameters` are the
    /// addresses of its parameters, and what these point to on the device is as the kernel
    /// needs it. The stream exists.
    pub(super) unsafe fn launch(
        self,
        stream: sys::CUstream,
        grid: Grid,
        parameters: &mut [*mut c_void],
    ) -> Result<(), DeviceError> {
        use sys::CUlaunchAttributeID as Id;
        let Grid { blocks, threads, shared, together } = grid;
        // SAFETY: numbers and pointers, all of which may be 0; as an id, 0 is `IGNORE`.
        let mut attribute: sys::CUlaunchAttribute = unsafe { std::mem::zeroed() };
        if together {
            attribute.id = Id::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
            attribute.value.cooperative = 1;
        } else {
            attribute.id = Id::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
            attribute.value.programmaticStreamSerializationAllowed = 1;
        }
        let config = sys::CUlaunchConfig {
            gridDimX: blocks,
            gridDimY: 1,
            gridDimZ: 1,
            blockDimX: threads,
            blockDimY: 1,
            blockDimZ: 1,
            sharedMemBytes: shared,
            hStream: stream,
            attrs: &raw mut attribute,
            numAttrs: u32::from(together || self.waits),
        };
        // SAFETY: the caller's promise. The driver copies parameters and attributes before it
        // returns.
        let code = unsafe {
            let parameters = parameters.as_mut_ptr();
            sys::cuLaunchKernelEx(&raw const config, self.handle, parameters, ptr::null_mut())
        };
        code.result().map_err(|e| failed("cuLaunchKernelEx", e))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_wait_where_they_can() {
        let ptx = ".version 7.8\n.target sm_80\n\n.visible .entry p__one()\n{\n\tret;\n}\n";
        let new = |ptx: &str, major| {
            let text = Text::new(ptx.to_owned(), Capability { major, minor: 0 });
            (text.ptx, text.waits)
        };
        for major in [9, 12] {
            let (text, waits) = new(ptx, major);
            assert!(waits && text.contains("\n.target sm_90\n"), "{text}");
        }
        assert_eq!(new(ptx, 8), (ptx.to_owned(), false));
        let other = ptx.replace("sm_80", "sm_75");
        assert_eq!(new(&other, 9), (other, false));
    }
}
