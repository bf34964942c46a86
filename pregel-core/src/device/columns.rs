//! Where a vertex's messages lie: column-major in groups, SELL-C-σ.
//!
//! The vertices, in the order of their places, form groups of `1 << shift`. A
//! group has as many rows as its busiest vertex has senders; row `k` holds the
//! `k`-th message of every vertex of the group, side by side, so that the
//! lanes of a warp read neighbouring cells. It is the thesis' remapped message
//! buffer (*PregelGPU*, §4.2), and, filled with the ids of senders in place of
//! messages, the format SELL-C-σ of Kreutzer and others (SIAM J. Sci. Comput.
//! 2014). Groups of one vertex (`shift` 0) are plain rows.
//!
//! With two vertices a group, of 3, 1, and 2 senders (a, b, c; d; e, f):
//!
//! ```text
//! group 0          group 1
//! a d | b . | c .  e . | f .     bases: 0, 6, 10
//! ```

/// The group of the vertex at `place`.
#[inline(always)]
pub const fn group(place: u32, shift: u32) -> u32 {
    place >> shift
}

/// How many groups `vertices` make.
#[inline(always)]
pub const fn groups(vertices: u32, shift: u32) -> u32 {
    ((vertices as u64 + (1 << shift) - 1) >> shift) as u32
}

/// The vertex's column within its group.
#[inline(always)]
pub const fn column(place: u32, shift: u32) -> u32 {
    place & ((1 << shift) - 1)
}

/// The slot of the `row`-th message of the vertex at `place`, whose group
/// begins at slot `base`.
#[inline(always)]
pub const fn slot(base: u64, place: u32, row: u64, shift: u32) -> u64 {
    base + column(place, shift) as u64 + (row << shift)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_is_right() {
        let bases = [0, 6, 10];
        let at = |place, row| slot(bases[group(place, 1) as usize], place, row, 1);
        assert_eq!([at(0, 0), at(1, 0), at(0, 1), at(0, 2)], [0, 1, 2, 4]);
        assert_eq!([at(2, 0), at(2, 1)], [6, 8]);
        assert_eq!([groups(0, 1), groups(3, 1), groups(u32::MAX, 0)], [0, 2, u32::MAX]);
    }

    #[test]
    fn groups_of_one_are_rows() {
        assert_eq!([group(7, 0), column(7, 0)], [7, 0]);
        assert_eq!([slot(100, 7, 0, 0), slot(100, 7, 5, 0)], [100, 105]);
    }
}
