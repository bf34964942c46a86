//! What the host offers in place of a device: entry points by name, and the hook
//! through which the SIMT layer reaches the emulator.
//!
//! An emulator calls a kernel once per lane. Before a lane first runs, the emulator
//! calls [`enter`] with what that lane can see; the functions of
//! [`simt`](crate::simt) then find it with `lane`, and `wait` restores it whenever the
//! lane resumes. Nothing here knows how lanes are run.

use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;

use pregel_core::device::{contract, superstep};
use pregel_core::engine::gpu::Image;
use pregel_core::program::VertexCompute;

/// An entry point: it is given the address of its argument block.
pub type Kernel = unsafe fn(*const u8);

/// The kernels of an image, by name.
#[derive(Clone, Copy)]
pub struct Kernels {
    /// The entries.
    pub entries: &'static [(&'static str, Kernel)],
    /// The [contract] of the program that they are for, or
    /// [that](pregel_core::device::tools_contract) of the kernels that belong to none.
    pub contract: u64,
}

impl Image for Kernels {
    fn contract(&self, _: &str) -> Option<u64> {
        Some(self.contract)
    }
}

impl fmt::Debug for Kernels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.entries.iter().map(|(name, _)| name)).finish()
    }
}

/// What the names of the [`kernels`] of any program begin with, and what
/// [`Images::program`](pregel_core::engine::gpu::Images::program) is to be told.
pub const PROGRAM: &str = "program";

/// The kernels of a program, as [`export!`](crate::export) makes them, without a line for each
/// program: all of them are called [`PROGRAM`].
pub fn kernels<P: VertexCompute>() -> Kernels {
    Kernels { entries: Entries::<P>::LIST, contract: contract::<P>() }
}

/// The entries of a program.
struct Entries<P>(PhantomData<fn() -> P>);

/// An entry for each row of the table.
macro_rules! entries {
    (() $($entry:ident: $kernel:ident, $block:ty,
        $threads:literal, $blocks:literal, $blocks_f64:literal, $barriers:literal, [$($set:ident),+];)+
    ) => {
        impl<P: VertexCompute> Entries<P> {
            const LIST: &'static [(&'static str, Kernel)] = &[$(
                (concat!("program__", stringify!($entry)), |arguments| {
                    // SAFETY: the engine gives the address of such a block.
                    unsafe { crate::superstep::$entry::<P>(&*arguments.cast::<$block>()) }
                })
            ),+];
        }
    };
}

pregel_core::program_kernels!(entries, ());

/// A function that all lanes of a warp, all threads of a block or all blocks of a
/// grid call together, with this lane's operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Which lanes say true.
    Ballot(bool),
    /// The word of another lane.
    Shuffle {
        /// This lane's word.
        word: u32,
        /// The lane whose word is wanted.
        from: u32,
    },
    /// Which lanes have the same word.
    Match(u32),
    /// The sum of all lanes' words.
    Sum(u32),
    /// The barrier of the block.
    Barrier,
    /// The barrier of the grid.
    Grid,
}

/// What runs the lanes.
pub trait Runner {
    /// Suspends the running lane until all others that take part have called the
    /// same function; returns this lane's result.
    fn wait(&self, collective: Collective) -> u32;

    /// Checks that an access is aligned and within one allocation.
    ///
    /// # Panics
    /// If it is not.
    fn check(&self, address: u64, bytes: usize);
}

/// What a running lane can see.
#[allow(missing_debug_implementations, reason = "a runner need not be printable")]
pub struct Lane {
    /// Number of the thread in its block.
    pub thread: u32,
    /// Number of threads in a block.
    pub threads: u32,
    /// Number of the block.
    pub block: u32,
    /// Number of blocks.
    pub blocks: u32,
    /// The block's shared memory of fixed size, in words.
    pub shared: &'static [Cell<u32>],
    /// The block's counters.
    pub counters: &'static [Cell<u32>],
    /// The staged memory that the launch gave the block, in words.
    pub staged: &'static [Cell<u32>],
    /// What runs it.
    pub runner: &'static dyn Runner,
}

thread_local! {
    static LANE: Cell<Option<&'static Lane>> = const { Cell::new(None) };
}

/// Makes `lane` the one that runs on this thread from now on, or none.
pub fn enter(lane: Option<&'static Lane>) {
    LANE.set(lane);
}

/// The lane that runs.
///
/// # Panics
/// Outside a kernel.
pub(crate) fn lane() -> &'static Lane {
    LANE.get().unwrap_or_else(|| panic!("a device function was called outside a kernel"))
}

/// Waits for the others; the result is for this lane.
pub(crate) fn wait(collective: Collective) -> u32 {
    let lane = lane();
    let result = lane.runner.wait(collective);
    enter(Some(lane));
    result
}
