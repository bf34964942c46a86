//! Incoming rows that many threads ask for at a time.

use std::sync::mpsc;
use std::time::Duration;

use rayon::prelude::*;

use crate::graph::generate::Spec;
use crate::graph::{Csr, Graph, Ids};

/// The same edges in a graph that has no incoming rows yet.
fn copy(graph: &Graph<f32>) -> Graph<f32> {
    let (offsets, targets) = (graph.out().offsets().to_vec(), graph.out().targets().to_vec());
    let rows = Csr::new(offsets.into(), targets.into()).unwrap();
    let values = graph.out_values().to_vec().into();
    Graph::new(true, Ids::range(0, graph.vertex_count()), rows, values).unwrap()
}

/// A thread of a pool that waits for its own tasks takes up others. If it held a
/// lock that these want, it would wait for itself.
#[test]
fn tasks_of_a_pool_may_all_ask_for_the_incoming_rows() {
    let (done, finished) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(16).build().unwrap();
        let drawn = "rmat:scale=12,sym=0".parse::<Spec>().unwrap().weighted().unwrap();
        let edges = drawn.edge_count();
        for _ in 0..100 {
            let graph = copy(&drawn);
            pool.install(|| {
                (0..64).into_par_iter().with_max_len(1).for_each(|_| {
                    assert_eq!(graph.incoming().edge_count(), edges);
                    assert_eq!(graph.incoming_values().len() as u64, edges);
                });
            });
        }
        done.send(()).unwrap();
    });
    assert!(finished.recv_timeout(Duration::from_secs(120)).is_ok(), "the tasks wait for ever");
}
