//! Matrices as NumPy's `.npy` files, version 1.0.

use std::io::{self, Write};

use pregel_core::engine::paths::{Length, Matrix};
use pregel_core::program::VertexId;

/// Rows of a matrix of distances, for a file.
#[derive(Debug)]
pub enum Distances {
    F32(Matrix<f32>),
    I32(Matrix<i32>),
}

/// The distances that are written.
#[derive(Debug)]
pub struct Npy {
    pub distances: Distances,
    /// The rows, in this order; all if there are none.
    pub rows: Option<Vec<VertexId>>,
}

impl Npy {
    /// Writes the rows, each with one value per vertex in the order of the graph's ids.
    pub fn write(&self, out: &mut (dyn Write + Send)) -> io::Result<()> {
        match &self.distances {
            Distances::F32(matrix) => {
                self.write_as(out, matrix, "<f4", |value| value.to_le_bytes())
            }
            Distances::I32(matrix) => {
                self.write_as(out, matrix, "<i4", |value| value.to_le_bytes())
            }
        }
    }

    fn write_as<T: Length>(
        &self,
        out: &mut (dyn Write + Send),
        matrix: &Matrix<T>,
        kind: &str,
        bytes: fn(T) -> [u8; 4],
    ) -> io::Result<()> {
        let n = matrix.vertex_count();
        let height = self.rows.as_ref().map_or(n as usize, Vec::len);
        out.write_all(&header(kind, height, n))?;
        let mut line = Vec::with_capacity(4 * n as usize);
        let mut write = |v: VertexId| {
            line.clear();
            for &value in matrix.row(v) {
                line.extend(bytes(if value.is_finite() { value } else { T::NO_PATH }));
            }
            out.write_all(&line)
        };
        match &self.rows {
            Some(rows) => rows.iter().try_for_each(|v| write(*v)),
            None => (0..n).try_for_each(&mut write),
        }
    }
}

/// The head of a file: a magic number, a version, the length of what follows, and a
/// dictionary, filled up with spaces so that the values begin at a multiple of 64.
fn header(kind: &str, height: usize, width: u32) -> Vec<u8> {
    const PREFIX: usize = 10;
    let mut text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({height}, {width}), }}");
    let length = (PREFIX + text.len() + 1).next_multiple_of(64) - PREFIX;
    text.extend(std::iter::repeat_n(' ', length - 1 - text.len()));
    text.push('\n');
    let mut head = b"\x93NUMPY\x01\x00".to_vec();
    head.extend((length as u16).to_le_bytes());
    head.extend(text.as_bytes());
    head
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_file_has_a_head_and_its_rows() {
        let mut matrix = Matrix::<i32>::unconnected(3).unwrap();
        matrix.shorten(2, 0, -7);
        let rows = Some(vec![2, 0]);
        let mut file = Vec::new();
        Npy { distances: Distances::I32(matrix), rows }.write(&mut file).unwrap();
        assert_eq!(file.len(), 128 + 4 * 6);
        assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
        assert_eq!(usize::from(u16::from_le_bytes([file[8], file[9]])), 118);
        let head = std::str::from_utf8(&file[10..128]).unwrap();
        assert_eq!(head.trim_end(), "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }");
        let values: Vec<i32> = file[128..]
            .chunks(4)
            .map(|four| i32::from_le_bytes(four.try_into().unwrap()))
            .collect();
        assert_eq!(values, [-7, i32::MAX, 0, 0, i32::MAX, i32::MAX]);
    }
}
