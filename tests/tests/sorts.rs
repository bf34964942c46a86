//! Compares the device's sorts by degree, under the emulator, with sorts on the host.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use pregel_core::device::prepare::{KEY_TILE, Mapping};
use pregel_core::engine::gpu::{Gpu, Images, Sort, SortedOrder};
use pregel_emulator::Emulator;
use pregel_emulator::graph;
use pregel_roster::test_programs::mix;

/// Named lists of degrees, each of which tests something else.
fn cases() -> Vec<(&'static str, Vec<u32>)> {
    let tile = u64::from(KEY_TILE);
    let random = |n: u64| (0..n).map(mix);
    vec![
        ("no vertex", vec![]),
        ("one vertex", vec![7]),
        ("one vertex without edges", vec![0]),
        ("two", vec![1, 2]),
        ("a warp less one", random(31).map(|x| x as u32 % 3).collect()),
        ("a whole tile, all equal", vec![5; tile as usize]),
        ("a tile and one, all 0", vec![0; tile as usize + 1]),
        ("rising", (0..1000).collect()),
        ("falling", (0..1000).rev().collect()),
        ("many equal", random(2 * tile + 77).map(|x| x as u32 % 7).collect()),
        (
            "a power law",
            random(3 * tile + 1).map(|x| 1 << (x as u32 | 1 << 20).trailing_zeros()).collect(),
        ),
        ("16 bits and more", random(5000).map(|x| x as u32 % 100_000).collect()),
        ("all bits", random(tile + 500).map(|x| x as u32).collect()),
        ("extremes", [0, u32::MAX, 1, u32::MAX - 1, 0, u32::MAX].into()),
    ]
}

/// The vertices in the order that the device finds; checks that the places agree.
fn sorted(degrees: &[u32], sort: Sort) -> Vec<u32> {
    let gpu = Gpu::new(Emulator::new(), Images::new().graph(graph::KERNELS));
    let sort = gpu.degree_sort(degrees, sort).unwrap();
    // Twice, since a sort may be queued repeatedly.
    sort.queue().unwrap();
    sort.queue().unwrap();
    let SortedOrder { vertex_at, place_of } = sort.order().unwrap();
    assert_eq!(vertex_at.len(), degrees.len());
    assert_eq!(place_of.len(), degrees.len());
    for (place, vertex) in (0..).zip(&vertex_at) {
        assert_eq!(place_of[*vertex as usize], place, "place of vertex {vertex}");
    }
    vertex_at
}

/// The region of each vertex.
fn regions(degrees: &[u32], mapping: Mapping, regions: u32) -> Vec<u32> {
    let least = degrees.iter().copied().min().unwrap_or(0);
    let most = degrees.iter().copied().max().unwrap_or(0);
    degrees.iter().map(|degree| mapping.region(*degree, least, most, regions)).collect()
}

/// All mappings, with regions for one digit, two, and three.
const MAPPINGS: [(Mapping, u32); 6] = [
    (Mapping::Logarithmic, 0),
    (Mapping::Linear, 1),
    (Mapping::Linear, 10),
    (Mapping::Linear, 256),
    (Mapping::Linear, 1000),
    (Mapping::Linear, 100_000),
];

#[test]
fn the_exact_sort_is_by_falling_degree_then_id() {
    for (name, degrees) in cases() {
        let mut expected: Vec<u32> = (0..degrees.len() as u32).collect();
        expected.sort_by_key(|v| std::cmp::Reverse(degrees[*v as usize]));
        assert_eq!(sorted(&degrees, Sort::Exact), expected, "{name}");
    }
}

#[test]
fn the_stable_sort_is_by_region_then_id() {
    for (name, degrees) in cases() {
        for (mapping, count) in MAPPINGS {
            let regions = regions(&degrees, mapping, count);
            let mut expected: Vec<u32> = (0..degrees.len() as u32).collect();
            expected.sort_by_key(|v| regions[*v as usize]);
            let found = sorted(&degrees, Sort::Stable { mapping, regions: count });
            assert_eq!(found, expected, "{name}, {mapping:?} {count}");
        }
    }
}

#[test]
fn the_approximate_sort_is_by_region() {
    for (name, degrees) in cases() {
        for (mapping, count) in MAPPINGS {
            let regions = regions(&degrees, mapping, count);
            let found = sorted(&degrees, Sort::Approximate { mapping, regions: count });
            let found: Vec<u32> = found.iter().map(|v| regions[*v as usize]).collect();
            assert!(found.is_sorted(), "{name}, {mapping:?} {count}");
        }
    }
}

#[test]
fn without_a_sort_every_vertex_stays() {
    assert_eq!(sorted(&[3, 1, 2], Sort::None), [0, 1, 2]);
}

#[test]
fn a_deterministic_run_takes_the_stable_sort() {
    let (mapping, regions) = (Mapping::Linear, 9);
    let stable = Sort::Stable { mapping, regions };
    assert_eq!(Sort::Approximate { mapping, regions }.stable(), stable);
    assert_eq!(
        [Sort::None, Sort::Exact, stable].map(Sort::stable),
        [Sort::None, Sort::Exact, stable]
    );
}

#[test]
fn passes_over_digits_that_are_all_zero_are_skipped() {
    let launches = |degrees: &[u32], sort| {
        let gpu = Gpu::new(Emulator::new(), Images::new().graph(graph::KERNELS));
        let sort = gpu.degree_sort(degrees, sort).unwrap();
        sort.queue().unwrap();
        sort.launches()
    };
    // The extremes; then per pass the counts, three kernels of sums, and the places.
    assert_eq!(launches(&[255, 3], Sort::Exact), 1 + 5);
    assert_eq!(launches(&[256, 3], Sort::Exact), 1 + 2 * 5);
    assert_eq!(launches(&[u32::MAX, 3], Sort::Exact), 1 + 4 * 5);
    let stable = |mapping, regions| Sort::Stable { mapping, regions };
    assert_eq!(launches(&[u32::MAX, 3], stable(Mapping::Logarithmic, 0)), 5);
    // The extremes and the regions first.
    assert_eq!(launches(&[u32::MAX, 3], stable(Mapping::Linear, 256)), 2 + 5);
    assert_eq!(launches(&[u32::MAX, 3], stable(Mapping::Linear, 257)), 2 + 2 * 5);
}
