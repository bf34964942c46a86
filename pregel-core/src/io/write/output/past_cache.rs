//! Writing a file past the system's page cache.
//!
//! The cache costs more than copying the bytes: the system has to find a page for each block,
//! and a virtual machine may have to ask its host for it. That is wasted on a file that is not
//! read soon. Linux can take the bytes directly from the program's memory, in whole blocks.

use std::fs::File;
use std::io::{self, Write};

/// Writes to `file`, past the cache where the system can do that, else through it.
pub(super) fn write(
    file: &File,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    if let Some(mut blocks) = linux::Blocks::new(file)? {
        write(&mut blocks)?;
        return blocks.finish();
    }
    super::compress(None, file, write)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::os::unix::fs::FileExt;

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    use super::super::BUFFER;
    use super::*;

    /// What is written past the cache begins and ends at a block of the disk, and is aligned
    /// in memory as well. No disk in use has larger blocks.
    #[repr(C, align(4096))]
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    struct Block([u8; 4096]);

    /// Collects what is written to a file, and writes it in whole blocks.
    pub struct Blocks<'f> {
        file: &'f File,
        buffer: Vec<Block>,
        /// How many bytes of the buffer are filled.
        filled: usize,
        /// Where in the file the buffer goes.
        at: u64,
        /// Whether the cache is still bypassed.
        bypass: bool,
    }

    impl<'f> Blocks<'f> {
        /// For an empty file; `None` if its file system has no way past the cache.
        pub fn new(file: &'f File) -> io::Result<Option<Self>> {
            if set_bypass(file, true).is_err() {
                return Ok(None);
            }
            let buffer = bytemuck::zeroed_vec(BUFFER / size_of::<Block>());
            Ok(Some(Self { file, buffer, filled: 0, at: 0, bypass: true }))
        }

        /// Writes what is left.
        pub fn finish(mut self) -> io::Result<()> {
            let whole = self.filled / size_of::<Block>() * size_of::<Block>();
            self.write_first(whole)?;
            self.use_cache()?;
            self.file.write_all_at(&self.bytes()[whole..self.filled], self.at)
        }

        fn bytes(&self) -> &[u8] {
            bytemuck::cast_slice(&self.buffer)
        }

        /// Writes the first `len` bytes of the buffer.
        fn write_first(&mut self, len: usize) -> io::Result<()> {
            let write = |this: &Self| this.file.write_all_at(&this.bytes()[..len], this.at);
            match write(self) {
                // A file system may ask for larger blocks, and one that is nearly full may stop
                // in the middle of a block. The cache needs no blocks.
                Err(error) if self.bypass && error.kind() == io::ErrorKind::InvalidInput => {
                    self.use_cache()?;
                    write(self)?;
                }
                written => written?,
            }
            self.at += len as u64;
            Ok(())
        }

        /// From now on, writes through the cache.
        fn use_cache(&mut self) -> io::Result<()> {
            self.bypass = false;
            Ok(set_bypass(self.file, false)?)
        }
    }

    impl Write for Blocks<'_> {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let buffer: &mut [u8] = bytemuck::cast_slice_mut(&mut self.buffer);
            let room = &mut buffer[self.filled..];
            let taken = bytes.len().min(room.len());
            room[..taken].copy_from_slice(&bytes[..taken]);
            self.filled += taken;
            if self.filled == BUFFER {
                self.write_first(BUFFER)?;
                self.filled = 0;
            }
            Ok(taken)
        }

        /// Does nothing: what does not fill a block waits for the end.
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn set_bypass(file: &File, on: bool) -> rustix::io::Result<()> {
        let mut flags = fcntl_getfl(file)?;
        flags.set(OFlags::DIRECT, on);
        fcntl_setfl(file, flags)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::BUFFER;
    use super::*;

    #[test]
    fn every_length_arrives() {
        let bytes: Vec<u8> = (0..3 * BUFFER).map(|i| (i % 251) as u8).collect();
        for whole in [0, 4096, BUFFER, 2 * BUFFER, 2 * BUFFER + 4096] {
            for len in [whole.saturating_sub(1), whole, whole + 1, whole + 511] {
                let file = tempfile::NamedTempFile::new().unwrap();
                // In pieces that fit neither a block nor the buffer.
                let pieces = |to: &mut (dyn Write + Send)| {
                    bytes[..len].chunks(300_007).try_for_each(|piece| to.write_all(piece))
                };
                write(file.as_file(), pieces).unwrap();
                assert!(std::fs::read(file.path()).unwrap() == bytes[..len], "{len} bytes");
            }
        }
    }

    #[test]
    fn a_device_that_is_full_is_an_error() {
        #[cfg(target_os = "linux")]
        for len in [1, BUFFER + 1] {
            let full = File::options().write(true).open("/dev/full").unwrap();
            let result = write(&full, |to| to.write_all(&vec![1; len]));
            assert_eq!(result.unwrap_err().kind(), io::ErrorKind::StorageFull);
        }
    }
}
