use std::io::Write;
use std::sync::Arc;

use memmap2::Mmap;

use crate::graph::Buffer;

#[test]
fn mapped_windows_are_checked() {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(&[1, 0, 0, 0, 2, 0, 0, 0, 3, 0]).unwrap();
    // SAFETY: no other process has the file.
    let map = Arc::new(unsafe { Mmap::map(&file) }.unwrap());
    let window = |start, len| Buffer::<u32>::mapped(&map, start, len);
    assert_eq!(window(0, 2).unwrap()[..], [1u32, 2].map(u32::from_le));
    assert_eq!(window(4, 1).unwrap()[..], [2u32].map(u32::from_le));
    assert!(window(8, 0).unwrap().is_empty());
    // Misaligned, past the end, past all memory.
    assert!(window(2, 1).is_none());
    assert!(window(8, 1).is_none());
    assert!(window(4, usize::MAX).is_none());
    assert!(window(usize::MAX, 1).is_none());
    assert_eq!(Buffer::<u8>::mapped(&map, 8, 2).unwrap()[..], [3, 0]);
}

#[test]
fn owned_buffers_are_their_vectors() {
    assert_eq!(Buffer::from(vec![1u64, 2])[..], [1, 2]);
}
