//! Wrong files: each error is of its own kind and names the right line, and
//! no bytes make a parser panic.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;

use pregel_core::io::graphalytics::{self, Properties};
use pregel_core::io::{
    Format, IdKind, LineError, LoadError, LoadOptions, Loaded, PropertyError, Weights, load,
    parse_bytes,
};

fn parse(format: Format, text: &str) -> Result<Loaded, LoadError> {
    parse_bytes(format, text.as_bytes(), &LoadOptions::default())
}

/// The line and the problem of a wrong line.
#[track_caller]
fn wrong_line(format: Format, text: &str) -> (u64, LineError) {
    match parse(format, text) {
        Err(LoadError::Line { line, problem, .. }) => (line, problem),
        other => panic!("{text:?}: {other:?}"),
    }
}

/// Checks line and kind of the error of each text.
macro_rules! wrong_lines {
    ($format:expr; $($text:expr => $line:literal, $problem:pat,)+) => {$(
        let (line, problem) = wrong_line($format, $text);
        assert_eq!(line, $line, "{:?}", $text);
        assert!(matches!(problem, $problem), "{:?}: {problem:?}", $text);
    )+};
}

#[test]
fn edge_lists() {
    wrong_lines! { Format::EdgeList;
        "1 2\n3 x\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n3 4x\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n3.0 4\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n+3 4\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n\"3x\" 4\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n3 \x014\n" => 2, LineError::NotAnInteger { .. },
        "1 2\n# fine\n\n3\n" => 4, LineError::Missing { .. },
        "1 2\n3,\n" => 2, LineError::Missing { .. },
        "1 -2\n" => 1, LineError::Negative { .. },
        "-1 2\n" => 1, LineError::Negative { .. },
        "1 2\n1 18446744073709551616\n" => 2, LineError::TooLarge { .. },
        "1 18446744073709551615\n1 99999999999999999999999\n" => 2, LineError::TooLarge { .. },
        "1 2 0.5\n2 3\n" => 2, LineError::MissingWeight,
        "1 2\n2 3 0.5\n" => 2, LineError::UnexpectedWeight { .. },
        "1 2 0.5\n2 3 heavy\n" => 2, LineError::NotANumber { .. },
        "1 2 0.5\n2 3 1e\n" => 2, LineError::NotANumber { .. },
        "1 2 0.5\n2 3 NaN\n" => 2, LineError::NotFinite { .. },
        "1 2 0.5\n2 3 -inf\n" => 2, LineError::NotFinite { .. },
        "1 2 0.5\n2 3 1e39\n" => 2, LineError::NotFinite { .. },
        "1 2\r3 4\r5 6\r" => 1, LineError::CarriageReturn,
        "1 2 3 4\n1 2 3 4\r5\n" => 2, LineError::CarriageReturn,
        "alice bob\ncarol\n" => 2, LineError::Missing { .. },
        "alice,bob\ncarol,\n" => 2, LineError::Missing { .. },
        "alice bob 1\ncarol dave\n" => 2, LineError::MissingWeight,
        "alice bob\ncarol dave 1\n" => 2, LineError::UnexpectedWeight { .. },
        "alice bob 1\ncarol dave inf\n" => 2, LineError::NotFinite { .. },
        "alice bob\ncarol d\x01ve\n" => 2, LineError::Name { .. },
        "# pregel edge list: undirected\n1 2\n" => 1, LineError::Header { .. },
        "# pregel edge list: directed, 3 vertices, 1 edges\n# vertices: 3..1\n1 2\n"
            => 2, LineError::Header { .. },
        "# pregel edge list: directed, 3 vertices, 1 edges\n# vertices: 1..3\n1 4\n"
            => 3, LineError::OutOfRange { first: 1, last: 3, found: 4 },
        "# pregel edge list: directed, 3 vertices, 1 edges\n# vertex: x\n1 2\n"
            => 2, LineError::NotAnInteger { .. },
    }
    let names = [b"alice bob\ncarol d".as_slice(), b"\xFF", b"ve\n"].concat();
    let name = parse_bytes(Format::EdgeList, &names, &LoadOptions::default());
    let problem = |problem: &LineError| matches!(problem, LineError::Name { .. });
    assert!(matches!(name, Err(LoadError::Line { line: 2, problem: p, .. }) if problem(&p)));

    let integers = LoadOptions::default().with_ids(IdKind::Integer);
    let named = parse_bytes(Format::EdgeList, b"# c\nalice bob\n", &integers);
    assert!(matches!(named, Err(LoadError::Line { line: 2, .. })), "{named:?}");
}

