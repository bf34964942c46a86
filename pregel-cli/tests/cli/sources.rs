//! `pregel run` from many sources.

use crate::common::Place;
use crate::run::{WAYS, json};

#[test]
fn searches_from_a_file_of_sources_have_a_column_each() {
    let place = Place::with_graph();
    place.write("sources", "# three\n1\n2\n10\n2\n");
    for way in WAYS {
        let run = format!("graph.txt --sources sources --verify -o - {way}");
        let done = place.pregel(&format!("run bfs {run}"));
        let levels = "id\tfrom_1\tfrom_2\tfrom_10\n\
                      1\t0\t-1\t-1\n2\t1\t0\t-1\n3\t1\t1\t-1\n10\t-1\t-1\t0\n20\t-1\t-1\t1\n";
        assert_eq!(done.out, levels, "{way}: {}", done.err);
        assert!(done.err.contains("note: sources: 1 line repeats an earlier source"));
        let distances = "id\tfrom_1\tfrom_2\tfrom_10\n\
                         1\t0\tinf\tinf\n2\t0.5\t0\tinf\n3\t1.5\t1\tinf\n\
                         10\tinf\tinf\t0\n20\tinf\tinf\t1\n";
        assert_eq!(place.out(&format!("run sssp {run}")), distances, "{way}");
    }
}

/// The columns of a table, without their headings.
fn columns(table: &str) -> Vec<Vec<&str>> {
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split('\t').collect()).collect();
    (0..rows[0].len()).map(|i| rows.iter().map(|row| row[i]).collect()).collect()
}

#[test]
fn searches_from_many_sources_find_what_single_ones_do() {
    let place = Place::new();
    place.out("generate rmat:scale=8 small.txt --weighted");
    // Two packs of bfs, five of sssp.
    for (graph, count) in [("rmat:scale=8", 70), ("small.txt", 12), ("small.txt", 3)] {
        for algorithm in ["bfs", "sssp"] {
            let run = format!("run {algorithm} {graph} --sources {count}");
            let out = place.out(&format!("{run} --verify --quiet -o -"));
            assert_eq!(place.out(&format!("{run} --quiet -o - --engine reference")), out);
            let columns = columns(&out);
            assert_eq!(columns.len(), 1 + count);
            for column in [&columns[1], &columns[count]] {
                let source = column[0].strip_prefix("from_").unwrap();
                let one = format!("run {algorithm} {graph} --source {source} --quiet -o -");
                let values: Vec<String> = place
                    .out(&one)
                    .lines()
                    .map(|line| line.split('\t').nth(1).unwrap().to_owned())
                    .collect();
                assert_eq!(column[1..], values, "{one}");
            }
        }
    }
}

#[test]
fn reports_of_many_searches_list_sources_and_packs() {
    let place = Place::new();
    let run = "run bfs rmat:scale=10 --sources 70 --trials 2 --verify --report r.json";
    let out = place.out(run);
    assert!(out.contains(" from 70 sources on cpu") || out.contains(" in 2 packs on "), "{out}");
    assert!(out.contains("reached") && out.contains("and 60 more;"), "{out}");
    let report = json(&place, "r.json");
    let sources = report["sources"].as_array().unwrap();
    assert_eq!((sources.len(), report.get("source")), (70, None));
    let packs = report["packs"].as_array().unwrap();
    assert_eq!(packs.len(), 2);
    assert_eq!((&packs[0]["sources"], &packs[0]["together"]), (&64.into(), &true.into()));
    // Few sources are searched from one after another.
    assert_eq!((&packs[1]["sources"], &packs[1]["together"]), (&6.into(), &false.into()));
    let sum: f64 = packs.iter().map(|pack| pack["seconds"].as_f64().unwrap()).sum();
    assert!((sum - report["trials"][1]["seconds"].as_f64().unwrap()).abs() < 1e-6);

    let done = place.pregel("run sssp grid:rows=2,cols=300 --sources 10 --verify");
    assert_eq!(done.code, Some(0), "{}", done.err);
    assert!(done.err.contains("note: the graph is so deep"), "{}", done.err);
    // A limit of the user ends packs, and is none of their own.
    let done = place.pregel("run bfs grid:rows=2,cols=300 --sources 10 --supersteps 5");
    assert!(done.out.contains("in 1 pack on cpu") && done.out.contains("stopped at the limit"));
}
