//! `pregel generate`, `convert` and `info`.

use crate::common::Place;

/// The edge hash that `pregel info` prints.
fn hash(place: &Place, graph: &str) -> String {
    let info = place.out(&format!("info {graph}"));
    let line = info.lines().find(|line| line.contains("edge hash")).unwrap();
    line.split_whitespace().last().unwrap().to_owned()
}

#[test]
fn generated_files_are_the_generated_graph() {
    let place = Place::new();
    let said = place.out("generate rmat:scale=10 g.pregel");
    let size = "1,024 vertices, 20,870 edges, undirected, each edge counted both ways\n";
    assert_eq!(said, format!("g.pregel: {size}"));
    for name in ["g.tsv", "g.csv.gz", "g.mtx.zst"] {
        place.out(&format!("generate rmat:scale=10 {name} --quiet"));
    }
    for name in ["g.pregel", "g.tsv", "g.csv.gz", "g.mtx.zst"] {
        assert_eq!(hash(&place, name), "759a0b27622f4294", "{name}");
    }
}

#[test]
fn weights_are_written_when_asked_for() {
    let place = Place::new();
    let spec = "grid:rows=30,cols=40,drop=50,maxw=1000";
    for name in ["g.pregel", "g.mtx", "g.tsv"] {
        assert!(place.out(&format!("generate {spec} {name} --weighted")).ends_with("weighted\n"));
        let info = place.out(&format!("info {name}"));
        assert!(info.contains("weights     1 to 1000, mean 500.99"), "{info}");
        let distances = |graph: &str| place.out(&format!("run sssp {graph} --source 5 -q -o -"));
        // Matrix Market counts vertices from 1.
        if !name.ends_with(".mtx") {
            assert!(distances(name) == distances(spec), "{name}");
        }
    }
    place.out(&format!("generate {spec} plain.tsv"));
    assert!(place.out("info plain.tsv").contains("weights     none"));
}

#[test]
fn conversion_keeps_the_graph() {
    let place = Place::with_graph();
    let expected = place.out("run sssp graph.txt --source 1 -q -o -");
    let mut from = "graph.txt".to_owned();
    for to in ["a.pregel", "b.tsv.gz", "c.pregel"] {
        place.out(&format!("convert {from} {to}"));
        assert_eq!(place.out(&format!("run sssp {to} --source 1 -q -o -")), expected, "{to}");
        from = to.into();
    }
    place.out("convert graph.txt strange.name --output-format snapshot");
    assert_eq!(hash(&place, "strange.name"), hash(&place, "graph.txt"));
    place.out("convert graph.txt plain.pregel --weights none");
    assert!(place.out("info plain.pregel").contains("weights     none"));
}

#[cfg(feature = "parquet")]
#[test]
fn tables_of_edges_keep_the_graph() {
    let place = Place::with_graph();
    place.out("convert graph.txt a.parquet --undirected --duplicates first");
    place.out("convert a.parquet b --output-format parquet");
    place.out("convert b c.tsv");
    let undirected = "--undirected --duplicates first";
    let expected = place.out(&format!("run sssp graph.txt {undirected} --source 1 -q -o -"));
    for name in ["a.parquet", "b", "c.tsv"] {
        assert_eq!(place.out(&format!("run sssp {name} --source 1 -q -o -")), expected, "{name}");
    }
}

#[test]
fn policies_for_loops_and_duplicates() {
    let place = Place::new();
    place.write("multi.txt", "1 1 9\n1 2 5\n1 2 3\n2 1 4\n");
    let weights = |policy: &str| {
        place.out(&format!("convert multi.txt out.tsv -q --self-loops drop --duplicates {policy}"));
        let text = place.read("out.tsv");
        let edges = text.lines().filter(|line| !line.starts_with('#'));
        edges.map(|line| line.replace('\t', " ")).collect::<Vec<_>>()
    };
    assert_eq!(weights("keep"), ["1 2 5", "1 2 3", "2 1 4"]);
    assert_eq!(weights("first"), ["1 2 5", "2 1 4"]);
    assert_eq!(weights("smallest"), ["1 2 3", "2 1 4"]);
    assert_eq!(weights("sum"), ["1 2 8", "2 1 4"]);
    let done = place.pregel("convert multi.txt out.tsv --self-loops drop --duplicates first");
    assert_eq!(done.err, "note: multi.txt: dropped 1 self-loop and 1 duplicate edge\n");
    let info = place.out("info multi.txt");
    assert!(info.contains("self-loops  1\n  duplicates  1\n"), "{info}");
    let info = place.out("info multi.txt --undirected --duplicates first --self-loops drop");
    assert!(info.contains("edges       1, undirected (2 counted both ways)"), "{info}");
    assert!(info.contains("η           0.0 %, 0 vertices with in-degree > 1"), "{info}");
}

#[test]
fn info_describes_a_directed_graph() {
    let place = Place::with_graph();
    let full = "█".repeat(40);
    let expected = format!(
        "  graph       graph.txt
  vertices    5
  edges       4, directed
  self-loops  0
  duplicates  0
  edge hash   {}
  ids         5 integers between 1 and 20
  weights     0.5 to 2, mean 1.125
  components  2, the largest with 3 vertices (60.0 %), 1 among them
  η           20.0 %, 1 vertex with in-degree > 1

out-degree: min 0, median 1, mean 0.8, max 2

  out-degree  vertices
           0         2  {full}
           1         2  {full}
         2-3         1  {}

in-degree: min 0, median 1, mean 0.8, max 2

  in-degree  vertices
          0         2  {full}
          1         2  {full}
        2-3         1  {}
",
        hash(&place, "graph.txt"),
        "█".repeat(20),
        "█".repeat(20)
    );
    assert_eq!(place.out("info graph.txt"), expected);
}

