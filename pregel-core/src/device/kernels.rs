//! The table of kernels: everything that the host and the device agree on about each.
//!
//! A line of the table gives the entry's name, its type on the host, its argument block,
//! how it is launched, how many block barriers its source has, and which sets it belongs
//! to. Everything else is derived from it:
//!
//! | What | Where |
//! |---|---|
//! | entry points, on the device and in the emulator | `export!`, `runtime!` of `pregel-gpu-kernels` |
//! | launch bounds, and the check that the compiler duplicated no barrier | `pregel-build` |
//! | what a run loads before it begins | [`Set`] |
//! | the argument block that a launch must pass | [`Kernel`] |
//!
//! The columns are
//!
//! * *threads*: the block size of every launch;
//! * *blocks*: how many blocks should fit on a multiprocessor at once, 0 to leave it to
//!   the assembler. A large number saves registers; a small one allows more outstanding
//!   reads;
//! * *f64*: the same for programs that calculate in `f64`, 0 if the number is the same;
//! * *barriers*: the most in the source. A kernel without an aggregate has fewer. More in
//!   the PTX are an error: an optimisation has copied one into a branch;
//! * *sets*: the sets of kernels that it belongs to.

use super::{prepare, solve, superstep};
use crate::program::Program;

/// Kernels that are loaded together, because a run that launches one of them is likely
/// to launch all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "named after what they are for")]
pub enum Set {
    // Of a program.
    Init,
    Aggregate,
    /// What every pull needs.
    Pull,
    PlainPull,
    EvenPull,
    HotPull,
    Push,
    Resident,
    Rounds,
    RoundsAhead,
    /// Rounds in which millions of vertices may change.
    RoundsBulk,
    Mailbox,
    Lists,
    SortedLists,
    Medusa,
    // Of a program, and of the preparation.
    Bins,
    Exchange,
    RestPull,
    /// Hub messages beside any of these three.
    Apart,
    PackedPull,
    // Of the preparation.
    Results,
    Unsorted,
    ApproximateSort,
    RegionSort,
    LinearSort,
    ExactSort,
    Degrees,
    OtherDegrees,
    Sums,
    Columns,
    ColumnsByReceiver,
    BufferByReceiver,
    BySender,
    RowsToPush,
    // Of solvers.
    Components,
    Queues,
    Triangles,
    PathsF32,
    PathsI32,
    PathsBetweenF32,
    PathsBetweenI32,
    SquareF32,
    SquareI32,
}

/// What the table says about a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The name after the program's: `pull` for the entry `bfs__pull`.
    pub name: &'static str,
    /// Threads per block.
    pub threads: u32,
    /// Blocks that should fit on a multiprocessor at once; 0 if any number will do, and the assembler
    /// may save registers so that more fit.
    pub blocks: u32,
    /// The same if the kernel multiplies or divides in `f64`; 0 if the number is the same.
    pub blocks_f64: u32,
    /// The most block barriers in the source.
    pub barriers: u32,
    /// The sets that it belongs to.
    pub sets: &'static [Set],
}

/// A kernel of `O`'s image as a type, so that a launch cannot pass the wrong arguments.
pub trait Kernel<O: ?Sized>: Copy {
    /// The argument block that it takes.
    type Arguments: Copy;
    /// Its line of the table.
    const FACTS: &'static Facts;
}

/// Something that has kernels of its own: a vertex program, or [`Tools`].
pub trait Owner: 'static {
    /// Its lines of the table.
    const KERNELS: &'static [Facts];
}

/// The owner of the kernels that belong to no program.
#[derive(Clone, Copy, Debug)]
pub enum Tools {}

impl<P: Program> Owner for P {
    const KERNELS: &'static [Facts] = program::TABLE;
}

impl Owner for Tools {
    const KERNELS: &'static [Facts] = tools::TABLE;
}

