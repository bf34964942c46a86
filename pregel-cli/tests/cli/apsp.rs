//! `pregel run apsp`

use crate::common::Place;

const FAILED: i32 = 1;
const USAGE: i32 = 2;

/// The rows of an `.npy` file of `f32`, and its heading.
fn rows(place: &Place, name: &str, width: usize) -> (String, Vec<Vec<f32>>) {
    let bytes = std::fs::read(place.path(name)).unwrap();
    let head = 10 + usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    assert_eq!(head % 64, 0);
    let values: Vec<f32> =
        bytes[head..].chunks(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    let text = String::from_utf8(bytes[10..head].to_vec()).unwrap();
    (text.trim_end().to_owned(), values.chunks(width).map(<[f32]>::to_vec).collect())
}

#[test]
fn a_square_matrix_is_written_in_the_order_of_the_ids() {
    let place = Place::with_graph();
    let inf = f32::INFINITY;
    let expected = [
        [0.0, 0.5, 1.5, inf, inf],
        [inf, 0.0, 1.0, inf, inf],
        [inf, inf, 0.0, inf, inf],
        [inf, inf, inf, 0.0, 1.0],
        [inf, inf, inf, inf, 0.0],
    ];
    for method in ["auto", "floyd", "squaring", "search"] {
        let line = format!(
            "run apsp graph.txt --engine cpu --method {method} --output all.npy --verify --quiet"
        );
        assert_eq!(place.out(&line), "");
        let (head, found) = rows(&place, "all.npy", 5);
        assert_eq!(head, "{'descr': '<f4', 'fortran_order': False, 'shape': (5, 5), }");
        assert_eq!(found, expected, "{method}");
    }
    place.out("run apsp graph.txt --engine cpu --output some.npy --rows 10,1");
    let (head, found) = rows(&place, "some.npy", 5);
    assert!(head.contains("'shape': (2, 5)"), "{head}");
    assert_eq!(found, [expected[3], expected[0]]);
}

#[test]
fn a_summary_and_a_path_are_printed() {
    let place = Place::with_graph();
    let text = place.out("run apsp graph.txt --engine cpu --source 1 --target 3");
    assert!(text.contains("9 pairs connected (36.0 %), mean distance"), "{text}");
    assert!(text.contains("path to 3: 2 edges"), "{text}");
    let none = place.out("run apsp graph.txt --engine cpu --source 3 --target 1");
    assert!(none.contains("no path to 1"), "{none}");
}

#[test]
fn negative_weights_are_fine_unless_they_make_a_cycle() {
    let place = Place::new();
    place.write("signed.txt", "1 2 4\n2 3 -3\n3 4 1\n");
    place.write("cycle.txt", "1 2 4\n2 3 -3\n3 2 2\n");
    for lengths in ["f32", "i32"] {
        let line = format!("run apsp signed.txt --engine cpu --lengths {lengths} --verify");
        assert!(place.out(&line).contains("10 pairs connected"));
        let line = format!("run apsp cycle.txt --engine cpu --lengths {lengths}");
        place.refuses(&line, FAILED, &["a negative cycle goes through vertex «"]);
    }
    let search = "run apsp signed.txt --engine cpu --method search";
    place.refuses(search, FAILED, &["vertex «2» has a negative length"]);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let place = Place::with_graph();
    let usage = |options: &str, words: &[&str]| {
        place.refuses(&format!("run apsp graph.txt --engine cpu {options}"), USAGE, words);
    };
    usage("--output all.tsv", &["written as .npy", "all.npy"]);
    usage("--rows 1", &["--rows is for --output"]);
    usage("--source 1", &["--source and --target together"]);
    usage("--source 1 --target 3 --method squaring", &["repeated squaring finds no successors"]);
    usage("--strategy push", &["not a vertex program"]);
    place.refuses("run apsp graph.txt --engine reference", USAGE, &["does not run"]);
    place.refuses("run apsp graph.txt --lengths i32", FAILED, &["weight 0.5", "whole numbers"]);
    place.write("long.txt", "1 2 3e38\n2 3 1\n");
    place.refuses("run apsp long.txt --engine cpu", FAILED, &["3 vertices", "longer than"]);
}

#[test]
fn a_sparse_graph_is_searched_which_a_note_says() {
    let place = Place::new();
    let line = "run apsp uniform:n=3000,m=9000 --engine cpu";
    let done = place.pregel(line);
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("expected to be cheaper than Floyd-Warshall"), "{}", done.err);
    assert!(done.out.contains("a search from every vertex"), "{}", done.out);
}
