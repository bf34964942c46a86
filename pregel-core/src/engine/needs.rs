//! What a run takes, before anything of it is allocated.

use crate::graph::{Csr, Graph};
use crate::memory;
use crate::program::{Value, VertexId};

/// The memory that one array needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Need {
    /// What the array holds.
    pub name: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The memory that a run needs in addition to the graph as it is.
///
/// [`Cpu::needs`](super::Cpu::needs) and [`Gpu::needs`](super::gpu::Gpu::needs) say it of
/// programs, [`Solve::needs`](super::Solve::needs) of solvers, and
/// [`paths::needs`](super::paths::needs) of paths between all pairs of vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Needs {
    /// Memory of the host.
    pub host: Vec<Need>,
    /// Memory of the device, the largest array first; none if the run is on the CPU.
    pub device: Vec<Need>,
    /// Bytes of the host that making rows by target takes beside the rows, and frees.
    pub(crate) making_rows: u64,
}

/// What rows by target are called, of which a graph has only one copy.
const ROWS_BY_TARGET: &str = "rows by target";

/// What the rows in the given order are called of a graph that is in another.
const GIVEN_ROWS: &str = "rows in the given order";

/// What an order of the vertices is called, both ways.
pub(super) const ORDER: &str = "order of the vertices";

impl Needs {
    /// Bytes of the host, of all arrays together.
    pub fn host_bytes(&self) -> u64 {
        sum(&self.host)
    }

    /// The most bytes of the host at a time: those of all arrays together, or what is there while
    /// rows by target are made, which is before all others.
    pub fn host_peak(&self) -> u64 {
        self.host_bytes().max(self.while_rows_are_made())
    }

    /// Bytes of the host while rows by target are made; 0 if none are.
    pub fn while_rows_are_made(&self) -> u64 {
        let rows = self.host.iter().filter(|need| need.name == ROWS_BY_TARGET);
        rows.fold(self.making_rows, |sum, need| sum.saturating_add(need.bytes))
    }

    /// Bytes of the device.
    pub fn device_bytes(&self) -> u64 {
        sum(&self.device)
    }

    /// Adds an array in the memory of the host.
    #[must_use]
    pub fn with_host(mut self, name: &'static str, bytes: u64) -> Self {
        if bytes > 0 {
            self.host.push(Need { name, bytes });
        }
        self
    }

    /// What both need, if they are there at the same time and for the same graph.
    #[must_use]
    pub fn beside(mut self, other: Self) -> Self {
        for need in other.host {
            match self.host.iter_mut().find(|own| own.name == need.name) {
                Some(own) if need.name == ROWS_BY_TARGET => own.bytes = own.bytes.max(need.bytes),
                Some(own) => own.bytes = own.bytes.saturating_add(need.bytes),
                None => self.host.push(need),
            }
        }
        for need in other.device {
            match self.device.iter_mut().find(|own| own.name == need.name) {
                Some(own) => own.bytes = own.bytes.saturating_add(need.bytes),
                None => self.device.push(need),
            }
        }
        sort(&mut self.device);
        self.making_rows = self.making_rows.max(other.making_rows);
        self
    }

    /// Adds the rows in the given order that whatever runs has to make: those of a graph that is
    /// in another.
    pub(super) fn with_given_rows<E: Value>(self, graph: &Graph<E>) -> Self {
        let bytes = if graph.has_given_rows() { 0 } else { rows_bytes(graph) };
        self.with_host(GIVEN_ROWS, bytes)
    }

    /// Adds the rows by target that whatever runs has to make: those of a directed graph which
    /// has none yet, and the values in their order if they are read.
    pub(super) fn with_rows_by_target<E: Value>(self, graph: &Graph<E>, with_values: bool) -> Self {
        let rows = if graph.has_incoming() { 0 } else { rows_bytes(graph) };
        let values = with_values && !graph.has_incoming_values();
        let values = if values { values_bytes(graph) } else { 0 };
        let making_rows = match (rows, values) {
            (0, 0) => 0,
            // Values are moved after the rows, along offsets of their own.
            (_, 0) => Csr::SORTING_BYTES * graph.edge_count(),
            _ => {
                Csr::SORTING_BYTES * graph.edge_count() + 8 * (u64::from(graph.vertex_count()) + 1)
            }
        };
        let making_rows = self.making_rows.max(making_rows);
        Self { making_rows, ..self.with_host(ROWS_BY_TARGET, rows + values) }
    }
}