#[test]
fn counts_of_our_own_edge_lists() {
    let cut = "# pregel edge list: directed, 3 vertices, 2 edges\n1 2\n";
    let error = parse(Format::EdgeList, cut).unwrap_err();
    assert_eq!(error.to_string(), "<bytes>, line 1: the header promises 2 edges, the file has 1");
    let cut = "# pregel edge list: directed, 3 vertices, 1 edges\n1 2\n";
    let error = parse(Format::EdgeList, cut).unwrap_err();
    assert!(matches!(error, LoadError::Count { what: "vertices", promised: 3, found: 2, .. }));
}

#[test]
fn matrix_market() {
    let head = "%%MatrixMarket matrix coordinate real general\n";
    let with = |body: &str| format!("{head}{body}");
    wrong_lines! { Format::MatrixMarket;
        "1 2\n" => 1, LineError::Header { .. },
        "%%MatrixMarket matrix coordinate real\n" => 1, LineError::Header { .. },
        "%%MatrixMarket matrix coordinate real odd\n1 1 0\n" => 1, LineError::Header { .. },
        "%%MatrixMarket matrix coordinate complex general\n" => 1, LineError::Unsupported { .. },
        "%%MatrixMarket matrix array real general\n" => 1, LineError::Unsupported { .. },
        "%%MatrixMarket matrix coordinate real hermitian\n" => 1, LineError::Unsupported { .. },
        "%%MatrixMarket matrix coordinate real skew-symmetric\n" => 1, LineError::Unsupported { .. },
        "%%MatrixMarket vector coordinate real general\n" => 1, LineError::Unsupported { .. },
        &with("2 3 1\n1 2 1\n") => 2, LineError::Unsupported { .. },
        &with("2 2\n1 2 1\n") => 2, LineError::Header { .. },
        &with("2 2 -1\n1 2 1\n") => 2, LineError::Header { .. },
        &with("% c\n2 2 1\n0 2 1\n") => 4, LineError::OutOfRange { first: 1, last: 2, found: 0 },
        &with("2 2 1\n1 3 1\n") => 3, LineError::OutOfRange { first: 1, last: 2, found: 3 },
        &with("2 2 1\n1 2\n") => 3, LineError::MissingWeight,
        &with("2 2 1\n1 2 x\n") => 3, LineError::NotANumber { .. },
        &with("2 2 1\n1 2 nan\n") => 3, LineError::NotFinite { .. },
        &with("2 2 1\n1 2 1 1\n") => 3, LineError::Trailing { .. },
        &with("2 2 1\n1\n") => 3, LineError::Missing { .. },
        "%%MatrixMarket matrix coordinate pattern general\n2 2 1\n1 2 3\n"
            => 3, LineError::Trailing { .. },
    }
    for (body, found) in [("2 2 2\n1 2 1\n", 1), ("2 2 1\n1 2 1\n2 1 1\n", 2)] {
        let error = parse(Format::MatrixMarket, &with(body)).unwrap_err();
        let counted = matches!(error, LoadError::Count { line: 2, found: f, .. } if f == found);
        assert!(counted, "{error:?}");
    }
    assert!(matches!(parse(Format::MatrixMarket, head), Err(LoadError::Empty { .. })));
}

