//! Arrays that live in memory or in a mapped file.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use memmap2::Mmap;

use crate::program::Value;

/// A read-only array of plain values: owned, or a window into a mapped file.
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
}

impl<T: Value> Buffer<T> {
    /// A window of `len` elements, `start` bytes into a mapped file; `None` if it
    /// goes beyond the file or is not aligned.
    pub(crate) fn mapped(map: &Arc<Mmap>, start: usize, len: usize) -> Option<Self> {
        let end = len.checked_mul(size_of::<T>())?.checked_add(start)?;
        let bytes = map.get(start..end)?;
        bytemuck::try_cast_slice::<u8, T>(bytes).ok()?;
        Some(Self(Store::Mapped { map: Arc::clone(map), start, len, kind: PhantomData }))
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
        }
    }
}

impl<T> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Store::Owned(values) => write!(f, "Buffer({} owned)", values.len()),
            Store::Mapped { len, .. } => write!(f, "Buffer({len} mapped)"),
        }
    }
}
