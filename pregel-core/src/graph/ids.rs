//! The user's vertex ids and the dense ids behind them.

use std::collections::HashMap;
use std::fmt;
use std::sync::OnceLock;

use thiserror::Error;

use super::Buffer;
use crate::program::VertexId;

/// The user's ids of the vertices `0..len`, in order.
///
/// Integer ids ascend, so that the order of dense ids is the order of user
/// ids (a smallest label stays the smallest); names keep the order in which
/// they first came.
#[derive(Debug)]
pub struct Ids(Kind);

#[derive(Debug)]
enum Kind {
    /// `first, first + 1, …`
    Range { first: u64, len: u32 },
    /// Ascending integers.
    Integers(Buffer<u64>),
    /// Names: `text[ends[v - 1]..ends[v]]`.
    Names { text: Buffer<u8>, ends: Buffer<u64>, index: OnceLock<HashMap<Box<str>, VertexId>> },
}

/// Ids that cannot name vertices.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IdError {
    /// Integer ids must ascend strictly.
    #[error("vertex ids do not ascend at vertex {vertex}")]
    Order {
        /// The first dense id out of order.
        vertex: u64,
    },
    /// More ids than 32 bits can count.
    #[error("{count} vertices are more than 32-bit ids can name (4,294,967,295)")]
    TooMany {
        /// How many.
        count: u64,
    },
    /// The names are not UTF-8 or their ends do not ascend.
    #[error("the name of vertex {vertex} is damaged")]
    Name {
        /// The first dense id with a damaged name.
        vertex: u64,
    },
    /// Two vertices have the same name.
    #[error("two vertices are called «{name}»")]
    Twice {
        /// The name.
        name: String,
    },
}

impl Ids {
    /// Ids `first, first + 1, …`; the dense ids themselves when `first` is 0.
    pub fn range(first: u64, len: u32) -> Self {
        Self(Kind::Range { first, len })
    }

    /// Strictly ascending integer ids.
    ///
    /// # Errors
    /// When they do not ascend or are more than 32-bit ids can name.
    pub fn integers(ids: Buffer<u64>) -> Result<Self, IdError> {
        if let Some(i) = ids.windows(2).position(|pair| pair[0] >= pair[1]) {
            return Err(IdError::Order { vertex: i as u64 + 1 });
        }
        let count = ids.len() as u64;
        let len = u32::try_from(count).map_err(|_| IdError::TooMany { count })?;
        match (ids.first(), ids.last()) {
            (Some(&first), Some(&last)) if last - first == count - 1 => Ok(Self::range(first, len)),
            (None, _) => Ok(Self::range(0, 0)),
            _ => Ok(Self(Kind::Integers(ids))),
        }
    }

    /// Names, one after the other in `text`; name `v` ends before `ends[v]`.
    ///
    /// # Errors
    /// When they are not UTF-8, not unique, or more than 32-bit ids can name.
    pub fn names(text: Buffer<u8>, ends: Buffer<u64>) -> Result<Self, IdError> {
        let count = ends.len() as u64;
        u32::try_from(count).map_err(|_| IdError::TooMany { count })?;
        let mut index = HashMap::with_capacity(ends.len());
        let mut start = 0;
        for (vertex, &end) in ends.iter().enumerate() {
            let name = usize::try_from(end).ok().and_then(|end| text.get(start..end));
            let name = name.and_then(|bytes| std::str::from_utf8(bytes).ok());
            let name = name.ok_or(IdError::Name { vertex: vertex as u64 })?;
            if index.insert(Box::from(name), vertex as VertexId).is_some() {
                return Err(IdError::Twice { name: name.to_owned() });
            }
            start = end as usize;
        }
        if start != text.len() {
            return Err(IdError::Name { vertex: count });
        }
        Ok(Self(Kind::Names { text, ends, index: OnceLock::from(index) }))
    }

    /// Number of vertices.
    pub fn len(&self) -> u32 {
        match &self.0 {
            Kind::Range { len, .. } => *len,
            Kind::Integers(ids) => ids.len() as u32,
            Kind::Names { ends, .. } => ends.len() as u32,
        }
    }

    /// Whether there is no vertex.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The id of vertex `v`.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn get(&self, v: VertexId) -> Id<'_> {
        assert!(v < self.len(), "vertex {v} of {}", self.len());
        let v = v as usize;
        match &self.0 {
            Kind::Range { first, .. } => Id::Integer(first + v as u64),
            Kind::Integers(ids) => Id::Integer(ids[v]),
            Kind::Names { text, ends, .. } => {
                let start = if v == 0 { 0 } else { ends[v - 1] as usize };
                // Checked to be UTF-8 when the names came in.
                Id::Name(std::str::from_utf8(&text[start..ends[v] as usize]).unwrap_or_default())
            }
        }
    }

    /// The vertex that the user calls `id`. O(1) for ranges and names,
    /// O(log V) for sparse integers.
    pub fn find(&self, id: &str) -> Option<VertexId> {
        match &self.0 {
            Kind::Names { index, .. } => index.get()?.get(id).copied(),
            _ => self.find_integer(id.parse().ok()?),
        }
    }

    /// The vertex with this integer id; `None` also when vertices have names.
    pub fn find_integer(&self, id: u64) -> Option<VertexId> {
        match &self.0 {
            Kind::Range { first, len } => {
                let v = id.checked_sub(*first)?;
                (v < u64::from(*len)).then_some(v as VertexId)
            }
            Kind::Integers(ids) => ids.binary_search(&id).ok().map(|v| v as VertexId),
            Kind::Names { .. } => None,
        }
    }

    /// The parts as a file stores them.
    pub(crate) fn parts(&self) -> IdParts<'_> {
        match &self.0 {
            Kind::Range { first, .. } => IdParts::Range { first: *first },
            Kind::Integers(ids) => IdParts::Integers(ids),
            Kind::Names { text, ends, .. } => IdParts::Names { text, ends },
        }
    }
}

/// How [`Ids`] are stored.
pub(crate) enum IdParts<'a> {
    Range { first: u64 },
    Integers(&'a [u64]),
    Names { text: &'a [u8], ends: &'a [u64] },
}

/// One user id; prints as the user wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Id<'a> {
    /// A number.
    Integer(u64),
    /// A name.
    Name(&'a str),
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => id.fmt(f),
            Self::Name(name) => name.fmt(f),
        }
    }
}