#[test]
fn dimacs() {
    wrong_lines! { Format::Dimacs;
        "p sp 2\n" => 1, LineError::Header { .. },
        "p max 2 1\n" => 1, LineError::Header { .. },
        "p sp x 1\n" => 1, LineError::Header { .. },
        "c\np sp 2 1\na 1 2\n" => 3, LineError::MissingWeight,
        "p sp 2 1\na 1 3 5\n" => 2, LineError::OutOfRange { .. },
        "p sp 2 1\na 0 1 5\n" => 2, LineError::OutOfRange { .. },
        "p sp 2 1\n1 2 5\n" => 2, LineError::Kind { .. },
        "p sp 2 1\nb 1 2 5\n" => 2, LineError::Kind { .. },
        "p sp 2 1\nab 1 2 5\n" => 2, LineError::Kind { .. },
        "p sp 2 1\na 1 2 5 6\n" => 2, LineError::Trailing { .. },
        "p sp 2 1\na 1 2 inf\n" => 2, LineError::NotFinite { .. },
        "p tw 2 1\n1 2 3\n" => 2, LineError::Trailing { .. },
        "p tw 2 1\n1\n" => 2, LineError::Missing { .. },
        "a 1 2 3\na 1 -2 3\n" => 2, LineError::Negative { .. },
        "a 1 2 3\np sp 2 1\n" => 2, LineError::Kind { .. },
    }
    for text in ["p sp 2 2\na 1 2 1\n", "c\np tw 2 0\n1 2\n"] {
        let error = parse(Format::Dimacs, text).unwrap_err();
        assert!(matches!(error, LoadError::Count { what: "edges", .. }), "{error:?}");
    }
}

#[test]
fn metis() {
    wrong_lines! { Format::Metis;
        "x 1\n" => 1, LineError::Header { .. },
        "3\n" => 1, LineError::Header { .. },
        "3 1 012\n" => 1, LineError::Header { .. },
        "3 1 0011\n" => 1, LineError::Header { .. },
        "3 1 1 1 1\n" => 1, LineError::Header { .. },
        "% c\n2 1\n3\n1\n" => 3, LineError::OutOfRange { .. },
        "2 1\n0\n1\n" => 2, LineError::OutOfRange { .. },
        "2 1\n1\n1\n" => 2, LineError::SelfLoop { vertex: 1 },
        "2 1 1\n2\n1 5\n" => 2, LineError::MissingWeight,
        "2 1 10\n7 2\n\n" => 3, LineError::Missing { .. },
        "2 1\n2 x\n1\n" => 2, LineError::NotAnInteger { .. },
    }
    let one_sided = parse(Format::Metis, "3 1\n2\n\n\n").unwrap_err();
    let sides = matches!(one_sided, LoadError::OneSided { from: 1, to: 2, there: 1, back: 0, .. });
    assert!(sides, "{one_sided:?}");
    let weights = parse(Format::Metis, "2 1 1\n2 5\n1 6\n").unwrap_err();
    assert!(matches!(weights, LoadError::OneSided { .. }), "{weights:?}");
    for (text, what, found) in [
        ("3 1\n2\n1\n", "vertices", 2),
        ("2 1\n2\n1\n1\n", "vertices", 3),
        ("2 2\n2\n1\n", "edges", 1),
    ] {
        match parse(Format::Metis, text) {
            Err(LoadError::Count { what: w, found: f, .. }) => assert_eq!((w, f), (what, found)),
            other => panic!("{text:?}: {other:?}"),
        }
    }
}

const PROPERTIES: &str = "graph.g.directed = true\ngraph.g.edge-properties.names = weight\n";

