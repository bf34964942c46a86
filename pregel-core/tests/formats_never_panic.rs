//! Whatever the bytes, a parser gives a graph or an error.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod webgraph;

use pregel_core::graph::{EdgeList, GraphBuilder, Ids};
use pregel_core::io::{
    AnyGraph, Format, Header, IdKind, LoadError, LoadOptions, Loaded, Values, Weights, bvgraph,
    graphalytics, parse_bytes, save,
};
use proptest::prelude::*;
use webgraph::{Code, Layout};

/// Correct files of each format.
fn seeds(format: Format) -> Vec<Vec<u8>> {
    let texts: &[&str] = match format {
        Format::EdgeList => &[
            "# c\n1 2 0.5\r\n3\t4,1e3\n\n18446744073709551615 7 -2\n",
            "a,b\nb,c d\n",
            "id,from,to,weight\n7,\"a, b\",c,1\n8,c,\"\"\"d\"\"\",2\n",
            "\"1\";2;x\n3;;4\n",
            "# pregel edge list: undirected, weights, 5 vertices, 2 edges\n# vertices: 1..5\n\
             1\t2\t0.5\n2\t4\t1.5\n",
            "# pregel edge list: directed, names, 2 vertices, 1 edges\n# vertex: a\n# vertex: b\n\
             a\tb\n",
        ],
        Format::MatrixMarket => &[
            "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 0.5\n3 1 2\n",
            "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n1 2\n3 1\n",
        ],
        Format::Dimacs => {
            &["c x\np sp 3 2\na 1 2 7\na 3 1 5\n", "p tw 3 1\n1 3\n", "a 0 5 1\na 5 0 2\n"]
        }
        Format::Metis => &["% c\n3 3 011 2\n1 1 2 5 3 7\n1 1 1 5 3 9\n1 1 1 7 2 9\n", "2 0\n\n\n"],
        _ => &[],
    };
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}

fn snapshot(weighted: bool, names: bool) -> Vec<u8> {
    let edges = vec![[0, 1], [1, 2], [2, 0], [2, 2]];
    let ids = if names {
        Ids::names(b"xyz".to_vec().into(), vec![1, 2, 3].into()).unwrap()
    } else {
        Ids::integers(vec![3, 70, 900].into()).unwrap()
    };
    let graph = if weighted {
        let list = EdgeList { vertex_count: 3, edges, values: vec![1.0f32; 4] };
        AnyGraph::Weighted(GraphBuilder::new().with_edge_list(list).with_ids(ids).build().unwrap())
    } else {
        let list = EdgeList { vertex_count: 3, edges, values: vec![] };
        AnyGraph::Plain(
            GraphBuilder::new()
                .with_directed(false)
                .with_edge_list(list)
                .with_ids(ids)
                .build()
                .unwrap(),
        )
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.pregel");
    save(&path, &graph, None).unwrap();
    std::fs::read(path).unwrap()
}

/// An archive as the SuiteSparse Matrix Collection ships them.
#[cfg(all(feature = "gzip", feature = "tar"))]
fn archive() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in [("web/web.mtx", &seeds(Format::MatrixMarket)[0][..]), ("web/README", b"")]
    {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        archive.append_data(&mut header, name, text).unwrap();
    }
    archive.into_inner().unwrap()
}

#[cfg(all(feature = "gzip", feature = "tar"))]
fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// Ways to write a BVGraph; every code occurs.
fn layouts() -> impl Iterator<Item = Layout> {
    let codes = [
        [Code::Gamma, Code::Unary, Code::Gamma, Code::Gamma, Code::Gamma, Code::Zeta],
        [Code::Delta, Code::Gamma, Code::Delta, Code::Delta, Code::Delta, Code::Nibble],
        [Code::ZetaOf(2), Code::Omega, Code::Unary, Code::Omega, Code::PiOf(2), Code::Golomb],
    ];
    (0..).zip(codes).map(|(i, codes)| {
        let [outdegrees, references, block_counts, blocks, intervals, residuals] = codes;
        Layout {
            shortest_interval: 3,
            states_order: i == 0,
            little: i == 0,
            outdegrees,
            references,
            block_counts,
            blocks,
            intervals,
            residuals,
            ..Layout::default()
        }
    })
}

