//! The paper's breadth-first search, with and without each of its techniques.

use std::mem;
use std::ops::{Add, Range};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pregel_core::program::VertexId;
use rayon::prelude::*;

use super::bitmap::Bitmap;
use super::layout::{Layout, NONE, WORD};
use super::techniques::Techniques;

/// A level is searched bottom-up once the frontier has more than this part of the unexplored
/// edges, and top-down again once it has less than that part of the vertices (Beamer, Asanović
/// and Patterson, *Direction-Optimizing Breadth-First Search*, SC 2012).
const UNEXPLORED_PART: u64 = 14;
const VERTEX_PART: u64 = 24;

/// Words that a thread takes at a time where they are not dealt.
const STRETCH: usize = 16;
/// Frontier vertices that a thread takes at a time.
const CHUNK: usize = 64;

/// Which neighbours a loop looks at.
const ALL: u8 = 0;
const FIRST: u8 = 1;
const OTHERS: u8 = 2;

/// What a bottom-up level did. Only `found` is counted unless the search is
/// [counted](Search::counted).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Vertices that found a parent.
    pub found: u64,
    /// Those of them whose parent is their first neighbour.
    pub by_first: u64,
    /// How often the state of a vertex, or of a block of them, was looked at.
    pub looks: u64,
    /// Vertices that were unvisited before.
    pub unvisited: u64,
    /// Neighbours that were looked at.
    pub edges: u64,
}

impl Add for Level {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            found: self.found + other.found,
            by_first: self.by_first + other.by_first,
            looks: self.looks + other.looks,
            unvisited: self.unvisited + other.unvisited,
            edges: self.edges + other.edges,
        }
    }
}

/// Searches of one layout, one after the other.
#[derive(Debug)]
pub struct Search<'a> {
    layout: &'a Layout,
    techniques: Techniques,
    /// The place of each place's parent.
    parents: Vec<AtomicU32>,
    visited: Bitmap,
    /// With two bitmaps: what is visited after this level. Otherwise the frontier.
    second: Bitmap,
    /// The next frontier, unless there are two bitmaps.
    next: Bitmap,
}

impl<'a> Search<'a> {
    /// Makes the memory of a search. O(V).
    pub fn new(layout: &'a Layout, techniques: Techniques) -> Self {
        let words = layout.places() / WORD;
        Self {
            layout,
            techniques,
            parents: (0..layout.places()).map(|_| AtomicU32::new(NONE)).collect(),
            visited: Bitmap::new(words),
            second: Bitmap::new(words),
            next: Bitmap::new(if techniques.two_bitmaps { 0 } else { words }),
        }
    }

    /// The parent of each vertex in a breadth-first tree from `source`, which is its own
    /// parent; [`NONE`] of vertices that are not reached. O(V + E) at most, and one pass over
    /// the bitmaps for each level that is searched bottom-up.
    pub fn run(&mut self, source: VertexId) -> Vec<VertexId> {
        self.levels::<false>(source);
        let layout = self.layout;
        let parent = |vertex: u32| match layout.place_of(vertex) {
            NONE => NONE,
            place => match self.parents[place as usize].load(Relaxed) {
                NONE => NONE,
                parent => layout.vertex_at(parent),
            },
        };
        (0..layout.vertex_count()).into_par_iter().map(parent).collect()
    }

    /// What each level did that was searched bottom-up, and its number, the source being
    /// level 0.
    pub fn counted(&mut self, source: VertexId) -> Vec<(usize, Level)> {
        self.levels::<true>(source)
    }

