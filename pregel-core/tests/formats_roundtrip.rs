//! What is written is read back as the same graph, by every writer, with
//! every compression.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::path::Path;

use pregel_core::graph::{EdgeList, GraphBuilder, Ids};
use pregel_core::io::{
    AnyGraph, Format, LoadOptions, Loaded, Note, SaveError, load, save, write_file,
};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum IdsSpec {
    Range(u64),
    Sparse(Vec<u64>),
    Names(Vec<String>),
}

#[derive(Clone, Debug)]
struct Spec {
    ids: IdsSpec,
    directed: bool,
    edges: Vec<[u32; 2]>,
    weights: Option<Vec<f32>>,
}

fn make_ids(spec: &IdsSpec, count: u32) -> Ids {
    match spec {
        IdsSpec::Range(first) => Ids::range(*first, count),
        IdsSpec::Sparse(ids) => Ids::integers(ids.clone().into()).unwrap(),
        IdsSpec::Names(names) => {
            let text = names.concat().into_bytes();
            let ends: Vec<u64> = names
                .iter()
                .scan(0, |end, name| {
                    *end += name.len() as u64;
                    Some(*end)
                })
                .collect();
            Ids::names(text.into(), ends.into()).unwrap()
        }
    }
}

fn make(spec: &Spec, count: u32) -> AnyGraph {
    let ids = make_ids(&spec.ids, count);
    let builder = GraphBuilder::new().with_directed(spec.directed);
    let edges = spec.edges.clone();
    match &spec.weights {
        None => {
            let list = EdgeList { vertex_count: count, edges, values: vec![] };
            AnyGraph::Plain(builder.with_edge_list(list).with_ids(ids).build().unwrap())
        }
        Some(weights) => {
            let list = EdgeList { vertex_count: count, edges, values: weights.clone() };
            AnyGraph::Weighted(builder.with_edge_list(list).with_ids(ids).build().unwrap())
        }
    }
}

fn id_spec(count: usize) -> BoxedStrategy<IdsSpec> {
    let sparse = proptest::collection::btree_set(any::<u64>(), count);
    let names = proptest::collection::btree_set("[a-zé\"][a-z0-9 ü'\"]{0,6}[a-z\"]", count);
    prop_oneof![
        prop_oneof![Just(0u64), Just(1), 2..1000u64, Just(u64::MAX - 11)].prop_map(IdsSpec::Range),
        sparse.prop_map(|ids| IdsSpec::Sparse(ids.into_iter().collect())),
        names.prop_map(|names| IdsSpec::Names(names.into_iter().rev().collect())),
    ]
    .boxed()
}

fn spec() -> impl Strategy<Value = (Spec, u32)> {
    (0u32..12, any::<bool>(), 0usize..30, any::<bool>()).prop_flat_map(
        |(count, directed, m, weighted)| {
            let m = if count == 0 { 0 } else { m };
            let end = 0..count.max(1);
            let weight = prop_oneof![-100i32..100, any::<i32>(),].prop_map(|w| w as f32);
            let float = any::<f32>().prop_filter("finite", |w| w.is_finite());
            let weights = proptest::collection::vec(prop_oneof![weight, float], m);
            let weights = weights.prop_map(move |weights| weighted.then_some(weights));
            let edges = proptest::collection::vec([end.clone(), end], m);
            (id_spec(count as usize), edges, weights).prop_map(move |(ids, edges, weights)| {
                (Spec { ids, directed, edges, weights }, count)
            })
        },
    )
}

/// Everything about a graph: whether it is directed and has weights, its ids,
/// its edges; equal edges in the order of their weights.
type Facts = (bool, bool, Vec<String>, Vec<(u32, u32, u32)>);

fn facts(graph: &AnyGraph) -> Facts {
    let ids = (0..graph.vertex_count()).map(|v| graph.ids().get(v).to_string()).collect();
    let weighted = graph.weighted();
    let mut edges = Vec::new();
    for source in 0..weighted.vertex_count() {
        for place in weighted.out().range(source) {
            let weight = weighted.out_values()[place].to_bits();
            edges.push((source, weighted.out().targets()[place], weight));
        }
    }
    edges.sort_unstable();
    (graph.directed(), graph.has_weights(), ids, edges)
}

fn write_and_read(graph: &AnyGraph, name: &str) -> Loaded {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    save(&path, graph, None).unwrap();
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "temporary files stay");
    load(&path, &LoadOptions::default()).unwrap_or_else(|error| {
        panic!("{error}\n{}", String::from_utf8_lossy(&std::fs::read(&path).unwrap()))
    })
}

