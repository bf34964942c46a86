//! One bit for each place.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::layout::WORD;

/// Bits that threads read and write. No order between threads is needed: what one reads of
/// another's words was written before the level began.
#[derive(Debug)]
pub struct Bitmap {
    words: Vec<AtomicU64>,
}

impl Bitmap {
    /// All clear.
    pub fn new(words: usize) -> Self {
        Self { words: (0..words).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Number of words.
    pub fn words(&self) -> usize {
        self.words.len()
    }

    #[inline]
    pub fn get(&self, place: usize) -> bool {
        self.word(place / WORD) >> (place % WORD) & 1 != 0
    }

    /// Sets a bit in a word that no other thread writes meanwhile.
    #[inline]
    pub fn set_own(&self, place: usize) {
        let word = place / WORD;
        self.put(word, self.word(word) | 1 << (place % WORD));
    }

    /// Sets a bit; whether it was clear before.
    #[inline]
    pub fn claim(&self, place: usize) -> bool {
        let bit = 1 << (place % WORD);
        self.words[place / WORD].fetch_or(bit, Relaxed) & bit == 0
    }

    #[inline]
    pub fn word(&self, word: usize) -> u64 {
        self.words[word].load(Relaxed)
    }

    #[inline]
    pub fn put(&self, word: usize, bits: u64) {
        self.words[word].store(bits, Relaxed);
    }
}
