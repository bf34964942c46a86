//! What is computed inside a tile, in vector registers.
//!
//! The same code is compiled for several instruction sets, in loops that the compiler
//! turns into vector instructions. Eight terms are added to a vector of the result between
//! its load and its store: ten accesses to the cache per sixteen sums and comparisons, so
//! that the arithmetic is what takes the time.

#![allow(clippy::needless_range_loop, reason = "several rows have the same index")]

use super::Length;

/// Rows and columns of a tile.
pub(super) const TILE: usize = 64;
/// Values of a tile.
pub(super) const AREA: usize = TILE * TILE;
/// Terms between a load of the result and its store.
const TERMS: usize = 8;

/// The instructions that the processor has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vectors(Kind);

#[derive(Clone, Copy, Debug)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Baseline,
}

impl Vectors {
    /// Those of this processor.
    pub(super) fn find() -> Self {
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                return Self(Kind::Avx512);
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                return Self(Kind::Avx2);
            }
        }
        Self(Kind::Baseline)
    }
}

/// A function in a version for each instruction set: the body is `$body`.
macro_rules! versions {
    ($(#[$doc:meta])* $name:ident = $body:ident($($argument:ident: $t:ty),+);) => {
        $(#[$doc])*
        pub(super) fn $name<T: Length>(vectors: Vectors, $($argument: $t),+) {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            fn avx512<T: Length>($($argument: $t),+) {
                $body::<T>($($argument),+);
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2")]
            fn avx2<T: Length>($($argument: $t),+) {
                $body::<T>($($argument),+);
            }
            match vectors.0 {
                // SAFETY: `Vectors::find` has found these instructions.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx512 => unsafe { avx512($($argument),+) },
                // SAFETY: as above.
                #[cfg(target_arch = "x86_64")]
                Kind::Avx2 => unsafe { avx2($($argument),+) },
                Kind::Baseline => $body::<T>($($argument),+),
            }
        }
    };
}

versions! {
    /// Shortens the distances in `out` by walks through `left`, then `right`.
    product = product_in(out: &mut [T; AREA], left: &[T; AREA], right: &[T; AREA]);
}

versions! {
    /// The same; where a distance gets shorter, `between` gets the vertex between the parts of
    /// the walk. The first of those has the number `first`.
    product_with_between = product_with_between_in(
        out: &mut [T; AREA], between: &mut [u32; AREA],
        left: &[T; AREA], right: &[T; AREA], first: u32
    );
}

versions! {
    /// Finds the distances in a tile by walks inside of it, and vertices between as
    /// [`product_with_between`] does.
    close = close_in(tile: &mut [T; AREA], between: Option<&mut [u32; AREA]>, first: u32);
}

/// The rows of a tile.
#[inline(always)]
fn rows<T>(tile: &[T; AREA]) -> &[[T; TILE]] {
    tile.as_chunks().0
}

/// The rows of a tile.
#[inline(always)]
fn rows_mut<T>(tile: &mut [T; AREA]) -> &mut [[T; TILE]] {
    tile.as_chunks_mut().0
}

#[inline(always)]
fn product_in<T: Length>(out: &mut [T; AREA], left: &[T; AREA], right: &[T; AREA]) {
    let (terms, _) = rows(right).as_chunks::<TERMS>();
    for (out, left) in rows_mut(out).iter_mut().zip(rows(left)) {
        for (left, right) in left.as_chunks::<TERMS>().0.iter().zip(terms) {
            for j in 0..TILE {
                let mut best = out[j];
                for k in 0..TERMS {
                    best = left[k].plus(right[k][j]).shorter(best);
                }
                out[j] = best;
            }
        }
    }
}

#[inline(always)]
fn product_with_between_in<T: Length>(
    out: &mut [T; AREA],
    between: &mut [u32; AREA],
    left: &[T; AREA],
    right: &[T; AREA],
    first: u32,
) {
    for i in 0..TILE {
        for (vertex, right) in (first..).zip(rows(right)) {
            let lead_in = left[i * TILE + (vertex - first) as usize];
            shorten_row(&mut rows_mut(out)[i], &mut rows_mut(between)[i], right, |second| {
                (lead_in.plus(second), vertex)
            });
        }
    }
}

/// Shortens a row by walks over one vertex.
#[inline(always)]
fn shorten_row<T: Length>(
    row: &mut [T; TILE],
    between: &mut [u32; TILE],
    through: &[T; TILE],
    walk: impl Fn(T) -> (T, u32),
) {
    for ((place, between), second) in row.iter_mut().zip(between).zip(through) {
        let (sum, vertex) = walk(*second);
        *between = if sum < *place { vertex } else { *between };
        *place = sum.shorter(*place);
    }
}

#[inline(always)]
fn close_in<T: Length>(tile: &mut [T; AREA], mut between: Option<&mut [u32; AREA]>, first: u32) {
    for k in 0..TILE {
        let through = rows(tile)[k];
        for (i, row) in rows_mut(tile).iter_mut().enumerate() {
            let lead_in = row[k];
            match between.as_deref_mut() {
                None => {
                    for j in 0..TILE {
                        row[j] = lead_in.plus_clamped(through[j]).shorter(row[j]);
                    }
                }
                Some(between) => {
                    shorten_row(row, &mut rows_mut(between)[i], &through, |second| {
                        (lead_in.plus_clamped(second), first + k as u32)
                    });
                }
            }
        }
    }
}
