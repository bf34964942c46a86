//! The manifest of a folder, which lists the complete checkpoints.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::CheckpointError;
use super::directory::check_regular;
use crate::io::{SaveError, write_file};

/// The file name of the manifest.
pub(super) const NAME: &str = "manifest";
/// How many checkpoints are kept.
pub(super) const KEPT: usize = 2;
/// How many bytes of a manifest are read; none is longer.
const LONGEST: u64 = 1 << 10;

const FIRST_LINE: &str = "pregel checkpoints, version 1";
const LAST_LINE: &str = "checksum ";

/// A complete checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub superstep: u32,
    /// Length of the file in bytes.
    pub length: u64,
    /// The checksum in its header.
    pub crc: u32,
}

impl Entry {
    /// The name of its file.
    pub fn file(&self) -> String {
        format!("superstep-{:010}.checkpoint", self.superstep)
    }

    fn decode(line: &str) -> Option<Self> {
        let mut words = line.split(' ');
        let (file, length, crc) = (words.next()?, words.next()?, words.next()?);
        let superstep = superstep_of(file)?;
        let entry = Self { superstep, length: length.parse().ok()?, crc: checksum(crc)? };
        // Accepts a single spelling, so the file name cannot lead out of the folder.
        (entry.encode() == line).then_some(entry)
    }

    fn encode(&self) -> String {
        format!("{} {} {:08x}", self.file(), self.length, self.crc)
    }
}

/// The superstep in the name of a checkpoint; `None` if the file is no checkpoint.
pub(super) fn superstep_of(file: &str) -> Option<u32> {
    let digits = file.strip_prefix("superstep-")?.strip_suffix(".checkpoint")?;
    (digits.len() == 10 && digits.bytes().all(|c| c.is_ascii_digit())).then_some(())?;
    digits.parse().ok()
}

fn checksum(digits: &str) -> Option<u32> {
    (digits.len() == 8).then_some(())?;
    u32::from_str_radix(digits, 16).ok()
}

/// Replaces the manifest of `folder` by one that lists these checkpoints, the newest first.
pub(super) fn write(folder: &Path, entries: &[Entry]) -> Result<(), SaveError> {
    let text = encode(entries);
    write_file(&folder.join(NAME), |to| to.write_all(text.as_bytes()))
}

fn encode(entries: &[Entry]) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for entry in entries {
        text.push_str(&entry.encode());
        text.push('\n');
    }
    let crc = crc32fast::hash(text.as_bytes());
    text.push_str(&format!("{LAST_LINE}{crc:08x}\n"));
    text
}

/// The checkpoints that the manifest of `folder` lists, one or two of them; `None` if there
/// is no manifest.
pub(super) fn read(folder: &Path) -> Result<Option<Vec<Entry>>, CheckpointError> {
    let path = folder.join(NAME);
    let text = check_regular(&path).and_then(|()| File::open(&path)).and_then(|file| {
        let mut text = Vec::new();
        file.take(LONGEST + 1).read_to_end(&mut text).map(|_| text)
    });
    match text {
        Ok(text) => match decode(&text) {
            Ok(entries) => Ok(Some(entries)),
            Err(problem) => Err(CheckpointError::Manifest { path, problem }),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(CheckpointError::Unreadable { path, source }),
    }
}

fn decode(text: &[u8]) -> Result<Vec<Entry>, &'static str> {
    const DAMAGED: &str = "the manifest is damaged";
    let text = std::str::from_utf8(text).map_err(|_| DAMAGED)?;
    let rest = text.strip_prefix(FIRST_LINE).and_then(|rest| rest.strip_prefix('\n'));
    let rest = rest.ok_or("expected the manifest of checkpoints of version 1")?;
    let (lines, crc) = rest.rsplit_once(LAST_LINE).ok_or(DAMAGED)?;
    let entries: Option<Vec<Entry>> = lines.lines().map(Entry::decode).collect();
    let entries = entries.filter(|entries| (1..=KEPT).contains(&entries.len())).ok_or(DAMAGED)?;
    let whole = crc.strip_suffix('\n').and_then(checksum).is_some() && encode(&entries) == text;
    if whole { Ok(entries) } else { Err(DAMAGED) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENTRIES: [Entry; 2] = [
        Entry { superstep: 20, length: 5_243_456, crc: 0x1f2e_3d4c },
        Entry { superstep: 10, length: 5_243_456, crc: 0x99aa },
    ];

    #[test]
    fn manifests_are_read_back() {
        let text = encode(&ENTRIES);
        let second = "\nsuperstep-0000000010.checkpoint 5243456 000099aa\nchecksum ";
        assert!(text.contains(second), "{text}");
        assert_eq!(decode(text.as_bytes()), Ok(ENTRIES.to_vec()));
        assert_eq!(decode(encode(&ENTRIES[1..]).as_bytes()), Ok(ENTRIES[1..].to_vec()));
    }

    #[test]
    fn changed_and_missing_bytes_are_noticed() {
        let text = encode(&ENTRIES).into_bytes();
        for length in 0..text.len() {
            assert!(decode(&text[..length]).is_err(), "{length} bytes");
        }
        for bit in 0..8 * text.len() {
            let mut other = text.clone();
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&other).is_err(), "bit {bit}");
        }
        assert!(decode(&[&text[..], b"\n"].concat()).is_err());
    }

    #[test]
    fn names_that_leave_the_folder_are_refused() {
        for name in ["../superstep-0000000001.checkpoint", "superstep-1.checkpoint", "manifest"] {
            assert_eq!(superstep_of(name), None);
            let line = format!("{name} 10 00000000");
            assert_eq!(Entry::decode(&line), None);
        }
        assert_eq!(superstep_of("superstep-9999999999.checkpoint"), None);
        assert!(decode(encode(&[]).as_bytes()).is_err());
        assert!(decode(encode(&[ENTRIES[0]; 3]).as_bytes()).is_err());
    }
}
