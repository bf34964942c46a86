//! `pregel run`: results, summaries, reports.

use crate::common::Place;

/// Every engine and strategy that a test goes through.
pub const WAYS: [&str; 5] = [
    "",
    "--strategy push",
    "--strategy pull",
    "--strategy mailbox --threads 1",
    "--engine reference",
];

#[test]
fn bfs_writes_levels_in_the_order_of_the_ids() {
    let place = Place::with_graph();
    for way in WAYS {
        let out = place.out(&format!("run bfs graph.txt --source 1 --verify -o - {way}"));
        assert_eq!(out, "1\t0\n2\t1\n3\t1\n10\t-1\n20\t-1\n", "{way}");
    }
}

#[test]
fn sssp_uses_the_weights_of_the_file() {
    let place = Place::with_graph();
    for way in WAYS {
        let out = place.out(&format!("run sssp graph.txt --source 1 --verify -o - {way}"));
        assert_eq!(out, "1\t0\n2\t0.5\n3\t1.5\n10\tinf\n20\tinf\n", "{way}");
    }
    let unit = "1\t0\n2\t1\n3\t1\n10\tinf\n20\tinf\n";
    for weights in ["none", "unit"] {
        let out = place.out(&format!("run sssp graph.txt --source 1 --weights {weights} -o -"));
        assert_eq!(out, unit, "{weights}");
    }
    place.write("plain.txt", "1 2\n1 3\n2 3\n10 20\n");
    let done = place.pregel("run sssp plain.txt --source 1 -o -");
    assert_eq!(done.out, unit);
    assert!(done.err.contains("note: plain.txt has no weights; every edge weighs 1"));
}

#[test]
fn sssp_says_when_distances_overflow() {
    let place = Place::new();
    // Each length fits f32, but not the distance of 3; 4 is behind it.
    place.write("far.txt", "1 2 3e38\n2 3 3e38\n3 4 1\n5 6 1\n");
    let note = "note: distances above 3.4028235e38 do not fit f32";
    for way in WAYS.into_iter().chain(["--parents"]) {
        let done = place.pregel(&format!("run sssp far.txt --source 1 -o - {way}"));
        assert!(done.err.contains(note), "{way}: {}", done.err);
        assert!(done.err.contains("this happens after 1 edge;"), "{way}: {}", done.err);
        let distances = done.out.lines().map(|line| line.split('\t').nth(1).unwrap());
        assert!(distances.eq(["0", "3e38", "inf", "inf", "inf", "inf"]), "{way}: {}", done.out);
    }
    place.write("near.txt", "1 2 3e38\n2 3 1\n3 4 1\n5 6 3e38\n");
    for options in ["", "--supersteps 1"] {
        let done = place.pregel(&format!("run sssp near.txt --source 1 -o - {options}"));
        assert!(done.code == Some(0) && !done.err.contains("note:"), "{options}: {}", done.err);
    }
}

#[test]
fn hcc_names_components_by_their_smallest_vertex() {
    let place = Place::with_graph();
    for way in WAYS {
        let out = place.out(&format!("run hcc graph.txt --verify -o - {way}"));
        assert_eq!(out, "1\t1\n2\t1\n3\t1\n10\t10\n20\t10\n", "{way}");
    }
}

#[test]
fn wcc_gives_what_hcc_gives() {
    let place = Place::with_graph();
    place.write("names.csv", "from,to\nAda,Bob\nBob,Cy\nDan,Eve\n");
    for graph in ["graph.txt", "graph.txt --undirected", "names.csv", "rmat:scale=12"] {
        for form in ["-q", "-q -o -"] {
            let wcc = place.out(&format!("run wcc {graph} --verify {form}"));
            assert_eq!(wcc, place.out(&format!("run hcc {graph} {form}")), "{graph} {form}");
        }
    }
    let options = "--trials 3 --threads 2 --deterministic --engine cpu --report r.json";
    place.out(&format!("run wcc rmat:scale=12 {options}"));
    let report = json(&place, "r.json");
    assert_eq!((&report["algorithm"], &report["engine"]), (&"wcc".into(), &"cpu".into()));
    assert_eq!(report["trials"].as_array().unwrap().len(), 3);
    let passes = report["supersteps"].as_array().unwrap();
    assert_eq!(report["trials"][0]["supersteps"], passes.len());
    assert_eq!(passes[0]["pass"], "first edges");
    assert_eq!(passes[passes.len() - 1]["pass"], "other edges");
}

