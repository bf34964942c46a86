//! Damaged and forged snapshots: every part of the file is covered by a check.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;

use pregel_core::graph::{CsrError, Duplicates, EdgeList, GraphBuilder, IdError, Ids, SelfLoops};
use pregel_core::io::{
    AnyGraph, Format, LoadError, LoadOptions, Loaded, SaveError, SnapshotError, Weights, load,
    load_mapped, parse_bytes, save,
};

/// Four vertices, directed, with weights and sparse ids.
fn snapshot() -> Vec<u8> {
    let list = EdgeList {
        vertex_count: 4,
        edges: vec![[0, 1], [1, 2], [2, 0], [3, 0]],
        values: vec![0.5f32, 1.5, 2.5, 3.5],
    };
    let ids = Ids::integers(vec![2, 30, 400, 5000].into()).unwrap();
    let graph = GraphBuilder::new().with_edge_list(list).with_ids(ids).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.pregel");
    save(&path, &AnyGraph::Weighted(graph), None).unwrap();
    std::fs::read(&path).unwrap()
}

fn read(bytes: &[u8], skip_checksums: bool) -> Result<Loaded, SnapshotError> {
    let options = LoadOptions::default().with_skip_checksums(skip_checksums);
    let parsed = parse_bytes(Format::Snapshot, bytes, &options);
    // A file, read or mapped, must be judged as the bytes are.
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.pregel");
    std::fs::write(&path, bytes).unwrap();
    let file = load(&path, &options);
    // SAFETY: no other process knows the file.
    let mapped = unsafe { load_mapped(&path, &options) };
    let text = |loaded: &Result<Loaded, LoadError>| match loaded {
        Ok(_) => String::new(),
        Err(LoadError::Snapshot { problem, .. }) => problem.to_string(),
        Err(other) => panic!("{other:?}"),
    };
    // Fewer bytes than the magic has are taken for text.
    if bytes.len() >= 8 {
        assert_eq!(text(&parsed), text(&file));
        assert_eq!(text(&parsed), text(&mapped));
    }
    parsed.map_err(|error| match error {
        LoadError::Snapshot { problem, .. } => problem,
        other => panic!("{other:?}"),
    })
}

fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())
}

/// Where section `kind` begins, and where its entry of the table does.
fn section(bytes: &[u8], kind: u32) -> (usize, usize) {
    let mut entries = (64..).step_by(24);
    let entry = entries.find(|at| bytes[*at..at + 4] == kind.to_le_bytes()).unwrap();
    (number(bytes, entry + 8) as usize, entry)
}

/// Makes the checksum of header and table right again.
fn sign(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[56..60].try_into().unwrap()) as usize;
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    sum.update(&bytes[64..64 + 24 * count]);
    put(bytes, 60, &sum.finalize().to_le_bytes());
}

/// Makes all checksums right again.
fn sign_all(bytes: &mut [u8]) {
    let count = u32::from_le_bytes(bytes[56..60].try_into().unwrap()) as usize;
    for entry in (64..).step_by(24).take(count) {
        let (start, length) = (number(bytes, entry + 8), number(bytes, entry + 16));
        let sum = crc32fast::hash(&bytes[start as usize..(start + length) as usize]);
        put(bytes, entry + 4, &sum.to_le_bytes());
    }
    sign(bytes);
}

#[test]
fn the_layout_is_the_documented_one() {
    let bytes = snapshot();
    assert_eq!(&bytes[..8], b"\x89PRGL\r\n\x1a");
    assert_eq!(&bytes[8..24], [1, 0, 0, 0, 4, 3, 2, 1, 3, 0, 0, 0, 1, 0, 0, 0]);
    let fields: Vec<u64> = [24, 32, 40, 48].map(|at| number(&bytes, at)).into();
    assert_eq!(fields, [4, 4, 0, bytes.len() as u64]);
    assert_eq!(&bytes[56..60], [4, 0, 0, 0]);
    for kind in [1, 4, 5, 6] {
        assert_eq!(section(&bytes, kind).0 % 64, 0);
    }
    let ids = section(&bytes, 1).0;
    assert_eq!((number(&bytes, ids), number(&bytes, ids + 24)), (2, 5000));
    let targets = section(&bytes, 5).0;
    assert_eq!(&bytes[targets..targets + 16], bytemuck::bytes_of(&[1u32, 2, 0, 0].map(u32::to_le)));
    read(&bytes, false).unwrap();
}