    fn levels<const COUNT: bool>(&mut self, source: VertexId) -> Vec<(usize, Level)> {
        let layout = self.layout;
        let mut searched = Vec::new();
        self.parents.par_iter().for_each(|parent| parent.store(NONE, Relaxed));
        (0..self.visited.words()).into_par_iter().for_each(|word| {
            self.visited.put(word, layout.holes(word));
        });
        let source = layout.place_of(source);
        if source == NONE {
            return searched;
        }
        self.parents[source as usize].store(source, Relaxed);
        self.visited.set_own(source as usize);
        let mut queue = vec![source];
        let mut unexplored = layout.entries();
        let mut level = 1;
        while !queue.is_empty() {
            let edges: u64 = queue.par_iter().map(|&place| layout.degree(place as usize)).sum();
            unexplored -= edges;
            if self.techniques.direction && edges > unexplored / UNEXPLORED_PART {
                self.begin_bottom_up(&queue);
                let mut before = queue.len() as u64;
                loop {
                    let done = self.bottom_up::<COUNT>();
                    searched.push((level, done));
                    level += 1;
                    let few = done.found < layout.places() as u64 / VERTEX_PART;
                    if done.found == 0 || (few && done.found < before) {
                        break;
                    }
                    before = done.found;
                }
                queue = self.end_bottom_up();
                // The frontier's own edges are taken off at the next turn.
                unexplored = self.unexplored(&queue);
            } else {
                queue = self.top_down(&queue);
                level += 1;
            }
        }
        searched
    }

    /// Edges of unvisited vertices and of the frontier.
    fn unexplored(&self, queue: &[u32]) -> u64 {
        let layout = self.layout;
        let of_word = |word: usize| -> u64 {
            places_of(word, !self.visited.word(word)).map(|place| layout.degree(place)).sum()
        };
        let open: u64 = (0..self.visited.words()).into_par_iter().map(of_word).sum();
        open + queue.par_iter().map(|&place| layout.degree(place as usize)).sum::<u64>()
    }

    fn top_down(&self, queue: &[u32]) -> Vec<u32> {
        let expand = |places: &[u32]| {
            let mut found = Vec::new();
            for &place in places {
                for &neighbour in self.layout.row(place as usize) {
                    let at = neighbour as usize;
                    if !self.visited.get(at) && self.visited.claim(at) {
                        self.parents[at].store(place, Relaxed);
                        found.push(neighbour);
                    }
                }
            }
            found
        };
        let found: Vec<Vec<u32>> = queue.par_chunks(CHUNK).map(expand).collect();
        found.concat()
    }

    /// Makes the bitmap of the frontier, if there is to be one.
    fn begin_bottom_up(&self, queue: &[u32]) {
        if self.techniques.two_bitmaps {
            return;
        }
        (0..self.second.words()).into_par_iter().for_each(|word| self.second.put(word, 0));
        queue.par_iter().for_each(|&place| {
            self.second.claim(place as usize);
        });
    }

    /// The frontier that the last bottom-up level left.
    fn end_bottom_up(&self) -> Vec<u32> {
        let of_word = |word: usize| {
            let bits = if self.techniques.two_bitmaps {
                self.visited.word(word) & !self.second.word(word)
            } else {
                self.second.word(word)
            };
            places_of(word, bits).map(|place| place as u32)
        };
        (0..self.second.words()).into_par_iter().flat_map_iter(of_word).collect()
    }

    /// One level: every unvisited vertex looks for a parent in the frontier.
    fn bottom_up<const COUNT: bool>(&mut self) -> Level {
        let Techniques { highest_first, merged_loop, block_search, two_bitmaps, .. } =
            self.techniques;
        if !two_bitmaps {
            (0..self.next.words()).into_par_iter().for_each(|word| self.next.put(word, 0));
        }
        let apart = highest_first && !merged_loop;
        let done = match (block_search, two_bitmaps, apart) {
            (false, false, false) => self.sweep::<false, false, ALL, COUNT>(),
            (false, true, false) => self.sweep::<false, true, ALL, COUNT>(),
            (true, false, false) => self.sweep::<true, false, ALL, COUNT>(),
            (true, true, false) => self.sweep::<true, true, ALL, COUNT>(),
            (false, false, true) => {
                self.sweep::<false, false, FIRST, COUNT>()
                    + self.sweep::<false, false, OTHERS, COUNT>()
            }
            (false, true, true) => {
                self.sweep::<false, true, FIRST, COUNT>()
                    + self.sweep::<false, true, OTHERS, COUNT>()
            }
            (true, false, true) => {
                self.sweep::<true, false, FIRST, COUNT>()
                    + self.sweep::<true, false, OTHERS, COUNT>()
            }
            (true, true, true) => {
                self.sweep::<true, true, FIRST, COUNT>() + self.sweep::<true, true, OTHERS, COUNT>()
            }
        };
        if two_bitmaps {
            mem::swap(&mut self.visited, &mut self.second);
        } else {
            mem::swap(&mut self.second, &mut self.next);
        }
        done
    }