/// The kernels of a vertex program: calls `$then!` with `$context`, followed by the lines
/// of the table.
#[doc(hidden)]
#[macro_export]
macro_rules! program_kernels {
    ($then:path, $context:tt) => {
        $then! { $context
        //  entry                              argument block        threads blocks f64 barriers  sets
            init: Init,                        superstep::Run<P>,                  256,  0,    0,  1, [Init];
            reduce: Reduce,                    superstep::Run<P>,                  256,  0,    0,  1, [Aggregate];
            pull: Pull,                        superstep::PullArguments<P>,        256,  5,    4,  3, [PlainPull, Bins, Exchange, RestPull];
            pull_even: PullEven,               superstep::PullArguments<P>,        256,  5,    4,  1, [EvenPull];
            pull_packed: PullPacked,           superstep::PullArguments<P>,        256,  5,    4,  3, [PackedPull];
            pull_hot: PullHot,                 superstep::HotArguments<P>,        1024,  0,    0,  2, [HotPull];
            pull_heavy: PullHeavy,             superstep::PullArguments<P>,        256,  4,    0,  1, [Pull];
            close: Close,                      superstep::PullArguments<P>,        256,  0,    0,  1, [Pull];
            bin_apart: BinApart,               superstep::BinArguments<P>,        1024,  1,    0,  2, [Apart];
            bin_send: BinSend,                 superstep::BinArguments<P>,        1024,  0,    0,  2, [Bins];
            bin_pull: BinPull,                 superstep::BinArguments<P>,         512,  2,    0,  4, [Bins];
            bin_exchange: BinExchange,         superstep::BinArguments<P>,         768,  1,    0,  6, [Exchange];
            pull_rest: PullRest,               superstep::BinArguments<P>,         256,  5,    4,  2, [RestPull];
            push: Push,                        superstep::PushArguments<P>,        256,  0,    0,  0, [Push];
            arrive: Arrive,                    superstep::PushArguments<P>,        256,  0,    0,  1, [Push];
            resident: Resident,                superstep::ResidentArguments<P>,    256,  2,    0,  6, [Resident];
            near_far: NearFar,                 superstep::ResidentArguments<P>,    256,  4,    0,  7, [Rounds];
            near_ahead: NearAhead,             superstep::ResidentArguments<P>,    256,  2,    0,  7, [RoundsAhead];
            near_bulk: NearBulk,               superstep::ResidentArguments<P>,    256,  4,    0,  7, [RoundsBulk];
            send: Send,                        superstep::MailboxArguments<P>,     256,  0,    0,  0, [Mailbox, Lists, Medusa];
            sort_lists: SortLists,             superstep::MailboxArguments<P>,     256,  0,    0,  9, [SortedLists];
            read_chunks: ReadChunks,           superstep::MailboxArguments<P>,     256,  0,    0,  0, [Mailbox];
            read_heavy: ReadHeavy,             superstep::MailboxArguments<P>,     256,  4,    0,  1, [Mailbox];
            read: Read,                        superstep::MailboxArguments<P>,     256,  0,    0,  1, [Mailbox, Lists];
            segments: Segments,                superstep::MedusaArguments<P>,      256,  0,    0,  0, [Medusa];
            segment_vertices: SegmentVertices, superstep::MedusaArguments<P>,      256,  0,    0,  1, [Medusa];
        }
    };
}

