//! Floyd–Warshall in blocks of 128 vertices (Venkataraman, Sahni, Mukhopadhyaya, *A Blocked
//! All-Pairs Shortest-Paths Algorithm*, 2003).
//!
//! For each block of vertices, `paths_close` finds the distances in the tile on the
//! diagonal, `paths_cross` shortens the tiles of its row and its column, and `paths_rest` all
//! others. The last two are products in the min-plus algebra: `out = min(out, left ⊗ right)`.
//!
//! A block of 256 threads computes a tile of 128 × 128. A thread holds 8 × 8 of its values in
//! registers, so that the 128 pairs of two terms cost twelve loads from shared memory. The panels of both operands come 16 terms at a time, copied asynchronously to one
//! half of the memory while the other half is used: one barrier per 16 terms.
//!
//! A warp computes 32 rows and 64 columns. Its lanes form 4 rows of 8:
//!
//! * lane row `y` has the rows `y`, `y + 4`, … of the warp's 32;
//! * lane column `x` has the columns `4 x` to `4 x + 3` and the same from 32 on.
//!
//! So the lanes of a warp read 128 contiguous bytes of the right panel at a time, and four
//! rows of the left panel, which lie in different banks.
//!
//! Each kernel comes twice. `paths_between_…` also notes, where a distance gets shorter, the
//! vertex that the walk led over: 64 more registers, and one multiprocessor then has one block in
//! place of two.

use pregel_core::device::solve::{Blocks, PANEL, PATH_TILE, left_offset, right_offset};
use pregel_core::device::{BLOCK, Global, WARP};

use super::length::{Length, Word};
use super::unroll::unroll;
use crate::simt::{
    barrier, block, compare_exchange_u32, load, load_staged_four, load_staged_two, load_u32_four,
    opaque, stage_16_bytes, store_staged, store_staged_four, store_u32_four, thread,
    wait_for_staged,
};

/// Rows and columns of a thread.
const OWN: usize = 8;

/// The part of a tile that a thread computes.
type Own<T> = [[T; OWN]; OWN];

/// The first row and the first column of a thread in the tile.
#[derive(Clone, Copy)]
struct Place {
    row: u32,
    column: u32,
}

impl Place {
    #[inline(always)]
    fn of_thread() -> Self {
        let (warp, lane) = (thread() / WARP, thread() % WARP);
        Self { row: warp / 2 * 32 + lane / 8, column: warp % 2 * 64 + lane % 8 * 4 }
    }

    /// The same place, hidden from the compiler. Otherwise it keeps addresses that were
    /// computed from the place in registers, of which there are none to spare.
    #[inline(always)]
    fn again(self) -> Self {
        Self { row: opaque(self.row), column: opaque(self.column) }
    }

    /// Its row number `i`.
    #[inline(always)]
    fn row(self, i: usize) -> u32 {
        self.row + 4 * i as u32
    }

    /// The first of its four columns number `half`.
    #[inline(always)]
    fn four(self, half: usize) -> u32 {
        self.column + 32 * half as u32
    }

    /// Its column number `j`.
    #[inline(always)]
    fn column(self, j: usize) -> u32 {
        self.four(j / 4) + j as u32 % 4
    }
}

/// A tile of one of the matrices.
#[derive(Clone, Copy)]
struct Tile {
    matrix: Global<u32>,
    side: u32,
    /// Its row and its column among the tiles.
    at: [u32; 2],
}

impl Tile {
    #[inline(always)]
    fn of_distances(a: &Blocks, at: [u32; 2]) -> Self {
        Self { matrix: a.distances, side: a.side, at }
    }

    /// Address of an element.
    #[inline(always)]
    fn address(self, row: u32, column: u32) -> u64 {
        let [tile_row, tile_column] = self.at;
        let row = u64::from(tile_row * PATH_TILE + row);
        let column = u64::from(tile_column * PATH_TILE + column);
        self.matrix.element(row * u64::from(self.side) + column)
    }

    /// Reads the thread's part.
    ///
    /// # Safety
    /// The matrix is whole (I1) and has the tile (I2), and no thread writes this part (I6).
    #[inline(always)]
    unsafe fn read<W: Word>(self, place: Place) -> Own<W> {
        let mut own = [[W::from_bits(0); OWN]; OWN];
        unroll!(8, |I| {
            unroll!(2, |HALF| {
                let from = self.address(place.row(I), place.four(HALF));
                // SAFETY: the caller's promise; I3: `side` and the columns are multiples of 4.
                let four = unsafe { load_u32_four(from) };
                unroll!(4, |J| {
                    own[I][4 * HALF + J] = W::from_bits(four[J]);
                });
            });
        });
        own
    }

