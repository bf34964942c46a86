//! Large arrays, in large pages where the system has them.

use bytemuck::{Pod, Zeroable};

/// Smaller arrays do not get large pages.
const LARGE: usize = 1 << 20;
/// Advice about memory is for whole pages.
#[cfg(target_os = "linux")]
const PAGE: usize = 4096;

/// `len` zeroes. The system hands out zeroed pages when they are first touched, so
/// this costs next to nothing until some thread fills the array.
pub(crate) fn zeroed<T: Zeroable>(len: usize) -> Vec<T> {
    let values = bytemuck::zeroed_vec(len);
    prefer_large_pages(&values);
    values
}

/// [`zeroed`], or `None` if there is no memory for it.
pub(crate) fn try_zeroed<T: Zeroable>(len: usize) -> Option<Vec<T>> {
    let values = bytemuck::allocation::try_zeroed_vec(len).ok()?;
    prefer_large_pages(&values);
    Some(values)
}

/// [`zeroed`] in pages as small as the system has them, for an array that is filled in many places
/// at a time, and should take no more memory than that.
pub(crate) fn zeroed_page_by_page<T: Zeroable>(len: usize) -> Vec<T> {
    bytemuck::zeroed_vec(len)
}

/// Gives the memory of these values back to the system, as far as they take whole pages. They are
/// what they were, or zero.
pub(crate) fn give_back<T: Pod>(values: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let range = values.as_mut_ptr_range();
        let start = (range.start as usize).next_multiple_of(PAGE);
        let length = (range.end as usize / PAGE * PAGE).saturating_sub(start);
        if length > 0 {
            let start = range.start.with_addr(start).cast();
            // SAFETY: the pages lie inside the array, which is borrowed alone. Memory of its own
            // that a process gives back is zero when it is read again, and shared memory keeps
            // what it holds; for this type, all bytes are values.
            unsafe { libc::madvise(start, length, libc::MADV_DONTNEED) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = values;
}

/// Bytes of memory that can still be used, if the system says so: what is free or can be
/// freed, and no more than the control group of the process has left.
pub(crate) fn available() -> Option<u64> {
    let read = |path: &str| std::fs::read_to_string(path).ok();
    let free = named(&read("/proc/meminfo")?, "MemAvailable:")?.saturating_mul(1024);
    let group = |file| read(&format!("/sys/fs/cgroup/memory.{file}"));
    let left = || {
        let bytes = |file| group(file)?.trim().parse().ok();
        let (max, used): (u64, u64) = (bytes("max")?, bytes("current")?);
        // Pages of files that have not been read again lately are given up first.
        let files = group("stat").and_then(|stat| named(&stat, "inactive_file")).unwrap_or(0);
        Some(max.saturating_sub(used.saturating_sub(files)))
    };
    Some(left().map_or(free, |left| left.min(free)))
}

/// The number that follows `name` at the beginning of a line.
fn named(text: &str, name: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut words| (words.next() == Some(name)).then(|| words.next()))??.parse().ok()
}

/// Asks for large pages for an array that has not been touched yet, so that random
/// reads of it miss the TLB far less often. Only a hint.
pub(crate) fn prefer_large_pages<T>(values: &[T]) {
    #[cfg(target_os = "linux")]
    if size_of_val(values) >= LARGE {
        let start = (values.as_ptr() as usize).next_multiple_of(PAGE);
        let end = (values.as_ptr_range().end as usize) / PAGE * PAGE;
        // SAFETY: the pages from `start` to `end` lie inside the array, and
        // this advice never changes what they hold.
        unsafe { libc::madvise(start as *mut libc::c_void, end - start, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (values, LARGE);
}

/// Prefetches the cache line of `places[i]`. Does nothing if there is no such place,
/// or if the machine has no such instruction.
#[inline(always)]
pub(crate) fn prefetch<T>(places: &[T], i: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch never faults, whatever the address, and the
        // address is computed without leaving the rules of pointers.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(places.as_ptr().wrapping_add(i).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (places, i);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_is_given_back_can_be_used_again() {
        let mut values: Vec<u32> = (1..100_000).collect();
        give_back(&mut values[10..90_000]);
        assert!(values[..10].iter().chain(&values[90_000..]).all(|value| *value != 0));
        values[10..90_000].fill(7);
        assert!(values[10..90_000].iter().all(|value| *value == 7));
        // Less than a page, and nothing.
        give_back(&mut values[..5]);
        give_back(&mut values[..0]);
        assert_eq!(values[..5], [1, 2, 3, 4, 5]);
    }

    #[test]
    fn a_number_is_found_by_its_name() {
        let text = "file 4096\ninactive_file 512\nMemAvailable:    7 kB\nempty\n";
        assert_eq!(named(text, "inactive_file"), Some(512));
        assert_eq!(named(text, "MemAvailable:"), Some(7));
        assert_eq!(named(text, "active_file"), None);
        assert_eq!(named(text, "empty"), None);
    }
}
