//! Shortest paths between all pairs of vertices, over a dense matrix of distances.
//!
//! A [`Matrix`] holds the length of the edge from every vertex to every other one.
//! [`AllPairs`] turns it into the matrix of distances, by one of two [methods](Method):
//!
//! * Floyd–Warshall in blocks, O(n³) (Floyd, *Algorithm 97*, and Warshall, *A Theorem on
//!   Boolean Matrices*, both 1962; in blocks: Venkataraman, Sahni, Mukhopadhyaya, *A Blocked
//!   All-Pairs Shortest-Paths Algorithm*, 2003).
//! * Repeated squaring of the matrix in the min-plus algebra, O(n³ log n). It is there to be
//!   measured beside the other.
//!
//! A sparse graph is often done sooner by a search from every vertex, [`search_all`].
//!
//! # No overflow
//!
//! Before it starts, a run checks that `n` times the largest length still is a number that
//! the type can hold; see [`Length::LARGEST`]. Without a negative cycle every sum then is
//! in range: a missing edge counts as an edge of length [`Length::INFINITE`], no cycle that
//! takes one is negative, and so no value ever falls below the length of a simple path. A
//! negative cycle shows as a negative distance of a vertex to itself; it is looked for after
//! every block of vertices, and inside a block sums are clamped.

mod error;
mod floyd;
mod length;
mod matrix;
mod search;
mod squaring;
#[cfg(test)]
mod tests;
mod tile;
mod tiled;

use std::sync::Arc;
use std::time::{Duration, Instant};

pub use error::PathsError;
pub use length::Length;
pub(crate) use matrix::GRANULE;
pub use matrix::Matrix;
pub use search::{best_on_cpu, prefers_search, search_all};
pub(crate) use squaring::most_squarings;

use crate::engine::gpu::DeviceReport;
use crate::engine::{Cancel, Cpu, Needs, RunError};
use crate::graph::Graph;
use crate::program::{Value, VertexId};

/// No vertex.
pub(crate) const NO_VERTEX: u32 = u32::MAX;

/// How distances are found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Floyd–Warshall in blocks.
    #[default]
    FloydWarshall,
    /// Repeated squaring, until nothing changes.
    RepeatedSquaring,
    /// A search from every vertex.
    Search,
}

impl Method {
    /// Its name, for reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::FloydWarshall => "Floyd-Warshall",
            Self::RepeatedSquaring => "repeated squaring",
            Self::Search => "a search from every vertex",
        }
    }
}

/// How to find the paths.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PathOptions {
    /// The method.
    pub method: Method,
    /// Whether [`Paths::path`] and [`Paths::successor`] will be asked, which takes as much
    /// memory again.
    pub successors: bool,
    /// The side of the tiles in which a GPU squares a matrix: 4, 8, 16 or 32.
    pub tile: u32,
    /// Ends the run with [`RunError::Cancelled`](crate::engine::RunError::Cancelled) when
    /// requested: within a tenth of a second on a CPU and within a second on a GPU, once the
    /// matrix is checked and copied. A GPU that squares it first completes the square.
    pub cancel: Option<Cancel>,
}

impl Default for PathOptions {
    /// Distances by Floyd–Warshall; tiles of 16, as in the paper on OCL_SP.
    fn default() -> Self {
        Self { method: Method::default(), successors: false, tile: 16, cancel: None }
    }
}

impl PathOptions {
    /// Sets the method.
    #[must_use]
    pub fn with_method(self, method: Method) -> Self {
        Self { method, ..self }
    }

    /// Sets whether successors are found.
    #[must_use]
    pub fn with_successors(self, successors: bool) -> Self {
        Self { successors, ..self }
    }

    /// Sets the side of the tiles in which a GPU squares a matrix.
    #[must_use]
    pub fn with_tile(self, tile: u32) -> Self {
        Self { tile, ..self }
    }

    /// Sets what ends the run.
    #[must_use]
    pub fn with_cancel(self, cancel: Cancel) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    /// Whether the run is to end.
    pub(crate) fn cancelled(&self) -> bool {
        self.cancel.as_ref().is_some_and(Cancel::is_cancelled)
    }