    /// Writes the thread's part.
    ///
    /// # Safety
    /// As [`read`](Self::read); no other thread touches this part any more (I6).
    #[inline(always)]
    unsafe fn write<W: Word>(self, place: Place, own: &Own<W>) {
        unroll!(8, |I| {
            unroll!(2, |HALF| {
                let to = self.address(place.row(I), place.four(HALF));
                // SAFETY: the caller's promise; I3, as in `read`.
                unsafe { store_u32_four(to, four_of(own, I, HALF)) };
            });
        });
    }
}

/// What a thread notes where a distance in its part of a tile gets shorter.
trait Notes: Copy {
    /// What was noted before.
    ///
    /// # Safety
    /// As [`Tile::read`], for `a.between` if notes are taken.
    unsafe fn read(a: &Blocks, tile: [u32; 2], place: Place) -> Self;

    /// # Safety
    /// As [`Tile::write`], for `a.between` if notes are taken.
    unsafe fn write(&self, a: &Blocks, tile: [u32; 2], place: Place);

    /// Shortens the distance in row `i` and column `j` of a thread by a walk over `vertex`.
    fn shorten<T: Length>(&mut self, own: &mut Own<T>, at: [usize; 2], walk: T, vertex: u32);
}

/// Nothing: distances are all that is wanted.
#[derive(Clone, Copy)]
struct Nothing;

impl Notes for Nothing {
    #[inline(always)]
    unsafe fn read(_: &Blocks, _: [u32; 2], _: Place) -> Self {
        Self
    }

    #[inline(always)]
    unsafe fn write(&self, _: &Blocks, _: [u32; 2], _: Place) {}

    #[inline(always)]
    fn shorten<T: Length>(&mut self, own: &mut Own<T>, [i, j]: [usize; 2], walk: T, _: u32) {
        own[i][j] = walk.shorter(own[i][j]);
    }
}

/// The vertex that the walk led over.
#[derive(Clone, Copy)]
struct Between(Own<u32>);

impl Notes for Between {
    #[inline(always)]
    unsafe fn read(a: &Blocks, at: [u32; 2], place: Place) -> Self {
        // SAFETY: the caller's promise.
        unsafe { Self(Tile { matrix: a.between, side: a.side, at }.read(place)) }
    }

    #[inline(always)]
    unsafe fn write(&self, a: &Blocks, at: [u32; 2], place: Place) {
        // SAFETY: the caller's promise.
        unsafe { Tile { matrix: a.between, side: a.side, at }.write(place, &self.0) }
    }

    #[inline(always)]
    fn shorten<T: Length>(&mut self, own: &mut Own<T>, [i, j]: [usize; 2], walk: T, vertex: u32) {
        let shortens = walk.is_shorter(own[i][j]);
        self.0[i][j] = if shortens { vertex } else { self.0[i][j] };
        own[i][j] = walk.shorter(own[i][j]);
    }
}

/// Writes the thread's part of a tile, and looks for negative cycles in a tile on the
/// diagonal. All threads of the block take part (I5).
///
/// # Safety
/// As [`Tile::write`].
#[inline(always)]
unsafe fn write<T: Length, N: Notes>(
    a: &Blocks,
    tile: [u32; 2],
    place: Place,
    own: &Own<T>,
    notes: &N,
) {
    // SAFETY: the caller's promise.
    unsafe {
        Tile::of_distances(a, tile).write(place, own);
        notes.write(a, tile, place);
    }
    if a.signed != 0 && tile[0] == tile[1] {
        barrier();
        if thread() < PATH_TILE {
            let from = Tile::of_distances(a, tile).address(thread(), thread());
            // SAFETY: the caller's promise; the block has written the tile before the barrier.
            // I1: `a.negative` is one value; I8.
            unsafe {
                if T::from_bits(load(Global::at(from), 0)).is_negative() {
                    note(a.negative, tile[0] * PATH_TILE + thread());
                }
            }
        }
    }
}

/// The bits of four values of a row.
#[inline(always)]
fn four_of<W: Word>(own: &Own<W>, row: usize, half: usize) -> [u32; 4] {
    let word = |j: usize| own[row][4 * half + j].to_bits();
    [word(0), word(1), word(2), word(3)]
}

/// Notes a vertex on a negative cycle. Only the first is kept: what is found after a negative
/// cycle means nothing.
///
/// # Safety
/// `negative` is one value (I1), which changes only here (I8).
#[inline(always)]
pub(super) unsafe fn note(negative: Global<u32>, vertex: u32) {
    // SAFETY: the caller's promise.
    unsafe { compare_exchange_u32(negative.address(), 0, vertex + 1) };
}

