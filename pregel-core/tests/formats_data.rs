//! Every file of the data folder loads with the counts that its README
//! states. Without the folder the tests say so and check nothing.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use pregel_core::graph::DegreeStats;
use pregel_core::io::graphalytics::Properties;
use pregel_core::io::{Format, LoadOptions, Loaded, load};

/// `PREGEL_DATA`, or `shared/data` beside the workspace.
fn data() -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shared/data");
    let folder = std::env::var_os("PREGEL_DATA").map_or_else(|| beside.into(), PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: no data folder at {}; set PREGEL_DATA", folder.display());
    None
}

fn read(name: &str, directed: Option<bool>) -> Option<Loaded> {
    let options = LoadOptions::default().with_directed(directed);
    Some(load(&data()?.join(name), &options).unwrap_or_else(|error| panic!("{error:?}")))
}

/// Loads an edge list and checks vertices and edges, each edge counted once.
fn check(name: &str, format: Format, undirected: bool, weighted: bool, counts: (u32, u64)) {
    // Only edge lists need to be told; the other formats know.
    let told = (undirected && format == Format::EdgeList).then_some(false);
    let Some(loaded) = read(name, told) else { return };
    assert_eq!(loaded.format, format, "{name}");
    assert_eq!(loaded.graph.directed(), !undirected, "{name}");
    assert_eq!(loaded.graph.has_weights(), weighted, "{name}");
    assert_eq!((loaded.graph.vertex_count(), loaded.report.read), counts, "{name}");
    let rows = loaded.report.read + loaded.report.mirrored;
    assert_eq!(loaded.graph.edge_count(), rows, "{name}");
}

#[test]
fn edge_lists() {
    let format = Format::EdgeList;
    check("wiki-Vote/wiki-Vote.txt.gz", format, false, false, (7_115, 103_689));
    check("ego-Facebook/facebook_combined.txt.xz", format, true, false, (4_039, 88_234));
    check("email-Enron/email-Enron.txt.xz", format, true, false, (36_692, 183_831));
    check("cit-HepPh/cit-HepPh.txt.xz", format, false, false, (34_546, 421_578));
    let slashdot = "soc-Slashdot0902/soc-Slashdot0902";
    check(&format!("{slashdot}.txt.xz"), format, false, false, (82_168, 948_464));
    check(&format!("{slashdot}-undirected.txt.xz"), format, true, false, (82_168, 582_533));
    check("musae-github/musae-github_edges.csv.xz", format, true, false, (37_700, 289_003));
    let web = "uk-2007-05@100000/uk-2007-05@100000.arcs.txt.xz";
    check(web, format, false, false, (100_000, 3_050_615));
}

#[test]
fn self_loops_are_kept_and_stored_once() {
    let Some(loaded) = read("soc-Slashdot0902/soc-Slashdot0902.txt.xz", None) else { return };
    let graph = loaded.graph.plain();
    let loops = (0..graph.vertex_count()).filter(|v| graph.out().row(*v).contains(v));
    assert_eq!(loops.count(), 78_303);
}

#[test]
fn a_header_line_is_no_edge() {
    let Some(loaded) = read("musae-github/musae-github_edges.csv.xz", Some(false)) else { return };
    assert_eq!(DegreeStats::of(loaded.graph.plain().out()).max, 9_458);
}

#[test]
fn matrix_market() {
    let name = "luxembourg_osm/luxembourg_osm.mtx.xz";
    check(name, Format::MatrixMarket, true, false, (114_599, 119_666));
}

#[test]
fn dimacs() {
    let format = Format::Dimacs;
    check("road/NY.gr.xz", format, true, false, (264_346, 365_050));
    check("road/FLA.gr.xz", format, true, false, (1_070_376, 1_343_951));
    check("road/NE.gr.xz", format, true, false, (1_524_453, 1_934_010));
    check("rome99/rome99.gr", format, false, true, (3_353, 8_870));
    check("road/bremen_dist.gr.xz", format, false, true, (40_461, 86_475));
    check("road/bremen_time.gr.xz", format, false, true, (40_461, 86_475));
    check("road/graph_ballard.gr.xz", format, false, true, (7_026, 16_510));
    check("road/south_seattle_car.gr.xz", format, false, true, (26_261, 49_604));
    check("road/graph_23rd.gr", format, false, true, (2_212, 5_170));
}

#[test]
fn graphalytics() {
    let Some(folder) = data().map(|data| data.join("graphalytics/test-graphs")) else { return };
    let mut files = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|suffix| suffix != "properties") {
            continue;
        }
        files += 1;
        let properties = Properties::read(&path).unwrap();
        let lines = |suffix| {
            std::fs::read_to_string(path.with_extension(suffix)).unwrap().lines().count() as u64
        };
        for start in [
            path.clone(),
            path.with_extension("v"),
            path.with_extension("e"),
            path.with_extension(""),
        ] {
            let loaded = load(&start, &LoadOptions::default()).unwrap();
            assert_eq!(loaded.format, Format::Graphalytics);
            assert_eq!(loaded.graph.directed(), properties.directed);
            assert_eq!(loaded.graph.has_weights(), properties.weighted);
            assert_eq!(u64::from(loaded.graph.vertex_count()), lines("v"), "{path:?}");
            assert_eq!(loaded.report.read, lines("e"), "{path:?}");
            let slip = properties.edge_file == properties.vertex_file;
            assert_eq!(loaded.notes.len(), usize::from(slip), "{path:?}: {:?}", loaded.notes);
        }
    }
    assert_eq!(files, 14);
}