    /// The error if the run is to end, after this many passes.
    pub(crate) fn check(&self, passes: u32) -> Result<(), RunError> {
        if self.cancelled() { Err(RunError::Cancelled { superstep: passes }) } else { Ok(()) }
    }
}

/// An engine that finds the paths between all pairs of vertices.
///
/// ```
/// use pregel_core::engine::Cpu;
/// use pregel_core::engine::paths::{AllPairs, Matrix, PathOptions};
///
/// let mut lengths = Matrix::<f32>::unconnected(3)?;
/// lengths.shorten(0, 1, 2.0);
/// lengths.shorten(1, 2, -1.0);
/// let options = PathOptions::default().with_successors(true);
/// let (paths, _) = Cpu::new().all_pairs(lengths, &options)?;
/// assert_eq!(paths.distances.distance(0, 2), Some(1.0));
/// assert_eq!(paths.distances.distance(2, 0), None);
/// assert_eq!(paths.path(0, 2), Some(vec![0, 1, 2]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait AllPairs<T: Length> {
    /// Turns the lengths of edges into distances.
    ///
    /// # Errors
    /// [`PathsError::Overflow`] if a path may be longer than `T` can hold,
    /// [`PathsError::NegativeCycle`] if there is one, [`PathsError::Memory`] and
    /// [`PathsError::Run`] if the engine lacks memory, fails or is cancelled.
    fn all_pairs(
        &self,
        lengths: Matrix<T>,
        options: &PathOptions,
    ) -> Result<(Paths<T>, PathsReport), PathsError>;
}

/// Distances, and what leads along the paths.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Paths<T> {
    /// The distance from every vertex to every other one.
    pub distances: Matrix<T>,
    links: Option<Links>,
}

/// What leads along the paths, or [`NO_VERTEX`] where that is an edge or nothing.
#[derive(Clone, Debug)]
enum Links {
    /// A vertex between the two. It was noted when the distance last got shorter, and the
    /// distances of both parts had their last value then. So the parts were noted earlier, and
    /// taking paths apart comes to an end, even where cycles have length 0. (Successors would
    /// not do: two vertices on such a cycle may each be the other's successor.)
    Between(Matrix<u32>),
    /// The vertex before the last: each row is a tree.
    Before(Matrix<u32>),
}

impl<T: Length> Paths<T> {
    /// Distances alone.
    pub fn new(distances: Matrix<T>) -> Self {
        Self { distances, links: None }
    }

    /// With a vertex between every two, as in [`Links::Between`].
    pub(crate) fn with_between(self, between: Matrix<u32>) -> Self {
        Self { links: Some(Links::Between(between)), ..self }
    }

    /// A shortest path from one vertex to another, both included; `None` if there is none,
    /// or if [`PathOptions::successors`] was not set. O(length of the path).
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn path(&self, from: VertexId, to: VertexId) -> Option<Vec<VertexId>> {
        self.distances.distance(from, to)?;
        if from == to {
            return Some(vec![from]);
        }
        let link = |matrix: &Matrix<u32>, i: VertexId, j: VertexId| {
            Some(matrix.row(i)[j as usize]).filter(|vertex| *vertex != NO_VERTEX)
        };
        match self.links.as_ref()? {
            Links::Before(before) => {
                let back = std::iter::successors(Some(to), |v| link(before, from, *v));
                let mut path: Vec<_> = back.collect();
                path.reverse();
                Some(path)
            }
            Links::Between(between) => {
                let (mut path, mut parts) = (vec![from], vec![(from, to)]);
                while let Some((i, j)) = parts.pop() {
                    match link(between, i, j) {
                        None => path.push(j),
                        Some(k) => parts.extend([(k, j), (i, k)]),
                    }
                }
                Some(path)
            }
        }
    }

    /// The vertex after `from` on a shortest path to `to`; `None` if there is no path, or if
    /// the two are the same. O(length of the path).
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn successor(&self, from: VertexId, to: VertexId) -> Option<VertexId> {
        self.path(from, to)?.get(1).copied()
    }
}

/// How the paths were found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PathsReport {
    /// Name of the engine.
    pub engine: &'static str,
    /// The method.
    pub method: Method,
    /// Blocks of vertices, squarings, or searches.
    pub passes: u32,
    /// Pairs of lengths that were added and compared, or edges that were looked at.
    pub pairs: u64,
    /// Time of the computation, without copies to and from a device.
    pub time: Duration,
    /// Time of what came before.
    pub prepare_time: Duration,
    /// What a device did, if one took part.
    pub device: Option<Arc<DeviceReport>>,
}