/// What a graph holds: its rows, its edge values and the ids of its vertices.
pub fn held_by<E: Value>(graph: &Graph<E>) -> Vec<Need> {
    let in_order = graph.by_degree().is_some();
    let mut held = Needs::default()
        .with_host("rows", rows_bytes(graph))
        .with_host("edge values", values_bytes(graph))
        .with_host(ORDER, if in_order { order_bytes(graph) } else { 0 });
    if in_order && graph.has_given_rows() {
        held = held.with_host(GIVEN_ROWS, rows_bytes(graph));
    }
    if graph.directed() && (graph.has_incoming() || in_order) {
        let values = if graph.has_incoming_values() { values_bytes(graph) } else { 0 };
        held = held.with_host(ROWS_BY_TARGET, rows_bytes(graph) + values);
    }
    held.with_host("ids", graph.ids().bytes()).host
}

/// Bytes of memory that this process can still take, as far as the system says: what is free or
/// can be freed, and no more than the control group of the process has left. `None` outside
/// Linux.
pub fn available_memory_bytes() -> Option<u64> {
    memory::available()
}

/// Bytes of one set of rows of a graph.
pub(super) fn rows_bytes<E: Value>(graph: &Graph<E>) -> u64 {
    8 * (u64::from(graph.vertex_count()) + 1) + 4 * graph.edge_count()
}

/// Bytes of an order of the vertices, both ways.
pub(super) fn order_bytes<E: Value>(graph: &Graph<E>) -> u64 {
    2 * size_of::<VertexId>() as u64 * u64::from(graph.vertex_count())
}

/// Bytes of the values of all edges.
pub(super) fn values_bytes<E: Value>(graph: &Graph<E>) -> u64 {
    graph.edge_count() * size_of::<E>() as u64
}

fn sum(needs: &[Need]) -> u64 {
    needs.iter().fold(0, |sum, need| sum.saturating_add(need.bytes))
}

/// Puts the largest first.
pub(super) fn sort(needs: &mut [Need]) {
    needs.sort_by_key(|need| std::cmp::Reverse(need.bytes));
}

/// A size for humans to read, with up to three digits and a binary unit.
pub fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1000.0 {
            let digits = if unit == "B" || value >= 100.0 { 0 } else { 1 };
            return format!("{value:.digits$} {unit}");
        }
        value /= 1024.0;
    }
    format!("{value:.1} TiB")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_graph_has_its_rows_by_target_once() {
        let graph = Graph::from_weighted_edges([(0, 1, 0.5f32), (0, 2, 2.0), (2, 1, 1.0)]).unwrap();
        let one = || {
            let rows = Needs::default().with_rows_by_target(&graph, true);
            rows.with_host("states", 10).with_host("nothing", 0)
        };
        let rows = 8 * 4 + 4 * 3 + 4 * 3;
        assert_eq!(one().host_bytes(), rows + 10);
        // 2 bytes per edge, and offsets.
        assert_eq!(one().host_peak(), rows + 2 * 3 + 8 * 4);
        assert_eq!(one().with_host("signals", 100).host_peak(), rows + 110);
        let both = one().beside(one());
        assert_eq!((both.host_bytes(), both.host.len()), (rows + 20, 2));
        assert_eq!(both.device_bytes(), 0);
        // Once they are made, no run needs them again.
        let _ = (graph.incoming(), graph.incoming_values());
        assert_eq!((one().host_bytes(), one().host_peak()), (10, 10));
        let held = held_by(&graph);
        assert_eq!(held.iter().map(|need| need.bytes).sum::<u64>(), 2 * rows);
    }
}
