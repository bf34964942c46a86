//! What every fuzz target does: parse the bytes and, if they make a graph, visit
//! all of it. A panic or an error of the sanitizer is a finding.

pub mod checkpoint;

use pregel_core::graph::Ids;
use pregel_core::io::{
    Format, Header, IdKind, LoadError, LoadOptions, Loaded, Values, parse_bytes,
};

/// Options that keep one run small.
fn options() -> LoadOptions {
    LoadOptions::default().with_max_vertices(1 << 12).with_skip_checksums(true)
}

/// Parses `data` as a file of this format.
pub fn file(format: Format, data: &[u8]) {
    walk(parse_bytes(format, data, &options()));
    if format == Format::EdgeList {
        let named = options().with_ids(IdKind::Name);
        walk(parse_bytes(format, data, &named));
        for columns in ["to,from", "2,1,4"] {
            walk(parse_bytes(format, data, &options().with_columns(columns.parse().ok())));
        }
        walk(parse_bytes(format, data, &options().with_header(Header::Yes)));
    }
    let turned = options().with_directed(false);
    walk(parse_bytes(format, data, &turned));
}

/// Parses the three files of a Graphalytics data set, with NUL between them.
pub fn data_set(data: &[u8]) {
    let mut files = data.splitn(3, |byte| *byte == 0);
    let [properties, vertices, edges] = std::array::from_fn(|_| files.next().unwrap_or_default());
    walk(pregel_core::io::graphalytics::parse_bytes(properties, vertices, edges, &options()));
}

/// Parses the two files of a BVGraph, with NUL between them.
pub fn bvgraph(data: &[u8]) {
    let mut files = data.splitn(2, |byte| *byte == 0);
    let [properties, graph] = std::array::from_fn(|_| files.next().unwrap_or_default());
    let options = options().with_max_decompressed(1 << 20);
    walk(pregel_core::io::bvgraph::parse_bytes(properties, graph, &options));
}

/// Parses lines of a vertex and a value, where the vertices are 8, 9 and 10.
pub fn values(data: &[u8]) {
    match Values::parse(data, &Ids::range(8, 3)) {
        Ok(values) => assert!((0..3).all(|v| !values.get(v).is_empty())),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Parses a snapshot as it is, and with a corrected checksum of its header.
pub fn snapshot(data: &[u8]) {
    file(Format::Snapshot, data);
    let mut signed = data.to_vec();
    if signed.len() >= 64 {
        let count = usize::from(signed[56]);
        let mut sum = crc32fast::Hasher::new();
        sum.update(&signed[..60]);
        sum.update(signed.get(64..64 + 24 * count).unwrap_or_default());
        signed[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
        file(Format::Snapshot, &signed);
    }
}

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