/// Starts to copy the panels of terms `first` to `first + 15` to half `stage` of the memory.
///
/// # Safety
/// `a` is whole (I1), the matrix has the tiles (I2), and no thread writes them before this
/// block has waited (I7). The half is not in use (I9).
#[inline(always)]
unsafe fn stage(a: &Blocks, left: [u32; 2], right: [u32; 2], first: u32, stage: u32) {
    const COPIES: u32 = PANEL * PATH_TILE / 4 / BLOCK;
    let (left, right) = (Tile::of_distances(a, left), Tile::of_distances(a, right));
    for copy in 0..COPIES {
        let i = copy * BLOCK + thread();
        let (row, term) = (i / (PANEL / 4), i % (PANEL / 4) * 4);
        // SAFETY: the caller's promise; I3, I4: all offsets are multiples of 16.
        unsafe {
            stage_16_bytes(left_offset(stage, row, term), left.address(row, first + term));
            let (term, column) = (i / (PATH_TILE / 4), i % (PATH_TILE / 4) * 4);
            let from = right.address(first + term, column);
            stage_16_bytes(right_offset(stage, term, column), from);
        }
    }
}

/// Shortens a tile by walks through `left`, then `right`.
///
/// # Safety
/// `a` is whole (I1), and the matrix has the tiles (I2). No other block writes them during
/// the kernel (I7), and none but this block touches the tile `out`, which may be one of the
/// others (I6). The launch gave the block `STAGED` bytes (I4), and all threads of the block
/// take part (I5).
#[inline(always)]
unsafe fn shorten<T: Length, N: Notes>(a: &Blocks, out: [u32; 2], left: [u32; 2], right: [u32; 2]) {
    const PANELS: u32 = PATH_TILE / PANEL;
    let place = Place::of_thread();
    // SAFETY: the caller's promise. A half is filled again after a barrier that follows its
    // last use, and the tile is written after all panels have been copied.
    unsafe {
        stage(a, left, right, 0, 0);
        let mut own: Own<T> = Tile::of_distances(a, out).read(place);
        let mut notes = N::read(a, out, place);
        let mut panel = opaque(0);
        while panel < PANELS {
            wait_for_staged();
            barrier();
            let half = panel % 2;
            if panel + 1 < PANELS {
                stage(a, left, right, (panel + 1) * PANEL, 1 - half);
            }
            multiply(&mut own, &mut notes, place, half, a.block * PATH_TILE + panel * PANEL);
            panel += 1;
        }
        write(a, out, place.again(), &own, &notes);
    }
}

/// The terms of the panels in one half of the memory, of which the first stands for the vertex
/// `first`.
///
/// # Safety
/// They have been staged and waited for, and a barrier has been passed (I9).
#[inline(always)]
unsafe fn multiply<T: Length, N: Notes>(
    own: &mut Own<T>,
    notes: &mut N,
    place: Place,
    half: u32,
    first: u32,
) {
    let mut term = opaque(0);
    while term < PANEL {
        let mut left = [[0; 2]; OWN];
        unroll!(8, |I| {
            // SAFETY: the caller's promise.
            left[I] = unsafe { load_staged_two(left_offset(half, place.row(I), term)) };
        });
        unroll!(2, |K| {
            let mut right = [T::INFINITE; OWN];
            unroll!(2, |FOUR| {
                let offset = right_offset(half, term + K as u32, place.four(FOUR));
                // SAFETY: the caller's promise.
                let words = unsafe { load_staged_four(offset) };
                unroll!(4, |J| {
                    right[4 * FOUR + J] = T::from_bits(words[J]);
                });
            });
            unroll!(8, |I| {
                let lead_in = T::from_bits(left[I][K]);
                unroll!(8, |J| {
                    notes.shorten(own, [I, J], lead_in.plus(right[J]), first + term + K as u32);
                });
            });
        });
        term += 2;
    }
}

