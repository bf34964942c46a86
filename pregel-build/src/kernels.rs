//! What is known of kernels beforehand, and PTX cannot say in Rust.

/// Threads a block of kernels that are not in the table.
pub const DEFAULT_BLOCK: u32 = 256;

/// The kernels of `pregel-gpu-kernels` that are not launched as the others are.
///
/// Edit this list with the kernels: the engine must launch no more threads a
/// block than it says.
pub const KERNELS: &[Kernel] = &[];

/// Launch bounds of one kernel, the same for every program.
///
/// ```
/// use pregel_build::Kernel;
///
/// let kernel = Kernel { block: 512, barriers: Some(2), ..Kernel::new("pull_block") };
/// assert_eq!(kernel.min_blocks, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// The name after the program's: `pull` for the entry `bfs__pull`.
    pub name: &'static str,
    /// Largest number of threads a block it is launched with (`.maxntid`).
    pub block: u32,
    /// Blocks that shall fit on a multiprocessor at once (`.minnctapersm`); it
    /// makes the assembler save registers.
    pub min_blocks: Option<u32>,
    /// Block barriers that the kernel has in its source. If given, any other
    /// number in the PTX is an error: an optimisation copied one into a branch.
    pub barriers: Option<u32>,
}

impl Kernel {
    /// A kernel with the default block size and nothing else known.
    #[must_use]
    pub const fn new(name: &'static str) -> Self {
        Self { name, block: DEFAULT_BLOCK, min_blocks: None, barriers: None }
    }
}

/// The last kernel of that name in a list, so that later ones override.
pub(crate) fn lookup<'a>(kernels: &'a [Kernel], name: &str) -> Option<&'a Kernel> {
    kernels.iter().rev().find(|kernel| kernel.name == name)
}
