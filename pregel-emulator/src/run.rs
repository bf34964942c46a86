//! Runs kernels on the host: every lane a coroutine, one at a time.
//!
//! A lane runs until it meets the others at a warp or block function. When all
//! lanes of the warp, or all threads of the block, have come, they are told the
//! result and go on. A kernel breaks the rules of [`simt`](pregel_gpu_kernels::simt) if
//! lanes meet at different functions or if one has returned; that panics, as
//! does an access outside the device's allocations.
//!
//! It is deterministic and finds no races. Blocks run one after the other, in
//! order; those of a launch that asks for it are all there at a time, and take
//! turns at the grid's barriers.

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

/// What shared memory begins with, as on a device.
const RUBBISH: u32 = 0xdead_beef;

thread_local! {
    /// Stacks are costly to make and used over and over.
    static STACKS: RefCell<Vec<DefaultStack>> = const { RefCell::new(Vec::new()) };
}

/// What the lanes of a launch reach through [`Lane`]: the device's memory, and the
/// way back to what runs them.
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

/// Makes a reference outlive what the compiler knows.
///
/// # Safety
/// The referent lives until the last lane has ended.
unsafe fn forever<'a, T: ?Sized>(reference: &T) -> &'a T {
    // SAFETY: as the caller promises.
    unsafe { &*std::ptr::from_ref(reference) }
}

type Thread = Coroutine<u32, Collective, (), DefaultStack>;

/// Bytes of stack for a lane; tests compile kernels without optimisation.
const STACK: usize = 128 << 10;

/// What a block has of its own.
struct Own {
    shared: Shared,
    counters: Counters,
    hot: Vec<Cell<u32>>,
}

impl Own {
    fn new(hot: u32) -> Self {
        Self {
            shared: array::from_fn(|_| Cell::new(RUBBISH)),
            counters: array::from_fn(|_| Cell::new(RUBBISH)),
            hot: vec![Cell::new(RUBBISH); hot as usize / 4],
        }
    }
}

/// Runs `kernel` on every thread of a grid, whose blocks may meet at the grid's
/// barrier if they are there together.
///
/// # Panics
/// If the kernel breaks the rules, with what it did.
pub(crate) fn run(memory: &Memory, grid: Grid, kernel: &(dyn Fn() + '_)) {
    let Grid { blocks, threads, shared, together } = grid;
    let at_a_time = if together { blocks.max(1) } else { 1 };
    let mut stacks = STACKS.take();
    while stacks.len() < (at_a_time * threads) as usize {
        let stack = DefaultStack::new(STACK);
        stacks.push(stack.unwrap_or_else(|e| panic!("no memory for an emulated lane: {e}")));
    }
    for first in (0..blocks).step_by(at_a_time as usize) {
        let grid: Vec<Own> = (0..at_a_time).map(|_| Own::new(shared)).collect();
        let mut running: Vec<Block> = (first..)
            .zip(&grid)
            .map(|(number, own)| {
                // SAFETY: the lanes have ended when `run_grid` returns, or are
                // never run again.
                let (kernel, shared, counters, hot, memory) = unsafe {
                    let kernel = forever::<dyn Fn()>(transmute_kernel(kernel));
                    let (shared, counters) = (forever(&own.shared), forever(&own.counters));
                    (kernel, shared, counters, forever(&*own.hot), forever(memory))
                };
                let lane = |thread, stack, (block, blocks)| {
                    Coroutine::with_stack(stack, move |yielder: &Yielder<u32, Collective>, _| {
                        // SAFETY: the yielder lives as long as the coroutine.
                        let yielder = unsafe { forever(yielder) };
                        let suspender = Suspender { memory, yielder };
                        // SAFETY: the suspender lives until the lane has ended.
                        let runner = unsafe { forever(&suspender) };
                        host::enter(Some(Lane {
                            thread,
                            threads,
                            block,
                            blocks,
                            shared,
                            counters,
                            hot,
                            runner,
                        }));
                        kernel();
                    })
                };
                let own = stacks.drain(stacks.len() - threads as usize..);
                let threads: Vec<Thread> =
                    (0..).zip(own).map(|(i, stack)| lane(i, stack, (number, blocks))).collect();
                let places = vec![Place::Ready(0); threads.len()];
                Block { number, threads, places }
            })
            .collect();
        let end = catch_unwind(AssertUnwindSafe(|| run_grid(&mut running, together)));
        host::enter(None);
        if let Err(panic) = end {
            for thread in running.iter_mut().flat_map(|block| &mut block.threads) {
                // SAFETY: a lane owns nothing that would have to be dropped:
                // kernels are written for a device, which drops nothing.
                unsafe { thread.force_reset() };
            }
            resume_unwind(panic);
        }
        let threads = running.into_iter().flat_map(|block| block.threads);
        stacks.extend(threads.map(Thread::into_stack));
    }
    STACKS.set(stacks);
}

/// A block that runs.
struct Block {
    number: u32,
    threads: Vec<Thread>,
    places: Vec<Place>,
}

/// Runs blocks to their end, from one barrier of the grid to the next.
fn run_grid(blocks: &mut [Block], together: bool) {
    while blocks.iter().any(|block| block.places.iter().any(|place| *place != Place::Ended)) {
        blocks.iter_mut().for_each(Block::run);
        let waiting = blocks.iter().filter(|block| block.places.contains(&AT_GRID)).count();
        assert!(together || waiting == 0, "a barrier of the grid in a launch of blocks by turns");
        assert!(
            waiting == 0 || waiting == blocks.len(),
            "some blocks wait at the grid's barrier that others do not reach"
        );
        if waiting > 0 {
            blocks.iter_mut().for_each(|block| block.places.fill(Place::Ready(0)));
        }
    }
}

/// A thread that waits for the grid.
const AT_GRID: Place = Place::Waits(Collective::Grid);

/// Where a thread of a block is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Ready(u32),
    Waits(Collective),
    Ended,
}

