//! Runs kernels on the host: every lane is a coroutine, and one runs at a time.
//!
//! A lane runs until it calls a function of the warp, the block or the grid. When all
//! lanes that take part have called it, they get their results and go on. If they call
//! different functions, or if one has returned, the kernel violates the invariants of
//! [`simt`](pregel_gpu_kernels::simt): that panics, as does an access outside the device's
//! allocations.
//!
//! It is deterministic, and finds no races. Blocks run one after the other, in order; those
//! of a cooperative launch take turns at the grid's barriers.

use std::array;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use pregel_core::device::{COUNTERS, SHARED, WARP};
use pregel_core::engine::gpu::Grid;
use pregel_gpu_kernels::host::{self, Collective, Lane, Runner};

use crate::memory::Memory;

/// Shared memory of a block.
type Shared = [Cell<u32>; SHARED as usize / 4];

/// Counters of a block.
type Counters = [Cell<u32>; COUNTERS as usize];

/// What shared memory holds at first: on a device it is arbitrary.
const RUBBISH: u32 = 0xdead_beef;

thread_local! {
    /// Stacks are expensive to create, so they are kept.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// What a lane reaches through [`Lane`]: the device's memory, and its own coroutine.
struct Suspender {
    memory: &'static Memory,
    yielder: &'static Yielder<u32, Collective>,
}

impl Runner for Suspender {
    fn wait(&self, collective: Collective) -> u32 {
        self.yielder.suspend(collective)
    }

    fn check(&self, address: u64, bytes: usize) {
        self.memory.check(address, bytes);
    }
}

/// Extends the lifetime of a reference.
///
/// # Safety
/// The referent lives until the last lane has ended.
unsafe fn forever<'a, T: ?Sized>(reference: &T) -> &'a T {
    // SAFETY: as the caller promises.
    unsafe { &*std::ptr::from_ref(reference) }
}

type Thread = Coroutine<u32, Collective, (), DefaultStack>;

/// Bytes of stack per lane: enough for kernels that are not optimised.
const STACK: usize = 128 << 10;

/// The shared memory of one block.
struct BlockMemory {
    shared: Shared,
    counters: Counters,
    staged: Vec<Cell<u32>>,
}

impl BlockMemory {
    fn new(staged: u32) -> Self {
        Self {
            shared: array::from_fn(|_| Cell::new(RUBBISH)),
            counters: array::from_fn(|_| Cell::new(RUBBISH)),
            staged: vec![Cell::new(RUBBISH); staged as usize / 4],
        }
    }
}

/// Runs `kernel` on every thread of a grid. Its blocks can wait for each other if the launch
/// is cooperative.
///
/// # Panics
/// If the kernel violates an invariant; the message says how.
pub(crate) fn run(memory: &Memory, grid: Grid, kernel: &(dyn Fn() + '_)) {
    let Grid { blocks, threads, shared, together } = grid;
    let at_a_time = if together { blocks.max(1) } else { 1 };
    let mut stacks = STACKS.take();
    while stacks.len() < (at_a_time * threads) as usize {
        let stack = DefaultStack::new(STACK);
        stacks.push(stack.unwrap_or_else(|e| panic!("no memory for an emulated lane: {e}")));
    }
    for first in (0..blocks).step_by(at_a_time as usize) {
        let grid: Vec<BlockMemory> = (0..at_a_time).map(|_| BlockMemory::new(shared)).collect();
        let mut running: Vec<Block> = (first..)
            .zip(&grid)
            .map(|(number, own)| {
                // SAFETY: when `run_grid` returns, the lanes have ended; when it panics,
                // they never run again.
                let (kernel, shared, counters, staged, memory) = unsafe {
                    let kernel = forever::<dyn Fn()>(transmute_kernel(kernel));
                    let (shared, counters) = (forever(&own.shared), forever(&own.counters));
                    (kernel, shared, counters, forever(&*own.staged), forever(memory))
                };
                let lane = |thread, stack, (block, blocks)| {
                    Coroutine::with_stack(stack, move |yielder: &Yielder<u32, Collective>, _| {
                        // SAFETY: the yielder lives as long as the coroutine.
                        let yielder = unsafe { forever(yielder) };
                        let suspender = Suspender { memory, yielder };
                        // SAFETY: the suspender lives until the lane has ended.
                        let runner = unsafe { forever(&suspender) };
                        let lane = Lane {
                            thread,
                            threads,
                            block,
                            blocks,
                            shared,
                            counters,
                            staged,
                            runner,
                        };
                        // SAFETY: the lane is on the coroutine's stack until it has
                        // ended, and nothing asks for it after that.
                        host::enter(Some(unsafe { forever(&lane) }));
                        kernel();
                    })
                };
                let own = stacks.drain(stacks.len() - threads as usize..);
                let threads: Vec<Thread> =
                    (0..).zip(own).map(|(i, stack)| lane(i, stack, (number, blocks))).collect();
                let progress = vec![Progress::Ready(0); threads.len()];
                Block { number, threads, progress }
            })
            .collect();
        let end = catch_unwind(AssertUnwindSafe(|| run_grid(&mut running, together)));
        host::enter(None);
        if let Err(panic) = end {
            for thread in running.iter_mut().flat_map(|block| &mut block.threads) {
                // SAFETY: a lane owns nothing that has to be dropped: kernels are written
                // for a device, which drops nothing.
                unsafe { thread.force_reset() };
            }
            resume_unwind(panic);
        }
        let threads = running.into_iter().flat_map(|block| block.threads);
        stacks.extend(threads.map(Thread::into_stack));
    }
    STACKS.set(stacks);
}

/// A running block.
struct Block {
    number: u32,
    threads: Vec<Thread>,
    progress: Vec<Progress>,
}

/// Runs blocks to their ends, from one barrier of the grid to the next.
fn run_grid(blocks: &mut [Block], together: bool) {
    while blocks.iter().any(|block| block.progress.iter().any(|lane| *lane != Progress::Ended)) {
        blocks.iter_mut().for_each(Block::run);
        let waiting = blocks.iter().filter(|block| block.progress.contains(&AT_GRID)).count();
        assert!(
            together || waiting == 0,
            "a barrier of the grid in a launch that is not cooperative"
        );
        assert!(
            waiting == 0 || waiting == blocks.len(),
            "some blocks wait at the barrier of the grid, which others do not reach"
        );
        if waiting > 0 {
            blocks.iter_mut().for_each(|block| block.progress.fill(Progress::Ready(0)));
        }
    }
}

/// Waiting for the grid.
const AT_GRID: Progress = Progress::Waits(Collective::Grid);

/// How far a thread of a block is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Progress {
    /// It can go on, with this result.
    Ready(u32),
    /// It waits for others.
    Waits(Collective),
    /// It has returned.
    Ended,
}

impl Block {
    /// Runs until all threads have ended or wait for the grid.
    fn run(&mut self) {
        let (block, progress) = (self.number, &mut self.progress);
        let all = |progress: &[Progress], at| progress.iter().all(|lane| *lane == at);
        while !all(progress, Progress::Ended) && !all(progress, AT_GRID) {
            for (thread, lane) in self.threads.iter_mut().zip(&mut *progress) {
                if let Progress::Ready(result) = *lane {
                    *lane = match thread.resume(result) {
                        CoroutineResult::Yield(request) => Progress::Waits(request),
                        CoroutineResult::Return(()) => Progress::Ended,
                    };
                }
            }
            let mut moved = false;
            for (warp, lanes) in progress.chunks_mut(WARP as usize).enumerate() {
                moved |= release_warp(block, warp, lanes);
            }
            if all(progress, Progress::Waits(Collective::Barrier)) {
                progress.fill(Progress::Ready(0));
                moved = true;
            }
            let done = all(progress, Progress::Ended) || all(progress, AT_GRID);
            assert!(
                moved || done,
                "block {block}: some threads wait at a barrier, which others do not reach"
            );
        }
    }
}

/// Lets the lanes of a warp go on if all have called a warp function; returns whether they
/// have.
///
/// # Panics
/// If its lanes do not wait at the same function.
fn release_warp(block: u32, warp: usize, lanes: &mut [Progress]) -> bool {
    // No lane waits in most calls: the others of the block do.
    if !lanes.iter().any(|place| matches!(place, Progress::Waits(_))) {
        return false;
    }
    let mut requests = [Collective::Barrier; WARP as usize];
    let requests = &mut requests[..lanes.len()];
    let mut waiting = 0;
    for (request, place) in requests.iter_mut().zip(&*lanes) {
        if let Progress::Waits(waits_for) = place {
            *request = *waits_for;
            waiting += 1;
        }
    }
    let first = requests[0];
    let same = |r: &Collective| std::mem::discriminant(r) == std::mem::discriminant(&first);
    assert!(
        waiting == lanes.len() && requests.iter().all(same),
        "block {block}, warp {warp}: lanes do not meet at the same function: {lanes:?}"
    );
    let mask = |wanted: Collective| {
        (0..).zip(&*requests).fold(0, |mask, (i, r)| mask | u32::from(*r == wanted) << i)
    };
    match first {
        Collective::Barrier | Collective::Grid => return false,
        Collective::Ballot(_) => lanes.fill(Progress::Ready(mask(Collective::Ballot(true)))),
        Collective::Sum(_) => {
            let sum = requests.iter().fold(0u32, |sum, request| match request {
                Collective::Sum(word) => sum.wrapping_add(*word),
                _ => sum,
            });
            lanes.fill(Progress::Ready(sum));
        }
        Collective::Match(_) => {
            for (place, request) in lanes.iter_mut().zip(&*requests) {
                *place = Progress::Ready(mask(*request));
            }
        }
        Collective::Shuffle { .. } => {
            for (place, request) in lanes.iter_mut().zip(&*requests) {
                let Collective::Shuffle { from, .. } = request else { continue };
                let Some(Collective::Shuffle { word, .. }) = requests.get(*from as usize) else {
                    panic!("block {block}, warp {warp}: there is no lane {from} to shuffle from")
                };
                *place = Progress::Ready(*word);
            }
        }
    }
    true
}

/// A kernel without its lifetime, for coroutines that it outlives.
fn transmute_kernel<'a>(kernel: &'a (dyn Fn() + '_)) -> &'a (dyn Fn() + 'static) {
    // SAFETY: only the lifetime changes; `run` keeps the kernel until every lane has ended.
    unsafe { std::mem::transmute(kernel) }
}
