//! The senders of messages that are handled separately, as a lane lists them.

use pregel_core::device::prepare::BinEdges;
use pregel_core::device::{ApartLayers, BIN_LAYERS, Global, WARP};

use super::apart_of;
use crate::simt::{lane, load_const, store, store_u16};

/// Numbers of 16 bits that a lane writes one after the other, four to an element.
pub(super) struct Packed {
    at: u64,
    len: u32,
    word: u64,
}

impl Packed {
    /// Begins after `fours` elements of each lane.
    #[inline(always)]
    pub(super) fn at(fours: u32) -> Self {
        Self { at: u64::from(fours) * u64::from(WARP) + u64::from(lane()), len: 0, word: 0 }
    }

    /// Appends a number, if there is one.
    ///
    /// # Safety
    /// `array` has room for the lane's numbers (I2), which this lane owns (I6).
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, array: Global<u64>, number: Option<u16>) {
        let Some(number) = number else { return };
        self.word |= u64::from(number) << (16 * (self.len % BIN_LAYERS));
        self.len += 1;
        if self.len.is_multiple_of(BIN_LAYERS) {
            // SAFETY: the caller's promise.
            unsafe { store(array, self.at, self.word) };
            self.at += u64::from(WARP);
            self.word = 0;
        }
    }

    /// Writes what is left.
    ///
    /// # Safety
    /// As [`put`](Self::put).
    #[inline(always)]
    pub(super) unsafe fn finish(self, array: Global<u64>) {
        if !self.len.is_multiple_of(BIN_LAYERS) {
            // SAFETY: the caller's promise.
            unsafe { store(array, self.at, self.word) };
        }
    }
}

/// What a lane of `bin_place` knows of its item.
pub(super) struct Placing {
    item: u32,
    /// The item's layers that are handled separately.
    apart: ApartLayers,
    /// How many of them the lane has placed, the first range aside.
    placed: ApartLayers,
    /// The senders from the first range that the lane writes.
    pub(super) nearest: Packed,
}

impl Placing {
    /// # Safety
    /// `a` is whole (I1), and the item exists (I2).
    #[inline(always)]
    pub(super) unsafe fn begin(a: &BinEdges, item: u32) -> Self {
        let nearest = match a.apart_ranges {
            0 => 0,
            // SAFETY: the caller's promise; I7.
            _ => unsafe { load_const(a.apart_firsts, item.into()) },
        };
        Self {
            item,
            // SAFETY: the caller's promise.
            apart: unsafe { apart_of(a, item) },
            placed: ApartLayers::default(),
            nearest: Packed::at(nearest),
        }
    }

    /// Writes a sender, if there is one, unless the item does not handle its messages separately:
    /// then returns it.
    ///
    /// # Safety
    /// `a` is whole (I1), and `bin_split` counted the message (I2).
    #[inline(always)]
    pub(super) unsafe fn put(&mut self, a: &BinEdges, sender: Option<u32>) -> Option<u32> {
        let range = sender.map_or(u32::MAX, |sender| sender / a.range);
        let (apart, nearest) = (self.apart.of(range) > 0, range == 0);
        let first = sender.filter(|_| apart && nearest);
        // SAFETY: the caller's promise; I6: the lane's own.
        unsafe {
            self.nearest.put(a.apart_senders, first.map(|sender| sender as u16));
            if let Some(sender) = sender.filter(|_| apart && !nearest) {
                self.put_far(a, range, sender);
            }
        }
        sender.filter(|_| !apart)
    }

    /// Writes a sender from a range after the first, which the item handles separately.
    ///
    /// # Safety
    /// `a` is whole (I1), and `bin_split` counted the message (I2).
    #[inline(always)]
    unsafe fn put_far(&mut self, a: &BinEdges, range: u32, sender: u32) {
        let (items, layer) = (u64::from(a.item_count()), self.placed.of(range));
        self.placed = self.placed.with(range, 1);
        // SAFETY: I2: the range has this item; I7.
        let first: u32 =
            unsafe { load_const(a.apart_firsts, u64::from(range) * items + u64::from(self.item)) };
        let mut numbers = Packed::at(first);
        numbers.at += u64::from(layer / BIN_LAYERS * WARP);
        let at = numbers.at * u64::from(BIN_LAYERS) + u64::from(layer % BIN_LAYERS);
        // SAFETY: the caller's promise; I6: only this lane has the number.
        unsafe {
            let senders: Global<u16> = Global::at(a.apart_senders.address());
            store_u16(senders, at, (sender - range * a.range) as u16);
        }
    }
}
