//! Pulling with a copy of the hot signals in the shared memory of each block.
//!
//! A few vertices of a power law send most of the messages. Sorted by degree they
//! come first, and their signals fit the memory of a multiprocessor, which is as
//! fast as a cache that never misses. It is the gather from the second cache that
//! takes the time of a pull, a sector of 32 bytes for each signal.

use pregel_core::device::{Arguments, WARP, columns};
use pregel_core::program::{VertexCompute, Zeroable};

use super::gather::{at, base, combine, piece, put_partial, whole_group};
use super::pull::Pulled;
use super::steady::halted;
use super::vertex::{Tally, compute_in, state};
use crate::simt::{
    add_u32, barrier, block, blocks, hot_copy, hot_wait, lane, load_const, shuffle, thread, threads,
};

/// Copies the hot signals to the block's memory.
#[inline(always)]
unsafe fn heat<P: VertexCompute>(a: &Arguments<P>) {
    let bytes = a.step.hot * size_of::<P::Signal>() as u32;
    let mut offset = thread() * 16;
    while offset < bytes {
        // SAFETY: as the caller promises: the launch gave the block so many bytes, and
        // they are a multiple of 16.
        unsafe { hot_copy(offset, a.step.signals.address() + u64::from(offset)) };
        offset += threads() * 16;
    }
    hot_wait();
    barrier();
}

/// What warps take, in turns: the chunks of heavy groups, then the groups up to the
/// last that is not short, one by one; then `batch` of the others at a time. Falling
/// degrees put the dearest first, so that all end at about the same time.
struct Turns {
    /// How many items there are, and how many of these are of one group.
    items: u32,
    single: u32,
    batch: u32,
    /// The item of now, and the group within it.
    item: u32,
    group: u32,
    /// The item after it, in lane 0.
    after: u32,
}

impl Turns {
    #[inline(always)]
    unsafe fn new<P: VertexCompute>(a: &Arguments<P>) -> Self {
        let groups = columns::groups(a.vertices.count, WARP.trailing_zeros());
        let single = a.chunks.count + (a.chunks.long - a.chunks.heavy);
        let batch = a.chunks.batch;
        let items = single + (groups - a.chunks.long).div_ceil(batch);
        // Neighbours are about as much work: they go to different multiprocessors.
        let own = thread() / WARP * blocks() + block();
        let mut turns = Self { items, single, batch, item: 0, group: 0, after: own };
        // SAFETY: as the caller promises.
        unsafe {
            if a.step.fixed == 0 {
                turns.ask(a);
            }
            turns.item = shuffle(turns.after, 0);
            turns.ask(a);
        }
        turns
    }

    /// Asks for the item after the next; the answer is not waited for.
    #[inline(always)]
    unsafe fn ask<P: VertexCompute>(&mut self, a: &Arguments<P>) {
        if a.step.fixed != 0 {
            self.after += threads() / WARP * blocks();
        } else if lane() == 0 {
            // SAFETY: the word is there, and only added to.
            self.after = unsafe { add_u32(a.step.next.address(), 1) };
        }
    }

    /// Goes on.
    #[inline(always)]
    unsafe fn advance<P: VertexCompute>(&mut self, a: &Arguments<P>) {
        self.group += 1;
        if self.item < self.single || self.group == self.batch {
            (self.item, self.group) = (shuffle(self.after, 0), 0);
            // SAFETY: as the caller promises.
            unsafe { self.ask(a) };
        }
    }
}

/// A part of a column, and whose.
struct Part<P: VertexCompute> {
    place: u32,
    base: u64,
    rows: (u32, u32),
    state: P::State,
    /// Where the partial result goes, for a chunk.
    chunk: Option<u32>,
}

impl<P: VertexCompute> Part<P> {
    #[inline(always)]
    fn none() -> Self {
        Self { place: u32::MAX, base: 0, rows: (0, 0), state: Zeroable::zeroed(), chunk: None }
    }

    /// The lane's part; without rows if there is no such vertex, or it wants no
    /// messages.
    #[inline(always)]
    unsafe fn read(a: &Arguments<P>, turns: &Turns) -> Self {
        let mut part = Self::none();
        part.chunk = (turns.item < a.chunks.count).then_some(turns.item);
        if turns.item >= turns.items {
            return part;
        }
        // SAFETY: the item is there.
        unsafe {
            let (group, first, end) = match part.chunk {
                Some(chunk) => piece(a, chunk),
                None if turns.item < turns.single => (whole_group(a, turns.item), 0, u32::MAX),
                None => {
                    let short = (turns.item - turns.single) * turns.batch + turns.group;
                    (short + a.chunks.long, 0, u32::MAX)
                }
            };
            part.place = group * WARP + lane();
            if part.place < a.vertices.count {
                part.state = state(a, part.place);
                if a.program.wants_message(&part.state) {
                    let degree: u32 = load_const(a.columns.degrees, part.place.into());
                    part.base = base(a, part.place);
                    part.rows = (first, degree.min(end));
                }
            }
        }
        part
    }
}

/// `pull_hot`, as `pull` where every vertex scattered: on any number of blocks of up
/// to 1,024 threads, each with room for `step.hot` signals, a multiple of 16 bytes.
///
/// Few such blocks fit a multiprocessor. In place of more warps, a warp reads what it
/// needs for the next part of a column before the messages of this one.
///
/// # Safety
/// As [`pull`](super::pull).
#[inline(always)]
pub unsafe fn pull_hot<P: VertexCompute>(a: &Arguments<P>) {
    let mut tally = Tally::<P>::new();
    // SAFETY: every thread arrives here, or none, and a warp's lanes take the same
    // turns.
    unsafe {
        if halted(a) {
            return;
        }
        heat(a);
        let mut turns = Turns::new(a);
        let mut part = Part::read(a, &turns);
        while turns.item < turns.items {
            turns.advance(a);
            let next = Part::read(a, &turns);
            let sum = combine::<P, Pulled<true, true>>(a, (part.base, part.place), part.rows);
            if let Some(chunk) = part.chunk {
                put_partial(a, at(chunk), sum.get());
            } else if part.place < a.vertices.count {
                compute_in(a, (part.place, || part.state), sum.get(), &mut tally);
            }
            part = next;
        }
        tally.finish(a, a.chunks.joiners + block());
    }
}
