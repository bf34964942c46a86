//! The same graph with its vertices in another order.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::{Graph, Ids};
use crate::memory;
use crate::program::{Value, VertexId};
use crate::shared::SharedSlice;

/// An order of the vertices.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    /// The vertex at each place.
    pub(crate) vertex_at: Vec<VertexId>,
    /// The place of each vertex, if it is at hand.
    places: OnceLock<Vec<VertexId>>,
}

/// The number of classes that degrees are divided into.
pub(crate) const CLASSES: usize = 62 * 8;

/// The class of a degree: eight to each power of two, largest degrees first.
pub(crate) fn class(degree: u64) -> usize {
    let degree = degree.saturating_add(8);
    let power = degree.ilog2() - 3;
    CLASSES - 1 - (power * 8 + (degree >> power) as u32 % 8) as usize
}

impl Order {
    /// By falling `degree`. Vertices of about the same degree keep their order,
    /// which may be a good one already. O(V).
    pub(crate) fn by_degree(vertices: u32, degree: impl Fn(VertexId) -> u64) -> Self {
        let class = |v: VertexId| class(degree(v));
        let mut next = [0; CLASSES + 1];
        (0..vertices).for_each(|v| next[class(v) + 1] += 1);
        for i in 0..CLASSES {
            next[i + 1] += next[i];
        }
        let mut vertex_at: Vec<VertexId> = memory::zeroed(vertices as usize);
        let mut place_of: Vec<VertexId> = memory::zeroed(vertices as usize);
        for (v, place) in (0..vertices).zip(&mut place_of) {
            let next = &mut next[class(v)];
            vertex_at[*next as usize] = v;
            *place = *next;
            *next += 1;
        }
        Self { vertex_at, places: OnceLock::from(place_of) }
    }

    /// The place of each vertex. O(1), or O(V) after [`forget_places`](Self::forget_places).
    pub(crate) fn place_of(&self) -> &[VertexId] {
        // On this thread alone: one of a pool would wait for itself if what it takes over meanwhile
        // asked for the places too.
        self.places.get_or_init(|| {
            let mut place_of: Vec<VertexId> = memory::zeroed(self.vertex_at.len());
            for (place, v) in (0..).zip(&self.vertex_at) {
                place_of[*v as usize] = place;
            }
            place_of
        })
    }

    /// Frees the place of each vertex, until it is asked for again.
    pub(crate) fn forget_places(&mut self) {
        if let Some(mut places) = self.places.take() {
            // An allocator may keep what is freed, and for another thread at that.
            memory::give_back(&mut places);
        }
    }

    /// `values`, one per place, in the order of the vertices. O(V), parallel.
    pub(crate) fn restore<T: Value>(&self, values: &[T]) -> Vec<T> {
        assert_eq!(values.len(), self.vertex_at.len(), "there is a value for every place");
        let mut restored: Vec<T> = memory::zeroed(values.len());
        let to = SharedSlice::new(&mut restored);
        let places = self.vertex_at.par_iter().zip(values).with_min_len(4096);
        places.for_each(|(v, value)| {
            // SAFETY: every vertex has one place, so that each element is written once.
            unsafe { to.write(*v as usize, *value) };
        });
        restored
    }
}

impl<E: Value> Graph<E> {
    /// The same graph with vertex `order.vertex_at[p]` as vertex `p`. In every row the
    /// neighbours at places below `front` come first; in what order, the graph alone
    /// decides. `None` once `stop` is true, soon after. O(V + E), parallel; takes as much
    /// memory again as the graph.
    pub(crate) fn renumbered(
        &self,
        order: &Order,
        front: VertexId,
        stop: impl Fn() -> bool + Sync,
    ) -> Option<Graph<E>> {
        let ids = Ids::range(0, self.vertex_count());
        let out = self.out().renumbered(order, self.out_values(), front, &stop);
        let graph = Graph::from_rows(self.directed(), ids, out.0, out.1);
        if self.directed() {
            let rows = self.incoming().renumbered(order, self.incoming_values(), front, &stop);
            graph.adopt_incoming(rows.0, rows.1);
        }
        (!stop()).then_some(graph)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::graph::Csr;
    use crate::graph::generate::Spec;
    use crate::graph::{edge_hash, weight_sum};

    /// The edges of every row, in ascending order.
    fn sorted(rows: &Csr, values: &[f32]) -> Vec<(VertexId, u32)> {
        let row = |v| {
            let mut edges: Vec<_> =
                rows.range(v).map(|edge| (rows.targets()[edge], values[edge].to_bits())).collect();
            edges.sort_unstable();
            edges
        };
        (0..rows.vertex_count()).flat_map(row).collect()
    }

    #[test]
    fn renumbering_stops_when_told() {
        let graph = "rmat:scale=8".parse::<Spec>().unwrap().plain().unwrap();
        let order = Order::by_degree(graph.vertex_count(), |v| graph.out().degree(v));
        assert!(graph.renumbered(&order, 0, || true).is_none());
    }

    /// Whether the vertices below `front` come before the others.
    fn is_partitioned(row: &[VertexId], front: VertexId) -> bool {
        row.iter().skip_while(|u| **u < front).all(|u| *u >= front)
    }

    #[test]
    fn renumbering_keeps_every_edge() {
        for spec in ["rmat:scale=8", "rmat:scale=8,sym=0"] {
            let spec: Spec = spec.parse().unwrap();
            let graph = spec.weighted().unwrap();
            let order = Order::by_degree(graph.vertex_count(), |v| graph.out().degree(v));
            for front in [0, 1, 16, graph.vertex_count()] {
                let renumbered = graph.renumbered(&order, front, || false).unwrap();
                assert_eq!(weight_sum(&renumbered), weight_sum(&graph));
                for rows in [renumbered.out(), renumbered.incoming()] {
                    assert!((0..rows.vertex_count()).all(|v| is_partitioned(rows.row(v), front)));
                }
                let back = Order { vertex_at: order.place_of().to_vec(), places: OnceLock::new() };
                let back = renumbered.renumbered(&back, graph.vertex_count(), || false).unwrap();
                assert_eq!(edge_hash(&back), edge_hash(&graph));
                for (found, given) in
                    [(back.out(), graph.out()), (back.incoming(), graph.incoming())]
                {
                    assert_eq!(found.offsets(), given.offsets());
                }
                assert_eq!(
                    sorted(back.out(), back.out_values()),
                    sorted(graph.out(), graph.out_values())
                );
                assert_eq!(
                    sorted(back.incoming(), back.incoming_values()),
                    sorted(graph.incoming(), graph.incoming_values())
                );
            }
        }
    }

    #[test]
    fn highest_degrees_come_first() {
        let degrees = [1u64, 9, 3, 1 << 40, 0, 9];
        let order = Order::by_degree(6, |v| degrees[v as usize]);
        assert_eq!(order.vertex_at, [3, 1, 5, 2, 0, 4]);
        let by_place: Vec<u64> = order.vertex_at.iter().map(|v| degrees[*v as usize]).collect();
        assert_eq!(order.restore(&by_place), degrees);
        let mut forgetful = order.clone();
        forgetful.forget_places();
        assert_eq!(forgetful.place_of(), order.place_of());
    }
}
