//! What is known of kernels beforehand, and Rust cannot say in PTX.

use pregel_core::device::kernels::{Facts, program, tools};

/// Threads of a block of kernels that are not in the table.
pub const DEFAULT_BLOCK: u32 = 256;

/// The kernels of `pregel-gpu-kernels`, from the one table of them,
/// `pregel_core::device::kernels`.
pub fn kernels() -> Vec<Kernel> {
    program::TABLE.iter().chain(tools::TABLE).map(Kernel::of).collect()
}

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
    /// Blocks that should fit on a multiprocessor at once (`.minnctapersm`): many make
    /// the assembler save registers, few allow it to have more reads under way.
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

    /// The blocks that should fit, for a kernel that does or does not
    /// [calculate](Self::min_blocks_f64) in `f64`.
    pub(crate) fn blocks(&self, in_f64: bool) -> Option<u32> {
        self.min_blocks_f64.filter(|_| in_f64).or(self.min_blocks)
    }

    /// A row of the table.
    fn of(facts: &Facts) -> Self {
        let given = |blocks| (blocks > 0).then_some(blocks);
        Self {
            name: facts.name,
            block: facts.threads,
            min_blocks: given(facts.blocks),
            min_blocks_f64: given(facts.blocks_f64),
            max_barriers: Some(facts.barriers),
        }
    }
}

/// The last kernel of this name in a list: later ones override earlier ones.
pub(crate) fn lookup<'a>(kernels: &'a [Kernel], name: &str) -> Option<&'a Kernel> {
    kernels.iter().rev().find(|kernel| kernel.name == name)
}
