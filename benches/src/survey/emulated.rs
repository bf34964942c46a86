//! A survey on the emulator: its times mean nothing, but all of its code runs.

use std::time::Duration;

use pregel_algos::bfs::{Bfs, BfsTree};
use pregel_algos::cdlp::Cdlp;
use pregel_algos::hcc::Hcc;
use pregel_algos::pagerank::PageRank;
use pregel_algos::sssp::Sssp;
use pregel_core::engine::gpu::{Gpu, Images};
use pregel_emulator::{Emulator, export, graph};

use super::{Cell, Plan, Survey};
use crate::programs::NAMES;

export!(pagerank_f32: PageRank<f32>);
export!(pagerank_f64: PageRank<f64>);
export!(bfs: Bfs);
export!(bfs_tree: BfsTree);
export!(sssp: Sssp);
export!(hcc: Hcc);
export!(cdlp: Cdlp);

fn survey(plan: Plan, graph: &str) -> (Vec<Cell>, usize) {
    let images = Images::new()
        .graph(graph::KERNELS)
        .program::<PageRank<f32>>("pagerank_f32", pagerank_f32::KERNELS)
        .program::<PageRank<f64>>("pagerank_f64", pagerank_f64::KERNELS)
        .program::<Bfs>("bfs", bfs::KERNELS)
        .program::<BfsTree>("bfs_tree", bfs_tree::KERNELS)
        .program::<Sssp>("sssp", sssp::KERNELS)
        .program::<Hcc>("hcc", hcc::KERNELS)
        .program::<Cdlp>("cdlp", cdlp::KERNELS);
    let plan = Plan { brief: true, ..plan };
    Survey::new(Gpu::new(Emulator::new(), images), plan).run(&[graph.to_owned()])
}

#[test]
fn every_program_runs_in_several_ways() {
    let (cells, failures) = survey(Plan::default(), "uniform:n=60,m=90,sym=0");
    assert_eq!(failures, 0);
    let programs: Vec<&str> = cells.iter().map(|cell| cell.program).collect();
    assert_eq!(programs, NAMES);
    for cell in &cells {
        assert!(cell.auto_ms > 0.0 && cell.first_ms > 0.0, "{cell}");
        let ways = [&cell.others[..], &cell.hopeless[..]].concat();
        let same = |way: &str| cell.same_as_auto.contains(&way);
        // On so small a graph, `auto` may come to run in any of these ways.
        let has = |way: &str| ways.iter().any(|(name, _)| *name == way) || same(way);
        match cell.program {
            "wcc" => assert!(ways.is_empty(), "{cell}"),
            "cdlp" => assert!(has("mailbox") && !has("pull"), "{cell}"),
            _ => assert!(has("mailbox") && has("push") && has("pull"), "{cell}"),
        }
        assert!(cell.rounds > 0, "{cell}");
        // On this graph, `auto` uses neither bins nor hot signals, so their absence is no
        // way of its own. Bins are impossible for BFS.
        assert!(cell.program == "wcc" || same("auto-direct") && same("auto-cold"), "{cell}");
        assert!(cell.program != "bfs" || same("auto-bins") && has("auto-hosted"), "{cell}");
    }
}

#[test]
fn a_survey_is_narrowed_and_ends_in_time() {
    let narrow = || Plan {
        ways: vec!["pull".to_owned()],
        programs: vec!["bfs".to_owned()],
        ..Plan::default()
    };
    let (cells, failures) = survey(narrow(), "star:n=9");
    assert_eq!((cells.len(), failures), (1, 0));
    assert_eq!(cells[0].steps, 2);
    let plan = Plan { at_most: Some(Duration::ZERO), ..narrow() };
    assert!(survey(plan, "star:n=9").0.is_empty());
    assert_eq!(survey(narrow(), "nowhere.txt").1, 1);
}