#[test]
fn lcc_gives_coefficients_and_triangles() {
    let place = Place::new();
    place.write("kite.txt", "1 2\n2 1\n2 3\n3 1\n3 4\n3 3\n2 3\n");
    let expected = [
        ("", "1\t0.5\n2\t0.5\n3\t0.3333333333333333\n4\t0\n"),
        ("--undirected", "1\t1\n2\t1\n3\t0.3333333333333333\n4\t0\n"),
    ];
    for (direction, lines) in expected {
        for way in ["", "--engine cpu --threads 1", "--deterministic --trials 2"] {
            let out = place.out(&format!("run lcc kite.txt {direction} --verify -o - {way}"));
            assert_eq!(out, lines, "{direction} {way}");
        }
    }
    let out = place.out("run lcc kite.txt --undirected --verify --report r.json");
    assert!(out.contains("mean coefficient 0.583333, 1 triangle\n"), "{out}");
    let row = |row: &str| out.lines().any(|line| line.trim().starts_with(row));
    assert!(row("0         1  █") && row("0.4         1  █") && row("1         2  █"), "{out}");
    let report = json(&place, "r.json");
    assert_eq!((&report["algorithm"], &report["engine"]), (&"lcc".into(), &"cpu".into()));
    assert_eq!(report["supersteps"][0]["pass"], "triangles");
    let empty = place.out("run lcc uniform:n=3,m=0 --verify -q");
    assert!(empty.contains("mean coefficient 0, 0 triangles"), "{empty}");
}

#[test]
fn cdlp_runs_ten_supersteps_unless_told() {
    let place = Place::with_graph();
    let out = place.out("run cdlp graph.txt --supersteps 1 --verify -o -");
    assert_eq!(out, "1\t2\n2\t1\n3\t1\n10\t20\n20\t10\n");
    place.out("run cdlp graph.txt --report report.json --verify");
    assert_eq!(json(&place, "report.json")["trials"][0]["supersteps"], 10);
}

#[test]
fn scc_names_components_by_their_smallest_vertex() {
    let place = Place::new();
    // Two cycles, an edge from the first to the second, and a vertex on the way to both.
    place.write("cycles.txt", "9 3\n3 4\n4 3\n4 5\n5 6\n6 7\n7 5\n5 7\n");
    for way in WAYS {
        let out = place.out(&format!("run scc cycles.txt --verify -o - {way}"));
        assert_eq!(out, "3\t3\n4\t3\n5\t5\n6\t5\n7\t5\n9\t9\n", "{way}");
    }
    let summary = place.out("run scc cycles.txt --report report.json");
    let largest = "the largest component has 3 vertices and 4 edges inside it; 1 component of a";
    assert!(summary.contains(largest) && summary.contains("\n3 components\n"), "{summary}");
    // Every superstep of every phase is in the report, numbered from 0.
    let report = json(&place, "report.json");
    let steps = report["supersteps"].as_array().unwrap();
    assert!((0..).zip(steps).all(|(i, step)| step["superstep"] == i), "{report}");
    assert!(steps.len() > report["trials"][0]["supersteps"].as_u64().unwrap() as usize);
    // Directions do not matter in an undirected graph.
    let summary = place.out("run scc cycles.txt --undirected --duplicates first --verify");
    assert!(summary.contains("has 6 vertices and 6 edges inside it"), "{summary}");
    for (option, text) in [
        ("--supersteps 5", "consists of several runs"),
        ("--checkpoint saved", "for a single run, but scc consists of several"),
    ] {
        place.refuses(&format!("run scc cycles.txt {option}"), 2, &[text]);
    }
}