/// Walks over everything that was loaded.
fn walk(loaded: Result<Loaded, LoadError>) {
    match loaded {
        Ok(loaded) => {
            let graph = loaded.graph.weighted();
            let edges: usize = (0..graph.vertex_count()).map(|v| graph.out().row(v).len()).sum();
            assert_eq!(edges as u64, graph.edge_count());
            assert_eq!(graph.incoming().edge_count(), graph.edge_count());
            assert!(graph.out_values().iter().all(|weight| weight.is_finite()));
            for v in 0..graph.vertex_count() {
                let id = graph.ids().get(v).to_string();
                assert_eq!(graph.ids().find(&id), Some(v));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn options() -> impl Strategy<Value = LoadOptions> {
    let ids = prop_oneof![Just(IdKind::Auto), Just(IdKind::Integer), Just(IdKind::Name)];
    let weights = prop_oneof![Just(Weights::Auto), Just(Weights::None), Just(Weights::Unit)];
    let directed = prop_oneof![Just(None), Just(Some(true)), Just(Some(false))];
    let header = prop_oneof![Just(Header::Auto), Just(Header::Yes), Just(Header::No)];
    let columns = prop_oneof![Just(None), Just(Some("to,from")), Just(Some("2,1,4"))];
    let columns = columns.prop_map(|text| text.and_then(|text| text.parse().ok()));
    let table = (header, columns);
    (ids, weights, directed, table, any::<bool>()).prop_map(
        |(ids, weights, directed, table, skip)| {
            let max_vertices = Some(1 << 16);
            let (header, columns) = table;
            LoadOptions::default()
                .with_ids(ids)
                .with_weights(weights)
                .with_directed(directed)
                .with_header(header)
                .with_columns(columns)
                .with_max_vertices(max_vertices)
                .with_skip_checksums(skip)
        },
    )
}

/// Random changes: a byte is replaced, inserted or removed, a part is doubled, or
/// the end is cut off.
fn mutate(mut bytes: Vec<u8>, changes: &[(u8, usize, u8)]) -> Vec<u8> {
    const BYTES: &[u8] = b"0123456789 -.,;\"\t\r\n#%eap\xFF\0";
    for &(kind, place, byte) in changes {
        let at = place % (bytes.len() + 1);
        let byte = BYTES.get(byte as usize).copied().unwrap_or(byte);
        match kind % 5 {
            0 if at < bytes.len() => bytes[at] = byte,
            1 => bytes.insert(at, byte),
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.extend_from_within(at..),
            _ if at > bytes.len() / 2 => bytes.truncate(at),
            _ => {}
        }
    }
    bytes
}

const TEXT: [Format; 4] = [Format::EdgeList, Format::MatrixMarket, Format::Dimacs, Format::Metis];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..300), options in options()) {
        for format in Format::ALL {
            walk(parse_bytes(format, &bytes, &options));
        }
        let third = bytes.len() / 3;
        let (properties, rest) = bytes.split_at(third);
        let (vertices, edges) = rest.split_at(third);
        walk(graphalytics::parse_bytes(properties, vertices, edges, &options));
        walk(bvgraph::parse_bytes(properties, rest, &options));
        for properties in layouts().map(|layout| layout.properties(third, third)) {
            walk(bvgraph::parse_bytes(properties.as_bytes(), rest, &options));
        }
    }

    #[test]
    fn text_that_is_nearly_right(
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..6),
        options in options(),
    ) {
        for format in TEXT {
            for seed in seeds(format) {
                walk(parse_bytes(format, &mutate(seed, &changes), &options));
            }
        }
    }

    #[test]
    fn values_that_are_nearly_right(
        bytes in proptest::collection::vec(any::<u8>(), 0..100),
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..4),
    ) {
        let ids = Ids::range(8, 3);
        let right = b"8\t1\n9 0.5\r\n# ten\n10   inf\n".to_vec();
        prop_assert!(Values::parse(&right, &ids).is_ok());
        for text in [mutate(right, &changes), bytes] {
            match Values::parse(&text, &ids) {
                Ok(values) => prop_assert!((0..3).all(|v| !values.get(v).is_empty())),
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn data_sets_that_are_nearly_right(
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..4),
        options in options(),
    ) {
        let properties = b"graph.g.directed = true\ngraph.g.edge-properties.names = weight\n";
        let files = [&properties[..], b"1\n2\n300\n", b"1 2 0.5\n300 1 2\n"];
        for changed in 0..3 {
            let [p, v, e] = std::array::from_fn(|i| {
                let file = files[i].to_vec();
                if i == changed { mutate(file, &changes) } else { file }
            });
            walk(graphalytics::parse_bytes(&p, &v, &e, &options));
        }
    }

    #[test]
    fn bvgraphs_that_are_nearly_right(
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..4),
        options in options(),
    ) {
        let options = options.with_max_decompressed(1 << 16);
        let mut lists = vec![vec![1, 2, 3, 5], vec![1, 2, 5], vec![], vec![0, 1, 2, 3, 4, 5]];
        lists.resize(40, vec![39]);
        for layout in layouts() {
            let properties = layout.properties(40, 13 + 36).into_bytes();
            let graph = layout.encode(&lists, |node| node % 3);
            prop_assert!(bvgraph::parse_bytes(&properties, &graph, &options).is_ok());
            walk(bvgraph::parse_bytes(&properties, &mutate(graph.clone(), &changes), &options));
            walk(bvgraph::parse_bytes(&mutate(properties, &changes), &graph, &options));
        }
    }

    #[cfg(all(feature = "gzip", feature = "tar"))]
    #[test]
    fn archives_that_are_nearly_right(
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..4),
        options in options(),
    ) {
        let tar = archive();
        walk(parse_bytes(Format::MatrixMarket, &mutate(tar.clone(), &changes), &options));
        // Damaged before it was compressed, and damaged afterwards.
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("web.tar.gz");
        for bytes in [gzip(&mutate(tar.clone(), &changes)), mutate(gzip(&tar), &changes)] {
            std::fs::write(&path, bytes).unwrap();
            walk(pregel_core::io::load(&path, &options));
        }
    }

    #[test]
    fn snapshots_that_are_nearly_right(
        changes in proptest::collection::vec(any::<(u8, usize, u8)>(), 0..3),
        options in options(),
        (weighted, names) in any::<(bool, bool)>(),
    ) {
        // A right checksum of the header lets the changes reach further.
        let mut bytes = mutate(snapshot(weighted, names), &changes);
        if bytes.len() > 64 {
            let count = u32::from_le_bytes(bytes[56..60].try_into().unwrap()) as usize;
            let mut sum = crc32fast::Hasher::new();
            sum.update(&bytes[..60]);
            sum.update(bytes.get(64..64 + 24 * (count % 17)).unwrap_or_default());
            bytes[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
        }
        walk(parse_bytes(Format::Snapshot, &bytes, &options));
    }
}
