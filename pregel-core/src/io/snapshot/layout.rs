//! Header and table of a snapshot, byte by byte as in `docs/formats.md`.

use rayon::prelude::*;

use crate::io::SnapshotError;

/// The first bytes.
pub(super) const MAGIC: [u8; 8] = *b"\x89PRGL\r\n\x1a";
const VERSION: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;
/// Length of the header in bytes; also what sections are aligned to.
const HEADER: usize = 64;
/// Length of an entry of the table in bytes.
const ENTRY: usize = 24;
const MOST_SECTIONS: u32 = 16;
/// Bytes of a section that one task sums up.
const CHECKED_TOGETHER: usize = 1 << 20;

const DIRECTED: u32 = 1;
const WEIGHTED: u32 = 2;
const INCOMING: u32 = 4;

/// What a section holds; the numbers are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integers = 1,
    Names = 2,
    NameEnds = 3,
    Offsets = 4,
    Targets = 5,
    Weights = 6,
    InOffsets = 7,
    InTargets = 8,
    InWeights = 9,
}

impl Kind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Integers => "ids",
            Self::Names => "names",
            Self::NameEnds => "ends of the names",
            Self::Offsets => "row offsets",
            Self::Targets => "targets",
            Self::Weights => "weights",
            Self::InOffsets => "incoming row offsets",
            Self::InTargets => "incoming sources",
            Self::InWeights => "incoming weights",
        }
    }
}

/// How ids are stored; the numbers are those of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum IdsKind {
    Range = 0,
    Integers = 1,
    Names = 2,
}

/// What the header tells of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub directed: bool,
    pub weighted: bool,
    pub incoming: bool,
    pub ids: IdsKind,
    pub vertices: u32,
    pub edges: u64,
    /// The first id of a range.
    pub first: u64,
}

/// Where a section lies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Section {
    pub kind: Kind,
    pub crc: u32,
    pub start: usize,
    pub length: usize,
}

impl Header {
    /// The sections of such a graph, each with its length in bytes if that
    /// is known; `None` when a length leaves 64 bits.
    fn sections(&self) -> Option<Vec<(Kind, Option<u64>)>> {
        let vertices = u64::from(self.vertices);
        let offsets = Some((vertices + 1) * 8);
        let four = Some(self.edges.checked_mul(4)?);
        let mut sections = match self.ids {
            IdsKind::Range => Vec::new(),
            IdsKind::Integers => vec![(Kind::Integers, Some(vertices * 8))],
            IdsKind::Names => vec![(Kind::Names, None), (Kind::NameEnds, Some(vertices * 8))],
        };
        sections.extend([(Kind::Offsets, offsets), (Kind::Targets, four)]);
        if self.weighted {
            sections.push((Kind::Weights, four));
        }
        if self.incoming {
            sections.extend([(Kind::InOffsets, offsets), (Kind::InTargets, four)]);
            if self.weighted {
                sections.push((Kind::InWeights, four));
            }
        }
        Some(sections)
    }

    /// Header and table of a file with these sections, which are in order.
    pub fn encode(&self, contents: &[(Kind, &[u8])]) -> (Vec<u8>, Vec<Section>) {
        let mut end = HEADER + ENTRY * contents.len();
        let mut sections = Vec::with_capacity(contents.len());
        for &(kind, bytes) in contents {
            let start = end.next_multiple_of(HEADER);
            end = start + bytes.len();
            sections.push(Section { kind, crc: checksum(bytes), start, length: bytes.len() });
        }
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let flags = flag(self.directed, DIRECTED)
            | flag(self.weighted, WEIGHTED)
            | flag(self.incoming, INCOMING);
        let mut bytes = Vec::with_capacity(HEADER + ENTRY * sections.len());
        bytes.extend(MAGIC);
        for field in [VERSION, BYTE_ORDER, flags, self.ids as u32] {
            bytes.extend(field.to_le_bytes());
        }
        for field in [u64::from(self.vertices), self.edges, self.first, end as u64] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend((sections.len() as u32).to_le_bytes());
        let mut table = Vec::with_capacity(ENTRY * sections.len());
        for section in &sections {
            table.extend((section.kind as u32).to_le_bytes());
            table.extend(section.crc.to_le_bytes());
            table.extend((section.start as u64).to_le_bytes());
            table.extend((section.length as u64).to_le_bytes());
        }
        bytes.extend(header_checksum(&bytes, &table).to_le_bytes());
        bytes.extend(table);
        (bytes, sections)
    }

    /// Reads header and table and checks all that they say of the file.
    pub fn decode(bytes: &[u8]) -> Result<(Self, Vec<Section>), SnapshotError> {
        Self::decode_head(bytes, bytes.len() as u64)
    }