impl Block {
    /// Runs until all threads have ended or wait for the grid.
    fn run(&mut self) {
        let (block, places) = (self.number, &mut self.places);
        let everyone = |places: &[Place], at| places.iter().all(|place| *place == at);
        while !everyone(places, Place::Ended) && !everyone(places, AT_GRID) {
            for (thread, place) in self.threads.iter_mut().zip(&mut *places) {
                if let Place::Ready(result) = *place {
                    *place = match thread.resume(result) {
                        CoroutineResult::Yield(request) => Place::Waits(request),
                        CoroutineResult::Return(()) => Place::Ended,
                    };
                }
            }
            let mut moved = false;
            for (warp, lanes) in places.chunks_mut(WARP as usize).enumerate() {
                moved |= release_warp(block, warp, lanes);
            }
            if everyone(places, Place::Waits(Collective::Barrier)) {
                places.fill(Place::Ready(0));
                moved = true;
            }
            let done = everyone(places, Place::Ended) || everyone(places, AT_GRID);
            assert!(
                moved || done,
                "block {block}: some threads wait at a barrier that others do not reach"
            );
        }
    }
}

/// Lets a warp go on whose lanes have met, unless they wait for the block.
///
/// # Panics
/// If its lanes do not wait at the same function.
fn release_warp(block: u32, warp: usize, lanes: &mut [Place]) -> bool {
    let requests: Vec<Collective> = lanes
        .iter()
        .filter_map(|place| match place {
            Place::Waits(request) => Some(*request),
            _ => None,
        })
        .collect();
    let Some(first) = requests.first() else { return false };
    let same = |r: &Collective| std::mem::discriminant(r) == std::mem::discriminant(first);
    assert!(
        requests.len() == lanes.len() && requests.iter().all(same),
        "block {block}, warp {warp}: lanes do not meet at the same function: {lanes:?}"
    );
    if matches!(first, Collective::Barrier | Collective::Grid) {
        return false;
    }
    for (lane, request) in requests.iter().enumerate() {
        let mask = |test: &dyn Fn(&Collective) -> bool| {
            (0..).zip(&requests).fold(0, |mask, (i, r)| mask | u32::from(test(r)) << i)
        };
        lanes[lane] = Place::Ready(match request {
            Collective::Ballot(_) => mask(&|r| *r == Collective::Ballot(true)),
            Collective::Match(word) => mask(&|r| *r == Collective::Match(*word)),
            Collective::Sum(_) => requests.iter().fold(0, |sum, request| match request {
                Collective::Sum(word) => sum.wrapping_add(*word),
                _ => sum,
            }),
            Collective::Shuffle { from, .. } => match requests.get(*from as usize) {
                Some(Collective::Shuffle { word, .. }) => *word,
                _ => panic!("block {block}, warp {warp}: there is no lane {from} to shuffle from"),
            },
            Collective::Barrier | Collective::Grid => 0,
        });
    }
    true
}

/// A kernel without its lifetime, for coroutines that do not outlive it.
fn transmute_kernel<'a>(kernel: &'a (dyn Fn() + '_)) -> &'a (dyn Fn() + 'static) {
    // SAFETY: only the lifetime changes; `run` keeps the kernel until every
    // lane has ended.
    unsafe { std::mem::transmute(kernel) }
}