#[test]
fn graphalytics_files() {
    let read = |properties: &str, vertices: &str, edges: &str| {
        let options = LoadOptions::default();
        let [p, v, e] = [properties, vertices, edges].map(str::as_bytes);
        graphalytics::parse_bytes(p, v, e, &options)
    };
    assert!(read(PROPERTIES, "1\n2\n", "1 2 0.5\n").is_ok());
    for (vertices, edges, expected) in [
        ("1\n2\n", "1 2 0.5\n1 3 1\n", "<edges>, line 2: vertex 3 is not in the vertex list"),
        ("2\n1\n2\n", "", "<vertices>, line 3: vertex 2 occurs twice in the vertex list"),
        (
            "1\nx\n",
            "",
            "<vertices>, line 2: expected the id of a vertex, a non-negative \
                        integer, found «x»",
        ),
        (
            "1\n2\n",
            "1 2\n",
            "<edges>, line 1: expected a weight, as the first edge or the \
                             header has one",
        ),
    ] {
        assert_eq!(read(PROPERTIES, vertices, edges).unwrap_err().to_string(), expected);
    }
    let problem = |properties: &str| match read(properties, "1\n2\n", "1 2 1\n") {
        Err(LoadError::Property { problem, .. }) => problem,
        other => panic!("{properties:?}: {other:?}"),
    };
    assert_eq!(problem("# nothing\n"), PropertyError::NoGraph);
    assert!(matches!(problem("graph.g.vertex-file = a.v"), PropertyError::Missing { .. }));
    assert!(matches!(problem("graph.g.directed = yes"), PropertyError::Value { line: 1, .. }));
    assert!(matches!(problem("\nno equals sign"), PropertyError::Value { line: 2, .. }));
    let damping = format!("{PROPERTIES}graph.g.pr.damping-factor = 1.5\n");
    assert!(matches!(problem(&damping), PropertyError::Value { line: 3, .. }));
    let counted = format!("{PROPERTIES}graph.g.meta.edges = 7\n");
    let promised =
        PropertyError::Count { key: "graph.g.meta.edges".to_owned(), promised: 7, found: 1 };
    assert_eq!(problem(&counted), promised);
    let several = parse(Format::Graphalytics, PROPERTIES);
    assert!(matches!(several, Err(LoadError::SeveralFiles { .. })));
}

#[test]
fn graphalytics_parts() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("g-7.5.e"), "5 9\n9 5\n").unwrap();
    let loaded = load(&at("g-7.5"), &LoadOptions::default()).unwrap();
    assert_eq!((loaded.graph.vertex_count(), loaded.report.read), (2, 2));
    assert_eq!((&loaded.files[..], loaded.notes.len()), (&[at("g-7.5.e")][..], 1));
    let properties = "graph.g-7.5.directed = false\ngraph.g-7.5.sssp.source-vertex = 9\n";
    std::fs::write(at("g-7.5.properties"), properties).unwrap();
    assert_eq!(Properties::read(&at("g-7.5.properties")).unwrap().sssp_source, Some(9));
    let loaded = load(&at("g-7.5.e"), &LoadOptions::default()).unwrap();
    assert!(!loaded.graph.directed() && loaded.notes.is_empty());
    assert_eq!(loaded.files, [at("g-7.5.e"), at("g-7.5.properties")]);
    let listed = format!(
        "{properties}graph.g-7.5.algorithms = bfs, ,sssp\ngraph.g-7.5.edge-properties.names = a,b\n"
    );
    std::fs::write(at("listed"), listed).unwrap();
    let listed = Properties::read(&at("listed")).unwrap();
    assert_eq!(listed.algorithms.as_deref().unwrap(), ["bfs", "sssp"]);
    assert_eq!(listed.edge_properties, ["a", "b"]);
    let refused = listed.refuse("algorithms", "bfs").to_string();
    let says = "listed: line 3: expected bfs for «graph.g-7.5.algorithms», found «bfs, ,sssp»";
    assert!(refused.ends_with(says), "{refused}");
    let refused = listed.refuse("bfs.source-vertex", "a vertex").to_string();
    assert!(refused.ends_with("expected the property «graph.g-7.5.bfs.source-vertex», found none"));
    std::fs::write(at("g-7.5.v"), "5\n9\n").unwrap();
    let loaded = load(&at("g-7.5"), &LoadOptions::default()).unwrap();
    assert_eq!(loaded.files, ["properties", "e", "v"].map(|part| at(&format!("g-7.5.{part}"))));
    std::fs::remove_file(at("g-7.5.v")).unwrap();
    std::fs::remove_file(at("g-7.5.e")).unwrap();
    let missing = load(&at("g-7.5.properties"), &LoadOptions::default());
    assert!(matches!(missing, Err(LoadError::Io { .. })), "{missing:?}");
}