/// The kernels that belong to no program; used like [`program_kernels!`].
#[doc(hidden)]
#[macro_export]
macro_rules! tool_kernels {
    ($then:path, $context:tt) => {
        $then! { $context
        //  entry                              argument block        threads blocks f64 barriers  sets
            restore: Restore,                  prepare::Restore,        256,  0,    0,  0, [Results];
            identity: Identity,                prepare::Identity,       256,  0,    0,  0, [Unsorted];
            count: Count,                      prepare::Count,          256,  0,    0,  0, [OtherDegrees];
            degrees: Degrees,                  prepare::Degrees,        256,  0,    0,  0, [Degrees];
            permute: Permute,                  prepare::Permute,        256,  0,    0,  0, [Degrees];
            extremes: Extremes,                prepare::Extremes,       256,  0,    0,  1, [ApproximateSort, LinearSort, ExactSort];
            assign_region: AssignRegion,       prepare::AssignRegion,   256,  0,    0,  0, [ApproximateSort];
            find_region: FindRegion,           prepare::AssignRegion,   256,  0,    0,  0, [LinearSort];
            order: Order,                      prepare::Order,          256,  0,    0,  0, [ApproximateSort];
            digit_counts: DigitCounts,         prepare::Digits,         256,  0,    0,  2, [LinearSort, ExactSort];
            digit_places: DigitPlaces,         prepare::Digits,         256,  0,    0,  3, [LinearSort, ExactSort];
            region_counts: RegionCounts,       prepare::Digits,         256,  0,    0,  2, [RegionSort];
            region_places: RegionPlaces,       prepare::Digits,         256,  0,    0,  3, [RegionSort];
            scan_sums: ScanSums,               prepare::Scan,           256,  0,    0,  2, [Sums];
            scan_tops: ScanTops,               prepare::Scan,           256,  0,    0,  2, [Sums];
            scan_places: ScanPlaces,           prepare::Scan,           256,  0,    0,  2, [Sums];
            group_rows: GroupRows,             prepare::GroupRows,      256,  0,    0,  0, [Columns];
            place_columns: PlaceColumns,       prepare::PlaceColumns,   256,  5,    0,  0, [ColumnsByReceiver];
            place_rows: PlaceRows,             prepare::PlaceEdges,     256,  0,    0,  0, [BufferByReceiver];
            place_edges: PlaceEdges,           prepare::PlaceEdges,     256,  0,    0,  0, [BySender];
            move_rows: MoveRows,               prepare::MoveRows,       256,  0,    0,  0, [RowsToPush];
            frontier: FindFrontier,            prepare::FindFrontier,   256,  0,    0,  0, [RowsToPush];
            vote: TakeFrontier,                prepare::TakeFrontier,   256,  0,    0,  0, [RowsToPush];
            pack_votes: PackVotes,             prepare::PackVotes,      256,  0,    0,  0, [PackedPull];
            bin_split: BinSplit,               prepare::BinEdges,       256,  0,    0,  0, [Bins, Exchange, RestPull];
            bin_count: BinCount,               prepare::BinEdges,       256,  0,    0,  2, [Bins, Exchange];
            bin_place: BinPlace,               prepare::BinEdges,       256,  0,    0,  2, [Bins, Exchange];
            rest_place: RestPlace,             prepare::BinEdges,       256,  0,    0,  0, [RestPull];
            plant: Plant,                      solve::Forest,           256,  0,    0,  0, [Components];
            flatten: Flatten,                  solve::Forest,           256,  0,    0,  0, [Components];
            join_two: JoinTwo,                 solve::Forest,           256,  0,    0,  0, [Components];
            frequent: Frequent,                solve::Forest,           256,  0,    0,  1, [Components];
            join_rest: JoinRest,               solve::Forest,           256,  0,    0,  0, [Components];
            join_pieces: JoinPieces,           solve::Forest,           256,  0,    0,  0, [Components];
            expand: Expand,                    solve::QueueSearch,      256,  0,    0,  4, [Queues];
            expand_hubs: ExpandHubs,           solve::QueueSearch,      256,  0,    0,  4, [Queues];
            triangles: Triangles,              solve::Corners,          256,  0,    0,  0, [Triangles];
            paths_close_f32: PathsCloseF32,    solve::Blocks,           256,  1,    0,  2, [PathsF32];
            paths_cross_f32: PathsCrossF32,    solve::Blocks,           256,  2,    0,  2, [PathsF32];
            paths_rest_f32: PathsRestF32,      solve::Blocks,           256,  2,    0,  2, [PathsF32];
            paths_between_close_f32: PathsBetweenCloseF32, solve::Blocks, 256,  1,    0,  2, [PathsBetweenF32];
            paths_between_cross_f32: PathsBetweenCrossF32, solve::Blocks, 256,  1,    0,  2, [PathsBetweenF32];
            paths_between_rest_f32: PathsBetweenRestF32, solve::Blocks,   256,  1,    0,  2, [PathsBetweenF32];
            paths_square_4_f32: PathsSquare4F32,      solve::Square,    16,  0,    0,  2, [SquareF32];
            paths_square_8_f32: PathsSquare8F32,      solve::Square,    64,  0,    0,  2, [SquareF32];
            paths_square_16_f32: PathsSquare16F32,    solve::Square,   256,  0,    0,  2, [SquareF32];
            paths_square_32_f32: PathsSquare32F32,    solve::Square,  1024,  0,    0,  2, [SquareF32];
            paths_close_i32: PathsCloseI32,    solve::Blocks,           256,  1,    0,  2, [PathsI32];
            paths_cross_i32: PathsCrossI32,    solve::Blocks,           256,  2,    0,  2, [PathsI32];
            paths_rest_i32: PathsRestI32,      solve::Blocks,           256,  2,    0,  2, [PathsI32];
            paths_between_close_i32: PathsBetweenCloseI32, solve::Blocks, 256,  1,    0,  2, [PathsBetweenI32];
            paths_between_cross_i32: PathsBetweenCrossI32, solve::Blocks, 256,  1,    0,  2, [PathsBetweenI32];
            paths_between_rest_i32: PathsBetweenRestI32, solve::Blocks,   256,  1,    0,  2, [PathsBetweenI32];
            paths_square_4_i32: PathsSquare4I32,      solve::Square,    16,  0,    0,  2, [SquareI32];
            paths_square_8_i32: PathsSquare8I32,      solve::Square,    64,  0,    0,  2, [SquareI32];
            paths_square_16_i32: PathsSquare16I32,    solve::Square,   256,  0,    0,  2, [SquareI32];
            paths_square_32_i32: PathsSquare32I32,    solve::Square,  1024,  0,    0,  2, [SquareI32];
        }
    };
}

