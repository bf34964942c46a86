//! Medusa's preparation: where in the message buffer, which is stored by receivers, each edge
//! puts its message. Medusa does this on a CPU; this is the best that we can write.

use pregel_core::graph::Csr;
use rayon::prelude::*;

/// Vertices whose counters one task sums up.
const RANGE: usize = 1 << 14;

/// The slot of every edge, and where the slots of each vertex begin, on one thread: a counting
/// sort. O(V + E).
pub fn on_one_thread(rows: &Csr) -> (Vec<u64>, Vec<u32>) {
    let mut begins = vec![0_u64; rows.vertex_count() as usize + 1];
    for &target in rows.targets() {
        begins[target as usize + 1] += 1;
    }
    for v in 1..begins.len() {
        begins[v] += begins[v - 1];
    }
    let mut next: Vec<u32> = begins.iter().map(|begin| *begin as u32).collect();
    let slot = |target: &u32| {
        let next = &mut next[*target as usize];
        *next += 1;
        *next - 1
    };
    let slots = rows.targets().iter().map(slot).collect();
    (begins, slots)
}

/// The same on all threads. Each numbers a stretch of the edges by counters of its own, which
/// begin where the stretches before it end. O(V + E) work and O(V) memory for each thread.
pub fn on_all_threads(rows: &Csr) -> (Vec<u64>, Vec<u32>) {
    let (targets, vertices) = (rows.targets(), rows.vertex_count() as usize);
    let stretch = targets.len().div_ceil(rayon::current_num_threads()).max(1);
    let count = |targets: &[u32]| {
        let mut counts = vec![0_u32; vertices];
        targets.iter().for_each(|target| counts[*target as usize] += 1);
        counts
    };
    let mut counters: Vec<Vec<u32>> = targets.par_chunks(stretch).map(count).collect();

    // The counters of all stretches, one range of vertices after the other.
    let mut ranges: Vec<Vec<&mut [u32]>> = Vec::new();
    ranges.resize_with(vertices.div_ceil(RANGE), Vec::new);
    for counters in &mut counters {
        for (range, part) in ranges.iter_mut().zip(counters.chunks_mut(RANGE)) {
            range.push(part);
        }
    }
    let sum = |part: &&mut [u32]| part.iter().map(|count| u64::from(*count)).sum::<u64>();
    let mut firsts: Vec<u64> =
        ranges.par_iter().map(|range| range.iter().map(sum).sum::<u64>()).collect();
    let mut first = 0;
    for range in &mut firsts {
        first += std::mem::replace(range, first);
    }
    let mut begins = vec![0_u64; vertices + 1];
    let ends = begins[1..].par_chunks_mut(RANGE);
    ends.zip(ranges).zip(firsts).for_each(|((ends, mut range), mut next)| {
        for (v, end) in ends.iter_mut().enumerate() {
            for part in &mut range {
                next += u64::from(std::mem::replace(&mut part[v], next as u32));
            }
            *end = next;
        }
    });

    let mut slots = vec![0; targets.len()];
    let stretches = slots.par_chunks_mut(stretch).zip(targets.par_chunks(stretch));
    stretches.zip(&mut counters).for_each(|((slots, targets), next)| {
        for (slot, target) in slots.iter_mut().zip(targets) {
            let next = &mut next[*target as usize];
            *slot = *next;
            *next += 1;
        }
    });
    (begins, slots)
}

/// The in-degree of every vertex, by where their slots begin.
pub fn in_degrees(begins: &[u64]) -> Vec<u32> {
    begins.windows(2).map(|ends| (ends[1] - ends[0]) as u32).collect()
}
