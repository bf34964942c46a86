//! Header and table of a checkpoint, as `docs/formats.md` specifies them byte by byte.

use super::Damage;

const MAGIC: [u8; 8] = *b"\x89PRGC\r\n\x1a";
const VERSION: u32 = 1;
const BYTE_ORDER: u32 = 0x0102_0304;
/// The alignment of sections; also the length of the header without the table.
const ALIGN: u64 = 64;
/// Length of a table entry in bytes.
const ENTRY: usize = 24;
/// Flag: the run may be ahead of its supersteps.
const AHEAD: u32 = 1;

/// Names of the sections, in the order of their kinds, which count from 1.
pub(super) const SECTIONS: [&str; 5] =
    ["list of facts", "list of states", "list of votes", "aggregate", "aggregate before"];
/// Length of header and table in bytes.
pub(super) const HEAD: usize = ALIGN as usize + SECTIONS.len() * ENTRY;

/// What the header says about the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub superstep: u32,
    pub vertices: u32,
    /// Length of a state in bytes.
    pub state: u32,
    /// Length of an aggregate in bytes.
    pub aggregate: u32,
    /// Whether the run may be ahead of its supersteps.
    pub ahead: bool,
}

/// Where a section lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub crc: u32,
    pub start: u64,
    pub length: u64,
}

/// Header and table of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub header: Header,
    pub sections: [Section; SECTIONS.len()],
    /// Length of the file in bytes.
    pub length: u64,
    /// The checksum of header and table.
    pub crc: u32,
}

impl Head {
    /// The head of a file with these sections, each given by its checksum and its length.
    pub fn new(header: Header, contents: [(u32, u64); SECTIONS.len()]) -> Self {
        let mut length = HEAD as u64;
        let sections = contents.map(|(crc, bytes)| {
            let start = length.next_multiple_of(ALIGN);
            length = start + bytes;
            Section { crc, start, length: bytes }
        });
        let mut head = Self { header, sections, length, crc: 0 };
        head.crc = checksum(&head.encode());
        head
    }

