//! A checkpoint as a file.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::directory::check_regular;
use super::layout::{HEAD, Head, Header, SECTIONS, Section};
use super::{CheckpointError, Damage};
use crate::engine::Saved;
use crate::io::{SaveError, checksum, write_file_past_cache};
use crate::memory;
use crate::program::{Monoid, Program, Value, Vote};

/// How long the facts may be, in bytes.
const MOST_FACTS: u64 = 1 << 20;

/// Writes a checkpoint. The file appears once it is complete and synced. `ahead` says
/// whether the run may be ahead of its supersteps.
///
/// # Errors
/// [`SaveError`]; the folder is then unchanged.
pub(super) fn write<P: Program>(
    path: &Path,
    facts: &str,
    saved: &Saved<P>,
    ahead: bool,
) -> Result<Head, SaveError> {
    if cfg!(target_endian = "big") || facts.len() as u64 > MOST_FACTS {
        let source = io::ErrorKind::Unsupported.into();
        return Err(SaveError::Io { path: path.to_owned(), source });
    }
    check_regular(path).map_err(|source| SaveError::Io { path: path.to_owned(), source })?;
    let votes: Vec<u8> = saved.votes.iter().map(|vote| *vote as u8).collect();
    let contents: [&[u8]; SECTIONS.len()] = [
        facts.as_bytes(),
        bytes_of(&saved.states),
        &votes,
        bytes_of(std::slice::from_ref(&saved.aggregate)),
        bytes_of(std::slice::from_ref(&saved.seen)),
    ];
    let header = Header {
        superstep: saved.superstep,
        vertices: saved.states.len() as u32,
        ahead,
        ..expected::<P>()
    };
    let head = Head::new(header, contents.map(|bytes| (checksum(bytes), bytes.len() as u64)));
    write_file_past_cache(path, |to| {
        to.write_all(&head.encode())?;
        let mut at = HEAD as u64;
        for (section, bytes) in head.sections.iter().zip(contents) {
            to.write_all(&vec![0; (section.start - at) as usize])?;
            to.write_all(bytes)?;
            at = section.start + section.length;
        }
        Ok(())
    })?;
    Ok(head)
}

/// The header of a run of `P`, with the fields that follow from its types. The caller fills
/// in the others.
fn expected<P: Program>() -> Header {
    Header {
        superstep: 0,
        vertices: 0,
        state: size_of::<P::State>() as u32,
        aggregate: size_of::<<P::Aggregate as Monoid>::Value>() as u32,
        ahead: false,
    }
}

/// The bytes of the values; none if they are zero-sized.
fn bytes_of<T: Value>(values: &[T]) -> &[u8] {
    if size_of::<T>() == 0 { &[] } else { bytemuck::cast_slice(values) }
}

/// A checkpoint whose header and table have been checked.
pub(super) struct Opened {
    path: PathBuf,
    file: File,
    pub head: Head,
}

impl Opened {
    /// Opens a checkpoint and checks its header and table. `length` and `crc` come from the
    /// manifest.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`].
    pub fn new(path: PathBuf, length: u64, crc: u32) -> Result<Self, CheckpointError> {
        match open(&path, length, crc) {
            Ok((file, head)) => Ok(Self { path, file, head }),
            Err(problem) => Err(CheckpointError::Damaged { path, problem }),
        }
    }

    /// Reads the facts, as text.
    pub fn facts(&mut self) -> Result<Vec<u8>, CheckpointError> {
        let [section, ..] = self.head.sections;
        if section.length > MOST_FACTS {
            let expected = "at most 1048576 bytes of facts";
            return self.damaged(Damage::Header { expected, found: section.length });
        }
        self.section(0, section.length)
    }

    /// Reads the run, on a graph with this many vertices. Memory is allocated for the graph's
    /// vertices, not for what the file claims.
    pub fn saved<P: Program>(&mut self, vertices: u32) -> Result<Saved<P>, CheckpointError> {
        let header = self.head.header;
        let right = Header {
            superstep: header.superstep,
            vertices,
            ahead: header.ahead,
            ..expected::<P>()
        };
        if header != right {
            let expected = "the number of vertices and the sizes of this run";
            return self.damaged(Damage::Header { expected, found: header.vertices.into() });
        }
        let states = self.section(1, vertices.into())?;
        let votes: Vec<u8> = self.section(2, vertices.into())?;
        let [aggregate, seen] = [self.section(3, 1)?, self.section(4, 1)?];
        if let Some(vertex) = votes.iter().position(|vote| vote_of(*vote).is_none()) {
            let (vertex, found) = (vertex as u64, votes[vertex]);
            return self.damaged(Damage::UnknownVote { vertex, found });
        }
        let votes = votes.into_iter().filter_map(vote_of).collect();
        let mut saved = Saved::new(header.superstep, states, votes);
        let one = |values: Vec<_>| values.first().copied();
        saved.aggregate = one(aggregate).unwrap_or_else(P::Aggregate::identity);
        saved.seen = one(seen).unwrap_or_else(P::Aggregate::identity);
        Ok(saved)
    }

    /// Reads a section, which must have exactly `count` values.
    fn section<T: Value>(&mut self, number: usize, count: u64) -> Result<Vec<T>, CheckpointError> {
        let section = self.head.sections[number];
        if count.checked_mul(size_of::<T>() as u64) != Some(section.length) {
            let expected = "sections as long as their values";
            return self.damaged(Damage::Header { expected, found: section.length });
        }
        match read(&mut self.file, section, count as usize, SECTIONS[number]) {
            Ok(values) => Ok(values),
            Err(problem) => self.damaged(problem),
        }
    }

    /// Reports that this checkpoint is damaged.
    pub fn damaged<T>(&self, problem: Damage) -> Result<T, CheckpointError> {
        Err(CheckpointError::Damaged { path: self.path.clone(), problem })
    }

    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }
}

fn open(path: &Path, length: u64, crc: u32) -> Result<(File, Head), Damage> {
    check_regular(path).map_err(|_| Damage::Magic)?;
    let mut file = File::open(path).map_err(Damage::Io)?;
    let found = file.metadata().map_err(Damage::Io)?.len();
    let least = HEAD as u64;
    if found != length || found < least {
        return Err(Damage::Length { expected: length.max(least), found });
    }
    let mut bytes = [0; HEAD];
    file.read_exact(&mut bytes).map_err(Damage::Io)?;
    let head = Head::decode(&bytes, found)?;
    if head.crc == crc { Ok((file, head)) } else { Err(Damage::NotListed) }
}

fn read<T: Value>(
    file: &mut File,
    section: Section,
    count: usize,
    part: &'static str,
) -> Result<Vec<T>, Damage> {
    let mut values: Vec<T> = memory::zeroed(count);
    if size_of::<T>() > 0 {
        file.seek(SeekFrom::Start(section.start)).map_err(Damage::Io)?;
        file.read_exact(bytemuck::cast_slice_mut(&mut values)).map_err(Damage::Io)?;
    }
    let found = checksum(bytes_of(&values));
    if found == section.crc {
        Ok(values)
    } else {
        Err(Damage::Checksum { part, promised: section.crc, found })
    }
}

fn vote_of(byte: u8) -> Option<Vote> {
    (byte < 4).then(|| Vote::from_bits(byte))
}
