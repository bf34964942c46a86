//! Slices that several threads write, each to elements of its own.

use std::cell::UnsafeCell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A borrowed slice whose elements different threads may write.
///
/// All unsynchronised sharing in this crate goes through it: each use states why no
/// two threads touch one element at a time.
pub(crate) struct SharedSlice<'a, T> {
    cells: &'a [UnsafeCell<T>],
    kind: PhantomData<&'a mut [T]>,
}

impl<T> Clone for SharedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedSlice<'_, T> {}

// SAFETY: elements are reached only through the unsafe methods below, whose
// callers promise that no two threads touch one element at a time.
unsafe impl<T: Send> Send for SharedSlice<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    pub(crate) fn new(slice: &'a mut [T]) -> Self {
        let cells: *const [UnsafeCell<T>] = std::ptr::from_mut(slice) as *const [UnsafeCell<T>];
        // SAFETY: `UnsafeCell<T>` has the layout of `T`, and the unique
        // borrow lasts for `'a`.
        Self { cells: unsafe { &*cells }, kind: PhantomData }
    }

    /// Writes element `i`.
    ///
    /// # Safety
    /// No other thread may touch element `i` at the same time.
    ///
    /// # Panics
    /// If there is no element `i`.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, i: usize, value: T) {
        // SAFETY: in bounds by the index, unaliased by the caller's promise.
        unsafe { *self.cells[i].get() = value };
    }

    /// Prefetches element `i`.
    #[inline(always)]
    pub(crate) fn prefetch(&self, i: usize) {
        crate::memory::prefetch(self.cells, i);
    }

    /// The element `i`, to read and write. Unchecked, for loops in which checks are a large part
    /// of the work.
    ///
    /// # Safety
    /// There must be an element `i`. No other thread may touch it while the borrow lasts, nor
    /// may this thread borrow it twice.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "the caller promises that it is unaliased")]
    pub(crate) unsafe fn get_unchecked_mut(&self, i: usize) -> &mut T {
        debug_assert!(i < self.cells.len());
        // SAFETY: in bounds and unaliased by the caller's promise.
        unsafe { &mut *self.cells.get_unchecked(i).get() }
    }
}

impl<T> SharedSlice<'_, MaybeUninit<T>> {
    /// Fills the memory of elements with zeroes.
    ///
    /// # Safety
    /// No other thread may touch these elements at the same time.
    ///
    /// # Panics
    /// If there are not so many elements.
    pub(crate) unsafe fn clear(&self, range: Range<usize>) {
        let cells = &self.cells[range];
        // SAFETY: in bounds by the index, unaliased by the caller's promise, and the type allows
        // any bytes.
        unsafe { UnsafeCell::raw_get(cells.as_ptr()).write_bytes(0, cells.len()) };
    }
}
