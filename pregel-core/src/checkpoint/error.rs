//! Why a run was not saved, or not resumed.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

use super::Difference;
use crate::engine::RunError;
use crate::io::SaveError;

/// A run that was not saved, or not resumed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CheckpointError {
    /// A folder that cannot be made, or takes no files.
    #[error("cannot use {} for checkpoints", path.display())]
    Directory {
        /// The folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A folder that another run uses at this moment.
    #[error("{} is in use by another run", path.display())]
    Busy {
        /// The folder.
        path: PathBuf,
    },
    /// A folder with checkpoints that would be lost.
    #[error(
        "{} already holds {file}: resume from it, remove it, or save in another folder",
        path.display()
    )]
    Occupied {
        /// The folder.
        path: PathBuf,
        /// A file in it.
        file: String,
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
    /// A checkpoint that is damaged.
    #[error("{}: {problem}", path.display())]
    Damaged {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong.
        problem: Damage,
    },
    /// Two checkpoints, of which neither can be used.
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
        /// What differs; never empty.
        differences: Vec<Difference>,
    },
    /// A superstep limit for a run that may be ahead of its supersteps.
    #[error(
        "cannot resume from {} with a superstep limit: it was taken without one, and the \
         program may since be ahead of its supersteps",
        path.display()
    )]
    Limited {
        /// The checkpoint.
        path: PathBuf,
    },
    /// A superstep limit below the superstep of the checkpoint.
    #[error(
        "cannot resume from {}: it is of superstep {superstep}, beyond the limit of {limit}",
        path.display()
    )]
    BeyondLimit {
        /// The checkpoint.
        path: PathBuf,
        /// Its superstep.
        superstep: u32,
        /// The last superstep that may run.
        limit: u32,
    },
    /// A checkpoint that could not be written, so that the run was ended.
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
    /// The system does not let it be read.
    #[error("cannot read the checkpoint: {0}")]
    Io(io::Error),
    /// The magic bytes are not there.
    #[error("expected a checkpoint, found other data")]
    Magic,
    /// Written with, or read on a machine of, another byte order.
    #[error("checkpoints are little-endian, but this file or this machine is not")]
    ByteOrder,
    /// A version that this build does not know.
    #[error("expected version {known}, found version {found}")]
    Version {
        /// The version that this build reads.
        known: u32,
        /// The version of the file.
        found: u32,
    },
    /// Not as long as the manifest, or the header, says.
    #[error("expected {expected} bytes, the file has {found}")]
    Length {
        /// In the manifest or the header; or those of header and table.
        expected: u64,
        /// Length of the file.
        found: u64,
    },
    /// A part whose checksum is not that of the bytes.
    #[error("the {part} is damaged: its checksum is {found:#010x}, not {promised:#010x}")]
    Checksum {
        /// Which part of the file.
        part: &'static str,
        /// In the file.
        promised: u32,
        /// Of the bytes.
        found: u32,
    },
    /// A file that is whole, but not the one that the manifest lists.
    #[error("this is not the file that the manifest lists")]
    NotListed,
    /// A field of the header or the table that cannot be right.
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
    /// A byte that is no vote.
    #[error("expected a vote from 0 to 3, found {found} for vertex {vertex}")]
    UnknownVote {
        /// The dense id of the vertex.
        vertex: u64,
        /// The byte.
        found: u8,
    },
}

/// The differences, in one sentence.
fn list(differences: &[Difference]) -> String {
    differences.iter().map(Difference::to_string).collect::<Vec<_>>().join("; ")
}
