//! Entry points: one line a program.

/// Makes the entry points of a program: `NAME__KERNEL` for every kernel of
/// [`kernel`](crate::kernel) that the program can use.
///
/// On a device they are PTX entries. On the host they become the constant
/// `NAME::KERNELS`, for the [`emulator`](crate::emulator).
///
/// ```text
/// pregel_gpu_kernels::export!(bfs: my_crate::Bfs);
/// ```
#[macro_export]
macro_rules! export {
    ($name:ident: $program:ty) => {
        $crate::entries! {
            $name, $crate::core::device::Arguments<$program>, kernel, <$program>:
            init, pull, pull_hot, pull_heavy, bin_apart, bin_send, bin_pull, push, arrive, resident, near_far, send, read, sort_lists,
            read_chunks, read_heavy, segments, segment_vertices, reduce, close
        }
    };
}

/// Makes the entry points that no program owns, `graph__KERNEL`, and what a
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

/// The entry points that no program owns.
#[macro_export]
#[doc(hidden)]
macro_rules! graph_entries {
    () => {
        $crate::entry_group! { graph:
            count: Count, degrees: Degrees, extremes: Extremes, assign_region: AssignRegion,
            find_region: AssignRegion,
            order: Order, digit_counts: Digits, digit_places: Digits, region_counts: Digits, region_places: Digits, identity: Identity, permute: Permute, restore: Restore,
            scan_sums: Scan, scan_tops: Scan, scan_places: Scan, group_rows: GroupRows,
            place_edges: PlaceEdges, place_rows: PlaceEdges, place_columns: PlaceColumns, move_rows: MoveRows,
            bin_split: BinEdges, bin_count: BinEdges, bin_place: BinEdges,
            frontier: FindFrontier, vote: TakeFrontier, plant: Forest, flatten: Forest,
            join_two: Forest, frequent: Forest, join_rest: Forest, join_pieces: Forest
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
    ($name:ident: $($kernel:ident: $arguments:ident),+) => {
        mod $name {
            $(
                #[unsafe(export_name = concat!(stringify!($name), "__", stringify!($kernel)))]
                unsafe extern "ptx-kernel" fn $kernel(
                    arguments: $crate::core::device::prepare::$arguments,
                ) {
                    unsafe { $crate::graph::$kernel(&arguments) }
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
        #[allow(missing_docs, reason = "the macro's documentation says it")]
        pub mod $name {
            use super::*;
            /// The program's kernels, for the emulator.
            pub static KERNELS: $crate::emulator::Kernels = $crate::emulator::Kernels(&[$(
                (concat!(stringify!($name), "__", stringify!($kernel)), |arguments| {
                    // SAFETY: the engine gives the address of such a block.
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
    ($name:ident: $($kernel:ident: $arguments:ident),+) => {
        /// Kernels that prepare a graph, for the emulator.
        pub static KERNELS: $crate::emulator::Kernels = $crate::emulator::Kernels(&[$(
            (concat!(stringify!($name), "__", stringify!($kernel)), |arguments| {
                // SAFETY: the engine gives the address of such a block.
                unsafe {
                    let arguments = &*arguments.cast::<$crate::core::device::prepare::$arguments>();
                    $crate::graph::$kernel(arguments)
                }
            })
        ),+]);
    };
}