#[test]
fn a_change_of_any_byte_is_noticed() {
    let bytes = snapshot();
    let gap = |at: usize| {
        let inside = |kind: &u32| {
            let (start, entry) = section(&bytes, *kind);
            (start..start + number(&bytes, entry + 16) as usize).contains(&at)
        };
        at >= 64 + 4 * 24 && ![1, 4, 5, 6].iter().any(inside)
    };
    for at in (0..bytes.len()).filter(|at| !gap(*at)) {
        let mut damaged = bytes.clone();
        damaged[at] ^= 0x10;
        assert!(parse_bytes(Format::Snapshot, &damaged, &LoadOptions::default()).is_err(), "{at}");
    }
}

#[test]
fn every_length_but_the_right_one_is_refused() {
    let bytes = snapshot();
    for length in 0..bytes.len() {
        let error = read(&bytes[..length], false).unwrap_err();
        match length {
            0..8 => assert_eq!(error, SnapshotError::Magic),
            8..64 => assert!(matches!(error, SnapshotError::Short { expected: 64, .. })),
            64..160 => assert!(matches!(error, SnapshotError::Short { expected: 160, .. })),
            _ => assert!(matches!(error, SnapshotError::Length { .. }), "{length}: {error:?}"),
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    assert!(matches!(read(&longer, false), Err(SnapshotError::Length { .. })));
}

#[test]
fn forged_headers() {
    let forge = |at: usize, value: &[u8]| {
        let mut bytes = snapshot();
        put(&mut bytes, at, value);
        sign(&mut bytes);
        read(&bytes, false).unwrap_err()
    };
    assert_eq!(forge(8, &[2]), SnapshotError::Version { known: 1, found: 2 });
    assert_eq!(forge(12, &[1, 2, 3, 4]), SnapshotError::ByteOrder);
    assert!(matches!(forge(16, &[15]), SnapshotError::Header { found: 15, .. }));
    assert!(matches!(forge(20, &[3]), SnapshotError::Header { found: 3, .. }));
    assert!(matches!(forge(24, &[0xFF; 8]), SnapshotError::Header { found: u64::MAX, .. }));
    assert!(matches!(forge(40, &[0xFF; 8]), SnapshotError::Header { found: u64::MAX, .. }));
    // Counts that do not match the sections, for which no memory is set aside.
    assert!(matches!(forge(24, &[0xFF; 4]), SnapshotError::Place { section: "ids", .. }));
    assert!(matches!(forge(32, &[0xFF; 7]), SnapshotError::Place { section: "targets", .. }));
    assert!(matches!(forge(32, &[0xFF; 8]), SnapshotError::Header { found: u64::MAX, .. }));
    // A kind of ids or a flag that asks for other sections.
    assert!(matches!(forge(20, &[0]), SnapshotError::Sections { .. }));
    assert!(matches!(forge(16, &[1]), SnapshotError::Sections { .. }));
    assert!(matches!(forge(16, &[7]), SnapshotError::Sections { .. }));
    let mut many = snapshot();
    put(&mut many, 56, &[17]);
    let error = read(&many, false).unwrap_err();
    assert!(matches!(error, SnapshotError::Header { found: 17, .. }), "{error:?}");
}

#[test]
fn forged_tables() {
    for (kind, field, value) in
        [(5, 8, u64::MAX), (5, 8, 1), (4, 8, 8), (6, 16, 1 << 60), (1, 16, 8)]
    {
        let mut bytes = snapshot();
        let entry = section(&bytes, kind).1;
        put(&mut bytes, entry + field, &value.to_le_bytes());
        sign(&mut bytes);
        let error = read(&bytes, false).unwrap_err();
        assert!(matches!(error, SnapshotError::Place { .. }), "{kind} {value}: {error:?}");
    }
}

#[test]
fn forged_sections_are_refused_without_checksums_too() {
    let forge = |kind: u32, at: usize, value: &[u8]| {
        let mut bytes = snapshot();
        let start = section(&bytes, kind).0;
        put(&mut bytes, start + at, value);
        let checked = read(&bytes, false).unwrap_err();
        assert!(matches!(checked, SnapshotError::Checksum { .. }), "{checked:?}");
        read(&bytes, true).unwrap_err()
    };
    let rows = |error: CsrError| SnapshotError::Rows(error);
    assert_eq!(forge(4, 0, &[1]), rows(CsrError::Offsets { row: 0 }));
    assert_eq!(forge(4, 8, &[9]), rows(CsrError::Offsets { row: 1 }));
    assert_eq!(forge(4, 32, &[5]), rows(CsrError::End { end: 5, edges: 4 }));
    let target = rows(CsrError::Target { edge: 2, target: 4, vertices: 4 });
    assert_eq!(forge(5, 8, &[4]), target);
    let weight = SnapshotError::Weight { edge: 1 };
    assert_eq!(forge(6, 4, &f32::NAN.to_le_bytes()), weight);
    assert_eq!(forge(1, 8, &[1]), SnapshotError::Ids(IdError::Order { vertex: 1 }));
}

/// Earlier snapshots of directed graphs end with their rows by target.
#[test]
fn rows_by_target_are_not_read() {
    let bytes = snapshot();
    let sections = [1, 4, 5, 6].map(|kind| {
        let (start, entry) = section(&bytes, kind);
        (kind, bytes[start..start + number(&bytes, entry + 16) as usize].to_vec())
    });
    // They say nothing that is true.
    let added = [(7, vec![0xFF; 40]), (8, vec![0xFF; 16]), (9, vec![0xFF; 16])];
    let mut old = bytes[..64].to_vec();
    let (mut table, mut contents) = (Vec::new(), Vec::new());
    for (kind, content) in sections.into_iter().chain(added) {
        let start = (64 + 7 * 24 + contents.len()).next_multiple_of(64);
        contents.resize(start - 64 - 7 * 24, 0);
        table.extend(u32::to_le_bytes(kind));
        table.extend([0; 4]);
        table.extend([start, content.len()].map(|number| (number as u64).to_le_bytes()).concat());
        contents.extend(content);
    }
    old.extend(table);
    old.extend(contents);
    let length = old.len() as u64;
    put(&mut old, 16, &[7]);
    put(&mut old, 48, &length.to_le_bytes());
    put(&mut old, 56, &[7]);
    sign_all(&mut old);
    let [old, new] = [&old, &bytes].map(|bytes| read(bytes, false).unwrap().graph.weighted());
    assert_eq!(old.out().targets(), new.out().targets());
    assert_eq!(old.incoming().targets(), [2, 3, 0, 1]);
    assert_eq!(old.incoming_values(), new.incoming_values());
}

#[test]
fn undirected_rows_must_be_symmetric() {
    let list = EdgeList { vertex_count: 3, edges: vec![[0, 1], [1, 2]], values: vec![1f32, 2.0] };
    let graph = GraphBuilder::new().with_directed(false).with_edge_list(list).build().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.pregel");
    save(&path, &AnyGraph::Weighted(graph), None).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    read(&bytes, false).unwrap();
    let forge = |kind: u32, at: usize, value: &[u8]| {
        let mut bytes = bytes.clone();
        let start = section(&bytes, kind).0;
        put(&mut bytes, start + at, value);
        let unsigned = read(&bytes, true).unwrap_err();
        sign_all(&mut bytes);
        assert_eq!(read(&bytes, false).unwrap_err(), unsigned);
        unsigned
    };
    let asymmetric = |from, to| SnapshotError::Rows(CsrError::Asymmetric { from, to });
    // 0 → 1 becomes 0 → 2; 1 → 2 gets a value of its own.
    assert_eq!(forge(5, 0, &[2]), asymmetric(1, 0));
    assert_eq!(forge(6, 8, &3f32.to_le_bytes()), asymmetric(2, 1));

    // Building the graph anew, from the edges in one direction, hides nothing.
    let mut forged = bytes.clone();
    let targets = section(&bytes, 5).0;
    put(&mut forged, targets, &[2]);
    sign_all(&mut forged);
    let anew = [
        LoadOptions::default().with_directed(true),
        LoadOptions::default().with_duplicates(Duplicates::First),
        LoadOptions::default().with_self_loops(SelfLoops::Drop).with_weights(Weights::None),
    ];
    for options in anew {
        parse_bytes(Format::Snapshot, &bytes, &options).unwrap();
        let refused = parse_bytes(Format::Snapshot, &forged, &options);
        let Err(LoadError::Snapshot { problem, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(problem, asymmetric(1, 0));
    }
}

#[test]
fn options_apply_to_snapshots() {
    let bytes = snapshot();
    let read = |options| parse_bytes(Format::Snapshot, &bytes, &options).unwrap().graph;
    let plain = read(LoadOptions::default().with_weights(Weights::None));
    assert!(!plain.has_weights());
    let unit = read(LoadOptions::default().with_weights(Weights::Unit));
    assert_eq!(unit.weighted().out_values(), [1.0; 4]);
    let both = read(LoadOptions::default().with_directed(false));
    assert!(!both.directed());
    assert_eq!((both.edge_count(), both.ids().find("5000")), (8, Some(3)));
    let few = LoadOptions::default().with_max_vertices(3);
    let refused = parse_bytes(Format::Snapshot, &bytes, &few);
    assert!(matches!(refused, Err(LoadError::TooManyVertices { vertices: 4, limit: 3, .. })));
}

/// Safe code can change a file; what was checked when it was loaded stays.
#[test]
fn a_file_that_changes_later_does_not_change_the_graph() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = snapshot();
    let texts = [("g.pregel", bytes), ("g.txt", b"1 2 3\n2 1 4\n".to_vec())];
    for (name, bytes) in texts {
        let path = folder.path().join(name);
        std::fs::write(&path, &bytes).unwrap();
        let graph = load(&path, &LoadOptions::default()).unwrap().graph.weighted();
        let (targets, values) = (graph.out().targets().to_vec(), graph.out_values().to_vec());
        let mut file = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        file.write_all(&vec![0xFF; bytes.len()]).unwrap();
        assert_eq!(graph.out().targets(), targets);
        assert_eq!(graph.out_values(), values);
        file.set_len(0).unwrap();
        assert_eq!(graph.out().targets(), targets);
        assert_eq!(graph.incoming().edge_count(), targets.len() as u64);
    }
}

#[test]
fn a_mapped_snapshot_is_the_same_graph() {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in [("g.pregel", snapshot()), ("g.csv", b"from,to\n1,2\n".to_vec())] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let read = load(&path, &LoadOptions::default()).unwrap();
        // SAFETY: no other process knows the file.
        let mapped = unsafe { load_mapped(&path, &LoadOptions::default()) }.unwrap();
        assert_eq!((read.format, &read.files), (mapped.format, &mapped.files));
        let (read, mapped) = (read.graph.weighted(), mapped.graph.weighted());
        assert_eq!(read.out().targets(), mapped.out().targets());
        assert_eq!(read.incoming().targets(), mapped.incoming().targets());
        assert_eq!(read.out_values(), mapped.out_values());
    }
}

#[test]
fn the_largest_ids_are_written_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let list = EdgeList { vertex_count: 3, edges: vec![[0, 1]], values: vec![] };
    let ids = Ids::range(u64::MAX - 2, 3);
    let graph = AnyGraph::Plain(
        GraphBuilder::<()>::new().with_edge_list(list).with_ids(ids).build().unwrap(),
    );
    for name in ["g.pregel", "g.txt", "g.csv"] {
        let path = folder.path().join(name);
        save(&path, &graph, None).unwrap();
        let loaded = load(&path, &LoadOptions::default()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.graph.ids().find_integer(u64::MAX), Some(2), "{name}");
    }
}

/// No file with such weights can be read.
#[test]
fn weights_that_are_not_finite_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    for weight in [f32::NAN, f32::INFINITY] {
        let list = EdgeList { vertex_count: 2, edges: vec![[0, 1]], values: vec![weight] };
        let graph = GraphBuilder::new().with_edge_list(list).build().unwrap();
        let graph = AnyGraph::Weighted(graph);
        for name in ["g.pregel", "g.mtx", "g.txt"] {
            let saved = save(&folder.path().join(name), &graph, None);
            assert!(matches!(saved, Err(SaveError::Weight { edge: 0, .. })), "{name}: {saved:?}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
