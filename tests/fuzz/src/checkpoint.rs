//! Resumes a run from a folder in which the manifest or the newest checkpoint is made of the
//! bytes.

use std::fs;
use std::path::Path;
use std::sync::OnceLock;

use pregel_core::checkpoint::{CheckpointOptions, Checkpointed, Checkpoints, Interval};
use pregel_core::prelude::*;
use tempfile::TempDir;

const MANIFEST: &str = "manifest";
const OLDER: &str = "superstep-0000000001.checkpoint";
const NEWER: &str = "superstep-0000000002.checkpoint";

/// Where the table of sections begins, the length and number of its entries, and what
/// sections are aligned to.
const TABLE: usize = 64;
const ENTRY: usize = 24;
const SECTIONS: usize = 5;
const ALIGN: usize = 64;
/// Length of header and table.
const HEAD: usize = TABLE + SECTIONS * ENTRY;

/// The smallest label that reaches a vertex.
#[derive(Clone, Copy, Debug)]
struct Smallest;

impl Program for Smallest {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Sum<u64>;
}

impl EdgeCompute for Smallest {
    fn edge_compute(&self, label: &VertexId, _: Edge<()>) -> Option<VertexId> {
        Some(*label)
    }
}

impl VertexCompute for Smallest {
    fn init(&self, context: &mut Context<Self>) -> (VertexId, Vote) {
        (context.vertex(), Vote::Scatter)
    }

    fn vertex_compute(
        &self,
        label: &mut VertexId,
        offer: Option<VertexId>,
        context: &mut Context<Self>,
    ) -> Vote {
        let Some(smaller) = offer.filter(|offer| offer < label) else { return Vote::Halt };
        context.contribute(1);
        *label = smaller;
        Vote::Scatter
    }

    fn signal(&self, label: &VertexId, _: &Context<Self>) -> VertexId {
        *label
    }
}

/// Resumes from `data` as a manifest, as a checkpoint, as changes to files that a run wrote
/// (three bytes each: where, and what), and as a section of such a checkpoint (the first byte
/// says which). Since no fuzzer guesses a checksum, files are also tried with the right ones.
/// A run that is accepted ends.
pub fn resume(data: &[u8]) {
    let written = written();
    let folder = new_folder();
    let path = folder.path();
    put(path, OLDER, &written.older);
    put(path, NEWER, &written.newer);
    for manifest in [data.to_vec(), with_checksum(&changed(written.lines(), data))] {
        put(path, MANIFEST, &manifest);
        run(path);
    }
    let changed = changed(&written.newer, data);
    let mut checkpoints = vec![data.to_vec(), signed(data), signed(&changed), changed];
    if let Some((first, content)) = data.split_first() {
        checkpoints.push(with_section(&written.newer, usize::from(*first) % SECTIONS, content));
    }
    for newer in checkpoints {
        put(path, NEWER, &newer);
        put(path, MANIFEST, &manifest(&newer, &written.older));
        run(path);
    }
}

/// A folder for one input, in memory where the system has one for that.
fn new_folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let parent = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("pregel-fuzz-").tempdir_in(parent).unwrap()
}

fn put(folder: &Path, file: &str, bytes: &[u8]) {
    fs::write(folder.join(file), bytes).unwrap();
}

/// The result, if the run was accepted.
fn run(folder: &Path) -> Option<Checkpointed<Smallest>> {
    let options = CheckpointOptions::default().with_resume(folder);
    let done = Checkpoints::open(&options).and_then(|checkpoints| {
        checkpoints.run(&Cpu::new(), &graph(), &Smallest, &[], &RunOptions::default())
    });
    match done {
        Ok(done) => Some(done),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn graph() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap()
}

/// Files of checkpoints.
struct Written {
    manifest: Vec<u8>,
    older: Vec<u8>,
    newer: Vec<u8>,
}

/// What a run wrote, after superstep 1 and after superstep 2.
fn written() -> &'static Written {
    static WRITTEN: OnceLock<Written> = OnceLock::new();
    WRITTEN.get_or_init(|| {
        let folder = new_folder();
        let options = CheckpointOptions::default()
            .with_directory(folder.path())
            .with_interval(Interval::Supersteps(1.try_into().unwrap()));
        let checkpoints = Checkpoints::open(&options).unwrap();
        let options = RunOptions::default().with_max_supersteps(3);
        let done = checkpoints.run(&Reference, &graph(), &Smallest, &[], &options).unwrap();
        assert_eq!(done.written, 2);
        drop(checkpoints);
        let [manifest, older, newer] =
            [MANIFEST, OLDER, NEWER].map(|file| fs::read(folder.path().join(file)).unwrap());
        let written = Written { manifest, older, newer };
        written.check(folder.path());
        written
    })
}

