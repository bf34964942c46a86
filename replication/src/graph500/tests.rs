#![allow(clippy::unwrap_used)]

use pregel_algos::bfs::BfsTree;
use pregel_core::engine::gpu::{Gpu, Images};
use pregel_core::graph::generate::Spec;
use pregel_core::graph::{Graph, GraphBuilder};
use pregel_core::program::VertexId;
use pregel_emulator::Emulator;
use rayon::ThreadPoolBuilder;

use super::engine::Searcher;
use super::layout::{Layout, NONE};
use super::measure;
use super::search::Search;
use super::techniques::{LADDER, Techniques};
use super::validate::{Broken, validate};
use crate::Options;

pregel_emulator::export!(bfs_tree: BfsTree);

#[test]
fn a_device_searches_what_the_cpu_searches() {
    let images = Images::new()
        .graph(pregel_emulator::graph::KERNELS)
        .program::<BfsTree>("bfs_tree", bfs_tree::KERNELS);
    let device = Box::new(Searcher(Gpu::new(Emulator::new(), images)));
    let options = Options { quick: true, ..Options::default() };
    let report = measure(Ok(device), &options, &|_| ()).unwrap();
    assert!(report.machine.device.is_some());
    let item = |name| report.items.iter().find(|item| item.name == name).unwrap();
    let gpu = item("gpu");
    assert_eq!(gpu.table.rows.len(), 2);
    assert!(gpu.method.contains("Nothing was left out."), "{}", gpu.method);
    assert!(gpu.verbatim.as_ref().unwrap().contains("nbfs: 4\n"));
    assert_eq!(item("fig-4-edge-factors").table.rows[0].len(), 4);
    let without = measure(Err("there is none".to_owned()), &options, &|_| ()).unwrap();
    assert_eq!(without.items.len() + 1, report.items.len());
    assert!(without.notes.contains(&"No GPU was used: there is none.".to_owned()));
}

/// Every combination of techniques.
fn combinations() -> impl Iterator<Item = Techniques> {
    (0..1 << 8).map(|bits: u32| {
        let bit = |i: u32| bits >> i & 1 != 0;
        Techniques {
            direction: bit(0),
            zero_removal: bit(1),
            highest_first: bit(2),
            vertex_sort: bit(3),
            shuffle: bit(4),
            block_search: bit(5),
            two_bitmaps: bit(6),
            merged_loop: bit(7),
        }
    })
}

/// Generated edges, and the graph that is searched.
fn generated(spec: &str) -> (Vec<[VertexId; 2]>, Graph<()>, Vec<VertexId>) {
    let spec: Spec = spec.parse().unwrap();
    let graph = spec.plain().unwrap();
    let roots = spec.sources(&graph, 3);
    (spec.edge_list().unwrap().edges, graph, roots)
}

const GRAPHS: [&str; 5] = [
    "rmat:scale=8,ef=4",
    "uniform:n=300,m=290",
    "grid:rows=2,cols=40,drop=20",
    "grid:rows=13,cols=17",
    "uniform:n=70,m=2000",
];

/// Checks trees of every graph, with this many threads.
fn check(threads: usize, techniques: &[Techniques]) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        for spec in GRAPHS {
            let (edges, graph, roots) = generated(spec);
            for &techniques in techniques {
                let layout = Layout::new(&graph, techniques, threads).unwrap();
                let mut search = Search::new(&layout, techniques);
                for &root in &roots {
                    let parents = search.run(root);
                    let traversed = validate(graph.vertex_count(), &edges, root, &parents);
                    let traversed = traversed.unwrap_or_else(|broken| {
                        panic!("{spec}, {techniques:?}, {threads} threads, {root}: {broken}")
                    });
                    assert!(traversed > 0);
                }
            }
        }
    });
}

#[test]
fn every_combination_gives_right_trees() {
    check(1, &combinations().collect::<Vec<_>>());
}

#[test]
fn threads_give_right_trees() {
    let rungs = LADDER.iter().map(|(_, techniques)| *techniques);
    let others = Techniques::all_but_one().into_iter().map(|(_, techniques)| techniques);
    check(3, &rungs.chain(others).collect::<Vec<_>>());
}

