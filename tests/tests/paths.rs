//! Paths between all pairs of vertices on the emulated GPU equal those of the CPU engine,
//! whose own tests compare them with Bellman–Ford.
#![allow(clippy::unwrap_used)]

use pregel_core::engine::gpu::{DeviceLength, Gpu, Images};
use pregel_core::engine::paths::{AllPairs, Matrix, Method, PathOptions, PathsError};
use pregel_core::engine::{Cancel, Cpu, RunError};
use pregel_emulator::{Emulator, graph};

/// An emulated GPU with enough shared memory for the kernels.
fn gpu() -> Gpu<Emulator> {
    Gpu::new(Emulator::new().with_shared(48 << 10), Images::new().graph(graph::KERNELS))
}

/// A random graph. Lengths differ by the levels of their ends, so that many are negative
/// but no cycle is; a third of the pairs has an edge if `dense`.
fn lengths<T: DeviceLength>(n: u32, dense: bool, of: fn(i32) -> T) -> Matrix<T> {
    let mut state = u64::from(n) << 1 | 1;
    let mut random = |end: u32| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        ((state >> 33) % u64::from(end)) as u32
    };
    let levels: Vec<i32> = (0..n).map(|_| random(50) as i32).collect();
    let mut matrix = Matrix::unconnected(n).unwrap();
    for _ in 0..if dense { n * n / 3 } else { 2 * n } {
        let (u, v) = (random(n), random(n));
        let length = random(100) as i32 + levels[u as usize] - levels[v as usize];
        if u != v {
            matrix.shorten(u, v, of(length));
        }
    }
    matrix
}

#[test]
fn a_run_on_a_gpu_can_be_cancelled() {
    let cancel = Cancel::new();
    for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
        let options = PathOptions::default().with_method(method).with_cancel(cancel.clone());
        agree::<i32>(140, true, &options, |x| x);
    }
    cancel.cancel();
    for method in [Method::FloydWarshall, Method::RepeatedSquaring] {
        let options = PathOptions::default().with_method(method).with_cancel(cancel.clone());
        let ended = gpu().all_pairs(lengths::<i32>(140, true, |x| x), &options);
        let cancelled = matches!(ended, Err(PathsError::Run(RunError::Cancelled { .. })));
        assert!(cancelled, "{method:?}");
    }
}

/// Compares distances with those of the CPU, and every path with its distance, if paths are wanted.
fn agree<T: DeviceLength>(n: u32, dense: bool, options: &PathOptions, of: fn(i32) -> T) {
    let lengths = lengths(n, dense, of);
    let (expected, _) = Cpu::new().all_pairs(lengths.clone(), &PathOptions::default()).unwrap();
    let (found, report) = gpu().all_pairs(lengths.clone(), options).unwrap();
    assert_eq!(report.engine, "cuda");
    for u in 0..n {
        for v in 0..n {
            let [distance, expected] =
                [&found, &expected].map(|paths| paths.distances.distance(u, v));
            assert_eq!(distance, expected, "{u} to {v} of {n}, {options:?}");
            let path = found.path(u, v);
            if !options.successors {
                assert!(path.is_none() || u == v, "{u} to {v} of {n}");
                continue;
            }
            assert_eq!(path.is_some(), distance.is_some(), "{u} to {v} of {n}");
            let Some(path) = path else { continue };
            assert_eq!([path.first(), path.last()], [Some(&u), Some(&v)]);
            // Lengths are whole numbers, so that the order of additions makes no difference.
            let steps = path.windows(2).map(|step| lengths.distance(step[0], step[1]).unwrap());
            assert_eq!(steps.fold(T::ZERO, T::plus), expected.unwrap(), "{path:?}");
        }
    }
}

#[test]
fn floyd_warshall_agrees_with_the_cpu() {
    // One block of vertices, a part of it, two, and three.
    for (n, dense) in [(1, true), (10, true), (128, false), (200, true), (300, false)] {
        for options in [PathOptions::default(), PathOptions::default().with_successors(true)] {
            agree(n, dense, &options, |x| x as f32);
            agree(n, dense, &options, |x| x);
        }
    }
}

/// Cycles of length 0, over which nothing leads nearer.
#[test]
fn paths_end_where_cycles_have_length_zero() {
    let n = 140;
    let mut lengths = Matrix::unconnected(n).unwrap();
    (0..n).for_each(|v| lengths.shorten(v, (v + 1) % n, 0));
    (0..n).for_each(|v| lengths.shorten(v, (v + 3) % n, 0));
    let options = PathOptions::default().with_successors(true);
    let (paths, _) = gpu().all_pairs(lengths, &options).unwrap();
    for (u, v) in [(0, 139), (139, 0), (70, 69), (5, 6)] {
        let path = paths.path(u, v).unwrap();
        assert_eq!([path.first(), path.last()], [Some(&u), Some(&v)]);
        assert!(path.len() <= n as usize);
    }
}

#[test]
fn squaring_agrees_with_the_cpu_in_tiles_of_every_size() {
    for tile in [4, 8, 16, 32] {
        let options = PathOptions::default().with_method(Method::RepeatedSquaring).with_tile(tile);
        for (n, dense) in [(1, true), (10, true), (45, false)] {
            agree(n, dense, &options, |x| x as f32);
            agree(n, dense, &options, |x| x);
        }
    }
}

/// A cycle of all vertices that is negative by 1.
#[test]
fn a_negative_cycle_is_found() {
    for n in [3, 150] {
        let mut lengths = Matrix::unconnected(n).unwrap();
        (1..n).for_each(|v| lengths.shorten(v - 1, v, 2));
        lengths.shorten(n - 1, 0, 1 - 2 * n as i32);
        let options = PathOptions::default();
        let found = gpu().all_pairs(lengths.clone(), &options);
        assert!(matches!(found, Err(PathsError::NegativeCycle { .. })), "{found:?}");
        if n == 3 {
            let found = gpu().all_pairs(lengths, &options.with_method(Method::RepeatedSquaring));
            assert!(matches!(found, Err(PathsError::NegativeCycle { .. })), "{found:?}");
        }
    }
}

#[test]
fn what_a_gpu_cannot_do_is_refused() {
    let lengths = || Matrix::<f32>::unconnected(200).unwrap();
    let options = PathOptions::default();
    let square = options.clone().with_method(Method::RepeatedSquaring).with_tile(5);
    let refused = gpu().all_pairs(lengths(), &square.clone().with_successors(true));
    assert!(matches!(refused, Err(PathsError::NoSuccessors)), "{refused:?}");
    let refused = gpu().all_pairs(lengths(), &square);
    assert!(matches!(refused, Err(PathsError::Tile { found: 5 })), "{refused:?}");

    let images = || Images::new().graph(graph::KERNELS);
    let small = Emulator::with_memory(100_000).with_shared(48 << 10);
    let refused = Gpu::new(small, images()).all_pairs(lengths(), &options);
    let Err(PathsError::Memory { vertices, needed, available }) = refused else {
        panic!("{refused:?}")
    };
    // Two blocks of 128 vertices, and two words.
    assert_eq!((vertices, needed, available), (200, 4 * 256 * 256 + 8, 100_000));
    let refused = Gpu::new(Emulator::new(), images()).all_pairs(lengths(), &options);
    assert!(matches!(refused, Err(PathsError::Run(RunError::DeviceLimit(_)))), "{refused:?}");
}
