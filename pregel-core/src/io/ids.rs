//! From the integer ids of a file to dense ones, in ascending order.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use super::LoadError;
use super::text::Pair;
use crate::graph::{IdError, Ids};

/// A bitmap may have this many bits per end point of an edge: less memory than
/// sorting them takes.
const BITS_PER_END: u64 = 64;
/// A bitmap of this many bits (1 MiB) always pays.
const BITS_ALWAYS: u64 = 8 << 20;
/// Edges whose end points are sorted together.
const RUN: usize = 1 << 20;

/// End points that can be read and be replaced by dense ids.
pub(super) trait Ends: Pair {
    fn ends(self) -> [u64; 2];
    /// The edges between dense ids; in place where the type allows.
    fn densify(edges: Vec<Self>, dense: impl Fn(u64) -> u32 + Sync) -> Vec<[u32; 2]>;
}

impl Ends for [u32; 2] {
    fn ends(self) -> [u64; 2] {
        self.map(u64::from)
    }

    fn densify(mut edges: Vec<Self>, dense: impl Fn(u64) -> u32 + Sync) -> Vec<[u32; 2]> {
        edges.par_iter_mut().for_each(|ends| *ends = ends.map(|id| dense(u64::from(id))));
        edges
    }
}

impl Ends for [u64; 2] {
    fn ends(self) -> [u64; 2] {
        self
    }

    fn densify(edges: Vec<Self>, dense: impl Fn(u64) -> u32 + Sync) -> Vec<[u32; 2]> {
        edges.par_iter().map(|ends| ends.map(&dense)).collect()
    }
}

/// Gives the vertices that occur in `edges` or in `alone` dense ids in the
/// order of their ids. Parallel; O(E) when the ids are dense enough for a
/// bitmap, otherwise O(E log E).
pub(super) fn compact<P: Ends>(
    path: &Path,
    edges: Vec<P>,
    alone: &[u64],
) -> Result<(Vec<[u32; 2]>, Ids), LoadError> {
    let bounds = |(low, high): (u64, u64), id: u64| (low.min(id), high.max(id));
    let of_edge = |range, ends: &P| ends.ends().into_iter().fold(range, bounds);
    let (low, high) = edges
        .par_iter()
        .fold(|| (u64::MAX, 0), of_edge)
        .reduce(|| (u64::MAX, 0), |one, other| (one.0.min(other.0), one.1.max(other.1)));
    let (low, high) = alone.iter().copied().fold((low, high), bounds);
    if low > high {
        return Ok((Vec::new(), Ids::range(0, 0)));
    }
    let ends = 2 * edges.len() as u64 + alone.len() as u64;
    let span = high - low;
    if span < BITS_ALWAYS.max(ends.saturating_mul(BITS_PER_END)) {
        Bitmap::of(&edges, alone, low, span + 1).compact(path, edges)
    } else {
        sort(path, edges, alone)
    }
}

/// Which ids occur, and how many before each word of 64.
struct Bitmap {
    low: u64,
    /// From the lowest id to the highest.
    span: u64,
    words: Vec<u64>,
    ranks: Vec<u64>,
    count: u64,
}

impl Bitmap {
    fn of<P: Ends>(edges: &[P], alone: &[u64], low: u64, span: u64) -> Self {
        let words: Vec<AtomicU64> =
            (0..span.div_ceil(64)).into_par_iter().map(|_| AtomicU64::new(0)).collect();
        let set = |id: u64| {
            let (word, bit) = (&words[((id - low) / 64) as usize], 1 << ((id - low) % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                word.fetch_or(bit, Ordering::Relaxed);
            }
        };
        edges.par_iter().for_each(|ends| ends.ends().into_iter().for_each(set));
        alone.iter().copied().for_each(set);
        let words: Vec<u64> = words.into_iter().map(AtomicU64::into_inner).collect();
        let mut count = 0;
        let ranks = words.iter().map(|word| {
            let rank = count;
            count += u64::from(word.count_ones());
            rank
        });
        let ranks = ranks.collect();
        Self { low, span, words, ranks, count }
    }

    fn compact<P: Ends>(
        self,
        path: &Path,
        edges: Vec<P>,
    ) -> Result<(Vec<[u32; 2]>, Ids), LoadError> {
        let Self { low, span, words, ranks, count } = self;
        let length = counted(path, count)?;
        if count == span {
            let edges = match low {
                0 => P::densify(edges, |id| id as u32),
                _ => P::densify(edges, |id| (id - low) as u32),
            };
            return Ok((edges, Ids::range(low, length)));
        }
        let edges = P::densify(edges, |id| {
            let (word, bit) = (((id - low) / 64) as usize, (id - low) % 64);
            (ranks[word] + u64::from((words[word] & ((1 << bit) - 1)).count_ones())) as u32
        });
        let mut ids = Vec::with_capacity(length as usize);
        for (i, &word) in words.iter().enumerate() {
            let mut left = word;
            while left != 0 {
                ids.push(low + 64 * i as u64 + u64::from(left.trailing_zeros()));
                left &= left - 1;
            }
        }
        Ok((edges, ascending(path, ids)?))
    }
}

/// [`compact`] for ids that are too far apart for a bitmap.
fn sort<P: Ends>(
    path: &Path,
    edges: Vec<P>,
    alone: &[u64],
) -> Result<(Vec<[u32; 2]>, Ids), LoadError> {
    let runs = edges.par_chunks(RUN).map(|run| {
        let mut ids: Vec<u64> = run.iter().flat_map(|ends| ends.ends()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    });
    let mut ids = runs.collect::<Vec<_>>().concat();
    ids.extend_from_slice(alone);
    ids.par_sort_unstable();
    ids.dedup();
    ids.shrink_to_fit();
    counted(path, ids.len() as u64)?;
    let search = Search::new(&ids);
    let edges = P::densify(edges, |id| search.place(id) as u32);
    Ok((edges, ascending(path, ids)?))
}

/// Search in ascending ids through a table of where each value of their
/// leading bits begins: about one id a bucket when they are spread evenly.
pub(super) struct Search<'a> {
    ids: &'a [u64],
    low: u64,
    shift: u32,
    starts: Vec<u32>,
}

impl<'a> Search<'a> {
    /// `ids` ascend and are fewer than 2^32.
    pub fn new(ids: &'a [u64]) -> Self {
        let low = ids.first().copied().unwrap_or(0);
        let span = ids.last().copied().unwrap_or(0) - low;
        let wanted = usize::BITS - ids.len().leading_zeros();
        let shift = (u64::BITS - span.leading_zeros()).saturating_sub(wanted);
        let mut starts = vec![0u32; (span >> shift) as usize + 2];
        for id in ids {
            starts[((id - low) >> shift) as usize + 1] += 1;
        }
        for i in 1..starts.len() {
            starts[i] += starts[i - 1];
        }
        Self { ids, low, shift, starts }
    }