#[test]
fn triangles_are_counted_whatever_the_directions() {
    let place = Place::new();
    place.write("tail.txt", "1 2\n2 1\n2 3\n1 3\n3 4\n4 4\n");
    for way in ["", "--undirected", "--threads 2", "--engine cpu"] {
        let out = place.out(&format!("run triangles tail.txt --verify -o - {way}"));
        assert_eq!(out, "1\t1\n2\t1\n3\t1\n4\t0\n", "{way}");
        let summary = place.out(&format!("run triangles tail.txt {way}"));
        let facts = "1 triangle, transitivity 0.6, mean clustering 0.583333";
        assert!(summary.contains(facts), "{summary}");
    }
    place.write("expected.txt", "1 1\n2 1\n3 1\n4 1\n");
    let line = "run triangles tail.txt --verify-against expected.txt";
    place.refuses(line, 1, &["vertex 4 has 0, expected 1; 1 of 4 values differ"]);
    let line = "run triangles tail.txt --engine reference";
    place.refuses(line, 2, &["triangles is not a vertex program"]);
}

#[test]
fn kcore_gives_core_numbers() {
    let place = Place::new();
    place.write("cores.txt", "1 2\n2 3\n1 3\n3 4\n4 4\n4 3\n");
    let simple = "--undirected --duplicates first --self-loops drop";
    for way in WAYS {
        let out = place.out(&format!("run kcore cores.txt {simple} --verify -o - {way}"));
        assert_eq!(out, "1\t2\n2\t2\n3\t2\n4\t1\n", "{way}");
    }
    // As it is, the tail has two edges to the triangle and a self-loop with two ends.
    assert_eq!(place.out("run kcore cores.txt --verify -q -o -"), "1\t2\n2\t2\n3\t2\n4\t2\n");
    let summary = place.out(&format!("run kcore cores.txt {simple}"));
    assert!(summary.contains("degeneracy 2, the innermost core has 3 vertices (75"), "{summary}");
}

#[test]
fn pagerank_follows_weights_and_teleports() {
    let place = Place::with_graph();
    let ranks = |options: &str| -> Vec<f64> {
        let line = format!(
            "run pagerank graph.txt --tolerance 1e-12 --supersteps 1000 --verify -q -o - {options}"
        );
        let text = place.out(&line);
        text.lines().map(|line| line.split_once('\t').unwrap().1.parse().unwrap()).collect()
    };
    let near = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} {b}");
    for way in ["", "--strategy push", "--engine reference", "--deterministic"] {
        let plain = ranks(&format!("--weights none {way}"));
        near(plain.iter().sum(), 1.0);
        near(plain[0], plain[3]);
        near(plain[1], plain[0] * (1.0 + 0.85 / 2.0));
        // The weights of 1 → 2 and 1 → 3 are 0.5 and 2.
        let weighted = ranks(way);
        near(weighted[1], weighted[0] * (1.0 + 0.85 * 0.2));
        // Nothing leads from 10 or 20 to the others.
        let personal = ranks(&format!("--source 10 {way}"));
        near(personal[0], 0.0);
        near(personal[4], personal[3] * 0.85);
    }
    place.write("teleport.tsv", "# all to 10\n10\t7\n");
    assert_eq!(ranks("--personalize teleport.tsv"), ranks("--source 10"));
    let single: Vec<f64> = ranks("--precision f32");
    assert!((single[0] - ranks("")[0]).abs() < 1e-6);
}

