#![allow(clippy::unwrap_used)]

use pregel_core::graph::Graph;
use pregel_core::graph::generate::Spec;

use super::graphs::{GRAPHS, Used};
use super::numbering::{in_degrees, on_all_threads, on_one_thread};
use super::padding::{extra, slots, sorted};

#[test]
fn numbering_gives_every_edge_a_slot_of_its_receiver() {
    for spec in [
        "rmat:scale=12,ef=9,sym=0,dedup=0",
        "uniform:n=100000,m=5000,sym=0",
        "uniform:n=70000,m=200000,sym=0",
        "uniform:n=1,m=0,sym=0",
    ] {
        let graph = spec.parse::<Spec>().unwrap().plain().unwrap();
        let rows = graph.out();
        let (begins, slots) = on_one_thread(rows);
        let mut taken = vec![false; slots.len()];
        for (&target, &slot) in rows.targets().iter().zip(&slots) {
            let own = begins[target as usize]..begins[target as usize + 1];
            assert!(own.contains(&u64::from(slot)), "{spec}");
            assert!(!std::mem::replace(&mut taken[slot as usize], true), "{spec}");
        }
        for threads in [1, 3] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| on_all_threads(rows)) == (begins.clone(), slots.clone()));
        }
    }
}

#[test]
fn slots_of_one_receiver_keep_the_order_of_the_edges() {
    let graph = Graph::from_edges([(0, 2), (1, 2), (1, 0), (3, 2)]).unwrap();
    let (begins, slots) = on_one_thread(graph.out());
    assert_eq!(begins, [0, 1, 1, 4, 4]);
    // 0→2, 1→0, 1→2, 3→2.
    assert_eq!(slots, [1, 0, 2, 3]);
}

#[test]
fn regions_sort_approximately() {
    let degrees = [7, 0, 3, 10, 2, 9, 1];
    assert_eq!(sorted(&degrees, 0), degrees);
    assert_eq!(sorted(&degrees, 1), degrees);
    // Two regions: only the largest is in the second.
    assert_eq!(sorted(&degrees, 2), [7, 0, 3, 2, 9, 1, 10]);
    assert_eq!(sorted(&degrees, 3), [0, 3, 2, 1, 7, 9, 10]);
    assert_eq!(sorted(&degrees, 11), [0, 1, 2, 3, 7, 9, 10]);
    assert_eq!(sorted(&[], 5), [0; 0]);
    assert_eq!(sorted(&[4, 4], 5), [4, 4]);
    assert_eq!(sorted(&[0, u32::MAX, 5], u32::MAX >> 12)[2], u32::MAX);
}

#[test]
fn groups_are_padded_to_their_longest_column() {
    let degrees = [5, 4, 4, 2, 1];
    assert_eq!(slots(&degrees, 1), 16);
    assert_eq!(slots(&degrees, 2), 10 + 8 + 2);
    assert_eq!(slots(&degrees, 4), 20 + 4);
    assert_eq!(extra(&degrees, 1), 0.0);
    assert_eq!(extra(&degrees, 4), 50.0);
    assert_eq!(extra(&[], 4), 0.0);
    assert_eq!(extra(&[0, 0], 4), 0.0);
}

fn degrees(used: &Used) -> Vec<u32> {
    in_degrees(&on_one_thread(used.graph.out()).0)
}

#[test]
fn files_take_the_place_of_stand_ins() {
    let folder = tempfile::tempdir().unwrap();
    let text = "# a comment of SNAP\n1\t2\n7\t2\n2\t7\n";
    std::fs::write(folder.path().join("cit-Patents.txt"), text).unwrap();
    let used = Used::open(3, Some(folder.path()), false).unwrap();
    assert_eq!(
        (used.described.name, used.origin.as_str()),
        ("cit-Patents", "file cit-Patents.txt")
    );
    assert_eq!(degrees(&used), [0, 2, 1]);
    // A quick run reads none.
    let quick = Used::open(3, Some(folder.path()), true).unwrap();
    assert!(quick.origin.starts_with("stand-in "), "{}", quick.origin);
}

#[test]
fn specs_stand_for_the_graphs_of_the_thesis() {
    for (number, described) in GRAPHS.iter().enumerate() {
        let quick = Used::open(number, None, true).unwrap();
        assert!(quick.graph.directed(), "{}", described.name);
        assert!(degrees(&quick).iter().any(|degree| *degree > 1), "{}", described.name);
    }
}
