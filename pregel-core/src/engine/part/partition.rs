//! Which part owns which vertices.

use std::fmt;
use std::sync::Arc;

use crate::engine::RunError;
use crate::program::VertexId;

/// Which part owns which vertex. Parts are numbered from 0; a part may own no vertex.
///
/// ```
/// use pregel_core::engine::part::Partition;
///
/// let owners = |partition: Partition| (0..8).map(|v| partition.owner(v)).collect::<Vec<_>>();
/// assert_eq!(owners(Partition::ranges(2, 8)), [0, 0, 0, 0, 1, 1, 1, 1]);
/// assert_eq!(owners(Partition::dealt(3, 2)), [0, 0, 1, 1, 2, 2, 0, 0]);
/// let hashed = Partition::by(2, |v| v.wrapping_mul(0x9E37_79B1) >> 31);
/// assert_eq!(owners(hashed), [0, 1, 0, 1, 0, 0, 1, 0]);
/// ```
#[derive(Clone)]
pub struct Partition {
    count: u32,
    owner: Arc<dyn Fn(VertexId) -> u32 + Send + Sync>,
}

impl Partition {
    /// A partition by a function of the vertex, such as a hash or a table. It must return the
    /// same part below `count` each time and in every process.
    pub fn by(count: u32, owner: impl Fn(VertexId) -> u32 + Send + Sync + 'static) -> Self {
        Self { count, owner: Arc::new(owner) }
    }

    /// Consecutive vertices in each part. Parts have equal sizes, except for the last ones.
    pub fn ranges(count: u32, vertex_count: u32) -> Self {
        let length = vertex_count.div_ceil(count.max(1)).max(1);
        Self::by(count, move |vertex| vertex / length)
    }

    /// Groups of `group` consecutive vertices (at least 1), dealt to the parts in turn.
    pub fn dealt(count: u32, group: u32) -> Self {
        let (hands, group) = (count.max(1), group.max(1));
        Self::by(count, move |vertex| vertex / group % hands)
    }

    /// A single part, which owns every vertex.
    pub fn whole() -> Self {
        Self::by(1, |_| 0)
    }

    /// Number of parts.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The part that owns this vertex.
    pub fn owner(&self, vertex: VertexId) -> u32 {
        (self.owner)(vertex)
    }

    /// One of the parts.
    pub fn part(&self, index: u32) -> Part {
        Part { partition: self.clone(), index }
    }

    /// Puts together one value per vertex, such as final states, from what each part has for
    /// its own vertices in ascending order. O(V).
    ///
    /// # Errors
    /// [`RunError::Parts`] if the values are not those of consecutive vertices from 0. How many
    /// vertices there should be is not checked.
    pub fn join<T: Copy>(&self, parts: &[impl AsRef<[T]>]) -> Result<Vec<T>, RunError> {
        let mut rest: Vec<&[T]> = parts.iter().map(AsRef::as_ref).collect();
        let total = rest.iter().map(|part| part.len()).sum();
        let mut all = Vec::with_capacity(total);
        for vertex in 0.. {
            if all.len() == total {
                break;
            }
            let next = rest.get_mut(self.owner(vertex) as usize).and_then(|part| {
                let (first, others) = part.split_first()?;
                *part = others;
                Some(*first)
            });
            let Some(value) = next else {
                return Err(RunError::Parts("a part does not have one value for each vertex"));
            };
            all.push(value);
        }
        Ok(all)
    }
}

impl fmt::Debug for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partition").field("count", &self.count).finish_non_exhaustive()
    }
}

/// One part of a [`Partition`].
#[derive(Clone, Debug)]
pub struct Part {
    partition: Partition,
    index: u32,
}

impl Part {
    /// The partition that it belongs to.
    pub fn partition(&self) -> &Partition {
        &self.partition
    }

    /// Its number.
    pub fn index(&self) -> u32 {
        self.index
    }

    /// Whether it owns this vertex.
    pub fn owns(&self, vertex: VertexId) -> bool {
        self.partition.owner(vertex) == self.index
    }

    /// Picks the values of its own vertices from one value per vertex of the graph. O(V).
    pub fn pick<T: Copy>(&self, all: &[T]) -> Vec<T> {
        let own = |(vertex, value): (VertexId, &T)| self.owns(vertex).then_some(*value);
        (0..).zip(all).filter_map(own).collect()
    }
}