#[test]
fn parents_and_paths() {
    let place = Place::with_graph();
    let bfs = place.out("run bfs graph.txt --source 1 --parents --verify -o -");
    assert_eq!(bfs, "1\t0\t-1\n2\t1\t1\n3\t1\t1\n10\t-1\t-1\n20\t-1\t-1\n");
    let sssp = place.out("run sssp graph.txt --source 1 --parents --verify -o -");
    assert_eq!(sssp, "1\t0\t-1\n2\t0.5\t1\n3\t1.5\t2\n10\tinf\t-1\n20\tinf\t-1\n");
    place.out("run sssp graph.txt --source 1 --target 3 -o out.tsv");
    assert_eq!(place.read("out.tsv"), sssp, "--target implies --parents");
    let path = "path to 3: 2 edges\n\n    0  1\n  0.5  2\n  1.5  3\n";
    assert!(place.out("run sssp graph.txt --source 1 --target 3").ends_with(path));
    let unreached = place.out("run bfs graph.txt --source 1 --target 20 -q");
    assert!(unreached.ends_with("\nno path to 20\n"), "{unreached}");
    // The path must not end up among the lines of the result.
    let done = place.pregel("run sssp graph.txt --source 1 --target 3 -o -");
    assert_eq!(done.out, sssp);
    assert!(done.err.ends_with(path), "{}", done.err);
}

#[test]
fn names_come_back() {
    let place = Place::new();
    place.write("names.csv", "from,to\nAda,Bob\nBob,Cy\nDan,Eve\n");
    let out = place.out("run hcc names.csv -o -");
    assert_eq!(out, "Ada\tAda\nBob\tAda\nCy\tAda\nDan\tDan\nEve\tDan\n");
    let out = place.out("run bfs names.csv --source Ada --parents -o -");
    assert_eq!(out, "Ada\t0\t\nBob\t1\tAda\nCy\t2\tBob\nDan\t-1\t\nEve\t-1\t\n");
}

#[test]
fn a_search_without_source_says_where_it_starts() {
    let place = Place::with_graph();
    let done = place.pregel("run bfs graph.txt -o -");
    assert!(done.out.starts_with("1\t0\n"));
    let note = "note: no --source given; starting from 1, the vertex with the most out-edges\n";
    assert!(done.err.starts_with(note), "{}", done.err);
    let done = place.pregel("run bfs rmat:scale=16,seed=7");
    let note = "note: no --source given; starting from 24425, the spec's first source\n";
    assert_eq!(done.err, note);
    assert!(done.out.contains("46,659 vertices reached"), "{}", done.out);
}