#[test]
fn empty_files_and_binary_data() {
    let text = [Format::EdgeList, Format::MatrixMarket, Format::Dimacs, Format::Metis];
    for format in text {
        for empty in ["", "\n\n  \r\n", "\u{feff}"] {
            let error = parse(format, empty).unwrap_err();
            let banner = matches!(error, LoadError::Line { line: 1, .. });
            let expected = matches!(error, LoadError::Empty { .. });
            assert!(expected || banner && format == Format::MatrixMarket, "{empty:?}: {error:?}");
        }
        for binary in [&b"1 2\n\0\0\0"[..], b"\xFF\xFE1\0 \x002\0\n\0", b"\x7fELF\x02\x01\x01\0"] {
            let error = parse_bytes(format, binary, &LoadOptions::default()).unwrap_err();
            assert!(matches!(error, LoadError::Binary { .. }), "{error:?}");
        }
    }
    assert!(matches!(parse(Format::EdgeList, "# a\n% b\n// c\n"), Err(LoadError::Empty { .. })));
    assert!(matches!(parse(Format::EdgeList, "source,target\n"), Err(LoadError::Empty { .. })));
}

#[test]
fn headers_do_not_take_memory() {
    for (format, text) in [
        (
            Format::MatrixMarket,
            "%%MatrixMarket matrix coordinate pattern general\n\
                                4294967295 4294967295 18446744073709551615\n1 2\n",
        ),
        (Format::Dimacs, "p sp 4000000000 4000000000\na 1 2 3\n"),
        (Format::Metis, "4000000000 4000000000\n2\n1\n"),
        (
            Format::EdgeList,
            "# pregel edge list: directed, 9 vertices, 1 edges\n\
                            # vertices: 0..18446744073709551615\n1 2\n",
        ),
    ] {
        let error = parse(format, text).unwrap_err();
        assert!(matches!(error, LoadError::TooManyVertices { .. }), "{format:?}: {error:?}");
    }
    let few = LoadOptions::default().with_max_vertices(2);
    for (format, text) in [
        (Format::EdgeList, "1 2\n2 3\n"),
        (Format::EdgeList, "a b\nb c\n"),
        (Format::Dimacs, "p tw 3 0\n"),
    ] {
        let error = parse_bytes(format, text.as_bytes(), &few).unwrap_err();
        let told = matches!(error, LoadError::TooManyVertices { vertices: 3, limit: 2, .. });
        assert!(told, "{format:?}: {error:?}");
    }
}

#[test]
fn the_first_wrong_line_wins_in_large_files() {
    let mut text = "123456 654321\n".repeat(200_000);
    text.push_str("1 2 3\n");
    text.push_str(&"7 8\n".repeat(100_000));
    text.push_str("x y\n");
    let found = wrong_line(Format::EdgeList, &text);
    assert_eq!(found, (200_001, LineError::UnexpectedWeight { found: "3".to_owned() }));
}

#[test]
fn a_very_long_line() {
    let long = format!("1 2\n{}\n", "9".repeat(3 << 20));
    let (line, problem) = wrong_line(Format::EdgeList, &long);
    assert_eq!(line, 2);
    let LineError::TooLarge { found, .. } = problem else { panic!("{problem:?}") };
    assert_eq!(found.chars().count(), 41);
    let fields = format!("1 2 {}\n3 4 5\n", "6 ".repeat(1 << 20));
    assert_eq!(parse(Format::EdgeList, &fields).unwrap().report.read, 2);
}

#[test]
fn odd_but_right() {
    let edges = |text: &str| {
        let loaded = parse(Format::EdgeList, text).unwrap_or_else(|error| panic!("{error}"));
        let weights = loaded.graph.weighted().out_values().to_vec();
        (loaded.graph.vertex_count(), loaded.report.read, loaded.graph.has_weights(), weights)
    };
    let plain = |vertices, count: usize| (vertices, count as u64, false, vec![1.0; count]);
    assert_eq!(edges("1 2\n2 3"), plain(3, 2));
    assert_eq!(edges("\u{feff}1 2\r\n2 3\r\n"), plain(3, 2));
    assert_eq!(edges(" \t1,\t 2 ;\n\n% c\n2 , 3\n// c\n"), plain(3, 2));
    assert_eq!(edges("id_1,id_2\n1,2\n"), plain(2, 1));
    assert_eq!(edges("Source\tTarget\nalice\tbob ray\n"), plain(2, 1));
    assert_eq!(edges("von nach\n1 2\n"), plain(2, 1));
    assert_eq!(edges("alice bob\nbob carol\n"), plain(3, 2));
    assert_eq!(edges("1,2,-1.5e1,zzz\n2,1,3,\n"), (2, 2, true, vec![-15.0, 3.0]));
    assert_eq!(edges("9 18446744073709551615\n"), plain(2, 1));
    let ignored = LoadOptions::default().with_weights(Weights::None);
    let label = parse_bytes(Format::EdgeList, b"1 2 friend\n2 3\n", &ignored).unwrap();
    assert_eq!((label.graph.has_weights(), label.report.read), (false, 2));
}