    pub fn encode(&self) -> [u8; HEAD] {
        let header = &self.header;
        let mut bytes = Vec::with_capacity(HEAD);
        bytes.extend(MAGIC);
        for field in
            [VERSION, BYTE_ORDER, header.superstep, header.vertices, header.state, header.aggregate]
        {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend(self.length.to_le_bytes());
        for field in [u32::from(header.ahead), 0, 0, 0, SECTIONS.len() as u32, self.crc] {
            bytes.extend(field.to_le_bytes());
        }
        for (kind, section) in (1u32..).zip(&self.sections) {
            bytes.extend(kind.to_le_bytes());
            bytes.extend(section.crc.to_le_bytes());
            bytes.extend(section.start.to_le_bytes());
            bytes.extend(section.length.to_le_bytes());
        }
        let mut head = [0; HEAD];
        head.copy_from_slice(&bytes);
        head
    }

    /// Reads the header and table of a file of `found` bytes, and checks all that they say.
    pub fn decode(bytes: &[u8; HEAD], found: u64) -> Result<Self, Damage> {
        if !bytes.starts_with(&MAGIC) {
            return Err(Damage::Magic);
        }
        if u32_at(bytes, 12) != BYTE_ORDER || cfg!(target_endian = "big") {
            return Err(Damage::ByteOrder);
        }
        let version = u32_at(bytes, 8);
        if version != VERSION {
            return Err(Damage::Version { known: VERSION, found: version });
        }
        let (crc, sum) = (u32_at(bytes, 60), checksum(bytes));
        if crc != sum {
            return Err(Damage::Checksum { part: "header", promised: crc, found: sum });
        }
        let (length, flags) = (u64_at(bytes, 32), u32_at(bytes, 40));
        if length != found {
            return Err(Damage::Length { expected: length, found });
        }
        let header = Header {
            superstep: u32_at(bytes, 16),
            vertices: u32_at(bytes, 20),
            state: u32_at(bytes, 24),
            aggregate: u32_at(bytes, 28),
            ahead: flags & AHEAD != 0,
        };
        let entry = |i: usize| {
            let at = ALIGN as usize + i * ENTRY;
            (u32_at(bytes, at + 4), u64_at(bytes, at + 16))
        };
        let contents: [_; SECTIONS.len()] = std::array::from_fn(entry);
        // Checked first, so that the sum of the lengths below cannot overflow.
        if let Some((_, long)) = contents.iter().find(|(_, bytes)| *bytes > found) {
            let expected = "sections in the file";
            return Err(Damage::Header { expected, found: *long });
        }
        let head = Self::new(header, contents);
        // Everything else in the bytes follows from what has been read.
        if head.encode() != *bytes {
            let expected = "consecutive sections up to the end of the file";
            return Err(Damage::Header { expected, found: head.length });
        }
        Ok(head)
    }
}

/// The checksum of header and table, without the checksum field itself.
fn checksum(bytes: &[u8; HEAD]) -> u32 {
    let mut sum = crc32fast::Hasher::new();
    sum.update(&bytes[..60]);
    sum.update(&bytes[64..]);
    sum.finalize()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 4])
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    bytemuck::pod_read_unaligned(&bytes[at..at + 8])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    const HEADER: Header =
        Header { superstep: 7, vertices: 3, state: 8, aggregate: 4, ahead: true };

    fn head() -> Head {
        Head::new(HEADER, [(1, 100), (2, 24), (3, 3), (4, 4), (5, 4)])
    }

    /// Decodes a head that was changed and given a matching checksum.
    fn forged(change: impl FnOnce(&mut [u8; HEAD])) -> Result<Head, Damage> {
        let mut bytes = head().encode();
        change(&mut bytes);
        let crc = checksum(&bytes);
        bytes[60..64].copy_from_slice(&crc.to_le_bytes());
        Head::decode(&bytes, head().length)
    }

    #[test]
    fn heads_are_read_back() {
        let head = head();
        assert_eq!(head.sections.map(|section| section.start), [192, 320, 384, 448, 512]);
        assert_eq!(head.length, 516);
        assert_eq!(Head::decode(&head.encode(), 516).unwrap(), head);
    }

    #[test]
    fn every_changed_bit_is_noticed() {
        let bytes = head().encode();
        for bit in 0..8 * HEAD {
            let mut other = bytes;
            other[bit / 8] ^= 1 << (bit % 8);
            assert!(Head::decode(&other, 516).is_err(), "bit {bit}");
        }
        assert!(matches!(Head::decode(&bytes, 517), Err(Damage::Length { .. })));
    }

    #[test]
    fn forged_heads_are_refused() {
        assert!(forged(|_| {}).is_ok());
        let wrong = |result| matches!(result, Err(Damage::Header { .. }));
        // An unknown flag, and padding that is not zero.
        assert!(wrong(forged(|bytes| bytes[40] = 3)));
        assert!(wrong(forged(|bytes| bytes[50] = 1)));
        // A wrong number of sections, a wrong kind, a wrong start.
        assert!(wrong(forged(|bytes| bytes[56] = 6)));
        assert!(wrong(forged(|bytes| bytes[64] = 2)));
        assert!(wrong(forged(|bytes| bytes[64 + 8] = 64)));
        // Lengths that reach past the end of the file, or whose sum overflows 64 bits.
        assert!(wrong(forged(|bytes| bytes[64 + 16] = 129)));
        assert!(wrong(forged(|bytes| bytes[64 + 4 * ENTRY + 16] = 5)));
        for entry in 0..SECTIONS.len() {
            let at = 64 + entry * ENTRY + 16;
            assert!(wrong(forged(|bytes| bytes[at..at + 8].fill(0xFF))));
        }
    }
}
