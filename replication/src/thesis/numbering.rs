//! Medusa's preparation: where in the message buffer, which is stored by receivers, each edge
//! puts its message. Medusa does this on a CPU; this is the best that we can write.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use pregel_core::graph::Csr;
use rayon::prelude::*;

/// Receivers of one bucket: their counters fit in a core's cache.
const BUCKET_BITS: u32 = 15;

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

/// The same on all threads: edges are dealt into buckets of receivers, and each bucket is
/// numbered by one thread, so that no counter is shared. O(V + E) work.
pub fn on_all_threads(rows: &Csr) -> (Vec<u64>, Vec<u32>) {
    let targets = rows.targets();
    let buckets = (rows.vertex_count() as usize).div_ceil(1 << BUCKET_BITS);
    let chunk = targets.len().div_ceil(4 * rayon::current_num_threads()).max(1);
    let counts: Vec<Vec<u64>> = targets
        .par_chunks(chunk)
        .map(|targets| {
            let mut counts = vec![0; buckets];
            targets.iter().for_each(|target| counts[(target >> BUCKET_BITS) as usize] += 1);
            counts
        })
        .collect();
    // Where each chunk writes in each bucket, bucket by bucket.
    let mut first = 0;
    let mut bucket_begins = Vec::with_capacity(buckets + 1);
    let mut places = counts.clone();
    for bucket in 0..buckets {
        bucket_begins.push(first);
        for (places, counts) in places.iter_mut().zip(&counts) {
            places[bucket] = first;
            first += counts[bucket];
        }
    }
    bucket_begins.push(first);

    let zeros = || (0..targets.len()).into_par_iter().map(|_| AtomicU32::new(0));
    let dealt: Vec<AtomicU32> = zeros().collect();
    targets.par_chunks(chunk).zip(&mut places).enumerate().for_each(|(i, (targets, places))| {
        for (edge, &target) in (i * chunk..).zip(targets) {
            let place = &mut places[(target >> BUCKET_BITS) as usize];
            dealt[*place as usize].store(edge as u32, Relaxed);
            *place += 1;
        }
    });

    let slots: Vec<AtomicU32> = zeros().collect();
    let mut begins = vec![0_u64; rows.vertex_count() as usize + 1];
    let parts = begins[1..].par_chunks_mut(1 << BUCKET_BITS).enumerate();
    parts.for_each(|(bucket, ends)| {
        let edges = &dealt[bucket_begins[bucket] as usize..bucket_begins[bucket + 1] as usize];
        let local = |edge: u32| (targets[edge as usize] & ((1 << BUCKET_BITS) - 1)) as usize;
        edges.iter().for_each(|edge| ends[local(edge.load(Relaxed))] += 1);
        let mut next = Vec::with_capacity(ends.len());
        let mut end = bucket_begins[bucket];
        for count in ends {
            next.push(end as u32);
            end += *count;
            *count = end;
        }
        for edge in edges {
            let edge = edge.load(Relaxed);
            let next = &mut next[local(edge)];
            slots[edge as usize].store(*next, Relaxed);
            *next += 1;
        }
    });
    (begins, slots.into_par_iter().map(AtomicU32::into_inner).collect())
}