#[test]
fn info_draws_a_picture() {
    let place = Place::with_graph();
    for graph in ["graph.txt", "rmat:scale=10"] {
        place.out(&format!("info {graph} --plot degrees.svg"));
        let svg = place.read("degrees.svg");
        assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
        assert!(svg.contains(graph) && svg.contains("of degree 0") || svg.contains("out-degree"));
        assert!(svg.matches("<circle").count() > 3);
    }
}

#[test]
fn a_picture_can_go_to_stdout() {
    let place = Place::with_graph();
    let done = place.pregel("info graph.txt --plot -");
    assert_eq!(done.code, Some(0));
    assert!(done.out.starts_with("<svg ") && done.out.trim_end().ends_with("</svg>"));
    assert_eq!(done.err, place.out("info graph.txt"));
    place.out("info graph.txt --plot degrees.SVG");
    place.out("info graph.txt --plot degrees.svg.gz");
    assert!(std::fs::read(place.path("degrees.svg.gz")).unwrap().starts_with(b"\x1f\x8b"));
    place.out("info graph.txt --plot degrees.SVG.GZ");
    assert!(std::fs::read(place.path("degrees.SVG.GZ")).unwrap().starts_with(b"\x1f\x8b"));
}

#[test]
fn readers_and_writers_say_what_they_decided() {
    let place = Place::with_graph();
    let note = |line: &str| {
        let done = place.pregel(line);
        assert_eq!(done.code, Some(0), "pregel {line}\n{}", done.err);
        done.err
    };
    place.write("headed.csv", "from,to\n1,2\n2,3\n");
    for line in ["info headed.csv", "run hcc headed.csv", "convert headed.csv out.tsv"] {
        let said = note(line);
        assert!(said.starts_with("note: headed.csv: line 1"), "{line}: {said}");
        assert!(said.contains("«from,to»") && said.contains("header"), "{line}: {said}");
        assert_eq!(note(&format!("{line} --quiet")), "");
    }
    // Ids that are not 1, 2, … are lost in Matrix Market.
    assert!(note("convert graph.txt graph.mtx").starts_with("note: graph.mtx: vertices are"));
    place.write("dense.txt", "1 2\n2 3\n");
    assert_eq!(note("convert dense.txt dense.mtx"), "");
    assert!(note("generate rmat:scale=4 g.mtx").starts_with("note: g.mtx: vertices are"));
}

#[test]
fn headers_and_columns_are_as_the_user_says() {
    let place = Place::new();
    place.write("named.csv", "person,knows\nAda,Bob\nBob,Cy\n");
    let vertices = |line: &str| {
        let out = place.out(line);
        let row = out.lines().find(|line| line.trim_start().starts_with("vertices")).unwrap();
        row.split_whitespace().last().unwrap().to_owned()
    };
    assert_eq!(vertices("info named.csv --header yes"), "3");
    assert_eq!(vertices("info named.csv --header no"), "5");
    place.write("wide.csv", "id,from,to,weight\n7,1,2,0.5\n8,2,3,4\n");
    let edges = |options: &str| {
        place.out(&format!("convert wide.csv out.tsv -q {options}"));
        let text = place.read("out.tsv");
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| line.replace('\t', " ")).collect::<Vec<_>>()
    };
    assert_eq!(edges("--columns from,to"), ["1 2", "2 3"]);
    assert_eq!(edges("--columns from,to,weight"), ["1 2 0.5", "2 3 4"]);
    assert_eq!(edges("--columns 3,2,4 --header yes"), ["2 1 0.5", "3 2 4"]);
    place.refuses("convert wide.csv out.mtx --columns from,onto", 1, &["wide.csv", "onto"]);
}

#[test]
fn a_graph_without_edges_is_no_trouble() {
    let place = Place::new();
    place.write("none.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 0\n");
    let info = place.out("info none.mtx --plot degrees.svg");
    assert!(info.contains("components  3, the largest with 1 vertex (33.3 %)"), "{info}");
    for algorithm in ["pagerank", "sssp", "hcc", "bfs", "cdlp"] {
        let out = place.out(&format!("run {algorithm} none.mtx -q -o - --verify"));
        assert_eq!(out.lines().count(), 3, "{algorithm}");
        place.out(&format!("run {algorithm} none.mtx"));
    }
}

#[test]
fn help_shows_examples() {
    let place = Place::new();
    for (line, example) in [
        ("--help", "pregel info web.txt"),
        ("run --help", "pregel run pagerank web.txt --output ranks.tsv"),
        ("generate --help", "pregel generate rmat:scale=20"),
        ("convert --help", "pregel convert web.txt.gz"),
        ("info --help", "pregel info rmat:scale=16 --plot"),
    ] {
        let help = place.out(line);
        assert!(help.contains("Examples:") && help.contains(example), "{line}\n{help}");
    }
    let help = place.out("--help");
    let places =
        ["run", "generate", "convert", "info"].map(|name| help.find(&format!("  {name} ")));
    assert!(places.is_sorted() && places[0].is_some(), "{help}");
    assert!(place.out("run --help").contains("pregel run [OPTIONS] <ALGO> <GRAPH>"));
    let version = place.out("--version");
    assert_eq!(version, format!("pregel {}\n", env!("CARGO_PKG_VERSION")));
}
