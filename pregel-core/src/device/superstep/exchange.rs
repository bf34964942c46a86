//! Exchanged messages: bins whose messages stay in the L2 cache.
//!
//! Where all messages fit the shared memory of all multiprocessors together, one message for each
//! vertex, `bin_exchange` sends and pulls at the same time. Places are dealt out to *shares*, one
//! per block, in place of ranges; the block keeps the messages of its share. Bins are handled in
//! *phases*, one bin per block. In each phase a block copies its bin, which all blocks have sent,
//! sends its messages of the next phase, and computes the vertices of the bin. So messages are read
//! soon after they were written, while they are in the L2 cache, and memory is read only for
//! numbers of senders and positions. Where all messages do not fit at the same time, there is a pass for
//! one part of the senders after the other, and all but the last hand sums on. With two blocks and two
//! phases, where `rb` is the cell of share `r` in bin `b`:
//!
//! ```text
//! senders, as blocks go through them:  00 01 | 10 11 || 02 03 | 12 13
//! messages, as block 0 copies them:    00 10          || 02 12
//! ```

use crate::device::WARP;

/// Warps of a block of `bin_exchange`. One of them speaks for the block at the barriers of the grid,
/// while the others pull.
pub const EXCHANGE_WARPS: u32 = 24;

/// The most shares: no more than `bin_exchange` has threads in a block, or than there are ranges.
pub const MOST_SHARES: u32 = 512;

/// Neighbouring places that are dealt out to a share at a time, apart from the first.
pub const SHARE_PLACES: u32 = WARP;

/// How places are dealt out to shares, [`SHARE_PLACES`] at a time, so that each gets hubs and others
/// alike. The first [`SHARE_PLACES`] of each share, among which are the largest hubs, are dealt out
/// one at a time, back and forth.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Shares(u32);

impl Shares {
    /// This many shares; 0 if there are none.
    #[inline(always)]
    pub const fn new(count: u32) -> Self {
        Self(count)
    }

    /// How many shares there are.
    #[inline(always)]
    pub const fn count(self) -> u32 {
        self.0
    }

    /// The share of a place, and the number that the place has there.
    #[inline(always)]
    pub const fn of(self, place: u32) -> (u32, u32) {
        let dealt = place / SHARE_PLACES;
        if dealt < self.0 {
            let number = place / self.0;
            return (self.back_and_forth(place % self.0, number), number);
        }
        (dealt % self.0, dealt / self.0 * SHARE_PLACES + place % SHARE_PLACES)
    }

    /// The place with this number in a share.
    #[inline(always)]
    pub const fn place(self, share: u32, number: u32) -> u64 {
        if number < SHARE_PLACES {
            return (number * self.0 + self.back_and_forth(share, number)) as u64;
        }
        let dealt = (number / SHARE_PLACES) as u64 * self.0 as u64 + share as u64;
        dealt * SHARE_PLACES as u64 + (number % SHARE_PLACES) as u64
    }

    /// The share that comes where this one would, if every other time the last is the first.
    #[inline(always)]
    const fn back_and_forth(self, share: u32, number: u32) -> u32 {
        if number.is_multiple_of(2) { share } else { self.0 - 1 - share }
    }

    /// The most places of a share, of `places` in all.
    #[inline(always)]
    pub const fn most(self, places: u32) -> u32 {
        places.div_ceil(SHARE_PLACES).div_ceil(self.0) * SHARE_PLACES
    }

    /// The number of the cell of a share in a bin, the `bin`-th of a phase, among the cells of all
    /// phases, those of a share one after the other.
    #[inline(always)]
    pub const fn cell(self, phase: u32, share: u32, bin: u32) -> u64 {
        (phase as u64 * self.0 as u64 + share as u64) * self.0 as u64 + bin as u64
    }
}

/// A cell of an exchange, in granules. All three numbers are in one element, so that one load
/// fetches them.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct ExchangedCell(u64);

impl ExchangedCell {
    /// A cell of this many granules, which begins at `from` among those of its phase and at `to` in its
    /// bin. The latter two have 16 bits.
    #[inline(always)]
    pub const fn new(from: u32, to: u32, granules: u32) -> Self {
        Self(from as u64 | (to as u64) << 32 | (granules as u64) << 48)
    }

    /// Where it begins among the messages of its phase.
    #[inline(always)]
    pub const fn from(self) -> u32 {
        self.0 as u32
    }

    /// Where it begins in its bin.
    #[inline(always)]
    pub const fn to(self) -> u32 {
        (self.0 >> 32) as u32 & 0xffff
    }

    /// How many granules it has.
    #[inline(always)]
    pub const fn granules(self) -> u32 {
        (self.0 >> 48) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_in_one_share() {
        let shares = Shares::new(3);
        let first = [0, 1, 2, 3, 4, 5, 6, 94].map(|place| shares.of(place));
        assert_eq!(first[..4], [(0, 0), (1, 0), (2, 0), (2, 1)]);
        assert_eq!(first[4..], [(1, 1), (0, 1), (0, 2), (1, 31)]);
        assert_eq!([96, 130, 192].map(|place| shares.of(place)), [(0, 32), (1, 34), (0, 64)]);
        for place in 0..1000 {
            let (share, number) = shares.of(place);
            assert_eq!(shares.place(share, number), place.into());
            assert!(number < shares.most(place + 1));
        }
        assert_eq!([1, 96, 97, 192, 193].map(|places| shares.most(places)), [32, 32, 64, 64, 96]);
        // Cells of a phase, share by share.
        let cells = (0..2).flat_map(|phase| {
            (0..3).flat_map(move |share| (0..3).map(move |bin| shares.cell(phase, share, bin)))
        });
        assert!(cells.eq(0..18));
    }

    #[test]
    fn numbers_of_a_cell_do_not_mix() {
        for numbers in [(0, 0, 0), (u32::MAX, 0, 1), (7, 0xffff, 0), (0, 1, 0xffff)] {
            let (from, to, granules) = numbers;
            let cell = ExchangedCell::new(from, to, granules);
            assert_eq!((cell.from(), cell.to(), cell.granules()), numbers);
        }
    }
}
