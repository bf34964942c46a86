//! Names of vertices.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use rayon::prelude::*;

use super::{Buffer, IdError};
use crate::program::VertexId;

/// Distinct names, concatenated in one text, and an index to find them: 8 to
/// 16 bytes per vertex besides the text.
pub(super) struct Names {
    text: Buffer<u8>,
    /// Name `v` is `text[ends[v - 1]..ends[v]]`.
    ends: Buffer<u64>,
    /// A hash table with open addressing: each vertex is in the slot that its
    /// name hashes to, or in the next free one. At most half the slots are used.
    slots: Vec<VertexId>,
    /// Randomly keyed, so that no file can choose names that collide.
    hasher: RandomState,
}

/// A slot without a vertex; no vertex has this number.
const FREE: VertexId = VertexId::MAX;

impl Names {
    /// Checks and indexes the names. O(V + length of the text).
    pub(super) fn new(text: Buffer<u8>, ends: Buffer<u64>) -> Result<Self, IdError> {
        let count = ends.len() as u64;
        u32::try_from(count).map_err(|_| IdError::TooMany { count })?;
        let damaged = (0..ends.len()).into_par_iter().find_first(|v| {
            let bytes = name_bytes(&text, &ends, *v);
            bytes.is_none_or(|bytes| std::str::from_utf8(bytes).is_err())
        });
        if let Some(vertex) = damaged {
            return Err(IdError::Name { vertex: vertex as u64 });
        }
        if ends.last().copied().unwrap_or(0) != text.len() as u64 {
            return Err(IdError::Name { vertex: count });
        }
        let slots = vec![FREE; (2 * ends.len() + 1).next_power_of_two()];
        let mut names = Self { text, ends, slots, hasher: RandomState::new() };
        for v in 0..names.len() {
            match names.slot(names.get(v)) {
                Ok(_) => return Err(IdError::Twice { name: names.get(v).to_owned() }),
                Err(free) => names.slots[free] = v,
            }
        }
        Ok(names)
    }

    pub(super) fn len(&self) -> u32 {
        self.ends.len() as u32
    }

    pub(super) fn bytes(&self) -> u64 {
        (self.text.len() + 8 * self.ends.len() + 4 * self.slots.len()) as u64
    }

    pub(super) fn get(&self, v: VertexId) -> &str {
        let bytes = name_bytes(&self.text, &self.ends, v as usize).unwrap_or_default();
        // `new` checked that it is UTF-8.
        std::str::from_utf8(bytes).unwrap_or_default()
    }

    pub(super) fn find(&self, name: &str) -> Option<VertexId> {
        self.slot(name).ok()
    }

    /// The vertex with this name, or the slot where it belongs.
    fn slot(&self, name: &str) -> Result<VertexId, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(name) as usize & mask;
        loop {
            match self.slots[slot] {
                FREE => return Err(slot),
                v if self.get(v) == name => return Ok(v),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }

    pub(super) fn ends(&self) -> &[u64] {
        &self.ends
    }
}

impl fmt::Debug for Names {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Names({} in {} bytes)", self.len(), self.text.len())
    }
}

/// The bytes of name `v`; `None` if the ends fall or exceed the text.
fn name_bytes<'a>(text: &'a [u8], ends: &[u64], v: usize) -> Option<&'a [u8]> {
    let start = if v == 0 { 0 } else { ends[v - 1] };
    text.get(usize::try_from(start).ok()?..usize::try_from(ends[v]).ok()?)
}
