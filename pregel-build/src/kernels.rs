//! What is known of kernels beforehand, and PTX cannot say in Rust.

/// Threads a block of kernels that are not in the table.
pub const DEFAULT_BLOCK: u32 = 256;

/// The kernels of `pregel-gpu-kernels` that are not launched as the others are.
///
/// Edit this list with the kernels: the engine must launch no more threads a
/// block than it says, and a barrier more in the source is one more here. How
/// many a kernel has depends on the program: without an aggregate it has fewer.
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
    /// Largest number of threads a block it is launched with (`.maxntid`).
    pub block: u32,
    /// Blocks that shall fit on a multiprocessor at once (`.minnctapersm`): many make
    /// the assembler save registers, few allow it to have more reads under way.
    pub min_blocks: Option<u32>,
    /// The same where the kernel multiplies or divides in `f64`, if that is another
    /// number: twice the registers a value, and some more for a division.
    pub min_blocks_f64: Option<u32>,
    /// Block barriers that the kernel has in its source at most. If given, more
    /// in the PTX are an error: an optimisation copied one into a branch.
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

    /// The blocks that shall fit, for a kernel that does or does not
    /// [calculate](Self::min_blocks_f64) in `f64`.
    pub(crate) fn blocks(&self, in_f64: bool) -> Option<u32> {
        self.min_blocks_f64.filter(|_| in_f64).or(self.min_blocks)
    }

    /// The same, with a number of barriers.
    const fn with_barriers(name: &'static str, barriers: u32) -> Self {
        Self { max_barriers: Some(barriers), ..Self::new(name) }
    }
}

/// The last kernel of that name in a list, so that later ones override.
pub(crate) fn lookup<'a>(kernels: &'a [Kernel], name: &str) -> Option<&'a Kernel> {
    kernels.iter().rev().find(|kernel| kernel.name == name)
}