macro_rules! kernel_types {
    (($owner:ident) $($entry:ident: $kernel:ident, $block:ty,
        $threads:literal, $blocks:literal, $blocks_f64:literal, $barriers:literal, [$($set:ident),+];)+
    ) => {
        /// Every kernel, as in the table.
        pub const TABLE: &[Facts] = &[$(Facts {
            name: stringify!($entry),
            threads: $threads,
            blocks: $blocks,
            blocks_f64: $blocks_f64,
            barriers: $barriers,
            sets: &[$(Set::$set),+],
        }),+];

        /// The lines of the table, by name.
        #[allow(non_camel_case_types)]
        enum Row { $($entry),+ }

        $(
            #[doc = concat!("The kernel `", stringify!($entry), "`.")]
            #[derive(Clone, Copy, Debug)]
            pub struct $kernel;

            kernel_of!($owner, $kernel, $block, &TABLE[Row::$entry as usize]);
        )+
    };
}

macro_rules! kernel_of {
    (program, $kernel:ident, $block:ty, $facts:expr) => {
        impl<P: Program> Kernel<P> for $kernel {
            type Arguments = $block;
            const FACTS: &'static Facts = $facts;
        }
    };
    (tools, $kernel:ident, $block:ty, $facts:expr) => {
        impl Kernel<Tools> for $kernel {
            type Arguments = $block;
            const FACTS: &'static Facts = $facts;
        }
    };
}

/// The kernels of a vertex program.
pub mod program {
    use super::{Facts, Kernel, Program, Set, superstep};

    program_kernels!(kernel_types, (program));
}

/// The kernels that belong to no program.
pub mod tools {
    use super::{Facts, Kernel, Set, Tools, prepare, solve};

    tool_kernels!(kernel_types, (tools));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{EXCHANGE_WARPS, MOST_RANGES, MOST_SHARES, WARP};

    #[test]
    fn names_are_unique_and_launches_fit() {
        for table in [program::TABLE, tools::TABLE] {
            for (i, kernel) in table.iter().enumerate() {
                assert!(table[..i].iter().all(|other| other.name != kernel.name));
                let is_exchange = kernel.name == "bin_exchange";
                assert!(kernel.threads.is_power_of_two() || is_exchange);
                assert!(kernel.threads <= 1024);
                assert!(!kernel.sets.is_empty());
            }
        }
        let exchange = <program::BinExchange as Kernel<Probe>>::FACTS;
        assert_eq!(exchange.threads, EXCHANGE_WARPS * WARP);
        assert!(MOST_SHARES <= exchange.threads && MOST_SHARES <= MOST_RANGES);
        assert_eq!(<program::PullHot as Kernel<Probe>>::FACTS.name, "pull_hot");
        assert_eq!(tools::Degrees::FACTS.name, "degrees");
    }

    use crate::program::{Edge, EdgeCompute, Min, Nothing};

    #[derive(Clone, Copy)]
    struct Probe;

    impl Program for Probe {
        type Input = ();
        type State = u32;
        type Signal = u32;
        type Edge = ();
        type Combiner = Min<u32>;
        type Aggregate = Nothing;
    }

    impl EdgeCompute for Probe {
        fn edge_compute(&self, signal: &u32, _: Edge<()>) -> Option<u32> {
            Some(*signal)
        }
    }
}
