//! A dense square matrix, one row and one column per vertex.

use std::fmt;

use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;

use super::{Length, PathsError};
use crate::memory;
use crate::program::{Value, VertexId};

/// Rows and columns are filled up to a multiple of this: the side of the largest block.
pub(crate) const GRANULE: u32 = 128;

/// A cache line, so that rows begin at multiples of 64 bytes.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Line([u32; 16]);

/// A square matrix, row by row, with one row and one column per vertex.
///
/// Rows begin at multiples of 64 bytes. In memory, the matrix is filled up to a multiple of
/// 128 rows and columns, so it takes at least 64 KiB.
#[derive(Clone)]
pub struct Matrix<T> {
    vertices: u32,
    side: usize,
    lines: Vec<Line>,
    of: std::marker::PhantomData<T>,
}

/// The length between two vertices with another edge: the shorter of both, or what is not a
/// number.
pub(super) fn shortened<T: Length>(old: T, edge: T) -> T {
    if edge.to_f64().is_nan() { edge } else { edge.shorter(old) }
}

/// The number of rows and columns of a matrix in memory.
fn side(vertices: u32) -> u64 {
    u64::from(vertices).next_multiple_of(GRANULE.into())
}

/// Bytes of a matrix of this many vertices.
pub(super) fn bytes(vertices: u32) -> u64 {
    let side = side(vertices);
    side.saturating_mul(side).saturating_mul(4)
}

impl<T: Value> Matrix<T> {
    const SIZE: () = assert!(size_of::<T>() == 4 && align_of::<T>() <= 64);

    /// A matrix with the same value everywhere. O(n²), parallel.
    ///
    /// # Errors
    /// [`PathsError::Memory`] if there is no room for it.
    pub fn filled(vertices: u32, value: T) -> Result<Self, PathsError> {
        let () = Self::SIZE;
        let side = side(vertices);
        let needed = side.saturating_mul(side).saturating_mul(size_of::<T>() as u64);
        let available = memory::available();
        let refused = |available| PathsError::Memory { vertices, needed, available };
        if available.is_some_and(|available| needed > available) {
            return Err(refused(available.unwrap_or(0)));
        }
        let count = usize::try_from(needed / size_of::<Line>() as u64);
        let lines = count.ok().and_then(memory::try_zeroed);
        let lines = lines.ok_or_else(|| refused(available.unwrap_or(usize::MAX as u64)))?;
        let of = std::marker::PhantomData;
        let mut matrix = Self { vertices, side: side as usize, lines, of };
        if side > 0 {
            matrix.values_mut().par_chunks_mut(side as usize).for_each(|row| row.fill(value));
        }
        Ok(matrix)
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> u32 {
        self.vertices
    }

    /// Rows and columns in memory: row `v` begins at value `v * side` of [`values`](Self::values).
    pub fn side(&self) -> usize {
        self.side
    }

    /// The row of a vertex: one value per vertex.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn row(&self, v: VertexId) -> &[T] {
        assert!(v < self.vertices, "vertex {v} of {}", self.vertices);
        &self.values()[v as usize * self.side..][..self.vertices as usize]
    }

    /// Calls `f` with every vertex and its row. Parallel.
    pub fn for_each_row(&mut self, f: impl Fn(VertexId, &mut [T]) + Sync) {
        let (n, side) = (self.vertices as usize, self.side.max(1));
        let rows = self.values_mut().par_chunks_mut(side).take(n);
        rows.enumerate().for_each(|(v, row)| f(v as VertexId, &mut row[..n]));
    }

    /// All values, those that fill up the matrix included.
    pub fn values(&self) -> &[T] {
        bytemuck::cast_slice(&self.lines)
    }

    /// All values, those that fill up the matrix included.
    pub(crate) fn values_mut(&mut self) -> &mut [T] {
        bytemuck::cast_slice_mut(&mut self.lines)
    }
}

impl<T: Length> Matrix<T> {
    /// A matrix without edges: every vertex is at distance 0 from itself, and no other can be
    /// reached.
    ///
    /// # Errors
    /// [`PathsError::Memory`] if there is no room for it.
    pub fn unconnected(vertices: u32) -> Result<Self, PathsError> {
        let mut matrix = Self::filled(vertices, T::INFINITE)?;
        matrix.for_each_row(|v, row| row[v as usize] = T::ZERO);
        Ok(matrix)
    }

    /// Adds an edge of this length, unless there is a shorter one. What is not a number becomes
    /// the length, so that a run refuses it.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn shorten(&mut self, from: VertexId, to: VertexId, length: T) {
        assert!(from.max(to) < self.vertices, "edge {from} → {to} of {} vertices", self.vertices);
        let place = from as usize * self.side + to as usize;
        let value = &mut self.values_mut()[place];
        *value = shortened(*value, length);
    }

    /// The distance of two vertices, or `None` if there is no path.
    ///
    /// # Panics
    /// If there is no such vertex.
    pub fn distance(&self, from: VertexId, to: VertexId) -> Option<T> {
        Some(self.row(from)[to as usize]).filter(|distance| distance.is_finite())
    }

    /// The same matrix, if its lengths are numbers and no sum of them can leave the range
    /// of the type.
    pub(crate) fn checked(mut self) -> Result<Self, PathsError> {
        let n = self.vertices;
        // NaN is larger than everything here, and so is infinite negative length.
        let largest = |v| {
            let lengths = self.row(v).iter().map(|length| {
                let number = length.to_f64();
                match number {
                    _ if number.is_nan() || number == f64::NEG_INFINITY => f64::INFINITY,
                    _ if length.is_finite() => number.abs(),
                    _ if *length == T::INFINITE => 0.0,
                    _ => number.abs(),
                }
            });
            (lengths.fold(0.0, f64::max), v)
        };
        let larger = |a: (f64, u32), b: (f64, u32)| if b.0 > a.0 { b } else { a };
        let (length, vertex) = (0..n).into_par_iter().map(largest).reduce(|| (0.0, 0), larger);
        if length == f64::INFINITY {
            return Err(PathsError::NotANumber { vertex });
        }
        if length * f64::from(n) > T::LARGEST {
            let (largest, name) = (T::LARGEST, T::NAME);
            return Err(PathsError::Overflow { vertices: n, length, largest, name });
        }
        self.for_each_row(|v, row| row[v as usize] = row[v as usize].shorter(T::ZERO));
        match self.negative() {
            Some(vertex) => Err(PathsError::NegativeCycle { vertex }),
            None => Ok(self),
        }
    }

    /// A vertex at a negative distance from itself.
    pub(crate) fn negative(&self) -> Option<VertexId> {
        (0..self.vertices).find(|&v| self.row(v)[v as usize] < T::ZERO)
    }
}

impl<T> fmt::Debug for Matrix<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Matrix").field("vertices", &self.vertices).finish_non_exhaustive()
    }
}