impl Written {
    /// The manifest without its last line, the checksum.
    fn lines(&self) -> &[u8] {
        let end = self.manifest.len() - "checksum 01234567\n".len();
        &self.manifest[..end]
    }

    /// Checks that what is made here is accepted if nothing was changed. Otherwise no input
    /// would get beyond the checksums.
    fn check(&self, folder: &Path) {
        let done = run(folder).unwrap();
        assert_eq!((done.resumed_after, done.outcome.states), (Some(2), vec![0; 4]));
        let Self { manifest: lists, older, newer } = self;
        assert_eq!(&with_checksum(self.lines()), lists);
        assert_eq!(&manifest(newer, older), lists);
        let mut unsigned = newer.clone();
        for entry in (TABLE..HEAD).step_by(ENTRY) {
            unsigned[entry + 4..entry + 8].fill(0);
        }
        assert_eq!(&signed(&unsigned), newer);
        let votes = &newer[section(newer, TABLE + 2 * ENTRY).unwrap()];
        assert_eq!(&with_section(newer, 2, votes), newer);
        // Other states are accepted as well.
        let other = with_section(newer, 1, &[7; 16]);
        put(folder, NEWER, &other);
        put(folder, MANIFEST, &manifest(&other, older));
        let done = run(folder).unwrap();
        assert!(done.skipped.is_none() && done.outcome.states != [0; 4]);
    }
}

/// `data` as changes to `bytes`, three bytes each.
fn changed(bytes: &[u8], data: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for [low, high, byte] in data.as_chunks().0 {
        let at = usize::from(u16::from_le_bytes([*low, *high])) % bytes.len();
        bytes[at] = *byte;
    }
    bytes
}

/// The manifest that lists these two checkpoints.
fn manifest(newer: &[u8], older: &[u8]) -> Vec<u8> {
    let mut lines = String::from("pregel checkpoints, version 1\n");
    for (name, bytes) in [(NEWER, newer), (OLDER, older)] {
        let crc = bytes.get(60..64).map_or(0, |crc| u32::from_le_bytes(crc.try_into().unwrap()));
        lines += &format!("{name} {} {crc:08x}\n", bytes.len());
    }
    with_checksum(lines.as_bytes())
}

/// A manifest of these lines and the right checksum.
fn with_checksum(lines: &[u8]) -> Vec<u8> {
    let last = format!("checksum {:08x}\n", crc32fast::hash(lines));
    [lines, last.as_bytes()].concat()
}

/// The same with the checksums of all sections and of the header corrected.
fn signed(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if bytes.len() < HEAD {
        return bytes;
    }
    for entry in (TABLE..HEAD).step_by(ENTRY) {
        if let Some(content) = section(&bytes, entry).and_then(|range| bytes.get(range)) {
            let crc = crc32fast::hash(content);
            bytes[entry + 4..entry + 8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    sum.update(&bytes[TABLE..HEAD]);
    bytes[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
    bytes
}

/// Where the entry of the table at `entry` says that its section lies.
fn section(bytes: &[u8], entry: usize) -> Option<std::ops::Range<usize>> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let (start, length) = (number(entry + 8), number(entry + 16));
    Some(start.try_into().ok()?..start.checked_add(length)?.try_into().ok()?)
}

/// A checkpoint with another section `number`: all lengths, places and checksums are right.
fn with_section(checkpoint: &[u8], number: usize, content: &[u8]) -> Vec<u8> {
    let mut bytes = checkpoint[..HEAD].to_vec();
    for (i, entry) in (TABLE..HEAD).step_by(ENTRY).enumerate() {
        let kept = &checkpoint[section(checkpoint, entry).unwrap()];
        let content = if i == number { content } else { kept };
        bytes.resize(bytes.len().next_multiple_of(ALIGN), 0);
        let start = bytes.len() as u64;
        bytes[entry + 8..entry + 16].copy_from_slice(&start.to_le_bytes());
        bytes[entry + 16..entry + 24].copy_from_slice(&(content.len() as u64).to_le_bytes());
        bytes.extend(content);
    }
    let length = bytes.len() as u64;
    bytes[32..40].copy_from_slice(&length.to_le_bytes());
    signed(&bytes)
}