/// `paths_close`, one block: the distances in the tile on the diagonal, by walks inside of it.
///
/// Each step takes one vertex. The threads that have its row and its column in registers
/// write them to one half of the staged memory; after a barrier all read them. The next step
/// writes to the other half, so there is one barrier per step.
///
/// # Safety
/// `a` is whole (I1). The launch gave the block 2 KiB of staged memory (I4).
#[inline(always)]
unsafe fn close<T: Length, N: Notes>(a: &Blocks) {
    let tile = [a.block, a.block];
    let place = Place::of_thread();
    // A thread's rows lie next to each other in the column that is written.
    let own_rows = place.row / 32 * 32 + place.row % 4 * 8;
    // SAFETY: the caller's promise; I6, I9: each word is written by the thread that has the
    // value in its registers, and read after the barrier.
    unsafe {
        let mut own: Own<T> = Tile::of_distances(a, tile).read(place);
        let mut notes = N::read(a, tile, place);
        let mut vertex = opaque(0);
        while vertex < PATH_TILE {
            let half = vertex % 2 * (8 * PATH_TILE);
            let (row_at, column_at) = (half, half + 4 * PATH_TILE);
            unroll!(8, |I| {
                if place.row(I) == vertex {
                    unroll!(2, |HALF| {
                        store_staged_four(row_at + 4 * place.four(HALF), four_of(&own, I, HALF));
                    });
                }
            });
            unroll!(8, |J| {
                if place.column(J) == vertex {
                    unroll!(8, |I| {
                        store_staged(column_at + 4 * (own_rows + I as u32), own[I][J].to_bits());
                    });
                }
            });
            barrier();
            let (mut row, mut column) = ([T::INFINITE; OWN], [T::INFINITE; OWN]);
            unroll!(2, |HALF| {
                let rights = load_staged_four(row_at + 4 * place.four(HALF));
                let lefts = load_staged_four(column_at + 4 * (own_rows + 4 * HALF as u32));
                unroll!(4, |J| {
                    row[4 * HALF + J] = T::from_bits(rights[J]);
                    column[4 * HALF + J] = T::from_bits(lefts[J]);
                });
            });
            unroll!(8, |I| {
                unroll!(8, |J| {
                    let walk = column[I].plus_clamped(row[J]);
                    notes.shorten(&mut own, [I, J], walk, a.block * PATH_TILE + vertex);
                });
            });
            vertex += 1;
        }
        write(a, tile, place, &own, &notes);
    }
}

/// `paths_cross`, one block per tile in the row and the column of the block of vertices,
/// without the one in the diagonal.
///
/// # Safety
/// As [`shorten`]; `paths_close` has run.
#[inline(always)]
unsafe fn cross<T: Length, N: Notes>(a: &Blocks) {
    let others = a.side / PATH_TILE - 1;
    let middle = [a.block, a.block];
    let in_row = block() < others;
    let i = if in_row { block() } else { block() - others };
    let other = i + u32::from(i >= a.block);
    // SAFETY: the caller's promise. The closed tile is only read, and each block has another
    // tile of its own.
    unsafe {
        let (row, column) = ([a.block, other], [other, a.block]);
        let (out, left, right) = if in_row { (row, middle, row) } else { (column, column, middle) };
        shorten::<T, N>(a, out, left, right);
    }
}

/// `paths_rest`, one block per tile that is neither in the row nor in the column of the block
/// of vertices.
///
/// # Safety
/// As [`shorten`]; `paths_cross` has run.
#[inline(always)]
unsafe fn rest<T: Length, N: Notes>(a: &Blocks) {
    let others = a.side / PATH_TILE - 1;
    let (i, j) = (block() / others, block() % others);
    let (row, column) = (i + u32::from(i >= a.block), j + u32::from(j >= a.block));
    // SAFETY: the caller's promise. Row and column of the block are only read.
    unsafe { shorten::<T, N>(a, [row, column], [row, a.block], [a.block, column]) }
}

macro_rules! kernels {
    ($($name:ident: $generic:ident, $t:ty, $notes:ty;)+) => {$(
        #[doc = concat!("`", stringify!($name), "`")]
        ///
        /// # Safety
        /// As the kernel for any type of length and all notes, above.
        #[inline(always)]
        pub unsafe fn $name(a: &Blocks) {
            // SAFETY: the caller's promise.
            unsafe { $generic::<$t, $notes>(a) }
        }
    )+};
}

kernels! {
    paths_close_f32: close, f32, Nothing;
    paths_cross_f32: cross, f32, Nothing;
    paths_rest_f32: rest, f32, Nothing;
    paths_close_i32: close, i32, Nothing;
    paths_cross_i32: cross, i32, Nothing;
    paths_rest_i32: rest, i32, Nothing;
    paths_between_close_f32: close, f32, Between;
    paths_between_cross_f32: cross, f32, Between;
    paths_between_rest_f32: rest, f32, Between;
    paths_between_close_i32: close, i32, Between;
    paths_between_cross_i32: cross, i32, Between;
    paths_between_rest_i32: rest, i32, Between;
}
