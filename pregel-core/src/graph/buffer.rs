//! Arrays that live in memory, in a mapped file or in memory that somebody else owns.

use std::any::Any;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::ptr::NonNull;
use std::slice;
use std::sync::Arc;

use memmap2::Mmap;

use crate::program::Value;

/// A read-only array of plain values: owned, borrowed from an owner that it keeps alive, or a
/// window into a mapped file.
pub struct Buffer<T>(Store<T>);

enum Store<T> {
    Owned(Vec<T>),
    /// `start` and `len` are in bytes and elements; checked in `mapped`.
    Mapped {
        map: Arc<Mmap>,
        start: usize,
        len: usize,
        kind: PhantomData<T>,
    },
    Lent(Lent<T>),
}

/// An array in memory that `owner` keeps.
struct Lent<T> {
    start: NonNull<T>,
    len: usize,
    /// Only dropped; see [`Buffer::from_owner`].
    _owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: a `Lent` is a shared slice of `T`, and an owner that may be sent.
unsafe impl<T: Sync> Send for Lent<T> {}
// SAFETY: it can only be read, and nothing is done with the owner.
unsafe impl<T: Sync> Sync for Lent<T> {}

impl<T> Lent<T> {
    fn as_slice(&self) -> &[T] {
        // SAFETY: the owner gave this slice for a borrow of itself. It has not moved since, and
        // nothing else can reach it, because this is the only reference to it. It cannot know
        // that the borrow is over, so that the slice remains valid until the owner is dropped.
        unsafe { slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }
}

impl<T: Value> Buffer<T> {
    /// The array of an owner, which is not copied, and which is kept until the buffer is
    /// dropped. The owner is asked for the array once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use pregel_core::graph::Buffer;
    ///
    /// struct Mine(Arc<Vec<u32>>);
    ///
    /// impl AsRef<[u32]> for Mine {
    ///     fn as_ref(&self) -> &[u32] {
    ///         &self.0
    ///     }
    /// }
    ///
    /// let targets = Arc::new(vec![1, 2, 0]);
    /// let buffer = Buffer::from_owner(Mine(Arc::clone(&targets)));
    /// assert_eq!(buffer.as_ptr(), targets.as_ptr());
    /// ```
    pub fn from_owner<O: AsRef<[T]> + Send + Sync + 'static>(owner: O) -> Self {
        let owner = Arc::new(owner);
        let slice: &[T] = (*owner).as_ref();
        let (start, len) = (NonNull::from(slice).cast(), slice.len());
        Self(Store::Lent(Lent { start, len, _owner: owner }))
    }

    /// A window of `len` elements, `start` bytes into a mapped file; `None` if it
    /// goes beyond the file or is not aligned.
    pub(crate) fn mapped(map: &Arc<Mmap>, start: usize, len: usize) -> Option<Self> {
        let end = len.checked_mul(size_of::<T>())?.checked_add(start)?;
        let bytes = map.get(start..end)?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Self(Store::Mapped { map: Arc::clone(map), start, len, kind: PhantomData }))
    }
}

impl<T> Buffer<T> {
    /// The values, to be changed, if the buffer owns them.
    pub(super) fn owned_mut(&mut self) -> Option<&mut [T]> {
        match &mut self.0 {
            Store::Owned(values) => Some(values),
            Store::Mapped { .. } | Store::Lent(_) => None,
        }
    }
}

impl<T> From<Vec<T>> for Buffer<T> {
    fn from(values: Vec<T>) -> Self {
        Self(Store::Owned(values))
    }
}

impl<T: Value> Deref for Buffer<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match &self.0 {
            Store::Owned(values) => values,
            Store::Mapped { map, start, len, .. } => {
                bytemuck::cast_slice(&map[*start..*start + *len * size_of::<T>()])
            }
            Store::Lent(lent) => lent.as_slice(),
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Store::Owned(values) => write!(f, "Buffer({} owned)", values.len()),
            Store::Mapped { len, .. } => write!(f, "Buffer({len} mapped)"),
            Store::Lent(lent) => write!(f, "Buffer({} lent)", lent.len),
        }
    }
}
