//! BVGraphs: every code, hand-made bits, damaged files, and where the files are found.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod webgraph;

use std::path::Path;

use pregel_core::io::bvgraph::parse_bytes;
use pregel_core::io::{
    AnyGraph, Format, LoadError, LoadOptions, Loaded, PropertyError, load, load_edges,
};
use proptest::prelude::*;
use webgraph::{Code, Layout, pack};

fn lists(graph: &AnyGraph) -> Vec<Vec<u32>> {
    let graph = graph.plain();
    (0..graph.vertex_count()).map(|v| graph.out().row(v).to_vec()).collect()
}

fn code() -> impl Strategy<Value = Code> {
    prop_oneof![
        Just(Code::Unary),
        Just(Code::Gamma),
        Just(Code::Delta),
        Just(Code::Zeta),
        Just(Code::Golomb),
        Just(Code::Nibble),
        Just(Code::Omega),
        (1u32..8).prop_map(Code::ZetaOf),
        (1u32..5).prop_map(Code::PiOf),
    ]
}

fn layout() -> impl Strategy<Value = Layout> {
    let codes = [code(), code(), code(), code(), code(), code()];
    (0usize..9, 0u32..6, 1u32..9, any::<(bool, bool)>(), codes).prop_map(
        |(window, shortest_interval, zeta_k, (states_order, little), codes)| {
            let [outdegrees, references, counts, blocks, intervals, residuals] = codes;
            Layout {
                window,
                shortest_interval,
                zeta_k,
                states_order,
                little: states_order && little,
                outdegrees,
                references,
                block_counts: if states_order { blocks } else { counts },
                blocks,
                intervals,
                residuals,
            }
        },
    )
}

