//! The roster on a real GPU.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use pregel_core::engine::gpu::{Cuda, GpuOptions};
use pregel_core::engine::{RunOptions, Strategy};

use crate::suite::Contender;

// `images()`, of the programs in `tests/programs`.
include!(concat!(env!("OUT_DIR"), "/programs.rs"));

/// Engines that the tests share, each with its own stream. Kernels are loaded once
/// per engine rather than once per test.
static ENGINES: [OnceLock<Cuda>; 8] = [const { OnceLock::new() }; 8];

/// An engine on the first GPU.
///
/// # Panics
/// If there is no working GPU: this suite must not pass by being skipped.
pub fn engine() -> Cuda {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let engine = &ENGINES[NEXT.fetch_add(1, Ordering::Relaxed) % ENGINES.len()];
    let open = || Cuda::open(0, pregel_algos::images().and(images()));
    engine.get_or_init(|| open().unwrap_or_else(|e| panic!("{e}"))).clone()
}

/// The engine on the first GPU, with these options.
///
/// # Panics
/// If there is no working GPU.
pub fn gpu(strategy: Strategy, deterministic: bool, layout: GpuOptions) -> Contender<Cuda> {
    let options = RunOptions::default().with_strategy(strategy).with_deterministic(deterministic);
    Contender { engine: engine().with_options(layout), options, picky: true }
}