#[test]
fn bottom_up_levels_find_what_there_is() {
    let (_, graph, roots) = generated("rmat:scale=9,ef=16");
    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let counts = |techniques| {
        let layout = Layout::new(&graph, techniques, 2).unwrap();
        pool.install(|| Search::new(&layout, techniques).counted(roots[0]))
    };
    let expected = counts(Techniques::ALL);
    assert!(expected.len() > 1);
    for techniques in combinations().filter(|of| of.direction && of.highest_first) {
        let found = counts(techniques);
        // Places without a vertex are visited from the start; isolated vertices never are.
        if techniques.zero_removal {
            assert_eq!(found.len(), expected.len(), "{techniques:?}");
            for (&(level, got), &(_, want)) in found.iter().zip(&expected) {
                assert_eq!((got.found, got.by_first), (want.found, want.by_first), "{level}");
                assert_eq!((got.unvisited, got.edges), (want.unvisited, want.edges), "{level}");
                if techniques.block_search && techniques.merged_loop && techniques.shuffle {
                    assert_eq!(got.looks, want.looks, "{level}");
                }
            }
        }
        let scans = |by_block| counts(Techniques { block_search: by_block, ..techniques });
        let (by_bit, by_block) = (scans(false), scans(true));
        for (bit, block) in by_bit.iter().zip(&by_block) {
            assert!(block.1.looks <= bit.1.looks + bit.1.looks / 64, "{techniques:?}");
        }
    }
}

#[test]
fn rungs_add_one_technique_each() {
    let count = |of: Techniques| {
        [
            of.direction,
            of.zero_removal,
            of.highest_first,
            of.vertex_sort,
            of.shuffle,
            of.block_search,
            of.two_bitmaps,
            of.merged_loop,
        ]
        .iter()
        .filter(|used| **used)
        .count()
    };
    for (i, (_, techniques)) in LADDER.iter().enumerate() {
        assert_eq!(count(*techniques), i);
    }
    for (name, techniques) in Techniques::all_but_one() {
        assert_eq!(count(techniques), 7, "{name}");
    }
}

#[test]
fn dealt_vertices_lie_in_turn() {
    // Degrees 3, 2, 2, 1, 0.
    let graph = GraphBuilder::new()
        .with_directed(false)
        .with_vertex_count(5)
        .with_edges([(3, 0), (3, 1), (3, 2), (0, 1)])
        .build()
        .unwrap();
    let layout = Layout::new(&graph, Techniques::ALL, 2).unwrap();
    assert_eq!(layout.places(), 128);
    assert_eq!([layout.vertex_at(0), layout.vertex_at(64)], [3, 0]);
    assert_eq!([layout.vertex_at(1), layout.vertex_at(65)], [1, 2]);
    assert_eq!(layout.vertex_at(2), NONE);
    assert_eq!(layout.place_of(4), NONE);
    assert_eq!(layout.row(0), [64, 1, 65]);
    assert_eq!(layout.first()[..2], [64, 0]);
    assert_eq!(layout.holes(0), !0b11);
    assert_eq!(layout.segments().collect::<Vec<_>>(), [0..1, 1..2]);
}

/// A square 0–1–2–3 with a tail 3–4, and a pair apart.
const EDGES: [[VertexId; 2]; 7] = [[0, 1], [1, 2], [2, 3], [3, 0], [3, 4], [5, 6], [1, 1]];
const PARENTS: [VertexId; 7] = [0, 0, 1, 0, 3, NONE, NONE];

#[test]
fn traversed_edges_count_duplicates_and_loops() {
    assert_eq!(validate(7, &EDGES, 0, &PARENTS), Ok(6));
    let mut edges = EDGES.to_vec();
    edges.push([1, 0]);
    assert_eq!(validate(7, &edges, 0, &PARENTS), Ok(7));
}

#[test]
fn every_rule_can_be_broken() {
    let with = |changes: &[(usize, VertexId)]| {
        let mut parents = PARENTS;
        for &(vertex, parent) in changes {
            parents[vertex] = parent;
        }
        validate(7, &EDGES, 0, &parents)
    };
    assert_eq!(with(&[(0, 1)]), Err(Broken::NoTree { vertex: 0 }));
    // 1 and 2 lead to each other.
    assert_eq!(with(&[(1, 2)]), Err(Broken::NoTree { vertex: 1 }));
    assert_eq!(with(&[(2, 2)]), Err(Broken::NoTree { vertex: 2 }));
    // A parent that is not in the tree, and one that is no vertex.
    assert_eq!(with(&[(4, 5)]), Err(Broken::NoTree { vertex: 4 }));
    assert_eq!(with(&[(4, 70)]), Err(Broken::NoTree { vertex: 4 }));
    // By way of 1 and 2, 3 would be at level 3 although it is a neighbour of the root.
    let levels = Broken::Levels { from: 3, to: 0, above: 3, below: 0 };
    assert_eq!(with(&[(3, 2)]), Err(levels));
    assert_eq!(with(&[(4, NONE)]), Err(Broken::LeftOut { from: 3, to: 4 }));
    assert_eq!(with(&[(6, 0)]), Err(Broken::LeftOut { from: 6, to: 5 }));
    // 2 is two edges away whichever way; 0 is not its neighbour, nor one level off an edge.
    assert_eq!(with(&[(2, 0)]), Err(Broken::NoEdge { vertex: 2, parent: 0 }));
    let short = validate(7, &EDGES, 0, &PARENTS[..6]);
    assert_eq!(short, Err(Broken::Length { parents: 6, vertices: 7 }));
}