    /// One loop over all places, divided among the threads.
    fn sweep<const BLOCK: bool, const TWO: bool, const PART: u8, const COUNT: bool>(
        &self,
    ) -> Level {
        let sweep = |words| self.sweep_words::<BLOCK, TWO, PART, COUNT>(words);
        if self.techniques.shuffle {
            // Each thread has its own segments, whatever the others do.
            let own = rayon::broadcast(|thread| {
                let segments = self.layout.segments();
                let own = segments.skip(thread.index()).step_by(thread.num_threads());
                own.map(sweep).fold(Level::default(), Level::add)
            });
            own.into_iter().fold(Level::default(), Level::add)
        } else {
            let words = self.visited.words();
            (0..words.div_ceil(STRETCH))
                .into_par_iter()
                .map(|i| sweep(i * STRETCH..words.min((i + 1) * STRETCH)))
                .reduce(Level::default, Level::add)
        }
    }

    fn sweep_words<const BLOCK: bool, const TWO: bool, const PART: u8, const COUNT: bool>(
        &self,
        words: Range<usize>,
    ) -> Level {
        // The second of two loops must not visit again what the first has found.
        let seen = if TWO && PART == OTHERS { &self.second } else { &self.visited };
        let mut done = Level::default();
        for word in words {
            if BLOCK {
                let before = seen.word(word);
                let mut found = 0;
                if COUNT {
                    done.looks += 1 + u64::from(before.count_zeros());
                }
                for place in places_of(word, !before) {
                    if self.find_parent::<TWO, PART, COUNT>(place, &mut done) {
                        found |= 1 << (place % WORD);
                    }
                }
                if TWO {
                    self.second.put(word, before | found);
                } else if found != 0 {
                    self.next.put(word, self.next.word(word) | found);
                    self.visited.put(word, before | found);
                }
            } else {
                if TWO && PART != OTHERS {
                    self.second.put(word, self.visited.word(word));
                }
                for place in word * WORD..(word + 1) * WORD {
                    if COUNT {
                        done.looks += 1;
                    }
                    if !seen.get(place) && self.find_parent::<TWO, PART, COUNT>(place, &mut done) {
                        if TWO {
                            self.second.set_own(place);
                        } else {
                            self.next.set_own(place);
                            self.visited.set_own(place);
                        }
                    }
                }
            }
        }
        done
    }

    /// Looks for a neighbour of `place` in the frontier.
    #[inline]
    fn find_parent<const TWO: bool, const PART: u8, const COUNT: bool>(
        &self,
        place: usize,
        done: &mut Level,
    ) -> bool {
        // A visited neighbour of an unvisited vertex is in the frontier: were it in an earlier
        // one, the vertex would have been visited since.
        let frontier = if TWO { &self.visited } else { &self.second };
        if COUNT && PART != OTHERS {
            done.unvisited += 1;
        }
        let candidates = match PART {
            FIRST => {
                let first = &self.layout.first()[place..=place];
                if first[0] == NONE { &[][..] } else { first }
            }
            OTHERS => self.layout.row(place).get(1..).unwrap_or_default(),
            _ => self.layout.row(place),
        };
        let found = candidates.iter().position(|&place| frontier.get(place as usize));
        if COUNT {
            done.edges += found.map_or(candidates.len(), |at| at + 1) as u64;
            done.by_first += u64::from(PART != OTHERS && found == Some(0));
        }
        let Some(at) = found else { return false };
        self.parents[place].store(candidates[at], Relaxed);
        done.found += 1;
        true
    }
}

/// The places of the bits set in a word, lowest first.
#[inline]
fn places_of(word: usize, mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        if bits == 0 {
            return None;
        }
        let place = word * WORD + bits.trailing_zeros() as usize;
        bits &= bits - 1;
        Some(place)
    })
}