#[test]
fn damaged_and_endless_compressed_files() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.txt");
    let lines = "1000 2000\n".repeat(50_000);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), Default::default());
    gzip.write_all(lines.as_bytes()).unwrap();
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(lines.as_bytes()).unwrap();
    let zstd = zstd::encode_all(lines.as_bytes(), 1).unwrap();
    for bytes in [gzip.finish().unwrap(), xz.finish().unwrap(), zstd] {
        // Content, not the name, tells that it is compressed.
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(load(&path, &LoadOptions::default()).unwrap().report.read, 50_000);
        let small = LoadOptions::default().with_max_decompressed(499_999);
        let error = load(&path, &small).unwrap_err();
        assert!(matches!(error, LoadError::TooLong { limit: 499_999, .. }), "{error:?}");
        std::fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
        let error = load(&path, &LoadOptions::default()).unwrap_err();
        assert!(matches!(error, LoadError::Compressed { .. }), "{error:?}");
    }
}

#[test]
fn files_that_are_not_there() {
    let nothing = load("/no/such/file.mtx".as_ref(), &LoadOptions::default());
    assert!(matches!(nothing, Err(LoadError::Io { .. })));
    let folder = tempfile::tempdir().unwrap();
    let directory = load(folder.path(), &LoadOptions::default());
    assert!(matches!(directory, Err(LoadError::Io { .. })), "{directory:?}");
}

/// The seeds of the fuzz targets are right files; those of snapshots were
/// made from `docs/formats.md` by another program.
#[test]
fn seeds_of_the_fuzz_targets() {
    let seeds = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fuzz/seeds");
    let facts = |name: &str| {
        let loaded = load(&std::path::Path::new(seeds).join(name), &LoadOptions::default());
        let graph = loaded.unwrap_or_else(|error| panic!("{error}")).graph;
        (graph.vertex_count(), graph.edge_count(), graph.directed(), graph.has_weights())
    };
    assert_eq!(facts("edge_list/weights.txt"), (6, 3, true, true));
    assert_eq!(facts("edge_list/names.csv"), (3, 2, true, false));
    assert_eq!(facts("edge_list/header.csv"), (3, 2, true, false));
    assert_eq!(facts("edge_list/quotes.csv"), (3, 2, true, true));
    assert_eq!(facts("edge_list/range.txt"), (5, 4, false, true));
    assert_eq!(facts("edge_list/vertices.txt"), (2, 1, true, false));
    assert_eq!(facts("matrix_market/real.mtx"), (3, 2, true, true));
    assert_eq!(facts("matrix_market/pattern.mtx"), (3, 4, false, false));
    assert_eq!(facts("dimacs/sp.gr"), (3, 2, true, true));
    assert_eq!(facts("dimacs/tw.gr"), (3, 2, false, false));
    assert_eq!(facts("dimacs/bare.gr"), (2, 2, true, true));
    assert_eq!(facts("metis/weights.graph"), (3, 6, false, true));
    assert_eq!(facts("metis/lonely.graph"), (2, 0, false, false));
    assert_eq!(facts("snapshot/weights.pregel"), (3, 4, true, true));
    assert_eq!(facts("snapshot/names.pregel"), (3, 4, false, false));
    assert_eq!(facts("snapshot/range.pregel"), (2, 2, false, false));
}
