//! The user's vertex ids and the dense ids behind them.

use std::fmt;

use thiserror::Error;

use super::Buffer;
use super::csr::first_pair;
use super::names::Names;
use crate::program::VertexId;

/// The user's ids of the vertices `0..len`, in order.
///
/// Integer ids ascend, so that dense ids have the order of user ids (the smallest
/// label stays the smallest); names keep the order in which they first occurred.
///
/// ```
/// use pregel_core::graph::GraphBuilder;
///
/// let roads = [("Rome", "Ostia"), ("Ostia", "Anzio")];
/// let graph = GraphBuilder::new().with_edges_by_id(roads).build()?;
/// let ids = graph.ids();
/// assert_eq!(ids.find("Ostia"), Some(1));
/// assert_eq!(ids.get(2).to_string(), "Anzio");
/// assert_eq!(ids.find("Naples"), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Ids(Kind);

#[derive(Debug)]
enum Kind {
    /// `first, first + 1, …`
    Range {
        first: u64,
        len: u32,
    },
    /// Ascending integers.
    Integers(Buffer<u64>),
    Names(Names),
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
    /// A range of integers that exceeds 64 bits.
    #[error("{count} ids from {first} on exceed 18446744073709551615, the largest id")]
    TooLarge {
        /// The first id.
        first: u64,
        /// How many.
        count: u32,
    },
    /// The names are not UTF-8 or their ends do not ascend.
    #[error("the name of vertex {vertex} is damaged")]
    Name {
        /// The first dense id with a damaged name.
        vertex: u64,
    },
    /// Two vertices have the same name.
    #[error("two vertices have the name «{name}»")]
    Twice {
        /// The name.
        name: String,
    },
}

impl Ids {
    /// Ids `first, first + 1, …`; the dense ids themselves when `first` is 0.
    ///
    /// # Panics
    /// If the last id exceeds 64 bits; [`try_range`](Self::try_range) returns
    /// an error instead.
    pub fn range(first: u64, len: u32) -> Self {
        match Self::try_range(first, len) {
            Ok(ids) => ids,
            Err(error) => panic!("{error}"),
        }
    }

    /// [`range`](Self::range) of a first id that is not known to be small.
    ///
    /// # Errors
    /// [`IdError::TooLarge`] if the last id exceeds 64 bits.
    pub fn try_range(first: u64, len: u32) -> Result<Self, IdError> {
        match first.checked_add(u64::from(len).saturating_sub(1)) {
            Some(_) => Ok(Self(Kind::Range { first, len })),
            None => Err(IdError::TooLarge { first, count: len }),
        }
    }

    /// Strictly ascending integer ids.
    ///
    /// # Errors
    /// If they do not ascend, or are more than 32-bit ids can name.
    pub fn integers(ids: Buffer<u64>) -> Result<Self, IdError> {
        if let Some(i) = first_pair(&ids, |id, next| id >= next) {
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

    /// Names, concatenated in `text`; name `v` ends before byte `ends[v]`.
    ///
    /// # Errors
    /// If they are not UTF-8, not unique, or more than 32-bit ids can name.
    pub fn names(text: Buffer<u8>, ends: Buffer<u64>) -> Result<Self, IdError> {
        Ok(Self(Kind::Names(Names::new(text, ends)?)))
    }

    /// Number of vertices.
    pub fn len(&self) -> u32 {
        match &self.0 {
            Kind::Range { len, .. } => *len,
            Kind::Integers(ids) => ids.len() as u32,
            Kind::Names(names) => names.len(),
        }
    }

    /// Bytes that they take.
    pub(crate) fn bytes(&self) -> u64 {
        match &self.0 {
            Kind::Range { .. } => 0,
            Kind::Integers(ids) => 8 * ids.len() as u64,
            Kind::Names(names) => names.bytes(),
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
        match &self.0 {
            Kind::Range { first, .. } => Id::Integer(first + u64::from(v)),
            Kind::Integers(ids) => Id::Integer(ids[v as usize]),
            Kind::Names(names) => Id::Name(names.get(v)),
        }
    }

    /// The vertex whose id is `id`. O(1) for ranges and names,
    /// O(log V) for sparse integers.
    pub fn find(&self, id: &str) -> Option<VertexId> {
        match &self.0 {
            Kind::Names(names) => names.find(id),
            _ => self.find_integer(id.parse().ok()?),
        }
    }

    /// The vertex with this integer id; `None` if vertices have names.
    pub fn find_integer(&self, id: u64) -> Option<VertexId> {
        match &self.0 {
            Kind::Range { first, len } => {
                let v = id.checked_sub(*first)?;
                (v < u64::from(*len)).then_some(v as VertexId)
            }
            Kind::Integers(ids) => ids.binary_search(&id).ok().map(|v| v as VertexId),
            Kind::Names(_) => None,
        }
    }

    /// The parts as a file stores them.
    pub(crate) fn parts(&self) -> IdParts<'_> {
        match &self.0 {
            Kind::Range { first, .. } => IdParts::Range { first: *first },
            Kind::Integers(ids) => IdParts::Integers(ids),
            Kind::Names(names) => IdParts::Names { text: names.text(), ends: names.ends() },
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
