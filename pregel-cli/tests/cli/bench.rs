//! `pregel bench`

use crate::common::{Place, data};

#[test]
fn a_quick_report_is_printed() {
    let place = Place::new();
    let report = place.out("bench graph500 --quick --threads 2");
    for item in ["Table 1", "Figure 3", "Table 2", "Table 3", "Figure 4", "Table 6", "Figures 5"] {
        assert!(
            report.lines().any(|line| line.starts_with("## ") && line.contains(item)),
            "{item}"
        );
    }
    assert!(report.contains(", 2 threads\n"));
    assert!(report.contains("| 10 | pregel, engine cpu | "));
    assert!(report.contains("harmonic_mean_TEPS: "));
    // A quick run shows that everything works; its figures say nothing about the paper's.
    assert!(!report.contains("| holds"));
    assert!(report.contains("cannot be compared, because the graphs of a quick run are too small"));
    assert_eq!(place.files(), [""; 0]);
}

#[test]
fn the_thesis_is_measured_as_far_as_it_takes_no_gpu() {
    let place = Place::new();
    let report = place.out("bench thesis --quick --threads 2 --engine cpu");
    for item in ["Table 5.1", "Table 5.3", "Figure 5.6", "Figure 5.8", "Figures 5.1 to 5.7"] {
        assert!(
            report.lines().any(|line| line.starts_with("## ") && line.contains(item)),
            "{item}"
        );
    }
    assert!(report.contains("| cit-Patents | stand-in indegree:n=3000,"));
    assert!(report.contains("because no GPU was used: the options say so |"));
    assert!(!report.contains("| holds"));
}

#[test]
fn flexbfs_is_measured_as_far_as_it_takes_no_gpu() {
    let place = Place::new();
    let report = place.out("bench flexbfs --quick --threads 2 --engine cpu");
    for item in ["Table 1", "Figure 1", "Figure 4", "Figure 5", "Figure 6", "Figures 3 and 7"] {
        assert!(
            report.lines().any(|line| line.starts_with("## ") && line.contains(item)),
            "{item}"
        );
    }
    assert!(report.contains("| NY | roads | stand-in grid:rows=20,cols=20,drop=300 | "));
    assert!(report.contains("| irregular 1 | sequential | "));
    assert!(report.contains("because no GPU was used: the options say so |"));
    assert!(!report.contains("| holds"));
}

#[test]
fn paths_between_all_pairs_are_measured() {
    let place = Place::new();
    let report = place.out("bench apsp --quick --threads 2 --engine cpu --minutes 1");
    for item in ["Table 1", "Table 2", "Table 3"] {
        assert!(
            report.lines().any(|line| line.starts_with("## ") && line.contains(item)),
            "{item}"
        );
    }
    assert!(report.contains("| 200 | all cores, Floyd–Warshall | "));
    assert!(report.contains("OpenCL on GPUs of AMD is out of scope"));
    assert!(!report.contains("| holds"));
}

#[test]
fn groute_is_measured_as_far_as_it_takes_no_gpu() {
    let place = Place::new();
    let report = place.out("bench groute --quick --threads 2 --engine cpu");
    for item in ["Table 4", "Table 5", "Figure 10a", "§5.2", "Figure 11", "Figure 12"] {
        assert!(
            report.lines().any(|line| line.starts_with("## ") && line.contains(item)),
            "{item}"
        );
    }
    assert!(report.contains("| USA | CPU | auto | "));
    assert!(report.contains("because no GPU was used: the options say so |"));
    assert!(!report.contains("| holds"));
}

#[test]
fn the_cases_of_graphalytics_are_valid() {
    let Some(folder) = data("graphalytics") else { return };
    let place = Place::new();
    let bench = format!("bench graphalytics {} --engine cpu", folder.display());
    let report = place.out(&format!("{bench} --quick --threads 2"));
    // Two examples and two tests for each of six algorithms.
    assert_eq!(report.matches(" | valid | 1 | ").count(), 24, "{report}");
    assert!(report.contains("test-wcc-directed: the .properties file names the vertex file"));
    place.out(&format!("{bench} --out report -q"));
    let csv = place.read("report/graphalytics-results.csv");
    assert_eq!(csv.lines().count(), 25);
    assert!(csv.lines().skip(1).all(|line| line.contains(",valid,7,")), "{csv}");
    assert!(place.read("report/graphalytics.html").contains("<svg"));
}

