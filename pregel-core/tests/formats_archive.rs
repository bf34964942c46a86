//! Tar archives with a Matrix Market file: which member is read, and archives that lie.
#![cfg(all(feature = "gzip", feature = "tar"))]
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::io::Write;
use std::path::{Path, PathBuf};

use pregel_core::io::{
    ArchiveError, Format, LoadError, LoadOptions, Loaded, Note, load, load_edges,
};
use tar::{EntryType, Header};

const MATRIX: &str = "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 1\n";
const VECTOR: &str = "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n";

fn header(size: u64, kind: EntryType) -> Header {
    let mut header = Header::new_gnu();
    header.set_size(size);
    header.set_mode(0o644);
    header.set_entry_type(kind);
    header
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in files {
        let mut header = header(text.len() as u64, EntryType::Regular);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    archive.into_inner().unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    to.write_all(bytes).unwrap();
    to.finish().unwrap()
}

/// Loads a file of this name and content.
fn read(name: &str, bytes: &[u8]) -> Result<Loaded, LoadError> {
    read_with(name, bytes, &LoadOptions::default())
}

fn read_with(name: &str, bytes: &[u8], options: &LoadOptions) -> Result<Loaded, LoadError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let loaded = load(&path, options);
    let left: Vec<PathBuf> =
        std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, [path], "nothing is unpacked");
    loaded
}

