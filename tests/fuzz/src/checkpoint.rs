//! Resumes a run from the bytes, as the manifest or as a checkpoint.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use pregel_core::checkpoint::{CheckpointOptions, Checkpoints, Interval};
use pregel_core::prelude::*;

/// Length of header and table, and where the table begins.
const HEAD: usize = 64 + 5 * 24;
const TABLE: usize = 64;

/// The smallest label that reaches a vertex.
#[derive(Clone, Copy, Debug)]
struct Smallest;

impl Program for Smallest {
    type Input = ();
    type State = VertexId;
    type Signal = VertexId;
    type Edge = ();
    type Combiner = Min<VertexId>;
    type Aggregate = Nothing;
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
        _: &mut Context<Self>,
    ) -> Vote {
        let Some(smaller) = offer.filter(|offer| offer < label) else { return Vote::Halt };
        *label = smaller;
        Vote::Scatter
    }

    fn signal(&self, label: &VertexId, _: &Context<Self>) -> VertexId {
        *label
    }
}

/// Resumes from `data` as the manifest; as a checkpoint; and as changes to a checkpoint that
/// was written, three bytes each: where, and what. Checkpoints are tried as they are and with
/// corrected checksums. A run that is accepted ends.
pub fn resume(data: &[u8]) {
    let Folder { path, checkpoint } = folder();
    let file = path.join("superstep-0000000001.checkpoint");
    write(&path.join("manifest"), data);
    run(path);
    let mut changed = checkpoint.clone();
    for change in data.as_chunks::<3>().0 {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
        changed[at] = change[2];
    }
    for bytes in [signed(data), data.to_vec(), signed(&changed), changed] {
        write(&path.join("manifest"), manifest(&bytes).as_bytes());
        write(&file, &bytes);
        run(path);
    }
}

fn run(folder: &Path) {
    let options = CheckpointOptions::default().with_resume(folder);
    let Ok(checkpoints) = Checkpoints::open(&options) else { return };
    let done = checkpoints.run(&Cpu::new(), &graph(), &Smallest, &[], &RunOptions::default());
    if let Err(error) = done {
        assert!(!error.to_string().is_empty());
    }
}

/// A folder of this process.
struct Folder {
    path: PathBuf,
    /// A checkpoint that was written by a run.
    checkpoint: Vec<u8>,
}

/// The folder, in memory where the system has one for that.
fn folder() -> &'static Folder {
    static FOLDER: OnceLock<Folder> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.into() } else { std::env::temp_dir() };
        let path = parent.join(format!("pregel-fuzz-{}", std::process::id()));
        let written = path.join("written");
        fs::create_dir_all(&path).unwrap();
        let options = CheckpointOptions::default()
            .with_directory(&written)
            .with_interval(Interval::Supersteps(1.try_into().unwrap()));
        let checkpoints = Checkpoints::open(&options).unwrap();
        // It is saved after superstep 1, and ends after the next.
        let options = RunOptions::default().with_max_supersteps(2);
        let done = checkpoints.run(&Reference, &graph(), &Smallest, &[], &options).unwrap();
        assert_eq!(done.written, 1);
        let checkpoint = fs::read(written.join("superstep-0000000001.checkpoint")).unwrap();
        Folder { path, checkpoint }
    })
}

fn graph() -> Graph {
    Graph::from_edges([(0, 1), (1, 2), (2, 3), (3, 0)]).unwrap()
}

fn write(path: &Path, bytes: &[u8]) {
    fs::write(path, bytes).unwrap();
}

fn number(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap()))
}

/// The manifest that lists this checkpoint alone.
fn manifest(bytes: &[u8]) -> String {
    let crc = bytes.get(60..64).map_or(0, |crc| u32::from_le_bytes(crc.try_into().unwrap()));
    let lines = format!(
        "pregel checkpoints, version 1\nsuperstep-0000000001.checkpoint {} {crc:08x}\n",
        bytes.len()
    );
    let checksum = crc32fast::hash(lines.as_bytes());
    format!("{lines}checksum {checksum:08x}\n")
}

/// The same with the checksums of all sections and of the header corrected.
fn signed(data: &[u8]) -> Vec<u8> {
    let mut bytes = data.to_vec();
    if bytes.len() < HEAD {
        return bytes;
    }
    for entry in (TABLE..HEAD).step_by(24) {
        let (start, length) = (number(&bytes, entry + 8), number(&bytes, entry + 16));
        let range = start.zip(length).and_then(|(start, length)| {
            let end = usize::try_from(start.checked_add(length)?).ok()?;
            bytes.get(start as usize..end)
        });
        if let Some(section) = range {
            let crc = crc32fast::hash(section);
            bytes[entry + 4..entry + 8].copy_from_slice(&crc.to_le_bytes());
        }
    }
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    sum.update(&bytes[TABLE..HEAD]);
    bytes[60..64].copy_from_slice(&sum.finalize().to_le_bytes());
    bytes
}
