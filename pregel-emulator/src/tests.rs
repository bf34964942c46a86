//! The emulator itself, and the collectives under it.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pregel_core::device::BLOCK;
use pregel_core::engine::gpu::Grid;
use pregel_gpu_kernels::collective::{
    block_reduce, block_scan_u64, warp_reduce, warp_scan_u64, warp_segments,
};
use pregel_gpu_kernels::simt::{
    ballot, barrier, block, grid_barrier, lane, match_any, shuffle, thread,
};

use crate::memory::Memory;
use crate::run::run;

/// This many blocks, which do not wait for each other.
fn grid(blocks: u32) -> Grid {
    Grid { blocks, threads: BLOCK, shared: 0, together: false }
}

/// What `make` returns in each thread of `blocks` blocks, in order of threads.
fn each<T: Clone + Default>(blocks: u32, make: impl Fn() -> T) -> Vec<T> {
    let made = RefCell::new(vec![T::default(); (blocks * BLOCK) as usize]);
    run(&Memory::default(), grid(blocks), &|| {
        let value = make();
        made.borrow_mut()[(block() * BLOCK + thread()) as usize] = value;
    });
    made.into_inner()
}

fn panics(kernel: impl Fn()) -> String {
    refused(&Memory::default(), false, &kernel)
}

/// The message with which a kernel of two blocks is refused.
fn refused(memory: &Memory, together: bool, kernel: &dyn Fn()) -> String {
    let end = catch_unwind(AssertUnwindSafe(|| run(memory, Grid { together, ..grid(2) }, kernel)));
    let panic = end.expect_err("the kernel should have been refused");
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
}

#[test]
fn warps_vote_shuffle_and_match() {
    assert_eq!(each(2, || ballot(lane() % 2 == 1)), vec![0xaaaa_aaaa; 512]);
    let rotated = each(1, || shuffle(lane() * 10, (lane() + 1) % 32));
    assert_eq!([rotated[0], rotated[31], rotated[32]], [10, 0, 10]);
    let thirds = each(1, || match_any(lane() % 3));
    assert_eq!(thirds[1], (0..32).filter(|i| i % 3 == 1).map(|i| 1 << i).sum());
}

#[test]
fn reductions_are_as_their_documentation_says() {
    assert_eq!(each(1, || warp_reduce(lane(), |a, b| a + b))[0], 496);
    assert_eq!(each(1, || block_reduce(1u64, 0, |a, b| a + b))[0], 256);
    assert_eq!(
        each(3, || block_reduce([1.5f64, 2.0], [0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]))[512],
        [384.0, 512.0]
    );
}

#[test]
fn scans_are_as_their_documentation_says() {
    let sums = each(1, || warp_scan_u64(1));
    assert!(sums.iter().enumerate().all(|(i, sum)| *sum == (i % 32) as u64 + 1));
    let sums = each(1, || block_scan_u64(2));
    assert!(sums.iter().enumerate().all(|(i, sum)| *sum == (2 * i as u64, 512)));
}

#[test]
fn segments_are_as_their_documentation_says() {
    let found = each(1, || {
        let head = lane() == 4 || lane() == 6;
        let s = warp_segments(Some(1u32), head, |a, b| a + b);
        (s.value, s.begun, s.closed)
    });
    assert_eq!(found[3], (Some(4), false, true));
    assert_eq!(found[5], (Some(2), true, true));
    assert_eq!(found[31], (Some(26), true, false));
    // Lanes without a value do not count, and an empty segment has none.
    let found = each(1, || {
        let value = (lane().is_multiple_of(2) && lane() < 8).then_some(lane());
        warp_segments(value, lane() == 8, |a, b| a + b).value
    });
    assert_eq!([found[7], found[8], found[31]], [Some(12), None, None]);
}

#[test]
fn resident_blocks_wait_for_each_other() {
    let memory = Memory::default();
    let word = 0u32;
    let at = std::ptr::from_ref(&word) as u64;
    memory.add(at, 4);
    let written = RefCell::new([0; 3]);
    let read = RefCell::new(Vec::new());
    run(&memory, Grid { together: true, ..grid(3) }, &|| {
        for round in 1..4 {
            if thread() == 0 {
                written.borrow_mut()[block() as usize] = round;
            }
            // SAFETY: the word is there for this.
            unsafe { grid_barrier(at) };
            read.borrow_mut().push((round, *written.borrow()));
            // SAFETY: as above.
            unsafe { grid_barrier(at) };
        }
    });
    let read = read.into_inner();
    assert_eq!(read.len(), 3 * 3 * BLOCK as usize);
    assert!(read.iter().all(|(round, seen)| *seen == [*round; 3]), "{read:?}");
    // SAFETY: as above.
    let meet = || unsafe { grid_barrier(at) };
    let message = refused(&memory, false, &meet);
    assert!(message.contains("not cooperative"), "{message}");
    let message = refused(&memory, true, &|| (block() == 0).then(meet).unwrap_or_default());
    assert!(message.contains("some blocks wait"), "{message}");
}

#[test]
fn a_kernel_that_violates_an_invariant_is_refused() {
    let message = panics(|| {
        if lane() < 3 {
            ballot(true);
        }
    });
    assert!(message.contains("do not meet at the same function"), "{message}");
    let message = panics(|| {
        if thread() < 64 {
            barrier();
        }
    });
    assert!(message.contains("barrier"), "{message}");
    let message = panics(|| {
        // SAFETY: the emulator checks.
        unsafe { pregel_gpu_kernels::simt::load::<u32>(pregel_core::device::Global::at(4096), 0) };
    });
    assert!(message.contains("in no allocation"), "{message}");
    // The next kernel runs as if nothing had happened.
    assert_eq!(each(1, thread)[255], 255);
}