/// A data set of two vertices, and the output of BFS from the first.
fn data_set(place: &Place, levels: &str) {
    let properties = "graph.two.directed = true\ngraph.two.algorithms = bfs, wcc\n\
                      graph.two.bfs.source-vertex = 1\n";
    let files = [("properties", properties), ("v", "1\n2\n"), ("e", "1 2\n")]
        .map(|(end, text)| (format!("two.{end}"), text));
    for (name, text) in files {
        place.write(&name, text);
    }
    place.write("two-BFS", levels);
}

#[test]
fn wrong_results_fail_after_the_report() {
    let place = Place::new();
    data_set(&place, "1 0\n2 1\n");
    let report = place.out("bench graphalytics . --engine cpu");
    assert!(report.contains("| two | WCC | cpu | ") && report.contains(" | not validated | 7 | "));
    assert_eq!(report.matches(" | valid | 7 | ").count(), 1, "{report}");
    data_set(&place, "1 0\n2 2\n");
    let failed = place.pregel("bench graphalytics . --engine cpu --out report");
    assert_eq!(failed.code, Some(1), "{}", failed.err);
    let says = "error: two, BFS on cpu: the result is wrong: vertex 2 has 1, expected 2; 1 of 2";
    assert!(failed.err.contains(says), "{}", failed.err);
    assert!(failed.out.contains("report/graphalytics.html"), "{}", failed.out);
    let csv = place.read("report/graphalytics-results.csv");
    assert!(csv.contains("\"wrong: vertex 2 has 1, expected 2; 1 of 2 values differ\",,"), "{csv}");
    assert!(place.read("report/graphalytics.md").contains("- FAILED: two, BFS on cpu: "));
}

#[test]
fn data_sets_that_cannot_be_run_are_refused() {
    let place = Place::new();
    place.refuses("bench graphalytics", 2, &["bench graphalytics DIR"]);
    place.refuses("bench graphalytics none", 2, &["none: there is no such folder"]);
    place.refuses("bench graphalytics . --data .", 2, &["--data is not for bench graphalytics"]);
    place.refuses("bench graph500 .", 2, &["bench graph500 takes no folder"]);
    place.refuses("bench apsp --data .", 2, &["--data is not for bench apsp"]);
    place.refuses("bench graphalytics . --out r", 1, &["expected NAME.properties of a data set"]);
    data_set(&place, "1 0\n2 1\n");
    place.write("two.properties", "graph.two.directed = true\ngraph.two.algorithms = bsf\n");
    let says = ["two.properties: line 2: expected a list of bfs, cdlp,", "found «bsf»"];
    place.refuses("bench graphalytics . --engine cpu --out r", 1, &says);
    data_set(&place, "1 0\n2 1\n");
    place.write("two.e", "1 2\n1 x\n");
    let says = ["two.e, line 2: expected the id of a target vertex"];
    place.refuses("bench graphalytics . --engine cpu --out r", 1, &says);
}

#[test]
fn a_report_is_written_as_files() {
    let place = Place::new();
    let said = place.out("bench graph500 --quick --out bsbb");
    let names = place.files_in("bsbb");
    assert_eq!(said.lines().count(), names.len());
    assert!(said.lines().all(|path| place.path(path).is_file()), "{said}");
    for name in ["graph500.html", "graph500.md", "graph500-fig-3.csv", "graph500-fig-3.svg"] {
        assert!(names.iter().any(|other| other == name), "{names:?}");
    }
    let csv = place.read("bsbb/graph500-fig-3.csv");
    assert!(csv.starts_with("scale,search,"), "{csv}");
    // Ten searches at two scales.
    assert_eq!(csv.lines().count(), 21);
    assert!(place.read("bsbb/graph500.md").contains("](graph500-fig-3.svg)"));
    // Again, over what is there.
    place.out("bench graph500 --quick --out bsbb -q");
    assert_eq!(place.files_in("bsbb"), names);
}

#[test]
fn places_that_take_no_report_are_refused() {
    let place = Place::with_graph();
    place.refuses("bench graph500 --out graph.txt", 2, &["graph.txt", "name a folder"]);
    place.refuses("bench graph500 --out no/such/folder", 1, &["cannot write to no/such"]);
    place.refuses("bench graph501", 2, &["graph501", "graph500"]);
    place.refuses("bench thesis --data snap", 2, &["--data snap", "no such folder"]);
    place.refuses("bench thesis --minutes 0", 2, &["--minutes", "0"]);
    place.refuses("bench thesis --engine reference", 2, &["--engine reference", "auto, cpu"]);
}