/// As [`facts`], without the order of vertices: the ends of edges by their ids.
#[cfg(feature = "parquet")]
fn edges_by_id(graph: &AnyGraph) -> (bool, bool, Vec<(String, String, u32)>) {
    let (directed, has_weights, ids, edges) = facts(graph);
    let id = |v: u32| ids[v as usize].clone();
    let mut edges: Vec<_> = edges.into_iter().map(|(u, v, w)| (id(u), id(v), w)).collect();
    edges.sort_unstable();
    (directed, has_weights, edges)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn snapshots((spec, count) in spec(), suffix in prop_oneof![Just(""), Just(".zst"), Just(".gz"), Just(".xz")]) {
        let graph = make(&spec, count);
        let loaded = write_and_read(&graph, &format!("g.pregel{suffix}"));
        prop_assert_eq!(loaded.format, Format::Snapshot);
        prop_assert_eq!(facts(&loaded.graph), facts(&graph));
        let (old, new) = (graph.weighted(), loaded.graph.weighted());
        prop_assert_eq!(old.incoming().offsets(), new.incoming().offsets());
        prop_assert_eq!(old.incoming().targets(), new.incoming().targets());
        prop_assert_eq!(old.incoming_values(), new.incoming_values());
    }

    #[test]
    fn edge_lists((spec, count) in spec(), suffix in prop_oneof![Just("txt"), Just("csv"), Just("tsv.gz"), Just("el.zst"), Just("txt.xz")]) {
        let graph = make(&spec, count);
        let loaded = write_and_read(&graph, &format!("g.{suffix}"));
        prop_assert_eq!(loaded.format, Format::EdgeList);
        prop_assert_eq!(facts(&loaded.graph), facts(&graph));
    }

    #[cfg(feature = "parquet")]
    #[test]
    fn parquet((spec, count) in spec(), suffix in prop_oneof![Just(""), Just(".zst")]) {
        let graph = make(&spec, count);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("g.parquet{suffix}"));
        let saved = save(&path, &graph, None).unwrap();
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        prop_assert_eq!((loaded.format, &loaded.notes[..]), (Format::Parquet, &[][..]));
        prop_assert_eq!(edges_by_id(&loaded.graph), edges_by_id(&graph));
        let vertices = u64::from(count - loaded.graph.vertex_count());
        let expected = (vertices > 0).then_some(Note::Isolated { vertices });
        prop_assert_eq!(saved.notes, expected.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn matrix_market((spec, count) in spec(), suffix in prop_oneof![Just(""), Just(".zst")]) {
        let graph = make(&spec, count);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("g.mtx{suffix}"));
        let saved = save(&path, &graph, None);
        if matches!(spec.ids, IdsSpec::Names(_)) {
            let refused = matches!(saved, Err(SaveError::Names { .. }));
            prop_assert!(refused && !path.exists());
            return Ok(());
        }
        let loaded = load(&path, &LoadOptions::default()).unwrap();
        let mut expected = facts(&graph);
        expected.2 = (1..=count).map(|id| id.to_string()).collect();
        prop_assert_eq!(facts(&loaded.graph), expected);
    }
}

fn small() -> AnyGraph {
    let spec =
        Spec { ids: IdsSpec::Range(1), directed: true, edges: vec![[0, 1], [1, 2]], weights: None };
    make(&spec, 3)
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("table.txt");
    std::fs::write(&path, "old").unwrap();
    let result = write_file(&path, |to| {
        to.write_all(b"new, but only ha")?;
        Err(std::io::ErrorKind::StorageFull.into())
    });
    assert!(matches!(result, Err(SaveError::Io { .. })));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

/// A signal that ends the process in the middle of a write leaves nothing.
#[cfg(target_os = "linux")]
#[test]
fn no_file_has_a_name_before_it_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let names = || std::fs::read_dir(folder.path()).unwrap().count();
    let path = folder.path().join("table.txt");
    for text in ["new", "newer"] {
        let before = names();
        write_file(&path, |to| {
            to.write_all(text.as_bytes())?;
            to.flush()?;
            assert_eq!(names(), before);
            Ok(())
        })
        .unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(names(), 1);
    }
}

#[cfg(unix)]
#[test]
fn a_reader_that_leaves_early_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || drop(std::fs::File::open(pipe).unwrap())
    });
    let written = write_file(&pipe, |to| {
        reader.join().unwrap();
        to.write_all(&vec![0; 4 << 20])
    });
    assert!(matches!(written, Err(SaveError::ReaderLeft { .. })), "{written:?}");
}

