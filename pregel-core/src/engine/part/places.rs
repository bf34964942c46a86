//! Where a part keeps its vertices.

use super::{Part, Partition};
use crate::engine::RunError;
use crate::program::VertexId;

/// The vertices of a part, in ascending order, and the position of each among them.
#[derive(Debug)]
pub(in crate::engine) struct Places {
    part: Part,
    vertices: Vec<VertexId>,
    /// The position of every vertex; [`ELSEWHERE`] if another part owns it.
    places: Vec<u32>,
}

/// Not a position: a graph has at most this many vertices, so positions are smaller.
const ELSEWHERE: u32 = u32::MAX;

impl Places {
    /// Takes O(V) time, and 4 bytes per vertex of the graph and per vertex of the part.
    ///
    /// # Errors
    /// [`RunError::Parts`] if there is no such part, [`RunError::Owner`] if a vertex belongs
    /// to no part.
    pub(in crate::engine) fn new(part: &Part, vertex_count: u32) -> Result<Self, RunError> {
        let parts = part.partition().count();
        if part.index() >= parts {
            return Err(RunError::Parts("there is no part with this number"));
        }
        let mut vertices = Vec::new();
        let mut places = vec![ELSEWHERE; vertex_count as usize];
        for (vertex, place) in (0..).zip(&mut places) {
            let owner = part.partition().owner(vertex);
            if owner >= parts {
                return Err(RunError::Owner { vertex, part: owner, parts });
            }
            if owner == part.index() {
                *place = vertices.len() as u32;
                vertices.push(vertex);
            }
        }
        Ok(Self { part: part.clone(), vertices, places })
    }

    /// The part.
    pub(in crate::engine) fn part(&self) -> &Part {
        &self.part
    }

    /// The partition that the part belongs to.
    pub(in crate::engine) fn partition(&self) -> &Partition {
        self.part.partition()
    }

    /// Whether there is no other part to wait for.
    pub(in crate::engine) fn is_alone(&self) -> bool {
        self.partition().count() == 1
    }

    /// Whether this is the first part.
    pub(in crate::engine) fn is_first(&self) -> bool {
        self.part.index() == 0
    }

    /// The part's own vertices, in ascending order.
    pub(in crate::engine) fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// The part that owns a vertex; `None` if the graph has no such vertex.
    pub(in crate::engine) fn owner(&self, vertex: VertexId) -> Option<u32> {
        let exists = (vertex as usize) < self.places.len();
        exists.then(|| self.partition().owner(vertex))
    }

    /// The position of a vertex among the part's own; `None` if another part owns it.
    ///
    /// # Panics
    /// If the graph has no such vertex.
    pub(in crate::engine) fn place(&self, vertex: VertexId) -> Option<usize> {
        let place = self.places[vertex as usize];
        (place != ELSEWHERE).then_some(place as usize)
    }
}
