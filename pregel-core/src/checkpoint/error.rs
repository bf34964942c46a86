//! Why a run could not be saved or resumed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::Difference;
use crate::engine::RunError;
use crate::io::SaveError;

/// Why a run could not be saved or resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A folder that cannot be created, written to or locked.
    #[error("cannot use {} for checkpoints", path.display())]
    Directory {
        /// The folder, or the lock file in it.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that another run is using.
    #[error("{} is in use by another run", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A folder with checkpoints that would be lost.
    #[error(
        "{} already holds checkpoints: resume from them, remove them, or save in another folder",
        path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// A folder without a manifest.
    #[error("{} holds no complete checkpoint", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A manifest that cannot be read.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The manifest.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A manifest that is damaged or of another version.
    #[error("{}: {problem}", path.display())]
    Manifest {
        /// The manifest.
        path: PathBuf,
        /// What is wrong.
        problem: &'static str,
    },
    /// A checkpoint that is damaged or of another version.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong.
        problem: Damage,
    },
    /// Two checkpoints, neither of which can be used.
    #[error("{newer}; {older}")]
    AllDamaged {
        /// What is wrong with the newer one.
        newer: Box<CheckpointError>,
        /// What is wrong with the older one.
        older: Box<CheckpointError>,
    },
    /// A checkpoint of another run.
    #[error("cannot resume from {}: it was taken {}", path.display(), list(differences))]
    OtherRun {
        /// The checkpoint.
        path: PathBuf,
        /// What differs. Never empty.
        differences: Vec<Difference>,
    },
    /// A superstep limit for a run that may be ahead of its supersteps.
    #[error(
        "cannot resume from {} with a superstep limit: it was taken without one, so the run \
         may be ahead of its supersteps",
        path.display()
    )]
    Limited {
        /// The checkpoint.
        path: PathBuf,
    },
    /// A superstep limit below the superstep of the checkpoint.
    #[error(
        "cannot resume from {}: it was taken after superstep {superstep}, beyond the limit of \
         {limit}",
        path.display()
    )]
    BeyondLimit {
        /// The checkpoint.
        path: PathBuf,
        /// The last superstep that ran before it was taken.
        superstep: u32,
        /// The superstep limit.
        limit: u32,
    },
    /// A checkpoint could not be written, which ended the run.
    #[error("the run was ended, since a checkpoint could not be written")]
    Write(#[source] SaveError),
    /// The thread that writes could not be started.
    #[error("cannot start the thread that writes checkpoints")]
    Thread(#[source] io::Error),
    /// The run itself failed or was refused.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// What is wrong with a checkpoint.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Damage {
    /// The system could not read it.
    #[error("cannot read the checkpoint: {0}")]
    Io(io::Error),
    /// The magic bytes are missing.
    #[error("expected a checkpoint, found other data")]
    Magic,
    /// The file or this machine is not little-endian.
    #[error("checkpoints are little-endian, but this file or this machine is not")]
    ByteOrder,
    /// A version that this build cannot read.
    #[error("expected version {known}, found version {found}")]
    Version {
        /// The version that this build reads.
        known: u32,
        /// The version of the file.
        found: u32,
    },
    /// The length contradicts the manifest or the header, or is too short for a header.
    #[error("expected {expected} bytes, the file has {found}")]
    Length {
        /// Length that the manifest or the header gives, or the length of header and table.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// A part whose bytes do not match its checksum.
    #[error("the {part} is damaged: its checksum is {found:#010x}, not {promised:#010x}")]
    Checksum {
        /// Which part of the file.
        part: &'static str,
        /// The checksum in the file.
        promised: u32,
        /// The checksum of the bytes.
        found: u32,
    },
    /// An intact file, but not the one that the manifest lists.
    #[error("this is not the file that the manifest lists")]
    NotListed,
    /// An invalid field of the header or the table.
    #[error("the header is wrong: expected {expected}, found {found}")]
    Header {
        /// What was expected.
        expected: &'static str,
        /// What was found.
        found: u64,
    },
    /// Facts that are not lines of names and values.
    #[error("the facts are not lines of names and values")]
    Facts,
    /// A byte that does not stand for a vote.
    #[error("expected a vote from 0 to 3, found {found} for vertex {vertex}")]
    UnknownVote {
        /// The dense id of the vertex.
        vertex: u64,
        /// The byte.
        found: u8,
    },
}

/// The differences, separated by semicolons.
fn list(differences: &[Difference]) -> String {
    differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}
