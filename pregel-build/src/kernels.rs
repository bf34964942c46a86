//! Facts about kernels that Rust has no attribute for: launch bounds and barriers.

/// Threads per block of kernels that are not in the table.
pub const DEFAULT_BLOCK: u32 = 256;

/// The kernels of `pregel-gpu-kernels` that differ from [`Kernel::new`].
///
/// Edit this list with the kernels: the engine must not launch more threads per block than
/// it says, and a new barrier in the source is one more here. A kernel of a program without
/// an aggregate has fewer barriers.
pub const KERNELS: &[Kernel] = &[
    Kernel::with_barriers("arrive", 1),
    Kernel { block: 1024, min_blocks: Some(1), ..Kernel::with_barriers("bin_apart", 2) },
    Kernel::with_barriers("bin_count", 2),
    Kernel::with_barriers("bin_place", 2),
    Kernel { block: 512, min_blocks: Some(2), ..Kernel::with_barriers("bin_pull", 4) },
    Kernel { block: 1024, ..Kernel::with_barriers("bin_send", 2) },
    Kernel::with_barriers("bin_split", 0),
    Kernel::with_barriers("close", 1),
    Kernel::with_barriers("digit_counts", 2),
    Kernel::with_barriers("digit_places", 3),
    Kernel::with_barriers("extremes", 1),
    Kernel::with_barriers("flatten", 0),
    Kernel::with_barriers("frequent", 1),
    Kernel::with_barriers("init", 1),
    Kernel::with_barriers("join_pieces", 0),
    Kernel::with_barriers("join_rest", 0),
    Kernel::with_barriers("join_two", 0),
    Kernel::with_barriers("near_far", 7),
    Kernel { min_blocks: Some(5), ..Kernel::with_barriers("place_columns", 0) },
    Kernel::with_barriers("plant", 0),
    Kernel { min_blocks: Some(5), min_blocks_f64: Some(4), ..Kernel::with_barriers("pull", 3) },
    Kernel { block: 1024, ..Kernel::with_barriers("pull_heavy", 2) },
    Kernel { block: 1024, ..Kernel::with_barriers("pull_hot", 2) },
    Kernel::with_barriers("push", 0),
    Kernel::with_barriers("read", 1),
    Kernel::with_barriers("read_chunks", 0),
    Kernel { block: 1024, ..Kernel::with_barriers("read_heavy", 2) },
    Kernel::with_barriers("reduce", 1),
    Kernel::with_barriers("region_counts", 2),
    Kernel::with_barriers("region_places", 3),
    Kernel::with_barriers("resident", 5),
    Kernel::with_barriers("scan_places", 2),
    Kernel::with_barriers("scan_sums", 2),
    Kernel::with_barriers("scan_tops", 2),
    Kernel::with_barriers("segment_vertices", 1),
    Kernel::with_barriers("segments", 0),
    Kernel::with_barriers("send", 0),
    Kernel::with_barriers("sort_lists", 7),
];

/// Launch bounds of one kernel, the same for every program.
///
/// ```
/// use pregel_build::Kernel;
///
/// let kernel = Kernel { block: 512, min_blocks: Some(2), ..Kernel::new("pull_block") };
/// assert_eq!(kernel.max_barriers, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name after the program's: `pull` for the entry `bfs__pull`.
    pub name: &'static str,
    /// The most threads per block that it is launched with (`.maxntid`).
    pub block: u32,
    /// Blocks that must fit a multiprocessor at the same time (`.minnctapersm`): many make
    /// the assembler save registers, few let it keep more reads under way.
    pub min_blocks: Option<u32>,
    /// The same where the kernel multiplies or divides in `f64`, if it differs: a value
    /// takes twice the registers, and a division some more.
    pub min_blocks_f64: Option<u32>,
    /// The most block barriers that the kernel has in its source. If given, more in the
    /// PTX are an error: an optimisation duplicated one into a branch.
    pub max_barriers: Option<u32>,
}

impl Kernel {
    /// A kernel with the default block size and nothing else known.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self {
            name,
            block: DEFAULT_BLOCK,
            min_blocks: None,
            min_blocks_f64: None,
            max_barriers: None,
        }
    }

    /// The blocks that must fit, for a kernel that does or does not
    /// [calculate](Self::min_blocks_f64) in `f64`.
    pub(crate) fn blocks(&self, in_f64: bool) -> Option<u32> {
        self.min_blocks_f64.filter(|_| in_f64).or(self.min_blocks)
    }

    /// As [`new`](Self::new), with this many barriers.
    const fn with_barriers(name: &'static str, barriers: u32) -> Self {
        Self { max_barriers: Some(barriers), ..Self::new(name) }
    }
}

/// The last kernel of this name in a list: later ones override earlier ones.
pub(crate) fn lookup<'a>(kernels: &'a [Kernel], name: &str) -> Option<&'a Kernel> {
    kernels.iter().rev().find(|kernel| kernel.name == name)
}