/// Lists of successors with runs and with parts of earlier lists, and how far
/// back each refers.
fn graph() -> impl Strategy<Value = (Vec<Vec<u32>>, Vec<usize>)> {
    let runs = proptest::collection::vec((any::<u32>(), 1u32..12), 0..3);
    let single = proptest::collection::vec(any::<u32>(), 0..4);
    let list = (runs, single, 0usize..9, any::<u32>());
    (proptest::collection::vec(list, 0..30), 0u32..3000).prop_map(|(made, isolated)| {
        let nodes = made.len() as u32 + isolated;
        let mut lists: Vec<Vec<u32>> = Vec::new();
        let mut backs = Vec::new();
        for (runs, single, back, mask) in made {
            let runs = runs.into_iter().flat_map(|(first, length)| {
                let first = first % nodes;
                first..nodes.min(first + length)
            });
            let mut list: Vec<u32> =
                runs.chain(single.into_iter().map(|target| target % nodes)).collect();
            if let Some(other) = lists.len().checked_sub(back).and_then(|i| lists.get(i)) {
                let kept = other.iter().enumerate().filter(|(i, _)| mask >> (i % 32) & 3 != 0);
                list.extend(kept.map(|(_, target)| *target));
            }
            list.sort_unstable();
            list.dedup();
            lists.push(list);
            backs.push(back);
        }
        lists.resize(nodes as usize, Vec::new());
        backs.resize(nodes as usize, 0);
        (lists, backs)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn what_is_encoded_is_read(layout in layout(), (expected, backs) in graph()) {
        let arcs = expected.iter().map(Vec::len).sum();
        let properties = layout.properties(expected.len(), arcs);
        let bytes = layout.encode(&expected, |node| backs[node]);
        let loaded = parse_bytes(properties.as_bytes(), &bytes, &LoadOptions::default());
        let loaded = loaded.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(loaded.format, Format::BvGraph);
        prop_assert!(loaded.graph.directed() && !loaded.graph.has_weights());
        prop_assert_eq!(lists(&loaded.graph), expected);
    }

    #[test]
    fn files_that_end_early_are_refused(layout in layout(), (lists, backs) in graph()) {
        let arcs = lists.iter().map(Vec::len).sum();
        let properties = layout.properties(lists.len(), arcs);
        let mut bytes = layout.encode(&lists, |node| backs[node]);
        if bytes.pop().is_some() {
            let cut = parse_bytes(properties.as_bytes(), &bytes, &LoadOptions::default());
            prop_assert!(matches!(cut, Err(LoadError::BvGraph { .. })), "{:?}", cut);
        }
    }
}

/// The lists 0 → 1 2 3 5, 1 → 1 2 5, 3 → 0 2 and 5 → 5 of six nodes, with intervals of at least 3.
const BITS: &[(&str, &str)] = &[
    ("00101", "node 0: outdegree 4, as γ: 5 is 101, two zeros and 101"),
    ("1", "reference 0, in unary"),
    ("010", "one interval, as γ"),
    ("011", "that begins at 0 + 1, which is 2 as a natural number"),
    ("1", "and is 0 longer than 3: 1 2 3"),
    ("01 00011", "residual 0 + 5, natural 10, as ζ3: 11 is 8 + 3; one group more, 3 of 56"),
    ("00100", "node 1: outdegree 3"),
    ("01", "reference 1: the list of node 0"),
    ("011", "two blocks"),
    ("011", "2 are copied: 1 2"),
    ("1", "0 + 1 is left out: 3; the rest is copied: 5"),
    ("1", "node 2: outdegree 0"),
    ("011", "node 3: outdegree 2"),
    ("1", "reference 0"),
    ("1", "no interval"),
    ("1 110", "residual 3 - 3, natural 5, as ζ3: 6 is 1 + 5; no group more, 5 of 7 is 6 - 1"),
    ("1 010", "residual 0 + 1 + 1: 2 is 1 + 1; 1 of 7 is 2 - 1"),
    ("1", "node 4: outdegree 0"),
    ("010", "node 5: outdegree 1"),
    ("1", "reference 0"),
    ("1", "no interval"),
    ("1 00", "residual 5 + 0"),
];

const PROPERTIES: &str = "#BVGraph properties\nnodes = 6\narcs: 10\nwindowsize 7\n\
    minintervallength=3\ngraphclass=it.unimi.dsi.webgraph.BVGraph\ncompressionflags=\n";

fn by_hand(bits: &[(&str, &str)]) -> Vec<u8> {
    let digits = bits.iter().flat_map(|(digits, _)| digits.chars()).filter(|c| *c != ' ');
    pack(&digits.map(|digit| digit == '1').collect::<Vec<_>>(), false)
}

fn read(properties: &str, bytes: &[u8]) -> Result<Loaded, LoadError> {
    parse_bytes(properties.as_bytes(), bytes, &LoadOptions::default())
}

#[test]
fn bits_by_hand() {
    let expected: [&[u32]; 6] = [&[1, 2, 3, 5], &[1, 2, 5], &[], &[0, 2], &[], &[5]];
    let loaded = read(PROPERTIES, &by_hand(BITS)).unwrap();
    assert_eq!(lists(&loaded.graph), expected);
    let layout = Layout { shortest_interval: 3, ..Layout::default() };
    let backs = [0, 1, 0, 0, 0, 0];
    assert_eq!(layout.encode(&expected.map(<[u32]>::to_vec), |i| backs[i]), by_hand(BITS));
}

#[test]
fn damaged_lists() {
    // Replaces the bits of one line of the example.
    let error = |line: usize, digits: &'static str| {
        let mut bits = BITS.to_vec();
        bits[line].0 = digits;
        match read(PROPERTIES, &by_hand(&bits)) {
            Err(LoadError::BvGraph { problem, .. }) => problem.to_string(),
            other => panic!("{line}: {other:?}"),
        }
    };
    assert_eq!(error(0, "0001000"), "node 0, bit 0: expected an outdegree of at most 6, found 7");
    assert_eq!(error(1, "01"), "node 0, bit 5: expected a reference of at most 0, found 1");
    let most = "node 0, bit 6: expected a number of intervals of at most 1, found 2";
    assert_eq!(error(2, "011"), most);
    assert_eq!(error(3, "010"), "node 0, bit 9: expected a successor below 6, found -1");
    assert_eq!(error(4, "011"), "node 0, bit 12: expected an interval of at most 1, found 2");
    assert_eq!(error(5, "01 00101"), "node 0, bit 13: expected a successor below 6, found 6");
    assert_eq!(error(5, "1 011"), "node 0, bit 0: the list names successor 1 twice");
    assert_eq!(error(7, "001"), "node 1, bit 25: expected a reference of at most 1, found 2");
    assert_eq!(error(9, "00111"), "node 1, bit 30: expected a block of at most 4, found 6");
    assert_eq!(error(11, "00110"), "node 2, bit 34: expected 10 arcs in all, found more");
    let long =
        error(0, concat!("0000000000000000000000000000000000000000000000000000000000000000", "1"));
    assert_eq!(long, "node 0, bit 0: expected an outdegree, found a number of more than 64 bits");
    let bytes = by_hand(BITS);
    let end = read(PROPERTIES, &bytes[..7]).unwrap_err().to_string();
    assert_eq!(end, "<graph>, node 5, bit 54: expected a successor, found the end of the file");
    let empty = read(PROPERTIES, &[]).unwrap_err().to_string();
    assert!(empty.ends_with("one bit for each of the 6 nodes, found 0"), "{empty}");
    let fewer = read(&PROPERTIES.replace("arcs: 10", "arcs: 11"), &bytes).unwrap_err();
    assert_eq!(fewer.to_string(), "<properties>: «arcs» promises 11, the data has 10");
}

#[test]
fn wrong_properties() {
    let problem = |from: &str, to: &str| {
        assert!(PROPERTIES.contains(from));
        match read(&PROPERTIES.replace(from, to), &by_hand(BITS)) {
            Err(LoadError::Property { problem, .. }) => problem.to_string(),
            other => panic!("{to}: {other:?}"),
        }
    };
    assert_eq!(problem("graphclass", "class"), "expected the property «graphclass», found none");
    assert_eq!(problem("nodes", "Nodes"), "expected the property «nodes», found none");
    let arcs = "line 3: expected a non-negative integer for «arcs», found «-1»";
    assert_eq!(problem("10", "-1"), arcs);
    let class = problem("webgraph.BVGraph", "webgraph.EFGraph");
    let says = "line 6: expected it.unimi.dsi.webgraph.BVGraph for «graphclass», \
                found «it.unimi.dsi.webgraph.EFGraph»";
    assert_eq!(class, says);
    for flags in ["RESIDUALS_HUFFMAN", "NODES_GAMMA", "GAMMA", "RESIDUALS_ZETA0", "RESIDUALS_PI9"] {
        let refused = problem("compressionflags=", &format!("compressionflags={flags}"));
        assert!(refused.ends_with(&format!("found «{flags}»")), "{refused}");
    }
    for (line, expected) in [
        ("zetak=0", "a positive integer"),
        ("version=2", "0 or 1"),
        ("endianness=middle", "big or little"),
    ] {
        let refused = problem("#BVGraph properties", line);
        assert!(refused.starts_with(&format!("line 1: expected {expected} for «")), "{refused}");
    }
    let labelled = "graphclass=it.unimi.dsi.webgraph.labelling.BitStreamArcLabelledImmutableGraph\n\
                    underlyinggraph=cnr\\-2000\n";
    match read(labelled, &[]) {
        Err(LoadError::Property { problem, .. }) => {
            assert_eq!(problem, PropertyError::Labelled { underlying: "cnr-2000".to_owned() });
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn headers_do_not_take_memory() {
    for (from, to) in [
        ("nodes = 6", "nodes = 18446744073709551615"),
        ("nodes = 6", "nodes = 4294967295"),
        ("windowsize 7", "windowsize 18446744073709551615"),
        ("minintervallength=3", "minintervallength=18446744073709551615"),
        ("arcs: 10", "arcs: 18446744073709551615"),
    ] {
        let _ = read(&PROPERTIES.replace(from, to), &by_hand(BITS));
    }
    // Every node has all nodes as successors: one interval.
    let lists: Vec<Vec<u32>> = (0..300).map(|_| (0..300).collect()).collect();
    let layout = Layout::default();
    let properties = layout.properties(300, 90_000);
    let bytes = layout.encode(&lists, |_| 0);
    let load = |limit: u64| {
        let options = LoadOptions::default().with_max_decompressed(limit);
        parse_bytes(properties.as_bytes(), &bytes, &options)
    };
    assert_eq!(load(720_000).unwrap().graph.edge_count(), 90_000);
    assert!(matches!(load(719_999), Err(LoadError::TooLong { limit: 719_999, .. })));
}

fn open(path: &Path) -> Result<Loaded, LoadError> {
    load(path, &LoadOptions::default())
}

#[test]
fn either_file_names_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("web-1.5.graph"), by_hand(BITS)).unwrap();
    std::fs::write(at("web-1.5.properties"), PROPERTIES).unwrap();
    for name in ["web-1.5.graph", "web-1.5.properties", "web-1.5"] {
        let loaded = open(&at(name)).unwrap();
        assert_eq!(loaded.format, Format::BvGraph, "{name}");
        assert_eq!((loaded.graph.vertex_count(), loaded.graph.edge_count()), (6, 10));
        let mut files = loaded.files;
        files.sort();
        assert_eq!(files, [at("web-1.5.graph"), at("web-1.5.properties")]);
    }
    let (edges, ids) = load_edges(&at("web-1.5"), &LoadOptions::default()).unwrap();
    assert_eq!((edges.edges.len(), ids.len()), (10, 6));

    std::fs::remove_file(at("web-1.5.properties")).unwrap();
    std::fs::write(at("web-1.5.graph"), [0, 0, 1]).unwrap();
    let alone = open(&at("web-1.5.graph")).unwrap_err();
    assert!(matches!(&alone, LoadError::Io { path, .. } if *path == at("web-1.5.properties")));
    std::fs::write(at("web-1.5.properties"), PROPERTIES).unwrap();
    std::fs::remove_file(at("web-1.5.graph")).unwrap();
    let alone = open(&at("web-1.5.properties")).unwrap_err();
    assert!(matches!(&alone, LoadError::Io { path, .. } if *path == at("web-1.5.graph")));
}

#[test]
fn other_files_keep_their_formats() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("mesh.graph"), "% mesh\n2 1\n2\n1\n").unwrap();
    assert_eq!(open(&at("mesh.graph")).unwrap().format, Format::Metis);
    // A `.properties` file of something else.
    std::fs::write(at("mesh.properties"), "colour=red\n").unwrap();
    assert_eq!(open(&at("mesh.graph")).unwrap().format, Format::Metis);
    std::fs::write(at("set.properties"), "graph.set.directed = true\n").unwrap();
    std::fs::write(at("set.e"), "1 2\n").unwrap();
    assert_eq!(open(&at("set.properties")).unwrap().format, Format::Graphalytics);
    std::fs::write(at("list.labels"), "1 2\n").unwrap();
    assert_eq!(open(&at("list.labels")).unwrap().format, Format::EdgeList);

    let labelled = "graphclass=it.unimi.dsi.webgraph.labelling.BitStreamArcLabelledImmutableGraph\n\
                    underlyinggraph=web\n";
    std::fs::write(at("web-l.properties"), labelled).unwrap();
    std::fs::write(at("web-l.labels"), [0, 1, 2]).unwrap();
    for name in ["web-l.properties", "web-l.labels"] {
        let refused = open(&at(name)).unwrap_err().to_string();
        assert!(refused.ends_with("read the graph «web» instead, without them"), "{refused}");
    }
}

#[cfg(feature = "gzip")]
#[test]
fn both_files_may_be_compressed() {
    use std::io::Write;
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("g.graph.gz", by_hand(BITS)), ("g.properties.gz", PROPERTIES.as_bytes().to_vec())]
    {
        let file = std::fs::File::create(folder.path().join(name)).unwrap();
        let mut to = flate2::write::GzEncoder::new(file, flate2::Compression::default());
        to.write_all(&bytes).unwrap();
        to.finish().unwrap();
    }
    let loaded = open(&folder.path().join("g.graph.gz")).unwrap();
    assert_eq!((loaded.format, loaded.graph.edge_count()), (Format::BvGraph, 10));
}
