//! Entry points: one line per program.

/// Makes the entry points of a program: `NAME__KERNEL` for every kernel of
/// [`superstep`](crate::superstep) that the program can use.
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
        $crate::entries! {
            $name, $crate::core::device::Arguments<$program>, superstep, <$program>:
            init, pull, pull_hot, pull_heavy, bin_apart, bin_send, bin_pull, push, arrive, resident, near_far, send, read, sort_lists,
            read_chunks, read_heavy, segments, segment_vertices, reduce, close
        }
    };
}

/// Makes the entry points that no program owns, `graph__KERNEL`, and whatever else a device
/// crate needs. Used once per device crate.
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

/// The entry points that no program owns.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_entries {
    () => {
        $crate::entry_group! { graph:
            prepare::count: prepare::Count,
            prepare::degrees: prepare::Degrees,
            prepare::extremes: prepare::Extremes,
            prepare::assign_region: prepare::AssignRegion,
            prepare::find_region: prepare::AssignRegion,
            prepare::order: prepare::Order,
            prepare::digit_counts: prepare::Digits,
            prepare::digit_places: prepare::Digits,
            prepare::region_counts: prepare::Digits,
            prepare::region_places: prepare::Digits,
            prepare::identity: prepare::Identity,
            prepare::permute: prepare::Permute,
            prepare::restore: prepare::Restore,
            prepare::scan_sums: prepare::Scan,
            prepare::scan_tops: prepare::Scan,
            prepare::scan_places: prepare::Scan,
            prepare::group_rows: prepare::GroupRows,
            prepare::place_edges: prepare::PlaceEdges,
            prepare::place_rows: prepare::PlaceEdges,
            prepare::place_columns: prepare::PlaceColumns,
            prepare::move_rows: prepare::MoveRows,
            prepare::bin_split: prepare::BinEdges,
            prepare::bin_count: prepare::BinEdges,
            prepare::bin_place: prepare::BinEdges,
            prepare::frontier: prepare::FindFrontier,
            prepare::vote: prepare::TakeFrontier,
            solve::plant: components::Forest,
            solve::flatten: components::Forest,
            solve::join_two: components::Forest,
            solve::frequent: components::Forest,
            solve::join_rest: components::Forest,
            solve::join_pieces: components::Forest,
        }
    };
}

#[cfg(target_arch = "nvptx64")]
#[macro_export]
#[doc(hidden)]
macro_rules! entries {
    ($name:ident, $arguments:ty, $group:ident, <$program:ty>: $($kernel:ident),+) => {
        #[allow(non_snake_case)]
        mod $name {
            use super::*;
            $(
                #[unsafe(export_name = concat!(stringify!($name), "__", stringify!($kernel)))]
                unsafe extern "ptx-kernel" fn $kernel(arguments: $arguments) {
                    unsafe { $crate::$group::$kernel::<$program>(&arguments) }
                }
            )+
        }
    };
}

#[cfg(target_arch = "nvptx64")]
#[macro_export]
#[doc(hidden)]
macro_rules! entry_group {
    ($name:ident: $($group:ident::$kernel:ident: $module:ident::$arguments:ident,)+) => {
        mod $name {
            $(
                #[unsafe(export_name = concat!(stringify!($name), "__", stringify!($kernel)))]
                unsafe extern "ptx-kernel" fn $kernel(
                    arguments: $crate::core::device::$module::$arguments,
                ) {
                    unsafe { $crate::$group::$kernel(&arguments) }
                }
            )+
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
#[doc(hidden)]
macro_rules! entries {
    ($name:ident, $arguments:ty, $group:ident, <$program:ty>: $($kernel:ident),+) => {
        #[allow(missing_docs, reason = "documented by the macro")]
        pub mod $name {
            use super::*;
            /// The program's kernels, for the emulator.
            pub static KERNELS: $crate::host::Kernels = $crate::host::Kernels(&[$(
                (concat!(stringify!($name), "__", stringify!($kernel)), |arguments| {
                    // SAFETY: I1: the engine passes the address of such a block.
                    unsafe {
                        let arguments = &*arguments.cast::<$arguments>();
                        $crate::$group::$kernel::<$program>(arguments)
                    }
                })
            ),+]);
        }
    };
}

#[cfg(not(target_arch = "nvptx64"))]
#[macro_export]
#[doc(hidden)]
macro_rules! entry_group {
    ($name:ident: $($group:ident::$kernel:ident: $module:ident::$arguments:ident,)+) => {
        /// The kernels that no program owns.
        pub mod $name {
            /// The kernels, for the emulator.
            pub static KERNELS: $crate::host::Kernels = $crate::host::Kernels(&[$(
                (concat!(stringify!($name), "__", stringify!($kernel)), |arguments| {
                    // SAFETY: I1: the engine passes the address of such a block.
                    unsafe {
                        let arguments = &*arguments.cast::<$crate::core::device::$module::$arguments>();
                        $crate::$group::$kernel(arguments)
                    }
                })
            ),+]);
        }
    };
}
