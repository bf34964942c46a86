//! Entry points: one line per program.

/// Makes the entry points of a program: `NAME__KERNEL` for every kernel that the
/// [table](pregel_core::device::kernels) has for programs.
///
/// On a device they are PTX entries. On the host they become `NAME::KERNELS`, for
/// the emulator.
///
/// ```text
/// pregel_gpu_kernels::export!(bfs: my_crate::Bfs);
/// ```
#[macro_export]
macro_rules! export {
    ($name:ident: $program:ty) => {
        #[doc = concat!("The kernels of `", stringify!($name), "`.")]
        #[allow(non_snake_case)]
        pub mod $name {
            use super::*;
            use $crate::core::device::superstep;

            type P = $program;

            /// The number by which the host knows the program; `pregel-build` reads it.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = concat!(stringify!($name), "__contract"))]
            static CONTRACT: u64 = $crate::core::device::contract::<P>();

            $crate::core::program_kernels!($crate::entries, (program, $name));
        }
    };
}

/// Makes the entry points that belong to no program, `graph__KERNEL`, and what a
/// device crate needs besides. Once in a device crate.
#[macro_export]
macro_rules! runtime {
    () => {
        #[cfg(target_arch = "nvptx64")]
        #[panic_handler]
        fn panic(_: &::core::panic::PanicInfo<'_>) -> ! {
            ::core::intrinsics::abort()
        }

        $crate::graph_entries!();
    };
}

/// The entry points that belong to no program.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_entries {
    () => {
        /// The kernels that belong to no program.
        pub mod graph {
            use $crate::core::device::{prepare, solve};

            /// The number by which the host knows these kernels; `pregel-build` reads it.
            #[cfg(target_arch = "nvptx64")]
            #[unsafe(export_name = "graph__contract")]
            static CONTRACT: u64 = $crate::core::device::tools_contract();

            $crate::core::tool_kernels!($crate::entries, (tools, graph));
        }
    };
}

/// A PTX entry for each row of the table.
#[cfg(target_arch = "nvptx64")]
#[macro_export]
#[doc(hidden)]
macro_rules! entries {
    (($owner:ident, $name:ident) $($entry:ident: $kernel:ident, $block:ty,
        $threads:literal, $blocks:literal, $blocks_f64:literal, $barriers:literal, [$($set:ident),+];)+
    ) => {
        $(
            #[unsafe(export_name = concat!(stringify!($name), "__", stringify!($entry)))]
            unsafe extern "ptx-kernel" fn $entry(arguments: $block) {
                unsafe { $crate::call!($owner, $entry, &arguments) }
            }
        )+
    };
}

/// An entry of the emulator for each row of the table.
#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
#[doc(hidden)]
macro_rules! entries {
    (($owner:ident, $name:ident) $($entry:ident: $kernel:ident, $block:ty,
        $threads:literal, $blocks:literal, $blocks_f64:literal, $barriers:literal, [$($set:ident),+];)+
    ) => {
        /// The kernels, for the emulator.
        pub static KERNELS: $crate::host::Kernels = $crate::host::Kernels {
            entries: &[$(
                (concat!(stringify!($name), "__", stringify!($entry)), |arguments| {
                    // SAFETY: the engine gives the address of such a block.
                    unsafe { $crate::call!($owner, $entry, &*arguments.cast::<$block>()) }
                })
            ),+],
            contract: $crate::contract!($owner),
        };
    };
}

/// The contract of the program `P`, or of the kernels that belong to no program.
#[macro_export]
#[doc(hidden)]
macro_rules! contract {
    (program) => {
        $crate::core::device::contract::<P>()
    };
    (tools) => {
        $crate::core::device::tools_contract()
    };
}

/// Calls a kernel: one of the program `P`, or one that belongs to no program.
#[macro_export]
#[doc(hidden)]
macro_rules! call {
    (program, $entry:ident, $arguments:expr) => {
        $crate::superstep::$entry::<P>($arguments)
    };
    (tools, $entry:ident, $arguments:expr) => {
        $crate::tools::$entry($arguments)
    };
}