    /// How many ids are smaller than `id`, which is one of them.
    pub fn place(&self, id: u64) -> usize {
        let bucket = ((id - self.low) >> self.shift) as usize;
        let (start, end) = (self.starts[bucket] as usize, self.starts[bucket + 1] as usize);
        start + self.ids[start..end].partition_point(|other| *other < id)
    }

    /// The place of `id`, if it is one of the ids.
    pub fn find(&self, id: u64) -> Option<usize> {
        let last = self.ids.last()?;
        if id < self.low || id > *last {
            return None;
        }
        let place = self.place(id);
        (self.ids.get(place) == Some(&id)).then_some(place)
    }
}

/// The number of vertices, if dense ids can name them all.
fn counted(path: &Path, count: u64) -> Result<u32, LoadError> {
    u32::try_from(count).map_err(|_| LoadError::TooManyVertices {
        path: path.to_owned(),
        vertices: count,
        limit: u64::from(u32::MAX),
    })
}

/// Ascending ids as [`Ids`].
pub(super) fn ascending(path: &Path, ids: Vec<u64>) -> Result<Ids, LoadError> {
    let damaged = |source: IdError| LoadError::Ids { path: path.to_owned(), source };
    Ids::integers(ids.into()).map_err(damaged)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn check(edges: Vec<[u64; 2]>, alone: Vec<u64>) {
        let all: BTreeSet<u64> = edges.iter().flatten().chain(&alone).copied().collect();
        let (dense, ids) = compact(Path::new("-"), edges.clone(), &alone).unwrap();
        let back: Vec<u64> =
            (0..ids.len()).map(|v| ids.get(v).to_string().parse().unwrap()).collect();
        assert_eq!(back, all.into_iter().collect::<Vec<_>>());
        for (dense, edge) in dense.iter().zip(&edges) {
            assert_eq!(dense.map(|v| back[v as usize]), *edge);
        }
        if edges.iter().flatten().all(|id| *id <= u64::from(u32::MAX)) {
            let narrow = edges.iter().map(|ends| ends.map(|id| id as u32)).collect();
            let (again, _) = compact::<[u32; 2]>(Path::new("-"), narrow, &alone).unwrap();
            assert_eq!(again, dense);
        }
    }

    #[test]
    fn ranges_gaps_and_extremes() {
        check(vec![[5, 6], [7, 5]], vec![]);
        check(vec![[5, 6], [8, 5]], vec![2]);
        check(vec![[0, u64::MAX]], vec![1]);
        check((0..200).map(|i| [i, 199 - i]).collect(), vec![]);
        check((0..64).map(|i| [i, i]).collect(), vec![65]);
        check(vec![], vec![]);
        check(vec![], vec![9]);
    }

    proptest! {
        #[test]
        fn dense_ids_keep_the_order(
            edges in proptest::collection::vec([0u64..300, 0u64..300], 0..200),
            alone in proptest::collection::vec(0u64..400, 0..5),
            stretch in prop_oneof![Just(1u64), Just(1 << 20), Just(1 << 40), Just(u64::MAX / 400)],
        ) {
            let stretched = edges.iter().map(|ends| ends.map(|id| id * stretch)).collect();
            check(stretched, alone.into_iter().map(|id| id * stretch).collect());
        }
    }
}