fn problem(name: &str, bytes: &[u8]) -> ArchiveError {
    match read(name, bytes) {
        Err(LoadError::Archive { problem, .. }) => problem,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_matrix(loaded: &Loaded) {
    assert_eq!(loaded.format, Format::MatrixMarket);
    let graph = loaded.graph.plain();
    assert_eq!((graph.vertex_count(), graph.edge_count(), graph.directed()), (3, 4, false));
}

#[test]
fn the_matrix_named_like_its_folder() {
    let files = [
        ("web/web_b.mtx", VECTOR),
        ("web/README", "words"),
        ("web/web.mtx", MATRIX),
        ("web/web_coord.mtx", VECTOR),
    ];
    let bytes = archive(&files);
    // The name of the archive does not matter then.
    for (name, bytes) in
        [("web.tar.gz", gzip(&bytes)), ("copy.tgz", gzip(&bytes)), ("w.tar", bytes)]
    {
        let loaded = read(name, &bytes).unwrap();
        assert_matrix(&loaded);
        assert!(loaded.files[0].ends_with(name), "{:?}", loaded.files);
        assert_eq!(loaded.notes, [Note::Member { member: "web/web.mtx".to_owned(), matrices: 3 }]);
    }
}

#[test]
fn the_matrix_named_like_the_archive_and_the_only_one() {
    let loaded = read("Web.tar.gz", &gzip(&archive(&[("a.mtx", VECTOR), ("web.mtx", MATRIX)])));
    assert_matrix(&loaded.unwrap());
    let loaded = read("x.tar.gz", &gzip(&archive(&[("notes.txt", ""), ("a/b.MTX", MATRIX)])));
    let loaded = loaded.unwrap();
    assert_matrix(&loaded);
    assert_eq!(loaded.notes, []);
}

#[cfg(all(feature = "xz", feature = "zstd"))]
#[test]
fn other_compressions() {
    let bytes = archive(&[("g/g.mtx", MATRIX)]);
    let mut xz = liblzma::write::XzEncoder::new(Vec::new(), 1);
    xz.write_all(&bytes).unwrap();
    assert_matrix(&read("g.tar.xz", &xz.finish().unwrap()).unwrap());
    assert_matrix(&read("g.tar.zst", &zstd::encode_all(&bytes[..], 1).unwrap()).unwrap());
}

#[test]
fn archives_that_leave_a_choice_are_refused() {
    let none = problem("x.tar.gz", &gzip(&archive(&[("x/a.txt", "1 2\n"), ("x/b.csv", "1,2\n")])));
    assert_eq!(none, ArchiveError::NoMatrix { members: "x/a.txt, x/b.csv".to_owned() });
    let none = problem("x.tar", &archive(&[("x/a\u{1b}[2J.txt", "")]));
    assert_eq!(none, ArchiveError::NoMatrix { members: "x/a\\u{1b}[2J.txt".to_owned() });
    let two = problem("x.tar.gz", &gzip(&archive(&[("x/a.mtx", MATRIX), ("x/b.mtx", MATRIX)])));
    assert_eq!(two, ArchiveError::Ambiguous { members: "x/a.mtx, x/b.mtx".to_owned() });
    let both = archive(&[("a/a.mtx", MATRIX), ("b/b.mtx", MATRIX)]);
    assert!(matches!(problem("x.tar", &both), ArchiveError::Ambiguous { .. }));
    let twice = archive(&[("a/a.mtx", MATRIX), ("a/a.mtx", VECTOR)]);
    assert!(matches!(problem("a.tar", &twice), ArchiveError::Ambiguous { .. }));
    let names: Vec<String> = (0..30).map(|i| format!("{i}.txt")).collect();
    let many: Vec<(&str, &str)> = names.iter().map(|name| (&name[..], "")).collect();
    let many = problem("x.tar", &archive(&many)).to_string();
    assert!(many.ends_with("18.txt, 19.txt and 10 more"), "{many}");
}

#[test]
fn errors_name_the_member_and_its_line() {
    let wrong = archive(&[("g/g.mtx", &format!("{MATRIX}x\n"))]);
    let error = read("g.tar.gz", &gzip(&wrong)).unwrap_err().to_string();
    assert!(error.contains("g.tar.gz/g/g.mtx, line 5: "), "{error}");
}

#[test]
fn links_folders_and_paths_lead_nowhere() {
    let mut archive = tar::Builder::new(Vec::new());
    for kind in [EntryType::Symlink, EntryType::Link] {
        archive.append_link(&mut header(0, kind), "g/g.mtx", "/etc/passwd").unwrap();
    }
    archive.append_data(&mut header(0, EntryType::Directory), "h/h.mtx", &b""[..]).unwrap();
    let bytes = archive.into_inner().unwrap();
    assert_eq!(problem("g.tar", &bytes), ArchiveError::NoMatrix { members: "no file".to_owned() });
    // A path outside the folder names a member like any other.
    for name in ["../../g/g.mtx", "/g/g.mtx"] {
        let mut header = header(MATRIX.len() as u64, EntryType::Regular);
        header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_cksum();
        let mut archive = tar::Builder::new(Vec::new());
        archive.append(&header, MATRIX.as_bytes()).unwrap();
        assert_matrix(&read("x.tar", &archive.into_inner().unwrap()).unwrap());
    }
}

#[test]
fn lengths_that_lie() {
    // More than there is, up to the largest number that a header can hold.
    for size in [MATRIX.len() as u64 + 2000, 1 << 40, u64::MAX >> 1, u64::MAX] {
        let mut header = header(size, EntryType::Regular);
        header.as_old_mut().name[..7].copy_from_slice(b"g/g.mtx");
        header.set_cksum();
        let bytes = [header.as_bytes(), MATRIX.as_bytes()].concat();
        for (name, bytes) in [("g.tar", bytes.clone()), ("g.tar.gz", gzip(&bytes))] {
            let refused = read(name, &bytes);
            assert!(matches!(refused, Err(LoadError::Compressed { .. })), "{size}: {refused:?}");
        }
    }
    // A sparse file of 2^60 zeros is no candidate.
    let mut sparse = header(512, EntryType::GNUSparse);
    sparse.as_gnu_mut().unwrap().set_real_size(1 << 60);
    sparse.as_gnu_mut().unwrap().sparse[0].set_offset((1 << 60) - 512);
    sparse.as_gnu_mut().unwrap().sparse[0].set_length(512);
    sparse.as_old_mut().name[..7].copy_from_slice(b"g/g.mtx");
    sparse.set_cksum();
    let bytes = [&sparse.as_bytes()[..], &[b'1'; 512], &[0; 1024]].concat();
    assert!(matches!(problem("g.tar", &bytes), ArchiveError::NoMatrix { .. }));
}

#[test]
fn what_comes_out_is_limited() {
    let zeros = "0".repeat(1 << 20);
    let bytes = gzip(&archive(&[("g/zeros", &zeros), ("g/g.mtx", MATRIX)]));
    let with = |limit: u64| {
        read_with("g.tar.gz", &bytes, &LoadOptions::default().with_max_decompressed(limit))
    };
    assert!(matches!(with(1 << 20), Err(LoadError::TooLong { limit: 1_048_576, .. })));
    assert_matrix(&with((1 << 20) + 10_000).unwrap());
}

#[test]
fn cut_and_damaged_archives() {
    let right = gzip(&archive(&[("g/g.mtx", MATRIX), ("g/more.txt", "text")]));
    for length in 3..right.len() {
        let cut = read("g.tar.gz", &right[..length]);
        assert!(matches!(cut, Err(LoadError::Compressed { .. })), "{length}: {cut:?}");
    }
    // The checksum of gzip is behind the archive.
    let mut damaged = right.clone();
    let at = damaged.len() - 8;
    damaged[at] ^= 1;
    assert!(matches!(read("g.tar.gz", &damaged), Err(LoadError::Compressed { .. })));
    let plain = archive(&[("g/g.mtx", MATRIX)]);
    for at in 0..plain.len() {
        let mut changed = plain.clone();
        changed[at] ^= 0x55;
        if let Err(error) = read("g.tar", &changed) {
            assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn lists_of_edges_too() {
    let folder = tempfile::tempdir().unwrap();
    let path: &Path = &folder.path().join("g.tar");
    std::fs::write(path, archive(&[("g.mtx", MATRIX)])).unwrap();
    let (list, _) = load_edges(path, &LoadOptions::default()).unwrap();
    assert_eq!(list.edges, [[1, 0], [2, 0]]);
}