    /// [`decode`](Self::decode) of a file of `found` bytes that begins with
    /// `bytes`, at least header and table if the file has them.
    pub fn decode_head(bytes: &[u8], found: u64) -> Result<(Self, Vec<Section>), SnapshotError> {
        if !bytes.starts_with(&MAGIC) {
            return Err(SnapshotError::Magic);
        }
        if bytes.len() < HEADER {
            return Err(SnapshotError::Short { expected: HEADER as u64, found });
        }
        if u32_at(bytes, 12) != BYTE_ORDER || cfg!(target_endian = "big") {
            return Err(SnapshotError::ByteOrder);
        }
        if u32_at(bytes, 8) != VERSION {
            return Err(SnapshotError::Version { known: VERSION, found: u32_at(bytes, 8) });
        }
        let count = u32_at(bytes, 56);
        if count > MOST_SECTIONS {
            let expected = "at most 16 sections";
            return Err(SnapshotError::Header { expected, found: u64::from(count) });
        }
        let table_end = HEADER + ENTRY * count as usize;
        let Some(table) = bytes.get(HEADER..table_end) else {
            return Err(SnapshotError::Short { expected: table_end as u64, found });
        };
        let (promised, sum) = (u32_at(bytes, 60), header_checksum(&bytes[..60], table));
        if promised != sum {
            let section = "header and table";
            return Err(SnapshotError::Checksum { section, promised, found: sum });
        }
        if u64_at(bytes, 48) != found {
            return Err(SnapshotError::Length { promised: u64_at(bytes, 48), found });
        }
        let header = Self::fields(bytes)?;
        let sections = header.check_table(table, found)?;
        Ok((header, sections))
    }

    fn fields(bytes: &[u8]) -> Result<Self, SnapshotError> {
        let wrong = |expected, found| Err(SnapshotError::Header { expected, found });
        let flags = u32_at(bytes, 16);
        if flags & !(DIRECTED | WEIGHTED | INCOMING) != 0 {
            return wrong("flags below 8", u64::from(flags));
        }
        let ids = match u32_at(bytes, 20) {
            0 => IdsKind::Range,
            1 => IdsKind::Integers,
            2 => IdsKind::Names,
            other => return wrong("kind of ids 0, 1 or 2", u64::from(other)),
        };
        let vertices = u64_at(bytes, 24);
        let Ok(vertices) = u32::try_from(vertices) else {
            return wrong("at most 4294967295 vertices", vertices);
        };
        let first = u64_at(bytes, 40);
        if first.checked_add(u64::from(vertices).saturating_sub(1)).is_none() {
            return wrong("ids that stay below 2^64", first);
        }
        Ok(Self {
            directed: flags & DIRECTED != 0,
            weighted: flags & WEIGHTED != 0,
            incoming: flags & INCOMING != 0,
            ids,
            vertices,
            edges: u64_at(bytes, 32),
            first,
        })
    }

    fn check_table(&self, table: &[u8], file: u64) -> Result<Vec<Section>, SnapshotError> {
        let found: Vec<u32> = table.chunks_exact(ENTRY).map(|entry| u32_at(entry, 0)).collect();
        let wrong = SnapshotError::Header { expected: "a number of edges", found: self.edges };
        let known = self.sections().ok_or(wrong)?;
        if !known.iter().map(|(kind, _)| *kind as u32).eq(found.iter().copied()) {
            let expected = known.iter().map(|(kind, _)| *kind as u32).collect();
            return Err(SnapshotError::Sections { expected, found });
        }
        let mut end = (HEADER + table.len()) as u64;
        let mut sections = Vec::with_capacity(known.len());
        for (entry, (kind, expected)) in table.chunks_exact(ENTRY).zip(known) {
            let (start, length) = (u64_at(entry, 8), u64_at(entry, 16));
            let misplaced = SnapshotError::Place { section: kind.name(), start, length };
            let stop = start.checked_add(length).filter(|stop| *stop <= file);
            let Some(stop) = stop.filter(|_| start == end.next_multiple_of(HEADER as u64)) else {
                return Err(misplaced);
            };
            if expected.is_some_and(|expected| expected != length) {
                return Err(misplaced);
            }
            end = stop;
            let crc = u32_at(entry, 4);
            sections.push(Section { kind, crc, start: start as usize, length: length as usize });
        }
        if end != file {
            return Err(SnapshotError::Length { promised: end, found: file });
        }
        Ok(sections)
    }
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 4])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 8])
}

fn header_checksum(header: &[u8], table: &[u8]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(header);
    sum.update(table);
    sum.finalize()
}

/// CRC-32, in parallel.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    let part = |part: &[u8]| {
        let mut sum = crc32fast::Hasher::new();
        sum.update(part);
        sum
    };
    let join = |mut one: crc32fast::Hasher, other: crc32fast::Hasher| {
        one.combine(&other);
        one
    };
    let parts = bytes.par_chunks(CHECKED_TOGETHER).map(part);
    parts.reduce(crc32fast::Hasher::new, join).finalize()
}