impl PathsReport {
    /// The report of an engine of this name, which did nothing.
    pub fn new(engine: &'static str, method: Method) -> Self {
        let time = Duration::ZERO;
        Self { engine, method, passes: 0, pairs: 0, time, prepare_time: time, device: None }
    }

    /// Sets [`passes`](Self::passes) and [`pairs`](Self::pairs).
    #[must_use]
    pub fn with_work(self, passes: u32, pairs: u64) -> Self {
        Self { passes, pairs, ..self }
    }

    /// Sets [`time`](Self::time).
    #[must_use]
    pub fn with_time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    /// Pairs per second.
    pub fn rate(&self) -> f64 {
        self.pairs as f64 / self.time.as_secs_f64().max(1e-9)
    }
}

/// Reads the lengths of a graph's edges. The shortest of parallel edges counts, and a
/// positive loop does not. A run refuses lengths that are not numbers. O(n² + m), parallel.
///
/// # Errors
/// [`PathsError::Memory`] if there is no room for the matrix.
pub fn lengths_of<E: Value, T: Length>(
    graph: &Graph<E>,
    length: impl Fn(&E) -> T + Send + Sync,
) -> Result<Matrix<T>, PathsError> {
    let mut matrix = Matrix::unconnected(graph.vertex_count())?;
    let (rows, values) = (graph.out(), graph.out_values());
    matrix.for_each_row(|v, row| {
        // A graph without values has none to slice.
        let values = values.get(rows.range(v)).unwrap_or(&[]);
        for (i, target) in rows.row(v).iter().enumerate() {
            let length = values.get(i).map_or_else(|| length(&E::zeroed()), &length);
            let place = &mut row[*target as usize];
            *place = matrix::shortened(*place, length);
        }
    });
    Ok(matrix)
}

/// What all cores take to find the paths between all pairs of vertices of a graph, in addition to
/// it: matrices, and the lengths of all edges for a [search](Method::Search).
pub fn needs<E: Value>(graph: &Graph<E>, options: &PathOptions) -> Needs {
    let matrix = matrix::bytes(graph.vertex_count());
    let needs = Needs::default().with_host("distances", matrix);
    let needs = needs.with_host("links of paths", if options.successors { matrix } else { 0 });
    match options.method {
        Method::FloydWarshall => needs,
        Method::RepeatedSquaring => needs.with_host("distances, squared", matrix),
        Method::Search => needs.with_host("lengths of the edges", 4 * graph.edge_count()),
    }
}

impl<T: Length> AllPairs<T> for Cpu {
    fn all_pairs(
        &self,
        lengths: Matrix<T>,
        options: &PathOptions,
    ) -> Result<(Paths<T>, PathsReport), PathsError> {
        let start = Instant::now();
        self.install(|| {
            options.check(0)?;
            let lengths = lengths.checked()?;
            let n = lengths.vertex_count();
            let prepare_time = start.elapsed();
            let start = Instant::now();
            let (paths, passes) = match options.method {
                Method::RepeatedSquaring if options.successors => {
                    return Err(PathsError::NoSuccessors);
                }
                Method::RepeatedSquaring => {
                    let (distances, passes) = squaring::square_until_done(lengths, options)?;
                    (Paths::new(distances), passes)
                }
                Method::FloydWarshall => floyd::floyd_warshall(lengths, options)?,
                Method::Search => return Err(PathsError::NeedsGraph),
            };
            let report = PathsReport {
                engine: "cpu",
                method: options.method,
                passes,
                pairs: pairs(options.method, n, passes),
                time: start.elapsed(),
                prepare_time,
                device: None,
            };
            Ok((paths, report))
        })
    }
}

/// How many pairs a method adds and compares, without those that fill up blocks.
pub(crate) fn pairs(method: Method, n: u32, passes: u32) -> u64 {
    let cube = u64::from(n).saturating_pow(3);
    match method {
        Method::RepeatedSquaring => cube.saturating_mul(passes.into()),
        _ => cube,
    }
}