#[test]
fn suffixes_choose_the_form() {
    let place = Place::with_graph();
    let run = "run bfs graph.txt --source 1 --parents -q -o";
    place.out(&format!("{run} out.csv"));
    let csv = place.read("out.csv");
    assert_eq!(csv, "id,value,parent\n1,0,-1\n2,1,1\n3,1,1\n10,-1,-1\n20,-1,-1\n");
    place.out(&format!("{run} out.tsv"));
    assert_eq!(place.read("out.tsv"), csv.replace(',', "\t").split_once('\n').unwrap().1);
    for (name, magic) in [("out.tsv.gz", &b"\x1f\x8b"[..]), ("out.CSV.Zst", b"\x28\xb5\x2f\xfd")] {
        place.out(&format!("{run} {name}"));
        assert!(std::fs::read(place.path(name)).unwrap().starts_with(magic), "{name}");
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_tables_are_written() {
    let place = Place::with_graph();
    place.out("run bfs graph.txt --source 1 --parents -q -o out.parquet");
    let bytes = std::fs::read(place.path("out.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
}

#[test]
fn summaries_are_short_and_aligned() {
    let place = Place::with_graph();
    let bar = "█".repeat(20);
    let bfs = format!(
        "3 vertices reached (60.0 %), the farthest 1 edge away\n\n  \
         level  vertices\n      0         1  {bar}\n      1         2  {bar}{bar}\n"
    );
    assert_eq!(place.out("run bfs graph.txt --source 1 -q"), bfs);
    let hcc = format!(
        "2 components\n\n  \
         component  vertices   share\n          \
         1         3  60.0 %\n         \
         10         2  40.0 %\n\n  \
         size  components\n   2-3           2  {bar}{bar}\n"
    );
    assert_eq!(place.out("run hcc graph.txt -q"), hcc);
    let pagerank = place.out("run pagerank graph.txt -q --weights none");
    assert!(pagerank.starts_with("highest ranks\n\n     vertex  rank\n  1       3  0."));
    let sssp = place.out("run sssp graph.txt --source 1 -q");
    assert!(
        sssp.starts_with("3 vertices reached (60.0 %), mean distance 0.666667, the farthest 1.5")
    );
}

#[test]
fn reports_hold_what_is_promised() {
    let place = Place::new();
    let run = "run sssp rmat:scale=10 --trials 3 --verify --threads 2 --report report.json";
    let out = place.out(run);
    assert!(out.contains("trials    3: min ") && out.contains("verified  yes"), "{out}");
    let report = json(&place, "report.json");
    assert_eq!(report["algorithm"], "sssp");
    assert_eq!(report["engine"], "cpu");
    assert_eq!(report["strategy"], "auto");
    assert_eq!(report["graph"]["vertices"], 1024);
    assert_eq!(report["graph"]["edges"], 20870);
    assert_eq!(report["graph"]["edge_hash"], "759a0b27622f4294");
    assert_eq!(report["graph"]["directed"], false);
    assert_eq!(report["threads"], 2);
    assert_eq!(report["stop_reason"], "halted");
    assert_eq!(report["trials"].as_array().unwrap().len(), 3);
    for trial in report["trials"].as_array().unwrap() {
        assert!(trial["seconds"].as_f64().unwrap() > 0.0);
        assert!(trial["supersteps"].as_u64().unwrap() > 0);
        assert!(trial["messages"].as_u64().unwrap() > 0);
    }
    for seconds in ["load_seconds", "prepare_seconds"] {
        assert!(report[seconds].as_f64().unwrap() > 0.0, "{seconds}");
    }
    if cfg!(target_os = "linux") {
        assert!(report["peak_memory_bytes"].as_u64().unwrap() > 1 << 20);
    }
    let steps = report["supersteps"].as_array().unwrap();
    assert_eq!(steps.len() as u64, report["trials"][2]["supersteps"].as_u64().unwrap() + 1);
}

#[test]
fn nothing_is_said_that_was_not_asked_for() {
    let place = Place::with_graph();
    let done = place.pregel("run bfs graph.txt --quiet --output out.tsv");
    assert_eq!((done.code, &*done.out, &*done.err), (Some(0), "", ""));
    let done = place.pregel("run bfs graph.txt --quiet -o -");
    assert_eq!(done.err, "");
    assert_eq!(done.out, place.read("out.tsv"));
    assert_eq!(place.files(), ["graph.txt", "out.tsv"]);
}

#[test]
fn engines_agree_on_a_generated_graph() {
    let place = Place::new();
    for algorithm in ["sssp", "hcc", "scc", "bfs", "cdlp", "kcore"] {
        let run = format!("run {algorithm} rmat:scale=10 -q -o -");
        let expected = place.out(&format!("{run} --engine reference"));
        assert_eq!(expected.lines().count(), 1024);
        for way in WAYS {
            let done = place.pregel(&format!("{run} {way}"));
            if algorithm == "cdlp" && (way.ends_with("push") || way.ends_with("pull")) {
                assert_eq!(done.code, Some(2), "{way}");
                assert!(done.err.contains("use the strategy mailbox or auto"), "{}", done.err);
                continue;
            }
            assert!(done.out == expected, "{algorithm} {way}\n{}", done.err);
        }
    }
}

pub fn json(place: &Place, name: &str) -> serde_json::Value {
    serde_json::from_str(&place.read(name)).unwrap()
}

#[test]
fn explain_tells_on_stderr_how_supersteps_ran() {
    let place = Place::with_graph();
    let command = "run bfs graph.txt --source 1 -o - --engine";
    for (engine, way) in [("cpu --strategy push", "push"), ("reference", "mailbox")] {
        let quiet = place.pregel(&format!("{command} {engine} -q"));
        let done = place.pregel(&format!("{command} {engine} -q --explain"));
        assert_eq!((done.code, &done.out), (Some(0), &quiet.out));
        let lines: Vec<Vec<&str>> =
            done.err.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["supersteps", "way", "active", "messages", "took"]);
        assert_eq!(lines[1][..4], ["0", "init", "5", "0"], "{}", done.err);
        // Two vertices hear in superstep 1; one of them is told again in 2, for naught.
        assert_eq!(lines[2][..4], ["1-2", way, "2", "3"], "{}", done.err);
        assert_eq!((lines.len(), quiet.err), (3, String::new()));
    }
}

#[test]
fn results_are_compared_with_those_in_a_file() {
    let place = Place::with_graph();
    for run in ["bfs --source 1", "sssp --source 1", "pagerank", "hcc", "wcc", "cdlp", "lcc"] {
        let (name, options) = run.split_once(' ').unwrap_or((run, ""));
        let run = format!("run {name} graph.txt {options}");
        place.out(&format!("{run} -o result.txt"));
        let done = place.pregel(&format!("{run} --verify-against result.txt --report r.json"));
        assert_eq!(done.code, Some(0), "{run}: {}", done.err);
        assert!(done.out.contains("agrees with  result.txt"), "{run}: {}", done.out);
        assert!(place.read("r.json").contains("\"verified_against\": \"result.txt\""));
        // The last vertex gets the value of the first.
        let result = place.read("result.txt");
        let (rest, _) = result.trim_end().rsplit_once('\t').unwrap();
        let first = result.lines().next().unwrap().split('\t').nth(1).unwrap();
        place.write("wrong.txt", &format!("{rest}\t{first}\n"));
        let failed = place.pregel(&format!("{run} --verify-against wrong.txt -o out.txt"));
        assert_eq!(failed.code, Some(1), "{run}: {}", failed.err);
        let says = "the result differs from wrong.txt: vertex 20 has ";
        assert!(failed.err.contains(says), "{run}: {}", failed.err);
        assert!(!place.path("out.txt").exists());
    }
}

#[test]
fn components_may_have_other_names() {
    let place = Place::with_graph();
    place.write("named.txt", "20 x\n10 x\n1 3\n2 3\n3 3\n");
    for name in ["hcc", "wcc"] {
        place.out(&format!("run {name} graph.txt --verify-against named.txt"));
    }
    let failed = place.pregel("run cdlp graph.txt --verify-against named.txt");
    assert_eq!(failed.code, Some(1));
}

#[test]
fn what_cannot_be_compared_is_refused_before_the_run() {
    let place = Place::with_graph();
    place.write("few.txt", "1 0\n");
    for (run, code, says) in [
        ("bfs graph.txt --verify-against few.txt", 1, "few.txt: vertex 2 is missing"),
        ("bfs graph.txt --verify-against none.txt", 1, "cannot read none.txt"),
        ("bfs graph.txt --verify-against few.txt -o few.txt", 2, "is an input of this command"),
        ("bfs graph.txt --verify-against few.txt --sources 2", 2, "cannot be used with"),
        ("apsp graph.txt --verify-against few.txt", 2, "compares columns; apsp has none"),
    ] {
        let failed = place.pregel(&format!("run {run}"));
        assert_eq!(failed.code, Some(code), "{run}: {}", failed.err);
        assert!(failed.err.contains(says), "{run}: {}", failed.err);
    }
    assert_eq!(place.read("few.txt"), "1 0\n");
}