#[test]
fn lost_ids_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.mtx");
    assert!(save(&path, &small(), None).unwrap().notes.is_empty());
    let ids = IdsSpec::Sparse(vec![3, 7, 20]);
    let graph = make(&Spec { ids, directed: true, edges: vec![[0, 1]], weights: None }, 3);
    assert_eq!(save(&path, &graph, None).unwrap().notes, [Note::Renumbered]);
    assert!(save(&folder.path().join("g.txt"), &graph, None).unwrap().notes.is_empty());
}

#[test]
fn what_cannot_be_written_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let unknown = save(&at("graph.unknown"), &small(), None);
    assert!(matches!(unknown, Err(SaveError::UnknownFormat { .. })), "{unknown:?}");
    let dimacs = save(&at("graph.gr"), &small(), None);
    assert!(matches!(dimacs, Err(SaveError::Unsupported { format: Format::Dimacs, .. })));
    let parquet = save(&at("graph.parquet"), &small(), None);
    let lacks = matches!(parquet, Err(SaveError::Feature { what: "parquet", .. }));
    assert!(lacks || cfg!(feature = "parquet") && parquet.is_ok(), "{parquet:?}");
    let _ = std::fs::remove_file(at("graph.parquet"));
    let nowhere = save(Path::new("/no/such/folder/graph.mtx"), &small(), None);
    assert!(matches!(nowhere, Err(SaveError::Io { .. })));
    for name in ["", "#x", "a\tb", " a", "a\nb", "//"] {
        let ids = IdsSpec::Names(vec![name.to_owned()]);
        let graph = make(&Spec { ids, directed: true, edges: vec![], weights: None }, 1);
        let named = save(&at("graph.txt"), &graph, None);
        assert!(matches!(named, Err(SaveError::Name { .. })), "{name:?}");
        if cfg!(feature = "parquet") && ["", "a\tb", "a\nb"].contains(&name) {
            let named = save(&at("graph.parquet"), &graph, None);
            assert!(matches!(named, Err(SaveError::Name { .. })), "{name:?}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn links_and_modes_are_kept() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (file, link) = (folder.path().join("a.mtx"), folder.path().join("b.mtx"));
    std::fs::write(&file, "old").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
    symlink(&file, &link).unwrap();
    save(&link, &small(), None).unwrap();
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    assert_eq!(load(&file, &LoadOptions::default()).unwrap().graph.vertex_count(), 3);
}

#[cfg(unix)]
#[test]
fn a_link_to_a_file_that_is_not_there_stays() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("inner")).unwrap();
    // A link relative to its own folder, and a link to that link.
    symlink("../made.mtx", at("inner/link.mtx")).unwrap();
    symlink("inner/link.mtx", at("first.mtx")).unwrap();
    save(&at("first.mtx"), &small(), None).unwrap();
    for link in ["first.mtx", "inner/link.mtx"] {
        assert!(at(link).symlink_metadata().unwrap().is_symlink(), "{link}");
    }
    assert!(at("made.mtx").symlink_metadata().unwrap().is_file());
    assert_eq!(load(&at("first.mtx"), &LoadOptions::default()).unwrap().graph.vertex_count(), 3);

    symlink("circle.mtx", at("circle.mtx")).unwrap();
    let circle = save(&at("circle.mtx"), &small(), None);
    assert!(matches!(circle, Err(SaveError::Io { .. })), "{circle:?}");
}

#[test]
fn suffixes_of_compression_are_known_in_upper_case() {
    let folder = tempfile::tempdir().unwrap();
    for (name, magic) in [("g.CSV.GZ", &b"\x1f\x8b"[..]), ("g.mtx.Zst", b"\x28\xb5\x2f\xfd")] {
        let path = folder.path().join(name);
        save(&path, &small(), None).unwrap();
        assert!(std::fs::read(&path).unwrap().starts_with(magic), "{name}");
        assert_eq!(load(&path, &LoadOptions::default()).unwrap().graph.vertex_count(), 3);
    }
}

#[test]
fn an_undirected_edge_list_is_readable_as_text() {
    let spec = Spec {
        ids: IdsSpec::Sparse(vec![3, 7, 20]),
        directed: false,
        edges: vec![[0, 1], [1, 1]],
        weights: Some(vec![0.5, 2.0]),
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("g.txt");
    save(&path, &make(&spec, 3), None).unwrap();
    let expected = "# pregel edge list: undirected, weights, 3 vertices, 2 edges\n\
                    # vertex: 20\n3\t7\t0.5\n7\t7\t2\n";
    assert_eq!(std::fs::read_to_string(&path).unwrap(), expected);
}
